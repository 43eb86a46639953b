"""The notebook for one's own runs under other parameters than its defaults, run cell by cell in this process."""

import json
from dataclasses import fields
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from copa_nb.reports import figures

mpl.use("Agg")
NOTEBOOK = Path(__file__).parents[2] / "notebooks/yours/significance.ipynb"


@pytest.fixture(autouse=True)
def _figures(monkeypatch):
    """Lay figures out without writing them in three formats; close them."""

    def settle(figure, **_):
        figure.draw_without_rendering()
        empty = {"bytes": b"", "int": 1, "str": "", "Bbox": figure.get_tightbbox()}
        return figures.RenderedFigure(**{field.name: empty[field.type] for field in fields(figures.RenderedFigure)})

    monkeypatch.setattr(figures, "render", settle)
    yield
    plt.close("all")


def run(**parameters):
    """Run the notebook's code with some parameters replaced and return its variables."""
    variables = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), variables)
        if "parameters" in cell["metadata"].get("tags", []):
            assert set(parameters) <= set(variables)
            variables |= {"n_simulations": 20} | parameters
    return variables


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
    return {"table": str(path), "system": ["strategy", "model"], "repeat": ["fold"], "maximize": ["pass"]}


@pytest.mark.parametrize(
    "parameters",
    [
        {"minimize": ["usd"]},
        {"minimize": ["usd", "s"], "log": ["usd"], "unit": "mean"},
        {"minimize": ["usd"], "new": ["chain / 2"], "baseline": ["plain / 2", "plain / 1"], "alternative": "greater"},
        {"minimize": ["usd"], "new": ["chain / 1"], "baseline": ["plain / 1"], "paired": True, "n_resamples": 10},
        {"minimize": ["usd"], "reference": {"pass": 0.2, "usd": 9.0}, "reference_margin": 0.5},
        {"minimize": []},
        {"minimize": ["usd"], "repeat": []},
    ],
    ids=lambda p: ", ".join(p),
)
def test_own_runs(own, parameters):
    variables = run(**own | parameters)
    audit = variables["audit"]
    if parameters.get("new"):
        assert len(audit.table) == 1
        assert audit.table["new"].tolist() == [" and ".join(parameters["new"])]
    if "reference" in parameters:
        assert audit.references[None] == pytest.approx(parameters["reference"])
    assert audit.options.paired == parameters.get("paired", False)


def test_nothing_to_claim(own):
    runs = pd.read_csv(own["table"])
    runs[runs["model"] == 1].query("strategy == 'plain'").to_csv(own["table"], index=False)
    assert run(**own, minimize=["usd"])["audit"].table.empty


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"new": ["chain / 1"]}, "only one of `new` and `baseline` is given"),
        ({"new": ["chain / 3"], "baseline": ["plain / 1"]}, "'chain / 3', which is not a system"),
        ({"system": []}, "`system` is empty"),
        ({"system": ["strategi"]}, "`system` names 'strategi'"),
        ({"repeat": ["model"]}, "`repeat` does not distinguish the runs of a system"),
    ],
)
def test_bad_parameters(own, parameters, message):
    with pytest.raises(ValueError, match=message):
        run(**own | {"minimize": ["usd"]} | parameters)
