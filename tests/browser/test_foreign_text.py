"""A table made to attack, in a browser: labels stay text, nothing runs and nothing leaves."""

import re

import pytest

from tests.browser.steps import settle
from tests.each import hold_for_each
from tests.malicious import COLUMNS, LABELS, files, make_table

# Pictures and frames have been loaded or refused, and what they would start has had its turn.
ALL_LOADED = """async () => {
  const waiting = [...document.images].filter((image) => !image.complete);
  await Promise.all(waiting.map((image) => new Promise((done) => { image.onload = image.onerror = done; })));
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""
HANDLERS = """() => [...document.querySelectorAll("*")].flatMap((e) => [...e.attributes])
  .filter((a) => /^on/i.test(a.name) || /^\\s*javascript:/i.test(a.value)).length"""


@pytest.mark.slow
def test_foreign_text_runs_nothing_and_sends_nothing(browser, malicious_reports, tmp_path):
    pages = [*files(malicious_reports, "report.html"), malicious_reports / "out" / "index.html"]
    hold_for_each(pages, lambda file: a_report_shows_labels_as_text(browser, file, malicious_reports))
    table = make_table().set_index("name").assign(note=LABELS[::-1])
    with table.moo(dict(zip(COLUMNS, ("max", "min"), strict=True))).explore() as explorer:
        for label in LABELS[:3]:
            explorer.pin(label)
        file = explorer.export_html(tmp_path / "page.html")
    an_explorer_shows_labels_as_text(browser, file, table)
    assert not [*malicious_reports.rglob("pwned"), *tmp_path.rglob("pwned")]
    the_policy_stops_what_is_not_of_the_page(browser, file)


def opened(browser, file, asked):
    """Open a page, and note what it asks for."""
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.evaluate(ALL_LOADED)
    return page


def nothing_runs_and_nothing_leaves(page, asked, folder):
    assert page.evaluate("() => window.hacked") is None
    assert page.evaluate(HANDLERS) == 0
    assert [url for url in asked if not url.startswith((folder.as_uri(), "data:", "blob:"))] == []


def a_report_shows_labels_as_text(browser, file, folder):
    asked = []
    page = opened(browser, file, asked)
    nothing_runs_and_nothing_leaves(page, asked, folder)
    if file.name == "report.html":
        text = re.sub(r"\s+", " ", page.evaluate("document.body.textContent"))
        for label in [*LABELS, *COLUMNS]:
            assert re.sub(r"\s+", " ", label) in text, label
        assert page.locator("script:not([type='application/json'])").count() == 1


def an_explorer_shows_labels_as_text(browser, file, table):
    asked = []
    page = opened(browser, file, asked)
    settle(page)
    for _ in LABELS:
        page.locator(".copa-canvas canvas").first.press("ArrowRight")
    for kind in ("SVG", "PNG"):
        with page.expect_download():
            page.get_by_label(f"Save this chart as {kind}").first.click()
    with page.expect_download() as saved:
        page.get_by_label("Save these rows as CSV").first.click()
    assert "'=HYPERLINK" in saved.value.path().read_text(encoding="utf-8")
    assert page.locator(".copa-view :is(img, b, script, svg)").count() == 0
    code = page.locator(".copa-code pre").text_content()
    chosen = page.locator(".copa-card-title").first.text_content()
    assert chosen == eval(code, {"df": table}).best
    nothing_runs_and_nothing_leaves(page, asked, file.parent)


def the_policy_stops_what_is_not_of_the_page(browser, file):
    inserted = "<script>window.hacked = 1</script><img src='http://127.0.0.1:9/x.png' onerror='window.hacked = 2'>"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("<main", f"{inserted}<main"), encoding="utf-8")
    finished = []
    page = browser.new_page()
    page.on("requestfinished", lambda request: finished.append(request.url))
    page.goto(file.as_uri())
    settle(page)
    assert page.evaluate("() => window.hacked") is None
    assert [url for url in finished if not url.startswith("file:")] == []
    assert all("Content Security Policy" in error for error in browser.errors)
    assert len(browser.errors) == 3, "the script, the picture and its handler are refused"
    browser.errors.clear()
