"""Every verb, explorer and plot on tables drawn at random; and on what another generator once found."""

import warnings
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from copa_nb.plotting.pictures import picture_of
from copa_nb.significance.plots import plot_runs
from copa_nb.tables.objectives import RunsWarning
from tests import asked
from tests.fuzz.calls import CALLS, fault
from tests.fuzz.draw import draw_table
from tests.over_runs import over_runs

pytest.importorskip("pyarrow", reason="Arrow columns need pyarrow")
FAST, SLOW, BATCH = 150, 3000, 50
_LONG = "a very long label, " * 16
ROWS = pd.DataFrame(
    {
        "system": ["A", "B"] * 4,
        "seed": np.arange(8) // 2,
        "acc": np.linspace(0.5, 0.9, 8),
        "co2": [5.0, 1, 4, 2, 8, 3, 7, 6],
    }
)


def _faults(seed, numbers):
    found = [(number, *fault(seed, number)) for number in numbers]
    return [f"{number} {name} | {table.described}\n{wrong}" for number, name, table, wrong in found if wrong]


@pytest.mark.parametrize("start", range(0, FAST, BATCH))
def test_right_or_clearly_refused(start):
    assert _faults(0, range(start, start + BATCH)) == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, SLOW, 500))
def test_right_or_clearly_refused_thousands_of_times(start):
    assert _faults(1, range(start, start + 500)) == []


@pytest.mark.slow
def test_every_call_is_answered():
    """By one of many tables at least: a call that all refuse is made for nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = [draw_table(np.random.default_rng([2, number])) for number in range(400)]
        never = [name for name in CALLS if not any(map(partial(_is_answered, name), tables))]
    assert never == []


def _is_answered(name, table):
    try:
        CALLS[name](table)
    except (ValueError, TypeError):
        return False
    finally:
        plt.close("all")
    return True


@pytest.fixture
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RunsWarning)  # the tables hold runs on purpose
        yield


@pytest.mark.usefixtures("strict")
class TestWhatAnotherGeneratorFound:
    """Each of these ended in a traceback, a warning of another package, or a wrong answer."""

    def test_boolean_labels_of_columns(self):
        runs = ROWS.rename(columns={"acc": True, "co2": False})
        objectives = {True: "max", False: "min"}
        with asked.copa(runs, objectives=objectives).elicit() as explorer:
            assert explorer.to_html()
        columns = {"system": "system", "repeat": "seed", "objectives": objectives}
        assert len(asked.audit(runs, **columns, progress=False).table)
        test = asked.hv_test(runs, **columns, new="A", baseline="B", n_resamples=50)
        assert "True 0.671 against 0.729; False 6 against 3" in test.to_html()
        assert picture_of(plot_runs, test).finding.endswith("False +3, True −0.057")

    @pytest.mark.parametrize("columns", [[("a", 1), ("b", 2), ("acc", 3), ("co2", 4)], ["system", "seed", "acc", None]])
    def test_tuples_and_missing_labels_in_a_recommended_report(self, columns):
        runs = ROWS.set_axis(pd.Index(columns, dtype=object, tupleize_cols=False), axis=1)
        objectives = {columns[2]: "max"} if columns[3] is None else {columns[2]: "max", columns[3]: "min"}
        test = asked.hv_test(
            runs, system=columns[0], repeat=columns[1], new="A", baseline="B", objectives=objectives, n_resamples=50
        )
        assert test.reporting()._repr_html_()

    @pytest.mark.parametrize("index", [
        pd.MultiIndex.from_product([["x", "y"], range(4)]),
        pd.MultiIndex.from_product([["x", None], [0, 1, 2, np.nan]]),
    ])  # fmt: skip
    def test_the_gap_explorer_on_a_compound_index(self, index):
        paired = pd.DataFrame(
            {
                "val_acc": ROWS["acc"],
                "test_acc": ROWS["acc"][::-1].to_numpy(),
                "val_co2": ROWS["co2"],
                "test_co2": ROWS["co2"],
            }
        ).set_axis(index)
        with asked.gap(paired, objectives={"acc": "max", "co2": "min"}).explore() as explorer:
            assert explorer.to_html()

    @pytest.mark.parametrize("verb", [asked.gap])
    @pytest.mark.parametrize("twice", ["val_acc", "test_acc"])
    def test_duplicated_columns_of_a_gap(self, verb, twice):
        paired = pd.DataFrame([[1.0, 2.0, 3.0]] * 2, columns=["val_acc", "test_acc", twice])
        with pytest.raises(
            ValueError, match=r"`objectives` names '(val_|test_)acc', which is the label of several columns"
        ):
            verb(paired, objectives={"acc": "max"})

    @pytest.mark.parametrize("verb", [asked.copa, asked.hypervolume])
    def test_groups_of_an_empty_table(self, verb):
        with pytest.raises(ValueError, match="`frame` has no rows"):
            verb(ROWS.iloc[:0], by="system", objectives={"acc": "max"})

    def test_labels_that_leave_no_room_for_the_axes(self):
        names = {f"{_LONG}1": "max", f"{_LONG}2": "min"}
        frame = ROWS.rename(columns=dict(zip(["acc", "co2"], names, strict=True)))
        with asked.explore(frame, objectives=names) as explorer:
            assert explorer.to_html()

    @pytest.mark.parametrize("values", [[1e307, -1e307] * 4, [1e308, 1.5e308] * 4, [1e200, -1e200] * 4])
    def test_values_whose_squares_and_sums_overflow(self, values):
        runs, both = ROWS.assign(co2=values), {"acc": "max", "co2": "min"}
        over_runs(runs, objectives=both, system="system", repeat="seed", n_resamples=20)
        with pytest.raises(ValueError, match=r"'co2' has values of magnitude .* Rescale the column"):
            asked.hv_test(runs, system="system", repeat="seed", new="A", baseline="B", objectives=both, n_resamples=50)
        with asked.explore(runs, objectives=both) as explorer:
            assert explorer.best in runs.index

    def test_means_that_are_undefined(self):
        runs = ROWS.assign(co2=[np.inf, 1, -np.inf, 2, 8, 3, 7, 6])
        with pytest.raises(
            ValueError, match="an objective is inf in one run and -inf in another run of the same model"
        ):
            over_runs(runs, objectives={"co2": "min"}, system="system", repeat="seed")
