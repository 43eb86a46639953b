"""A report opened from disk with the network off lets its reader move the choice; print keeps to the figure."""

import pytest

import copa_nb
from copa_nb import datasets

pytestmark = pytest.mark.slow


def test_the_reader_of_figure_1_moves_alpha(browser, tmp_path):
    models = datasets.load_open_llm_leaderboard(headings=True)
    trade_off = models.moo({"CO₂ (kg)": "min", "average score": "max"})
    copa_nb.report("copa/figure_1", out=tmp_path, n_resamples=20)
    [file] = tmp_path.rglob("figure_1/report.html")
    context = browser.new_context(viewport={"width": 1400, "height": 1200}, offline=True)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.locator(".explorer summary").click()
    frame = page.frame_locator(".explorer iframe")
    frame.locator(".copa-view[data-settled]").wait_for(state="attached")
    assert frame.locator(".copa-card-title").inner_text() == trade_off.copa(weights={"CO₂ (kg)": 0.5}).best
    slider = frame.get_by_label("Weight of CO₂ (kg) ↓", exact=True)
    slider.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    frame.locator(".copa-view[data-settled]").wait_for(state="attached")
    alpha = float(slider.input_value())
    assert 0.75 < alpha < 0.85
    assert frame.locator(".copa-card-title").inner_text() == trade_off.copa(weights={"CO₂ (kg)": alpha}).best
    page.emulate_media(media="print")
    assert not page.locator(".explorer").is_visible()
    context.close()
    without = browser.new_context(java_script_enabled=False)
    page = without.new_page()
    page.goto(file.as_uri())
    assert not page.locator(".explorer").is_visible()
    assert page.locator("figure.plot img").first.is_visible()
    without.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:", "blob:"))] == []
