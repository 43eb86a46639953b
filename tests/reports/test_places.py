"""A report takes only a place that is empty or its own, and tables of one name do not share one."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from copa_nb.reports.catalog import find
from copa_nb.reports.folder import NOTEBOOK, prepare, write, write_manifest
from copa_nb.reports.inputs import file_hash
from copa_nb.reports.jobs import Job, make_job
from copa_nb.reports.places import checked_folder, default_folder, keep_table, refuse_foreign, table_of


@pytest.fixture
def job(tmp_path, notebook):
    path = notebook(tmp_path / "a.ipynb", "x = 1")
    return Job("copa/a", str(path), {"p": "2"}, cwd=str(tmp_path))


@pytest.fixture
def out(tmp_path):
    prepare(tmp_path / "out")
    return tmp_path / "out"


def place(out, name, *, file="a.ipynb", table=""):
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NOTEBOOK).write_text("{}", encoding="utf-8")
    write_manifest(folder, {"name": name, "notebook": {"file": file}}, {"seconds": 1.0, "table": table})
    return folder


def test_a_place_is_taken_only_if_it_is_empty_or_its_own(out, job):
    table = job.cwd + "/m.csv"
    Path(table).write_text("a", encoding="utf-8")

    def refused(name, **changes):
        with pytest.raises(ValueError, match=r"choose|rename") as caught:
            refuse_foreign([replace(job, name=name, **changes)], out)
        return str(caught.value)

    refuse_foreign([job], out)
    (out / "a/empty").mkdir(parents=True)
    refuse_foreign([replace(job, name="a/empty")], out)
    (out / "data").mkdir()
    (out / "data/models.csv").write_text("mine", encoding="utf-8")
    assert "contains files that do not belong to this report" in refused("data")
    assert "is a file" in refused("data/models.csv/x")
    assert "a file or a link" in refused("data/models.csv")
    place(out, "a/b")
    refuse_foreign([replace(job, name="a/b")], out)
    (out / "a/b/mine.txt").write_text("mine", encoding="utf-8")
    refuse_foreign([replace(job, name="a/b")], out)
    assert "contains other reports" in refused("a")
    assert "inside the folder of the report" in refused("a/b/c")
    assert "another report, made from a.ipynb" in refused("a/b", notebook=job.notebook.replace("a.ipynb", "c.ipynb"))
    (out / "a/b/own.csv").write_text("a", encoding="utf-8")
    assert "which the report would replace" in refused("a/b", parameters={"table": str(out / "a/b/own.csv")})
    with pytest.raises(ValueError, match="inside that of 'x/y'"):
        refuse_foreign([replace(job, name="x/y"), replace(job, name="x/y/z")], out)
    with pytest.raises(ValueError, match="is itself a report"):
        refuse_foreign([job], out / "a/b")
    shutil.copytree(out / "a/b", out / "a/copy")
    assert "do not belong to this report" in refused("a/copy")


@pytest.mark.parametrize("name", ["index.html", "Ledger.csv", "ledger.html/x"])
def test_names_of_the_folders_own_pages_are_reserved(name):
    with pytest.raises(ValueError, match="is the overview of all reports"):
        checked_folder(name)


def test_the_folder_of_failed_notebooks_is_reserved():
    with pytest.raises(ValueError, match=r"`name` is 'failed/x', but failed is the folder of failed notebooks"):
        checked_folder("failed/x")


def test_a_page_about_all_reports_is_replaced_only_as_it_was_written(out, job):
    write(out, "index.html", "ours")
    write(out, "index.html", "ours again")
    refuse_foreign([job], out)
    (out / "index.html").write_text("<p>a site of my own", encoding="utf-8")
    with pytest.raises(ValueError, match="was not written by copa-nb or was edited"):
        refuse_foreign([job], out)
    shutil.rmtree(out / ".copa-nb")
    with pytest.raises(ValueError, match="was not written by copa-nb or was edited"):
        refuse_foreign([job], out)


@pytest.fixture
def published(tmp_path, out):
    """Publish the report of a table, whatever is in it, and return its job."""
    for name in ("a/models.csv", "b/models.csv", "a/today.csv", "b/today.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("m\n1\n", encoding="utf-8")

    def publish(table, name=""):
        entry = find("select")
        parameters = {"table": table, "objectives": {"m": "max"}}
        job = make_job(entry, parameters, name=name or default_folder(entry, parameters), cwd=tmp_path)
        refuse_foreign([job], out)
        place(out, job.name, file=f"{entry.name.split('/')[1]}.ipynb", table=table_of(job, out))
        return job

    return publish


def test_another_table_of_the_same_name_is_refused_with_what_to_do(published, out):
    job = published("a/models.csv")
    published("a/models.csv")
    published("a/../a/models.csv")
    with pytest.raises(
        ValueError, match=r"select/models contains the report of another table, .*a/models\.csv; choose"
    ):
        published("b/models.csv")
    published("b/models.csv", "select/other")
    assert table_of(job, out) == "../a/models.csv"


def test_a_name_of_its_own_may_follow_other_tables(published):
    published("a/today.csv", "latest")
    published("b/today.csv", "latest")


def test_tables_that_a_program_hands_over_have_no_place(published, tmp_path, out):
    kept = keep_table(tmp_path / "a/models.csv", out)
    job = published("a/models.csv")
    handed_over = replace(job, parameters={**job.parameters, "table": str(kept)})
    assert table_of(handed_over, out) == ""
    refuse_foreign([handed_over], out)
    assert table_of(replace(job, parameters={}), out) == ""


def test_a_table_is_kept_once_under_its_content(out, tmp_path):
    table = tmp_path / "m.csv"
    table.write_text("a", encoding="utf-8")
    kept = keep_table(table, out)
    assert kept.read_text(encoding="utf-8") == "a"
    assert kept.parent.parent == out / ".copa-nb/tables"
    assert kept.parent.name == file_hash(table)[:16]
    before = kept.stat().st_ino
    assert keep_table(table, out) == kept
    assert kept.stat().st_ino == before, "not written again"
    table.write_text("b", encoding="utf-8")
    assert keep_table(table, out) != kept
    assert [path.name for path in kept.parent.iterdir()] == ["m.csv"]
