"""Explorers whose kernel computes, and the notebooks that explore, in a real JupyterLab."""

import json
from pathlib import Path

import numpy as np
import pytest

from copa_nb import datasets
from copa_nb.selection.arrays.weight_constraints import criterion_keys

pytestmark = pytest.mark.slow


def _revision(page):
    return int(page.get_attribute(".copa-view", "data-revision"))


def _wait_for_kernel(page, before):
    page.wait_for_function(
        """before => { const view = document.querySelector(".copa-view");
          return Number(view.dataset.revision) > before + 1 && view.hasAttribute("data-settled"); }""",
        arg=before, timeout=300_000,
    )  # fmt: skip


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
