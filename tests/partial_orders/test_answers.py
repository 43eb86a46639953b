"""What reports print of depths and of what the deepest orders share: the answer, tables, and where there is none."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from copa_nb.partial_orders.posets import PosetSample
from tests.said import said_by, sentence


def depths(values):
    """Depths as given, of orders that go from the first system to the last and back by turns."""
    n = len(values)
    above = np.triu(np.ones((3, 3), dtype=bool), 1)
    relations = np.array([above if k % 2 == 0 else above.T for k in range(n)])
    tasks = pd.Index([f"t{k}" for k in range(n)], name="task")
    found = PosetSample(relations, pd.Index(list("abc"), name="agent"), tasks).depth()
    return replace(found, depth=pd.Series(values, index=found.depth.index, name="depth"))


@pytest.mark.parametrize(
    ("values", "deepest", "shallowest"),
    [
        ([0.5, 0.4, 0.1], ["t0"], ["t2"]),
        ([0.1, 0.5, 0.5], ["t1", "t2"], ["t0"]),
        ([0.5, 0.5, 0.5, 0.1], ["t0", "t1", "t2"], ["t3"]),
        ([0.5] * 5 + [0.1], ["t0", "t1", {"say": "phrases.more", "n": 3}], ["t5"]),
    ],
)
def test_the_ends_of_a_suite_are_named(values, deepest, shallowest):
    found = depths(values)
    answer, headline = found.to_answer(), sentence(found, "depths.headline.ends")
    assert (headline["deepest"], headline["shallowest"]) == (deepest, shallowest)
    assert len(answer.headline.split()) <= 14
    assert f"{len(values)} tasks" in answer.question
    assert answer.values["depths"] == dict(zip(found.depth.index, values, strict=True))
    assert "depths.certainty.exact" in said_by(found)
    assert "depths.certainty.estimated" in said_by(replace(found, method="sample"))


@pytest.mark.parametrize("values", [[0.5, 0.5, 0.5], [0.5]])
def test_equal_depths_have_no_ends(values):
    assert sentence(depths(values), "depths.headline.even")["problems"] == "tasks"


def test_a_quarter_of_the_orders_agree_by_default():
    found = depths(np.linspace(1, 0, 9))
    assert found.agreement().items.tolist() == ["t0", "t1"]
    assert depths([0.5, 0.4]).agreement().items.tolist() == ["t0"]


def test_what_each_system_stands_above_is_printed_in_words():
    (printed,) = depths([0.5, 0.1]).agreement().printed_tables()
    assert printed.frame["better than"].to_dict() == {"a": "b and c", "b": "c"}
    assert printed.frame.index.name == "agent"


def test_orders_that_share_no_pair_have_no_table_and_a_diagram_without_lines():
    import matplotlib.pyplot as plt

    nothing = depths([0.5, 0.1]).agreement(2)
    assert nothing.printed_tables() == []
    ax = nothing.plot()
    assert {label.get_text() for label in ax.texts} >= set("abc")
    plt.close(ax.figure)
