"""JupyterLab: one notebook in which a person chooses by weights, opens the panel and answers questions."""

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from copa_nb.selection.arrays.weight_constraints import criterion_keys
from tests.browser.lab import open_notebook
from tests.browser.steps import AWKWARD, MODELS, choose, click, first_sentence, raise_weight, settle

BOOK = Path(__file__).parents[2] / "notebooks" / "explore" / "gap.ipynb"
GAP = ["".join(cell["source"]) for cell in json.loads(BOOK.read_text())["cells"] if cell["cell_type"] == "code"]
EXPLORER = """from copa_nb import datasets
models = datasets.load_open_llm_leaderboard().head(300)
explorer = models.moo.explore()
explorer"""
PANEL = "import copa_nb\npanel = copa_nb.panel()\npanel"
QUESTIONS = "questions = models.head(150).moo.copa().elicit(confidence_level=0.9)\nquestions"
LABELS = r"""
import pandas as pd
frame = pd.DataFrame(
    {"cost ($/1M in)": [1.0, 2.0, 3.0], "cost ($/1M out) 5%": [3.0, 2.0, 1.5], r"size \(B\) $x$": [1.0, 3.0, 2.0]},
    index=["model $a$", r"\(b\)", r"\begin{equation}c\end{equation}"],
)
frame.moo(dict.fromkeys(frame, "min")).explore()"""
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

# The page answers at once, and again when the kernel has.
ANSWERED = """([view, before]) => view.dataset.revision > before + 1 && view.hasAttribute("data-settled")"""
STATIC = "[class^=copa-nb-static-]"


def test_jupyterlab(browser, tmp_path):
    with open_notebook(tmp_path, browser) as notebook:
        notebook.run(EXPLORER, PANEL)
        explorer, panel = map(notebook.cell, [0, 1])
        it_hides_what_is_saved(explorer)
        chosen = python_and_what_is_saved_follow_the_page(notebook, explorer)
        the_page_and_what_is_saved_follow_python(notebook, explorer, chosen)
        the_panel_answers_as_python_does(notebook, panel)


@pytest.mark.slow
def test_jupyterlab_keeps_what_was_saved(browser, tmp_path):
    with open_notebook(tmp_path, browser) as notebook:
        notebook.run(*GAP, EXPLORER, QUESTIONS, LABELS)
        gap, explorer, questions, labels = map(notebook.cell, [2, *range(len(GAP), len(GAP) + 3)])
        for explored in (gap, explorer, questions, labels):
            it_hides_what_is_saved(explored)
        answers_lead_to_the_model_of_these_weights(questions, [0.3, 0.05, 0.05, 0.05, 0.05, 0.1, 0.4])
        labels_stay_as_they_are(notebook, labels)
        what_is_closed_gives_way_to_what_is_saved(notebook, "questions", questions)
        chosen = python_and_what_is_saved_follow_the_page(notebook, explorer)
        assert browser.errors == []
        a_reader_moves_what_was_saved_without_its_kernel(notebook, len(GAP), chosen)
    # The models have gone with the kernel, which JupyterLab writes to the console alone.
    assert all("widget model not found" in error for error in browser.errors)
    browser.errors.clear()


def it_hides_what_is_saved(explored):
    explored.locator(".copa-view[data-revision]").wait_for(state="attached")
    assert explored.locator(STATIC).count() == 1
    assert not explored.locator(STATIC).is_visible(), "the live view hides what is saved"


def python_and_what_is_saved_follow_the_page(notebook, explorer):
    chosen = raise_weight(explorer)
    notebook.wait_for_saved_picture(f"Chosen: {chosen}")
    assert notebook.execute("print(explorer.best)").strip() == chosen
    return chosen


def the_page_and_what_is_saved_follow_python(notebook, explorer, before):
    notebook.execute("explorer.set_weight('co2_kg', 0.05)")
    expected = notebook.execute("print(explorer.best)").strip()
    assert expected != before
    expect(explorer.locator(".copa-card-title").first).to_have_text(expected)
    notebook.wait_for_saved_picture(f"Chosen: {expected}")


def the_panel_answers_as_python_does(notebook, panel):
    notebook.page.evaluate(DROP, ["models.csv", AWKWARD])
    click(panel, "accuracy (%) ↑, price ↓, ms ↓")
    click(panel, "Count a missing value as the worst")
    settle(panel)
    assert first_sentence(panel) == notebook.execute("print(panel.sentences[0])").strip()
    assert notebook.page.evaluate(UNNAMED) == []
    assert not panel.locator(STATIC).is_visible(), "the panel hides what is saved"
    # A pin while the kernel answers, and an objective less at once: the explorer that goes says no more.
    panel.locator(".copa-pin-button").first.click()
    choose(panel, "ms", "–")
    expect(panel.locator(".copa-weight")).to_have_count(2)
    assert notebook.execute("print(panel.sentences[0])").strip() == first_sentence(panel)
    what_is_closed_gives_way_to_what_is_saved(notebook, "panel", panel)


def answers_lead_to_the_model_of_these_weights(questions, weights):
    models = MODELS.head(150)
    ranks = models.moo.normalize()
    view, cards = questions.locator(".copa-view"), questions.locator(".copa-card-title")
    settled = questions.locator(".copa-card-heading", has_text="Settled")
    questions.scroll_into_view_if_needed()
    cards.nth(1).wait_for(state="visible")
    n_asked = 0
    while not settled.count() and n_asked < 40:
        pair = cards.all_inner_texts()[:2]
        first, second = criterion_keys(ranks.loc[pair].to_numpy(), np.array([weights]), np.inf)[0]
        before = int(view.get_attribute("data-revision"))
        click(questions, "A is better" if first < second else "B is better")
        questions.page.wait_for_function(ANSWERED, arg=[view.element_handle(), before])
        n_asked += 1
    assert settled.count() == 1
    assert n_asked >= 3
    assert cards.first.inner_text() == models.moo.copa(weights=weights).best


def labels_stay_as_they_are(notebook, labels):
    """MathJax typesets what stands between two dollar signs.

    It is loaded when there is something to typeset, and goes by the order of the outputs: once the control is typeset,
    the results have been looked at.
    """
    page = notebook.page
    notebook.execute(r"from IPython.display import HTML; HTML(r'<p id=control>from $\alpha$ to $\beta$</p>')")
    page.locator("#control mjx-container").first.wait_for()
    assert page.locator(".jp-OutputArea mjx-container").count() == page.locator("#control mjx-container").count() == 2
    said = labels.locator(".jp-OutputArea").first.inner_text()
    for label in ("cost ($/1M in)", "cost ($/1M out) 5%", r"size \(B\) $x$"):
        assert label in said


def what_is_closed_gives_way_to_what_is_saved(notebook, name, cell):
    notebook.execute(f"{name}.close()")
    cell.locator(STATIC).wait_for(state="visible")


def a_reader_moves_what_was_saved_without_its_kernel(notebook, number, chosen):
    outputs = json.loads(notebook.save())["cells"][number]["outputs"]
    assert chosen in "".join(outputs[0]["data"]["text/plain"])
    notebook.end_kernel()
    notebook.open()
    notebook.cell(number).scroll_into_view_if_needed()
    saved = notebook.cell(number).locator(STATIC).frame_locator("iframe")
    assert saved.locator(".copa-card-title").inner_text() == chosen
    for _ in range(60):
        saved.get_by_label("Weight of CO₂ (kg) ↓", exact=True).press("ArrowRight")
    settle(saved)
    assert saved.locator(".copa-card-title").inner_text() != chosen
    assert "model not found" not in notebook.page.locator(".jp-Notebook").inner_text()
