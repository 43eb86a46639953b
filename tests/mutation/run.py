"""Mutation testing: does a test notice a small change of a module?

    python tests/mutation/run.py sorting_kernels.py --sample 0 --tests tests/test_sorting.py

Each mutant of a random sample meets the tests named after the module, or those named here, and its doctests, in a
process of its own; no file is changed. What survived is printed, to be read by a person: a test that is missing, code
that is not needed, or a change that makes no difference, as of a limit that only speed depends on. Compiled functions
run as Python; what a test starts in a further process runs unchanged.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_loader
from multiprocessing.connection import wait
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not compiled", "-W", "ignore:overflow encountered"]
# Loaded once for all mutants: slow to import, and no part of what is changed.
SHARED = ["numpy", "pandas", "scipy.optimize", "scipy.stats", "numba", "moocore", "hypothesis.extra.numpy"]
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
PAIRS = [("min", "max"), ("any", "all"), ("minimum", "maximum"), ("argmin", "argmax"), ("zeros", "ones")]
SWAPPED = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}


def changes(node):
    """Every small change of one node that a good test notices."""
    found = []

    def changed(**fields):
        found.append(copy.deepcopy(node))
        for name, value in fields.items():
            setattr(found[-1], name, value)

    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                for other in COMPARISONS[type(op)]:
                    changed(ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            changed(op=ARITHMETIC[type(node.op)]())
        case ast.BoolOp():
            changed(op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
            found.extend(node.values)
        case ast.UnaryOp():
            found.append(node.operand)
        case ast.IfExp():
            changed(body=node.orelse, orelse=node.body)
        case ast.Constant(value=bool()):
            changed(value=not node.value)
        case ast.Constant(value=int() | float()):
            changed(value=node.value + 1)
            if node.value > 1:
                changed(value=node.value - 1)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in SWAPPED:
            changed(**{node._fields[-2]: SWAPPED[name]})
        case ast.Call():
            for keyword in node.keywords:
                changed(keywords=[other for other in node.keywords if other is not keyword])
            if isinstance(node.func, ast.Name) and node.func.id == "range":
                end = min(len(node.args), 2)
                shorter = ast.BinOp(node.args[end - 1], ast.Sub(), ast.Constant(1))
                changed(args=[*node.args[: end - 1], shorter, *node.args[end:]])
        case ast.If() | ast.While() if isinstance(node.test, ast.Name | ast.Call | ast.Attribute):
            changed(test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=ast.AST()):
            changed(value=None)
        case ast.Break() | ast.Continue():
            found.append(ast.Continue() if isinstance(node, ast.Break) else ast.Break())
    fills = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    return [*found, ast.Pass()] if fills or isinstance(node, ast.AugAssign | ast.Expr) else found


def mutants(source):
    """Tell for each change the node's number, the change's number, the line and what it says."""
    tree = ast.parse(source)
    # Annotations, docstrings, decorators and what an error says are not tested so.
    roots = []
    for node in ast.walk(tree):
        roots += getattr(node, "decorator_list", [])
        roots += [part for part in (getattr(node, "returns", None), getattr(node, "annotation", None)) if part]
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        roots += [node] if text or isinstance(node, ast.Raise | ast.JoinedStr) else []
    skipped = {node for root in roots for node in ast.walk(root)}
    for number, node in enumerate(ast.walk(tree)):
        for variant, changed in enumerate(changes(node) if node not in skipped else []):
            before, after = (ast.unparse(part).splitlines()[0] for part in (node, changed))
            yield number, variant, node.lineno, f"{before}  ->  {after}"


class Substitute(SourceFileLoader):
    """Imports one module from a changed program, and has hypothesis try the same examples each time."""

    def __init__(self, path, number, variant):
        super().__init__(".".join(path.relative_to(ROOT).with_suffix("").parts), str(path))
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        if number is not None:
            target = next(node for i, node in enumerate(ast.walk(self.tree)) if i == number)
            changed = changes(target)[variant]
            target.__class__ = changed.__class__
            vars(target).update(vars(changed))
            ast.fix_missing_locations(self.tree)

    def get_code(self, fullname):
        return compile(self.tree, self.path, "exec")

    def find_spec(self, fullname, *_):
        return spec_from_loader(fullname, self, origin=self.path) if fullname == self.name else None

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self):
        from hypothesis import Phase, settings

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutation", settings(), phases=phases, derandomize=True, database=None)
        settings.load_profile("mutation")
        # Before the hook of pytest, which would import a module with doctests from its file.
        sys.meta_path.insert(0, self)


def judge(path, tests, number=None, variant=None):
    """Run the tests against one mutant, or against the module as it is, and end the process."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os._exit(int(pytest.main([*OPTIONS, str(path), *tests], plugins=[Substitute(path, number, variant)])))


def started(*arguments):
    """Start :func:`judge` in a process of its own."""
    process = multiprocessing.get_context("fork").Process(target=judge, args=arguments)
    process.start()
    return process


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", help="such as core/ranking.py, within copa_nb")
    parser.add_argument("--tests", nargs="+", help="files; by default the one that is named after the module")
    parser.add_argument("--sample", type=int, default=60, help="how many mutants, drawn at random; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.chdir(ROOT)
    path = ROOT / "copa_nb" / options.module
    tests = options.tests or [f"tests/{path.parent.name}/test_{path.name}"]
    for name in SHARED:
        importlib.import_module(name)
    begin, plain = time.monotonic(), started(path, tests)
    plain.join()
    if plain.exitcode:
        sys.exit(f"{' '.join(tests)}: pytest ends with {plain.exitcode} where nothing is changed")
    limit = 10 + 3 * (time.monotonic() - begin)
    every = list(mutants(path.read_text(encoding="utf-8")))
    chosen = random.Random(options.seed).sample(every, min(options.sample or len(every), len(every)))
    waiting, running, outcomes = sorted(chosen, key=lambda mutant: -mutant[2]), {}, Counter()
    while waiting or running:
        while waiting and len(running) < options.jobs:
            mutant = waiting.pop()
            process = started(path, tests, *mutant[:2])
            running[process.sentinel] = process, mutant, time.monotonic() + limit
        wait(list(running), timeout=0.5)
        for sentinel, (process, (_, _, line, text), deadline) in list(running.items()):
            if process.is_alive() and time.monotonic() < deadline:
                continue
            outcome = "timed out" if process.is_alive() else "killed" if process.exitcode else "survived"
            process.kill()
            outcomes[outcome] += 1
            del running[sentinel]
            if outcome == "survived":
                print(f"copa_nb/{options.module}:{line}: {text}", flush=True)
    print(f"{len(chosen)} of {len(every)} mutants:", ", ".join(f"{outcomes[o]} {o}" for o in sorted(outcomes)))


if __name__ == "__main__":
    main()
