"""``copa_nb.report(...)``: one report from a notebook or a program."""

from pathlib import Path

import pandas as pd
import pytest

import copa_nb
from copa_nb.analyses.tables import write_frame
from copa_nb.reports import Report, ReportFailedError, read_table
from copa_nb.reports.folder import write_manifest
from copa_nb.reports.outcomes import Failure, Outcome, Progress
from copa_nb.reports.pdf import PdfUnavailableError

FRAME = pd.DataFrame(
    {"acc": [0.1 + 0.2, 0.9, 0.5], "cost": [1, 2, 3], "when": pd.to_datetime(["2026-01-01"] * 3), "n": [1, None, 2]},
    index=pd.Index(["007", "a b", "c"], name="model"),
)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("selekt", {}, "Did you mean 'select'"),
        ("select", {"tabel": "a.csv"}, "Did you mean 'table'"),
        ("board", {"n_resamples": "many"}, "`n_resamples` is 'many'"),
        ("select", {"formats": ("docx",)}, "`format` is 'docx'"),
        ("select", {"folder": "../x"}, "`name` is '../x'"),
        ("select", {"timeout": 0}, "`timeout` is 0"),
        ("yours/select", {"table": FRAME}, "`objectives` is empty"),
        ("yours/select", {"table": FRAME, "objectives": {"when": "max"}}, "'when'"),
        ("yours/select", {"table": FRAME, "objectives": {"acc": "max"}, "p": "foo"}, "`p` is 'foo'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(tmp_path, name, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        copa_nb.report(name, out=tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_a_frame_is_read_back_bit_for_bit(tmp_path):
    frame = FRAME.astype({"n": "Int64"}).assign(
        kind=pd.Categorical(["x", "y", "x"]),
        took=pd.to_timedelta([1, 2, 3], unit="s"),
        there=pd.to_datetime(["2026-01-01"] * 3).tz_localize("Europe/Berlin"),
        tiny=[5e-324, -0.0, float("inf")],
        small=pd.Series([1, 2, 3], dtype="uint8", index=FRAME.index),
    )
    frame = frame.moo.define(acc="max", cost="min")
    for table in (frame, frame.reset_index(), frame.set_index("kind", append=True)):
        again = read_table(write_frame(table, tmp_path))
        pd.testing.assert_frame_equal(again, table, check_exact=True, check_freq=True)
        assert again["tiny"].to_numpy().tobytes() == table["tiny"].to_numpy().tobytes()
        assert again.attrs["moo"] == {"objectives": {"acc": "max", "cost": "min"}}


def test_what_parquet_cannot_store_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match="several columns of the same name"):
        write_frame(pd.DataFrame([[1, 2]], columns=["a", "a "]), tmp_path)
    with pytest.raises(ValueError, match=r"^`table` has column 'odd' that Parquet cannot store .*astype\(str\)"):
        write_frame(FRAME.assign(odd=["1", 2, None]), tmp_path)
    with pytest.raises(ValueError, match=r"^`table` has labels or attributes that Parquet cannot store"):
        write_frame(FRAME.set_axis(["1", 2, None]), tmp_path)


def ran(status, *, title="", failure=None):
    """Stand in for a batch: leaves a report of this status, and shows how far it is."""

    def run_batch(jobs, out, *, n_jobs, force, watch):
        ran.jobs, ran.options = jobs, {"n_jobs": n_jobs, "force": force}
        (job,) = jobs
        folder = Path(out) / job.name
        for name in ("figures/b.png", "figures/a.csv", "tables/t.tex", "report.html", "report.ipynb"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        write_manifest(folder, {"name": job.name, "title": title} if title else {}, {})
        watch(Progress(1, 0, {job.name: 0.25}), None)
        outcome = Outcome(job.name, status, 1.0, failure)
        watch(Progress(1, 1), outcome)
        return [outcome]

    return run_batch


def test_what_is_handed_back_says_where_everything_is(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("model,acc\na,1\nb,2\n", encoding="utf-8")
    monkeypatch.setattr("copa_nb.reports.report.run_batch", ran("done", title="b <wins>"))
    made = copa_nb.report("select", out="out", table="m.csv", objectives={"acc": "max"}, timeout=9, force=True)
    (job,) = ran.jobs
    assert (job.name, job.timeout, job.formats) == ("select/m", 9, ("html",))
    assert (job.parameters["table"], job.parameters["objectives"]) == ("m.csv", {"acc": "max"})
    assert ran.options == {"n_jobs": 1, "force": True}
    folder = Path("out/select/m")
    assert (made.title, made.folder, made.status) == ("b <wins>", folder, "done")
    assert (made.page, made.notebook) == (folder / "report.html", folder / "report.ipynb")
    assert made.figures == (folder / "figures/a.csv", folder / "figures/b.png")
    assert made.tables == (folder / "tables/t.tex",)
    links = '<a href="out/select/m/{}" target="_blank">{}</a>'
    assert made._repr_html_() == (
        "<p><strong>b &lt;wins&gt;</strong> (done)<br>"
        + " · ".join([links.format("report.html", "Report"), links.format("report.ipynb", "Notebook")])
        + "</p>"
    )
    (folder / "report.pdf").touch()
    assert links.format("report.pdf", "PDF") in made._repr_html_()
    bar = capsys.readouterr().err
    assert "Choose a model from your own table" in bar
    assert " 25% [" in bar
    assert "100% [" in bar
    monkeypatch.chdir(tmp_path / "out/select")
    elsewhere = Report("t", tmp_path / "out/select/m", "done")
    assert 'href="m/report.html"' in elsewhere._repr_html_()
    monkeypatch.chdir(tmp_path / "out/select/m/figures")
    assert f'href="{(tmp_path / "out/select/m/report.html").as_uri()}"' in elsewhere._repr_html_()


def test_a_frame_is_kept_beside_its_report(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("copa_nb.reports.report.run_batch", ran("unchanged"))
    made = copa_nb.report("select", out=tmp_path, table=FRAME[["acc"]].moo.define(acc="max"), progress=False)
    (job,) = ran.jobs
    assert made.folder == tmp_path / "select/frame"
    assert (made.title, made.status) == ("Choose a model from your own table", "unchanged")
    assert Path(job.parameters["table"]).is_relative_to(tmp_path / ".copa-nb/tables")
    assert read_table(job.parameters["table"]).index.tolist() == FRAME.index.tolist()
    assert job.parameters["objectives"] == {"acc": "max"}
    assert capsys.readouterr().err == ""
    (tmp_path / "select/frame/manifest.json").unlink()
    with pytest.raises(ValueError, match="contains files that do not belong to this report"):
        copa_nb.report("select", out=tmp_path, table=FRAME, objectives={"acc": "max"})


def test_a_failure_names_the_cell_and_the_partial_notebook(tmp_path, monkeypatch):
    failure = Failure("cell 3 of 9", "ValueError: no")
    monkeypatch.setattr("copa_nb.reports.report.run_batch", ran("failed", failure=failure))
    with pytest.raises(ReportFailedError) as failed:
        copa_nb.report("copa/figure_1", out=tmp_path, progress=False)
    said = f"The report 'copa/figure_1' failed in {failure}."
    assert str(failed.value) == said
    partial = tmp_path / "failed/copa/figure_1.ipynb"
    partial.parent.mkdir(parents=True)
    partial.touch()
    with pytest.raises(ReportFailedError) as failed:
        copa_nb.report("copa/figure_1", out=tmp_path, progress=False)
    assert str(failed.value) == f"{said} The partial notebook is {partial}."


def test_printing_is_checked_before_anything_runs(tmp_path, monkeypatch):
    def lacking():
        raise PdfUnavailableError("nothing to print with")

    monkeypatch.setattr("copa_nb.reports.report.check_pdf", lacking)
    with pytest.raises(PdfUnavailableError, match="nothing to print with"):
        copa_nb.report("copa/figure_1", out=tmp_path, formats=("html", "pdf"))
