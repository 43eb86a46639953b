"""The panel in Notebook 7: two systems are compared, and a board is made of them all."""

import nbformat
import pytest

from copa_nb import datasets
from tests.browser.lab import running_lab
from tests.browser.steps import choose, choose_file, click, cut_off, first_sentence

# Before that, a cell that is run in Notebook 7 is lost.
IDLE = """() => {
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}"""


@pytest.mark.slow
def test_notebook_7(browser, tmp_path):
    with running_lab(tmp_path, "notebook") as (address, folder), browser.new_page() as page:
        a_cell_shows_the_panel(page, address, folder)
        datasets.load_deepobs().to_csv(folder / "scores.csv", index=False)
        choose_file(page, folder / "scores.csv")
        choose(page, "performance", "↓ less is better")
        click(page, "Yes, they are")
        assert first_sentence(page, "Board")
        page.get_by_role("tab", name="Compare two").click()
        page.get_by_text("Which two?").wait_for()
        choose(page, "Is", "SGD")
        choose(page, "better than", "Momentum")
        assert "SGD" in first_sentence(page, "Compare two")
        assert cut_off(page) == []


def a_cell_shows_the_panel(page, address, folder):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import copa_nb\ncopa_nb.panel()")])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (folder / "one.ipynb").write_text(nbformat.writes(book))
    page.goto(f"{address}/notebooks/one.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_function(IDLE)
    page.locator(".jp-Notebook .jp-Cell").first.click()
    page.keyboard.press("Shift+Enter")
    page.locator(".copa-drop").wait_for()
