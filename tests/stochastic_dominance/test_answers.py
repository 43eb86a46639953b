"""What reports print of a front and its test: the answer, tables, and where there is nothing to draw."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from copa_nb.stochastic_dominance.gsd_test import GsdTest
from tests import asked
from tests.said import sentence


def outcome(system, front, pvalue):
    """The test of one of nine systems, some of which are on the front."""
    systems = pd.Index(list("abcdefghi"), name="agent")
    others = systems[systems != system]
    nulls = pd.DataFrame(np.zeros((9, len(others))), columns=others)
    found = SimpleNamespace(front=list(front), systems=systems, reasons=list, details=list)
    values = pd.Series(pvalue, index=others)
    return GsdTest(system, values - 1, values, nulls, 8, 0.05, False, 0.0, "task", front=found)


@pytest.mark.parametrize(
    ("front", "system", "pvalue", "kind"),
    [
        ("a", "a", 0.01, "shown"),
        ("a", "a", 0.2, "open"),
        ("a", "b", 0.2, "off_of"),
        ("ab", "a", 0.01, "shown_of"),
        ("ab", "a", 0.2, "open_of"),
        ("abcdefgh", "b", 0.01, "shown_of_counted"),
    ],
)
def test_the_front_and_what_the_test_shows(front, system, pvalue, kind):
    test = outcome(system, front, pvalue)
    answer = test.to_answer()
    found = sentence(test, f"gsd_test.headline.{kind}")
    assert (found["name"], found["total"]) == (system, 9)
    assert found.get("front", list(front)) == list(front)
    assert found.get("n", len(front)) == len(front)
    assert len(answer.headline.split()) <= 14
    assert "agents" in answer.question
    assert answer.values == {
        "front": list(front), "significant": [system] * (pvalue <= 0.05), "pvalues": {system: pvalue}
    }  # fmt: skip


@pytest.fixture(scope="module")
def front():
    rng = np.random.default_rng(1)
    frame = pd.MultiIndex.from_product([range(12), [1, 2, 3]], names=["task", "model"]).to_frame(index=False)
    frame["x"] = rng.uniform(size=36) + 5 * (frame["model"] == 2)
    return asked.gsd_front(frame, objectives={"x": "max"}, system="model", item="task", progress=False)


@pytest.mark.slow
def test_the_system_that_stays_on_the_front_longest_is_tested_by_default(front):
    assert front.test(n_resamples=20).system == front.table["leaves_at"].idxmax() == 2
    assert front.to_answer().values == front.test().to_answer().values
    assert sentence(front.test(), "gsd_test.headline.shown")["name"] == "2"


def test_a_system_is_named_by_its_label_or_as_text(front):
    assert front.test("3", n_resamples=20).system == 3
    with pytest.raises(ValueError, match="`system` is '4', which is not among the systems 1, 2, 3"):
        front.test("4")


def test_a_test_that_rejects_nothing_withstands_nothing(front):
    poor = front.test(1, n_resamples=40)
    (printed,) = poor.printed_tables()
    assert printed.frame["contaminated"].isna().all()
    good = front.test(2, n_resamples=40, alpha=0.2)
    assert good.printed_tables()[0].frame["contaminated"].min() >= 0
