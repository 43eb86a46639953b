import json

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import objectives
from copa_nb.objectives import Objectives, RowsOmittedWarning, resolve_objectives, to_minimisation

BOTH = {"acc": "max", "co2": "min"}


@pytest.fixture
def frame():
    return pd.DataFrame({"acc": [0.9, 0.8], "co2": [3, 1], "name": ["a", "b"], "flag": [True, False]})


def test_define_leaves_the_frame_alone_and_writes_small_json(frame):
    frame.attrs["mine"] = 1
    defined = frame.moo.define(acc="max", co2="min")
    assert frame.attrs == {"mine": 1}
    assert json.loads(json.dumps(defined.attrs)) == {"mine": 1, "moo": {"objectives": BOTH}}
    pd.testing.assert_frame_equal(frame, defined)
    redefined = defined.moo.define(acc="max")
    assert defined.attrs["moo"] == {"objectives": BOTH}
    assert redefined.moo.objectives.names == ["acc"]


def test_directions_survive_what_people_do_to_frames(frame):
    defined = frame.moo.define(BOTH)
    for derived in (defined.iloc[:1], defined.query("co2 > 0"), defined.sort_values("acc"), defined.assign(x=1)):
        assert derived.moo.objectives.to_dict() == BOTH


def test_explicit_objectives_win_over_attrs(frame):
    defined = frame.moo.define(acc="max", co2="min")
    assert resolve_objectives(defined, {"acc": "min"}).to_dict() == {"acc": "min"}
    assert defined.moo(acc="min").objectives.to_dict() == {"acc": "min"}
    assert resolve_objectives(defined, ["co2"]).to_dict() == {"co2": "min"}


def test_the_gate_negates_what_is_maximised(frame):
    matrix = to_minimisation(frame, BOTH)
    assert matrix.values.tolist() == [[-0.9, 3.0], [-0.8, 1.0]]
    assert matrix.values.T.flags.c_contiguous
    assert matrix.values.flags.writeable
    assert matrix.original().tolist() == [[0.9, 3.0], [0.8, 1.0]]
    assert not np.signbit(to_minimisation(pd.DataFrame({"acc": [0.0]}), {"acc": "max"}).values).any()


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "int8", "float32", "double[pyarrow]", "int64[pyarrow]"])
def test_numeric_dtypes_pass(dtype):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow", reason="Arrow dtypes need pyarrow")
    frame = pd.DataFrame({"x": pd.Series([1, 2, 3], dtype=dtype)})
    assert to_minimisation(frame, {"x": "min"}).values[:, 0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "column",
    [["a", "b"], [True, False], [1j, 2j], pd.to_datetime(["2020", "2021"]), pd.Categorical([1, 2]), [None, {}]],
    ids=["text", "bool", "complex", "date", "category", "object"],
)
def test_other_dtypes_are_refused_with_the_fix(column):
    with pytest.raises(TypeError, match=r"`objectives` names 'x', whose dtype is .*pd.to_numeric"):
        to_minimisation(pd.DataFrame({"x": column}), {"x": "min"})


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "int8", "float32"])
def test_columns_are_read_the_public_way_where_pandas_offers_no_other(dtype, monkeypatch):
    frame = pd.DataFrame({"x": pd.Series([1, 2, 3], dtype=dtype), "y": ["a", "b", "c"]})
    quick = to_minimisation(frame, {"x": "max"}).values
    monkeypatch.setattr(objectives, "_COLUMN_ARRAY", None)
    assert to_minimisation(frame, {"x": "max"}).values.tolist() == quick.tolist() == [[-1.0], [-2.0], [-3.0]]
    with pytest.raises(TypeError, match="`objectives` names 'y', whose dtype is"):
        to_minimisation(frame, {"y": "max"})


def test_threads_at_the_gate_change_nothing(frame, monkeypatch):
    from copa_nb import parallel

    alone = to_minimisation(frame, BOTH).values
    monkeypatch.setattr(parallel, "_WORTH_THREADS", 1)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    np.testing.assert_array_equal(to_minimisation(frame, BOTH).values, alone)
    with pytest.raises(ValueError, match=r"objective 'big' holds integers beyond 2\*\*53"):
        to_minimisation(frame.assign(big=[2**60, 2**60 + 1]), {**BOTH, "big": "min"})


def test_nan_policies(frame):
    holes = pd.DataFrame({"acc": [0.9, np.nan, 0.7], "co2": [1.0, 2.0, np.inf]}, index=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"missing values in objective 'acc' in 1 of 3 rows \('b'\).*nan_policy"):
        to_minimisation(holes, BOTH)
    with pytest.warns(RowsOmittedWarning, match="1 of 3 rows"):
        omitted = to_minimisation(holes, BOTH, nan_policy="omit")
    assert (omitted.positions.tolist(), list(omitted.index), omitted.n_omitted) == ([0, 2], ["a", "c"], 1)
    worst = to_minimisation(holes, BOTH, nan_policy="worst")
    assert worst.values[1].tolist() == [np.inf, 2.0]
    with pytest.raises(ValueError, match="`nan_policy` is 'drop'; allowed are"):
        to_minimisation(holes, BOTH, nan_policy="drop")
    with pytest.raises(ValueError, match="leaves no row"):
        to_minimisation(holes.assign(acc=np.nan), BOTH, nan_policy="omit")
    nullable = pd.DataFrame({"acc": pd.array([1.0, None], dtype="Float64")})
    with pytest.raises(ValueError, match="missing values in objective 'acc'"):
        to_minimisation(nullable, {"acc": "max"})


def test_errors_teach(frame):
    with pytest.raises(ValueError, match=r"no objectives are defined, and directions are never guessed.*define"):
        frame.moo.front()
    with pytest.raises(ValueError, match=r"names 'ac', which is not a column.*Did you mean 'acc'"):
        frame.moo(ac="max").front()
    with pytest.raises(ValueError, match=r'gives \'maximise\' as the direction of \'acc\'; allowed are "max"'):
        frame.moo.define(acc="maximise")
    with pytest.raises(ValueError, match="`objectives` is empty"):
        frame.moo.define()
    with pytest.raises(ValueError, match="`frame` has no rows"):
        to_minimisation(frame.iloc[:0], BOTH)
    with pytest.raises(TypeError, match="`frame` must be a pandas DataFrame"):
        copa_nb.front([[1, 2]], objectives=BOTH)
    with pytest.raises(ValueError, match="label of several columns"):
        to_minimisation(pd.DataFrame([[1, 2]], columns=["x", "x"]), {"x": "min"})
    with pytest.raises(TypeError, match="`objectives` must map columns to directions"):
        to_minimisation(frame, "acc")
    with pytest.raises(ValueError, match="without a direction"):
        to_minimisation(frame, ["acc"])
    with pytest.raises(TypeError, match="string labels only"):
        pd.DataFrame({1: [1.0]}).moo.define({1: "min"})


def test_integers_that_floats_cannot_tell_apart_are_refused():
    frame = pd.DataFrame({"x": [2**60, 2**60 + 1]})
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        to_minimisation(frame, {"x": "min"})
    assert to_minimisation(frame / 1e6, {"x": "min"}).values.shape == (2, 1)


def test_labels_need_not_be_strings():
    frame = pd.DataFrame({("a", 1): [1.0, 2.0], ("b", 2): [2.0, 1.0]})
    view = frame.moo({("a", 1): "min", ("b", 2): "min"})
    assert len(view.front()) == 2


def test_repr_shows_directions():
    assert repr(Objectives.of(BOTH)) == "Objectives(acc ↑, co2 ↓)"
