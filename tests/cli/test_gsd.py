"""``copa-nb gsd-front``: the front and its test from the shell."""

import numpy as np
import pandas as pd
import pytest

from tests import asked

ROLES = ("--system", "model", "--item", "task")
CALL = ("gsd-front", "suite.csv", "--max", "accuracy,grade", *ROLES, "--ordinal", "grade")


@pytest.fixture
def suite(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.MultiIndex.from_product([range(8), ["a, b", "c", "d"]], names=["task", "model"]).to_frame(index=False)
    frame["accuracy"] = rng.uniform(size=24).round(2) + (frame["model"] == "d")
    frame["grade"] = rng.integers(1, 4, 24) + (frame["model"] == "a, b") * 3
    frame["size"] = frame["model"].map({"a, b": 1, "c": 2, "d": 3})
    frame.to_csv(tmp_path / "suite.csv", index=False)
    return frame


def test_the_answer_is_that_of_the_verb(quick, suite):
    front = asked.gsd_front(
        suite.moo(accuracy="max", grade="max"), system="model", item="task", ordinal="grade", progress=False
    )
    for name in ("a, b", "d"):
        said = quick(*CALL, "--tested", name, "-p", "n_resamples", "50")
        assert said.startswith(f"Keep {len(front.front)} of 3 models; the place of {name} is ")
        answer = front.test(name, n_resamples=50).explain()
        # On the terminal each reason has a line of its own.
        assert all(line.strip() in answer for line in said.splitlines()[1:3])


def test_one_column_is_not_two_things(invoke, suite):
    result = invoke("gsd-front", "suite.csv", "--max", "accuracy,grade", "--system", "model", "--item", "model")
    assert result.exit_code == 2
    assert "`--item` and `--system` both name 'model'" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tested", "e"), "`--tested` is 'e', which is not among the systems 'a, b', 'c', 'd'"),
        (("-p", "bins", "1"), "`-p bins` is 1"),
        (("--ordinal", "size"), "`--ordinal` names 'size', which is not an objective"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(invoke, suite, options, message):
    result = invoke(*CALL, *options)
    assert result.exit_code == 2, result.output
    assert message in result.output
