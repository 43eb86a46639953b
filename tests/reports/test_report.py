"""``copa_nb.report(...)``: one report from a notebook or a program."""

import pytest

import copa_nb
from copa_nb.reports import Report, ReportFailedError


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
    table.write_text("model,acc\na,1\nb,\n", encoding="utf-8")
    with pytest.raises(ReportFailedError, match=r"cell \d+ of \d+ .*nan_policy.*report\.ipynb"):
        copa_nb.report("select", out=tmp_path / "out", table=table, maximise=["acc"], progress=False)
    assert not capsys.readouterr().err
