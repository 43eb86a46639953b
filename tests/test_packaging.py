"""What is declared twice must agree: pyproject.toml, environment.yml, what tests import, and what the wheel carries."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import yaml

from tests.test_tracked_files import TOP_LEVEL

ROOT = Path(__file__).parents[1]
# Where conda-forge's name differs from the package index's.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "nbconvert": "nbconvert-core", "seaborn": "seaborn-base"}
OURS = {"benchmarks", "copa_nb", "docs", "tests"}
# What files of tests/ and benchmarks/ import although `make test` does not install it: tests skip without it.
NOT_INSTALLED = {
    "ConfigSpace": "for a program that made a bundled table, in an environment of its own",
    "cosmic_ray": "for tests/mutation.py, with the extra `mutation`; conftest.py leaves that file out without it",
    "jedi": "IPython brings it, and completes names with it",
    "lm_eval": "for a program that made files to read, in an environment of its own: it needs PyTorch",
    "wandb": "62 MB, for one test; what users export from it is read without it",
}
ASK_FOR_A_MODULE = {"import_module", "importorskip", "find_spec"}


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirement(text: str) -> tuple[str, str]:
    name, bounds = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*(.*)", text.strip()).groups()
    name = _normalized(name)
    return CONDA_NAMES.get(name, name), bounds.replace(" ", "")


def _installed_by_make_test(project: dict) -> set[str]:
    """Names of the packages that the project and its extra ``test`` declare, with those of the extras they name."""
    groups = project["project"]["optional-dependencies"]
    waiting, declared = [*project["project"]["dependencies"], *groups["test"]], set()
    while waiting:
        name, listed = re.match(r"([\w.-]+)(?:\[([\w,]+)\])?", waiting.pop()).groups()
        extras = listed.split(",") if listed else []
        if name == "copa_nb":
            waiting += [item for extra in extras for item in groups[extra]]
            continue
        declared.add(_normalized(name))
        for extra in extras:
            waiting += [line for line in requires(name) if re.search(rf"extra == [\"']{extra}[\"']", line)]
    return declared


def _imports(path: Path) -> list[tuple[str, bool]]:
    """Packages that a file names to import, and whether importing the file needs them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    later = {inner for function in functions for inner in ast.walk(function)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node not in later) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append((node.module, node not in later))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ASK_FOR_A_MODULE:
            found += [(node.args[0].value, False) for name in node.args[:1] if isinstance(name, ast.Constant)]
    return [(name.partition(".")[0], needed) for name, needed in found]


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_environment_equals_pyproject(project):
    lines = (ROOT / "environment.yml").read_text().splitlines()
    entries = [line.strip()[2:] for line in lines if re.match(r"\s+- [a-z]", line)]
    entries = [entry for entry in entries if entry not in ("conda-forge", "pip", "pip:") and "--editable" not in entry]
    found = dict(_requirement(entry) for entry in entries)
    python = found.pop("python")
    assert python == project["project"]["requires-python"]
    extras = project["project"]["optional-dependencies"]
    expected = [*project["project"]["dependencies"], *extras["fast"], *extras["parquet"]]
    assert found == dict(map(_requirement, expected))


def test_every_dependency_has_a_floor(project):
    extras = [item for group in project["project"]["optional-dependencies"].values() for item in group]
    for item in [*project["project"]["dependencies"], *extras]:
        name, bounds = _requirement(item.split("[")[0] + re.sub(r".*\]", "", item) if "[" in item else item)
        assert ">=" in bounds or name == "copa-nb", f"{item} has no lower bound"


@pytest.mark.slow
def test_make_test_installs_what_tests_import(project):
    declared = _installed_by_make_test(project)
    distributions = packages_distributions()
    missing, needed_at_import = {}, set()
    for path in [path for folder in ("benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")]:
        file = path.relative_to(ROOT).as_posix()
        for name, needed in _imports(path):
            sources = {_normalized(source) for source in distributions.get(name, [name])}
            if name in sys.stdlib_module_names | OURS or sources & declared:
                continue
            missing.setdefault(name, set()).add(file)
            if needed:
                needed_at_import.add((file, name))
    assert missing.keys() == NOT_INSTALLED.keys(), {name: missing.get(name) for name in missing.keys() ^ NOT_INSTALLED}
    assert needed_at_import == {("tests/mutation.py", "cosmic_ray")}


def test_continuous_integration_begins_as_a_newcomer_does():
    program = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make .*", program, re.M)[0] == "make test"
    assert "|| true" not in program


def test_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    import copa_nb

    assert copa_nb.__version__ == version("copa_nb")


def test_the_source_archive_holds_every_tracked_top_level_entry(project):
    included = set(project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    # hatchling always adds these two.
    assert included | {".gitignore", "pyproject.toml"} == TOP_LEVEL


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_issue_forms_have_what_github_requires(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    assert all(part["type"] == "textarea" and part["attributes"]["label"] for part in form["body"])
    names = [part["id"] for part in form["body"]]
    assert len(set(names)) == len(names)
