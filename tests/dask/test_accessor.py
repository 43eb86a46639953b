"""Directions that a dask frame remembers, laziness, and what is refused."""

import subprocess
import sys

import dask
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.tables.described_frame import DescribedFrame
from tests import asked
from tests.agreement import outcome
from tests.dask.partitioned import cut

dd = pytest.importorskip("dask.dataframe", reason="needs the extra: pip install 'copa_nb[dask]'")
in_tree = pytest.importorskip("copa_nb.dask.partitions", reason="needs the extra: pip install 'copa_nb[dask]'").in_tree

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.8, 0.7, 0.6], "co2": [3.0, 1.0, 2.0, 4.0], "note": list("wxyz")}, index=list("abcd")
)


def table():
    return cut(MODELS, [1, 1, 3])


def test_directions_stay_with_what_is_made_of_the_frame():
    defined = table().moo.define(acc="max", co2="min")
    for made in (
        defined[defined.acc > 0.65], defined[["acc", "co2"]], defined.assign(z=1), defined.repartition(npartitions=1),
        defined.query("acc > 0.65"), defined.persist(), defined.reset_index(), defined.moo.front(),
    ):  # fmt: skip
        assert made.moo.description["objectives"] == {"acc": "max", "co2": "min"}
    assert defined.compute().moo.description["objectives"] == {"acc": "max", "co2": "min"}
    with pytest.raises(ValueError, match="no objectives are defined"):
        table().moo.front()


def test_directions_of_one_frame_never_reach_another():
    # Dask takes frames that differ in attrs only for the same one.
    ups = dd.from_pandas(MODELS.moo.define(acc="max"), npartitions=2, sort=False)
    downs = dd.from_pandas(MODELS.moo.define(acc="min"), npartitions=2, sort=False)
    for frame in (ups, downs):
        with pytest.raises(ValueError, match="no objectives are defined"):
            frame.moo.front()
        assert frame.moo.description == {}
    first, second = ups.moo.define(acc="max"), downs.moo.define(acc="min")
    assert first.moo.front().compute().index.tolist() == ["a"]
    assert second.moo.front().compute().index.tolist() == ["d"]


def test_only_columns_that_matter_are_read(tmp_path):
    MODELS.assign(wide="x" * 50).to_parquet(tmp_path / "part-0.parquet")
    from copa_nb.dask.partitions import Partitions
    from copa_nb.streams.batches import ask

    defined = dd.read_parquet(tmp_path).moo.define(acc="max", co2="min")
    partitions = Partitions(defined)
    question = ask(partitions, DescribedFrame.of(partitions.empty), where="note != 'q'")
    seen = question.batches.parts(question, lambda piece: list(piece.frame.columns))
    assert dask.compute(*seen) == (["acc", "co2", "note"],)
    assert "columns=['acc', 'co2', 'note']" in str(defined[question.columns].optimize(fuse=False).expr.tree_repr())
    assert defined.moo.copa(where="note != 'q'").best == MODELS.moo(acc="max", co2="min").copa().best


def test_nothing_is_computed_before_it_is_asked_for():
    def explode(part):
        raise RuntimeError("computed")

    frame = table().map_partitions(explode, meta=MODELS.iloc[:0]).moo.define(acc="max", co2="min")
    lazy = frame.moo.front()
    assert isinstance(lazy, dd.DataFrame)
    assert list(lazy.columns) == list(MODELS.columns)
    with pytest.raises(RuntimeError, match="computed"):
        lazy.compute()


def test_front_keeps_divisions_and_dtypes():
    frame = MODELS.astype({"acc": "Float32"}).reset_index(drop=True)
    front = dd.from_pandas(frame, npartitions=2).moo(acc="max", co2="min").front()
    assert front.known_divisions
    pd.testing.assert_frame_equal(front.compute(), asked.front(frame, objectives={"acc": "max", "co2": "min"}))


@pytest.mark.parametrize("verb", ["layers", "normalize"])
def test_what_needs_the_whole_table_says_what_to_call(verb):
    with pytest.raises(copa_nb.dask.WholeTableNeededError, match=f"`{verb}` needs the whole table.*; "):
        getattr(table().moo(acc="max"), verb)()


def test_what_brings_rows_together_reads_one_partition_after_the_other():
    rng = np.random.default_rng(2)
    validation = rng.random((300, 2))
    values = np.hstack([validation, validation + rng.normal(0, 0.1, (300, 2))])
    frame = pd.DataFrame(values, columns=["val_acc", "val_co2", "test_acc", "test_co2"])
    ways = {"acc": "max", "co2": "min"}
    named = {"val_acc": "max", "val_co2": "min"}
    for other in (cut(frame, [100]).moo(named), cut(frame, [100]).moo.define(named).moo):
        pd.testing.assert_series_equal(other.gap().summary, asked.gap(frame, objectives=ways).summary)
    corner = {"acc": 0.0, "co2": 1.0}
    gaps = (cut(frame, [100]).moo(named).gap(reference=corner), asked.gap(frame, objectives=ways, reference=corner))
    scores, metrics = pd.DataFrame(rng.random((300, 20))), dict.fromkeys(ways, "mean")
    found, expected = (gap.bootstrap(scores, metrics=metrics, n_resamples=20).table for gap in gaps)
    pd.testing.assert_frame_equal(found, expected)
    rows = pd.DataFrame({"agent": np.repeat(["a", "b", "c"], 40), "task": np.tile(np.arange(40), 3)})
    rows["acc"] = rng.random(120) + (rows["agent"] == "b")
    options = {"system": "agent", "item": "task"}
    bound = cut(rows, [30, 30, 70]).moo(acc="max")
    for verb, more in (("board", {}), ("confident_front", {}), ("compare", {"new": "b", "baseline": "a"})):
        expected = getattr(rows.moo(acc="max", **options), verb)(**more)
        assert getattr(bound(**options), verb)(**more).explain() == expected.explain()


def test_one_door_for_frames_of_every_library():
    asked_there = copa_nb.moo(table(), acc="max", co2="min")
    assert asked_there.front().compute().index.tolist() == ["a", "b"]
    assert asked_there.copa().best == table().moo(acc="max", co2="min").copa().best


def test_every_word_stays_with_a_dask_frame():
    rows = pd.DataFrame({"agent": np.repeat(["a", "b", "c"], 40), "task": np.tile(np.arange(40), 3)})
    rows["acc"] = np.random.default_rng(2).random(120) + (rows["agent"] == "b")
    words = {"system": "agent", "item": "task"}
    defined = cut(rows, [30, 70]).moo.define(acc="max", **words)
    assert defined[defined.acc > 0].moo.description == {"objectives": {"acc": "max"}, **words}
    assert defined.compute().moo.description == defined.moo.description
    assert defined.moo.board().explain() == rows.moo(acc="max", **words).board().explain()


def test_stability_is_refused_with_a_way_out():
    with pytest.raises(TypeError, match=r"ddf\.sample"):
        table().moo(acc="max", co2="min").copa().stability()


@pytest.mark.parametrize(("options", "error", "message"), [
    ({"where": MODELS.acc > 0.7}, TypeError, "`where` gives Series for a dask frame"),
    ({"where": lambda frame: np.ones(4, dtype=bool)}, TypeError, "`where` gives ndarray"),
    ({"where": "acc"}, TypeError, "`where` must give True or False"),
    ({"where": "accc > 1"}, ValueError, "Did you mean 'acc'"),
    ({"where": lambda frame: frame["acc"] > 0, "by": "note"}, ValueError, "group by group"),
    ({"by": "nothing"}, ValueError, "names 'nothing', which is neither a column"),
    ({"objectives": {"note": "max"}}, TypeError, "must be a real number"),
    ({"objectives": {"acc": "up"}}, ValueError, "'up' as the direction"),
    ({"weights": {"acc": -1}}, ValueError, "at least 0"),
    ({"p": 0.5}, ValueError, "at least 1"),
    ({"normalize": "ranks"}, ValueError, "`normalize`"),
    ({"reference": "a"}, ValueError, "only normalize="),
])  # fmt: skip
def test_bad_questions_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        asked.copa(table(), **{"objectives": {"acc": "max", "co2": "min"}, **options})


def test_criteria_that_cannot_be():
    bound = table().moo(acc="max", co2="min")
    with pytest.raises(ValueError, match="'borda', which takes sums over the whole table"):
        bound.copa().criteria(["mean", "borda"])


def test_empty_tables_are_refused():
    with pytest.raises(ValueError, match="`frame` has no rows"):
        cut(MODELS.iloc[:0], [0]).moo(acc="max").copa()
    with pytest.raises(TypeError, match="must be a dask DataFrame"):
        copa_nb.dask.DaskMoo(MODELS)


def test_the_core_does_not_import_dask():
    code = "import sys, copa_nb, copa_nb.significance.power, copa_nb.significance.audit; print('dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_directions_may_be_bound_in_any_form():
    objectives = copa_nb.results.Objectives.of({"acc": "max", "co2": "min"})
    bound = table().moo(objectives)
    assert "acc ↑, co2 ↓" in repr(bound)
    for other in (bound, bound(), table().moo(max=["acc"], min="co2"), table().moo({"acc": "max"}, co2="min")):
        assert other.front().compute().index.tolist() == ["a", "b"]
    assert table().moo.define(acc="max").moo().front().compute().index.tolist() == ["a"]
    with pytest.raises(ValueError, match="no objectives are defined"):
        table().moo.copa()


@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_tables_of_missing_values_are_refused_as_by_pandas():
    missing = MODELS.assign(co2=[np.nan, np.nan, 2.0, 4.0], acc=[np.nan, np.nan, 0.7, 0.6])
    for frame, options in (
        (missing, {"nan_policy": "omit", "where": "note in ['w', 'x']"}),
        (MODELS.assign(acc=np.nan), {"nan_policy": "omit"}),
    ):
        settings = {"objectives": {"acc": "max", "co2": "min"}, **options}
        refused = outcome(lambda frame=frame, settings=settings: asked.copa(frame, **settings))
        assert refused[0] is None
        assert outcome(lambda frame=frame, settings=settings: asked.copa(cut(frame, [1, 3]), **settings)) == refused


def test_partial_results_are_merged_in_their_order():
    for count in (1, 2, 8, 9, 65):
        parts = [dask.delayed([number]) for number in range(count)]
        assert in_tree(parts, lambda lists: sum(lists, [])).compute() == list(range(count))  # noqa: RUF017


def test_masks_of_a_dask_frame_hold_truth_values_and_go_with_its_partitions():
    frame = table()
    bound = frame.moo(acc="max", co2="min")
    assert bound.copa(where=frame.acc < 0.9).best == "b"
    with pytest.raises(TypeError, match=r"^`where` must give True or False for every row, not float64; write a comp"):
        bound.copa(where=frame.acc)
    said = "^`where` is a dask Series with other partitions than the frame; build it from the frame"
    with pytest.raises(ValueError, match=said):
        bound.copa(where=cut(MODELS, [2]).acc < 0.9)
    known = dd.from_pandas(MODELS, npartitions=2)
    other = dd.from_pandas(MODELS.rename(index={"c": "b2"}), npartitions=2)
    with pytest.raises(ValueError, match=said):
        known.moo(acc="max", co2="min").copa(where=other.acc < 0.9)


def test_what_a_dask_frame_has_no_verb_for_is_said():
    moo = table().moo
    with pytest.raises(AttributeError, match=r"^df\.moo has no method 'frnt'\. Did you mean 'front'\?$"):
        moo.frnt()
    assert {"define", "front", "copa", "hypervolume", "hv_test", "audit"} <= set(dir(moo))
    assert not [name for name in dir(moo) if name.startswith("_")]
    assert repr(moo).startswith("<moo: 3 columns, read in pieces")
    assert "acc ↑" in repr(table().moo.define(acc="max").moo)
