"""The explorer of a choice in JupyterLab and marimo: a key moves a weight, Python hears of it.

With the panel it is also in Notebook 7 and in Voila; see ``test_panel.py``.
"""

import importlib.util
import json
import urllib.request
from contextlib import contextmanager

import pytest

from copa_nb import datasets
from copa_nb.tables.objectives import resolve_objectives
from tests.browser.lab import LabUnavailableError, free_port, running_server

MODELS = datasets.load_open_llm_leaderboard().head(300)
TITLES = resolve_objectives(MODELS).titles
OPEN = """from copa_nb import datasets
models = datasets.load_open_llm_leaderboard().head(300)
explorer = models.moo.explore()
"""
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
# Before that, a cell that is run in Notebook 7 is lost; the panel is looked at there.
IDLE = """() => {
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}"""


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


def _raise_weight(page, steps=30):
    """Hold the right arrow on the slider of CO2; returns what the page then chooses, which must be copa's choice."""
    page.wait_for_selector(".copa-view[data-settled]", state="attached")
    handle = page.get_by_label("Weight of CO₂ (kg) ↓", exact=True)
    before = page.inner_text(".copa-card-title")
    handle.focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector(".copa-view[data-settled]", state="attached")
    weights = [float(page.get_by_label(f"Weight of {label}", exact=True).input_value()) for label in TITLES]
    assert 0.4 < weights[-1] < 0.46
    typed = [float(page.get_by_label(f"Weight of {label}, typed").input_value()) for label in TITLES]
    chosen = page.inner_text(".copa-card-title")
    assert chosen == MODELS.moo.copa(weights=typed).best != before
    return chosen


def test_jupyterlab(notebook):
    page = notebook.run(OPEN + "explorer")
    chosen = _raise_weight(page)
    assert notebook.execute("print(explorer.best)").strip() == chosen
    # The static twin is hidden for as long as the live view is there.
    twin = page.locator("[class^=copa-nb-static-]")
    assert twin.count() == 1
    assert not twin.is_visible()
    # Python moves, and the page follows; Python closes, and the twin is back.
    notebook.execute("explorer.set_weight('co2_kg', 0.05)")
    expected = notebook.execute("print(explorer.best)").strip()
    page.wait_for_function(
        "name => document.querySelector('.copa-card-title').textContent === name", arg=expected, timeout=120_000
    )
    notebook.wait_for_saved_picture(f"Chosen: {expected}")
    notebook.execute("explorer.close()")
    page.wait_for_selector("[class^=copa-nb-static-]", state="visible")


@pytest.mark.slow
def test_a_saved_notebook_answers_without_its_kernel(notebook, errors_of_pages):
    page = notebook.run(OPEN + "explorer")
    chosen = _raise_weight(page)
    notebook.wait_for_saved_picture(f"Chosen: {chosen}")
    saved = notebook.save()
    assert chosen in "".join(json.loads(saved)["cells"][0]["outputs"][0]["data"]["text/plain"])
    with urllib.request.urlopen(f"{notebook.address}/api/sessions") as answer:
        for session in json.load(answer):
            end = urllib.request.Request(f"{notebook.address}/api/sessions/{session['id']}", method="DELETE")
            urllib.request.urlopen(end)
    page.goto(f"{notebook.address}/lab/tree/{notebook.name}?reset")
    frame = page.frame_locator("[class^=copa-nb-static-] iframe")
    assert frame.locator(".copa-card-title").inner_text() == chosen
    frame.get_by_label("Weight of CO₂ (kg) ↓", exact=True).focus()
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
    frame.locator(".copa-view[data-settled]").wait_for(state="attached")
    assert frame.locator(".copa-card-title").inner_text() != chosen
    assert "model not found" not in page.locator(".jp-Notebook").inner_text()
    # The model has gone with the kernel, which JupyterLab writes to the console alone.
    assert all("widget model not found" in error for error in errors_of_pages)
    errors_of_pages.clear()


@pytest.mark.slow
def test_marimo(page, tmp_path):
    _needs("marimo")
    (tmp_path / "app.py").write_text(MARIMO)
    port = free_port()
    command = ["marimo", "run", "app.py", "--headless", "--host", "127.0.0.1", "--port", str(port), "--no-token"]
    server = running_server(tmp_path, command, port, "/health")
    with _serving(server, page) as address:
        page.goto(address)
        chosen = _raise_weight(page)
        page.wait_for_selector(f"text=python: {chosen}")
