"""Other libraries, called as the benchmarks call them, give the answers of ours: what is timed is the same work."""

import importlib

import numpy as np
import pytest

import copa_nb
from benchmarks import speed
from benchmarks.speed import peers, seeds
from benchmarks.speed.posets import exact_run, suites
from benchmarks.speed.seeds import hv_test_of, runs, with_scipy
from tests import definitions


@pytest.mark.parametrize("kind", speed.KINDS)
@pytest.mark.parametrize("objectives", [2, 3, 7])
def test_peers_and_verbs_find_the_front_of_the_definition(kind, objectives):
    costs = speed.costs(kind, 120, objectives, seed=3)
    expected = definitions.front(costs)
    for peer in ("moocore", "numpy", "pandas"):
        assert peers.finder(peer)(costs).tolist() == expected.tolist(), peer
    table = speed.as_table(costs)
    assert (table.moo.layers(1) == 1).tolist() == expected.tolist()
    assert table.moo.front().index.tolist() == np.flatnonzero(expected).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("peer", ["paretoset", "pymoo"])
def test_libraries_of_the_extra_find_the_front_of_the_definition(peer):
    pytest.importorskip(peer)
    for kind in speed.KINDS:
        for objectives in (2, 3, 7):
            costs = speed.costs(kind, 120, objectives, seed=3)
            assert peers.finder(peer)(costs).tolist() == definitions.front(costs).tolist(), (kind, objectives)


@pytest.mark.parametrize("objectives", [2, 3])
def test_scipy_measures_the_same_test(objectives):
    points = runs(objectives, 10)
    points[:10] *= 0.8
    ours, theirs = hv_test_of(points)(), with_scipy(points, n_resamples=999)
    assert isinstance(ours, copa_nb.significance.hv_test.HypervolumeTest)
    assert ours.pvalue == pytest.approx(theirs, abs=0.05)
    assert ours.pvalue < 0.9


def test_resampled_fronts_are_those_of_evalstats():
    scores = seeds.scores_of(12, 30, 2)
    found = speed.resampled_fronts(8, 20, 100, pairs=1, beside_peer=(12, 30, 100))
    assert found["milliseconds"].gt(0).all()
    assert found["verdict"].iloc[0] == "reached"
    pytest.importorskip("evalstats", reason="the package to compare with is not installed")
    assert found["peer"].tolist() == ["", "evalstats"]
    np.testing.assert_array_equal(seeds.shares_of(scores, 100), seeds.with_evalstats(scores, 100))


def test_measured_suites_are_the_papers():
    found = {name: exact_run(relations) for name, relations in suites().items()}
    assert found["evolutionary algorithms"].n_generic == 1029
    assert found["evolutionary algorithms"].depth.max() == pytest.approx(0.39096808)
    assert found["BBOB, dimension 2"].n_generic == 73_700


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Dask, about pandas
def test_engines_pick_the_same_row_and_read_the_same_logs(monkeypatch):
    large = importlib.import_module("benchmarks.speed.large")
    # In this process: what is checked is the answers, not the memory.
    monkeypatch.setattr(large, "_in_a_process", large.measured)
    for module in ("polars", "duckdb", "dask", "pyarrow"):
        pytest.importorskip(module)
    found = speed.large(2000)
    assert set(found["peer"]) == {*large.OURS, *large.OTHERS}
    assert (found["milliseconds"] > 0).all()
    monkeypatch.setattr(large, "MOST_HELD", 1000)
    assert set(speed.large(2000)["peer"]) == set(large.OURS), "what holds all rows is left out"
    read = speed.large_items(3, 40)
    assert set(read["peer"]) == {*large.OF_ITEMS, *large.OTHERS_OF_ITEMS}
    assert (read["target"] == 1.0).sum() == 2
