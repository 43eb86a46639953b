"""A table made to attack, in a browser: labels stay text, nothing runs and nothing leaves."""

import re

import pytest

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
