"""marimo: Python hears of moves of the explorer, and the panel shows its answer and says what works there."""

import pytest

from copa_nb import datasets
from tests.browser.lab import free_port, running_server
from tests.browser.steps import raise_weight

APP = """import marimo

app = marimo.App()


@app.cell
def _():
    import copa_nb
    import marimo as mo
    from copa_nb import datasets
    models = datasets.load_open_llm_leaderboard().head(300)
    return copa_nb, datasets, mo, models


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


@app.cell
def _(copa_nb, datasets):
    copa_nb.panel(datasets.load_domainbed())
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.mark.slow
def test_marimo(browser, tmp_path):
    pytest.importorskip("marimo")
    (tmp_path / "app.py").write_text(APP)
    port = free_port()
    command = ["marimo", "run", "app.py", "--headless", "--host", "127.0.0.1", "--port", str(port), "--no-token"]
    with running_server(tmp_path, command, port, "/health") as address:
        page = browser.new_page(viewport={"width": 1300, "height": 1100})
        page.goto(address)
        chosen = raise_weight(page)
        page.get_by_text(f"python: {chosen}").wait_for()
        the_panel_shows_its_answer_and_says_what_works(page)
        page.context.close()


def the_panel_shows_its_answer_and_says_what_works(page):
    page.get_by_text("marimo does not support ipywidgets").wait_for()
    page.get_by_text(datasets.load_domainbed().moo.copa().best).first.wait_for()
    picture = page.locator("img").first
    picture.wait_for()
    assert picture.bounding_box()["height"] > 100
    assert "not supported in marimo" not in page.inner_text("body")
