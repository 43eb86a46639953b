"""The gap notebooks under other parameters than their defaults, run cell by cell in this process."""

import functools
import json
import sys
from dataclasses import fields
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from copa_nb.reports import figures
from tests import asked

mpl.use("Agg")
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


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


def run(name, **parameters):
    """Run a notebook's code with some parameters replaced and return its variables."""
    cells = [cell for cell in json.loads((NOTEBOOKS / name).read_text())["cells"] if cell["cell_type"] == "code"]
    variables = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), name, "exec"), variables)
        if "parameters" in cell["metadata"].get("tags", []):
            assert set(parameters) <= set(variables)
            variables |= parameters
    return variables


@pytest.mark.slow
def test_figures_at_other_sizes():
    moved = run("gap/figure_1.ipynb", shift=0.0, swap=0.0, fall=0.0)
    assert all(result.gap == 0 for result in moved["results"].values())
    assert run("gap/figure_1.ipynb")["results"]["points are dominated"].gap > 0
    whole_run = {"search": "ours", "system": "linear model", "budget": 500, "repeat": 4}
    everything = run("gap/figure_3.ipynb", **whole_run, leave_out_worst=False)
    assert len(everything["result"].scores.index) == 500
    assert run("gap/figure_3.ipynb", search="ours", budget=1)["result"].gap == 0
    theirs = run("gap/figure_3.ipynb")
    assert (len(theirs["every"]), len(theirs["result"].scores.index)) == (40, 26)
    assert "14 of the 40 configurations are left out" in " ".join(theirs["report"]._answer.lines)
    with pytest.raises(ValueError, match="`budget` is 40"):
        run("gap/figure_3.ipynb", system="linear model")


@functools.cache
def table_1():
    return run("gap/table_1.ipynb")


@pytest.mark.slow
def test_verdicts_do_not_depend_on_what_is_shown():
    """The verdicts themselves are those of the stored ledger."""
    table = table_1()
    few = run("gap/table_1.ipynb", budgets=[40], leave_out_worst=False)
    verdicts, of_few = ({claim.id: claim.verdict for claim in one["report"].claims} for one in (table, few))
    assert of_few == verdicts


@pytest.mark.slow
def test_all_printed_figures_stand_beside_ours():
    table = table_1()
    beside, printed = table["compared"], table["printed"]
    assert len(beside) == 32
    ours = asked.gap(table["runs"], where=table["where"], by=["model", "seed"], **table["options"])
    whole = ours["linear model", 1337]
    assert beside.loc[("linear model", 500, "optimistic"), "ours"] == pytest.approx(whole.hv_optimistic)
    assert beside.loc[("linear model", 500, "gap"), "ours"] == pytest.approx(whole.gap)
    for (model, evaluations, measure), row in beside.iterrows():
        assert row["printed"] == printed.loc[(model, evaluations), measure]
        assert row["difference"] == pytest.approx(round(row["authors' search"], 4) - row["printed"])
        assert row["smallest"] <= row["mean of ten seeds"] <= row["largest"]


@pytest.mark.slow
def test_a_claim_without_its_premise_is_not_reproduced():
    (claim,) = run("gap/figure_4.ipynb", search="ours")["report"].claims
    assert (claim.id, claim.verdict) == ("gap-no-dominance", "differs")
    assert "premise" in claim.note
    # With ordered hypervolumes and no dominance it holds: in the authors' search, and in one of ours.
    assert run("gap/figure_4.ipynb")["report"].claims[0].verdict == "reproduced"
    assert run("gap/figure_4.ipynb", search="ours", repeat=5)["report"].claims[0].verdict == "reproduced"


def test_experiment_falls_back_to_the_bundled_rows(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    out = tmp_path / "runs.csv"
    variables = run("gap/experiment.ipynb", n_configurations=5, repeats=[1, 2], out=str(out))
    assert "Not rerun because" in variables["report"]._answer.headline
    assert "copa_nb[experiments]" in variables["report"]._answer.certainty
    assert len(pd.read_csv(out)) == 20
