"""What the verbs answer in passes is what pandas answers in memory, on every engine, to the last tie."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked, strategies
from tests.agreement import POLICIES, both, check_selection, outcome
from tests.streams.engines import COLUMNS, ENGINES, SYSTEM, as_array, as_pandas, same_values, scanned, tables_and_cuts

pytestmark = pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RunsWarning")

SETTINGS = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
BATCHES = st.sampled_from([1, 3, 100])
ON_ALL = pytest.mark.parametrize("engine", ENGINES)
# One place reads pieces for every verb; all engines meet the front and the choice, and these two all verbs.
QUICK = ("frames", "duckdb")
ON_MOST = pytest.mark.parametrize(
    "engine", [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.slow]) for one in ENGINES]
)


@ON_ALL
@SETTINGS
@given(table=tables_and_cuts(missing=True, repeated_labels=True, group=True), policy=POLICIES, rows=BATCHES,
       keep=st.sampled_from(["all", "first"]), by=st.sampled_from([None, "group"]))  # fmt: skip
def test_front(engine, table, policy, rows, keep, by):
    frame, cuts, directions = table
    options = {"objectives": directions, "nan_policy": policy, "keep": keep, "by": by}
    source = scanned(engine, frame, cuts, rows)
    answers = both(lambda: asked.front(frame, **options), lambda: asked.front(source, **options))
    if answers:
        same_values(as_pandas(answers[1]), answers[0])
    del options["keep"]
    answers = both(lambda: asked.layers(frame, 1, **options), lambda: asked.layers(source, 1, **options))
    if answers:
        np.testing.assert_array_equal(as_array(answers[1]) == 1, answers[0].eq(1).fillna(False))


@ON_ALL
@SETTINGS
@given(data=st.data(), table=tables_and_cuts(missing=True), policy=POLICIES, rows=BATCHES,
       scale=st.sampled_from(["cdf", "minmax", "relative", "none"]), p=st.sampled_from(["inf", 1, 2]))  # fmt: skip
def test_copa(engine, data, table, policy, rows, scale, p):
    frame, cuts, directions = table
    limit, form = data.draw(st.sampled_from([-1.0, 0.0, 1.0, 5.0])), data.draw(st.sampled_from(["none", "text", "own"]))
    where = there = None if form == "none" else f"`metric 0` <= {limit}"
    if form == "own" and engine in COLUMNS:
        there = COLUMNS[engine]("metric 0") <= limit
    weights = data.draw(st.none() | strategies.weights(len(directions)))
    options = {"objectives": directions, "p": p, "weights": weights, "normalize": scale, "nan_policy": policy}
    source = scanned(engine, frame, cuts, rows)
    if there is not where:
        assume(frame["metric 0"].le(limit).any())  # errors quote the condition
    answers = both(
        lambda: asked.copa(frame, where=where, **options), lambda: asked.copa(source, where=there, **options)
    )
    if answers:
        check_selection(*answers)


@ON_MOST
@SETTINGS
@given(table=tables_and_cuts(group=True), rows=BATCHES, where=st.sampled_from([None, "`metric 0` <= 1"]))
def test_copa_by_group(engine, table, rows, where):
    frame, cuts, directions = table
    options = {"objectives": directions, "by": "group", "where": where}
    source = scanned(engine, frame, cuts, rows)
    answers = both(lambda: asked.copa(frame, **options), lambda: asked.copa(source, **options))
    if answers:
        expected, found = answers
        assert list(found) == list(expected)
        for group in expected:
            check_selection(expected[group], found[group])


@ON_MOST
@SETTINGS
@given(table=tables_and_cuts(missing=True), policy=POLICIES, rows=BATCHES, p=st.sampled_from(["inf", 2]))
def test_navigate(engine, table, policy, rows, p):
    frame, cuts, directions = table
    assume(len(directions) > 1)
    options = {"objectives": directions, "p": p, "nan_policy": policy}
    source = scanned(engine, frame, cuts, rows)
    answers = both(
        lambda: asked.copa(frame, **options).navigate("metric 0", importances=7),
        lambda: asked.copa(source, **options).navigate("metric 0", importances=7),
    )
    if answers:
        same_values(answers[1].path, answers[0].path)
        assert answers[1].evenness == answers[0].evenness


@ON_MOST
@SETTINGS
@given(table=tables_and_cuts(missing=True, group=True), policy=POLICIES, rows=BATCHES,
       by=st.sampled_from([None, "group"]))  # fmt: skip
def test_hypervolume(engine, table, policy, rows, by):
    frame, cuts, directions = table
    options = {"objectives": directions, "reference": dict.fromkeys(directions, 1.5), "nan_policy": policy, "by": by}
    source = scanned(engine, frame, cuts, rows)
    if by is not None:
        assume(not frame.isna().any(axis=None))  # which group is named first depends on who looks first
    answers = both(lambda: asked.hypervolume(frame, **options), lambda: asked.hypervolume(source, **options))
    if answers:
        expected, found = ({None: one} if by is None else one for one in answers)
        for group in expected:
            assert found[group].value == pytest.approx(expected[group].value, rel=1e-12)
            assert (found[group].n_front, found[group].n_beyond) == (expected[group].n_front, expected[group].n_beyond)


@ON_MOST
@SETTINGS
@given(data=st.data(), table=tables_and_cuts(missing=True, group=True), policy=POLICIES, rows=BATCHES,
       by=st.sampled_from([None, "group"]), method=st.sampled_from(["cdf", "minmax"]))  # fmt: skip
def test_normalize(engine, data, table, policy, rows, by, method):
    frame, cuts, directions = table
    options = {"objectives": directions, "nan_policy": policy, "by": by, "method": method}
    if data.draw(st.booleans()):
        options["reference"] = copa_nb.Reference.fit(frame.iloc[::2], objectives=directions, nan_policy="worst")
    source = scanned(engine, frame, cuts, rows)
    answers = both(lambda: asked.normalize(frame, **options), lambda: asked.normalize(source, **options).to_pandas())
    if answers:
        same_values(answers[1], answers[0])


@ON_MOST
def test_tests_of_runs(engine):
    rng = np.random.default_rng(4)
    frame = runs(rng)
    settings = {"system": "agent", "repeat": "run", "objectives": {"accuracy": "max", "cost": "min"}}
    source = scanned(engine, frame, [5, 9], 4)
    expected = asked.hv_test(frame, new="B", baseline="A", **settings)
    found = asked.hv_test(source, new="B", baseline="A", **settings)
    assert (found.pvalue, found.reference) == (expected.pvalue, expected.reference)
    claims = {"claims": [("B", "A"), ("C", "A")], "progress": False, **settings}
    same_values(asked.audit(source, **claims).table, asked.audit(frame, **claims).table)


def runs(rng):
    agents, numbers = np.repeat(list("ABC"), 5), np.tile(np.arange(5), 3)
    values = {"accuracy": rng.random(15), "cost": rng.random(15)}
    return pd.DataFrame({"agent": agents, "run": numbers, **values}, index=[f"row {i}" for i in range(15)])


@ON_MOST
@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_scores_of_all_rows_are_written(engine, tmp_path):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        rng.integers(0, 9, (50, 2)).astype(float), columns=["a", "b"], index=[f"m{i}" for i in range(50)]
    )
    frame.iloc[3, 1] = np.nan
    options = {"objectives": {"a": "max", "b": "min"}, "weights": {"a": 0.3}, "p": 2, "nan_policy": "omit"}
    expected = asked.copa(frame, **options)
    written = pd.read_parquet(asked.copa(scanned(engine, frame, [20], 8), **options).to_parquet(tmp_path / "s.parquet"))
    kept = written.dropna()
    assert written.index.tolist() == frame.index.tolist()
    assert len(kept) == len(frame) - 1
    np.testing.assert_allclose(kept["score"], expected.scores, rtol=0)
    np.testing.assert_array_equal(kept[["u_a", "u_b"]], expected.normalized)
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]


def test_omitted_rows_are_warned_of_once():
    frame = pd.DataFrame({"a": [1.0, np.nan, 2.0]})
    with pytest.warns(RowsOmittedWarning, match="1 of 3 rows") as caught:
        copa_nb.moo(copa_nb.scan([frame[:1], frame[1:]], a="max"))(nan_policy="omit").copa()
    assert len(caught) == 1
    assert caught[0].filename == __file__


FEW = settings(SETTINGS, max_examples=4)


@st.composite
def logs(draw):
    """(rows of systems on items in any order, cuts); ties are the rule, and some rows or values may be missing."""
    n_systems, n_items = draw(st.integers(2, 4)), draw(st.integers(4, 12))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    n = n_systems * n_items
    frame = pd.DataFrame({
        "agent": np.repeat([f"agent {i}" for i in range(n_systems)], n_items),
        "task": np.tile(np.arange(n_items) * 3, n_systems),
        "suite": np.tile(np.arange(n_items) // 2, n_systems),
        "accuracy": rng.integers(0, 2, n).astype(float),
        "cost": rng.integers(1, 9, n) / 8,
    })  # fmt: skip
    if draw(st.booleans()):
        frame["task"] = "task " + frame["task"].astype(str)
    if draw(st.booleans()):
        frame.loc[rng.integers(0, n), "cost"] = np.nan
    if draw(st.booleans()):
        frame = frame.drop(index=rng.integers(0, n))
    frame = frame.sample(frac=1, random_state=draw(st.integers(0, 9)), ignore_index=True)
    frame.index = [f"row {i}" for i in range(len(frame))]
    return frame, draw(st.lists(st.integers(0, len(frame)), max_size=4))


OF_ITEMS = {"system": "agent", "item": "task", "objectives": {"accuracy": "max", "cost": "min"}}
OF_MEASUREMENTS = st.sampled_from(["raise", "omit", "pairwise"])
CLUSTER = st.sampled_from([None, "suite"])


@ON_MOST
@FEW
@given(
    log=logs(),
    rows=BATCHES,
    policy=OF_MEASUREMENTS,
    cluster=CLUSTER,
    verb=st.sampled_from(["board", "confident_front"]),
)
def test_systems_on_few_items(engine, log, rows, policy, cluster, verb):
    frame, cuts = log
    options = {**OF_ITEMS, "cluster": cluster, "nan_policy": policy, "n_resamples": 100}
    source = scanned(engine, frame, cuts, rows)
    answers = both(lambda: asked.ask(verb, frame, **options), lambda: asked.ask(verb, source, **options))
    if answers:
        same_values(answers[1].table, answers[0].table)
        assert answers[1].explain() == answers[0].explain()


@ON_MOST
@pytest.mark.parametrize("new", ["agent 1", "agent 9"])
def test_two_systems(engine, new):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({
        "agent": np.repeat([f"agent {i}" for i in range(3)], 30), "task": np.tile(np.arange(30), 3),
        "accuracy": rng.random(90) < np.repeat([0.3, 0.9, 0.5], 30), "cost": rng.random(90) + np.repeat([1, 0, 0], 30),
    }, index=[f"row {i}" for i in range(90)])  # fmt: skip
    frame["accuracy"] = frame["accuracy"].astype(float)
    frame.loc["row 80", "cost"] = np.nan  # of a system that is not compared
    options = {**OF_ITEMS, "new": new, "baseline": "agent 0"}
    source = scanned(engine, frame, [20, 50], 7)
    compare = asked.compare
    answers = both(lambda: compare(frame, **options), lambda: compare(source, **options))
    assert (answers is None) == (new == "agent 9")
    if answers:
        same_values(answers[1].table, answers[0].table)
        # Both objectives are decided: it would take seconds to plan how many items are missing.
        assert answers[1].explain() == answers[0].explain()


@ON_MOST
@FEW
@given(log=logs(), rows=BATCHES, policy=st.sampled_from(["raise", "omit"]), cluster=CLUSTER)
@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_sums_over_many_items(engine, log, rows, policy, cluster):
    """Every sum is that of the whole table; what is drawn from them is in tests/comparisons/test_moments.py."""
    frame, cuts = log
    options = {**OF_ITEMS, "cluster": cluster, "nan_policy": policy}
    source = scanned(engine, frame, cuts, rows, rows_in_memory=0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("copa_nb.streams.items.FEWEST_UNITS", 2)
        (expected, refused), (found, also_refused) = (
            outcome(lambda table=table: asked.board(table, **options)) for table in (frame, source)
        )
    assert (refused is None) == (also_refused is None), (refused, also_refused)
    if refused is not None:
        return
    names = ["accuracy", "cost", "rank", "score"]
    pd.testing.assert_frame_equal(found.table[names], expected.table[names], rtol=1e-12, check_index_type=False)
    assert found.measured == expected.measured
    assert found.guarantee.sampled == expected.guarantee.sampled
    assert found.guarantee.method == expected.guarantee.method.replace("random signs", "random normal weights")
    assert found.guarantee.basis == "asymptotic"
    units = expected.inputs.n_units()
    whole = expected.inputs.uncertainty(100, np.random.default_rng(0))
    ours = found.inputs.uncertainty(100, np.random.default_rng(0))
    size = len(expected.inputs.items) / units  # of a cluster, by which pandas' are divided
    np.testing.assert_allclose(ours.squares, whole.squares * size**2, rtol=1e-12, atol=1e-12)


@ON_MOST
@FEW
@given(table=tables_and_cuts(missing=True, group=True), policy=POLICIES, rows=BATCHES, data=st.data(),
       keep=st.sampled_from(["all", "first"]), where=st.sampled_from([None, "group != 'a'"]),
       by=st.sampled_from([None, "group"]))  # fmt: skip
def test_gap(engine, table, policy, rows, data, keep, where, by):
    frame, cuts, directions = table
    # Where no row is allowed, a table in memory says so, and pieces say first which values are missing.
    assume(where is None or (frame["group"] != "a").any())
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for name in directions:
        frame[f"val_{name}"], frame[f"test_{name}"] = frame[name], frame[name].to_numpy()[rng.permutation(len(frame))]
    options = {"objectives": directions, "nan_policy": policy, "keep": keep, "where": where, "by": by}
    if data.draw(st.booleans()):
        options["reference"] = dict.fromkeys(directions, 1.5)
    source = scanned(engine, frame, cuts, rows)
    answers = both(lambda: asked.gap(frame, **options), lambda: asked.gap(source, **options))
    if answers:
        expected, found = ({None: one} if by is None else one for one in answers)
        assert set(found) == set(expected)
        for group in expected:
            same_values(found[group].table, expected[group].table)
            pd.testing.assert_series_equal(found[group].summary, expected[group].summary)
            assert repr(found[group]) == repr(expected[group])


@ON_MOST
def test_gaps_of_groups_are_compared_alike(engine):
    scores = np.random.default_rng(0).random((24, 4)).round(1)
    frame = pd.DataFrame(scores, columns=["val_a", "val_b", "test_a", "test_b"]).assign(group=["one", "other"] * 12)
    frame.index = pd.Index([f"row {i}" for i in range(24)], name=SYSTEM)
    options = {"objectives": {"a": "max", "b": "min"}, "by": "group"}
    source = scanned(engine, frame, [5, 11], 3)
    expected, found = (asked.gap(table, **options) for table in (frame, source))
    compared, against = (gaps["one"].compare(gaps["other"]) for gaps in (found, expected))
    same_values(compared.table, against.table)
    assert repr(compared) == repr(against)


@ON_MOST
@FEW
@given(table=tables_and_cuts(missing=True), policy=POLICIES, rows=BATCHES, keep=st.sampled_from(["all", "first"]))
def test_bootstrap_of_a_gap(engine, table, policy, rows, keep):
    """Predictions are needed for the validation front alone."""
    frame, cuts, directions = table
    front = asked.front(frame, objectives=directions, nan_policy="worst").index
    scores = pd.DataFrame(np.random.default_rng(7).random((len(front), 9)), index=front)
    frame = frame.assign(**{f"test_{name}": frame[name] for name in directions})
    options = {
        "validation": "", "objectives": directions, "reference": dict.fromkeys(directions, 0.5), "keep": keep,
        "nan_policy": policy,
    }  # fmt: skip
    source = scanned(engine, frame, cuts, rows)

    def resampled(table):
        return asked.gap(table, **options).bootstrap(scores, metrics=dict.fromkeys(directions, "mean"), n_resamples=5)

    answers = both(lambda: resampled(frame), lambda: resampled(source))
    if answers:
        same_values(answers[1].table, answers[0].table)
        assert repr(answers[1]) == repr(answers[0])
        assert answers[1].explain() == answers[0].explain()


@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_groups_come_in_the_order_of_the_table_even_if_their_first_row_is_left_out():
    numbers = [0.4, 0.1, 0.2, 0.3]
    scores = dict.fromkeys(("test_x", "val_y", "test_y"), numbers) | {"val_x": [np.nan, *numbers[1:]]}
    frame = pd.DataFrame({"kind": list("baba")} | scores)
    options = {"objectives": {"x": "max", "y": "min"}, "by": "kind", "nan_policy": "omit"}
    whole, in_pieces = asked.gap(frame, **options), asked.gap(copa_nb.scan([frame[:2], frame[2:]]), **options)
    assert list(whole) == list(in_pieces) == ["b", "a"]
