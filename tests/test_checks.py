"""Checks of arguments: what passes, and errors that state the value, what is allowed and the fix."""

import re
import types
import warnings

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import checks
from copa_nb.tables.objectives import RowsOmittedWarning

TABLE = pd.DataFrame({"model": ["a", "b"], "acc": [0.9, 0.8], 3: [1, 2]})


def refused(error, said):
    return pytest.raises(error, match=f"^{re.escape(said)}$")


def test_lists_are_quoted_and_cut():
    assert checks.listed(["a", 3]) == "'a', 3"
    assert checks.listed(range(12)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert checks.listed(iter("abcd"), most=3) == "'a', 'b', 'c', … (4 in all)"
    assert checks.listed(iter("abc"), most=3) == "'a', 'b', 'c'"
    assert checks.listed([]) == ""


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("acuracy", ["cost", "accuracy", "accuracies"], "accuracy"),
        (31, [3, 311], "311"),
        ("roc_auc", ["split0_test_roc_auc", "std_test_roc_auc", "mean_test_roc_auc"], "mean_test_roc_auc"),
        ("accuracy", ["user_attrs_test_accuracy", "params_lr"], "user_attrs_test_accuracy"),
        ("val", ["lr", "val/acc"], "val/acc"),
        ("Accuracy", ["accuracy", "balanced_accuracy"], "accuracy"),
        ("mean_test_accuracy", ["accuracy", "std_test_accuracy", "std_test_f1"], "accuracy"),
    ],
)
def test_names_are_offered_by_spelling_beginning_and_end(name, known, meant):
    assert checks.nearest(name, known) == f" Did you mean {meant!r}?"


@pytest.mark.parametrize(("name", "known"), [("x", "cost"), ("loss", "glossary_size"), ("id", "data_id")])
def test_nothing_is_offered_for_a_part_of_a_word(name, known):
    assert checks.nearest(name, [known]) == ""


def test_one_of():
    checks.one_of("keep", "all", ("all", "first"))
    with refused(ValueError, "`keep` is 'al'; allowed are 'all', 'first'. Did you mean 'all'?"):
        checks.one_of("keep", "al", ("all", "first"))
    for value in (["all"], 7):
        with refused(ValueError, f"`keep` is {value!r}; allowed are 'every', 'first'."):
            checks.one_of("keep", value, {"every": 0, "first": 1})


def test_integer():
    assert [checks.integer("n", value) for value in (1, np.int8(7))] == [1, 7]
    assert checks.integer("n", 0, least=0) == 0
    assert type(checks.integer("n", np.int8(7))) is int
    for value, least in ((0, 1), (-1, 0), (True, 1), (1.0, 1), ("1", 1), (None, 1), (2, 3)):
        with refused(ValueError, f"`n` is {value!r}; it must be a whole number of at least {least}."):
            checks.integer("n", value, least=least)


def test_fraction():
    assert checks.fraction("alpha", np.float32(0.5)) == 0.5
    assert type(checks.fraction("alpha", np.float32(0.5))) is float
    for value in (0, 1, 0.0, 1.0, -0.1, 1.5, True, "0.5", float("nan"), None):
        with refused(ValueError, f"`alpha` is {value!r}; it must be a number strictly between 0 and 1."):
            checks.fraction("alpha", value)


def of(module, name, **members):
    return type(name, (), {"__module__": module, **members})()


@pytest.mark.parametrize(
    ("value", "how"),
    [
        (
            of("dask.dataframe", "DataFrame"),
            "a Dask DataFrame; import copa_nb.dask and call the method: ddf.moo.front(...)",
        ),
        (of("optuna.study", "Study"), "an Optuna Study; pass copa_nb.from_optuna(study)"),
        (
            of("pymoo.core", "Result"),
            'a pymoo Result; pass pd.DataFrame(result.F) and objectives={0: "min", 1: "min", ...}, since pymoo '
            "minimizes every column of F",
        ),
        (TABLE.groupby("model")["acc"], "SeriesGroupBy; pass the table itself and name its groups with by="),
        ("a.csv", "a str; read it first: copa_nb.read(table)"),
        (of("other.lib", "Frame", collect=print, to_frame=print), "other's Frame; pass table.collect()"),
        (of("pyspark.sql", "DataFrame", toPandas=print), "pyspark's DataFrame; pass table.toPandas()"),
        (TABLE["acc"], "pandas's Series; pass table.to_frame()"),
        (np.zeros((2, 2)), "an array; name its columns: pd.DataFrame(table, columns=[...])"),
        ({"a": [1]}, "dict; wrap it: pd.DataFrame(table)"),
        (None, "NoneType"),
        (types.SimpleNamespace(collect=3), "SimpleNamespace"),
    ],
)
def test_what_is_no_frame_is_named_with_the_call_that_makes_one(value, how):
    assert checks.frame(TABLE) is TABLE
    with refused(TypeError, f"`table` must be a DataFrame with one row per model, not {how}."):
        checks.frame(value, "table")


def test_columns():
    assert checks.column(TABLE, "acc", "show").tolist() == [0.9, 0.8]
    assert [checks.column_position(TABLE, name, "show") for name in TABLE] == [0, 1, 2]
    start = "`show` names {!r}, which is not a column; columns are 'model', 'acc', 3."
    with refused(ValueError, start.format("ac") + " Did you mean 'acc'?"):
        checks.column(TABLE, "ac", "show")
    with refused(ValueError, start.format(7)):
        checks.column(TABLE, 7, "show")
    long = "copa_nb.from_long(frame, system=..., metric='model', value=...) makes a column of it."
    turned = "frame.set_index('model').T has it as a column."
    with refused(ValueError, start.format("b") + f" 'b' is in a row: {turned}"):
        checks.column(TABLE, "b", "show")
    with refused(ValueError, start.format("b") + f" 'b' is a value of column 'model': {long}"):
        checks.column(pd.concat([TABLE, TABLE]), "b", "show")
    twice = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    for frame in (twice, twice[["a", "a", "b"]]):
        with refused(
            ValueError,
            "`show` names 'a', which is the label of several columns; rename them so that each is one column.",
        ):
            checks.column_position(frame, "a", "show")


def test_draws():
    generator = np.random.default_rng(4)
    assert checks.generator(generator) is generator
    assert checks.generator(7).random() == np.random.default_rng(7).random()
    assert checks.generator(None).random() != checks.generator(None).random()
    assert checks.seed(7) == checks.seed(np.int64(7)) == 7
    assert type(checks.seed(np.int64(7))) is int
    assert checks.seed(np.random.default_rng(4)) == np.random.default_rng(4).integers(2**31)
    assert checks.seed(None) != checks.seed(None)
    for wrong in (-1, "x", 0.5):
        for check in (checks.generator, checks.seed):
            with refused(
                ValueError, f"`rng` is {wrong!r}; it must be None, a whole number of at least 0 or a numpy Generator."
            ):
                check(wrong)


def test_warnings_point_at_the_first_line_outside_the_package():
    frame = pd.DataFrame({"acc": [0.9, np.nan]})
    for call in (
        lambda: copa_nb.moo(frame, {"acc": "max"}, nan_policy="omit").front(),
        lambda: frame.moo(acc="max", nan_policy="omit").copa(),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert [(one.category, one.filename) for one in caught] == [(RowsOmittedWarning, __file__)]
    assert checks.callers_level() == 1
