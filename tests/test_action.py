"""The action for pull requests: its steps run here, with a `gh` that only notes what it is asked."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
TABLE = "model,accuracy\nlarge,0.91\nsmall,0.84\n"
CLAIMS = """\
table: scores.csv
objectives: {accuracy: max}
claims:
  - {id: best, rank: BEST, at_most: 1}
"""
GH = """\
#!/usr/bin/env bash
echo "$*" >> "$RUNNER_TEMP/asked.txt"
if [ -n "${REFUSED:-}" ]; then exit 1; fi
case "$*" in *--paginate*) printf "$EARLIER";; esac
"""

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="the steps are programs of bash"
)


@pytest.fixture
def run(tmp_path):
    """Run a step as the runner does, in a folder with a table, and with a `gh` of its own on the path."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gh").write_text(GH)
    (programs / "copa-nb").write_text(f'#!/usr/bin/env bash\nexec {sys.executable} -m copa_nb_command "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    (tmp_path / "scores.csv").write_text(TABLE)
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output.txt"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_REPOSITORY": "someone/models",
        "NUMBER": "7",
        "EARLIER": "",
    }

    def run(name, **variables):
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        return subprocess.run(
            command, cwd=tmp_path, env=environment | variables, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize(("best", "code", "sign"), [("large", 0, "✅"), ("small", 1, "❌")])
def test_verdicts_go_to_the_summary_and_decide_the_job(run, tmp_path, best, code, sign):
    (tmp_path / "claims.yaml").write_text(CLAIMS.replace("BEST", best))
    checked = run("Check the claims", CLAIMS="claims.yaml\n", UNDECIDED="fail")
    assert checked.returncode == 0, checked.stderr
    assert (tmp_path / "output.txt").read_text() == f"exit-code={code}\n"
    assert f"| {sign} | `best`" in (tmp_path / "summary.md").read_text()
    assert run("The exit code of the check", CODE=str(code)).returncode == code


def test_a_refused_file_says_why_and_comments_nothing(run, tmp_path):
    (tmp_path / "claims.yaml").write_text(CLAIMS.replace("BEST", "absent"))
    checked = run("Check the claims", CLAIMS="claims.yaml", UNDECIDED="fail")
    assert "absent" in checked.stderr
    assert (tmp_path / "output.txt").read_text() == "exit-code=2\n"
    assert run("Comment on the pull request").returncode == 0
    assert not (tmp_path / "asked.txt").exists()


@pytest.mark.parametrize(
    ("earlier", "asked"),
    [
        ("", "--method POST repos/someone/models/issues/7/comments"),
        (r"41\n52\n", "--method PATCH repos/someone/models/issues/comments/41 "),
    ],
)
def test_one_comment_is_written_and_later_replaced(run, tmp_path, earlier, asked):
    (tmp_path / "verdicts.md").write_text("**verdicts**\n")
    run("Comment on the pull request", EARLIER=earlier)
    assert asked in (tmp_path / "asked.txt").read_text().splitlines()[-1]
    assert (tmp_path / "comment.md").read_text() == "<!-- copa-nb check -->\n**verdicts**\n"


def test_a_token_that_may_not_write_only_warns(run, tmp_path):
    (tmp_path / "verdicts.md").write_text("**verdicts**\n")
    commented = run("Comment on the pull request", REFUSED="yes")
    assert commented.returncode == 0
    assert commented.stdout.startswith("::warning::")
