"""A table made to attack, in a browser: labels stay text, nothing runs and nothing leaves."""

import re

import pandas as pd
import pytest

from copa_nb import datasets
from tests.malicious import COLUMNS, LABELS, files, make_reports


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("malicious")
    make_reports(folder)
    return folder


# Pictures and frames have been loaded or refused, and what they would start has had its turn.
_ALL_LOADED = """async () => {
  const waiting = [...document.images].filter((image) => !image.complete);
  await Promise.all(waiting.map((image) => new Promise((done) => { image.onload = image.onerror = done; })));
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


@pytest.mark.slow
def test_nothing_runs_and_nothing_leaves_in_a_browser(reports, browser):
    pages = [*files(reports, "report.html"), reports / "out" / "index.html"]
    for file in pages:
        page = browser.new_page()
        said, asked, opened = [], [], []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("dialog", lambda dialog, opened=opened: (opened.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(file.as_uri())
        page.evaluate(_ALL_LOADED)
        handlers = page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
            ".filter(a => /^on/i.test(a.name) || /^\\s*javascript:/i.test(a.value)).length"
        )
        assert page.evaluate("window.hacked") is None
        assert (said, opened, handlers) == ([], [], 0)
        local = (file.as_uri(), "data:", (reports / "out").as_uri())
        assert [url for url in asked if not url.startswith(local)] == []
        if file.name == "report.html":
            text = re.sub(r"\s+", " ", page.evaluate("document.body.textContent"))
            for label in [*LABELS, *COLUMNS]:
                assert re.sub(r"\s+", " ", label) in text, label
            assert page.evaluate("document.querySelectorAll('script:not([type=\"application/json\"])').length") == 1
        page.context.close()
    assert not list(reports.rglob("pwned"))


MODELS = datasets.load_open_llm_leaderboard()


@pytest.fixture
def show(browser, tmp_path):
    """Export an explorer and open the file; nothing may go wrong and nothing may be asked for."""
    said, contexts = [], []

    def opened(explorer, fragment="", width=1400, height=1200, scheme="light"):
        with explorer:
            path = explorer.export_html(tmp_path / f"page{len(contexts)}.html")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or said.append(request.url))
        page.file = path.as_uri()
        page.goto(page.file + fragment)
        _settled(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def _settled(page):
    """Wait until the page has answered; the browser tells it of a new size only with the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_selector(".copa-view[data-settled]", state="attached")


def _names(page):
    return page.inner_text(".copa-card-title")


HOSTILE = [
    "<img src=x onerror=\"alert('img')\">", "</script><script>window.hacked=1;alert(1)</script>", "<!--<script>",
    "</style><svg onload=alert(2)>", '=HYPERLINK("http://evil.example/")', "\u202egnp.exe", "line\nbreak", "&amp;",
    "{{ 7 * 7 }}",
]  # fmt: skip


@pytest.mark.slow
def test_labels_are_never_markup(show):
    n = len(HOSTILE)
    frame = pd.DataFrame(
        {"<b>a</b>": range(n), "class": [(7 * i) % n for i in range(n)], "note": HOSTILE[::-1]}, index=HOSTILE
    )
    explorer = frame.moo({"<b>a</b>": "max", "class": "min"}).explore()
    for label in HOSTILE[:3]:
        explorer.pin(label)
    page = show(explorer)
    assert _names(page) in HOSTILE
    page.locator(".copa-canvas canvas").first.focus()
    for _ in range(n):
        page.keyboard.press("ArrowRight")
    for kind in ("SVG", "PNG"):
        with page.expect_download():
            page.get_by_label(f"Save this chart as {kind}").first.click()
    with page.expect_download() as saved:
        page.get_by_label("Save these rows as CSV").first.click()
    assert "'=HYPERLINK" in saved.value.path().read_text(encoding="utf-8")
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".copa-view :is(img, b, script, svg)").count() == 0
    handlers = """() => [...document.querySelectorAll("*")].flatMap((e) => [...e.attributes])
      .filter((a) => /^on/i.test(a.name)).length"""
    assert page.evaluate(handlers) == 0
    code = page.locator(".copa-code pre").text_content()
    assert eval(code, {"df": frame}).best == _names(page)


@pytest.mark.slow
def test_the_policy_of_a_page_stops_what_is_not_its_own(browser, errors_of_pages, tmp_path):
    with MODELS.head(20).moo.explore() as explorer:
        text = explorer.to_page()
    inserted = "<script>window.hacked = 1</script><img src='http://127.0.0.1:9/x.png' onerror='window.hacked = 2'>"
    (tmp_path / "page.html").write_text(text.replace("<main", f"{inserted}<main"), encoding="utf-8")
    page = browser.new_page()
    asked = []
    page.on("requestfinished", lambda request: asked.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    _settled(page)
    assert page.evaluate("() => window.hacked") is None
    assert [url for url in asked if not url.startswith("file:")] == []
    page.context.close()
    assert all("Content Security Policy" in error for error in errors_of_pages)
    assert len(errors_of_pages) == 3, "the script, the picture and its handler are refused"
    errors_of_pages.clear()
