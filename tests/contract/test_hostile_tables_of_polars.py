"""Every verb on the hostile tables as frames of polars: the answer, or the refusal, that pandas gets."""

import warnings

import pandas as pd
import pytest

from copa_nb.results.result import Result
from copa_nb.tables.objectives import RowsOmittedWarning, RunsWarning
from tests.contract.test_hostile_tables import DRAWN
from tests.each import hold_for_each
from tests.fuzz.tables import TABLES
from tests.fuzz.verbs import VERBS

pytestmark = pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RunsWarning")

pl = pytest.importorskip("polars")
pytest.importorskip("copa_nb.polars")  # adds frame.moo
pytest.importorskip("pyarrow")
# What polars itself has no frame for: several names of one column, names that are no text, complex numbers, objects.
NO_FRAME = {"MultiIndex columns", "duplicate columns", "integer columns", "complex", "mixed objects"}
# As frames of polars these are other tables: no rows without columns, categories as text, numbers as numbers.
OTHER_TABLES = {"no columns", "categories", "numbers as objects"}
# Pictures take what results hold, and one call asks a frame of pandas for its index.
VERBS_OF_ALL = [verb for verb in VERBS if not verb.startswith(("define", "plot", "cheaper"))]


def tables_of(verb):
    """All tables under one verb, a few of them under each of the others: one place reads frames."""
    column = VERBS_OF_ALL.index(verb)
    return [
        table
        for row, table in enumerate(TABLES)
        if table not in NO_FRAME | OTHER_TABLES and (verb == "front" or (row + column) % 12 == 0)
    ]


def _polars(frame):
    dense = frame.assign(
        **{name: frame[name].astype(float) for name in frame if isinstance(frame[name].dtype, pd.SparseDtype)}
    )
    return pl.from_pandas(dense, nan_to_null=False)


def _answer(verb, frame, objectives):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RowsOmittedWarning)
        warnings.simplefilter("ignore", RunsWarning)  # the tables hold runs on purpose
        try:
            return VERBS[verb](frame, objectives)
        except (ValueError, TypeError) as refusal:
            return f"{type(refusal).__name__}: {refusal}"


def _same(theirs, ours):
    if isinstance(theirs, pl.DataFrame | pd.DataFrame):
        assert list(theirs.columns) == [str(name) for name in ours.columns] or list(theirs.columns) == [*ours.columns]
        for k, name in enumerate(theirs.columns):
            column = theirs[name] if isinstance(theirs, pl.DataFrame) else theirs.iloc[:, k]
            _same_values(column.to_list(), ours.iloc[:, k].tolist())
        if isinstance(theirs, pd.DataFrame):  # of a result, which names its rows
            assert theirs.index.equals(ours.index)
    elif isinstance(theirs, pl.Series):
        assert theirs.name == ours.name
        _same_values(theirs.to_list(), ours.tolist())
    elif isinstance(theirs, Result):
        assert repr(theirs) == repr(ours)
        _same(theirs.table, ours.table)
    else:
        assert str(theirs) == str(ours)


def _same_values(theirs, ours):
    assert len(theirs) == len(ours)
    assert all((_missing(a) and _missing(b)) or a == b for a, b in zip(theirs, ours, strict=True))


def _missing(value):
    return value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and value != value)


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=[pytest.mark.slow] if verb in DRAWN else []) for verb in VERBS_OF_ALL]
)
def test_polars_gets_the_answer_of_pandas(verb):
    hold_for_each(tables_of(verb), lambda table: _hold(verb, table))


def _hold(verb, table):
    original, objectives = TABLES[table]
    frame = original.reset_index(drop=True)
    theirs = _polars(frame)
    before = theirs.clone()
    _same(_answer(verb, theirs, objectives), _answer(verb, frame, objectives))
    assert theirs.equals(before, null_equal=True) or theirs.equals(before.fill_nan(None))


@pytest.mark.slow
def test_a_label_names_the_rows_as_an_index_does():
    hold_for_each([table for table in TABLES if table not in NO_FRAME | OTHER_TABLES], _hold_names)


def _hold_names(table):
    frame, objectives = TABLES[table]
    labels = [f"model {k}" for k in range(len(frame))]
    frame = frame.reset_index(drop=True).assign(label=labels)
    bound = _bound(lambda: _polars(frame).moo(objectives, system="label"))
    expected = _bound(lambda: frame.set_index("label").moo(objectives))
    if isinstance(expected, str):
        assert bound == expected
        return
    for verb in ("front", "copa", "layers"):
        theirs, ours = _bound(getattr(bound, verb)), _bound(getattr(expected, verb))
        if isinstance(ours, pd.DataFrame) and not isinstance(ours, str):
            ours = ours.reset_index()
            theirs = theirs.select(ours.columns.tolist())
        _same(theirs, ours)


def _bound(call):
    try:
        return call()
    except (ValueError, TypeError) as refusal:
        return f"{type(refusal).__name__}: {refusal}"
