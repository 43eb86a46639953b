"""The explorer of a choice in a real JupyterLab: what is shown is what ``copa`` says."""

import ast
import math

import numpy as np
import pytest

from copa_nb import datasets

pytestmark = pytest.mark.slow

MODELS = datasets.load_open_llm_leaderboard()
OPEN = """from copa_nb import datasets
models = datasets.load_open_llm_leaderboard()
explorer = models.moo.explore()
explorer"""
MARGIN = {"left": 62, "right": 16, "top": 14, "bottom": 44}


@pytest.fixture
def page(notebook):
    page = notebook.run(OPEN)
    page.wait_for_selector(".copa-view[data-revision]", state="attached")
    return page


def _settled(page):
    """Wait until nothing has been drawn for a while."""
    last = None
    while last != (last := page.get_attribute(".copa-view", "data-revision")):
        page.wait_for_timeout(400)


def _shown(page):
    return page.inner_text(".copa-card-title"), [
        row.inner_text() for row in page.query_selector_all(".copa-table:first-child tbody td:nth-child(3)")
    ]


def _row(page, name):
    return page.locator(".copa-row", has_text=name)


def _agrees(notebook, page):
    """What is on the page is what copa says, computed here, for the state that the kernel holds."""
    _settled(page)
    answered = notebook.execute("print(repr((explorer.state.weights, str(explorer.state.p), explorer.code)))")
    weights, p, code = ast.literal_eval(answered[answered.index("(") : answered.rindex(")") + 1])
    direct = MODELS.moo.copa(p=p, weights=list(weights))
    best, ranking = _shown(page)
    assert best == direct.best
    assert ranking == list(direct.table.index[:8])
    assert eval(code, {"df": MODELS}).best == best
    return dict(zip(MODELS.moo.objectives.names, weights, strict=True))


def test_it_opens_with_the_choice_of_equal_weights(notebook, page):
    weights = _agrees(notebook, page)
    assert len(set(weights.values())) == 1
    # The static twin is in the output, and hidden for as long as the live view is there.
    twin = page.locator("[class^=copa-nb-static-]")
    assert twin.count() == 1
    assert not twin.is_visible()
    notebook.execute("explorer.close()")
    page.wait_for_selector("[class^=copa-nb-static-]", state="visible")


def test_dragging_a_slider_chooses_anew(notebook, page):
    before = _shown(page)[0]
    handle = _row(page, "co2_kg").locator(".noUi-handle").bounding_box()
    track = _row(page, "co2_kg").locator(".noUi-target").bounding_box()
    y = handle["y"] + handle["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] / 2, y)
    page.mouse.down()
    for share in np.linspace(0.2, 0.6, 12):
        page.mouse.move(track["x"] + share * track["width"], y)
    page.mouse.up()
    weights = _agrees(notebook, page)
    assert 0.5 < weights["co2_kg"] < 0.7
    assert _shown(page)[0] != before
    shown = sum(float(text) for text in page.locator(".copa-row .widget-readout").all_inner_texts())
    assert shown == pytest.approx(1, abs=0.04)


def test_keys_and_typed_values_move_a_weight(notebook, page):
    _row(page, "co2_kg").locator(".noUi-handle").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    _settled(page)
    assert _agrees(notebook, page)["co2_kg"] == pytest.approx(0.17, abs=0.011)
    readout = _row(page, "ifeval").locator(".widget-readout")
    readout.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    _settled(page)
    assert _agrees(notebook, page)["ifeval"] == 0.5


def test_a_locked_weight_stays(notebook, page):
    _row(page, "gpqa").locator("button").click()
    _settled(page)
    _row(page, "co2_kg").locator(".noUi-handle").focus()
    page.keyboard.press("PageUp")
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    weights = _agrees(notebook, page)
    assert weights["gpqa"] == 0.1429
    assert weights["co2_kg"] > 0.2
    assert _row(page, "gpqa").locator("button i.fa-lock").count() == 1


def _place(canvas, model):
    """Where a model must be on the canvas: horizontal logarithmic, vertical linear, 4 % room on each side."""
    x, y = np.log10(MODELS["co2_kg"]), MODELS["ifeval"]
    shares = []
    for column in (x, y):
        low, high = column.min(), column.max()
        room = 0.04 * (high - low)
        shares.append((column[model] - low + room) / (high - low + 2 * room))
    width = canvas["width"] - MARGIN["left"] - MARGIN["right"]
    height = canvas["height"] - MARGIN["top"] - MARGIN["bottom"]
    return (
        canvas["x"] + MARGIN["left"] + shares[0] * width,
        canvas["y"] + MARGIN["top"] + (1 - shares[1]) * height,
    )


def test_hovering_names_a_point_and_clicking_pins_it(notebook, page):
    page.locator(".copa-canvas canvas").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    canvas = page.locator(".copa-canvas canvas").bounding_box()
    model = MODELS["co2_kg"].idxmin()
    x, y = _place(canvas, model)
    page.mouse.move(x, y)
    page.wait_for_selector(".copa-tip:not([hidden])")
    assert page.inner_text(".copa-tip strong") == model
    page.mouse.click(x, y)
    page.wait_for_selector("text=Pinned for comparison")
    _settled(page)
    pinned = page.locator(".copa-table").nth(1).locator("tbody tr")
    assert pinned.count() == 1
    assert model in pinned.inner_text()
    assert notebook.execute("print(explorer.data.matrix.index[explorer.state.pinned[0]])").strip().endswith(model)
    pinned.locator("button").click()
    page.wait_for_selector("text=Pinned for comparison", state="detached")


def test_the_front_can_be_walked_with_keys(notebook, page):
    page.locator(".copa-canvas canvas").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".copa-tip:not([hidden])")
    first = page.inner_text(".copa-tip strong")
    front = MODELS.moo.front()
    assert first == front["co2_kg"].idxmin()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Pinned for comparison")
    page.keyboard.press("Escape")
    page.wait_for_selector(".copa-tip", state="hidden")


def test_code_can_be_shown(notebook, page):
    page.locator(".copa-code summary").click()
    code = page.inner_text(".copa-code pre")
    assert eval(code, {"df": MODELS}).best == _shown(page)[0]


def test_it_fits_a_narrow_window(notebook, page):
    page.set_viewport_size({"width": 600, "height": 1400})
    page.wait_for_timeout(600)
    box = page.locator(".copa-view").bounding_box()
    assert box["width"] < 560
    overflow = page.evaluate(
        "() => { const v = document.querySelector('.copa-explorer'); return v.scrollWidth - v.clientWidth; }"
    )
    assert overflow <= 2
    picture, card = (page.locator(part).bounding_box() for part in (".copa-picture", ".copa-card"))
    assert card["y"] >= picture["y"] + picture["height"]


def test_labels_are_never_markup(notebook):
    page = notebook.run(
        """import pandas as pd, copa_nb
names = ['<img src=x onerror="window.hacked=1">', '</script><script>window.hacked=1</script>', '&amp;']
frame = pd.DataFrame({'<b>a</b>': [1., 2, 3], 'class': [3., 2, 1]}, index=names)
explorer = frame.moo({'<b>a</b>': 'max', 'class': 'max'}).explore()
explorer.pin('&amp;')
explorer"""
    )
    page.wait_for_selector(".copa-view[data-revision]", state="attached")
    assert page.inner_text(".copa-card-title") == "</script><script>window.hacked=1</script>"
    page.locator(".copa-canvas canvas").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".copa-tip:not([hidden])")
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".copa-view img, .copa-view b, .copa-view script").count() == 0


def test_fifty_thousand_rows_stay_usable(notebook):
    page = notebook.run(
        """import numpy as np, pandas as pd, copa_nb
rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.normal(size=(50_000, 4)).cumsum(axis=1), columns=list('abcd'))
explorer = frame.moo(a='max', b='max', c='min', d='min').explore()
explorer"""
    )
    page.wait_for_selector(".copa-view[data-revision]", state="attached")
    before = int(page.get_attribute(".copa-view", "data-revision"))
    _row(page, "b ↑").locator(".noUi-handle").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => Number(document.querySelector('.copa-view').dataset.revision) > before", arg=before, timeout=5000
    )
    assert math.isclose(float(_row(page, "b ↑").locator(".widget-readout").inner_text()), 0.26)
