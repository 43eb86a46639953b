"""The panel in Notebook 7."""

import nbformat
import pytest

from copa_nb import datasets
from tests.browser.lab import running_lab
from tests.browser.steps import CUT_OFF, choose, choose_file, click, first_sentence

pytestmark = pytest.mark.slow

# Before that, a cell that is run in Notebook 7 is lost; the panel is looked at there.
IDLE = """() => {
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}"""


def test_notebook_7_compares_two_and_prints_a_board(browser, tmp_path):
    with running_lab(tmp_path, "notebook") as (address, folder):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import copa_nb\ncopa_nb.panel()")])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        (folder / "one.ipynb").write_text(nbformat.writes(book))
        datasets.load_deepobs().to_csv(folder / "scores.csv", index=False)
        context = browser.new_context(viewport={"width": 1100, "height": 1000})
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{address}/notebooks/one.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function(IDLE)
        page.locator(".jp-Notebook .jp-Cell").first.click()
        page.keyboard.press("Shift+Enter")
        page.locator(".copa-drop").wait_for()
        choose_file(page, folder / "scores.csv")
        choose(page, "performance", "↓ less is better")
        click(page, "Yes, they are")
        assert first_sentence(page, "Board")
        page.get_by_role("tab", name="Compare two").click()
        page.get_by_text("Which two?").wait_for()
        choose(page, "Is", "SGD")
        choose(page, "better than", "Momentum")
        assert "SGD" in first_sentence(page, "Compare two")
        assert page.evaluate(CUT_OFF) == []
        context.close()
    assert "Traceback" not in (tmp_path / "server.log").read_text()
