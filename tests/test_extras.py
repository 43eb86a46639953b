"""A missing extra is answered by an error that says how to install it."""

import sys
import tomllib
from pathlib import Path

import pytest

from copa_nb.arrays.parallel import map_tasks
from copa_nb.papers.copa import fairness_sweep
from copa_nb.papers.gap import german_credit_search
from copa_nb.reports import pdf
from tests.fuzz import peers

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.fixture
def without(monkeypatch):
    def block(name):
        for loaded in [module for module in sys.modules if module.split(".")[0] == name]:
            monkeypatch.setitem(sys.modules, loaded, None)
        monkeypatch.setitem(sys.modules, name, None)

    return block


@pytest.mark.parametrize("package", ["fairlearn", "sklearn"])
def test_fairness_sweep(without, package):
    without(package)
    with pytest.raises(ImportError, match=r"pip install .copa_nb\[experiments\]"):
        fairness_sweep.fairness_sweep()


@pytest.mark.parametrize("package", ["joblib", "sklearn"])
def test_german_credit_search(without, package):
    without(package)
    with pytest.raises(ImportError, match=r"pip install .copa_nb\[experiments\]"):
        german_credit_search.german_credit_search()


def test_dask(without, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("copa_nb.dask")]:
        monkeypatch.delitem(sys.modules, name)
    without("dask")
    with pytest.raises(ImportError, match=r"pip install .copa_nb\[dask\]"):
        import copa_nb.dask  # noqa: F401


def test_polars(without, monkeypatch):
    monkeypatch.delitem(sys.modules, "copa_nb.polars", raising=False)
    without("polars")
    with pytest.raises(ImportError, match=r"pip install .copa_nb\[polars\]"):
        import copa_nb.polars  # noqa: F401


def test_a_scheduler(without):
    without("dask")
    with pytest.raises(ImportError, match=r"pip install .copa_nb\[dask\]"):
        map_tasks(abs, [1, 2], scheduler="threads")


@pytest.mark.parametrize("package", ["paretoset", "pymoo"])
def test_libraries_to_compare_with(without, package, monkeypatch):
    without(package)
    monkeypatch.setattr(sys, "argv", ["peers.py"])
    with pytest.raises(SystemExit, match=rf"{package}.* missing: pip install .copa_nb\[bench\]"):
        peers.main()


def test_pdf(without):
    without("weasyprint")
    for call in (pdf.check_pdf, lambda: pdf.to_pdf("<p>x")):
        with pytest.raises(pdf.PdfUnavailableError, match=r"pip install .copa_nb\[pdf\]"):
            call()


def test_extras_that_errors_name_exist():
    assert {"pdf", "experiments", "dask", "excel", "polars", "bench", "test", "docs", "all"} <= set(EXTRAS)


def test_binder_installs_this_repository():
    yaml = pytest.importorskip("yaml")
    packages = yaml.safe_load((ROOT / "binder" / "environment.yml").read_text())["dependencies"]
    inside = next(item["pip"] for item in packages if isinstance(item, dict))
    assert inside == ["--editable ..[all]"]
    assert any(str(item).startswith("python=3.") for item in packages)
    assert (ROOT / "binder" / ".." / "pyproject.toml").is_file()
