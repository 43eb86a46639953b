import os
from pathlib import Path

import pytest

from copa_nb.datasets import registry
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
    folder = tmp_path_factory.mktemp("malicious")
    make_reports(folder)
    return folder
