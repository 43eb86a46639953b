"""``copa-nb front``: who is on the front for sure, from the shell."""

import numpy as np
import pandas as pd
import pytest

from tests import asked

CALL = ("front", "runs.csv", "--max", "accuracy", "--min", "cost", "--system", "model")


@pytest.fixture
def runs(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.MultiIndex.from_product([["a", "b", "c"], range(6)], names=["model", "run"]).to_frame(index=False)
    frame["accuracy"] = frame["model"].map({"a": 0.9, "b": 0.8, "c": 0.79}) + rng.normal(0, 0.005, 18)
    frame["cost"] = frame["model"].map({"a": 3.0, "b": 1.0, "c": 2.0})
    frame["size"] = frame["model"].map({"a": 1, "b": 2, "c": 3})
    frame.to_csv(tmp_path / "runs.csv", index=False)
    means = frame.groupby("model")[["accuracy", "cost"]].mean().assign(se=0.002).reset_index()
    means.to_csv(tmp_path / "means.csv", index=False)
    return frame, means


def _is_answered(said, answer):
    assert said.startswith(answer.headline)
    for sentence in (*answer.lines, answer.certainty):
        assert sentence in said


@pytest.mark.parametrize("how", ["repeat", "item"])
def test_the_answer_is_that_of_the_verb(quick, runs, how):
    objectives = {"accuracy": "max", "cost": "min"}
    front = asked.confident_front(runs[0], system="model", objectives=objectives, **{how: "run"})
    said = quick(*CALL, f"--{how}", "run")
    _is_answered(said, front.to_answer())


def test_standard_errors_are_columns(quick, runs):
    front = asked.confident_front(
        runs[1], system="model", standard_error={"accuracy": "se"}, objectives={"accuracy": "max", "cost": "min"}
    )
    said = quick("front", "means.csv", *CALL[2:], "--standard-error", "accuracy=se")
    _is_answered(said, front.to_answer())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "specify the source of uncertainty"),
        (("--repeat", "seed"), "`--repeat` names 'seed'"),
        (("--repeat", "run", "-p", "alpha", "2"), "`-p alpha` is 2.0"),
        (("--standard-error", "accuracy=nothing"), "nothing"),
        (
            ("--repeat", "run", "-p", "n_resamples", "10"),
            "`-p n_resamples` is 10; it must be a whole number of at least 100",
        ),
        (("--repeat", "run", "--nan-policy", "worst"), "'--nan-policy': 'worst' is not one of 'raise', 'pairwise'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(invoke, runs, options, message):
    result = invoke(*CALL, *options)
    assert result.exit_code == 2, result.output
    assert message in result.output
