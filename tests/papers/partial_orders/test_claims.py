"""Claims of Partial Rankings of Optimizers, on orders small enough to see what must come out."""

import itertools
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from copa_nb import datasets
from copa_nb.papers.partial_orders import claims
from copa_nb.papers.partial_orders.definition import Derivation, every_order, orders_of_pairs
from copa_nb.results import PosetSample
from tests import asked

OPTIMIZERS = ["SGD", "Momentum", "Adam"]
EXAMPLE = {
    "first": [("SGD", "Momentum")],
    "second": [("SGD", "Adam")],
    "third": [("Momentum", "SGD"), ("Momentum", "Adam"), ("SGD", "Adam")],
}


def _depths(pairs, systems):
    sample = orders_of_pairs(pairs, systems)
    return PosetSample(sample.relations, sample.systems, pd.Index(list(pairs), name="function")).depth()


@pytest.fixture(scope="module")
def deepobs():
    return asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")


def test_the_outlier_has_sgd_on_top(deepobs):
    found = claims.deepobs_orders_and_outlier(deepobs.depth())
    assert found.holds
    assert found.ours == "8 posets, 5 unique and 3 duplicated; 0.29 to 0.65"
    relations = deepobs.relations.copy()
    relations[list(deepobs.items).index("P8")] = False
    assert not claims.deepobs_orders_and_outlier(PosetSample(relations, deepobs.systems, deepobs.items).depth()).holds
    assert not claims.deepobs_orders_and_outlier(deepobs.without(["P1"]).depth()).holds


def test_distinct_orders_are_named_by_all_that_show_them(deepobs):
    table = claims.distinct_orders(deepobs)
    assert table.loc["P2, P3 and P5", "multiplicity"] == 3
    assert table.index.name == "problems"


def test_the_example_by_its_definition(deepobs):
    derived = Derivation(orders_of_pairs(EXAMPLE, OPTIMIZERS))
    assert derived.depths.tolist() == [Fraction(2, 3), 1, Fraction(2, 3)]
    assert derived.generic == [("first", "second"), ("first", "third"), ("second", "third")]
    found = claims.example_depths(derived)
    assert not found.holds
    assert "The second order lies between" in found.note
    answer = claims.example_answer(derived, derived.sample.depth(), deepobs, 190)
    assert "2/3, 1 and 2/3" in answer.lines[0]
    assert "the two agree" in answer.certainty
    assert any("the first is that of P6; the second is that of P1" in line for line in answer.lines)


def test_three_different_tops_have_two_thirds_each():
    tops = {top: [(other, top) for other in OPTIMIZERS if other != top] for top in OPTIMIZERS}
    derived = Derivation(orders_of_pairs(tops, OPTIMIZERS))
    assert claims.example_depths(derived).holds
    every = every_order(OPTIMIZERS)
    small = every.only([0, 1, 2, 3])
    assert all(np.allclose(every.only(triple).depth().depth, 1) for triple in claims.triples_of_depth(small, 1))


def test_the_definition_gives_the_depths_of_the_search(deepobs):
    derived = Derivation(deepobs)
    np.testing.assert_allclose(derived.depths.astype(float), deepobs.depth().depth, rtol=0, atol=1e-12)
    assert len(derived.generic) == deepobs.depth().n_generic == 20


SEARCHES = ["Nelder-Doerr", "BFGS", "MOS", "PSO", "FULLNEWUOA", "RANDOMSEARCH"]


def _searches(below_random=()):
    """Nine orders: the same chain of three each, and RANDOMSEARCH below some optimizers on the last functions."""
    pairs = {}
    for place in range(9):
        pairs[place] = [("MOS", "Nelder-Doerr"), ("MOS", "BFGS")]
        pairs[place] += [("RANDOMSEARCH", name) for name in below_random]
    pairs[8] = [*pairs[8], ("FULLNEWUOA", "Nelder-Doerr")]
    pairs[7] = [*pairs[7], ("FULLNEWUOA", "BFGS")]
    return _depths(pairs, SEARCHES)


def test_who_is_above_random_search():
    stated = _searches(["PSO", "Nelder-Doerr", "BFGS"])
    assert claims.only_pso_beats_random_search(_searches(["PSO"]), stated).holds
    assert claims.only_pso_beats_random_search(_searches(), stated).holds
    found = claims.only_pso_beats_random_search(stated, stated)
    assert not found.holds
    assert "BFGS" in found.ours


def test_who_is_above_all_but_three():
    program = _searches()
    assert claims.nelder_and_bfgs_on_top(program, program).holds
    other = _depths({place: [("MOS", "BFGS")] + [("MOS", "PSO")] * (place == 0) for place in range(9)}, SEARCHES)
    found = claims.nelder_and_bfgs_on_top(other, program)
    assert not found.holds
    assert "Nelder-Doerr above MOS" in found.note


@pytest.fixture(scope="module")
def bbob():
    table = datasets.load_bbob()
    kept = table[~table["function"].isin([1, 18, 24])]
    ways = {"program": "min", "text": "max"}
    return [
        {
            sign: asked.posets(
                frame, system="optimizer", item="function", objectives={"ert": "min", "n_precisions": way}
            ).depth()
            for sign, way in ways.items()
        }
        for frame in (kept, table)
    ]


def test_the_depths_in_two_dimensions_are_those_of_the_program(bbob):
    kept, whole = bbob
    program, stated = kept.values()
    assert claims.bbob_depths(program, stated).holds
    assert not claims.bbob_depths(stated, program).holds
    answer = claims.signs_answer(program, stated)
    assert answer.headline.startswith("The authors' program rewards missed targets")
    assert "rewards" not in claims.signs_answer(stated, stated).headline
    by_ties = {(sign, "incomparable"): depths for sign, depths in whole.items()}
    assert claims.similar_with_all_functions(by_ties, kept).holds
    swapped = {("program", "incomparable"): _reversed(whole["program"]), ("text", "incomparable"): whole["text"]}
    assert not claims.similar_with_all_functions(swapped, kept).holds
    assert claims.with_all_functions(by_ties, kept)["tau"].between(0.8, 1).all()
    assert claims.compare_signs(kept)["generic sets"].tolist() == [73_700, 23_528]


def _reversed(result):
    """The orders of a sample, each on the function at the other end."""
    sample = result.sample
    depth = pd.Series(result.depth.sort_values().to_numpy(), index=result.order)
    return type(result)(depth[sample.items], result.n_generic, result.constant, sample, sample, "exact", result.sizes)


def test_pairs_named_over_all_dimensions():
    systems = ["A", "B", "MOS", "iAMALGAM", "PSO", "RANDOMSEARCH"]
    named = claims.named_pairs(systems)
    assert len(named) == 5 + 4 + 2 * 2
    full = [(below, above) for above, below in named]
    lacking = [pair for pair in full if pair != ("MOS", "A")]
    more = [[], [("A", "B")], [("iAMALGAM", "MOS")]]
    complete = {"3 functions": _depths({place: full + extra for place, extra in enumerate(more)}, systems)}
    partial = {"3 functions": _depths({place: lacking + extra for place, extra in enumerate(more)}, systems)}
    orders = complete["3 functions"].sample
    assert claims.mos_and_iamalgam_are_below(complete, orders).holds
    found = claims.mos_and_iamalgam_are_below(partial, orders)
    assert (found.holds, found.reason) == (False, "not found"), "an order holds them all"
    found = claims.mos_and_iamalgam_are_below(partial, partial["3 functions"].sample)
    assert (found.holds, found.reason) == (False, "the paper is in error")
    assert f"{len(named) - 1} of {len(named)} pairs" in found.ours
    answer = claims.dimensions_answer(partial)
    assert "RANDOMSEARCH" in answer.headline
    assert any("is A above MOS" in line for line in answer.lines)
    assert "MOS is not below" in answer.lines[0]
    assert "not below" not in claims.dimensions_answer(complete).lines[0]


def _without(frame, *functions):
    return asked.posets(frame[~frame["function"].isin(functions)], system="optimizer", item="function").depth()


def test_random_search_and_pso_must_be_at_the_bottom_with_the_stored_depths():
    times = datasets.load_bbob(dimension="all")
    theirs = _without(times, 18, 24)
    found = claims.random_search_and_pso_are_below(theirs)
    assert found.holds
    assert "0.105724826615 to 0.184968164927" in found.found
    # Other functions have other depths.
    assert not claims.random_search_and_pso_are_below(_without(times, 1, 18, 24)).holds
    # With the fastest times for PSO it is above the others, and depths are no longer those stored.
    fast = times.copy()
    columns = [name for name in times if name.startswith("ert_")]
    fast.loc[fast["optimizer"] == "PSO", columns] = 1.0
    found = claims.random_search_and_pso_are_below(_without(fast, 18, 24))
    assert not found.holds
    assert "PSO is not below" in found.found


def test_no_order_at_any_precision_holds_all_pairs_named_by_other_code():
    runs, systems = datasets.load_bbob_runs(), list(datasets.load_bbob()["optimizer"].unique())
    orders = claims.orders_by_precision(runs, systems)
    assert len(orders) == 24 * 6
    time = runs.set_index(["function", "precision", "dimension", "optimizer"])["ert"].to_dict()
    above = {}
    for function in range(1, 25):
        for precision in runs["precision"].unique():
            at = {s: [time.get((function, precision, d, s), np.inf) for d in (2, 3, 5, 10, 20, 40)] for s in systems}
            above[function, precision] = {
                (a, b)
                for a, b in itertools.permutations(systems, 2)
                if at[a] != at[b] and all(x <= y for x, y in zip(at[a], at[b], strict=True))
            }
    assert orders.relations.sum() == sum(map(len, above.values()))
    named = claims.named_pairs(systems)
    assert len(named) == 33
    most = max(len(named & pairs) for pairs in above.values())
    assert most < 33
    shares = {"22 functions": _without(datasets.load_bbob(dimension="all"), 18, 24)}
    assert f"and none more than {most}" in claims.mos_and_iamalgam_are_below(shares, orders).found


def test_the_triple_of_the_example_generates_ten_orders():
    derived = Derivation(orders_of_pairs(EXAMPLE, OPTIMIZERS))
    found = claims.triple_generates_nothing(derived)
    assert (found.holds, found.ours) == (False, "10 orders; fails the second condition")
    # By hand: relations of three optimizers between what all and what any of them contain.
    pairs = [(a, b) for a in OPTIMIZERS for b in OPTIMIZERS if a != b]
    orders = [
        set(chosen) for size in range(4) for chosen in itertools.combinations(pairs, size)
        if not any((b, a) in chosen for a, b in chosen)
        and all((a, d) in chosen for a, b in chosen for c, d in chosen if b == c)
    ]  # fmt: skip
    assert len(orders) == 19
    low, high = set.intersection(*map(set, EXAMPLE.values())), set.union(*map(set, EXAMPLE.values()))
    assert sum(low <= order <= high for order in orders) == 10
    # Three orders of which each lies between the others generate nothing else.
    chain = {"a": [], "b": [("SGD", "Adam")], "c": [("SGD", "Adam"), ("SGD", "Momentum")]}
    assert claims.triple_generates_nothing(Derivation(orders_of_pairs(chain, OPTIMIZERS))).ours.startswith("4 orders")
    few = {"a": [], "b": [("SGD", "Adam")]}
    assert claims.triple_generates_nothing(Derivation(orders_of_pairs(few, OPTIMIZERS))).holds


def test_whom_dvc_dominates():
    sample = asked.posets(datasets.load_moea(), system="algorithm", item="problem")
    assert claims.dvc_on_the_ends(sample.depth()).holds
    found = claims.dvc_on_the_ends(sample.without(["F7"]).depth())
    assert not found.holds
    assert found.found.startswith("12 distinct")


def _rankings(result):
    return {"some functions": result.sample.consensus()}, {"some functions": result}


def test_rankings_are_less_typical_than_the_orders():
    times = datasets.load_bbob(dimension="all")
    kept = times[~times["function"].isin([1, 18, 24])]
    found = claims.rankings_are_less_typical(
        *_rankings(asked.posets(kept, system="optimizer", item="function").depth())
    )
    assert found.holds
    # On a cycle Borda ties all three: no pair is ordered, and that is typical.
    cycle = _depths({0: [("A", "B")], 1: [("B", "C")], 2: [("C", "A")]}, ["A", "B", "C"])
    assert not claims.rankings_are_less_typical(*_rankings(cycle)).holds
    # Where every function has the same ranking, that ranking is as deep as they are.
    same = _depths({place: [("A", "B"), ("B", "C"), ("A", "C")] for place in range(2)}, ["A", "B", "C"])
    assert not claims.rankings_are_less_typical(*_rankings(same)).holds


def test_where_dvc_is_beaten_and_by_whom():
    results = datasets.load_moea()
    measures = [column for column in results if column.startswith("migd_")]
    table = claims.better_somewhere(results, "DVC")
    assert table.loc["FDA4"].tolist() == ["HPPCM", "stage2"]
    wide = results.set_index(["problem", "algorithm"])[measures]
    for problem, names in table["better in a measure"].items():
        best = wide.loc[problem].drop("DVC").min()
        assert (names == "") == bool((best >= wide.loc[problem, "DVC"]).all())
    found = claims.dvc_is_beaten_somewhere(results)
    assert (found.holds, found.ours) == (True, "11 of 13")
    better = results.copy()
    better.loc[better["algorithm"].eq("DVC") & better["problem"].eq("FDA4"), measures] = 0.0
    assert not claims.dvc_is_beaten_somewhere(better).holds
    assert not claims.dvc_is_beaten_somewhere(results[results["problem"] != "FDA2"]).holds


def test_dvc_is_below_nobody():
    results = datasets.load_moea()
    options = {"system": "algorithm", "item": "problem"}
    assert claims.dvc_is_never_dominated(asked.posets(results, **options)).holds
    worse = results.copy()
    measures = [column for column in worse if column.startswith("migd_")]
    worse.loc[worse["algorithm"].eq("DVC") & worse["problem"].eq("F9"), measures] = 9.0
    found = claims.dvc_is_never_dominated(asked.posets(worse, **options))
    assert not found.holds
    assert "on F9" in found.found


def test_run_times_cannot_be_checked_but_are_compared(deepobs):
    timing = claims.time_depths({"DeepOBS": deepobs})
    assert timing.loc["DeepOBS", "generic sets"] == 20
    timing["here (s)"], timing["times faster"] = 0.05, 10.0
    found = claims.run_times(timing)
    assert found.holds is None
    assert found.ours == "0.05 s"
    assert "about 10." in found.note
    assert "instead of 0.5 s" in claims.run_times_answer(timing).headline


def test_a_suite_says_what_it_could_lack(deepobs):
    answer = claims.classifiers_answer(deepobs.review(), deepobs.consensus())
    assert answer.headline.startswith("P2 is the most typical")


def _optimizers(n_systems, n_items=6, seed=0):
    rng = np.random.default_rng(seed)
    grid = pd.MultiIndex.from_product([range(n_items), range(n_systems)], names=["function", "optimizer"])
    values = rng.random((len(grid), 2))
    return pd.DataFrame(values, columns=["loss", "time"], index=grid).reset_index().moo.define(loss="min", time="min")


def test_small_sets_are_compared_with_all_of_them():
    sample = asked.posets(_optimizers(3), system="optimizer", item="function")
    table = claims.depths_of_small_sets({"made": sample}, [2, 6])
    assert table.loc[("made", 6), claims._TAU] == 1
    assert table.loc[("made", 6), "generic sets used"] == table.loc[("made", 6), "of all"] == sample.depth().n_generic
    assert table.loc[("made", 2), "generic sets used"] == sample.depth(max_card=2).n_generic
    assert claims.small_sets_are_enough(table).holds
    assert not claims.small_sets_are_enough(table.assign(**{claims._TAU: 0.9})).holds
    assert not claims.small_sets_are_enough(table.assign(**{"same deepest": False})).holds


def test_the_spread_of_depths_is_that_of_all_systems_or_of_random_ones():
    made, rng = _optimizers(30), np.random.default_rng(0)
    table = claims.depths_by_number(made, [3, 30], n_draws=4, largest=3, rng=rng)
    every = asked.posets(made, system="optimizer", item="function").depth(max_card=3)
    assert table.loc[30, claims._RANGE] == pytest.approx(np.ptp(every.depth))
    assert table.loc[30, "small sets that are generic"] == pytest.approx(every.n_generic / (15 + 20))
    assert table.loc[3, claims._RANGE] > 0.05 > 0.001 > table.loc[30, claims._RANGE]
    check = claims.many_systems_make_depths_equal
    assert check(table).holds
    assert not check(table.drop(index=30)).holds
    assert not check(table.assign(**{claims._RANGE: [0.04, 0.0]})).holds


@pytest.mark.parametrize(
    ("kept", "agreement", "holds"),
    [([True] * 3, 0.81, True), ([True, False, True], 0.9, False), ([True] * 3, 0.79, False)],
)
def test_typical_functions_must_stay_typical_with_every_newcomer(kept, agreement, holds):
    newcomers = pd.DataFrame({"deepest_kept": kept, "agreement": [agreement - 0.1, agreement, agreement + 0.1]})
    review = SimpleNamespace(newcomers=newcomers, depths=SimpleNamespace(deepest=[10, 11]))
    found = claims.typical_functions_stay_typical(review)
    assert found.holds is holds
    assert f"in {sum(kept)} of 3 cases" in found.found
