"""What several walks do: move a weight, choose a file, open a tab."""

from copa_nb import datasets
from copa_nb.tables.objectives import resolve_objectives

MODELS = datasets.load_open_llm_leaderboard().head(300)
TITLES = resolve_objectives(MODELS).titles
OPEN_EXPLORER = """from copa_nb import datasets
models = datasets.load_open_llm_leaderboard().head(300)
explorer = models.moo.explore()
"""


def raise_weight_by_keyboard(page, steps=30):
    """Hold the right arrow on the slider of CO2; returns what the page then chooses, which must be copa's choice."""
    page.wait_for_selector(".copa-view[data-settled]", state="attached")
    handle = page.get_by_label("Weight of CO₂ (kg) ↓", exact=True)
    before = page.inner_text(".copa-card-title")
    handle.focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector(".copa-view[data-settled]", state="attached")
    weights = [float(page.get_by_label(f"Weight of {label}", exact=True).input_value()) for label in TITLES]
    assert 0.4 < weights[-1] < 0.46
    typed = [float(page.get_by_label(f"Weight of {label}, typed").input_value()) for label in TITLES]
    chosen = page.inner_text(".copa-card-title")
    assert chosen == MODELS.moo.copa(weights=typed).best != before
    return chosen


# Units, separators of thousands, a name that is no identifier, empty cells.
AWKWARD = """model;accuracy (%);price;ms;license
ViT-B;81,5 %;$1,299.00;12;MIT
ResNet;76,1 %;$80.50;5;MIT
Swin-L;86,3 %;$2,450.00;;
ConvNeXt;84,1 %;$990.00;19;Apache
MobileNet;72,0 %;$25.00;3;Apache
DeiT;81,8 %;$640.00;11;Apache
"""
# What is cut off at the right end of the panel, although it is not in a part that scrolls.
CUT_OFF = """() => {
  const panel = document.querySelector('.copa-control-panel'), end = panel.getBoundingClientRect().right + 1;
  const scrolls = e => e !== panel && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
  return [...panel.querySelectorAll('*')]
    .filter(e => e.checkVisibility() && e.getBoundingClientRect().width && e.getBoundingClientRect().right > end)
    .filter(e => !scrolls(e.parentElement)).map(e => e.outerHTML.slice(0, 150));
}"""


def choose_file(page, file):
    with page.expect_file_chooser() as chooser:
        page.locator(".copa-drop").click()
    chooser.value.set_files(file)


def click(page, words):
    page.get_by_role("button", name=words).click()


def choose(page, title, option):
    page.get_by_label(title, exact=True).select_option(option)


def first_sentence(page, tab="Choose"):
    """The first sentence of a tab, which is opened."""
    page.get_by_role("tab", name=tab).click()
    page.get_by_role("tab", name=tab, selected=True).wait_for()
    said = page.locator(".copa-headline").filter(visible=True).first
    said.wait_for()
    return said.inner_text()
