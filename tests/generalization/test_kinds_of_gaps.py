"""A gap of one search, of repetitions and of systems answers the same questions."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.results.note import Note
from copa_nb.results.sentences import said, template
from copa_nb.text import number, told_apart
from tests import asked

mpl.use("Agg")
BOTH = {"p": "max", "r": "max"}
ORIGIN = {"p": 0.0, "r": 0.0}


@pytest.fixture
def runs():
    rng = np.random.default_rng(7)
    scores = pd.DataFrame(rng.random((80, 4)), columns=["val_p", "val_r", "test_p", "test_r"])
    return scores.assign(method=np.repeat(["x", "y"], 40), seed=np.tile(np.repeat([1, 2], 20), 2))


@pytest.fixture
def kinds(runs):
    options = {"objectives": BOTH, "reference": ORIGIN}
    one = runs[runs["method"].eq("x") & runs["seed"].eq(1)]
    return {
        "search": asked.gap(one, **options),
        "repetitions": asked.gap(runs[runs["method"] == "x"], repeat="seed", **options),
        "systems": asked.gap(runs, by="method", **options),
        "both": asked.gap(runs, by="method", repeat="seed", **options),
    }


def test_every_answer_is_a_gap_with_a_line_for_each_search(kinds, runs):
    for name, groups in (
        ("search", []),
        ("repetitions", ["seed"]),
        ("systems", ["method"]),
        ("both", ["method", "seed"]),
    ):
        found = kinds[name]
        assert isinstance(found, copa_nb.results.Gap)
        lines = found.searches
        assert list(lines.index.names) == (groups or [None])
        rows = runs if name in ("systems", "both") else runs[runs["method"] == "x"]
        parts = rows.groupby(groups) if groups else [(0, runs[runs["method"].eq("x") & runs["seed"].eq(1)])]
        for label, part in parts:
            alone = asked.gap(part, objectives=BOTH, reference=ORIGIN)
            label = label if len(groups) > 1 else label[0] if groups else 0
            assert lines.loc[label, "gap"] == alone.gap
            assert lines.loc[label, "n_dominated"] == len(alone.dominated)
        assert found.share_with_gap == (lines["n_dominated"] > 0).mean()
        assert found.reference == ORIGIN
        assert list(found.objectives) == list(BOTH)
        assert found.facts()["result"] == "Gap"


def test_intervals_of_every_answer_are_one_table(kinds):
    for name, found in kinds.items():
        table = found.repeats()
        assert list(table.columns) == ["mean", "sd", "low", "high", "min", "max"]
        first = table.loc["x"] if name in ("systems", "both") else table
        known = first.loc["gap", ["low", "high"]].notna().all()
        assert known == (name in ("repetitions", "both")), "one search has no spread"
        searches = found.searches.loc["x":"x"] if name in ("systems", "both") else found.searches
        assert first.loc["gap", "mean"] == pytest.approx(searches["gap"].mean())
    assert kinds["search"].repeats().loc["hv_optimistic", "mean"] == kinds["search"].hv_optimistic
    assert kinds["both"].falls().index.nlevels == 2


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [
        ("repetitions", "hv_optimistic", "gap.gaps[1]"),
        ("systems", "hv_optimistic", "gap['x']"),
        ("both", "optimistic", "gap['x'].gaps[1]"),
        ("both", "gaps", "gap['x']"),
        ("search", "gaps", None),
        ("search", "items", None),
        ("repetitions", "collect", None),
    ],
)
def test_what_a_gap_does_not_have_names_where_it_is(kinds, kind, name, line):
    gap = kinds[kind]
    with pytest.raises(AttributeError, match=f"`{name}` is of ") as refused:
        getattr(gap, name)
    assert not hasattr(gap, name)
    said = str(refused.value)
    if line is None:
        assert "df.moo." in said
    else:
        assert f"see {line}, " in said
        assert hasattr(eval(line, {"gap": gap}), name), "the line that is named has it"


def test_what_is_asked_of_the_wrong_kind_is_refused_with_the_line_to_write(kinds):
    with pytest.raises(TypeError, match=r"no group 'x'.*df\.moo\.by"):
        kinds["search"]["x"]
    with pytest.raises(TypeError, match="no group"):
        list(kinds["repetitions"])
    for kind, line in (("repetitions", r"gap\.gaps\[1\]"), ("both", r"gap\['x'\]\.gaps\[1\]")):
        with pytest.raises(TypeError, match=rf"of one search; see {line}\.bootstrap"):
            kinds[kind].bootstrap(pd.DataFrame())
    with pytest.raises(TypeError, match=r"gap\['x'\]\.interval"):
        kinds["systems"].interval()
    with pytest.raises(TypeError, match=r"gap\['x'\]\.compare"):
        kinds["systems"].compare(kinds["search"])
    with pytest.raises(AttributeError, match=r"gap\.repeats"):
        kinds["repetitions"].summarize()


@pytest.mark.parametrize("kind", ["search", "repetitions"])
def test_one_method_has_nothing_to_be_compared_with(kinds, kind):
    said = kinds[kind].compare()
    assert isinstance(said, Note)
    assert said.plot() == said == said.explain()


def test_every_gap_has_a_first_search(kinds):
    assert kinds["search"].first_search is kinds["search"]
    assert kinds["repetitions"].first_search is kinds["repetitions"].gaps[1]
    assert kinds["systems"].first_search is kinds["systems"]["x"]
    assert kinds["both"].first_search is kinds["both"]["x"].gaps[1]
    assert all("first_search" not in dir(gap) for gap in kinds.values())


def test_what_needs_an_order_is_asked_of_gaps_that_have_one(runs):
    runs = runs.assign(step=np.tile(np.arange(20), 4))
    options = {"objectives": BOTH, "reference": ORIGIN, "by": "method", "repeat": "seed"}
    said, ordered = (asked.gap(runs, **options, **more) for more in ({}, {"order": "step"}))
    assert isinstance(said.in_order, Note)
    assert said.in_order.budgets([3]) == said.in_order.overtuning() == said.in_order
    assert ordered.in_order is ordered


def test_tables_of_gaps_have_a_line_for_each_search(kinds):
    for name, found in kinds.items():
        tables = {one.name: one for one in found.printed_tables()}
        assert len(tables["gaps"].frame) == len(tables["sizes"].frame) == len(found.searches)
        assert tables["gaps"].frame["gap"].to_numpy() == pytest.approx(found.searches["gap"].to_numpy())
        assert next(iter(tables)) == "falls", "metrics in their own units come first"
        assert ("repetitions" in tables) == (name in ("repetitions", "both"))
        assert ("validation-front" in tables) == (name == "search")
        for one in tables.values():
            assert set(one.headers) <= set(one.frame.columns)
    (front,) = kinds["both"].first_search.printed_tables()
    assert front.frame.index.equals(kinds["both"].first_search.validation_front)
    assert "(x, seed 1)" in front.caption


@pytest.mark.parametrize("kind", ["systems", "both"])
def test_all_pairs_of_systems_are_compared_in_one_table(kinds, kind):
    pairs = kinds[kind].compare()
    (verdicts,) = pairs.printed_tables()
    assert verdicts.frame.index.unique("methods").tolist() == ["x / y"]
    assert verdicts.frame.index.unique("criterion").tolist() == ["hypervolume", "dominance", "robustness"]
    assert pairs.explain() == pairs[("x", "y")].explain()
    plt.close(pairs.plot().figure)


@pytest.mark.parametrize(("repeats", "said"), [(4, ("4", "0")), (20, ("100%", "0%"))])
def test_few_repetitions_are_counted_and_many_in_percent(repeats, said):
    columns = {"model": list("aabb") * repeats, "seed": sorted([*range(repeats)] * 4)}
    scores = {"val_x": [3.0, 1, 2, 1], "val_y": [3.0, 1, 2, 1], "test_x": [3.0, 1, 2, 1], "test_y": [3.0, 1, 2, 1]}
    frame = pd.DataFrame(columns | {name: values * repeats for name, values in scores.items()})
    found = frame.moo(x="max", y="max", system="model", repeat="seed").gap(reference={"x": 0, "y": 0})
    (verdicts,) = found.compare().printed_tables()
    of_a, of_b, _ = verdicts.frame.loc[("a / b", "hypervolume")]
    assert (of_a, of_b) == said


def _fall_of_the_front(gap):
    """By how much the rows that were chosen are worse on test in the first objective, from the tables."""
    searches = gap.gaps.values() if getattr(gap, "kind", "") == "repetitions" else [gap.first_search]
    name, direction = next(iter(gap.objectives.directions))
    falls = [(one.table[f"validation {name}"] - one.table[f"test {name}"]).mean() for one in searches]
    return np.mean(falls) * (1 if direction == "max" else -1)


def test_an_answer_has_its_scale(kinds):
    for name, found in kinds.items():
        answer = found.to_answer()
        several = name in ("systems", "both")
        groups = dict(found.items()) if several else {"all": found}
        assert answer.values == {"gaps": {label: one.searches["gap"].mean() for label, one in groups.items()}}
        for one in groups.values():
            low, high = one.searches[["hv_pessimistic", "hv_optimistic"]].mean()
            assert " to ".join(told_apart(low, high)) in " ".join(answer.lines) or low == high
        assert ("on average" in answer.headline.lower()) == (name in ("repetitions", "both"))
        assert (template("gap.certainty.shared_rows") in answer.certainty) == (name in ("repetitions", "both"))
        assert not several or {*said(found["x"].compare(found["y"]).parts(), "reasons")} <= {*answer.details}
        fall = _fall_of_the_front(next(iter(groups.values())))
        assert number(abs(fall), 3) in answer.headline


def test_resamples_are_answered_with_the_search_that_they_are_of(kinds, runs):
    search = kinds["search"]
    scores = pd.DataFrame(np.random.default_rng(1).random((len(runs), 6)), index=runs.index)
    found = search.bootstrap(scores, metrics={"p": "mean", "r": "mean"}, n_resamples=5)
    assert found.first_search is found.estimate
    assert found.to_answer().values == {"gaps": {"all": found.estimate.gap}}
    assert found.guarantee.explain().startswith(found.to_answer().certainty)
    tables = {one.name: one.frame for one in found.printed_tables()}
    assert "falls" not in tables, "the choice was made once"
    assert tables["gaps"]["gap"].tolist() == [found.estimate.gap]
    assert tables["repetitions"].shape[0] == 6


def test_a_gap_by_ties_is_answered_with_its_ends():
    frame = pd.DataFrame(
        {"val_a": [1.0, 1.0, 2.0], "val_b": [2.0, 2.0, 1.0], "test_a": [1.0, 3.0, 2.0], "test_b": [2.0, 3.0, 1.0]}
    )
    found = frame.moo(a="max", b="max").gap(reference={"a": 0, "b": 0}, keep="bounds")
    low, high = found.interval("hv_pessimistic")[0], found.interval("hv_optimistic")[1]
    assert " to ".join(told_apart(low, high)) in " ".join(found.to_answer().lines)
    (printed,) = found.printed_tables()
    assert printed.frame.loc["gap", "largest"] == found.table.loc["gap", "largest"]
    assert isinstance(found.in_order, Note)
    assert isinstance(found.compare(), Note)


def test_a_single_search_of_each_system_is_drawn(kinds):
    figure = kinds["systems"].plot()
    assert [ax.get_title() for ax in figure.axes] == ["x", "y"]
    for ax, gap in zip(figure.axes, kinds["systems"].values(), strict=True):
        assert ax.lines[0].get_xdata()[0] == gap.gap


def test_scores_in_another_table_are_joined_first(runs):
    validation = runs[["val_p", "val_r"]].set_axis(["p", "r"], axis=1)
    test = runs[["test_p", "test_r"]].set_axis(["p", "r"], axis=1)
    with pytest.raises(ValueError, match="Join scores in another table first") as refused:
        validation.moo(BOTH).gap()
    line = str(refused.value).split("both = ")[1].rstrip(".")
    both = eval(line, {"validation": validation, "test": test})
    assert both.moo(BOTH).gap(reference=ORIGIN).gap == asked.gap(runs, objectives=BOTH, reference=ORIGIN).gap
