"""Property tests run hundreds of small graphs; a scheduler would only add noise."""

import pytest


@pytest.fixture(autouse=True)
def _in_this_thread():
    import dask

    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield
