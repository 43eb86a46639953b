"""A missing extra is answered by an error that says how to install it."""

import importlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.analyses.tables import write_frame
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


@pytest.mark.parametrize(
    ("package", "extra", "needs_it"),
    [
        ("fairlearn", "experiments", fairness_sweep.fairness_sweep),
        ("sklearn", "experiments", fairness_sweep.fairness_sweep),
        ("joblib", "experiments", german_credit_search.german_credit_search),
        ("sklearn", "experiments", german_credit_search.german_credit_search),
        ("dask", "dask", lambda: importlib.import_module("copa_nb.dask")),
        ("dask", "dask", lambda: map_tasks(abs, [1, 2], scheduler="threads")),
        ("polars", "polars", lambda: importlib.import_module("copa_nb.polars")),
    ],
)
def test_a_missing_package_is_named_by_its_extra(without, monkeypatch, package, extra, needs_it):
    for name in [name for name in sys.modules if name.startswith(f"copa_nb.{extra}")]:
        monkeypatch.delitem(sys.modules, name)
    without(package)
    with pytest.raises(ImportError, match=rf"pip install .copa_nb\[{extra}\]"):
        needs_it()


def test_parquet_and_arrow(without, monkeypatch, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    frame = pd.DataFrame({"accuracy": [0.9, 0.8], "co2": [2.0, 1.0]}, index=["a", "b"])
    frame.to_parquet(tmp_path / "models.parquet")
    scanned = copa_nb.scan([frame], accuracy="max", co2="min").moo.copa()
    relation = duckdb.sql("select 0.5 as accuracy, 1.0 as co2")
    without("pyarrow")
    for call in (
        lambda: copa_nb.read(tmp_path / "models.parquet"),
        lambda: copa_nb.scan(tmp_path / "models.parquet"),
        lambda: copa_nb.scan(relation),
        lambda: copa_nb.moo(relation, accuracy="max").front(),
        lambda: write_frame(frame.assign(when=pd.Timestamp(0)), tmp_path),
        lambda: scanned.to_parquet(tmp_path / "scores.parquet"),
    ):
        with pytest.raises((ImportError, ValueError), match=r"needs pyarrow, .*pip install .copa_nb\[parquet\]"):
            call()


def test_a_frame_of_numbers_and_text_reaches_a_report_without_parquet(without, tmp_path):
    frame = pd.DataFrame({
        "model": ["a", "ß", None], "accuracy": [0.1 + 0.2, np.nan, 1e-300], "n": [2**53 + 1, 2, 3],
        "open": [True, False, True],
    })  # fmt: skip
    without("pyarrow")
    written = write_frame(frame.set_index("model"), tmp_path)
    assert written.name == "frame.json"
    rows = pd.DataFrame(json.loads(written.read_text(encoding="utf-8")))
    pd.testing.assert_frame_equal(rows, frame, check_exact=True, check_dtype=False)


def test_what_is_asked_first_needs_no_extra(tmp_path):
    """Reading CSV, a front, a choice, a claim and the command, in a process that cannot import what extras bring."""
    (tmp_path / "models.csv").write_text("model,accuracy,co2\na,0.9,2\nb,0.8,1\nc,0.7,3\n")
    program = """
import sys
sys.modules.update(dict.fromkeys(["pyarrow", "numba", "highspy", "polars", "dask", "openpyxl", "weasyprint"]))
import copa_nb
frame = copa_nb.read("models.csv", accuracy="max", co2="min")
print(len(frame.moo.front()), frame.moo.copa(weights={"accuracy": 0.75}).best)
number = {"of": "b", "column": "co2"}
checked = copa_nb.check({"claims": [{"number": number, "equals": 1}]}, frame)
print(checked.table["verdict"].tolist())
from copa_nb.cli import main
main(["select", "models.csv", "--max", "accuracy", "--min", "co2", "--quick"], standalone_mode=False)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    assert printed[:2] == ["2 a", "['holds']"]
    assert "b" in printed[2]


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
    assert {"pdf", "experiments", "dask", "excel", "fast", "parquet", "polars", "bench", "test", "docs", "all"} <= set(
        EXTRAS
    )


def test_binder_installs_this_repository():
    yaml = pytest.importorskip("yaml")
    packages = yaml.safe_load((ROOT / "binder" / "environment.yml").read_text())["dependencies"]
    inside = next(item["pip"] for item in packages if isinstance(item, dict))
    assert inside == ["--editable ..[all]"]
    assert any(str(item).startswith("python=3.") for item in packages)
    assert (ROOT / "binder" / ".." / "pyproject.toml").is_file()
