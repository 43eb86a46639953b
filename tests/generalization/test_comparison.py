"""Two methods by the three criteria of section 4 of the paper, once and over repetitions."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.results import GapComparison, RepeatedComparison
from tests import asked
from tests.said import said_by, sentence

COSTS = {"a": "min", "b": "min"}
FAR = {"a": 10.0, "b": 10.0}


def method(validation, test, objectives=COSTS, reference=FAR):
    names = list(objectives)
    frame = pd.DataFrame(validation, columns=names)
    return asked.gap(frame, test=pd.DataFrame(test, columns=names), objectives=objectives, reference=reference)


# Three rows that swap on test: the second is dominated by the first.
SHAKY = method([[1, 3], [2, 2], [3, 1]], [[4, 4], [6, 6], [7, 3]])
SOLID = method([[1, 2], [2, 1]], [[1, 2], [2, 1]])


def test_a_clearly_better_method_wins_all_three():
    result = SOLID.compare(SHAKY, names=("solid", "shaky"))
    assert isinstance(result, GapComparison)
    assert [verdict.better for verdict in result.verdicts] == ["solid", "solid", "solid"]
    mirrored = SHAKY.compare(SOLID, names=("shaky", "solid"))
    assert [verdict.better for verdict in mirrored.verdicts] == ["solid", "solid", "solid"]
    assert "pessimistic hypervolume, 80, exceeds the optimistic one of shaky, 39." in result.hypervolume.sentence
    assert "solid is more robust: its gap is 0, that of shaky is 14." in str(result.robustness)
    assert result.table.loc["dominance", "better"] == "solid"


def test_overlapping_hypervolumes_make_no_statement():
    # The spans of a method and itself always overlap.
    result = SHAKY.compare(SHAKY)
    assert [verdict.better for verdict in result.verdicts] == [None, None, None]
    assert "no statement" in result.hypervolume.sentence
    assert "equally robust" in result.robustness.sentence
    assert result.table["better"].tolist() == ["no statement"] * 3
    assert "no statement" in repr(result)


def test_a_single_row_has_no_gap_however_badly_it_generalises():
    lone = method([[1, 1]], [[9, 9]])
    result = lone.compare(SHAKY, names=("lone", "shaky"))
    assert lone.gap == 0
    assert "gap.details.one_row" in said_by(lone)
    assert result.robustness.better == "lone"
    assert sentence(result, "gap_comparison.details.one_row") == {"names": ["lone"]}
    assert "gap_comparison.details.one_row" not in said_by(SOLID.compare(SHAKY))


def test_verdicts_take_test_scores_as_exact_and_say_so():
    assert "treat the test scores as exact" in SOLID.compare(SHAKY).explain()
    # The set as a whole has the optimistic hypervolume; nothing "lies between".
    assert sentence(SHAKY, "gap.details.leakage")["kept"] == 39
    assert sentence(SHAKY, "gap.details.gap_share")["gap"] == 14


def test_shares_of_a_bootstrap_are_selection_frequencies():
    place = np.linspace(0.1, 0.9, 5)
    frame = pd.DataFrame({"val_a": place, "val_b": 1 - place, "test_a": place, "test_b": 1 - place})
    scores = np.random.default_rng(1).random((2, 5, 40))
    draws = [
        asked.gap(frame, objectives={"a": "max", "b": "max"}, reference={"a": 0, "b": 0}).bootstrap(
            pd.DataFrame(one), np.zeros(40), {"a": "mean", "b": lambda _, drawn: drawn[::2].mean()}, n_resamples=12
        )
        for one in scores
    ]
    result = draws[0].compare(draws[1])
    assert "bootstrap selection frequencies, not probabilities" in result.explain()
    assert "selection frequency" in result._repr_html_()
    ax = result.plot()
    assert ax.get_xlabel().startswith("selection frequency over the 12 resamples")
    low, high = ax.get_ylim()
    assert all(low < bar.get_y() and bar.get_y() + bar.get_height() < high for bar in ax.patches)


def test_verdicts_match_their_definition_on_random_methods():
    """Scores are whole numbers, so that fronts share points and verdicts are even."""
    rng = np.random.default_rng(3)
    better = []
    for _ in range(100):
        scores = rng.integers(1, 5, (2, 2, 4, 2))
        scores[1, 1] += rng.integers(0, 3)
        pair = a, b = [method(validation, test) for validation, test in scores]
        result = a.compare(b)
        expected = "A" if b.hv_optimistic < a.hv_pessimistic else "B" if a.hv_optimistic < b.hv_pessimistic else None
        assert result.hypervolume.better == expected
        rows = [{k: g.scores.test[getattr(g.fronts, k)].tolist() for k in ("optimistic", "pessimistic")} for g in pair]

        def covers(first, second):
            return all(any(p[0] <= q[0] and p[1] <= q[1] for p in first) for q in second)

        for one, other, name in ((rows[0], rows[1], "A"), (rows[1], rows[0], "B")):
            dominates = covers(one["pessimistic"], other["optimistic"]) and not covers(
                other["optimistic"], one["pessimistic"]
            )
            assert (result.dominance.better == name) == dominates
        smaller = "A" if a.gap < b.gap else "B" if b.gap < a.gap else None
        assert result.robustness.better == smaller
        better.append((result.hypervolume.better, result.dominance.better))
    # Hypervolumes order what dominance does not.
    assert {("A", None), ("A", "A"), ("B", "B"), (None, None)} <= set(better)


@pytest.fixture
def repeated():
    rng = np.random.default_rng(0)
    parts = []
    for split in range(8):
        for name, lift in (("good", 0.4), ("bad", 0.0)):
            parts.append(pd.DataFrame(rng.random((12, 4)) * 0.5 + lift).assign(method=name, split=split))
    table = pd.concat(parts, ignore_index=True)
    table.columns = ["val_a", "val_b", "test_a", "test_b", "method", "split"]
    return asked.gap(
        table, objectives={"a": "max", "b": "max"}, reference={"a": 0, "b": 0}, by="method", repeat="split"
    )


def test_shares_over_repetitions(repeated):
    result = repeated["good"].compare(repeated["bad"], names=("good", "bad"))
    assert isinstance(result, RepeatedComparison)
    singles = [repeated["good"].gaps[s].compare(repeated["bad"].gaps[s], names=("good", "bad")) for s in range(8)]
    for criterion in ("hypervolume", "dominance", "robustness"):
        verdicts = [getattr(single, criterion).better or "no statement" for single in singles]
        assert result.verdicts[criterion].tolist() == verdicts
        for column in ("good", "bad", "no statement"):
            assert result.table.loc[criterion, column] == verdicts.count(column) / 8
    assert np.allclose(result.table.sum(axis=1), 1)
    assert result.hypervolume.better == "good"
    assert "favors good in 8 and bad in 0 of the 8 repetitions" in result.explain(), "few are counted"
    assert "good compared with bad, repeated" in result._repr_html_()


def test_only_repetitions_of_both_are_compared(repeated):
    from copa_nb.generalization.repeats import GapOfRepeats
    from copa_nb.results.result import Grouped

    some = GapOfRepeats(Grouped({s: repeated["bad"].gaps[s] for s in (2, 5)}, "split"), "repetitions")
    assert list(repeated["good"].compare(some).comparisons) == [2, 5]
    other = GapOfRepeats(Grouped({"x": repeated["bad"].gaps[0]}, "split"), "repetitions")
    with pytest.raises(ValueError, match="no repetition in common"):
        repeated["good"].compare(other)
    with pytest.raises(TypeError, match="`other` is a GapOfSearch; the gap of repetitions"):
        repeated["good"].compare(repeated["bad"].gaps[0])
    resampled = GapOfRepeats(other.gaps, "bootstrap")
    with pytest.raises(ValueError, match="both must be of the same kind"):
        repeated["good"].compare(resampled)


def test_what_cannot_be_compared_is_refused():
    elsewhere = method([[1, 2]], [[1, 2]], reference={"a": 5, "b": 5})
    with pytest.raises(ValueError, match="different reference points"):
        SOLID.compare(elsewhere)
    other = method([[1, 2]], [[1, 2]], objectives={"a": "min", "c": "min"}, reference={"a": 10, "c": 10})
    with pytest.raises(ValueError, match="different objectives"):
        SOLID.compare(other)
    for names in (("x", "x"), ("x", "no statement")):
        with pytest.raises(ValueError, match="two different names"):
            SOLID.compare(SHAKY, names=names)
