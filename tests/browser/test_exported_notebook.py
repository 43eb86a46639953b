"""A notebook as nbconvert writes it, without a kernel and without a network: answers are there, and move."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from copa_nb import datasets
from tests.each import hold_for_each

FAR_BELOW = "from IPython.display import HTML\nHTML('<div style=height:9000px></div>')"
PANEL = """import copa_nb
from copa_nb import datasets
panel = copa_nb.panel(datasets.load_domainbed())
panel._tabs.selected_index = {tab}
panel"""
ON_TOP = """picture => {
  picture.scrollIntoView();
  const { x, y, width } = picture.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + 50).tagName;
}"""


@pytest.mark.slow
def test_an_exported_notebook_answers_without_its_kernel(browser, tmp_path):
    sources = [FAR_BELOW, *(PANEL.format(tab=tab) for tab in (0, 1))]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(book, timeout=300, kernel_name="python3").execute()
    write(book, tmp_path / "with the state of widgets.html")
    del book.metadata["widgets"]
    write(book, tmp_path / "without.html")
    hold_for_each(tmp_path.glob("*.html"), lambda file: a_reader_sees_and_moves_the_answers(browser, file))
    # nbconvert's page asks for its scripts, and does without them.
    assert all("ERR_INTERNET_DISCONNECTED (https://" in error for error in browser.errors)
    browser.errors.clear()


def write(book, file):
    file.write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")


def a_reader_sees_and_moves_the_answers(browser, file):
    page = browser.new_page(offline=True, viewport={"width": 1100, "height": 900})
    page.goto(file.as_uri())
    twins = page.locator("[class^=copa-nb-static-]")
    assert twins.count() == 2
    best = datasets.load_domainbed().moo.copa().best
    for twin in twins.all():
        assert twin.is_visible()
        assert "as it was saved" in twin.inner_text()
    choose, sure = twins.all()
    assert best in choose.inner_text()
    there_is_never_an_empty_space(page, choose)
    assert choose.frame_locator("iframe").locator(".copa-card-title").inner_text() == best
    assert sure.locator("figure img").count() == 3
    for picture in sure.locator("figure img").all():
        assert picture.bounding_box()["height"] > 100


def there_is_never_an_empty_space(page, twin):
    """The picture stands until the page in its frame has loaded, which then covers it."""
    picture, frame = twin.locator("img").first, twin.locator("iframe")
    assert picture.is_visible(), "the frame is far below, and not loaded yet"
    assert picture.bounding_box()["height"] > 100
    assert frame.bounding_box()["height"] > 400
    assert frame.bounding_box()["y"] <= picture.bounding_box()["y"]
    frame.scroll_into_view_if_needed()
    twin.frame_locator("iframe").locator(".copa-card-title").wait_for()
    assert picture.evaluate(ON_TOP) == "IFRAME", "the page covers the picture"
