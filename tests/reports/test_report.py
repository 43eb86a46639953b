"""``copa_nb.report(...)``: one report from a notebook or a program."""

import pandas as pd
import pytest

import copa_nb
from copa_nb.reports import Report, ReportFailedError, read_table
from copa_nb.reports.own_tables import write_frame


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("selekt", {}, "Did you mean 'select'"),
        ("select", {"tabel": "a.csv"}, "Did you mean 'table'"),
        ("select", {"resamples": "many"}, "`resamples` is 'many'"),
        ("select", {"formats": ("docx",)}, "`format` is 'docx'"),
        ("select", {"folder": "../x"}, "`name` is '../x'"),
        ("select", {"timeout": 0}, "`timeout` is 0"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(tmp_path, name, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        copa_nb.report(name, out=tmp_path, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_report_says_where_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("model,acc,cost\na,1,2\nb,2,3\nc,3,9\n", encoding="utf-8")
    made = copa_nb.report("select", out="out", table="m.csv", maximise=["acc"], minimise=["cost"], resamples=20)
    assert isinstance(made, Report)
    assert made.status == "done"
    assert made.page.is_file()
    assert made.notebook.is_file()
    assert {path.suffix for path in made.figures} == {".png", ".svg", ".pdf", ".csv"}
    assert {path.suffix for path in made.tables} == {".csv", ".tex"}
    assert 'href="out/select/m/report.html"' in made._repr_html_()
    assert "100 %" in capsys.readouterr().err, "progress is shown"
    assert (tmp_path / "out/index.html").is_file()


@pytest.mark.slow
def test_a_failed_report_raises_with_the_cell_and_the_half_run_notebook(tmp_path, capsys):
    table = tmp_path / "m.csv"
    table.write_text("model,acc\na,1\nb,2\n", encoding="utf-8")
    options = {"out": tmp_path / "out", "table": table, "maximise": ["acc"], "progress": False}
    with pytest.raises(ReportFailedError, match=r"time limit.*report\.ipynb"):
        copa_nb.report("select", timeout=0.5, **options)
    assert not capsys.readouterr().err
    table.write_text("model,acc\na,1\nb,\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"acc.*nan_policy"):
        copa_nb.report("select", **options)


FRAME = pd.DataFrame(
    {"acc": [0.1 + 0.2, 0.9, 0.5], "cost": [1, 2, 3], "when": pd.to_datetime(["2026-01-01"] * 3), "n": [1, None, 2]},
    index=pd.Index(["007", "a b", "c"], name="model"),
)


def test_a_frame_keeps_every_digit_and_its_labels(tmp_path):
    file = write_frame(FRAME.astype({"n": "Int64"}), tmp_path)
    table = read_table(file, index="model")
    assert table.index.tolist() == ["007", "a b", "c"]
    assert table["acc"].tolist() == FRAME["acc"].tolist()
    assert table["n"].isna().tolist() == [False, True, False]
    write_frame(FRAME.reset_index(drop=True), tmp_path)
    assert read_table(file, index="").index.tolist() == ["row 1", "row 2", "row 3"]
    with pytest.raises(ValueError, match="several columns of one name"):
        write_frame(pd.DataFrame([[1, 2]], columns=["a", "a "]), tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [({}, "both empty"), ({"maximise": ["when"]}, "'when'"), ({"maximise": ["acc"], "p": "foo"}, "`p` is 'foo'")],
)
def test_a_frame_is_checked_before_anything_is_written(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        copa_nb.report("yours/select", out=tmp_path / "out", table=FRAME, **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_frame_becomes_a_report(tmp_path):
    defined = FRAME.moo.define(acc="max", cost="min")
    made = copa_nb.report("select", out=tmp_path / "out", table=defined, resamples=20, progress=False)
    assert str(defined.moo.copa().best) in made.title, "the answer is the title"
    assert made.folder == tmp_path / "out/select/frame"
    again = copa_nb.report("select", out=tmp_path / "out", table=defined, resamples=20, progress=False)
    assert again.status == "unchanged"
