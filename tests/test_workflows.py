"""What runs on pull requests: commands of the Makefile, the Python versions of the metadata, and pinned actions."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")


JOBS = {
    f"{path.stem}-{name}": job
    for path in WORKFLOWS
    for name, job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items()
}


def _targets():
    """What `make` is asked for in continuous integration, without its variables."""
    for job in JOBS.values():
        for step in job["steps"]:
            for arguments in re.findall(r"^make (.*)$", step.get("run", ""), re.MULTILINE):
                yield from (word for word in arguments.split() if "=" not in word)


def _rules():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return {name for names in re.findall(r"^([\w./% -]+):(?!=)", text, re.MULTILINE) for name in names.split()}


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_actions_are_pinned_by_their_commit(job):
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


def test_commands_are_those_of_the_makefile():
    patterns = [re.compile(re.escape(rule).replace("%", r"[\w-]+")) for rule in _rules()]
    asked = set(_targets())
    assert {"test", "test-all", "lint", "lowest", "nightly", "docs", "wheel"} <= asked
    assert {target for target in asked if not any(rule.fullmatch(target) for rule in patterns)} == set()


def test_tests_run_on_the_versions_of_python_that_the_metadata_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    tests = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    assert tests["jobs"]["fast"]["strategy"]["matrix"]["python-version"] == named
