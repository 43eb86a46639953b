"""The benchmarks measure what they say: peers find the right fronts, ratios and verdicts follow from the times."""

import importlib

import numpy as np
import pandas as pd
import pytest

import copa_nb
from benchmarks import speed
from benchmarks.speed import measure, peers, seeds
from benchmarks.speed.growth import exponent
from benchmarks.speed.posets import exact_run, random_orders, suites
from benchmarks.speed.seeds import hv_test_of, runs, with_scipy
from tests import definitions

NOT_JUDGED = {"target", "verdict"}


@pytest.fixture
def clock(monkeypatch):
    """A clock that only the calls under test move."""

    class Clock:
        now = 0.0

        def spend(self, seconds):
            self.now += seconds

    ticking = Clock()
    monkeypatch.setattr(measure.time, "perf_counter", lambda: ticking.now)
    monkeypatch.setattr(measure.time, "process_time", lambda: ticking.now)
    return ticking


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


def test_libraries_that_are_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    assert peers.finder("paretoset") is None
    found = speed.fronts(300, (2,), ("uniform",), pairs=1, peers=("paretoset", "moocore"))
    assert set(found["peer"]) == {"moocore"}


def test_the_kinds_are_what_their_names_say():
    def share(kind):
        return definitions.front(speed.costs(kind, 300, 4)).mean()

    assert share("simplex") == share("sphere") == share("equal") == 1.0
    assert share("anti-correlated") > 0.5 > share("uniform") > share("correlated")
    assert len(np.unique(speed.costs("ties", 300, 1))) == 10
    scales = np.median(speed.costs("scales", 300, 4), axis=0)
    assert scales.max() / scales.min() > 1e15
    assert np.array_equal(speed.costs("uniform", 50, 2, seed=1), speed.costs("uniform", 50, 2, seed=1))


def test_unknown_peers_are_named():
    with pytest.raises(ValueError, match="`peer` is 'nobody'"):
        peers.finder("nobody")


def test_ratios_are_of_the_least_times(clock):
    ours = iter([0.1, 0.3, 0.2, 0.6])
    theirs = iter([0.1, 0.5, 0.7, 0.8])
    found = measure.beside({"verb": lambda: clock.spend(next(ours))}, lambda: clock.spend(next(theirs)), 3)["verb"]
    # The first call of each is for memory, and may compile or find things in place; three turns are left.
    assert found.ratio == pytest.approx(0.2 / 0.5)
    assert (found.milliseconds, found.peer_milliseconds) == (pytest.approx(200), pytest.approx(500))


def test_short_calls_take_more_turns_within_a_tenth_of_the_time(clock):
    turns = []
    measure.beside({"verb": lambda: turns.append(clock.spend(0.01))}, lambda: clock.spend(0.01), 3, seconds=2.05)
    # The call for memory, three turns, and as many as begin within .205 s.
    assert len(turns) == 1 + 11
    turns.clear()
    measure.beside({"verb": lambda: turns.append(clock.spend(1e-6))}, lambda: clock.spend(1e-6), 3, seconds=2)
    assert len(turns) == 1 + 30


def test_processor_time_has_a_ratio_of_its_own(monkeypatch):
    spent = {"wall": 0.0, "cpu": 0.0}
    monkeypatch.setattr(measure.time, "perf_counter", lambda: spent["wall"])
    monkeypatch.setattr(measure.time, "process_time", lambda: spent["cpu"])

    def call(wall, cpu):
        spent["wall"] += wall
        spent["cpu"] += cpu

    found = measure.beside({"verb": lambda: call(0.2, 0.4)}, lambda: call(0.8, 0.5), 2)["verb"]
    assert (found.ratio, found.cpu_ratio) == (pytest.approx(0.25), pytest.approx(0.8))
    idle = measure.beside({"verb": lambda: call(0.2, 0.4)}, lambda: call(0.8, 0.0), 2)["verb"]
    assert np.isnan(idle.cpu_ratio)


def test_several_verbs_share_the_calls_of_a_peer(clock):
    calls = []

    def call(name, seconds):
        calls.append(name)
        clock.spend(seconds)

    ours = {"one": lambda: call("one", 0.1), "two": lambda: call("two", 0.3)}
    found = measure.beside(ours, lambda: call("peer", 0.2), 2)
    assert calls == ["one", "two", "peer"] * 3
    assert (found["one"].ratio, found["two"].ratio) == (pytest.approx(0.5), pytest.approx(1.5))


def test_slow_peers_are_called_once(clock):
    found = measure.beside({"verb": lambda: clock.spend(3)}, lambda: clock.spend(6), 5, seconds=4)["verb"]
    assert clock.now == 9
    assert found.ratio == pytest.approx(0.5)


def test_no_turn_is_begun_after_the_time_is_up(clock):
    measure.beside({"verb": lambda: clock.spend(1.5)}, lambda: clock.spend(1.5), 50, seconds=4)
    assert clock.now == 3 + 2 * 3


def test_sizes_end_before_a_call_would_take_too_long(clock):
    def quadratic(size):
        clock.spend(1e-7 * size**2)

    # 4,000 rows take 1.6 s; 1,000 rows .1 s.
    assert measure.size_that_ends(quadratic, 10**6, seconds=1.7, start=250) == 4000
    assert measure.size_that_ends(quadratic, 10**6, seconds=1.5, start=250) == 1000
    assert measure.size_that_ends(quadratic, 700, seconds=1.5, start=250) == 700


def test_memory_is_what_a_call_takes():
    assert 70 < measure.megabytes(lambda: np.ones(10_000_000)) < 110
    assert measure.megabytes(lambda: None) < 5


def test_memory_is_traced_where_the_system_keeps_no_mark(monkeypatch):
    monkeypatch.setattr(measure, "_peak_is_reset", lambda: False)
    assert measure.megabytes(lambda: np.ones(1_000_000)) == pytest.approx(8, abs=0.1)


@pytest.mark.parametrize(
    ("ratio", "target", "verdict"),
    [(0.1, 0.2, "reached"), (0.2, 0.2, "reached"), (0.3, 0.2, "falls short"), (9.0, np.nan, "")],
)
def test_verdicts_follow_from_ratio_and_target(ratio, target, verdict):
    row = measure.figure("a", "w", "d", (1, 2), "p", measure.Measured(ratio), target)
    assert list(row) == speed.COLUMNS
    assert row["verdict"] == verdict


def test_allowances_count_the_time_above_the_peer():
    row = measure.allowance("a", "w", "d", (1, 2), 700.0, 150.0, peer="import pandas", above=400.0)
    assert row["ratio"] == pytest.approx(2.0)
    assert np.isnan(row["cpu_ratio"])
    assert (row["target"], row["verdict"], row["peer_milliseconds"]) == (1.0, "falls short", 400.0)
    assert measure.allowance("a", "w", "d", (1, 2), 75.0, 150.0)["ratio_of"] == measure.BY_ALLOWANCE


def test_fronts_beside_peers_that_end():
    some = ("moocore", "numpy")
    found = speed.fronts(1200, (2, 7), ("uniform", "simplex"), pairs=1, peers=some, seconds=1e-9)
    assert list(found.columns) == speed.COLUMNS
    beside_moocore = found[found["peer"] == "moocore"]
    assert (beside_moocore["rows"] == 1200).all()
    assert beside_moocore["what"].str.split(",").str[0].value_counts().to_dict() == {"front": 4, "layers(1)": 4}
    # With no time at all, other peers stay at the smallest size, and so does what stands beside them.
    assert (found.loc[found["peer"] != "moocore", "rows"] < 1200).all()
    assert set(found["peer"]) == set(some)
    assert (found[["milliseconds", "peer_milliseconds", "ratio"]] > 0).all(axis=None)
    assert (found["verdict"] == "").all(), "targets hold for large tables only"


def test_targets_hold_from_many_rows(monkeypatch):
    for module in (measure, speed.fronts.__globals__, speed.choices.__globals__):
        target = module if isinstance(module, dict) else vars(module)
        monkeypatch.setitem(target, "ENOUGH_ROWS", 500)
    found = speed.fronts(500, (3, 7), ("uniform", "ties"), pairs=1, peers=("moocore",))
    targets = found.groupby(["objectives", "data"])["target"].unique().map(list)
    assert targets.to_dict() == {
        (3, "ties"): [1.15],
        (3, "uniform"): [0.2],
        (7, "ties"): [1.15],
        (7, "uniform"): [0.35],
    }
    found = speed.choices(500, 3, ("correlated", "simplex"), pairs=1)
    tables = found[found["what"] == "copa with its table"].dropna(subset="target")
    assert tables["data"].tolist() == ["correlated", "simplex"]
    assert tables["peer"].str.contains("moocore").tolist() == [False, True]
    assert (tables["target"] == 1.5).all()
    paths = found.query("peer.str.startswith('pandas')")
    assert paths.groupby("data")["target"].unique().map(list).to_dict() == {"correlated": [1 / 7], "simplex": [1.0]}
    assert set(speed.memory(500, 3)["target"].dropna()) == {3.0}


def test_small_tables_and_imports():
    found = speed.overhead(repeats=3, loads=1)
    assert found["target"].tolist() == [1.0] * 3
    assert found["ratio"].notna().all()
    assert found.loc[found["what"].str.startswith("import"), "peer_milliseconds"].item() > 10


@pytest.mark.parametrize("objectives", [2, 3])
def test_scipy_measures_the_same_test(objectives):
    points = runs(objectives, 10)
    points[:10] *= 0.8
    ours, theirs = hv_test_of(points)(), with_scipy(points, n_resamples=999)
    assert isinstance(ours, copa_nb.significance.hv_test.HypervolumeTest)
    assert ours.pvalue == pytest.approx(theirs, abs=0.05)
    assert ours.pvalue < 0.9


def test_resampled_fronts_make_rows_and_are_those_of_the_peer():
    scores = seeds.scores_of(12, 30, 2)
    found = speed.resampled_fronts(8, 20, 100, pairs=1, beside_peer=(12, 30, 100))
    assert found["milliseconds"].gt(0).all()
    assert found["verdict"].iloc[0] == "reached"
    pytest.importorskip("evalstats", reason="the package to compare with is not installed")
    assert found["peer"].tolist() == ["", "evalstats"]
    np.testing.assert_array_equal(seeds.shares_of(scores, 100), seeds.with_evalstats(scores, 100))


def test_comparisons_of_two_systems_make_rows():
    found = speed.comparisons(200)
    assert found["verdict"].tolist() == ["reached"]


def test_tests_and_audits_make_rows():
    found = pd.concat([speed.hypervolume_tests((2, 3), pairs=1, shapes=("uniform",)), speed.audits(3, (2,), pairs=1)])
    assert found["target"].round(3).fillna(0).tolist() == [0.05, 0, 0]
    assert (found["ratio"] > 0).all()


def test_depths_and_their_forecasts():
    found = speed.depths([((12, 4, 2, 0), 1.0), ((9, 4, 2, 0), None)], repeats=1)
    assert list(found.columns) == speed.COLUMNS
    assert found["what"].str.startswith("forecast").sum() == 2
    assert (found.loc[found["what"].str.startswith("forecast"), "ratio"] >= 1).all()
    assert found.loc[found["what"] == "depth, 9 orders of 4 items, spread 0", "verdict"].item() == ""
    allowed = found[found["ratio_of"] == measure.BY_ALLOWANCE]
    assert allowed["what"].str.contains("allowed").all()
    assert len(allowed) == 2


def test_measured_suites_are_the_papers():
    found = {name: exact_run(relations) for name, relations in suites().items()}
    assert found["evolutionary algorithms"].n_generic == 1029
    assert found["evolutionary algorithms"].depth.max() == pytest.approx(0.39096808)
    assert found["BBOB, dimension 2"].n_generic == 73_700


def test_random_orders_are_ordered_by_quality_when_it_is_all_that_counts():
    relations = random_orders(3, 4, 2, 1e6)
    assert (relations == np.triu(np.ones((4, 4), dtype=bool), 1)).all()


def test_exponents_are_slopes_of_logarithms():
    sizes = np.array([3.0, 10.0, 50.0])
    assert exponent(sizes, 7 * sizes**1.5) == pytest.approx(1.5)


def test_growth_over_rows_objectives_seeds_and_posets():
    found = speed.growth((200, 400), (2, 3), seeds=(3, 6), posets=(5, 10), pairs=1)
    assert set(found["over"]) == {"N, rows", "K, objectives", "seeds of each system", "posets"}
    assert found["exponent"].notna().all()
    assert (found["milliseconds"] > 0).all()
    assert speed.growth((), (), seeds=(), posets=()).empty


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
