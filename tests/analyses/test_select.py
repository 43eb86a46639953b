"""The analysis that chooses: measurements of several rows per system, and the page's first screen."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.analyses.select import Select
from tests.asked import scores_after_choice

WAYS = {"maximize": ["correct"], "minimize": ["cost"]}


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    rows = [(f"m{m}", q, float(rng.random() < 0.5 + 0.05 * m), m + rng.random()) for m in range(6) for q in range(40)]
    return pd.DataFrame(rows, columns=["model", "question", "correct", "cost"])


@pytest.mark.parametrize("column", ["item", "repeat"])
def test_the_choice_is_by_means_and_its_scores_allow_for_it(log, column):
    found = Select(table=log, system="model", **{column: "question"}, **WAYS, n_resamples=50).run()
    means = log.groupby("model")[["correct", "cost"]].mean()
    choice = means.moo(correct="max", cost="min").copa()
    assert found.choice.best == choice.best
    pd.testing.assert_frame_equal(found.table[["correct", "cost"]], means, check_names=False)
    expected = scores_after_choice(
        log, system="model", **{column: "question"}, objectives={"correct": "max", "cost": "min"}
    )
    pd.testing.assert_frame_equal(found.after_choice.table, expected.table)
    assert expected.in_short() in found.answer.certainty
    assert found.unasked == ""
    assert found.stability.over == ("population" if column == "item" else "runs")


def test_standard_errors_of_named_rows(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("model,correct,se,cost\na,0.9,0.02,3\nb,0.8,0.03,2\nc,0.5,0.01,1\n", encoding="utf-8")
    found = Select(table=str(path), standard_error={"correct": "se"}, **WAYS, n_resamples=50).run()
    low, high = found.after_choice.table.loc["correct", ["low", "high"]]
    assert low < found.choice.values["correct"] < high
    plain = Select(table=str(path), **WAYS, n_resamples=50).run()
    assert plain.after_choice is None
    assert "`standard_error`" in plain.unasked


def test_several_rows_of_a_system_need_its_name(log):
    with pytest.raises(ValueError, match="`system` is empty; with `item` or `repeat`"):
        Select(table=log, item="question", **WAYS)
