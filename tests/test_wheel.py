"""What a user gets: the wheel alone, built, installed outside the repository and put to work, without a network."""

import importlib.util
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITHOUT = [name for name in ("build", "hatchling") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(WITHOUT), reason=f"needs {' and '.join(WITHOUT)}: pip install 'copa_nb[test]'"),
]
JUNK = ("__pycache__", ".part", ".ipynb_checkpoints", ".pyc", "_build/", "_generated/")


def _run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


class Installed:
    """The wheel in a folder of its own, run from another one; other packages are those of the running Python."""

    def __init__(self, wheel, folder):
        self.folder, self.site = folder, folder / "site"
        _run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", self.site, wheel)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("COPA_NB")} | {
            "PYTHONPATH": str(self.site),
            "JUPYTER_PATH": str(self.site / "share" / "jupyter"),
            "COPA_NB_OFFLINE": "1",
            "COPA_NB_CACHE": str(folder / "cache"),
        }
        self.script = next(path for path in self.site.rglob("copa-nb*") if path.parent.name in ("bin", "Scripts"))

    def python(self, *arguments):
        return _run(sys.executable, *arguments, cwd=self.folder, env=self.environment)

    def command(self, *arguments):
        return _run(self.script, *arguments, cwd=self.folder, env=self.environment)


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    made = Installed(built[0], tmp_path_factory.mktemp("elsewhere"))
    where = made.python("-c", "import copa_nb; print(copa_nb.__file__)").strip()
    assert Path(where).is_relative_to(made.site), "the repository was imported instead of the wheel"
    return made


def test_archives_hold_everything_and_nothing_else(built):
    wheel, sdist = built
    packed = zipfile.ZipFile(wheel).namelist()
    for kind in ("notebooks", "templates"):
        committed = [path for path in (ROOT / kind).rglob("*") if path.suffix in (".ipynb", ".j2", ".css", ".json")]
        assert {f"copa_nb/{path.relative_to(ROOT).as_posix()}" for path in committed} <= set(packed)
    assert {"copa_nb/py.typed", "copa_nb/styles/paper.mplstyle", "copa_nb/explorers/view/main.js"} <= set(packed)
    with tarfile.open(sdist) as archive:
        source = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    beside = {
        "README.md",
        "LICENSE",
        "Makefile",
        "conftest.py",
        "environment.yml",
        "binder/environment.yml",
        "SECURITY.md",
    }
    tests = [path for path in (ROOT / "tests").rglob("*") if path.suffix in (".py", ".png", ".json", ".csv")]
    assert beside | {path.relative_to(ROOT).as_posix() for path in tests} <= set(source)
    for name in packed + source:
        assert not any(mark in name for mark in JUNK), name


def test_the_command_lists_and_runs_reports(installed):
    assert "copa/figure_2" in installed.command("run", "--list")
    installed.command("run", "copa/figure_2", "--out", "reports")
    report = installed.folder / "reports" / "copa" / "figure_2"
    assert json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    assert (report / "report.html").is_file()
    assert (installed.folder / "reports" / "index.html").is_file()


def test_nbconvert_finds_the_template(installed):
    executed = next((installed.folder / "reports").rglob("report.ipynb"), None)
    if executed is None:
        installed.command("run", "copa/figure_2", "--out", "reports")
        executed = next((installed.folder / "reports").rglob("report.ipynb"))
    installed.python(
        "-m", "nbconvert", "--to", "html", "--template", "copa_report", "--output-dir", ".", "--output", "own", executed
    )
    page = (installed.folder / "own.html").read_text(encoding="utf-8")
    assert 'content="copa_nb"' in page
    # Our own names the points of figures; none comes from elsewhere.
    assert "<script src" not in page


def test_a_table_of_ones_own_is_reported(installed):
    (installed.folder / "own.csv").write_text("model,acc,cost\na,0.9,3\nb,0.8,1\nc,0.7,2\n")
    installed.command("select", "own.csv", "--max", "acc", "--min", "cost", "--out", "own")
    assert next((installed.folder / "own").rglob("report.html"))


def test_style_and_bundled_tables_load(installed):
    program = """
import matplotlib.pyplot as plt
plt.style.use("copa_nb.styles.paper")
from copa_nb.datasets import bundle
names = sorted(bundle._files())
assert len(names) > 10
for name in names:
    assert len(bundle.load_bundled(name)), name
"""
    installed.python("-W", "error", "-c", program)
