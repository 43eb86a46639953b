"""The tracked files: no unknown entry at the top level, and binary files only where they belong."""

import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {
    ".ci", ".editorconfig", ".github", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff",
    "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "action.yml",
    "benchmarks", "binder", "conftest.py", "copa_nb", "copa_nb_command.py", "copa_nb_pytest.py", "docs",
    "environment.yml", "notebooks", "pyproject.toml", "templates", "tests",
}  # fmt: skip
BINARY = ("copa_nb/datasets/tables/*.csv.gz", "docs/images/*.png", "tests/plots/baseline/*.png")


def unknown_entries(names):
    """Top-level files and folders that are not expected."""
    return {name.split("/")[0] for name in names} - TOP_LEVEL


def misplaced_binaries(names, root):
    """Files that are not text and lie outside the places for them."""
    return [name for name in names if not any(fnmatch(name, place) for place in BINARY) and not _is_text(root / name)]


def _is_text(path):
    content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def _git(*arguments):
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"only a git checkout knows which files are tracked: {error}")


@pytest.fixture(scope="module")
def tracked():
    if Path(_git("rev-parse", "--show-toplevel").strip()) != ROOT:
        pytest.skip("these files were unpacked into the checkout of another project, which does not track them")
    names = _git("ls-files", "-z").split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def test_every_top_level_entry_is_known(tracked):
    assert unknown_entries(tracked) == set()
    assert "copa_nb" in {name.split("/")[0] for name in tracked}


def test_binary_files_are_where_they_belong(tracked):
    assert misplaced_binaries(tracked, ROOT) == []


@pytest.mark.parametrize("name", ["--help/choice, bump.png", "tests/snapshot/numbers.json.gz", "copa_nb/model.bin"])
def test_what_does_not_belong_is_found(name, tmp_path):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x1f\x8b\0")
    assert misplaced_binaries([name], tmp_path) == [name]
    path.write_text("Text is fine: ü.", encoding="utf-8")
    assert misplaced_binaries([name], tmp_path) == []
    assert unknown_entries([name, "tests/a.py"]) == ({"--help"} if name.startswith("--help") else set())
