"""Labels are drawn as they are written: a dollar sign in a column, a row or a group starts no mathematics."""

import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from copa_nb import plots
from copa_nb.comparisons.plots.mean_ranks import plot_ccdf, plot_scaled_performance
from copa_nb.papers.copa.paths import plot_paths, plot_sweep
from copa_nb.partial_orders.plots import plot_hasse_figure
from copa_nb.plotting.style import literal, shorten, shorten_all
from copa_nb.selection.plots.decisions import plot_selection
from copa_nb.selection.plots.distributions import plot_agreement, plot_ecdf_figure, plot_pairs
from copa_nb.selection.plots.rankings import plot_bump
from tests import asked

# Between its dollar signs stands what matplotlib cannot read as mathematics.
FIRST, SECOND, THIRD = "cost $x_{$", "time $y^{$", "size $\\frac$"
ROWS = ["model $a_{$", "model $b^{$", "model $c}$", "model $d\\$", "$e_{$"]
TABLE = pd.DataFrame(
    {FIRST: [3.0, 2.0, 1.0, 2.5, 1.5], SECOND: [1.0, 2.0, 3.0, 2.5, 1.8], THIRD: [2.0, 1.0, 2.0, 3.0, 1.5]}, index=ROWS
)
TWO = TABLE.moo({FIRST: "min", SECOND: "min"})
ALL = TABLE.moo({FIRST: "min", SECOND: "min", THIRD: "min"})
ITEM, GROUP = "tool $t_{$", "task $g_{$"
RNG = np.random.default_rng(0)
RESULTS = pd.DataFrame({ITEM: ROWS[:3] * 4, GROUP: np.repeat([f"$g_{{${i}" for i in range(4)], 3)}).assign(
    **{FIRST: RNG.random(12), SECOND: RNG.random(12)}
)
SEEDS = pd.DataFrame(
    {ITEM: np.repeat(ROWS[:2], 4), GROUP: [f"$s_{{${i}" for i in range(4)] * 2}
    | {FIRST: [0.3, 0.5, 0.4, 0.6, 0.35, 0.55, 0.45, 0.65], SECOND: [0.5, 0.3, 0.6, 0.4, 0.55, 0.35, 0.65, 0.45]}
).moo.define({FIRST: "min", SECOND: "min"})
SEARCHES = pd.DataFrame(
    {ITEM: np.repeat(ROWS[:2], 24), GROUP: np.tile(np.repeat(["$r_{$1", "$r_{$2"], 12), 2), "n": list(range(12)) * 4}
    | {f"{part}_{name}": RNG.uniform(0.1, 0.9, 48) for part in ("val", "test") for name in (FIRST, SECOND)}
).moo.define({f"val_{FIRST}": "min", f"val_{SECOND}": "min"})
CORNER = {FIRST: 1.0, SECOND: 1.0}


def searched(**options):
    return asked.gap(SEARCHES.set_index("n"), reference=CORNER, by=ITEM, **options)


def posets():
    return asked.posets(RESULTS.moo({FIRST: "min", SECOND: "min"}), system=ITEM, item=GROUP)


def compared():
    one, other = (searched(repeat=GROUP)[name] for name in ROWS[:2])
    return one.compare(other)


PLOTS = {
    "audit": lambda: asked.audit(SEEDS, system=ITEM).plot(),
    "bars": lambda: plot_selection(ALL.copa()),
    "boxes": lambda: plot_ccdf(asked.mean_ranks(RESULTS.moo({FIRST: "min"}), system=ITEM, item=GROUP)),
    "boxes, scaled": lambda: plot_scaled_performance(
        asked.mean_ranks(RESULTS.moo({FIRST: "min"}), system=ITEM, item=GROUP, baseline=ROWS[0])
    ),
    "bump": lambda: plot_bump(ALL.copa().criteria([FIRST, 1, "inf"])),
    "depth": lambda: posets().depth().plot(),
    "front": lambda: plots.plot_front(TWO.copa().navigate(FIRST), labels=5),
    "front, ranks": lambda: plots.plot_front(TWO.copa(), normalize="cdf"),
    "gap": lambda: searched()[ROWS[0]].plot(),
    "gap budget": lambda: (
        asked.gap(SEARCHES, order="n", by=ITEM, repeat=GROUP, reference=CORNER).budgets([5, 12]).plot()
    ),
    "gap comparison": lambda: next(iter(compared().comparisons.values())).plot(),
    "gap repeats": lambda: searched(repeat=GROUP)[ROWS[0]].plot(),
    "verdicts": lambda: compared().plot(),
    "hasse": lambda: plots.plot_hasse(posets().relation(posets().items[0])),
    "hasse figure": lambda: plot_hasse_figure(posets()),
    "navigation": lambda: ALL.copa().navigate(FIRST).plot(),
    "null": lambda: asked.hv_test(SEEDS, system=ITEM, new=ROWS[0], baseline=ROWS[1]).plot(),
    "pair counts": lambda: posets().plot(),
    "parallel": lambda: plots.plot_parallel(ALL.copa(), highlight=ROWS[:2]),
    "distributions": lambda: plot_ecdf_figure(ALL.copa(), highlight=ROWS[:2]),
    "pairs": lambda: plot_pairs(ALL.copa()),
    "agreement": lambda: plot_agreement(ALL.copa().criteria([FIRST, 1, "inf"])),
    "stability": lambda: ALL.copa().stability(n_resamples=50, rng=0).plot(),
    "sweep": lambda: plot_sweep({"way $p_{$": TWO.copa().navigate(FIRST)}),
    "paths": lambda: plot_paths({"way $p_{$": TWO.copa().navigate(FIRST)}, at=[0.5], key=True),
    "weights, two": lambda: TWO.copa().sensitivity().plot(),
    "weights, three": lambda: ALL.copa().sensitivity().plot(),
    "weights, four": lambda: (
        TABLE.assign(**{"work $w_{$": TABLE[FIRST] ** 2})
        .moo({**dict(ALL.copa().objectives.directions), "work $w_{$": "min"})
        .copa()
        .sensitivity()
        .plot()
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_dollar_signs_are_drawn_as_written(name):
    drawn = PLOTS[name]()
    figure = getattr(drawn, "figure", drawn)
    figure.canvas.draw()
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert any(r"\$" in text for text in texts)
    # matplotlib's own powers of ten on a logarithmic axis are mathematics by design.
    unescaped = [text for text in texts if re.search(r"(?<!\\)\$", text) and "mathdefault" not in text]
    assert not unescaped
    # One backslash keeps a dollar sign from being mathematics; another one would be drawn. One row has its own.
    drawn = [text.replace(r"\$", "$") for text in texts]
    assert not [text for text in drawn if r"\$" in text.replace(r"d\$", "")]


@pytest.mark.parametrize("most", range(3, 12))
def test_a_cut_label_keeps_its_dollar_signs_escaped(most):
    cut = shorten("ab$cd$ef$gh$", most)
    assert not re.search(r"(?<!\\)\$", cut)
    assert len(cut.replace(r"\$", "$")) <= most
    assert literal("a$b") == r"a\$b"


def test_a_name_that_starts_with_an_underscore_stands_in_the_legend():
    fig, ax = plt.subplots()
    ax.plot([1], [1], label=literal("_baseline"))
    ax.legend()
    fig.canvas.draw()
    assert [text.get_text().lstrip("\u200b") for text in ax.get_legend().get_texts()] == ["_baseline"]


@pytest.mark.parametrize("character", ["\0", "\x07", "\x1b", "\x9f"])
def test_labels_with_control_characters_are_drawn_without_a_warning(character):
    models = pd.DataFrame({"x": [1.0, 2.0], f"y{character}": [2.0, 1.0]}, index=[f"a{character}b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = Figure()
        asked.copa(models, objectives={"x": "min", f"y{character}": "min"}).plot(ax=figure.subplots())
        figure.canvas.draw()


SIMILAR = [f"meta-llama/Meta-Llama-3.1-{size}-Instruct-{how}" for size in ("8B", "70B") for how in ("AWQ-INT4", "BF16")]


@pytest.mark.parametrize("most", [12, 18, 26, 34])
def test_similar_names_keep_what_tells_them_apart(most):
    short = shorten_all(SIMILAR, most)
    assert len(set(short)) == len(SIMILAR)
    assert all("8B" in cut for cut, name in zip(short, SIMILAR, strict=True) if "8B" in name)
    assert max(map(len, short)) < max(map(len, SIMILAR))


def test_a_name_alone_is_told_from_those_that_are_not_drawn():
    assert shorten_all(SIMILAR[:1], 26) == [shorten(SIMILAR[0], 26)]
    assert shorten_all(SIMILAR[:1], 26, among=SIMILAR) == shorten_all(SIMILAR, 26)[:1]


NAMES = st.lists(st.text("ab-/_1. ", min_size=1, max_size=60), min_size=1, max_size=6, unique=True)


@given(NAMES, st.integers(8, 40))
def test_different_names_are_written_differently(names, most):
    assert len(set(shorten_all(names, most))) == len(names)
    assert [cut for cut, name in zip(shorten_all(names, most), names, strict=True) if len(name) <= most] == [
        shorten(name, most) for name in names if len(name) <= most
    ]
