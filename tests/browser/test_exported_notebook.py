"""A notebook as nbconvert writes it, without a kernel and without a network."""

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import copa_nb  # noqa: F401 (registers df.moo)
from copa_nb import datasets

pytestmark = pytest.mark.slow

OPENED = """import copa_nb
from copa_nb import datasets
panel = copa_nb.panel(datasets.load_domainbed())
panel._tabs.selected_index = {tab}
panel"""


@pytest.mark.parametrize("has_state", [True, False], ids=["with the state of widgets", "without"])
def test_an_exported_notebook_shows_the_answer_without_a_network(browser, errors_of_pages, tmp_path, has_state):
    cells = [nbformat.v4.new_code_cell(OPENED.format(tab=tab)) for tab in (0, 1)]
    book = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(book, timeout=300, kernel_name="python3").execute()
    if not has_state:
        book.metadata.pop("widgets", None)
    file = tmp_path / "book.html"
    file.write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
    best = datasets.load_domainbed().moo.copa().best
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 900})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        twins = page.locator("[class^=copa-nb-static-]")
        assert twins.count() == 2
        for place in (0, 1):
            assert twins.nth(place).is_visible()
            assert "as it was saved" in twins.nth(place).inner_text()
        choose, sure = twins.nth(0), twins.nth(1)
        assert best in choose.inner_text()
        choose.locator("iframe").scroll_into_view_if_needed()
        assert choose.frame_locator("iframe").locator(".copa-card-title").inner_text() == best
        assert sure.locator("figure img").count() == 3
        for picture in sure.locator("figure img").all():
            assert picture.bounding_box()["height"] > 100
    finally:
        context.close()
    # nbconvert's page asks for its scripts, and does without them.
    assert all("ERR_INTERNET_DISCONNECTED (https://" in error for error in errors_of_pages)
    errors_of_pages.clear()


TABLE = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "cost": [3.0, 2.0, 1.0]}, index=list("abc")).moo.define(
    acc="max", cost="min"
)
TOP = "() => { const box = document.querySelector('img').getBoundingClientRect(); return document.elementFromPoint("
TOP += "box.x + box.width / 2, box.y + 50).tagName; }"


def test_the_picture_stands_until_the_page_has_loaded(browser, tmp_path):
    with TABLE.moo.explore() as explorer:
        fragment = explorer.to_embedded()
        height = explorer.height
    file = tmp_path / "page.html"
    file.write_text(f"<!doctype html><body><div style='height:9000px'></div>{fragment}</body>", encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 900})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        picture = page.locator("img").first
        assert picture.is_visible(), "the frame is far below, and not loaded yet"
        assert picture.bounding_box()["height"] > 100
        assert page.locator("iframe").bounding_box()["height"] == height
        assert page.locator("iframe").bounding_box()["y"] <= picture.bounding_box()["y"]
        page.locator("iframe").scroll_into_view_if_needed()
        page.frame_locator("iframe").locator(".copa-card-title").wait_for()
        page.evaluate("() => document.querySelector('img').scrollIntoView()")
        assert page.evaluate(TOP) == "IFRAME", "the page covers the picture"
    finally:
        context.close()
