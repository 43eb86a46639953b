"""The picture of a hypervolume: its shaded area is the value."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from copa_nb.pareto.plots import plot_hypervolume
from copa_nb.plotting.pictures import picture_of
from tests import asked

mpl.use("Agg")
WAYS = {"recall": "max", "cost": "min"}


def shaded_area(ax):
    x, y = ax.patches[0].get_xy()[:-1].T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reference", ["worst", {"recall": 0.6, "cost": 0.5}])
def test_the_shaded_area_is_the_value(seed, reference):
    found = asked.hypervolume(
        pd.DataFrame(np.random.default_rng(seed).random((30, 2)), columns=list(WAYS)),
        objectives=WAYS, reference=reference,
    )  # fmt: skip
    assert found.value > 0
    assert shaded_area(found.plot()) == pytest.approx(found.value)
    assert shaded_area(found.plot(x="cost", y="recall")) == pytest.approx(found.value)


def test_rows_no_better_than_the_reference_point_are_hollow():
    rows = pd.DataFrame({"recall": [0.9, 0.8, 0.1], "cost": [3.0, 2.0, 1.0]}, index=list("abc"))
    found = asked.hypervolume(rows, objectives=WAYS, reference={"recall": 0.1, "cost": 5})
    assert found.front.index.tolist() == ["a", "b", "c"]
    counted, hollow, point = found.plot().collections
    assert hollow.get_offsets().tolist() == [[1.0, 0.1]]
    assert len(counted.get_offsets()) == 2
    assert point.get_offsets().tolist() == [[5.0, 0.1]]
    assert "Hollow rows (1)" in picture_of(plot_hypervolume, found).caption


def test_of_three_objectives_two_are_drawn_without_an_area():
    rows = pd.DataFrame({"recall": [0.9, 0.8], "cost": [3.0, 2.0], "ms": [1.0, 2.0]})
    found = asked.hypervolume(rows, objectives={**WAYS, "ms": "min"})
    ax = found.plot(y="ms")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("cost ↓", "ms ↓")
    assert not ax.patches
    assert "a volume in all of them" in picture_of(plot_hypervolume, found, y="ms").caption


def test_one_objective_has_no_picture():
    found = asked.hypervolume(pd.DataFrame({"cost": [3.0, 2.0]}), objectives={"cost": "min"})
    with pytest.raises(ValueError, match="needs two objectives to be drawn; this one has cost"):
        found.plot()
