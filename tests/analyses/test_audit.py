"""The analysis of claims, and its notebook: which columns name systems and runs, the claim, and the reference point."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.results.note import Note
from tests.analyses.answering import answered, notebook, requests

audit = requests("audit")


@pytest.fixture
def own(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {"strategy": strategy, "model": model, "fold": fold, "pass": 0.7 + 0.05 * model + rng.normal(0, 0.02),
         "usd": 1 + abs(rng.normal(0, 0.1)) + model, "s": rng.random() + 1}
        for strategy in ("plain", "chain") for model in (1, 2) for fold in range(5)
    ]  # fmt: skip
    path = tmp_path / "runs.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return {"table": str(path), "system": ["strategy", "model"], "repeat": ["fold"]}


def slow(given):
    """A case that takes a second, and that the other tests of the analysis do not need."""
    return pytest.param(given, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "given",
    [
        {"objectives": {"pass": "max", "usd": "min"}},
        {"objectives": {"pass": "max", "usd": "min", "s": "min"}, "log": ["usd"], "unit": "mean"},
        slow(
            {
                "objectives": {"pass": "max", "usd": "min"},
                "new": ["chain / 2"],
                "baseline": ["plain / 2", "plain / 1"],
                "alternative": "greater",
            }
        ),
        {
            "objectives": {"pass": "max", "usd": "min"},
            "new": ["chain / 1"],
            "baseline": ["plain / 1"],
            "paired": True,
            "n_resamples": 10,
        },
        slow({"objectives": {"pass": "max", "usd": "min"}, "reference": {"pass": 0.2, "usd": 9.0}, "rng": 3}),
        slow({"objectives": {"pass": "max", "usd": "min"}, "reference": "worst_multiple", "reference_margin": 0.25}),
        {"objectives": {"pass": "max", "usd": "min"}, "system": ["model"], "repeat": []},
    ],
    ids=lambda p: ", ".join(p),
)
def test_the_notebook_asks_what_the_analysis_asks(own, given):
    analysis = audit(**own | given)
    found, expected = notebook(analysis)["found"], answered(analysis)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert found.options == expected.options
    if analysis["new"]:
        assert found.table["new"].tolist() == [" and ".join(analysis["new"])]
    if isinstance(analysis["reference"], dict) and analysis["reference"]:
        assert found.references[None] == pytest.approx(analysis["reference"])
    if analysis["reference"] == "worst_multiple":
        runs = pd.read_csv(own["table"])
        worst = {"pass": 0.75 * runs["pass"].min(), "usd": 1.25 * runs["usd"].max()}
        assert found.references[None] == pytest.approx(worst)


def test_nothing_to_claim_is_said_in_every_cell(own):
    runs = pd.read_csv(own["table"])
    runs[runs["model"] == 1].query("strategy == 'plain'").to_csv(own["table"], index=False)
    variables = notebook(audit(**own, objectives={"pass": "max", "usd": "min"}))
    assert variables["found"].table.empty
    assert isinstance(variables["test"], Note)
    assert variables["study"] == variables["test"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"new": ["chain / 1"]}, "only one of `new` and `baseline` is given"),
        ({"new": ["chain / 3"], "baseline": ["plain / 1"]}, "'chain / 3', which is not a system"),
        ({"system": []}, "`system` is needed"),
        ({"system": ["strategi"]}, "`system` names 'strategi'"),
        ({"repeat": ["model"]}, "`repeat` does not distinguish the runs of a system"),
        ({"reference": "best"}, "`reference` is 'best'"),
    ],
)
def test_bad_parameters(own, given, message):
    with pytest.raises(ValueError, match=message):
        answered(audit(**own | {"objectives": {"pass": "max", "usd": "min"}} | given))
