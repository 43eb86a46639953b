"""A gap of one search, of repetitions and of systems answers the same questions."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import asked

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
    with pytest.raises(TypeError, match="`other` is missing"):
        kinds["search"].compare()
    with pytest.raises(AttributeError, match=r"gap\.repeats"):
        kinds["repetitions"].summarize()


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
