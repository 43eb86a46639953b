"""Pages on a small phone and on a desk: nothing runs over the edge, all can be touched, a picture comes first."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import asked
from tests.browser.steps import settle
from tests.each import hold_for_each

WIDTH = 320
DESK = {"width": 1100, "height": 900}
LOWEST_PICTURE, HIGHEST_PAGE, MOST_FIGURES = 700, 4500, 3
# Smallest target of WCAG 2.2, success criterion 2.5.8, in CSS pixels.
SMALLEST = 24
LONG = "meta_llama_Meta_Llama_3_1_405B_Instruct_quantized_w4a16_checkpoint_00012000"
COLUMNS = {f"accuracy_of_{LONG}": "max", f"cost_of_{LONG}": "min"}
# Links within a sentence are excepted: their height is the line's.
_SMALL_TARGETS = """smallest => [
  ...document.querySelectorAll("button, select, summary, input, nav a, li > a:only-child")
]
  .filter((e) => e.checkVisibility({ checkVisibilityCSS: true }) && !e.closest("[aria-hidden=true]"))
  .map((e) => [e.outerHTML.slice(0, 120), e.getBoundingClientRect()])
  .filter(([, box]) => box.width && Math.min(box.width, box.height) < smallest - 0.01)
  .map(([html, box]) => `${box.width.toFixed(1)} x ${box.height.toFixed(1)}: ${html}`)"""
_BEYOND = """width => [...document.querySelectorAll("body *")]
  .filter((e) => e.getBoundingClientRect().right > width + 1).map((e) => e.outerHTML.slice(0, 100)).slice(0, 5)"""

_UNDER_A_MENU = """() => {
  const menus = [...document.querySelectorAll(".menu > summary")].map((e) => e.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const isUnder = (caption) => {
    const text = document.createRange();
    text.selectNodeContents(caption);
    return [...text.getClientRects()].some((line) => menus.some((menu) => meet(line, menu)));
  };
  return [...document.querySelectorAll("figcaption, .caption")].filter(isUnder).map((e) => e.textContent.slice(0, 80));
}"""

_PICTURES = """() => [...document.querySelectorAll("figure.plot")].filter(
  (e) => e.checkVisibility({ contentVisibilityAuto: true, checkVisibilityCSS: true }))
  .map((e) => e.querySelector("img").getBoundingClientRect().top)"""


def long_named(n=12):
    rng = np.random.default_rng(0)
    names = [f"{LONG}_{k}" for k in range(n)]
    return pd.DataFrame({name: rng.random(n) for name in COLUMNS}, index=pd.Index(names, name=f"model_{LONG}"))


def long_runs():
    runs = pd.concat([long_named(4).assign(run=run) for run in range(5)]).reset_index()
    return runs.assign(**{name: runs[name] + 0.01 * runs["run"] for name in COLUMNS})


SYSTEM = f"model_{LONG}"
RESULTS = {
    "copa": lambda: asked.copa(long_named(), objectives=COLUMNS),
    "groups": lambda: asked.copa(long_runs(), objectives=COLUMNS, by=SYSTEM),
    "audit": lambda: asked.audit(long_runs(), system=SYSTEM, objectives=COLUMNS, progress=False),
    "posets": lambda: asked.posets(long_runs(), system=SYSTEM, item="run", objectives=COLUMNS).depth(),
}
SIDES = {"new": f"{LONG}_0", "baseline": f"{LONG}_1"}
EXPLORERS = {
    "choice": lambda: asked.explore(long_named(), objectives=COLUMNS),
    "test": lambda: asked.hv_test(long_runs(), system=SYSTEM, **SIDES, objectives=COLUMNS, n_resamples=100).explore(),
}


@pytest.mark.slow
def test_results_explorers_and_reports_fit_their_screens(browser, own_reports, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, make in RESULTS.items():
        make().to_html(tmp_path / f"{kind}.html")
    for kind, make in EXPLORERS.items():
        with make() as explorer:
            explorer.export_html(tmp_path / f"explorer of {kind}.html")
    long_named().to_csv(f"{LONG}.csv")
    copa_nb.report("yours/select", out="long", table=f"{LONG}.csv", objectives=COLUMNS, progress=False)
    own = [*own_reports.rglob("report.html")]
    phone = browser.new_page(viewport={"width": WIDTH, "height": 640}, has_touch=True, is_mobile=True, offline=True)
    files = [*tmp_path.glob("*.html"), *(tmp_path / "long").rglob("report.html"), *own]
    hold_for_each(files, lambda file: fits_a_phone(phone, file))
    desk = browser.new_page(viewport=DESK, offline=True)
    hold_for_each(own, lambda file: opens_with_its_picture_and_ends_soon(desk, file))


def fits_a_phone(page, file):
    page.goto(file.as_uri())
    if page.locator(".copa-view").count():
        settle(page)
    assert page.evaluate(_UNDER_A_MENU) == []
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH, page.evaluate(_BEYOND, WIDTH)
    assert page.evaluate(_SMALL_TARGETS, SMALLEST) == []


def opens_with_its_picture_and_ends_soon(page, file):
    page.goto(file.as_uri())
    pictures = page.evaluate(_PICTURES)
    assert 1 <= len(pictures) <= MOST_FIGURES
    assert min(pictures) < LOWEST_PICTURE
    assert page.evaluate("document.documentElement.scrollHeight") <= HIGHEST_PAGE
