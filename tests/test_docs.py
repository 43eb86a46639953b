"""The site builds without a warning, every code cell on it runs, and nothing typed on it goes unrun."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [path for path in DOCS.rglob("*.md") if not {"_build", "_generated", "joss"} & set(path.parts)]
NEEDED = ("furo", "latex2mathml", "myst_nb", "numpydoc", "optuna", "sklearn", "sphinx_copybutton", "sphinx_design")
# Lines to type before there is a package, or in a clone, which tests of their own run.
SHOWN_ONLY = re.compile(r"\$ (pip|conda|make|python (-m )?tests|jupyter nbconvert|copa-nb)")


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed; make .venv/.installed-docs gets what the site needs")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "start.html").read_text(encoding="utf-8")
    assert page.count("cell_output") >= 9
    assert "<math" in (tmp_path / "papers" / "copa.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_code_is_in_cells_that_run(path):
    """Python stands in executed cells; only what makes no output by itself is shown as typed."""
    text = path.read_text(encoding="utf-8")
    # Starting Ray takes longer than all the rest of the site; tests/sources runs these two lines.
    typed = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "from_ray" not in block]
    assert not typed
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for line in block.splitlines():
            assert not line.startswith("$") or SHOWN_ONLY.match(line), line
