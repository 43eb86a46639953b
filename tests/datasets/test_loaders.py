import numpy as np
import pandas as pd
import pytest

from copa_nb import datasets
from copa_nb.datasets import amlb, bbob, registry
from tests.experiments import derive_tables

LOADERS = {
    "acs_income": datasets.load_acs_income,
    "adult_fairgrad": datasets.load_adult_fairgrad,
    "agents_0409": datasets.load_agents,
    "agents_0613": lambda: datasets.load_agents("0613"),
    "amlb": datasets.load_amlb,
    "amlb_folds": datasets.load_amlb_folds,
    "bbob": datasets.load_bbob,
    "bbob_all": lambda: datasets.load_bbob(dimension="all"),
    "bbob_runs": datasets.load_bbob_runs,
    "credit_authors_search": datasets.load_german_credit_authors_search,
    "credit_fairness": datasets.load_german_credit_fairness,
    "credit_runs": datasets.load_german_credit_runs,
    "deepobs": datasets.load_deepobs,
    "domainbed": datasets.load_domainbed,
    "leaderboard": datasets.load_open_llm_leaderboard,
    "moea": datasets.load_moea,
    "mteb": datasets.load_mteb,
    "mtl_cityscapes": datasets.load_mtl_cityscapes,
    "mtl_qm9": datasets.load_mtl_qm9,
    "sklearn_runs": datasets.load_sklearn_runs,
    "synthetic": datasets.synthetic_front,
    "uci_classifiers": datasets.load_uci_classifiers,
    "uci_folds": lambda: datasets.load_uci_classifiers(unit="fold"),
}


@pytest.mark.parametrize("name", LOADERS)
def test_loaders_need_no_public_file_and_say_what_they_return(name, nothing_here, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a loader must not look for public files")

    monkeypatch.setattr(registry, "fetch", refuse)
    monkeypatch.setattr(registry, "path", refuse)
    table = LOADERS[name]()
    directions = table.attrs["moo"]["objectives"]
    assert directions
    assert set(directions.values()) <= {"max", "min"}
    scores = [[name] if name in table else [f"val_{name}", f"test_{name}"] for name in directions]
    assert not any(table[names].isna().any().any() for names in scores)
    source = table.attrs["source"]
    assert set(source) == {"name", "kind", "sha256", "origin", "license"}
    assert source["kind"] == ("simulated" if name == "synthetic" else "bundled")
    assert all(isinstance(value, str) and value for value in source.values())


def test_amlb_means():
    means = datasets.load_amlb()
    assert means.groupby("problem")["task"].nunique().to_dict() == {
        "binary": 41,
        "multiclass": 30,
        "regression": 33,
    }
    assert means["framework"].nunique() == 13
    assert not means.duplicated(["task", "framework", "time_limit"]).any()
    assert means["n_failed"].sum() == 730
    folds = datasets.load_amlb_folds()
    assert folds["failed"].sum() == 730
    assert (folds.groupby(["task", "framework", "time_limit"])["fold"].nunique() == 10).all()
    constant = means[means["framework"] == amlb.BASELINE]
    assert (constant.loc[constant["problem"] == "binary", "result"] == 0.5).all()
    assert set(datasets.load_amlb(problem_type="binary", time_limit="4h")["metric"]) == {"auc"}
    with pytest.raises(ValueError, match="`time_limit` is '2h'"):
        datasets.load_amlb(time_limit="2h")


def test_failed_folds_take_the_constant_predictor():
    rows = [("t", "Good", fold, 0.9 if 0 < fold < 9 else np.nan) for fold in range(10)]
    rows += [("t", "constantpredictor", fold, 0.5 + fold / 100) for fold in range(10)]
    published = pd.DataFrame(rows, columns=["task", "framework", "fold", "result"])
    published = published.assign(time_limit="1h", problem="binary", metric="auc", training_s=1.0)
    folds = amlb.fill_failed(published)
    good = folds[folds["framework"] == "Good"].set_index("fold")
    assert good["failed"].tolist() == [True] + [False] * 8 + [True]
    assert good.loc[[0, 1, 9], "result"].tolist() == [0.5, 0.9, 0.59]
    mean = amlb.average_folds(folds).set_index("framework").loc["Good"]
    assert mean["result"] == pytest.approx((0.5 + 8 * 0.9 + 0.59) / 10)
    assert mean["n_failed"] == 2


def test_folds_that_are_missing_in_the_file_are_added_as_failed(tmp_path):
    raw = pd.DataFrame({"task": "t", "framework": "Good_benchmark", "fold": range(9), "result": 0.9})
    raw = raw.assign(constraint="1h8c_gp3", type="binary", metric="auc", training_duration=1.0)
    raw.to_csv(tmp_path / "raw.csv", index=False)
    folds = derive_tables.amlb_folds((tmp_path / "raw.csv",))
    assert folds["framework"].unique().tolist() == ["Good"]
    assert folds["result"].tolist() == ["0.9"] * 9 + [""]


def test_acs_income_runs():
    runs = datasets.load_acs_income()
    assert len(runs) == 325
    assert runs.index.is_unique
    assert runs.index.name == "model"
    assert runs.groupby("seed").size().tolist() == [65] * 5
    assert runs["violation"].min() < 0.02 < runs["violation"].max()


def test_german_credit():
    credit = datasets.load_german_credit()
    assert credit.shape == (1000, 21)
    assert credit["bad"].sum() == 300
    assert credit.iloc[0][["checking_status", "duration_months", "personal_status"]].tolist() == ["A11", 6, "A93"]
    assert not credit.isna().any().any()


@pytest.mark.parametrize(("batch", "systems", "runs"), [("0409", 13, 65), ("0613", 15, 67)])
def test_agents(batch, systems, runs):
    table = datasets.load_agents(batch)
    assert (len(table), table["system"].nunique()) == (runs, systems)
    assert not table.duplicated(["system", "run"]).any()
    np.testing.assert_allclose(table["accuracy"] * 164, (table["accuracy"] * 164).round(), atol=1e-9)


def test_unknown_batch_is_refused():
    with pytest.raises(ValueError, match="`batch` is '0614'"):
        datasets.load_agents("0614")


def test_bbob_shapes_and_what_was_never_reached():
    two = datasets.load_bbob()
    assert len(two) == 24 * 11
    assert two["n_precisions"].between(0, 6).all()
    never = two[np.isinf(two["ert"])]
    assert len(never)
    assert (never["n_precisions"] == 0).all()
    forty = datasets.load_bbob(dimension=40, optimizers=["RANDOMSEARCH", "MOS"])
    assert np.isinf(forty.loc[forty["optimizer"] == "RANDOMSEARCH", "ert"]).all()
    everything = datasets.load_bbob(dimension="all", optimizers="all")
    assert len(everything) == 24 * 55
    assert list(everything.attrs["moo"]["objectives"]) == [f"ert_{size}" for size in bbob.DIMENSIONS]
    # The column of one dimension is the table of that dimension.
    paper = datasets.load_bbob(dimension="all")
    np.testing.assert_array_equal(paper["ert_2"], two["ert"])


@pytest.mark.parametrize(("dimension", "functions"), [(2, [1, 18, 24]), ("all", [18, 24])])
def test_bbob_functions_with_equal_optimizers_are_those_the_paper_leaves_out(dimension, functions):
    table = datasets.load_bbob(dimension=dimension)
    criteria = list(table.attrs["moo"]["objectives"])
    tied = [name for name, group in table.groupby("function") if group.duplicated(criteria).any()]
    assert tied == functions


def test_bbob_runs_are_ranked_within_function_dimension_and_precision():
    runs = datasets.load_bbob_runs()
    assert len(runs) == 28_309
    best = runs.groupby(["function", "dimension", "precision"])["rank"].min()
    assert len(best) == 864
    assert (best >= 1).all()
    assert runs.loc[runs["rank"] == 3.5, "ert"].duplicated().any(), "ties share a rank"


def test_bbob_bad_options():
    with pytest.raises(ValueError, match="`dimension` is 4"):
        datasets.load_bbob(dimension=4)
    with pytest.raises(ValueError, match="Did you mean 'BFGS'"):
        datasets.load_bbob(optimizers=["BFG"])


def test_uci_classifiers():
    folds = datasets.load_uci_classifiers(unit="fold")
    assert len(folds) == 1280
    assert not folds.isna().any().any()
    assert (folds.groupby(["dataset", "classifier"])["fold"].nunique() == 10).all()
    means = datasets.load_uci_classifiers()
    one = folds.query("dataset == 'sonar' and classifier == 'rf'")["brier_score"].mean()
    found = means.query("dataset == 'sonar' and classifier == 'rf'")["brier_score"].item()
    assert found == pytest.approx(one, rel=1e-8)


def test_means_that_are_equal_stay_equal():
    values = {"first": [0.1, 0.2, 0.3], "second": [0.3, 0.2, 0.1]}
    assert np.mean(values["first"]) != np.mean(values["second"])
    table = pd.DataFrame([(name, fold, value) for name, row in values.items() for fold, value in enumerate(row)])
    table = table.set_axis(["framework", "fold", "result"], axis=1)
    table = table.assign(task="t", problem="binary", metric="auc", time_limit="1h", failed=False, training_s=1.0)
    assert amlb.average_folds(table)["result"].nunique() == 1
