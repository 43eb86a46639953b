"""marimo: an explorer, and the panel."""

import importlib.util
from contextlib import contextmanager

import pytest

from copa_nb import datasets
from tests.browser.lab import LabUnavailableError, free_port, running_server
from tests.browser.steps import (
    raise_weight_by_keyboard,
)

MARIMO = """import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    from copa_nb import datasets
    models = datasets.load_open_llm_leaderboard().head(300)
    return mo, models


@app.cell
def _(mo, models):
    explorer = mo.ui.anywidget(models.moo.explore())
    explorer
    return (explorer,)


@app.cell
def _(explorer, mo):
    explorer.value
    mo.md(f"python: {explorer.widget.best}")
    return


if __name__ == "__main__":
    app.run()
"""


@contextmanager
def _serving(server, page):
    """What a server gives, or a skip where it does not start; the page is closed before the server ends."""
    try:
        given = server.__enter__()
    except LabUnavailableError as error:
        pytest.skip(str(error))
    try:
        yield given
    finally:
        page.context.close()
        server.__exit__(None, None, None)


def _needs(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install 'copa_nb[test]'")


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1300, "height": 1100})
    context.set_default_timeout(300_000)
    opened = context.new_page()
    yield opened
    context.close()


@pytest.mark.slow
def test_marimo(page, tmp_path):
    _needs("marimo")
    (tmp_path / "app.py").write_text(MARIMO)
    port = free_port()
    command = ["marimo", "run", "app.py", "--headless", "--host", "127.0.0.1", "--port", str(port), "--no-token"]
    server = running_server(tmp_path, command, port, "/health")
    with _serving(server, page) as address:
        page.goto(address)
        chosen = raise_weight_by_keyboard(page)
        page.wait_for_selector(f"text=python: {chosen}")


APP_OF_PANEL = """import marimo

app = marimo.App()


@app.cell
def _():
    import copa_nb
    from copa_nb import datasets
    panel = copa_nb.panel(datasets.load_domainbed())
    panel
    return (panel,)


if __name__ == "__main__":
    app.run()
"""


@pytest.mark.slow
def test_marimo_shows_the_answer_and_what_works_there(browser, tmp_path):
    pytest.importorskip("marimo")
    (tmp_path / "app.py").write_text(APP_OF_PANEL)
    port = free_port()
    command = ["marimo", "run", "app.py", "--headless", "--host", "127.0.0.1", "--port", str(port), "--no-token"]
    with running_server(tmp_path, command, port, "/health") as address:
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        page.goto(address)
        page.wait_for_selector("text=marimo does not support ipywidgets")
        best = datasets.load_domainbed().moo.copa().best
        page.wait_for_selector(f"text={best}")
        picture = page.locator("img").first
        picture.wait_for()
        assert picture.bounding_box()["height"] > 100
        assert "not supported in marimo" not in page.inner_text("body")
        page.context.close()
