"""What several walks do: move a weight, choose a file, open a tab. A place is a page, or a part of one."""

from copa_nb import datasets
from copa_nb.tables.objectives import resolve_objectives

MODELS = datasets.load_open_llm_leaderboard().head(300)
# Units, separators of thousands, a name that is no identifier, empty cells.
AWKWARD = """model;accuracy (%);price;ms;license
ViT-B;81,5 %;$1,299.00;12;MIT
ResNet;76,1 %;$80.50;5;MIT
Swin-L;86,3 %;$2,450.00;;
ConvNeXt;84,1 %;$990.00;19;Apache
MobileNet;72,0 %;$25.00;3;Apache
DeiT;81,8 %;$640.00;11;Apache
"""
_CUT_OFF = """() => {
  const panel = document.querySelector('.copa-control-panel'), end = panel.getBoundingClientRect().right + 1;
  const scrolls = e => e !== panel && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
  return [...panel.querySelectorAll('*')]
    .filter(e => e.checkVisibility() && e.getBoundingClientRect().width && e.getBoundingClientRect().right > end)
    .filter(e => !scrolls(e.parentElement)).map(e => e.outerHTML.slice(0, 150));
}"""


def settle(place):
    place.locator(".copa-view[data-settled]").wait_for(state="attached")


def raise_weight(place):
    """Hold the right arrow on the slider of CO2; returns what the page then chooses, which must be copa's choice."""
    titles = resolve_objectives(MODELS).titles
    settle(place)
    card = place.locator(".copa-card-title").first
    before = card.inner_text()
    for _ in range(30):
        place.get_by_label("Weight of CO₂ (kg) ↓", exact=True).press("ArrowRight")
    settle(place)
    weights = [float(place.get_by_label(f"Weight of {title}", exact=True).input_value()) for title in titles]
    assert 0.4 < weights[-1] < 0.46
    typed = [float(place.get_by_label(f"Weight of {title}, typed").input_value()) for title in titles]
    chosen = card.inner_text()
    assert chosen == MODELS.moo.copa(weights=typed).best != before
    return chosen


def choose_file(page, file):
    with page.expect_file_chooser() as chooser:
        page.locator(".copa-drop").click()
    chooser.value.set_files(file)


def click(place, words):
    place.get_by_role("button", name=words).click()


def choose(place, title, option):
    place.get_by_label(title, exact=True).select_option(option)


def first_sentence(place, tab="Choose"):
    """Open a tab of the panel; returns the first sentence there."""
    place.get_by_role("tab", name=tab).click()
    place.get_by_role("tab", name=tab, selected=True).wait_for()
    said = place.locator(".copa-headline").filter(visible=True).first
    said.wait_for()
    return said.inner_text()


def cut_off(page):
    """What is cut off at the right end of the panel, although it is not in a part that scrolls."""
    return page.evaluate(_CUT_OFF)
