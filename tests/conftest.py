import os
from pathlib import Path

import pytest

from copa_nb.datasets import registry
from tests.made_once import made_once
from tests.malicious import make_reports


@pytest.fixture
def public_data():
    """Folder of the real public files; the test is skipped without it."""
    if not os.environ.get(registry.MIRROR_VARIABLE):
        pytest.skip("set COPA_NB_DATA to a folder with the public files to compare the bundled tables with them")
    return Path(os.environ[registry.MIRROR_VARIABLE])


@pytest.fixture(scope="session")
def malicious_reports(tmp_path_factory):
    """Folder of a table made to attack, and of its reports."""

    def make(folder):
        make_reports(folder)
        return folder

    return made_once(tmp_path_factory, "malicious", make)


@pytest.fixture(scope="session")
def own_reports(tmp_path_factory):
    """Folder of the reports on one's own table, made of the tables that stand in for it; figures are examined."""
    from copa_nb.reports.batch import run_batch
    from copa_nb.reports.catalog import catalog
    from copa_nb.reports.jobs import make_job
    from tests.drawing import examined_reports

    def make(folder):
        jobs = [make_job(entry, timeout=600) for entry in catalog() if entry.area == "yours"]
        with examined_reports():
            outcomes = run_batch(jobs, folder)
        assert not [str(outcome.failure) for outcome in outcomes if outcome.failure]
        return folder

    return made_once(tmp_path_factory, "own-reports", make)
