"""A page in a frame, as saved notebooks and nbconvert's pages have it: there is never an empty space in its place."""

import pandas as pd
import pytest

import copa_nb  # noqa: F401 (registers df.moo)

MODELS = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "cost": [3.0, 2.0, 1.0]}, index=list("abc")).moo.define(
    acc="max", cost="min"
)
TOP = "() => { const box = document.querySelector('img').getBoundingClientRect(); return document.elementFromPoint("
TOP += "box.x + box.width / 2, box.y + 50).tagName; }"


@pytest.mark.slow
def test_the_picture_stands_until_the_page_has_loaded(browser, tmp_path):
    with MODELS.moo.explore() as explorer:
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
