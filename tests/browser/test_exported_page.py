"""The exported page, from disk and without a network: what it shows, and every way to move it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from copa_nb import datasets
from copa_nb.tables.objectives import resolve_objectives
from tests import asked
from tests.browser.steps import settle
from tests.each import hold_for_each

MODELS = datasets.load_open_llm_leaderboard()
TITLES = resolve_objectives(MODELS).titles
MARGIN = {"left": 62, "right": 16, "top": 14, "bottom": 44}


@pytest.fixture
def show(browser, tmp_path):
    """Export an explorer and open the file; what it asked the network for would be an error of the page."""

    def opened(explorer, fragment=""):
        with explorer:
            file = explorer.export_html(tmp_path / "page.html")
        page = browser.new_page(viewport={"width": 1400, "height": 1200}, offline=True)
        page.goto(file.as_uri() + fragment)
        _settled(page)
        return page

    return opened


def _settled(page):
    """Wait until the page has answered; the browser tells it of a new size only with the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    settle(page)


def _weights(page, labels=TITLES):
    _settled(page)
    return [float(page.get_by_label(f"Weight of {label}, typed").input_value()) for label in labels]


def _agrees(page):
    """What is on the page is what copa says."""
    _settled(page)
    direct = eval(page.locator(".copa-code pre").text_content(), {"df": MODELS})
    assert page.inner_text(".copa-card-title") == direct.best
    names = [cell.text_content() for cell in page.query_selector_all(".copa-table:first-child tbody td:nth-child(3)")]
    assert names == list(direct.table.index[: len(names)])
    return direct


_OPERABLE = {"button", "slider", "spinbutton", "combobox", "searchbox", "textbox", "application", "region"}


def _all_that_can_be_operated_has_a_name_of_its_own(page):
    """In the accessibility tree, which screen readers read."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    nodes = [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in tree if not n["ignored"] and "role" in n]
    operable = [node for node in nodes if node[0] in _OPERABLE]
    assert len(operable) > 5
    assert [role for role, name in operable if not name.strip()] == []
    inputs = [node for node in operable if node[0] in ("slider", "spinbutton", "combobox", "searchbox")]
    assert len(set(inputs)) == len(inputs)
    assert [role for role, _ in nodes].count("heading") > 1


def choices_are_those_of_copa(show):
    page = show(MODELS.moo.explore())
    _all_that_can_be_operated_has_a_name_of_its_own(page)
    a_slider_is_dragged(page)
    a_weight_is_typed_and_locked(page)
    order_scale_and_limit_are_changed_by_keyboard(page)
    the_last_change_is_undone_and_made_again(page)
    the_address_can_be_sent(page, show)


def a_slider_is_dragged(page):
    first = _agrees(page)
    box = page.get_by_label("Weight of CO₂ (kg) ↓", exact=True).bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    dragged = _agrees(page)
    assert dragged.best != first.best
    assert 0.5 < dragged.weights["co2_kg"] < 0.7


def a_weight_is_typed_and_locked(page):
    typed = page.get_by_label("Weight of ifeval ↑, typed")
    typed.fill("0.5")
    typed.press("Enter")
    assert _agrees(page).weights["ifeval"] == pytest.approx(0.5, abs=1e-4)
    lock = page.get_by_label("Lock the weight of ifeval ↑")
    assert lock.get_attribute("aria-pressed") == "false"
    lock.click()
    expect(lock).to_have_attribute("aria-pressed", "true")
    assert page.get_by_label("Weight of ifeval ↑", exact=True).is_disabled()
    page.get_by_label("Weight of CO₂ (kg) ↓", exact=True).press("Home")
    assert _weights(page)[0] == 0.5
    assert _weights(page)[6] == 0


def order_scale_and_limit_are_changed_by_keyboard(page):
    for _ in range(4):
        page.get_by_label("Order of the norm, 1 to infinity").press("ArrowLeft")
    page.get_by_label("normalization").select_option(label="min-max")
    high = page.get_by_label("Highest allowed CO₂ (kg) ↓, typed")
    high.fill("2")
    high.press("Enter")
    last = _agrees(page)
    assert last.normalize == "minmax"
    assert last.p == 8
    assert last.counts()[0] == (MODELS["co2_kg"] <= 2).sum()


def the_last_change_is_undone_and_made_again(page):
    last = _agrees(page)
    page.get_by_role("button", name="Undo the last change").click()
    assert _agrees(page).counts()[0] == len(MODELS)
    page.locator(".copa-canvas canvas").first.press("Control+Shift+Z")
    again = _agrees(page)
    assert (again.best, again.counts()) == (last.best, last.counts())


def the_address_can_be_sent(page, show):
    fragment = page.evaluate("() => location.hash")
    assert fragment.startswith("#w=[")
    other = show(MODELS.moo.explore(), fragment)
    assert _agrees(other).best == _agrees(page).best
    assert _weights(other) == _weights(page)


def _place(canvas, model):
    """Where a model must be on the canvas: least CO₂ right (logarithmic), best score up, 4% room on each side."""
    shares = []
    for column in (np.log10(MODELS["co2_kg"]), MODELS["ifeval"]):
        low, high = column.min(), column.max()
        room = 0.04 * (high - low)
        shares.append((column[model] - low + room) / (high - low + 2 * room))
    width = canvas["width"] - MARGIN["left"] - MARGIN["right"]
    height = canvas["height"] - MARGIN["top"] - MARGIN["bottom"]
    left, top = canvas["x"] + MARGIN["left"], canvas["y"] + MARGIN["top"]
    return left + (1 - shares[0]) * width, top + (1 - shares[1]) * height


def brushes_select_in_all_parts_and_can_be_saved(show):
    page = show(MODELS.moo.explore())
    canvas = page.locator(".copa-canvas canvas").first.bounding_box()
    cheap = MODELS.nsmallest(3, "co2_kg").index
    corners = np.array([_place(canvas, model) for model in cheap])
    low, high = corners.min(axis=0) - 5, corners.max(axis=0) + 5
    page.mouse.move(*low)
    page.mouse.down()
    page.mouse.move(*(low + 10))
    page.mouse.move(*high)
    page.mouse.up()
    _settled(page)
    caption = page.inner_text(".copa-caption >> nth=0")
    selected = int(re.search(r"Ranking of ([\d,]+) selected", caption)[1].replace(",", ""))
    with page.expect_download() as saved:
        page.get_by_label("Save these rows as CSV").first.click()
    table = pd.read_csv(saved.value.path())
    assert len(table) == selected
    assert set(cheap) <= set(table["model"])
    order = MODELS.moo.copa().table
    assert table["rank"].tolist() == order.loc[table["model"], "rank"].tolist()
    assert np.allclose(table["CO₂ (kg) ↓"], MODELS.loc[table["model"], "co2_kg"])
    # By keyboard on the parallel coordinates: only rows that fewer than 95% beat in the first objective.
    page.locator(".copa-canvas canvas").first.press("Escape")
    page.locator(".copa-canvas canvas").nth(1).press("ArrowUp")
    _settled(page)
    ranks = MODELS.moo.normalize()["ifeval"]
    assert f"Ranking of {int((ranks <= 0.95).sum()):,} selected" in page.inner_text(".copa-caption >> nth=0")
    page.keyboard.press("Escape")
    _settled(page)
    assert page.inner_text(".copa-caption >> nth=0") == "Ranking"


def _credit():
    runs = datasets.load_german_credit_runs()
    runs = runs[(runs["model"] == "random forest") & (runs["seed"] == runs["seed"].iloc[0])]
    return runs.head(120).reset_index(drop=True)


def _seeds():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"agent": ["A"] * 5 + ["B"] * 5, "run": [1, 2, 3, 4, 5] * 2})
    frame["acc"] = np.where(frame["agent"] == "A", 0.8, 0.74) + rng.normal(0, 0.02, 10)
    frame["cost"] = np.where(frame["agent"] == "A", 2.0, 2.5) + rng.normal(0, 0.2, 10)
    return frame.moo.define(acc="max", cost="min")


GAP = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0.0, "recall": 0.0}}


def the_gap_follows_the_budget(show):
    page = show(asked.gap(_credit(), **GAP).explore())
    for budget in (1, 40, 77, 120):
        page.get_by_label("Number of evaluations, typed").fill(str(budget))
        page.get_by_label("Number of evaluations, typed").press("Enter")
        _settled(page)
        direct = asked.gap(_credit().head(budget), **GAP)
        assert page.inner_text(".copa-card-title") == f"Approximation gap {direct.gap:.4g}"
        rows = page.locator(".copa-table tbody tr td:nth-child(2)").all_inner_texts()
        assert rows == [str(row) for row in direct.validation_front[: len(rows)]]
        code = page.locator(".copa-code pre").text_content()
        assert eval(code, {"df": _credit()}).gap == direct.gap


def p_follows_the_number_of_runs_without_a_kernel(show):
    runs = _seeds()
    asking = {"system": "agent", "repeat": "run", "new": "A", "baseline": "B", "n_resamples": 500}
    explorer = asked.hv_test(runs, **asking).explore()
    page = show(explorer)
    for _ in range(2):
        page.get_by_label("Runs per system (first runs)", exact=True).press("ArrowLeft")
    page.get_by_label("Alternative hypothesis").select_option(label="greater")
    _settled(page)
    asking |= {"alternative": "greater", "reference": explorer.test.reference}
    direct = asked.hv_test(runs[runs["run"] <= 3], **asking)
    assert page.inner_text(".copa-card-title") == f"p = {direct.pvalue:.3g} (exact)"
    assert page.get_by_label("Reference point in cost ↓ (needs a kernel)", exact=True).is_disabled()


def stepping_through_posets_without_a_kernel(show):
    page = show(asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").explore())
    assert page.inner_text(".copa-card-title") == "problem P2"
    page.get_by_label("Number of orders included", exact=True).press("End")
    _settled(page)
    # The shallowest of the paper's eight.
    assert page.inner_text(".copa-card-title") == "problem P8"
    assert page.locator(".copa-bar-text").last.inner_text() == "0.2938"


def questions_without_a_kernel_are_shown_and_saved(show):
    explorer = MODELS.head(150).moo.copa().elicit()
    explorer.answer("first")
    page = show(explorer)
    _all_that_can_be_operated_has_a_name_of_its_own(page)
    assert page.get_by_role("button", name="A is better").is_disabled()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the answers").click()
    assert json.loads(saved.value.path().read_text()) == explorer._plain_statements()


WALKS = [
    choices_are_those_of_copa, brushes_select_in_all_parts_and_can_be_saved, the_gap_follows_the_budget,
    p_follows_the_number_of_runs_without_a_kernel, stepping_through_posets_without_a_kernel,
    questions_without_a_kernel_are_shown_and_saved,
]  # fmt: skip


@pytest.mark.slow
def test_an_exported_page_answers_without_a_kernel(show):
    hold_for_each(WALKS, lambda walk: walk(show))
