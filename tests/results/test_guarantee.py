"""What a result guarantees, as one object that everything else prints."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.comparisons.arrays.copies import copies
from copa_nb.results.guarantee import Caveat, Guarantee
from tests import asked

MEANS = Guarantee(
    estimates="means over tasks",
    sampled="independent tasks",
    holds="all intervals cover the true means",
    confidence_level=0.9,
    jointly=True,
    basis="asymptotic",
    method="t",
)


def log_of(costs, names=("a", "b")):
    """One row for each system and item, with a cost."""
    rows = [(name, item, cost) for name, own in zip(names, costs, strict=True) for item, cost in enumerate(own)]
    return pd.DataFrame(rows, columns=["system", "item", "cost"])


def test_statement():
    assert MEANS.explain() == (
        "In 90% of repeated samples of independent tasks, all intervals cover the true means. The result estimates "
        "means over tasks (t; asymptotic)."
    )
    warned = MEANS.but(warnings=[Caveat("skewed", "Costs are skewed.")], remarks=["Two rows were left out."])
    assert warned.explain() == f"{MEANS.explain()} Costs are skewed. Two rows were left out."


def test_warnings_are_about_objectives():
    warned = MEANS.but(warnings=[Caveat("skewed", "Skewed.", ("cost",)), Caveat("missing_values", "Missing.")])
    assert [one.name for one in warned.about(["accuracy"]).warnings] == ["missing_values"]
    assert warned.about(["accuracy", "cost"]) == warned


def test_unknown_warnings_are_refused():
    with pytest.raises(ValueError, match="`name` is 'skew'; it must be one of skewed"):
        Caveat("skew", "Skewed.")


def test_costs_on_few_items_may_hide_failures():
    """A failure on 1 item in 100 is absent from n items with a probability of .99**n: above 5% up to 298 items.

    Costs that vary steadily, on a scale of items or not, do not call for the warning; those that a few items decide do.
    """
    rng = np.random.default_rng(0)

    def warned(costs, **options):
        found = asked.compare(
            log_of(costs), new="a", baseline="b", system="system", item="item", objectives={"cost": "min"}, **options
        )
        return [one.name for one in found.guarantee.warnings if one.name == "rare_failures"]

    steady, of_items = rng.uniform(1, 2, size=(2, 299)), np.exp(0.3 * rng.normal(size=299))
    assert warned(steady[:, :20]) == warned(steady * of_items) == warned(rng.exponential(size=(2, 60))) == []
    failed = np.where(np.arange(299) == 7, 30 * steady, steady)
    assert warned(failed[:, :298]) == ["rare_failures"]
    assert warned(failed) == []
    mostly_equal = np.where(np.arange(298) % 4 > 0, steady[0, :298], steady[:, :298])
    assert warned(mostly_equal) == ["rare_failures"]
    assert warned(np.where(np.arange(100) % 4 > 0, 0, steady[:, :100])) == ["rare_failures"]
    assert warned(failed[:, :298], bounds={"cost": (0, 100)}) == []
    assert warned(failed[:, :298] - 1.5) == []  # no costs: some are negative
    assert warned(rng.integers(0, 2, size=(2, 101)).astype(float)) == []


def steady(n_items):
    """Two systems whose costs vary steadily from item to item."""
    rng = np.random.default_rng(1)
    shared = rng.normal(10, 1, n_items)
    return log_of([shared + rng.normal(0, 0.3, n_items), shared + 1 + rng.normal(0, 0.3, n_items)])


@pytest.mark.parametrize(
    "answer",
    [
        lambda table: table.compare("a", "b"),
        lambda table: table.board(n_resamples=200),
        lambda table: table.confident_front(n_resamples=200),
        lambda table: table.copa().intervals(),
    ],
    ids=["compare", "board", "confident_front", "intervals"],
)
def test_results_say_that_nothing_is_sure_of_costs_without_a_limit(answer):
    """Up to 298 items show no failure on 1 in 100 with a probability above 5%; no table calls for a warning of that."""
    words = {"cost": "min", "system": "system", "item": "item"}
    few, many = (answer(copa_nb.moo(steady(n), **words)).guarantee for n in (298, 299))
    assert "rare_failures" not in [one.name for one in few.warnings]
    assert [one for one in few.remarks if one.startswith("Values of cost have no known limit")]
    assert not [one for one in many.remarks if "limit" in one]


def test_a_declared_cap_is_a_limit():
    words = {"cost": "min", "system": "system", "item": "item"}
    found = copa_nb.moo(steady(100), **words).compare("a", "b", bounds={"cost": (0, 30)})
    assert not [one for one in found.guarantee.remarks if "limit" in one]
    assert not [one for one in found.guarantee.warnings if one.name == "rare_failures"]


def warned_of_copies(scores):
    """Whether a comparison of systems warns of copies; scores of shape (n_systems, n_items)."""
    system, item = np.indices(scores.shape).reshape(2, -1)
    frame = pd.DataFrame({"system": system, "item": item, "score": scores.ravel().astype(float)})
    found = asked.board(frame, system="system", item="item", objectives={"score": "max"})
    return "duplicated_items" in [one.name for one in found.guarantee.warnings]


@pytest.mark.parametrize("n_systems", [2, 5])
def test_items_that_occur_several_times(n_systems):
    rng = np.random.default_rng(0)
    continuous = rng.normal(size=(n_systems, 30))
    assert warned_of_copies(np.tile(continuous, 3))
    assert not warned_of_copies(rng.normal(size=(n_systems, 90)))
    half = np.concatenate([continuous, continuous[:, :10], continuous[:, :10]], axis=1)
    assert warned_of_copies(half)


def test_prices_are_no_copies():
    assert not warned_of_copies(np.repeat([[1.0], [2.0], [5.0]], 60, axis=1))


@pytest.mark.parametrize("n_systems", [2, 3, 6, 20])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_right_answers_are_often_equal(n_systems, share):
    rng = np.random.default_rng(n_systems)
    assert not warned_of_copies(rng.random((n_systems, 200)) < share)
    difficulty = rng.random(200)
    assert not warned_of_copies(rng.random((n_systems, 200)) < difficulty)
    assert not warned_of_copies(np.round(rng.random((n_systems, 200)) * 4) / 4)
    assert not warned_of_copies(np.where(rng.random((n_systems, 200)) < 0.95, 0, rng.random((n_systems, 200))))


def test_few_tables_of_right_answers_look_like_copies():
    """Four groups of rows have sizes that are all multiples of 3, 4, ... in 2% of tables."""
    rng = np.random.default_rng(0)
    found = [copies(rng.integers(0, 2, size=(int(n), 2)).astype(float)) > 0 for n in rng.integers(50, 300, size=1000)]
    assert 0.005 < np.mean(found) < 0.035


def test_right_answers_of_several_systems_to_copies():
    rng = np.random.default_rng(0)
    assert warned_of_copies(np.tile(rng.random((6, 60)) < 0.6, 3))
