"""scikit-learn's own searches: the table, and the rule for ``refit=``."""

import pickle

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.tables.objectives import RowsOmittedWarning

pytest.importorskip("sklearn")
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    cross_val_score,
)
from sklearn.tree import DecisionTreeClassifier

from tests.over_runs import over_runs

X, Y = make_classification(120, 6, random_state=0)
GRID = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 5, 20]}
TREE = DecisionTreeClassifier(random_state=0)
TWO = {"scoring": ["roc_auc", "neg_log_loss"], "cv": 3}


def _fitted(kind=GridSearchCV, grid=GRID, **options):
    return kind(TREE, grid, **options).fit(X, Y)


@pytest.fixture(scope="module")
def two_scores():
    return _fitted(**TWO, refit=False)


@pytest.mark.parametrize(
    ("kind", "options"), [(GridSearchCV, {}), (RandomizedSearchCV, {"n_iter": 6, "random_state": 1})]
)
def test_one_score_gives_the_searchs_own_choice(kind, options):
    search = _fitted(kind, cv=3, **options)
    table = copa_nb.from_cv_results(search)
    chosen = table.moo.copa()
    assert chosen.position == search.best_index_
    assert table.loc[chosen.best, "score"] == search.best_score_
    assert _fitted(kind, cv=3, refit=copa_nb.refit(), **options).best_index_ == search.best_index_


def test_columns(two_scores):
    table = copa_nb.from_cv_results(two_scores)
    results = two_scores.cv_results_
    assert table.moo.description["objectives"] == {"roc_auc": "max", "neg_log_loss": "max"}
    assert table["roc_auc"].tolist() == results["mean_test_roc_auc"].tolist()
    assert table["param_max_depth"].tolist() == [candidate["max_depth"] for candidate in results["params"]]
    assert table.index[0] == "max_depth=1, min_samples_leaf=1"
    assert table["mean_score_time"].tolist() == results["mean_score_time"].tolist()
    assert copa_nb.from_cv_results(results).equals(table)


def test_splits_are_repetitions(two_scores):
    table = copa_nb.from_cv_results(two_scores, splits=True)
    assert len(table) == 3 * 12
    means = table.groupby("candidate", sort=False)[["roc_auc", "neg_log_loss"]].mean()
    pd.testing.assert_frame_equal(means, copa_nb.from_cv_results(two_scores)[means.columns])
    assert over_runs(table, system="candidate", repeat="split", n_resamples=5)


@pytest.mark.parametrize("jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_refit_chooses_what_copa_chooses(jobs):
    weights = {"neg_log_loss": 0.9}
    rule = copa_nb.refit(roc_auc="max", neg_log_loss="max", weights=weights, p=2)
    search = _fitted(**TWO, refit=rule, n_jobs=jobs)
    chosen = copa_nb.from_cv_results(search).moo.copa(weights=weights, p=2)
    assert search.best_index_ == chosen.position
    assert search.predict(X).shape == Y.shape
    assert search.best_params_ == search.cv_results_["params"][chosen.position]


def test_refit_weighs_time_where_asked(two_scores):
    results = dict(two_scores.cv_results_)
    results["mean_score_time"] = np.linspace(1, 0.1, 12)
    rule = copa_nb.refit(roc_auc="max", mean_score_time="min", weights={"mean_score_time": 1.0, "roc_auc": 0.0})
    assert rule(results) == 11
    table = copa_nb.from_cv_results(results).moo(roc_auc="max", mean_score_time="min")
    assert copa_nb.refit(roc_auc="max", mean_score_time="min")(results) == table.copa().position
    assert copa_nb.refit({"mean_test_roc_auc": "max"}, where="mean_score_time >= 0.5")(results) < 8


def test_refit_is_pickled_and_nested():
    rule = copa_nb.refit(roc_auc="max", neg_log_loss="max")
    assert pickle.loads(pickle.dumps(rule)) == rule
    search = GridSearchCV(TREE, {"max_depth": [1, 3]}, **TWO, refit=rule)
    assert cross_val_score(search, X, Y, cv=2, scoring="roc_auc").shape == (2,)


@pytest.mark.parametrize("kind", [HalvingGridSearchCV, HalvingRandomSearchCV])
def test_halving_searches(kind):
    search = _fitted(kind, random_state=0, cv=3, refit=copa_nb.refit(score="max"))
    with pytest.warns(RowsOmittedWarning, match="of earlier iterations"):
        table = copa_nb.from_cv_results(search)
    last = search.cv_results_["iter"] == search.cv_results_["iter"].max()
    assert len(table) == last.sum()
    assert table.loc[table.moo.copa().best, "score"] == search.cv_results_["mean_test_score"][search.best_index_]
    assert last[copa_nb.refit(score="max")(search.cv_results_)]


def test_failed_candidates_are_counted():
    class Fails(DecisionTreeClassifier):
        def fit(self, X, y):
            if self.max_depth == 2:
                raise ValueError("no")
            return super().fit(X, y)

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(Fails(), GRID, cv=2, refit=copa_nb.refit()).fit(X, Y)
    with pytest.warns(RowsOmittedWarning, match="3 of 12 candidates are left out: 3 failed"):
        table = copa_nb.from_cv_results(search)
    assert 2 not in table["param_max_depth"].tolist()
    assert search.best_params_["max_depth"] != 2


def test_a_score_that_some_candidates_lack(two_scores):
    results = dict(two_scores.cv_results_)
    results["mean_test_roc_auc"] = np.where(np.arange(12) % 2, np.nan, results["mean_test_roc_auc"])
    with pytest.raises(ValueError, match="missing values in objective 'roc_auc' in 6 of 12 rows"):
        copa_nb.from_cv_results(results).moo.copa()
    assert copa_nb.refit(roc_auc="max")(results) % 2 == 0
    results["mean_test_roc_auc"] = np.full(12, np.nan)
    with pytest.raises(ValueError, match="every candidate lacks a score"):
        copa_nb.refit(roc_auc="max")(results)


def test_refusals(two_scores):
    with pytest.raises(TypeError, match="not GridSearchCV; fit it first"):
        copa_nb.from_cv_results(GridSearchCV(TREE, GRID))
    with pytest.raises(ValueError, match=r"`f1` is not a column .*'roc_auc', 'neg_log_loss'"):
        copa_nb.refit(f1="max")(two_scores.cv_results_)
    with pytest.raises(ValueError, match="scikit-learn negates this loss"):
        copa_nb.refit(neg_log_loss="min")
    with pytest.raises(ValueError, match="`refit` gives 'up' as the direction"):
        copa_nb.refit(roc_auc="up")
