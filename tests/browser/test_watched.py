"""The tests hear every error: of a page, of a frame in it, and in the place of a widget or of a cell's output."""

import pytest

from tests.browser.watched import ERROR_BOX

pytestmark = pytest.mark.slow

PAGE = """<script>console.warn("warned"); console.error("told");</script>
<script>throw new Error("thrown");</script>
<iframe srcdoc="<script>console.error('told in a frame')</script>"></iframe>"""
WITHOUT_VIEW = """import ipywidgets
label = ipywidgets.Label("text")
label._view_name = "NoSuchView"
label"""


def test_errors_of_scripts_and_of_the_console_are_heard(browser, errors_of_pages):
    page = browser.new_page()
    page.set_content(PAGE)
    page.wait_for_timeout(500)
    page.context.close()
    first_words = sorted(error.split(" (")[0].split("\n")[0] for error in errors_of_pages)
    errors_of_pages.clear()
    assert first_words == ["thrown", "told", "told in a frame"]


def test_error_boxes_are_heard(notebook, errors_of_pages):
    page = notebook.run(WITHOUT_VIEW, "raise ValueError('raised')")
    page.locator(".jupyter-widgets-error-widget").wait_for()
    boxes = [error for error in errors_of_pages if error.startswith(ERROR_BOX)]
    errors_of_pages.clear()
    assert len(boxes) == 2
    assert any("Click to show javascript error." in box for box in boxes)
    assert any("ValueError: raised" in box for box in boxes)
