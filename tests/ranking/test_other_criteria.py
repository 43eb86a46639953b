import numpy as np
import pandas as pd
import pytest

import copa_nb

METHODS = ["borda", "topsis", "weighted sum", "lexicographic"]


@pytest.fixture
def models():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((30, 3)) + 0.1, columns=["a", "b", "c"], index=[f"m{i}" for i in range(30)])
    return frame.moo.define(a="max", b="min", c="min")


def test_borda_ranks_by_the_mean_of_pandas_ranks(models):
    ranks = pd.DataFrame({"a": models["a"].rank(ascending=False), "b": models["b"].rank(), "c": models["c"].rank()})
    scores = models.moo.copa(weights={"a": 0.5}).criteria(["borda"]).scores["borda"]
    np.testing.assert_allclose(scores * 30 + 0.5, ranks @ [0.5, 0.25, 0.25])


def test_borda_is_copa_with_p_1_when_nothing_ties(models):
    ranks = models.moo.copa().criteria(["borda", 1]).ranks
    assert (ranks["borda"] == ranks[1]).all()


@pytest.mark.parametrize(
    ("weights", "by"), [(None, ["a", "b", "c"]), ({"c": 0.6}, ["c", "a", "b"]), ([1, 2, 3], ["c", "b", "a"])]
)
def test_lexicographic_order_is_that_of_sorted_rows(models, weights, by):
    rounded = models.round(1)
    ranks = rounded.moo.copa(weights=weights).criteria(["lexicographic"]).ranks["lexicographic"]
    expected = rounded.sort_values(by, ascending=[name != "a" for name in by])
    assert rounded.loc[ranks.sort_values(kind="stable").index].to_numpy().tolist() == expected.to_numpy().tolist()
    # Equal rows share a place, and no others do.
    assert ranks.nunique() == len(rounded.drop_duplicates())


@pytest.mark.parametrize("method", METHODS)
def test_first_rows_are_never_dominated(models, method):
    rounded = models.round(1)
    winner = rounded.moo.copa().criteria([method]).winners().iloc[0]
    assert winner in rounded.moo.front().index


def test_weighted_sum_depends_on_units_and_borda_does_not(models):
    moved = models.assign(b=np.exp(9 * models["b"]))
    for method, same in (("borda", True), ("weighted sum", False), ("topsis", False)):
        before, after = (frame.moo.copa().criteria([method]).ranks[method] for frame in (models, moved))
        assert (before == after).all() == same


def test_a_frozen_population_keeps_scores_where_they_are(models):
    frozen = copa_nb.Reference.fit(models)
    whole = models.moo.copa(reference=frozen).criteria(METHODS).scores
    part = models.iloc[:7].moo.copa(reference=frozen).criteria(METHODS).scores
    pd.testing.assert_frame_equal(part, whole.iloc[:7])


def test_errors_name_the_column_and_the_way_out(models):
    with pytest.raises(ValueError, match=r"objective 'b' has values that are not positive.*minmax"):
        models.assign(b=-1.0).moo.copa().criteria(["weighted sum"])
    with pytest.raises(ValueError, match=r"Did you mean 'topsis'"):
        models.moo.copa().criteria(["topsiss"])


def test_an_objective_by_itself_is_a_criterion(models):
    compared = models.moo.copa().criteria(["a", "b", 1])
    expected = models["a"].rank(ascending=False, method="min").astype(int)
    pd.testing.assert_series_equal(compared.ranks["a"], expected, check_names=False)
    assert list(compared.table.columns) == ["a", "b", "p = 1", "swing"]
    with pytest.raises(ValueError, match="`criteria` is 'd'"):
        models.moo.copa().criteria(["d"])


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e160, 1e200])
def test_topsis_does_not_depend_on_units(models, scale):
    expected = models.moo.copa().criteria(["topsis"]).table
    found = models.assign(**{name: models[name] * scale for name in models.moo.description["objectives"]})
    assert found.moo.copa().criteria(["topsis"]).table["topsis"].tolist() == expected["topsis"].tolist()
