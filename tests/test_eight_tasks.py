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


def test_choose_a_model_and_ask_on(rng):
    table = pd.DataFrame(rng.random((12, 3)), columns=["accuracy", "co2_kg", "latency_ms"])
    table["latency_ms"] *= 100
    table.assign(model=[f"m{k}" for k in range(12)]).to_csv("models.csv", index=False)
    models = copa_nb.read("models.csv", accuracy="max", co2_kg="min")
    pick = models.moo.copa(weights={"co2_kg": 0.5}, where="latency_ms <= 50")
    pick.navigate().plot()
    pick.stability().plot()
    pick.criteria().plot()
    assert models.loc[pick.best, "latency_ms"] <= 50
    assert pick.navigate().table.index.isin(models.query("latency_ms <= 50").index).all()


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


def test_many_claims_in_ci():
    table = pd.DataFrame(
        {"accuracy": [0.7, 0.8, 0.81], "cost_usd": [0.5, 1.0, 4.0]}, index=["small", "medium", "large"]
    )
    checked = copa_nb.check(
        {
            "objectives": {"accuracy": "max", "cost_usd": "min"},
            "claims": [
                {"rank": "medium"},
                {"rank": "medium", "at_most": 2},
                {
                    "not_worse": ["medium", "large"],
                    "margin": {"accuracy": 0.02},
                    "cheaper": "cost_usd",
                    "planned": True,
                },
                {"where": "cost_usd <= 1", "of": "medium"},
            ],
        },
        table,
    )
    assert checked.counts["holds"] == 4


def test_polars(rng):
    polars = pytest.importorskip("polars")
    measured(rng, ["a", "b"]).to_parquet("items.parquet")
    bound = copa_nb.moo(
        polars.read_parquet("items.parquet"), accuracy="max", cost_usd="min", system="model", item="task",
        known="cost_usd",
    )  # fmt: skip
    assert set(bound.board().table.index) == {"a", "b"}
    assert bound.compare("b", "a").table.loc["cost_usd", "difference"] == 1


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
