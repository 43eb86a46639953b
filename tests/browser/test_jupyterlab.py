"""JupyterLab: explorers, the panel, questions, labels, and what is saved."""

import json
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from copa_nb import datasets
from copa_nb.selection.arrays.weight_constraints import criterion_keys
from tests.browser.steps import AWKWARD, OPEN_EXPLORER, choose, click, first_sentence, raise_weight_by_keyboard


def test_jupyterlab(notebook):
    page = notebook.run(OPEN_EXPLORER + "explorer")
    chosen = raise_weight_by_keyboard(page)
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
    page = notebook.run(OPEN_EXPLORER + "explorer")
    chosen = raise_weight_by_keyboard(page)
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


# As a person drops a file on the zone.
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  for (const kind of ['dragover', 'drop']) {
    document.querySelector('.copa-drop').dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true }));
  }
}"""
UNNAMED = """() => [...document.querySelectorAll('.copa-control-panel :is(input, select, textarea, button)')]
  .filter(e => e.checkVisibility({checkVisibilityCSS: true}))
  .filter(e => !(e.labels?.length && e.labels[0].innerText.trim()) && !e.ariaLabel && !e.title
               && !e.innerText.trim() && !e.closest('[aria-hidden=true]'))
  .map(e => e.outerHTML.slice(0, 150))"""


@pytest.mark.slow
def test_the_panel_in_jupyterlab(notebook):
    page = notebook.run("import copa_nb\npanel = copa_nb.panel()\npanel")
    page.locator(".copa-drop").wait_for()
    page.evaluate(DROP, ["models.csv", AWKWARD])
    click(page, "accuracy (%) ↑, price ↓, ms ↓")
    click(page, "Count a missing value as the worst")
    page.wait_for_selector(".copa-view[data-settled]", state="attached")
    assert first_sentence(page) == notebook.execute("print(panel.sentences[0])").strip()
    assert page.evaluate(UNNAMED) == []
    # A pin while the kernel answers, and an objective less at once: the explorer that goes says no more.
    page.locator(".copa-pin-button").first.click()
    choose(page, "ms", "–")
    expect(page.locator(".copa-weight")).to_have_count(2)
    assert notebook.execute("print(panel.sentences[0])").strip() == first_sentence(page)
    # What is saved for readers without a kernel is hidden for as long as the panel is there.
    twin = page.locator("[class^=copa-nb-static-]")
    assert twin.count() == 1
    assert not twin.is_visible()
    notebook.execute("panel.close()")
    page.wait_for_selector("[class^=copa-nb-static-]", state="visible")


def _revision(page):
    return int(page.get_attribute(".copa-view", "data-revision"))


def _wait_for_kernel(page, before):
    page.wait_for_function(
        """before => { const view = document.querySelector(".copa-view");
          return Number(view.dataset.revision) > before + 1 && view.hasAttribute("data-settled"); }""",
        arg=before, timeout=300_000,
    )  # fmt: skip


@pytest.mark.slow
def test_answering_questions_leads_to_the_model_of_those_weights(notebook):
    models = datasets.load_open_llm_leaderboard().head(150)
    page = notebook.run(
        "from copa_nb import datasets\nmodels = datasets.load_open_llm_leaderboard().head(150)\n"
        "explorer = models.moo.copa().elicit(confidence_level=0.9)\nexplorer"
    )
    page.wait_for_selector(".copa-view[data-revision]", state="attached")
    weights = np.array([0.3, 0.05, 0.05, 0.05, 0.05, 0.1, 0.4])
    ranks = models.moo.normalize()
    asked = []
    for _ in range(40):
        if page.locator(".copa-card-heading", has_text="Settled").count():
            break
        pair = page.locator(".copa-card-title").all_inner_texts()[:2]
        first, second = criterion_keys(ranks.loc[pair].to_numpy(), weights[None], np.inf)[0]
        before = _revision(page)
        page.get_by_role("button", name="A is better" if first < second else "B is better").click()
        asked.append(pair)
        _wait_for_kernel(page, before)
    assert page.locator(".copa-card-heading", has_text="Settled").count() == 1
    assert len(asked) >= 3
    assert page.locator(".copa-card-title").first.inner_text() == models.moo.copa(weights=list(weights)).best


BOOK = Path(__file__).parents[2] / "notebooks" / "explore" / "gap.ipynb"
DOLLARS = r"""
import pandas as pd, copa_nb
frame = pd.DataFrame(
    {"cost ($/1M in)": [1.0, 2.0, 3.0], "cost ($/1M out) 5%": [3.0, 2.0, 1.5], r"size \(B\) $x$": [1.0, 3.0, 2.0]},
    index=["model $a$", r"\(b\)", r"\begin{equation}c\end{equation}"],
)
names = dict.fromkeys(frame, "min")
"""


@pytest.mark.slow
def test_a_notebook_is_live_after_running_all_and_its_labels_stay_as_they_are(notebook):
    """The others run with papermill, and a page of each explorer in `test_exported_page.py`."""
    cells = [cell for cell in json.loads(BOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    page = notebook.run(*("".join(cell["source"]) for cell in cells), DOLLARS + "frame.moo(names).explore()")
    page.wait_for_function("() => document.querySelectorAll('.copa-view[data-settled]').length === 2")
    assert page.locator(".copa-card").count()
    for twin in page.locator("[class^=copa-nb-static-]").all():
        assert not twin.is_visible()
    # MathJax typesets what stands between two dollar signs. It is loaded when there is something to typeset, and goes
    # by the order of the outputs: once the control is typeset, the results have been looked at.
    notebook.execute(r"from IPython.display import HTML; HTML('<p id=control>from $\alpha$ to $\beta$</p>')")
    page.wait_for_selector("#control mjx-container", timeout=60_000)
    assert page.locator(".jp-OutputArea mjx-container").count() == page.locator("#control mjx-container").count() == 2
    said = " ".join(page.locator(".jp-OutputArea").all_inner_texts())
    for label in ("cost ($/1M in)", "cost ($/1M out) 5%", r"size \(B\) $x$"):
        assert label in said
