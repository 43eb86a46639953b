"""Explorers without a browser: state, results, exported pages, static twins, escaping, and their end."""

import copy
import gc
import itertools
import json
import math
import re
import sys
import types
import warnings
import weakref
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from ipywidgets.widgets.widget import _instances

import copa_nb
from copa_nb import datasets
from copa_nb.datasets import nondegenerate
from copa_nb.explorers import constants, widget
from copa_nb.explorers.widget import _MODULES, Explorer
from copa_nb.partial_orders.posets import ItemsOmittedWarning
from copa_nb.plotting.style import CHOICE, GRAY, INK, PALETTE
from copa_nb.ranking.arrays import criterion
from copa_nb.ranking.normalize import HOW
from copa_nb.results.note import Note
from copa_nb.results.sentences import explained, part, say
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked, strategies
from tests.policies import check_policy, hashed

VIEW = Path(copa_nb.__file__).parent / "explorers" / "view"

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


def _tested(runs=None, **options):
    """A test of agent A against agent B on their runs."""
    sides = {"system": "agent", "repeat": "run", "new": "A", "baseline": "B"}
    return asked.hv_test(_seeds() if runs is None else runs, **sides, **{"n_resamples": 50, **options})


OPENERS = {
    "choice": lambda: LEADERBOARD.moo.explore(),
    "hostile": lambda: SMALL.moo(DIRECTIONS).explore(),
    "elicitation": lambda: SMALL.moo(DIRECTIONS).copa().elicit(),
    "posets": lambda: asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").explore(),
    "gap": lambda: asked.gap(_credit(), objectives={"precision": "max", "recall": "max"}).explore(),
    "test": lambda: _tested(n_resamples=500).explore(),
}


@pytest.fixture(params=OPENERS)
def explorer(request):
    with OPENERS[request.param]() as opened:
        yield opened


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.sources, self.frames = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [value for name, value in attrs if name in ("src", "href")]
        self.frames += [value for name, value in attrs if name == "srcdoc"]
        assert not [name for name, _ in attrs if name.startswith("on")]


def _parse(page):
    parsed = _Tags()
    parsed.feed(page)
    return parsed


def test_static_twins(explorer):
    parsed = _parse(explorer.to_html())
    assert not set(parsed.tags) & {"script", "b", "link", "iframe"}
    assert all(source.startswith("data:image/png;base64,") for source in parsed.sources)
    assert len(parsed.sources) == 1
    figure = explorer.to_figure()
    figure.canvas.draw()
    assert figure.axes


def test_pages_hold_two_scripts_and_nothing_from_elsewhere(explorer, tmp_path):
    page = explorer.export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    parsed = _parse(page)
    assert parsed.tags.count("script") == 2
    assert parsed.sources == []
    scripts = re.findall(r'(?s)<script type="module">(.*?)</script>', page)
    (style,) = re.findall(r"(?s)<style>(.*?)</style>", page)
    check_policy(page, images=["data:", "blob:"], scripts=scripts, styles=[hashed(style)])
    content = json.loads(re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.S)[1])
    assert content["state"] == json.loads(json.dumps(explorer.state))
    assert content["kind"] == explorer.kind


def test_a_notebook_holds_the_page_over_the_picture(explorer):
    bundle = explorer._twin_bundle()
    parsed = _parse(bundle["text/html"])
    assert len(parsed.frames) == 1
    assert parsed.frames[0].startswith("<!DOCTYPE html>")
    assert "img" in parsed.tags
    assert "script" not in parsed.tags
    assert bundle["text/plain"] == repr(explorer)


def test_what_is_sent_is_plain_json_and_bytes(explorer):
    def plain(value):
        if isinstance(value, bytes):
            return None
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return value

    json.dumps([plain(explorer.data), explorer.state, explorer.scene], allow_nan=False)


def test_closing_gives_everything_back(explorer):
    shown, model = repr(explorer), explorer.model_id
    assert model in _instances
    explorer.close()
    explorer.close()
    assert model not in _instances
    assert repr(explorer) == shown
    assert "<img" in explorer.to_html()


def test_a_copy_moves_on_its_own(explorer):
    explorer.move(**explorer.state)
    before = explorer.state
    for copier in (copy.copy, copy.deepcopy):
        with copier(explorer) as copied:
            assert type(copied).__qualname__ == type(explorer).__qualname__
            assert copied.state == before
            assert copied.to_page() == explorer.to_page()
            copied.move(extra=1)
            assert explorer.state == before


def test_the_copy_of_a_moved_choice_makes_that_choice(choice):
    choice.set_weight("co2_kg", 0.9)
    with copy.copy(choice) as copied:
        assert copied.best == choice.best
        copied.set_weight("co2_kg", 0.0)
        assert choice.state["weights"] != copied.state["weights"]


@pytest.mark.slow
def test_many_openings_leave_nothing_behind():
    frame = LEADERBOARD.head(200)
    with frame.moo.explore():
        pass
    gc.collect()
    before, counts = len(_instances), []
    for _ in range(5):
        explorer = frame.moo.explore()
        explorer.set_weight("co2_kg", 0.5)
        assert explorer.best
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


moves = st.lists(st.tuples(st.sampled_from(["x", "y", "z"]), st.floats(0, 1), st.booleans()), max_size=8)


@settings(deadline=None, max_examples=30)
@given(moves)
def test_weights_sum_to_one_and_locked_ones_stay(moved):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [2.0, 1.0], "z": [1.0, 1.0]}).moo.define(x="min", y="min", z="min")
    with frame.moo.explore() as explorer:
        for name, value, lock in moved:
            before = explorer.state
            explorer.set_weight(name, value)
            weights = explorer.state["weights"]
            assert math.isclose(sum(weights), 1.0, abs_tol=4e-4)
            assert min(weights) >= 0
            for old, new, locked in zip(before["weights"], weights, before["locked"], strict=True):
                assert old == new or not locked
            if not any(before["locked"]):
                assert weights["xyz".index(name)] == round(value, 4)
            explorer.move(
                locked=[lock if key == name else old for key, old in zip("xyz", before["locked"], strict=True)]
            )


@settings(deadline=None, max_examples=30)
@given(strategies.tables(min_columns=2, max_columns=4), st.data())
def test_the_code_makes_the_choice(table, data):
    frame, directions = table
    with asked.explore(frame, objectives=directions, p=data.draw(st.sampled_from([1, 2.0, 8.0, "inf"]))) as explorer:
        name = data.draw(st.sampled_from(list(directions)))
        explorer.set_weight(name, data.draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])))
        low, high = sorted(data.draw(st.lists(st.sampled_from(frame[name].tolist()), min_size=2, max_size=2)))
        explorer.set_range(name, *data.draw(st.sampled_from([(None, None), (low, None), (None, high), (low, high)])))
        direct = eval(explorer.code, {"df": frame, "inf": np.inf})
        assert (explorer.best, explorer.selection.tied) == (direct.best, direct.tied)
        assert list(explorer.selection.table.index) == list(direct.table.index)
        assert explorer._describe()[1] == explained(direct.parts()[1:])


@pytest.mark.parametrize("name", ["class", "a b", "x`y", "index", "inf", "or", 'quo"te', "<b>"])
def test_code_holds_names_that_are_no_identifiers(name):
    frame = pd.DataFrame({name: [1.0, 2.0, 3.0], "cost": [1.0, 2.0, 3.0]}, index=list("abc"))
    with frame.moo({name: "max", "cost": "min"}).explore() as explorer:
        explorer.set_range(name, low=1.5)
        again = eval(explorer.code, {"df": frame})
        assert again.best == explorer.best
        assert len(again.table) == 2


def test_missing_values_and_limits():
    frame = pd.DataFrame({"acc": [0.9, np.nan, 0.7], "co2": [3.0, 1.0, np.nan]}, index=list("abc"))
    with asked.explore(frame, objectives={"acc": "max", "co2": "min"}, nan_policy="worst") as explorer:
        explorer.set_range("acc", low=0.1)
        assert explorer.selection.counts() == (2, 3)
        assert eval(explorer.code, {"df": frame}).counts()[0] == 2
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        explorer = asked.explore(frame, objectives={"acc": "max", "co2": "min"}, nan_policy="omit")
    with explorer:
        explorer.move(selected=[0], pinned=[0])
        assert list(explorer.selected.index) == list(explorer.pinned.index) == ["a"]


def test_limits_that_leave_nothing_are_said(choice):
    choice.set_range("co2_kg", high=-1.0)
    with pytest.raises(ValueError, match="No row lies within all limits"):
        _ = choice.best
    assert "No row lies within all limits" in repr(choice)
    assert "No row lies within all limits" in choice.to_html()


def test_a_table_with_one_objective_and_a_scale_without_a_range_are_refused():
    with pytest.raises(ValueError, match="at least two objectives"):
        asked.explore(LEADERBOARD, objectives={"co2_kg": "min"})
    frame = pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, 2.0]}).moo.define(a="max", b="min")
    with pytest.raises(ValueError, match="'a'"):
        frame.moo.explore(normalize="minmax")
    with frame.moo.explore() as explorer:
        assert "'a'" in explorer.data["scales"]["minmax"]["error"]


def test_pins_come_and_go_and_stay_few(choice):
    labels = LEADERBOARD.index
    for row in range(5):
        choice.pin(labels[row])
    assert list(choice.pinned.index) == list(labels[2:5])
    choice.pin(labels[3])
    assert list(choice.pinned.index) == [labels[2], labels[4]]
    with pytest.raises(ValueError, match="`label`"):
        choice.pin("nobody")


def test_what_the_page_selects_is_a_frame(choice):
    assert choice.selected.empty
    choice.state = {**choice.state, "selected": [5, 2]}
    pd.testing.assert_frame_equal(choice.selected, LEADERBOARD.iloc[[5, 2]])


def test_labels_need_not_be_text():
    frame = pd.DataFrame({pd.Timestamp("2024-01-01"): [1.0, 2.0], 7: [1.0, 2.0]}, index=[("a", 1), ("b", 2)])
    with frame.moo({pd.Timestamp("2024-01-01"): "max", 7: "min"}).explore() as explorer:
        explorer.set_weight(7, 0.9)
        assert explorer.best == ("a", 1)
        assert explorer.data["labels"] == ["a, 1", "b, 2"]
        assert "2024-01-01" in explorer.to_html()


def test_two_explorers_share_nothing(choice):
    with LEADERBOARD.moo.explore() as other:
        choice.set_weight("co2_kg", 0.9)
        assert other.state["weights"][6] == pytest.approx(1 / 7, abs=1e-4)


@pytest.mark.parametrize(("most", "carried"), [(2_000_000, 1), (1_000, 0)])
def test_large_tables_leave_the_page_out_of_the_notebook(monkeypatch, most, carried):
    monkeypatch.setattr(widget, "_MOST_BYTES_IN_A_NOTEBOOK", most)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 5)), columns=list("abcde"))
    with asked.explore(frame, objectives=dict.fromkeys("abcde", "max")) as explorer:
        parsed = _parse(explorer._twin_bundle()["text/html"])
        assert len(parsed.frames) == carried
        assert "img" in parsed.tags


def test_colab_is_told_where_widgets_come_from(monkeypatch, choice):
    """It shows no widget of another package whose output does not name its manager."""
    managers = types.SimpleNamespace(_installed_url="https://example.org/manager.js")
    colab = types.SimpleNamespace(enable_custom_widget_manager=lambda: None, _widgets=managers)
    monkeypatch.setitem(sys.modules, "google.colab.output", colab)
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *args, **options: shown.append((args[0], options)))
    choice._ipython_display_()
    live, options = shown[-1]
    [kind] = [name for name in live if "widget" in name]
    assert live[kind]["model_id"] == choice.model_id
    assert options["metadata"][kind]["colab"]["custom_widget_manager"]["url"] == managers._installed_url


def test_modules_of_the_view_make_one():
    """What anywidget gets has no imports, and no two modules give one name to two things."""
    script = Explorer._esm.default_value
    assert not re.search(r"^import ", script, re.M)
    assert re.findall(r"^export .*", script, re.M) == ["export default {"]
    names = re.findall(r"^(?:async )?(?:function|class|const|let) ([A-Za-z_$][\w$]*)", script, re.M)
    assert len(names) == len(set(names)) > 50
    # VS Code and Colab have no folder of files and no network to take parts from.
    assert not re.search(r"\bimport\s*\(|\brequire\s*\(|https?://(?!www\.w3\.org/2000/svg)", script)
    assert not re.search(r"@import|url\(", Explorer._css.default_value)
    listed = {f"{name}.js" for name in _MODULES}
    assert listed == {path.name for path in VIEW.glob("*.js")}


def test_the_view_takes_shared_constants_from_python():
    shared = dict(re.findall(r"^const (\w+) = (.*);$", constants.as_script(), re.M))
    assert json.loads(shared["LOOSE_BITS"]) == criterion.LOOSE_BITS
    assert [how for _, how in json.loads(shared["NORMALIZATIONS"])] == list(HOW)
    for color in [PALETTE[0], CHOICE, *PALETTE[2:6], GRAY, INK]:
        assert color.lower() in Explorer._css.default_value.lower()


# ---------------------------------------------------------------------------------------------- the others


# Rows kept off the fronts count as evaluations.
@pytest.mark.parametrize("where", [None, "val_precision > 0.4", nondegenerate])
def test_the_gap_follows_the_budget(where):
    runs = _credit()
    options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0.0, "recall": 0.0}}
    with asked.gap(runs, where=where, **options).explore() as explorer:
        assert explorer.data["longest"] == len(runs)
        for budget in (20, 77):
            explorer.set_budget(budget)
            direct = asked.gap(runs.head(budget), where=where, **options)
            assert list(explorer.gap.validation_front) == list(direct.validation_front)
            again = eval(explorer.code, {"df": runs, "nondegenerate": nondegenerate})
            assert explorer.gap.gap == direct.gap == again.gap
            assert again.hv_validation == direct.hv_validation
            assert explorer._describe()[1] == [direct.explain()]
        curves = np.frombuffer(explorer.data["curves"]).reshape(5, -1)
        line = curves[:, np.searchsorted(curves[0], 77, side="right") - 1]
        assert line[[1, 4]].tolist() == [direct.hv_validation, direct.gap]


def test_rows_of_a_gap_are_followed():
    runs = _credit()
    with asked.gap(runs, objectives={"precision": "max", "recall": "max"}).explore() as explorer:
        labels = list(explorer.labels[:4])
        explorer.pick([*labels, "nobody"])
        assert explorer.picked == tuple(labels[1:]), "a few at most"
        explorer.pin(labels[2])
        assert explorer.picked == (labels[1], labels[3])
        front, _ = explorer.to_figure().axes
        followed = [line.get_xydata() for line in front.lines if line.get_linestyle() == "--"][-2:]
        for label, ends in zip(explorer.picked, followed, strict=True):
            row = runs.loc[label]
            expected = [[row["val_precision"], row["val_recall"]], [row["test_precision"], row["test_recall"]]]
            assert ends.tolist() == expected
        with pytest.raises(ValueError, match="`label` is 'nobody'"):
            explorer.pin("nobody")


def test_the_test_follows_reference_point_and_runs():
    runs = _seeds()
    with _tested(runs, n_resamples=500).explore() as explorer:
        explorer.set_reference("cost", 3.5)
        explorer.set_runs(3)
        explorer.move(alternative="greater")
        options = {"n_resamples": 500, "alternative": "greater", "reference": explorer.test.reference}
        direct = _tested(runs[runs["run"] <= 3], **options)
        assert explorer.test.reference["cost"] == 3.5
        assert explorer.test.pvalue == direct.pvalue
        assert eval(explorer.code, {"df": runs, "copa_nb": copa_nb}).pvalue == direct.pvalue
        heights = explorer.scene["charts"][1]["layers"][1]["y"]
        assert sum(heights) == len(direct.null_distribution)
        offline = explorer._offline()["scenes"]
        assert explorer.test.pvalue == direct.pvalue  # looking at other positions moves nothing
        assert len(offline) == 4 * 3
        assert offline['[3,"greater"]']["cards"] == explorer.scene["cards"]
        explorer.set_reference("cost", 0.1)
        assert "reference" in explorer.scene["message"]


@pytest.mark.parametrize(("x", "y"), [(0, 1), (1, 0), (0, 0)])
def test_outlines_of_fronts_follow_the_axes_chosen(x, y):
    runs = _seeds()
    names = ["acc", "cost"]
    with _tested(runs).explore() as explorer:
        explorer.move(x=x, y=y)
        layers = explorer.scene["charts"][0]["layers"]
        lines = [layer for layer in layers if layer["kind"] == "line"]
        assert len(lines) == 2
        for line, agent in zip(lines, "AB", strict=True):
            own = runs[runs["agent"] == agent]
            for side, k in (("x", x), ("y", y)):
                assert set(line[side]) <= {*own[names[k]], explorer.test.reference[names[k]]}


def test_runs_may_be_named_by_levels_of_the_index():
    runs = _seeds()
    with _tested(runs.set_index(["agent", "run"])).explore() as explorer:
        explorer.set_runs(3)
        direct = _tested(runs[runs["run"] <= 3], reference=explorer.test.reference)
        assert (explorer.test.pvalue, explorer.test.statistic) == (direct.pvalue, direct.statistic)


@pytest.mark.parametrize("rng", [7, np.random.default_rng(7), None])
def test_draws_take_a_seed_a_generator_or_none(rng):
    with _tested(rng=rng).explore() as explorer:
        first = explorer.test.pvalue
        explorer.set_runs(4)
        explorer.set_runs(5)
        assert explorer.test.pvalue == first
        assert eval(explorer.code, {"df": _seeds(), "copa_nb": copa_nb}).pvalue == first


def test_statements_are_answered_withdrawn_and_taken_up_again(tmp_path):
    with SMALL.moo(DIRECTIONS).copa().elicit() as explorer:
        asked = explorer.question
        assert explorer.scene["asks"] == list(asked.rows)
        explorer.answer("second")
        assert explorer.elicitation.answers[0].choice == "second"
        assert explorer.elicitation.answers[0].first == asked.first
        explorer.answer("equal", (HOSTILE[1], "plain"))
        saved = explorer.save_statements(tmp_path / "said.json")
        for statements in (explorer.statements, saved):
            with SMALL.moo(DIRECTIONS).copa().elicit(statements=statements) as again:
                assert again.statements.equals(explorer.statements)
                assert np.array_equal(again.elicitation.draws, explorer.elicitation.draws)
        explorer.withdraw(0)
        assert [answer.choice for answer in explorer.elicitation.answers] == ["equal"]
        explorer.withdraw()
        assert explorer.elicitation.answers == ()
        assert explorer.question.rows == asked.rows
        with pytest.raises(ValueError, match="`statements` compares 'nobody'"):
            SMALL.moo(DIRECTIONS).copa().elicit(statements=explorer.statements.assign(first=[], second=[]).pipe(
                lambda frame: pd.DataFrame([["nobody", "plain", "first"]], columns=frame.columns)))  # fmt: skip


def test_a_contradiction_is_shown_with_what_clashes():
    with SMALL.moo(DIRECTIONS).copa().elicit() as explorer:
        front = list(SMALL.index)
        explorer.answer("first", (front[0], front[3]))
        explorer.answer("second", (front[0], front[3]))
        card = explorer.scene["cards"][0]
        assert card["tone"] == "warning"
        assert len(card["lines"]) == 3
        assert explorer.scene["asks"] is None
        explorer.withdraw(explorer.scene["withdraws"])
        assert not explorer.elicitation.conflict


@pytest.mark.slow
def test_as_many_comparisons_are_left_as_is_said():
    """Simulated users stay within the range that is said for eight of ten of them."""
    rng = np.random.default_rng(1)
    start = copa_nb.results.Elicitation.of(LEADERBOARD.moo.copa(), confidence_level=0.9, n_draws=400)
    within = []
    for _ in range(8):
        weights = rng.dirichlet(np.ones(7))
        answers = start.simulate_user(weights).answers
        with asked.copa(LEADERBOARD).elicit(confidence_level=0.9) as explorer:
            for given, answer in enumerate(answers):
                said = re.search(
                    r"About \d+ more .*?\((\d+) to (\d+) for", " ".join(explorer.scene["cards"][2]["lines"])
                )
                if said and given % 3 == 0:
                    left = len(answers) - given
                    within.append(int(said[1]) - 1 <= left <= int(said[2]) + 1)
                explorer.answer(answer.choice, (answer.first, answer.second))
                if explorer.question is None:
                    break
    assert len(within) >= 15
    assert np.mean(within) > 0.7


def test_posets_step_by_depth_and_agree_as_a_count_says():
    table = datasets.load_deepobs()
    values = table.set_index(["problem", "optimizer"])[["performance", "speed"]]
    with asked.posets(table, system="optimizer", item="problem").explore() as explorer:
        # The paper's depths of DeepOBS.
        expected = dict(zip(
            [f"P{i}" for i in range(1, 9)],
            [0.62085308, 0.6492891, 0.6492891, 0.52606635, 0.6492891, 0.37914692, 0.2985782, 0.29383886], strict=True,
        ))  # fmt: skip
        assert explorer.depths.to_dict() == pytest.approx(expected, abs=1e-8)
        assert explorer.depths.is_monotonic_decreasing
        for order in ("deepest first", "shallowest first"):
            explorer.move(order=order)
            offline = explorer._offline()["scenes"]
            assert len(offline) == 16
            names = list(explorer.depths.index)[:: 1 if order == "deepest first" else -1]
            for count in (1, 3, 8):
                explorer.set_count(count)
                assert offline[json.dumps([count, order], separators=(",", ":"))]["cards"] == explorer.scene["cards"]
                agreed = set()
                for i, j in itertools.permutations(table["optimizer"].unique(), 2):
                    pairs = [(values.loc[(group, i)], values.loc[(group, j)]) for group in names[:count]]
                    if all((a <= b).all() and (a < b).any() for a, b in pairs):
                        agreed.add((i, j))
                assert set(explorer.agreed) == agreed
                titles = [chart["title"] for chart in explorer.scene["charts"]]
                assert titles[-1].startswith(f"Pairs that the {count} " if count > 1 else "The ")


def test_posets_need_every_item_in_every_group():
    table = datasets.load_deepobs()
    with pytest.raises(ValueError, match=r"1 of 24 pairs .* have no row, e\.g\. 'SGD' on 'P1'"):
        asked.posets(table.iloc[1:], system="optimizer", item="problem").explore()
    with (
        pytest.warns(ItemsOmittedWarning),
        asked.posets(table.iloc[1:], system="optimizer", item="problem", nan_policy="omit").explore() as explorer,
    ):
        assert sorted(explorer.depths.index) == [f"P{i}" for i in range(2, 9)]


@pytest.mark.parametrize("options", [{}, {"alternative": "greater", "unit": "mean", "rng": 3, "n_resamples": 90},
                                     {"reference": {"acc": 0.5, "cost": 4.0}, "paired": True}])  # fmt: skip
def test_a_test_opens_the_explorer_that_starts_from_it(options):
    test = _tested(**options)
    with test.explore() as explorer:
        assert (explorer.test.pvalue, explorer.test.statistic) == (test.pvalue, test.statistic)
        assert explorer.test.reference == test.reference
        assert explorer.test.options == test.options
        assert explorer.state["alternative"] == test.options.alternative
        remade = eval(explorer.code, {"df": test.inputs.frame, "copa_nb": copa_nb})
        assert remade.pvalue == test.pvalue


def test_results_open_the_explorer_of_what_they_hold():
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    result = sample.only(["P1", "P2", "P3"]).depth(orders=sample)
    with sample.explore() as whole, result.explore() as other, sample.explore(max_card=2) as pairs:
        assert whole.depths.to_dict() == sample.depth().depth.to_dict()
        assert other.depths.to_dict() == result.depth.to_dict()
        assert len(other.scene["cards"][1]["bars"]) == 8
        assert pairs.depths.to_dict() == sample.depth(max_card=2).depth.to_dict()


def _measured():
    table = pd.DataFrame(
        {"acc": [0.9, 0.89, 0.7, 0.5], "cost": [9.0, 8.8, 4.0, 1.0], "se": [0.01, 0.01, 0.01, 0.01]}, index=list("abcd")
    )
    return table.moo.define(acc="max", cost="min")


def test_tiers_stand_beside_the_ranking():
    table = _measured()
    tiers = asked.board(table, standard_error={"acc": "se", "cost": "se"})
    with tiers.explore() as explorer:
        for name in ("tier", "low", "high"):
            assert explorer.data["tiers"][name] == tiers.table[name].tolist()
        _, sentences, [(_, shown)] = explorer._describe()
        assert sentences[-1] == tiers.explain()
        assert shown["tier"].to_dict() == tiers.table["tier"].to_dict()
        assert explorer.best == tiers.choice.best
        assert explorer.data["tiers"]["weights"] == explorer.state["weights"]


def test_a_choice_is_explored_from_where_it_is():
    table = _measured().assign(size=[1, 2, 3, 4])
    choice = table.moo.copa(weights={"cost": 0.7}, p=2, where="acc >= 0.6", normalize="minmax")
    with choice.explore(x="acc") as explorer:
        assert explorer.best == choice.best
        assert explorer.state["weights"] == pytest.approx([0.3, 0.7])
        assert (explorer.state["p"], explorer.state["normalize"]) == (2.0, "minmax")
        assert explorer.state["ranges"] == [[0.6, None], [None, None]]
        pd.testing.assert_frame_equal(explorer.selection.table, choice.table)
        assert explorer.state["x"] == 0
    assert "limits of objectives only" in table.moo.copa(where="size < 3").explore()


@pytest.mark.parametrize("policy", ["omit", "worst"])
def test_a_choice_with_missing_values_is_explored_with_its_policy(policy):
    table = _measured()
    table.loc["b", "cost"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowsOmittedWarning)
        choice = table.moo(nan_policy=policy).copa()
    with choice.explore() as explorer:
        assert explorer.selection.table.equals(choice.table)


def test_what_a_choice_lacks_to_be_explored_is_said():
    table = _measured()
    assert "nothing to trade" in str(table.moo(["acc"]).copa().explore())
    reference = copa_nb.Reference.fit(table)
    assert "without `reference`" in str(table.moo.copa(reference=reference).explore())
    unknown = table.assign(acc=[0.9, None, 0.7, 0.5]).moo(nan_policy="bounds").copa()
    assert "nan_policy='omit'" in str(unknown.explore())


def test_depths_that_would_take_long_are_estimated_and_that_is_said():
    sample = asked.posets(datasets.load_moea(), system="algorithm", item="problem")
    with sample.explore(method="sample", n_samples=500) as explorer:
        assert say(part("depths.certainty.estimated")) in explorer.scene["cards"][0]["lines"]
    with sample.explore() as explorer:
        assert not any("estimated" in line for line in explorer.scene["cards"][0]["lines"])


def _drawn(chart):
    texts = next(layer for layer in chart["layers"] if layer.get("fit"))
    lines = [layer for layer in chart["layers"] if layer["kind"] == "line"]
    return dict(zip(texts["texts"], zip(texts["x"], texts["y"], strict=True), strict=True)), lines


def _posets(costs, **options):
    rows = [(f"g{g}", f"item {i}", *values) for g, items in enumerate(costs) for i, values in enumerate(items)]
    frame = pd.DataFrame(rows, columns=["group", "item", "a", "b"])
    return asked.posets(frame, system="item", item="group", objectives={"a": "min", "b": "min"}, **options)


@settings(deadline=None, max_examples=25)
@given(hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(2, 8), st.just(2)), elements=st.integers(0, 5)))
def test_diagrams_put_better_above_and_every_edge_between_its_labels(costs):
    sample = _posets(costs.astype(float))
    with sample.explore() as explorer:
        chart = explorer.scene["charts"][0]
        group = explorer.depths.index[0]
        places, lines = _drawn(chart)
        relation = sample.relation(group)
        assert len(set(places.values())) == len(sample.systems) == len(places)
        for better, worse in np.argwhere(relation.to_numpy()):
            assert places[sample.systems[better]][1] > places[sample.systems[worse]][1]
        edges = {(sample.systems[i], sample.systems[j]) for i, j in np.argwhere(sample.reduction(group).to_numpy())}
        names = {(round(x, 6), round(y, 6)): name for name, (x, y) in places.items()}
        drawn = {tuple(names[round(line["x"][k], 6), round(line["y"][k], 6)] for k in (0, -1)) for line in lines}
        assert drawn == edges
        for x, y in places.values():
            assert chart["x"]["lo"] < x < chart["x"]["hi"]
            assert chart["y"]["lo"] < y < chart["y"]["hi"]


def test_indifferent_items_share_a_label():
    sample = _posets([[[1, 1], [1, 1], [2, 2]], [[1, 1], [2, 2], [3, 3]]], ties="preorder")
    with sample.only(["g0"]).explore() as explorer:
        places, lines = _drawn(explorer.scene["charts"][0])
        assert set(places) == {"item 0 = item 1", "item 2"}
        assert len(lines) == 1


def test_the_code_names_the_normalisation_and_what_missing_values_mean():
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 2.0, 9.0]}, index=list("xyz")).moo.define(a="max", b="min")
    with asked.explore(frame, normalize="minmax", nan_policy="worst") as explorer:
        assert 'normalize="minmax",\n' in explorer.code
        assert 'nan_policy="worst")' in explorer.code
        assert eval(explorer.code, {"df": frame}).normalize == "minmax"
    with frame.moo.explore() as explorer:
        assert "normalize" not in explorer.code
        assert "nan_policy" not in explorer.code


ONE = pd.DataFrame({"val_a": [1.0, 2.0], "test_a": [1.0, 2.0], "s": ["A", "B"], "a": [1.0, 2.0]})


def test_explorers_of_fronts_need_two_objectives():
    assert isinstance(asked.gap(ONE, objectives={"a": "max"}).explore(), Note)
    with pytest.raises(ValueError, match=r"^`explore` draws fronts; define at least two objectives\.$"):
        asked.hv_test(ONE, objectives={"a": "max"}, system="s", new="A", baseline="B").explore()


def test_a_budget_without_a_whole_row_says_so():
    runs = pd.DataFrame(
        {"val_a": [np.nan, 1.0, 2.0], "test_a": [1.0, 1.0, 2.0], "val_b": [1.0, 2.0, 1.0], "test_b": [1.0, 2.0, 1.0]}
    )
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        explorer = asked.gap(runs, objectives={"a": "max", "b": "max"}, nan_policy="omit").explore()
    with explorer:
        explorer.set_budget(1)
        with pytest.raises(ValueError, match=r"^No row with all scores has been evaluated yet; increase the budget\.$"):
            _ = explorer.gap
        assert "No row with all scores has been evaluated yet" in explorer.to_html()
        explorer.set_budget(2)
        assert len(explorer.gap.validation_front) == 1


def test_sliders_of_the_reference_point_reach_beyond_the_worst_run():
    runs = _seeds()
    reference = {"acc": 0.5, "cost": 4.0}
    with _tested(runs, reference=reference | {"acc": 0.65}).explore() as explorer:
        acc = explorer.data["controls"][0]["items"][0]
    assert acc["min"] == pytest.approx(runs["acc"].min() * 2 - runs["acc"].max())
    with _tested(runs, reference=reference, log=["cost"]).explore() as explorer:
        acc, cost = explorer.data["controls"][0]["items"]
    values = runs["acc"]
    room = values.max() - values.min()
    assert (acc["min"], acc["max"]) == (0.5, pytest.approx(values.max())), "the point lies beyond"
    assert acc["step"] == pytest.approx(room / 200)
    values = runs["cost"]
    assert cost["max"] == pytest.approx(4.0 + values.max() - values.min())
    assert cost["min"] == pytest.approx(values.min()), "a logarithmic axis"
    with _tested(runs.assign(cost=3.0), reference=reference).explore() as explorer:
        cost = explorer.data["controls"][0]["items"][1]
    assert (cost["min"], cost["max"], cost["step"]) == (3.0, 7.0, 3.0 / 200), "where all runs have one value, its size"


def test_outlines_are_drawn_of_runs_within_the_reference_point():
    runs = _seeds()
    with _tested(runs).explore() as explorer:
        assert [layer["kind"] for layer in explorer.scene["charts"][0]["layers"]].count("line") == 2
    assert (runs["acc"] > 0.77).tolist() == [True] * 5 + [False] * 5
    with _tested(runs, reference={"acc": 0.77, "cost": 4.0}).explore() as explorer:
        assert [layer["kind"] for layer in explorer.scene["charts"][0]["layers"]].count("line") == 1, "of A alone"
    three = runs.assign(third=1.0).moo.define(acc="max", cost="min", third="min")
    with _tested(three).explore() as explorer:
        assert "line" not in [layer["kind"] for layer in explorer.scene["charts"][0]["layers"]], "fronts are no lines"


def test_answers_follow_the_page_wherever_they_differ():
    rows = SMALL.index
    with SMALL.moo(DIRECTIONS).copa().elicit() as explorer:
        explorer.withdraw()
        assert explorer.state["statements"] == [], "nothing was said"
        explorer.answer("first", (rows[0], rows[3]))
        explorer.answer("first", (rows[1], rows[3]))
        assert explorer.best == explorer.elicitation.best
        first, second = explorer.state["statements"]
        changed = [[*first[:2], "second"], second]
        explorer.move(statements=changed)
        assert explorer.statements["choice"].tolist() == ["second", "first"]
        with SMALL.moo(DIRECTIONS).copa().elicit(statements=explorer.statements) as anew:
            assert np.array_equal(anew.elicitation.draws, explorer.elicitation.draws), "as if said so at once"


def test_what_is_settled_asks_no_more_and_takes_no_answer():
    with SMALL.moo(DIRECTIONS).copa().elicit() as explorer:
        said = []
        while explorer.question is not None:
            said.append(explorer._why(explorer.question)[1])
            explorer.answer("first")
        assert said[0].startswith("About 3 more comparisons (2 to 4 for eight of ten simulated users) until 90% of")
        before = explorer.state["statements"]
        assert len(before) == len(said)
        explorer.answer("first")
        assert explorer.state["statements"] == before
        assert explorer.scene["announce"] == f"Settled: {explorer.best}"


def test_an_explorer_that_was_closed_is_shown_as_its_picture_alone(monkeypatch, choice):
    monkeypatch.setattr(Explorer, "_twin_bundle", lambda self: {"text/html": "", "text/plain": ""})
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *args, **options: shown.append(args[0]))
    choice.close()
    choice._ipython_display_()
    assert [set(bundle) for bundle in shown] == [{"text/html", "text/plain"}]


def test_one_may_stop_where_nine_of_ten_weights_agree(monkeypatch):
    with SMALL.moo(DIRECTIONS).copa().elicit() as explorer:
        question = explorer.question
        agreed = replace(explorer.elicitation, _winners=np.repeat([0, 1], [9, 1]))
        assert agreed.share == 0.9
        explorer._elicitation = agreed
        share, more = explorer._why(question)
        assert share.startswith(
            f"{round(100 * question.share)}% of the remaining weights prefer A. The answer is expected"
        )
        assert more == "90% of the remaining weights agree; you can stop here."
        explorer._elicitation = replace(agreed, _winners=np.repeat([0, 1], [89, 11]))
        assert "you can stop here" not in explorer._why(question)[1]


def test_an_explorer_that_cannot_show_its_first_position_is_refused():
    with pytest.raises(ValueError, match=r"^`reference` .* is not worse than a single run of these systems"):
        _tested(reference={"acc": 0.99, "cost": 4.0}).explore()


def test_what_an_elicitation_shows():
    frame = pd.DataFrame({"acc": [0.9, 0.8, 0.5], "co2": [9.0, 4.0, 1.0]}, index=["a", "b", "c"])
    with frame.moo(acc="max", co2="min").copa().elicit() as explorer:
        scene, question = explorer.scene, explorer.question
        assert scene["announce"] == f"Question 1: which is better, {question.first} or {question.second}?"
        first, second = scene["cards"][:2]
        assert (first["title"], second["title"]) == (question.first, question.second)
        # Of three rows the best has rank 0, the next 1/3: bars are one minus that.
        shares = {"a": [1, 1 / 3], "b": [2 / 3, 2 / 3], "c": [1 / 3, 1]}
        for card in (first, second):
            assert [bar["share"] for bar in card["bars"]] == pytest.approx(shares[card["title"]])
            assert [bar["text"].split(" · ")[0] for bar in card["bars"]] == [
                f"{value:g}" for value in frame.loc[card["title"]]
            ]
        assert scene["tables"] == []
        weights, possible = scene["cards"][3:]
        assert [bar["label"] for bar in weights["bars"]] == ["acc", "CO₂"]
        assert all(bar["low"] < bar["share"] < bar["high"] for bar in weights["bars"])
        assert "(3)" in possible["heading"]
        assert sum(bar["share"] for bar in possible["bars"]) == pytest.approx(1)
        (chart,) = scene["charts"]
        assert (chart["x"]["label"], chart["y"]["label"]) == ("weight of acc", "weight of CO₂")
        explorer.answer("first")
        assert explorer.scene["tables"][0]["rows"][0][0] == "1"
        assert f"Leading: {explorer.best}" in explorer.to_html()


def test_what_a_test_shows():
    with _tested(n_resamples=500, alternative="greater").explore() as explorer:
        test, scene = explorer.test, explorer.scene
        assert scene["announce"] == f"p = {test.pvalue:.3g}"
        assert scene["cards"][0]["title"] == f"p = {test.pvalue:.3g} (exact)"
        fronts, null = scene["charts"]
        assert (fronts["x"]["label"], fronts["y"]["label"]) == ("cost", "acc")
        assert (fronts["x"]["better"], fronts["y"]["better"]) == ("low", "high")
        less, more, rule = null["layers"]
        extreme = test.null_distribution >= test.statistic * (1 - 1e-9)
        assert sum(more["y"]) - sum(more["base"]) == extreme.sum()
        assert more["base"] == less["y"]
        assert sum(more["y"]) == len(test.null_distribution)
        assert rule["at"] == test.statistic
        assert less["from"][1:] == less["to"][:-1]
        assert less["to"][-1] == -less["from"][0] > np.abs(test.null_distribution).max()
        assert null["y"]["label"] == f"permutations ({test.n_resamples:,})"
        assert " ".join(explorer._describe()[1]).startswith(test.verdict)


@pytest.mark.parametrize(
    ("axes", "x", "y"),
    [
        ({}, 1, 0),
        ({"x": "a"}, 0, 2),
        ({"y": "b"}, 0, 1),
        ({"x": "c", "y": "b"}, 2, 1),
    ],
)
def test_a_choice_starts_with_the_first_cost_against_the_first_benefit(axes, x, y):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [1.0, 1.0]}).moo.define(a="max", b="min", c="max")
    with asked.explore(frame, **axes) as explorer:
        assert (explorer.state["x"], explorer.state["y"]) == (x, y)


def test_orders_of_the_norm_go_from_1_to_infinity_through_ones_own():
    with SMALL.moo(DIRECTIONS).explore(p=5) as explorer:
        *orders, last = explorer.data["orders"]
    assert last == "inf"
    assert orders == sorted(orders)
    assert (orders[0], orders[-1]) == (1.0, 32.0)
    assert {1.0, 2.0, 5.0} <= set(orders)
    with SMALL.moo(DIRECTIONS).explore(p="inf") as explorer:
        assert explorer.data["orders"].count("inf") == 1
        assert 5.0 not in explorer.data["orders"]


def test_a_moved_weight_leaves_the_rest_to_the_others_in_their_shares():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [1.0, 1.0]}).moo.define(a="min", b="min", c="min")
    with frame.moo.explore(weights={"a": 0.5, "b": 0.3, "c": 0.2}) as explorer:
        explorer.set_weight("a", 0.0)
        assert explorer.state["weights"] == [0.0, 0.6, 0.4]
        assert explorer.state["moved"] == 0
        explorer.set_weight("a", 2.0)
        assert explorer.state["weights"] == [1.0, 0.0, 0.0]
        explorer.set_weight("a", 0.5)
        assert explorer.state["weights"] == [0.5, 0.25, 0.25], "evenly where nothing tells them apart"
        explorer.set_weight("a", -1.0)
        assert explorer.state["weights"] == [0.0, 0.5, 0.5]
        explorer.move(locked=[False, True, False])
        explorer.set_weight("a", 0.4)
        assert explorer.state["weights"] == [0.4, 0.5, 0.1]
        explorer.set_weight("a", 0.9)
        assert explorer.state["weights"] == [0.5, 0.5, 0.0], "no more than the locked one leaves"
        explorer.set_weight("b", 0.1)
        assert explorer.state["weights"] == [0.5, 0.5, 0.0], "a locked weight stays"
        explorer.move(locked=[False, True, True])
        explorer.set_weight("a", 0.1)
        assert explorer.state["weights"] == [0.5, 0.5, 0.0], "there is nobody to take the rest"
        with pytest.raises(ValueError, match="'d'"):
            explorer.set_weight("d", 0.5)
