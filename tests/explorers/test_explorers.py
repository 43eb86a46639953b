"""Explorers without a browser: controls, one redraw per move, static twins, escaping, and their end."""

import gc
import itertools
import weakref
from html.parser import HTMLParser

import ipywidgets
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from ipywidgets.widgets.widget import _instances

import copa_nb
from copa_nb import datasets
from copa_nb.explorers.explorer import all_widgets
from copa_nb.explorers.significance import first_runs
from copa_nb.partial_orders.posets import GroupsOmittedWarning

LEADERBOARD = datasets.load_open_llm_leaderboard()
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "a & b \"quoted\" 'twice' $x$"]
SMALL = pd.DataFrame({"<b>acc</b>": [0.9, 0.8, 0.7, 0.4], "co2 & co": [3.0, 1.5, 1.0, 0.5]}, index=[*HOSTILE, "plain"])
DIRECTIONS = {"<b>acc</b>": "max", "co2 & co": "min"}


def _credit(rows=120):
    runs = datasets.load_german_credit_runs()
    return (
        runs[(runs["model"] == "random forest") & (runs["seed"] == runs["seed"].iloc[0])]
        .head(rows)
        .reset_index(drop=True)
    )


def _seeds():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"agent": ["A"] * 5 + ["B"] * 5, "run": [1, 2, 3, 4, 5] * 2})
    frame["acc"] = np.where(frame["agent"] == "A", 0.8, 0.74) + rng.normal(0, 0.02, 10)
    frame["cost"] = np.where(frame["agent"] == "A", 2.0, 2.5) + rng.normal(0, 0.2, 10)
    return frame.moo.define(acc="max", cost="min")


OPENERS = {
    "choice": lambda: LEADERBOARD.moo.explore(),
    "hostile": lambda: SMALL.moo(DIRECTIONS).explore(),
    "elicitation": lambda: SMALL.moo(DIRECTIONS).elicit(),
    "posets": lambda: datasets.load_deepobs().moo.explore_posets(item="optimizer", by="problem"),
    "gap": lambda: copa_nb.explore_gap(_credit(), objectives={"precision": "max", "recall": "max"}),
    "test": lambda: _seeds().moo.explore_test(system="agent", seed="run", new="A", baseline="B", n_resamples=500),
}


@pytest.fixture(params=OPENERS)
def explorer(request):
    with OPENERS[request.param]() as opened:
        yield opened


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.sources = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.sources += [value for name, value in attrs if name in ("src", "href")]
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_static_twins(explorer):
    page = explorer.to_html()
    parsed = _Tags()
    parsed.feed(page)
    assert not parsed.tags & {"script", "b", "link", "iframe"}
    assert all(source.startswith("data:image/png;base64,") for source in parsed.sources)
    assert len(parsed.sources) == 1
    figure = explorer.to_figure()
    figure.canvas.draw()
    assert figure.axes


def test_every_control_is_named(explorer):
    def walk(widget):
        for child in getattr(widget, "children", ()):
            yield from walk(child)
        yield widget

    found = [w for w in walk(explorer.widget) if isinstance(w, ipywidgets.ValueWidget | ipywidgets.Button)]
    found = [w for w in found if not isinstance(w, ipywidgets.Label)]
    assert found
    for control in found:
        assert control.tooltip, control
        assert control.description or isinstance(control, ipywidgets.ToggleButton)


def test_scenes_are_plain_json(explorer):
    import json

    json.dumps(explorer.view.scene, allow_nan=False)


def test_closing_gives_everything_back(explorer):
    twin, shown = weakref.ref(explorer.view), repr(explorer)
    opened = [widget.model_id for widget in all_widgets(explorer.widget)]
    assert set(opened) <= set(_instances)
    explorer.close()
    explorer.close()
    gc.collect()
    assert twin() is None
    assert explorer.widget is None
    assert not set(opened) & set(_instances)
    assert repr(explorer) == shown
    assert "<img" in explorer.to_html()


def test_many_openings_leave_nothing_behind():
    frame = LEADERBOARD.head(200)
    with frame.moo.explore():
        pass
    gc.collect()
    before, counts = len(_instances), []
    for _ in range(5):
        explorer = frame.moo.explore()
        explorer.set_weight("co2_kg", 0.5)
        explorer.close()
        counts.append(weakref.ref(explorer))
    del explorer
    gc.collect()
    assert len(_instances) == before
    assert not [ref for ref in counts if ref() is not None]


# ------------------------------------------------------------------------------------------------- choice


@pytest.fixture
def choice():
    with LEADERBOARD.moo.explore() as opened:
        yield opened


def _scenes(explorer):
    seen = []
    explorer.view.observe(lambda change: seen.append(change["new"]["revision"]), names="scene")
    return seen


def test_a_slider_moves_the_others_and_draws_once(choice):
    seen = _scenes(choice)
    choice._weights[6].value = 0.4
    assert len(seen) == 1
    assert sum(control.value for control in choice._weights) == pytest.approx(1, abs=0.03)
    assert choice.best == LEADERBOARD.moo.copa(weights={"co2_kg": 0.4}).best
    card = choice.view.scene["cards"][0]
    assert card["title"] == choice.best
    assert " ".join(card["lines"][:-1]) == choice.selection.explain()
    ranking = choice.view.scene["tables"][0]
    assert [row[1] for row in ranking["rows"]] == list(choice.selection.table.index[:8])


def test_what_a_slider_reports_of_its_own_rounding_is_no_move(choice):
    seen = _scenes(choice)
    before = choice.state
    for control in choice._weights:
        control.value = 0.142
    assert choice.state == before
    assert not seen


def test_locks_hold_and_disable_the_slider(choice):
    choice._weights[0].value = 0.3
    choice._locks[0].value = True
    assert choice._weights[0].disabled
    choice._weights[6].value = 0.9
    assert choice.state.weights[0] == 0.3
    assert choice.state.weights[6] == 0.7
    assert choice._weights[6].value == 0.7


def test_every_control_changes_the_choice_as_copa_would(choice):
    choice._p.value = 2.0
    choice._how.value = "minmax"
    choice._limits[6].value = (choice._limits[6].min, 2.0)
    limit = choice.state.ranges[6][1]
    expected = LEADERBOARD.moo.copa(p=2, normalize="minmax", where=f"co2_kg <= {limit!r}")
    assert choice.best == expected.best == choice.selection.best
    assert (
        choice.view.flags
        == (choice.data.front.astype(np.uint8) + 2 * (LEADERBOARD["co2_kg"] <= limit).to_numpy(np.uint8)).tobytes()
    )


def test_axes_send_the_points_once(choice):
    xy = np.frombuffer(choice.view.xy, np.float32).reshape(-1, 2)
    assert np.array_equal(xy, LEADERBOARD[["co2_kg", "ifeval"]].to_numpy(np.float32))
    sent = []
    choice.view.observe(lambda change: sent.append(change["name"]), names=["xy", "flags", "names"])
    choice._weights[0].value = 0.5
    assert sent == []
    choice._scale.value = "cdf"
    assert sent == ["xy"]
    ranks = LEADERBOARD.moo.normalize()[["co2_kg", "ifeval"]].to_numpy(np.float32)
    assert np.array_equal(np.frombuffer(choice.view.xy, np.float32).reshape(-1, 2), ranks)


def test_a_limit_that_leaves_nothing_is_said_and_the_last_choice_stays():
    frame = pd.DataFrame({"a": [1.0, 5.0, 9.0], "b": [1.0, 5.0, 9.0]}).moo.define(a="max", b="min")
    with frame.moo.explore() as explorer:
        best = explorer.best
        explorer._limits[0].value = (2.0, 4.0)
        assert "No row lies within all limits" in explorer.view.scene["message"]
        assert explorer.best == best
        explorer._limits[0].value = (1.0, 9.0)
        assert explorer.view.scene["message"] == ""


def test_a_normalisation_that_cannot_be_is_said():
    frame = pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, 2.0]}).moo.define(a="max", b="min")
    with frame.moo.explore() as explorer:
        explorer._how.value = "minmax"
        assert "'a'" in explorer.view.scene["message"]


def test_clicks_pin_and_foreign_messages_do_nothing(choice):
    choice.view._handle_custom_msg({"kind": "pick", "id": 7}, [])
    assert choice.state.pinned == (7,)
    assert choice.view.scene["tables"][1]["rows"][0][1] == LEADERBOARD.index[7]
    for content in ({"kind": "pick", "id": "7"}, {"kind": "other", "id": 1}, "text", {"kind": "pick", "id": 10**9}):
        choice.view._handle_custom_msg(content, [])
    assert choice.state.pinned == (7,)
    choice.pin(LEADERBOARD.index[7])
    assert choice.state.pinned == ()
    with pytest.raises(ValueError, match="`label`"):
        choice.pin("nobody")


def test_two_explorers_share_nothing(choice):
    with LEADERBOARD.moo.explore() as other:
        choice.set_weight("co2_kg", 0.9)
        assert other.state.weights[6] == pytest.approx(1 / 7, abs=1e-4)


# ---------------------------------------------------------------------------------------------- the others


def test_the_gap_follows_the_budget():
    runs = _credit()
    options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0.0, "recall": 0.0}}
    with copa_nb.explore_gap(runs, **options) as explorer:
        for budget in (1, 40, 77):
            explorer._budget.value = budget
            direct = runs.head(budget).moo.gap(**options)
            assert explorer.gap.gap == direct.gap
            assert list(explorer.gap.validation_front) == list(direct.validation_front)
            assert eval(explorer.code, {"df": runs}).hv_validation == direct.hv_validation
            assert explorer.view.scene["cards"][0]["lines"] == [direct.explain()]


def test_the_test_follows_reference_point_and_runs():
    runs = _seeds()
    with runs.moo.explore_test(system="agent", seed="run", new="A", baseline="B", n_resamples=500) as explorer:
        explorer.set_reference("cost", 3.5)
        explorer.set_runs(3)
        explorer._alternative.value = "greater"
        direct = runs[runs["run"] <= 3].moo.hv_test(
            system="agent", seed="run", new="A", baseline="B", n_resamples=500, alternative="greater",
            reference=explorer.test.reference,
        )  # fmt: skip
        assert explorer.test.reference["cost"] == 3.5
        assert explorer.test.pvalue == direct.pvalue
        assert eval(explorer.code, {"df": runs, "copa_nb": copa_nb}).pvalue == direct.pvalue
        heights = explorer.view.scene["charts"][1]["layers"][1]["y"]
        assert sum(heights) == len(direct.null_distribution)
        explorer.set_reference("cost", 0.1)
        assert "reference" in explorer.view.scene["message"]


@pytest.mark.parametrize(("x", "y"), [(0, 1), (1, 0), (0, 0)])
def test_outlines_of_fronts_follow_the_axes_chosen(x, y):
    runs = _seeds()
    names = ["acc", "cost"]
    with runs.moo.explore_test(system="agent", seed="run", new="A", baseline="B", n_resamples=50) as explorer:
        horizontal, vertical = explorer.controls[2].children[1:]
        horizontal.value, vertical.value = x, y
        layers = explorer.view.scene["charts"][0]["layers"]
        lines = [layer for layer in layers if layer["kind"] == "line"]
        assert len(lines) == 2
        for line, agent in zip(lines, "AB", strict=True):
            own = runs[runs["agent"] == agent]
            for side, k in (("x", x), ("y", y)):
                assert set(line[side]) <= {*own[names[k]], explorer.test.reference[names[k]]}


def test_runs_may_be_named_by_levels_of_the_index():
    runs = _seeds()
    options = {"system": "agent", "seed": "run", "new": "A", "baseline": "B", "n_resamples": 90}
    first = first_runs(runs.set_index(["agent", "run"]), "agent", "run", 3)
    assert first["acc"].tolist() == runs[runs["run"] <= 3]["acc"].tolist()
    with runs.set_index(["agent", "run"]).moo.explore_test(**options) as explorer:
        explorer.set_runs(3)
        assert (
            explorer.test.pvalue
            == runs[runs["run"] <= 3].moo.hv_test(**options, reference=explorer.test.reference).pvalue
        )


@pytest.mark.parametrize("rng", [7, np.random.default_rng(7), None])
def test_draws_take_a_seed_a_generator_or_none(rng):
    options = {"system": "agent", "seed": "run", "new": "A", "baseline": "B", "n_resamples": 50}
    with _seeds().moo.explore_test(**options, rng=rng) as explorer:
        first = explorer.test.pvalue
        explorer.set_runs(4)
        explorer.set_runs(5)
        assert explorer.test.pvalue == first
        assert eval(explorer.code, {"df": _seeds(), "copa_nb": copa_nb}).pvalue == first


def test_buttons_answer_and_withdraw():
    with SMALL.moo(DIRECTIONS).elicit() as explorer:
        asked = explorer.question
        explorer._answers[1].click()
        assert explorer.elicitation.answers[0].choice == "second"
        assert explorer.elicitation.answers[0].first == asked.first
        explorer._undo.click()
        assert explorer.elicitation.answers == ()
        assert explorer.question.rows == asked.rows


def test_a_contradiction_is_shown_with_what_clashes():
    with SMALL.moo(DIRECTIONS).elicit() as explorer:
        front = list(SMALL.index)
        explorer.update(lambda state: state.answer("first", (front[0], front[3])))
        explorer.update(lambda state: state.answer("second", (front[0], front[3])))
        card = explorer.view.scene["cards"][0]
        assert card["tone"] == "warning"
        assert len(card["lines"]) == 3
        assert all(button.disabled for button in explorer._answers)
        explorer._undo.click()
        assert not explorer.elicitation.conflict


def test_posets_step_by_depth_and_agree_as_a_count_says():
    table = datasets.load_deepobs()
    values = table.set_index(["problem", "optimizer"])[["performance", "speed"]]
    with table.moo.explore_posets(item="optimizer", by="problem") as explorer:
        # The paper's depths of DeepOBS.
        expected = dict(zip(
            [f"P{i}" for i in range(1, 9)],
            [0.62085308, 0.6492891, 0.6492891, 0.52606635, 0.6492891, 0.37914692, 0.2985782, 0.29383886], strict=True,
        ))  # fmt: skip
        assert explorer.depths.to_dict() == pytest.approx(expected, abs=1e-8)
        assert explorer.depths.is_monotonic_decreasing
        for order in ("deepest first", "shallowest first"):
            explorer._order.value = order
            names = list(explorer.depths.index)[:: 1 if order == "deepest first" else -1]
            for count in (1, 3, 8):
                explorer._count.value = count
                agreed = set()
                for i, j in itertools.permutations(table["optimizer"].unique(), 2):
                    pairs = [(values.loc[(group, i)], values.loc[(group, j)]) for group in names[:count]]
                    if all((a <= b).all() and (a < b).any() for a, b in pairs):
                        agreed.add((i, j))
                assert set(explorer.agreed) == agreed


def test_posets_need_every_item_in_every_group():
    table = datasets.load_deepobs()
    with pytest.raises(ValueError, match=r"1 of 24 items are without a row, e\.g\. 'SGD' in group 'P1'"):
        copa_nb.explore_posets(table.iloc[1:], item="optimizer", by="problem")
    with (
        pytest.warns(GroupsOmittedWarning),
        copa_nb.explore_posets(table.iloc[1:], item="optimizer", by="problem", nan_policy="omit") as explorer,
    ):
        assert sorted(explorer.depths.index) == [f"P{i}" for i in range(2, 9)]


@pytest.mark.parametrize("options", [{}, {"alternative": "greater", "level": "mean", "rng": 3, "n_resamples": 90},
                                     {"reference": {"acc": 0.5, "cost": 4.0}, "paired": True}])  # fmt: skip
def test_a_test_opens_the_explorer_that_starts_from_it(options):
    test = _seeds().moo.hv_test(system="agent", seed="run", new="A", baseline="B", **options)
    with test.explore() as explorer:
        assert (explorer.test.pvalue, explorer.test.statistic) == (test.pvalue, test.statistic)
        assert explorer.test.reference == test.reference
        assert explorer.test.options == test.options
        assert explorer._alternative.value == test.options.alternative
        remade = eval(explorer.code, {"df": test.frame, "copa_nb": copa_nb})
        assert remade.pvalue == test.pvalue


def test_results_open_the_explorer_of_what_they_hold():
    sample = datasets.load_deepobs().moo.posets(item="optimizer", by="problem")
    result = sample.only(["P1", "P2", "P3"]).depth(of=sample)
    with sample.explore() as whole, result.explore() as other, sample.explore(max_card=2) as pairs:
        assert whole.depths.to_dict() == sample.depth().depth.to_dict()
        assert other.depths.to_dict() == result.depth.to_dict()
        assert len(other.view.scene["cards"][1]["bars"]) == 8
        assert pairs.depths.to_dict() == sample.depth(max_card=2).depth.to_dict()


def test_depths_that_would_take_long_are_estimated_and_that_is_said():
    sample = datasets.load_moea().moo.posets(item="algorithm", by="problem")
    with sample.explore(method="sample", n_samples=500) as explorer:
        assert "Depths are estimated from random sets." in explorer.view.scene["cards"][0]["lines"]
    with sample.explore() as explorer:
        assert not any("estimated" in line for line in explorer.view.scene["cards"][0]["lines"])


def _drawn(chart):
    texts = next(layer for layer in chart["layers"] if layer.get("fit"))
    lines = [layer for layer in chart["layers"] if layer["kind"] == "line"]
    return dict(zip(texts["texts"], zip(texts["x"], texts["y"], strict=True), strict=True)), lines


def _posets(costs, **options):
    rows = [(f"g{g}", f"item {i}", *values) for g, items in enumerate(costs) for i, values in enumerate(items)]
    frame = pd.DataFrame(rows, columns=["group", "item", "a", "b"])
    return frame.moo.posets(item="item", by="group", objectives={"a": "min", "b": "min"}, **options)


@given(hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(2, 8), st.just(2)), elements=st.integers(0, 5)))
def test_diagrams_put_better_above_and_every_edge_between_its_labels(costs):
    sample = _posets(costs.astype(float))
    with sample.explore() as explorer:
        chart = explorer.view.scene["charts"][0]
        group = explorer.depths.index[0]
        places, lines = _drawn(chart)
        relation = sample.relation(group)
        assert len(set(places.values())) == len(sample.items) == len(places)
        for better, worse in np.argwhere(relation.to_numpy()):
            assert places[sample.items[better]][1] > places[sample.items[worse]][1]
        edges = {(sample.items[i], sample.items[j]) for i, j in np.argwhere(sample.reduction(group).to_numpy())}
        names = {(round(x, 6), round(y, 6)): name for name, (x, y) in places.items()}
        drawn = {tuple(names[round(line["x"][k], 6), round(line["y"][k], 6)] for k in (0, -1)) for line in lines}
        assert drawn == edges
        for x, y in places.values():
            assert chart["x"]["lo"] < x < chart["x"]["hi"]
            assert chart["y"]["lo"] < y < chart["y"]["hi"]


def test_indifferent_items_share_a_label():
    sample = _posets([[[1, 1], [1, 1], [2, 2]], [[1, 1], [2, 2], [3, 3]]], ties="preorder")
    with sample.only(["g0"]).explore() as explorer:
        places, lines = _drawn(explorer.view.scene["charts"][0])
        assert set(places) == {"item 0 = item 1", "item 2"}
        assert len(lines) == 1
