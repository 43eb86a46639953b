"""A browser whose pages may raise no error; tests are skipped, with a reason, where it is missing."""

import pytest

from tests.browser.lab import missing, running_browser
from tests.browser.watched import MOST_SECONDS, WatchedBrowser


@pytest.fixture(scope="session")
def _chromium():
    """One Chromium for all tests."""
    if reason := missing():
        pytest.skip(reason)
    from playwright.sync_api import expect

    expect.set_options(timeout=1000 * MOST_SECONDS)
    with running_browser() as running:
        yield running


@pytest.fixture(autouse=True)
def browser(_chromium):
    """Fail a test in whose pages a script fails, the console shows an error, or a widget or cell an error box."""
    watched = WatchedBrowser(_chromium)
    yield watched
    watched.close_pages()
    assert not watched.errors, "\n\n".join(watched.errors)
