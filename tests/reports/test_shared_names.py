"""Tables of one name from different folders do not share a report."""

from dataclasses import replace

import pytest

from copa_nb.reports.catalog import find
from copa_nb.reports.jobs import make_job
from copa_nb.reports.store import NOTEBOOK, Store, default_folder, write_manifest


@pytest.fixture
def published(tmp_path):
    """Publish the report of a table, whatever is in it, and return its job and the output folder."""
    for name in ("a/models.csv", "b/models.csv", "a/today.csv", "b/today.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("m\n1\n", encoding="utf-8")
    store = Store(tmp_path / "out")
    store.prepare()

    def publish(table, name=""):
        entry = find("select")
        parameters = {"table": table, "maximize": ["m"]}
        job = make_job(entry, parameters, name=name or default_folder(entry, parameters), cwd=tmp_path)
        store.check_places([job])
        staged = store.new_staging_folder(job.name)
        contents = {"name": job.name, "status": "done", "notebook": {"file": f"{entry.name.split('/')[1]}.ipynb"}}
        (staged / NOTEBOOK).write_text("{}", encoding="utf-8")
        write_manifest(staged, contents, {"seconds": 1.0, "table": store.table_of(job)})
        store.publish(job.name)
        return job

    return publish, store


def test_another_table_of_the_same_name_is_refused_with_what_to_do(published):
    publish, store = published
    job = publish("a/models.csv")
    publish("a/models.csv")
    publish("a/../a/models.csv")
    with pytest.raises(
        ValueError, match=r"select/models contains the report of another table, .*a/models\.csv; choose"
    ):
        publish("b/models.csv")
    publish("b/models.csv", "select/other")
    assert store.table_of(job) == "../a/models.csv"


def test_a_name_of_its_own_may_follow_other_tables(published):
    publish, _store = published
    publish("a/today.csv", "latest")
    publish("b/today.csv", "latest")


def test_tables_that_a_program_hands_over_have_no_place(published, tmp_path):
    publish, store = published
    kept = store.keep_table(tmp_path / "a/models.csv")
    job = publish("a/models.csv")
    assert store.table_of(replace(job, parameters={**job.parameters, "table": str(kept)})) == ""
    store.check_places([replace(job, parameters={**job.parameters, "table": str(kept)})])
    assert store.table_of(replace(job, parameters={})) == ""
