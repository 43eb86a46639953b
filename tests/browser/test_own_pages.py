"""Pages of own tables in a browser: a picture on the first screen, few figures, and an end within sight.

``python -m tests.browser.test_own_pages FOLDER`` prints the measures of all reports in a folder.
"""

import sys
from pathlib import Path

import pytest

from copa_nb.analyses.registry import analyses
from copa_nb.reports.report import report
from tests.browser.lab import missing, running_browser
from tests.each import hold_for_each

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing() or "-")]

WINDOW = {"width": 1100, "height": 900}
HIGHEST_PAGE, LOWEST_PICTURE, MOST_FIGURES = 4500, 700, 3
MEASURES = """() => {
  const seen = (all) => [...document.querySelectorAll(all)].filter(
    (e) => e.checkVisibility({ contentVisibilityAuto: true, checkVisibilityCSS: true }));
  return {
    picture: Math.round(Math.min(...seen("figure.plot img").map((e) => e.getBoundingClientRect().top))),
    height: document.documentElement.scrollHeight,
    figures: seen("figure.plot").length,
    folds: document.querySelectorAll("details:not(.menu)").length,
    links: seen("a").length,
  };
}"""


def measured(page, path):
    page.goto(path.resolve().as_uri())
    return page.evaluate(MEASURES)


def test_an_own_page_opens_with_its_picture_and_ends_soon(browser, tmp_path):
    names = sorted({kind.notebook for kind in analyses().values()})
    hold_for_each(
        names, lambda name: _opens_with_its_picture_and_ends_soon(browser, report(name, out=tmp_path, progress=False))
    )


def _opens_with_its_picture_and_ends_soon(browser, made):
    page = browser.new_page(viewport=WINDOW)
    found = measured(page, made.page)
    page.context.close()
    assert found["picture"] < LOWEST_PICTURE
    assert found["height"] <= HIGHEST_PAGE
    assert 1 <= found["figures"] <= MOST_FIGURES


if __name__ == "__main__":
    with running_browser() as started:
        window = started.new_page(viewport=WINDOW)
        for path in sorted(Path(sys.argv[1]).rglob("report.html")):
            print(path.parent.relative_to(sys.argv[1]), measured(window, path))
