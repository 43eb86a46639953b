"""JupyterLab and a browser for the tests; they are skipped, with a reason, where either is missing."""

import pytest

from tests.browser.lab import LabUnavailableError, missing, open_notebook, running_browser, running_lab
from tests.browser.watched import WatchedBrowser


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """One JupyterLab for all tests."""
    if reason := missing():
        pytest.skip(reason)
    with _skipping(running_lab(tmp_path_factory.mktemp("lab"))) as running:
        yield running


@pytest.fixture(scope="session")
def errors_of_pages():
    """Errors of all pages since the last test; a test that expects some takes them out."""
    return []


@pytest.fixture(scope="session")
def browser(errors_of_pages):
    """One Chromium for all tests, whose pages report what goes wrong in them."""
    if reason := missing():
        pytest.skip(reason)
    from playwright.sync_api import expect

    # How long a page takes depends on what else the machine does.
    expect.set_options(timeout=60_000)
    with _skipping(running_browser()) as running:
        yield WatchedBrowser(running, errors_of_pages)


@pytest.fixture(autouse=True)
def _nothing_goes_wrong_in_any_page(errors_of_pages):
    """Fail a test in whose pages a script fails, the console shows an error, or a widget or cell an error box."""
    yield
    errors = "\n\n".join(errors_of_pages)
    errors_of_pages.clear()
    assert not errors, errors


@pytest.fixture
def notebook(lab, browser, request):
    """A notebook in a page of its own, without a network."""
    with open_notebook(lab, browser, request.node.name.replace("[", "-").replace("]", "")) as opened:
        yield opened
        assert opened.elsewhere == []


class _skipping:
    """Turn "does not run here" into a skip, at the start only."""

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        try:
            return self.context.__enter__()
        except LabUnavailableError as error:
            pytest.skip(str(error))

    def __exit__(self, *error):
        return self.context.__exit__(*error)
