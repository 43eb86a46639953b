import datetime
import json
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.tables import objectives
from copa_nb.tables.description import define
from copa_nb.tables.objectives import Objectives, RowsOmittedWarning, resolve_objectives, to_minimization
from tests import asked

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


def test_explicit_objectives_win_over_attrs(frame):
    defined = frame.moo.define(acc="max", co2="min")
    assert resolve_objectives(defined, {"acc": "min"}).to_dict() == {"acc": "min"}
    assert defined.moo(acc="min").description["objectives"] == {"acc": "min"}
    assert resolve_objectives(defined, ["co2"]).to_dict() == {"co2": "min"}


def test_the_gate_negates_what_is_maximised(frame):
    matrix = to_minimization(frame, BOTH)
    assert matrix.values.tolist() == [[-0.9, 3.0], [-0.8, 1.0]]
    assert matrix.values.T.flags.c_contiguous
    assert matrix.values.flags.writeable
    assert matrix.original().tolist() == [[0.9, 3.0], [0.8, 1.0]]
    assert not np.signbit(to_minimization(pd.DataFrame({"acc": [0.0]}), {"acc": "max"}).values).any()


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "int8", "float32", "double[pyarrow]", "int64[pyarrow]"])
def test_numeric_dtypes_pass(dtype):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow", reason="Arrow dtypes need pyarrow")
    frame = pd.DataFrame({"x": pd.Series([1, 2, 3], dtype=dtype)})
    assert to_minimization(frame, {"x": "min"}).values[:, 0].tolist() == [1.0, 2.0, 3.0]


def arrow(values, dtype):
    pyarrow = pytest.importorskip("pyarrow", reason="Arrow dtypes need pyarrow")
    return pd.array(values, dtype=pd.ArrowDtype(getattr(pyarrow, dtype[0])(*dtype[1:])))


CONVERTIBLE = {
    "percentages": lambda: ["64.7%", "3%", None, "-5%"],
    "numbers as text": lambda: ["1", "2.5", None, "-3e2"],
    "numbers as Arrow text": lambda: arrow(["1", "2"], ["string"]),
    "numbers as objects": lambda: pd.Series([1, 2.5, None], dtype=object),
    "text with a stray entry": lambda: ["1", "n/a", "3"],
    "objects with a stray entry": lambda: pd.Series([1, "n/a", 3], dtype=object),
    "booleans": lambda: [True, False],
    "nullable booleans": lambda: pd.array([True, None], dtype="boolean"),
    "boolean objects": lambda: pd.Series([True, None], dtype=object),
    "Arrow booleans": lambda: arrow([True, None], ["bool_"]),
    "sparse booleans": lambda: pd.arrays.SparseArray([True, False]),
    "complex": lambda: [1j, 2],
    "dates": lambda: pd.to_datetime(["2020", None, "2021"]),
    "dates with a zone": lambda: pd.to_datetime(["2020", "2021"]).tz_localize("UTC"),
    "Arrow times": lambda: arrow(pd.to_datetime(["2020", "2021"]), ["timestamp", "ns"]),
    "Arrow dates": lambda: arrow([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], ["date32"]),
    "Python dates": lambda: [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    "durations": lambda: pd.to_timedelta([1, 2], unit="s"),
    "Arrow durations": lambda: arrow(pd.to_timedelta([1, 2], unit="s"), ["duration", "s"]),
    "periods": lambda: pd.period_range("2020", periods=2, freq="D"),
    "categories of numbers": lambda: pd.Categorical([1, 2, None]),
    "categories of percentages": lambda: pd.Categorical(["64.7%", "3%"]),
    "ordered categories": lambda: pd.Categorical(["low", "high"], ordered=True),
    "decimals": lambda: [Decimal("0.1"), Decimal("2"), None],
}


@pytest.mark.parametrize("kind", CONVERTIBLE)
def test_other_dtypes_are_refused_with_a_conversion_that_works(kind):
    frame = pd.DataFrame({"my x": CONVERTIBLE[kind]()})
    missing = frame["my x"].isna().sum() + ("stray" in kind)
    with pytest.raises(TypeError, match=r"`objectives` names 'my x', whose dtype is .*") as refusal:
        to_minimization(frame, {"my x": "min"})
    code = re.search(r"(frame\['my x'\] = .*)\.$", str(refusal.value))[1]
    exec(code, {"frame": frame, "pd": pd, "np": np})
    costs = to_minimization(frame, {"my x": "min"}, nan_policy="worst").values
    assert np.isinf(costs).sum() == missing
    assert len(set(costs.ravel())) == len(costs)


def test_percentages_are_read_as_they_are_written():
    with pytest.raises(TypeError, match=re.escape("""pd.to_numeric(frame['x'].str.rstrip("% "))""")):
        to_minimization(pd.DataFrame({"x": ["64.7%", "3%"]}), {"x": "min"})
    with pytest.raises(TypeError, match="'n/a' is not a number; correct such entries, or make them missing"):
        to_minimization(pd.DataFrame({"x": ["64.7", "n/a"]}), {"x": "min"})


def test_all_columns_of_text_are_named_at_once_with_one_line_that_reads_them():
    frame = pd.DataFrame(
        {"acc": ["64.7%", "3%"], "ms": ["1,292 ms", "9 ms"], "usd": ["$0.01", "$2"], "kind": ["a", "b"]}
    )
    frame["kg"] = [1.0, 2.0]
    with pytest.raises(TypeError, match="names 'acc', 'ms', 'usd', which are not numbers") as refusal:
        to_minimization(frame, {"acc": "max", "ms": "min", "kg": "min", "usd": "min"})
    names = {"frame": frame, "copa_nb": copa_nb}
    exec(re.search(r"(frame = copa_nb.parse_numbers.*)\.$", str(refusal.value))[1], names)
    costs = to_minimization(names["frame"], {"acc": "max", "ms": "min", "kg": "min", "usd": "min"}).values
    assert costs.tolist() == [[-64.7, 1292, 1, 0.01], [-3, 9, 2, 2]]
    with pytest.raises(TypeError, match=r"\(frame, \['acc', 'ms'\]\)\. 'kind': Its values cannot be read"):
        to_minimization(frame, {"acc": "max", "kind": "min", "ms": "min"})
    with pytest.raises(TypeError, match=r"names 'kind', .*leave it out of the objectives\. Nor are 'sort' numbers\."):
        to_minimization(frame.assign(sort=["x", "y"]), {"kind": "max", "sort": "min"})


@pytest.mark.parametrize(
    "column", [["a", "b"], [None, {}], pd.Categorical(["a", "b"])], ids=["text", "object", "names"]
)
def test_what_is_no_number_is_refused_without_a_conversion(column):
    frame = pd.DataFrame({"x": column, "y": [1, 2]})
    with pytest.raises(TypeError, match=r"`objectives` names 'x', .*cannot be read as numbers; leave it out"):
        to_minimization(frame, {"x": "min", "y": "min"})
    assert to_minimization(frame, {"y": "min"}).values.shape == (2, 1)


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "int8", "float32"])
def test_columns_are_read_the_public_way_where_pandas_offers_no_other(dtype, monkeypatch):
    frame = pd.DataFrame({"x": pd.Series([1, 2, 3], dtype=dtype), "y": ["a", "b", "c"]})
    quick = to_minimization(frame, {"x": "max"}).values
    monkeypatch.setattr(objectives, "_COLUMN_ARRAY", None)
    assert to_minimization(frame, {"x": "max"}).values.tolist() == quick.tolist() == [[-1.0], [-2.0], [-3.0]]
    with pytest.raises(TypeError, match="`objectives` names 'y', whose dtype is"):
        to_minimization(frame, {"y": "max"})


def test_threads_at_the_gate_change_nothing(frame, monkeypatch):
    from copa_nb.arrays import parallel

    alone = to_minimization(frame, BOTH).values
    monkeypatch.setattr(parallel, "_WORTH_THREADS", 1)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    np.testing.assert_array_equal(to_minimization(frame, BOTH).values, alone)
    with pytest.raises(ValueError, match=r"objective 'big' holds integers beyond 2\*\*53"):
        to_minimization(frame.assign(big=[2**60, 2**60 + 1]), {**BOTH, "big": "min"})


def test_nan_policies(frame):
    holes = pd.DataFrame({"acc": [0.9, np.nan, 0.7], "co2": [1.0, 2.0, np.inf]}, index=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"missing values in objective 'acc' in 1 of 3 rows \('b'\).*nan_policy"):
        to_minimization(holes, BOTH)
    with pytest.warns(RowsOmittedWarning, match="1 of 3 rows"):
        omitted = to_minimization(holes, BOTH, nan_policy="omit")
    assert (omitted.positions.tolist(), list(omitted.index), omitted.n_omitted) == ([0, 2], ["a", "c"], 1)
    worst = to_minimization(holes, BOTH, nan_policy="worst")
    assert worst.values[1].tolist() == [np.inf, 2.0]
    with pytest.raises(ValueError, match="`nan_policy` is 'drop'; allowed are"):
        to_minimization(holes, BOTH, nan_policy="drop")
    with pytest.raises(ValueError, match="leaves no row"):
        to_minimization(holes.assign(acc=np.nan), BOTH, nan_policy="omit")
    nullable = pd.DataFrame({"acc": pd.array([1.0, None], dtype="Float64")})
    with pytest.raises(ValueError, match="missing values in objective 'acc'"):
        to_minimization(nullable, {"acc": "max"})


def test_errors_teach(frame):
    with pytest.raises(ValueError, match=r"names 'ac', which is not a column.*Did you mean 'acc'"):
        frame.moo(ac="max").front()
    with pytest.raises(
        ValueError, match=r"gives 'up' as the direction of 'acc'; allowed are 'max', .*'higher'.*'lower'"
    ):
        frame.moo.define(acc="up")
    with pytest.raises(ValueError, match=r"gives \['max'\] as the direction of 'acc'"):
        frame.moo.define(acc=["max"])
    with pytest.raises(ValueError, match="`frame` has no rows"):
        to_minimization(frame.iloc[:0], BOTH)
    with pytest.raises(TypeError, match="`objectives` must map columns to directions"):
        to_minimization(frame, "acc")


@pytest.mark.parametrize(("word", "meant"), [
    ("max", "max"), ("maximize", "max"), ("maximise", "max"), ("higher", "max"),
    ("min", "min"), ("minimize", "min"), ("minimise", "min"), ("lower", "min"),
])  # fmt: skip
def test_directions_in_the_usual_words(frame, word, meant):
    assert frame.moo.define(acc=word).attrs["moo"] == {"objectives": {"acc": meant}}
    assert resolve_objectives(frame, {"acc": word}).to_dict() == {"acc": meant}
    pd.testing.assert_frame_equal(asked.front(frame, objectives={"acc": word}), frame.moo(acc=meant).front())


EXTENDED = np.dtype(np.longdouble) != np.float64
TOO_FINE = {
    "integers": lambda: [2**60, 2**60 + 1],
    "integers far apart": lambda: [2**60, 1],
    "unsigned integers": lambda: pd.array([2**64 - 1, 2**64 - 2, None], dtype="UInt64"),
    "sparse integers": lambda: pd.arrays.SparseArray([2**60, 2**60 + 1]),
    "Arrow integers": lambda: arrow([2**60, 2**60 + 1, None], ["int64"]),
    "Arrow decimals": lambda: arrow([Decimal("0.1"), Decimal("0.10000000000000000001"), None], ["decimal128", 38, 20]),
    "Arrow decimals of 38 digits": lambda: arrow([Decimal(1), Decimal("1." + 36 * "0" + "1")], ["decimal128", 38, 37]),
    "large Arrow decimals": lambda: arrow([Decimal(10**17 + 1), Decimal(10**17)], ["decimal256", 50, 0]),
    "extended precision": lambda: np.array([1, 1 + np.finfo(np.longdouble).eps], dtype=np.longdouble),
    "sparse extended": lambda: pd.arrays.SparseArray(np.array([1, 1 + np.finfo(np.longdouble).eps], np.longdouble)),
}


@pytest.mark.parametrize("kind", TOO_FINE)
def test_numbers_that_floats_cannot_tell_apart_are_refused(kind):
    if "extended" in kind and not EXTENDED:
        pytest.skip("extended precision is double precision here")
    frame = pd.DataFrame({"x": TOO_FINE[kind]()})
    with pytest.raises(ValueError, match=r"objective 'x' holds .* float64 cannot distinguish") as refusal:
        to_minimization(frame, {"x": "min"})
    code = re.search(r": (frame\['x'\].*)\.$", str(refusal.value))[1]
    frame["x"] = eval(code)
    assert to_minimization(frame, {"x": "min"}, nan_policy="worst").values.shape == (len(frame), 1)
    if "min()" in code:  # a shift loses nothing
        assert frame["x"].nunique() == 2


def test_numbers_that_float64_holds_pass():
    decimals = arrow([Decimal("0.1"), Decimal("12345.6789012345"), None, Decimal("-1e20")], ["decimal128", 38, 15])
    values = to_minimization(pd.DataFrame({"x": decimals}), {"x": "min"}, nan_policy="worst").values
    assert values.ravel().tolist() == [0.1, 12345.6789012345, np.inf, -1e20]
    extended = np.array([0.5, np.nan, -np.inf, 0.1], dtype=np.longdouble)
    extended[3] = np.float64(0.1)
    values = to_minimization(pd.DataFrame({"x": extended}), {"x": "min"}, nan_policy="worst").values
    assert values.ravel().tolist() == [0.5, np.inf, -np.inf, 0.1]


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_columns_without_any_value_are_missing(dtype):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow", reason="Arrow dtypes need pyarrow")
    frame = pd.DataFrame({"x": pd.array([None, None], dtype=dtype), "y": [1, 2]})
    with pytest.raises(ValueError, match="missing values in objective 'x' in 2 of 2 rows"):
        to_minimization(frame, {"x": "min", "y": "min"})
    assert len(asked.front(frame, objectives={"x": "min", "y": "min"}, nan_policy="worst")) == 1


def _follow(hint_of, table, **names):
    """What a refusal advises to pass instead, run."""
    with pytest.raises(TypeError, match="`frame` must be a DataFrame") as refusal:
        asked.front(table, objectives=BOTH)
    return eval(re.search(hint_of, str(refusal.value))[1], {"pd": pd, "copa_nb": copa_nb, "frame": table, **names})


def test_other_tables_are_refused_with_the_call_that_makes_a_frame(frame, tmp_path):
    expected = frame[["acc", "co2"]].astype(float)
    numbers = expected.to_numpy()
    with pytest.raises(TypeError, match=r"an array; name its columns: pd\.DataFrame\(frame, columns=\[\.\.\.\]\)"):
        asked.front(numbers, objectives=BOTH)
    array = pd.DataFrame(numbers, columns=list(BOTH))
    wrapped = _follow(r"wrap it: (.*)\.$", expected.to_dict("list"))
    records = _follow(r"wrap it: (.*)\.$", expected.to_dict("records"))
    expected.to_csv(tmp_path / "models.csv", index=False)
    read = _follow(r"read it first: (.*)\.$", tmp_path / "models.csv")
    result = _follow(r"pass (.*)\.$", asked.copa(expected, objectives=BOTH))
    single = _follow(r"pass (.*)\.$", expected["acc"])
    for same in (array, wrapped, records, read.reset_index(drop=True)):
        pd.testing.assert_frame_equal(same, expected, check_dtype=False)
        assert len(asked.front(same, objectives=BOTH)) == 2
    assert len(asked.front(result, objectives=BOTH)) == 2
    assert len(asked.front(single, objectives={"acc": "max"})) == 1
    with pytest.raises(TypeError, match="pass the table itself and name its groups with by="):
        asked.copa(frame.groupby("name"), objectives=BOTH)
    assert len(asked.copa(frame, by="name", objectives=BOTH)) == 2
    with pytest.raises(TypeError, match=r"one row per model, not NoneType\.$"):
        asked.front(None, objectives=BOTH)


def test_an_optuna_study_is_refused_with_its_table():
    optuna = pytest.importorskip("optuna", reason="needs optuna")
    optuna.logging.disable_default_handler()
    study = optuna.create_study(directions=["maximize", "minimize"])
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.params["x"] ** 2), n_trials=5)
    trials = _follow(r"an Optuna Study; pass (.*)\.$", study, study=study)
    assert len(trials.moo.front()) == 5


def test_a_pymoo_result_is_refused_with_its_table():
    result_of = pytest.importorskip("pymoo.core.result", reason="needs pymoo").Result
    result = result_of()
    result.F = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
    table = _follow(r"a pymoo Result; pass (.*?) and", result, result=result)
    assert len(asked.front(table, objectives={0: "min", 1: "min"})) == 2


def test_what_the_other_refusals_advise_works(frame):
    with pytest.raises(ValueError, match=r'e\.g\. df\.moo\.define\(acc="max", co2="min"\)'):
        asked.front(frame)
    assert len(frame.moo.define(acc="max", co2="min").moo.front()) == 2
    assert len(asked.front(frame, objectives={"acc": "max", "co2": "min"})) == 2
    with pytest.raises(ValueError, match=r"give a mapping, e\.g\. objectives=\{'acc': \"max\"\}"):
        to_minimization(frame, ["acc"])
    assert to_minimization(frame, {"acc": "max"}).values.shape == (2, 1)
    with pytest.raises(TypeError, match=r"`objectives` must map .*, e\.g\. \{\"accuracy\": \"max\"\}, or list"):
        frame.moo.define("acc")
    assert define(
        frame.rename(columns={"acc": "accuracy", "co2": "co2 kg"}), {"accuracy": "max", "co2 kg": "min"}
    ).attrs
    with pytest.raises(TypeError, match=r"for one call instead, df\.moo\(\{1: \.\.\.\}\)"):
        pd.DataFrame({1: [1.0]}).moo.define({1: "min"})
    assert len(pd.DataFrame({1: [1.0]}).moo({1: "min"}).front()) == 1
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(ValueError, match="label of several columns; rename them so that each is one column"):
        to_minimization(twice, {"x": "min"})
    assert len(asked.front(twice.set_axis(["x", "x 2"], axis=1), objectives={"x": "min", "x 2": "min"})) == 1
    with pytest.raises(ValueError, match="Did you mean 'acc'"):
        Objectives.of(BOTH).position("ac")
    assert Objectives.of(BOTH).position("acc") == 0


@pytest.mark.parametrize("label", [None, np.nan, pd.NA, pd.NaT], ids=repr)
def test_missing_labels_name_no_objective(label):
    frame = pd.DataFrame([[1.0, 2.0]], columns=pd.Index([label, "b"], dtype=object))
    with pytest.raises(ValueError, match=r"`objectives` names .*, a missing label; give that column a name first"):
        to_minimization(frame, {label: "min"})
    assert len(asked.front(frame.set_axis(["a", "b"], axis=1), objectives={"a": "min"})) == 1


def test_groups_of_nothing_and_groups_without_labels_are_refused(frame):
    with pytest.raises(ValueError, match="`frame` has no rows; there is nothing to group"):
        asked.copa(frame.iloc[:0], by="name", objectives=BOTH)
    with pytest.raises(ValueError, match=r"turn them into text: frame\['name'\]\.astype\(str\)"):
        asked.copa(frame.assign(name=[[1], {}]), by="name", objectives=BOTH)
    lists = frame.assign(name=[[1], {}])
    assert list(asked.copa(lists.assign(name=lists["name"].astype(str)), by="name", objectives=BOTH)) == ["[1]", "{}"]
    tuples = asked.copa(frame.assign(name=[("a", 1), ("b", 2)]), by="name", objectives=BOTH)
    assert list(tuples.best.index) == [("a", 1), ("b", 2)]
    assert "2 × Selection by 'name'" in repr(tuples)
    assert tuples._repr_html_()
    assert len(tuples.table) == 2


def test_repr_shows_directions():
    assert repr(Objectives.of(BOTH)) == "Objectives(acc ↑, co2 ↓)"
