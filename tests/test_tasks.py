"""The tasks that a user comes with, in the lines that the documentation promises: read, ask, ask on."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.results.note import Note


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def measured(rng, systems, items=40, **roles):
    """Right or wrong answers and costs of systems on items, the later systems better."""
    rows = [
        (system, f"t{item}", f"f{item % 8}", float(rng.random() < 0.5 + 0.1 * k), 1.0 + k)
        for k, system in enumerate(systems)
        for item in range(items)
    ]
    return pd.DataFrame(rows, columns=["model", "task", "family", "accuracy", "cost_usd"]).rename(columns=roles)


def test_two_systems_and_how_many_more_items(rng):
    measured(rng, ["A", "B"]).to_csv("log.csv", index=False)
    log = copa_nb.read("log.csv", accuracy="max", cost_usd="min", system="model", item="task", cluster="family")
    found = log.moo.compare("B", "A")
    more = found.needed()
    assert found.guarantee.sampled
    assert more.explain()


def test_a_board_with_ties_and_the_files_to_publish(rng):
    measured(rng, ["small", "medium", "large"]).to_csv("board.csv", index=False)
    scores = copa_nb.read(
        "board.csv", accuracy="max", cost_usd="min", system="model", item="task", cluster="family", known="cost_usd"
    )
    scores.moo.board().write("site", title="Our board", date="2026-11-01", more=2)
    scores.moo.confident_front().plot()
    published = copa_nb.results.Board.read("site/board.json")
    assert (published.title, published.date) == ("Our board", "2026-11-01")
    assert published.table.index.tolist() == [str(one) for one in scores.moo.board().table.index]
    assert len(scores.moo.board().since("site/board.json").table) == 3


def test_from_validation_to_test(rng):
    scores = rng.random((60, 2))
    search = pd.DataFrame(np.hstack([scores, scores + rng.normal(0, 0.1, (60, 2))]))
    search.columns = ["val_f1", "val_ece", "test_f1", "test_ece"]
    search.rename_axis("trial").reset_index().to_csv("search.csv", index=False)
    runs = copa_nb.read("search.csv", f1="max", ece="min", order="trial")
    gap = runs.moo.gap()
    curve = gap.budgets([10, 20, 40])
    lost = gap.overtuning()
    gap.explore().close()
    assert curve.table.columns.tolist() == [10, 20, 40]
    assert lost.explain()


def test_is_the_new_front_better(rng):
    rows = [
        (agent, seed, rng.normal(better, 0.1), rng.uniform(1, 2))
        for agent, better in (("ppo", 0), ("ours", 1))
        for seed in range(6)
    ]
    pd.DataFrame(rows, columns=["agent", "seed", "reward", "energy"]).to_csv("seeds.csv", index=False)
    seeds = copa_nb.read("seeds.csv", reward="max", energy="min", system="agent", repeat="seed", log="energy")
    test = seeds.moo.hv_test("ours", "ppo")
    assert "ours" in test.reporting().paragraph
    assert list(test.log) == ["energy"]
    assert test.needed(effect=0.3, n_simulations=20).explain()
    with copa_nb.options(progress=False):
        assert len(seeds.moo.audit().table) >= 1


def test_optuna():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(directions=["maximize", "minimize"])
    study.optimize(
        lambda trial: (trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)), n_trials=12,
    )  # fmt: skip
    trials = copa_nb.read(study, names=["acc", "ms"])
    pick = trials.moo.copa(weights={"acc": 0.6})
    assert not isinstance(pick.navigate(), Note)
    pick.navigate().plot()
    pick.sensitivity().plot()
    with pytest.raises(ValueError, match="the study has 2 objectives, name each"):
        copa_nb.read(study, names=["acc"])
