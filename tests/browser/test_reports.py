"""Reports in a browser: search, filters in the address, Back, points, dark mode, and a choice that readers move."""

import pytest

import copa_nb
from copa_nb import datasets
from tests.browser.steps import settle
from tests.each import hold_for_each
from tests.reports.made import NAMES, make_reports

WINDOW = {"width": 1100, "height": 900}


def cards(page):
    return page.evaluate(
        "[...document.querySelectorAll('[data-text]')].filter(e => !e.hidden).map(e => e.dataset.name)"
    )


def search_finds_what_pages_hold(page, folder):
    page.goto((folder / "index.html").as_uri())
    for text, found in (("co₂ phi", [NAMES[0]]), ("DomainNet", [NAMES[1]]), ("zzz", [])):
        page.fill("input[name=q]", text)
        assert cards(page) == found
        assert page.text_content("output") == f"{len(found)} of 3"


def filters_stand_in_the_address_and_are_right_after_back(page, folder):
    page.goto((folder / "index.html").as_uri())
    page.fill("input[name=q]", "e")
    page.select_option("select[name=verdict]", "reproduced")
    page.select_option("select[name=paper]", "COPA")
    assert cards(page) == [NAMES[0]]
    address = page.url
    page.click("li.card:not([hidden]) h3 a")
    assert page.url.endswith("copa/figure_1/report.html")
    page.go_back()
    assert page.url == address
    assert cards(page) == [NAMES[0]]
    assert page.input_value("input[name=q]") == "e"
    assert page.input_value("select[name=paper]") == "COPA"
    page.click("button[type=reset]")
    page.wait_for_function("location.hash === ''")
    assert len(cards(page)) == 3
    page.goto(address)
    page.reload()
    assert cards(page) == [NAMES[0]], "an address can be sent"


def points_name_themselves_under_the_pointer(page, folder):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto((folder / NAMES[0] / "report.html").as_uri())
    image = page.locator("#figure-front img")
    image.scroll_into_view_if_needed()
    source = page.evaluate("JSON.parse(document.querySelector('script.points').textContent)")
    points = source["narrow"]["points"]
    box = image.bounding_box()
    for left, top, _, name, x, y in points:
        page.mouse.move(box["x"] + box["width"] * left / 1000 + 3, box["y"] + box["height"] * top / 1000 - 2)
        assert page.locator(".tip").inner_text().split("\n") == [name, f"CO₂ (kg): {x}", f"score: {y}"]
    assert {point[3] for point in points} == {"Phi-3 <mini>", "large 模型"}
    page.mouse.move(1, 1)
    assert page.locator(".tip").is_hidden()


def pages_follow_the_scheme_and_fit_the_screen(page, folder):
    shown = [("index.html", 1100, "dark"), ("ledger.html", 390, "light"), (f"{NAMES[0]}/report.html", 390, "dark")]
    hold_for_each(shown, lambda one: _follows_the_scheme_and_fits(page, folder, *one))


def _follows_the_scheme_and_fits(page, folder, name, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((folder / name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ink, paper = page.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
    assert (luminance(ink) > luminance(paper)) is (scheme == "dark")
    assert contrast(ink, paper) > 7
    faint = page.evaluate(
        "[...document.querySelectorAll('p, a, td, dd, h1, span.verdict')].map(e => getComputedStyle(e).color)"
    )
    assert min(contrast(color, paper) for color in set(faint)) >= 4.5


def luminance(color):
    values = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def errata_are_printed_although_they_are_folded(page, folder):
    page.goto((folder / "index.html").as_uri())
    erratum = page.locator("#errata li").first
    height = "e => e.checkVisibility({ contentVisibilityAuto: true }) ? e.getBoundingClientRect().height : 0"
    assert erratum.evaluate(height) == 0, "folded on a screen"
    page.emulate_media(media="print")
    assert erratum.evaluate(height) > 0
    assert not page.locator("#errata summary").is_visible()


def a_choice_follows_alpha(page, folder):
    made = copa_nb.report("copa/figure_1", out=folder.parent / "made", n_resamples=20, progress=False)
    page.goto(made.page.as_uri())
    page.locator(".explorer summary").click()
    frame = page.frame_locator(".explorer iframe")
    slider = frame.get_by_label("Weight of CO₂ (kg) ↓", exact=True)
    settle(frame)
    assert the_choice(frame) == chosen_at(0.5)
    for _ in range(30):
        slider.press("ArrowRight")
    settle(frame)
    alpha = float(slider.input_value())
    assert 0.75 < alpha < 0.85
    assert the_choice(frame) == chosen_at(alpha)
    page.emulate_media(media="print")
    assert not page.locator(".explorer").is_visible()
    with page.context.browser.new_page(java_script_enabled=False) as plain:
        plain.goto(made.page.as_uri())
        assert not plain.locator(".explorer").is_visible()
        assert plain.locator("figure.plot img").first.is_visible()


def the_choice(frame):
    return frame.locator(".copa-card-title").inner_text()


def chosen_at(alpha):
    models = datasets.load_open_llm_leaderboard(headings=True)
    return models.moo({"CO₂ (kg)": "min", "average score": "max"}).copa(weights={"CO₂ (kg)": alpha}).best


WALKS = [
    search_finds_what_pages_hold, filters_stand_in_the_address_and_are_right_after_back,
    points_name_themselves_under_the_pointer, pages_follow_the_scheme_and_fit_the_screen,
    errata_are_printed_although_they_are_folded, a_choice_follows_alpha,
]  # fmt: skip


@pytest.mark.slow
def test_a_reader_walks_through_reports_index_and_ledger(browser, tmp_path, monkeypatch):
    folder = make_reports(tmp_path, monkeypatch)
    hold_for_each(WALKS, lambda walk: walk(browser.new_page(viewport=WINDOW), folder))
