"""Labels with dollar signs in a real JupyterLab, whose MathJax typesets what stands between two of them."""

import pytest

pytestmark = pytest.mark.slow

TABLE = r"""
import pandas as pd, copa_nb
frame = pd.DataFrame(
    {"cost ($/1M in)": [1.0, 2.0, 3.0], "cost ($/1M out) 5%": [3.0, 2.0, 1.5], r"size \(B\) $x$": [1.0, 3.0, 2.0]},
    index=["model $a$", r"\(b\)", r"\begin{equation}c\end{equation}"],
)
names = dict.fromkeys(frame, "min")
"""


def test_labels_with_dollar_signs_stay_as_they_are(notebook):
    page = notebook.run(TABLE + "frame.moo(names).explore()")
    page.wait_for_selector(".copa-view[data-settled]", state="attached")
    notebook.execute(r"from IPython.display import HTML; HTML('<p id=control>from $\alpha$ to $\beta$</p>')")
    # MathJax is loaded when there is something to typeset, and typesets in the order of the outputs: once the control
    # is, the result has been looked at.
    page.wait_for_selector("#control mjx-container", timeout=60_000)
    assert page.locator(".jp-OutputArea mjx-container").count() == page.locator("#control mjx-container").count() == 2
    said = " ".join(page.locator(".jp-OutputArea").all_inner_texts())
    for label in ("cost ($/1M in)", "cost ($/1M out) 5%", r"size \(B\) $x$"):
        assert label in said
