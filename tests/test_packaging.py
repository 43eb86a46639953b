"""What is declared twice must agree: pyproject.toml and environment.yml, and what the wheel carries."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.test_tracked_files import TOP_LEVEL

ROOT = Path(__file__).parents[1]
# Where conda-forge's name differs from the package index's.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "nbconvert": "nbconvert-core", "seaborn": "seaborn-base"}


def _requirement(text: str) -> tuple[str, str]:
    name, bounds = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*(.*)", text.strip()).groups()
    name = re.sub(r"[-_.]+", "-", name).lower()
    return CONDA_NAMES.get(name, name), bounds.replace(" ", "")


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
    assert found == dict(_requirement(item) for item in project["project"]["dependencies"])


def test_every_dependency_has_a_floor(project):
    extras = [item for group in project["project"]["optional-dependencies"].values() for item in group]
    for item in [*project["project"]["dependencies"], *extras]:
        name, bounds = _requirement(item.split("[")[0] + re.sub(r".*\]", "", item) if "[" in item else item)
        assert ">=" in bounds or name == "copa-nb", f"{item} has no lower bound"


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
