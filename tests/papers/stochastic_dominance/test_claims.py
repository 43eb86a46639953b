"""Claims of the GSD front, on suites small enough to see what must come out."""

from dataclasses import replace

import pandas as pd
import pytest

from copa_nb.papers.stochastic_dominance import claims
from copa_nb.plotting.pictures import picture_of
from copa_nb.stochastic_dominance.plots import plot_gsd_test
from tests import asked

NAMES = [claims.CRE, *claims.ESTABLISHED]


def _suite(accuracy, *, mirror=True, n=8):
    """Every classifier with its accuracy on n data sets, better by turns in the robust metrics."""
    rows = []
    for number in range(n):
        for place, name in enumerate(NAMES):
            features = (place * 7 + number * 3) % 11 / 10
            rows.append({"dataset": number, "classifier": name, "accuracy": accuracy[name] - number / 1000})
            rows[-1] |= {claims.NOISY_FEATURES: features, claims.NOISY_CLASSES: 0.5}
    suite = pd.DataFrame(rows)
    if mirror:
        wide = suite.set_index(["dataset", "classifier"])[claims.NOISY_FEATURES].unstack()
        turned = wide[claims.ESTABLISHED[::-1]].set_axis(claims.ESTABLISHED, axis="columns").assign(cre=0.5)
        pairs = zip(suite["dataset"], suite["classifier"], strict=True)
        suite[claims.NOISY_CLASSES] = [turned.loc[number, name] for number, name in pairs]
    return suite.moo.define({"accuracy": "max", claims.NOISY_FEATURES: "max", claims.NOISY_CLASSES: "max"})


def _front(suite, **options):
    return asked.gsd_front(suite,
        system="classifier", item="dataset", ordinal=[claims.NOISY_FEATURES, claims.NOISY_CLASSES],
        progress=False, **options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def suite():
    return _suite(claims.PRINTED_MEANS)


@pytest.fixture(scope="module")
def test(suite):
    return _front(suite).test(claims.CRE, n_resamples=19)


def test_a_mirrored_column_is_found(suite):
    assert claims.mirrored(suite).all()
    assert claims.one_column_is_mirrored(suite).holds
    found = claims.one_column_is_mirrored(_suite(claims.PRINTED_MEANS, mirror=False))
    assert not found.holds
    assert found.found == "on 0 of 8 data sets"


def test_the_answer_opens_with_the_mirrored_column(suite, test):
    front = _front(suite)
    answer = claims.pmlb_answer
    assert answer(suite, front, front, test).headline.startswith("In the authors' file one robustness column mirrors")
    plain = _suite(claims.PRINTED_MEANS, mirror=False)
    assert answer(plain, front, front, test).headline.startswith("Compressed rule ensembles")


def _two(better):
    """Two classifiers with a value each on six data sets; the first is at least as good everywhere, or not."""
    frame = pd.DataFrame(
        {
            "data set": [*range(6), *range(6)],
            "classifier": [claims.TREE] * 6 + [claims.FOREST] * 6,
            "accuracy": [0.6 + 0.2 * better] * 6 + [0.7] * 6,
            "cpu_s": [1.0] * 6 + [9.0] * 6,
        }
    ).moo.define(accuracy="max", cpu_s="min")
    return frame, asked.gsd_front(frame, system="classifier", item="data set", ordinal="cpu_s", progress=False)


@pytest.mark.parametrize("better", [False, True])
def test_neither_or_one_dominates(better):
    runs, front = _two(better)
    found = claims.neither_dominates(front)
    assert found.holds is not better
    assert found.ours == ("one dominates" if better else "incomparable")
    tests = {name: front.test(name, n_resamples=99) for name in front.systems}
    headline = claims.openml_answer(runs, front, tests).headline
    assert headline.startswith(f"The {claims.TREE} dominates" if better else "Neither dominates the other")


def test_half_the_statistic_withstands_fewer_contaminated_data_sets():
    _, front = _two(better=True)
    tests = {name: front.test(name, n_resamples=199) for name in front.systems}
    table = claims.withstood(tests)
    assert table.index.tolist() == [name for name, test in tests.items() if test.on_front]
    for name in table.index:
        assert table.loc[name, "data sets"] == tests[name].table["contaminated"].iloc[0]
    assert claims.halving_understates(tests).holds
    # A distribution far below the statistic withstands equally many with half of both: none at all.
    never = replace(tests[claims.TREE], statistics=tests[claims.TREE].statistics * 0)
    assert claims.halving_understates({claims.TREE: replace(never, pvalues=never.pvalues * 0)}).holds is False
    assert claims.halving_understates({}).holds is None
    assert claims.svm_withstands_seven().holds is None


def test_the_front_and_who_dominates_whom(suite):
    ahead = suite.assign(
        **{name: suite[name] - (suite["classifier"] == claims.CRE) for name in suite.moo.description["objectives"]}
    )
    assert claims.five_on_the_front(_front(ahead)).holds
    best = _suite(dict.fromkeys(NAMES, 0.5) | {"ranger": 0.9, claims.CRE: 0.1})
    # On accuracy alone everything is ordered, so that more pairs than one are.
    alone = asked.gsd_front(best.moo(accuracy="max"), system="classifier", item="dataset", progress=False)
    assert alone.front == ["ranger"]
    assert not claims.five_on_the_front(alone).holds
    assert not claims.forest_above_cre_alone(alone).holds
    pair = best[best["classifier"].isin([claims.CRE, "ranger"])].moo(accuracy="max")
    assert claims.forest_above_cre_alone(
        asked.gsd_front(pair, system="classifier", item="dataset", progress=False)
    ).holds


@pytest.mark.parametrize(
    ("changed", "fails"),
    [
        ({}, set()),
        ({"J48": 0.05}, {claims.no_test_rejects}),
        ({"knn": 0.06}, {claims.cart_is_closest}),
        ({"ranger": 0.9}, {claims.forest_is_far_away}),
    ],
)
def test_pvalues_of_the_tests(test, changed, fails):
    pvalues = {"svmRadial": 0.2, "J48": 0.07, "ranger": 0.98, "knn": 0.3, "glmnet": 0.4} | changed
    given = replace(test, pvalues=pd.Series(pvalues)[test.pvalues.index])
    for check in (claims.no_test_rejects, claims.cart_is_closest, claims.forest_is_far_away):
        assert check(given).holds is (check not in fails)


def test_counts_and_means(suite):
    assert not claims.number_of_data_sets(suite).holds
    sets = pd.DataFrame({"dataset": range(62), "classifier": "cre"})
    assert claims.number_of_data_sets(sets).holds
    exact = _suite(claims.PRINTED_MEANS, n=1)
    assert claims.mean_accuracies(exact).holds
    assert not claims.mean_accuracies(_suite(claims.PRINTED_MEANS | {"knn": 0.7781}, n=1)).holds


def test_statistics_next_to_stored_ones(suite, test):
    front, regularized = _front(suite), _front(suite, regularization=0.5)
    names = [name for name in claims.ESTABLISHED if name != "knn"]
    halves = [(front.statistics.loc[name, "cre"] / 2, regularized.statistics.loc[name, "cre"] / 2) for name in names]
    stored = pd.DataFrame(
        [(name, epsilon, half) for name, (epsilon, half) in zip(names, halves, strict=True) for _ in range(4)],
        columns=["competitor", "epsilon_0", "epsilon_half"],
    )
    compared = claims.compare_with_stored(stored, front, regularized, test)
    assert (compared["stored p"] == 1).all()
    assert claims.statistics_as_stored(compared, front).holds
    assert claims.regularized_as_stored(compared).holds
    off = compared.assign(found=compared["found"] + 1e-9)
    assert not claims.statistics_as_stored(off, front).holds
    off["found, regularized"] += 1e-5
    assert not claims.regularized_as_stored(off).holds


@pytest.mark.parametrize(
    ("quarter", "whole", "holds"),
    [
        (["svmRadial", "J48", "ranger", "glmnet"], ["ranger"], True),
        (["svmRadial", "J48", "ranger", "glmnet"], ["svmRadial", "ranger"], False),
        (["svmRadial", "J48", "ranger"], ["ranger"], False),
        (["svmRadial", "J48", "knn", "glmnet"], ["ranger"], False),
    ],
)
def test_the_largest_gaps_leave_one(suite, quarter, whole, holds):
    front = _front(suite)

    def with_front(names):
        """The front whose members dominate all others and not one another."""
        ahead = pd.Series(front.systems).isin(names).to_numpy()
        statistics = pd.DataFrame(-1.0, index=front.systems, columns=front.systems)
        statistics.iloc[ahead, ~ahead] = 1.0
        return replace(front, statistics=statistics)

    fronts = {0.25: with_front(quarter), 1.0: with_front(whole)}
    assert claims.largest_gaps_leave_one(fronts).holds is holds
    table = claims.fronts_by_share(fronts)
    assert table["on the front"].tolist() == [len(quarter), len(whole)]
    assert table["ordered pairs"].tolist() == [len(names) * (6 - len(names)) for names in (quarter, whole)]
    assert (table["pairs"] == 15).all()


def test_a_tested_system_is_named_in_its_picture(test):
    assert "cre" in picture_of(plot_gsd_test, test).finding
