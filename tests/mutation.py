"""Does a test notice a small change of the package? Cosmic Ray makes the changes, pytest judges them.

``python -m tests.mutation selection/arrays/ranks.py`` changes a module, ``selection`` a package, ``.`` all of copa_nb.
All work is done in copies of the repository. Each mutant of a random sample meets the doctests of its module, the
tests named after it, all of its package, then what concerns all packages. What survived is printed, to be read
by a person: a test is missing, or the code is not needed, or the change makes no difference, as of a limit that only
speed depends on.
Functions that are compiled elsewhere run as Python where one of them is changed: what was compiled with it before would
not notice.
"""

import argparse
import ast
import contextlib
import logging
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

from cosmic_ray import commands, mutating, plugins
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import TestOutcome

ROOT = Path(__file__).parents[1]
SAID = ("overflow encountered", "registration of accessor")  # by Python's integers and by a second import
PYTEST = f"{sys.executable} -m pytest -x -q -p no:randomly -p no:cacheprovider " + "".join(
    f"-W 'ignore:{words}' " for words in SAID
)
PATIENCE = 1800  # seconds; only a mutant that never ends takes as long


class Stripped(ast.NodeTransformer):
    """What a program does: without annotations, decorators, the words of errors and how arguments may be passed."""

    def generic_visit(self, node):
        for field in {"annotation", "returns", "exc"} & set(node._fields):
            setattr(node, field, None)
        if hasattr(node, "decorator_list"):
            node.decorator_list = []
        if isinstance(node, ast.arguments):
            node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
            node.defaults += filter(None, node.kw_defaults)
            node.posonlyargs = node.kwonlyargs = node.kw_defaults = []
        return super().generic_visit(node)


def meaning(source):
    """A text that differs where two programs do."""
    return ast.dump(Stripped().visit(ast.parse(source)))


def mutated(mutation):
    """The program with this change, or None where it makes no program or none that differs."""
    before = mutation.module_path.read_text(encoding="utf-8")
    operator = plugins.get_operator(mutation.operator_name)(**mutation.operator_args)
    # Cosmic Ray 8.7 cannot replace a dotted name of an exception.
    with contextlib.suppress(SyntaxError, AttributeError):
        after = mutating.mutate_code(before, operator, mutation.occurrence)
        return None if after is None or meaning(before) == meaning(after) else after


def places_of(module):
    """All mutations of a module, by the place in the text that they change."""
    places = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, use_db(Path(folder) / "all.sqlite") as database:
        commands.init([module], database, {})
        for item in database.work_items:
            (mutation,) = item.mutations
            places[*mutation.start_pos, *mutation.end_pos].append(mutation)
    return places


def drawn(modules, sample, seed):
    """Mutations of distinct places: each is as likely, whatever the number of changes that can be made there."""
    generator = random.Random(seed)
    sizes = [module.stat().st_size for module in modules]
    shares = Counter(generator.choices(modules, sizes, k=sample)) if sample else dict.fromkeys(modules)
    for module, share in sorted(shares.items()):
        places = places_of(module)
        options = (sorted(places[place], key=str) for place in generator.sample(sorted(places), len(places)))
        changes = (next(filter(mutated, generator.sample(some, len(some))), None) for some in options)
        yield from islice(filter(None, changes), share)


def tests_of(module):
    """The doctests of a module, tests named after it, those of its package, then those of all packages."""
    own_folder = ROOT / "tests" / module.parts[1]
    named = sorted(ROOT.glob(f"tests/**/test_{module.stem.removesuffix('_kernels')}.py"))
    near = [path.relative_to(ROOT) for path in named if own_folder in path.parents or not own_folder.is_dir()]
    own = [own_folder.relative_to(ROOT)] if own_folder.is_dir() else []
    shared = [
        "tests/snapshot",
        "tests/plots",
        *(path.relative_to(ROOT) for path in sorted(ROOT.glob("tests/test_*.py"))),
    ]
    # Apart: pytest imports a module anew for its doctests, and its classes are then others than those of the package.
    # It would take functions called test... for tests.
    stages = [["--override-ini=python_functions=-", module], near, own]
    # What concerns all packages takes minutes where nothing is compiled.
    return [stage for stage in [*stages, *([] if is_compiled(module) else [shared])] if stage]


def is_compiled(module):
    """Whether numba compiles the functions of a module."""
    return module.stem.endswith("_kernels")


def enter_copy():
    """Give this process a copy of the repository to change, which goes with it."""
    folder = tempfile.mkdtemp(dir=os.environ["MUTATION_COPIES"])
    names = subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, Path(folder, name))
    os.chdir(folder)
    # `CI` has hypothesis try the same examples for all mutants.
    os.environ |= {"PYTHONPATH": folder, "CI": "1"}


def judge(mutation, stages, interpreted):
    """Meet one mutant, or nothing changed, with one set of tests after the other until one fails."""
    os.environ["NUMBA_DISABLE_JIT"] = str(int(interpreted))
    marks = "-m 'not slow and not compiled' " if interpreted else "-m 'not slow' "
    text = mutation and mutated(mutation)
    with mutating.restore_contents(mutation.module_path) if mutation else contextlib.nullcontext():
        if mutation:
            mutation.module_path.write_text(text, encoding="utf-8")
        for tests in stages:
            command = PYTEST + marks + " ".join(map(str, tests))
            outcome, output = run_tests(command, PATIENCE)
            none = re.search(r"^(?:no tests ran|\d+ deselected) in ", output, re.M)
            if outcome is not TestOutcome.SURVIVED and not none:
                found = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.M)
                return mutation, found[1] if found else output.strip()[-200:]
    return mutation, None


def main():
    """Print what survived, and how many did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", help="file or folder within copa_nb")
    parser.add_argument("--tests", nargs="+", help="files or folders, instead of those found by the module's name")
    parser.add_argument("--sample", type=int, default=60, help="how many mutants, drawn at random; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="also print what was killed, and by which test")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    os.chdir(ROOT)
    target = Path("copa_nb", options.module)
    modules = [target] if target.is_file() else sorted(target.rglob("*.py"))
    chosen = list(drawn(modules, options.sample, options.seed))
    stages = [[options.tests] if options.tests else tests_of(mutation.module_path) for mutation in chosen]
    survived = 0
    with tempfile.TemporaryDirectory() as copies:
        os.environ["MUTATION_COPIES"] = copies
        with multiprocessing.get_context("spawn").Pool(options.jobs, enter_copy) as pool:
            modes = [is_compiled(mutation.module_path) for mutation in chosen]
            plain = {
                (tuple(map(str, tests)), mode) for all_of, mode in zip(stages, modes, strict=True) for tests in all_of
            }
            for _, failed in pool.starmap(judge, [(None, [tests], mode) for tests, mode in sorted(plain)], chunksize=1):
                if failed:
                    sys.exit(f"{failed} fails where nothing is changed")
            jobs = [pool.apply_async(judge, one) for one in zip(chosen, stages, modes, strict=True)]
            for job in jobs:
                mutation, killer = job.get()
                survived += killer is None
                if killer is None or options.verbose:
                    lines = mutation.module_path.read_text(encoding="utf-8").splitlines()
                    row = mutation.start_pos[0] - 1
                    print(f"{mutation.module_path}:{row + 1}: {mutation.operator_name.removeprefix('core/')}")
                    print(f"  - {lines[row].strip()}\n  + {mutated(mutation).splitlines()[row].strip()}")
                    print(f"  {'killed by ' + killer if killer else 'survived'}", flush=True)
    print(f"{len(chosen)} mutants: {len(chosen) - survived} killed, {survived} survived")


if __name__ == "__main__":
    main()
