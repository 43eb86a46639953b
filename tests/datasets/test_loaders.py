import builtins

import numpy as np
import pandas as pd
import pytest

from copa_nb import datasets
from copa_nb.datasets import amlb, bbob
from tests.experiments import derive_tables

OFFLINE_LOADERS = {
    "acs_income": lambda: datasets.load_acs_income("bundled"),
    "agents_0409": lambda: datasets.load_agents("0409", "stand-in"),
    "agents_0613": lambda: datasets.load_agents("0613", "stand-in"),
    "amlb": datasets.load_amlb,
    "amlb_folds": lambda: datasets.load_amlb_folds("stand-in"),
    "bbob": datasets.load_bbob,
    "bbob_all": lambda: datasets.load_bbob(dimension="all"),
    "deepobs": datasets.load_deepobs,
    "domainbed": datasets.load_domainbed,
    "leaderboard": lambda: datasets.load_open_llm_leaderboard("stand-in"),
    "moea": datasets.load_moea,
    "mtl_cityscapes": datasets.load_mtl_cityscapes,
    "mtl_qm9": datasets.load_mtl_qm9,
    "synthetic": datasets.synthetic_front,
    "uci_classifiers": datasets.load_uci_classifiers,
}


@pytest.mark.parametrize("name", OFFLINE_LOADERS)
def test_loaders_work_without_network_and_say_what_they_return(name, nothing_here):
    table = OFFLINE_LOADERS[name]()
    directions = table.attrs["moo"]["objectives"]
    assert directions
    assert set(directions.values()) <= {"max", "min"}
    assert not table[list(directions)].isna().any().any()
    source = table.attrs["source"]
    assert set(source) == {"name", "kind", "sha256", "origin", "licence"}
    assert source["kind"] in {"bundled", "stand-in", "simulated"}
    assert all(isinstance(value, str) and value for value in source.values())


@pytest.mark.parametrize(
    "load",
    [
        datasets.load_acs_income,
        lambda source: datasets.load_agents("0409", source),
        datasets.load_amlb,
        datasets.load_amlb_folds,
        datasets.load_bbob,
        datasets.load_open_llm_leaderboard,
        datasets.load_uci_classifiers,
    ],
)
def test_unknown_source_is_refused(load):
    with pytest.raises(ValueError, match=r"`source` is 'reel'; allowed are .* Did you mean 'real'"):
        load("reel")


@pytest.mark.parametrize(
    ("load", "warning", "kind"),
    [
        (lambda: datasets.load_agents("0613"), datasets.StandInWarning, "stand-in"),
        (datasets.load_amlb_folds, datasets.StandInWarning, "stand-in"),
        (datasets.load_acs_income, datasets.FallbackWarning, "bundled"),
    ],
)
def test_auto_falls_back_with_a_warning(load, warning, kind, nothing_here):
    with pytest.warns(warning, match="is not available"):
        assert load().attrs["source"]["kind"] == kind


@pytest.mark.parametrize(
    "load",
    [
        datasets.load_german_credit,
        lambda: datasets.load_acs_income("real"),
        lambda: datasets.load_agents("0409", "real"),
        lambda: datasets.load_amlb("real"),
        lambda: datasets.load_amlb_folds("real"),
        lambda: datasets.load_uci_classifiers("real"),
        lambda: datasets.load_uci_classifiers(level="folds"),
    ],
)
def test_real_insists(load, nothing_here):
    with pytest.raises(datasets.DataUnavailableError):
        load()


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
    constant = means[means["framework"] == amlb.BASELINE]
    assert (constant.loc[constant["problem"] == "binary", "result"] == 0.5).all()
    assert set(datasets.load_amlb(problem="binary", time_limit="4h")["metric"]) == {"auc"}
    with pytest.raises(ValueError, match="`time_limit` is '2h'"):
        datasets.load_amlb(time_limit="2h")


def test_failed_folds_take_the_constant_predictor(tmp_path):
    rows = [("t", "Good", fold, 0.9 if fold else np.nan) for fold in range(9)]
    rows += [("t", "constantpredictor", fold, 0.5 + fold / 100) for fold in range(10)]
    raw = pd.DataFrame(rows, columns=["task", "framework", "fold", "result"])
    raw = raw.assign(constraint="1h8c_gp3", type="binary", metric="auc", training_duration=1.0)
    raw.to_csv(tmp_path / "raw.csv", index=False)
    folds = amlb._read_folds([tmp_path / "raw.csv"])
    good = folds[folds["framework"] == "Good"].set_index("fold")
    # Fold 0 failed, fold 9 is missing: both take the constant predictor's result of that fold.
    assert good["failed"].tolist() == [True] + [False] * 8 + [True]
    assert good.loc[[0, 1, 9], "result"].tolist() == [0.5, 0.9, 0.59]
    mean = amlb.average_folds(folds).set_index("framework").loc["Good"]
    assert mean["result"] == pytest.approx((0.5 + 8 * 0.9 + 0.59) / 10)
    assert mean["n_failed"] == 2


def test_amlb_real_folds(public_data):
    folds = datasets.load_amlb_folds("real")
    assert len(folds) == 26_380
    assert folds["failed"].sum() == 730
    assert not folds["result"].isna().any()
    assert (folds.groupby(["task", "framework", "time_limit"])["fold"].nunique() == 10).all()


def test_amlb_stand_in_keeps_means_and_shares_folds():
    means = datasets.load_amlb(problem="regression", time_limit="1h").set_index(["task", "framework"])
    folds = datasets.load_amlb_folds("stand-in", problem="regression", time_limit="1h")
    grouped = folds.groupby(["task", "framework"])["result"]
    inside = grouped.max() < 0
    np.testing.assert_allclose(grouped.mean()[inside], means["result"][inside.index][inside], rtol=1e-6)
    wide = folds[folds["task"] == "diamonds"].pivot_table(index="fold", columns="framework", values="result")
    varying = wide.loc[:, wide.std() > 0]
    correlation = varying.corr().to_numpy()
    assert np.median(correlation[np.triu_indices(len(correlation), 1)]) > 0.6


def test_acs_income_settings():
    settings = datasets.load_acs_income("bundled")
    assert settings.index.is_unique
    assert settings.index.name == "model"
    assert settings["n_seeds"].value_counts().to_dict() == {5: 65}
    assert settings["violation"].min() < 0.02 < settings["violation"].max()


def test_acs_income_real_runs(public_data):
    runs = datasets.load_acs_income("real")
    assert len(runs) == 325
    assert runs.index.is_unique
    assert runs.groupby("seed").size().tolist() == [65] * 5
    means = derive_tables.average_seeds(runs)
    settings = datasets.load_acs_income("bundled")
    np.testing.assert_allclose(means["accuracy"], settings["accuracy"].loc[means.index], rtol=1e-8)


def test_german_credit(public_data):
    credit = datasets.load_german_credit()
    assert credit.shape == (1000, 21)
    assert credit["bad"].sum() == 300
    assert credit.iloc[0][["checking_status", "duration_months", "personal_status"]].tolist() == ["A11", 6, "A93"]
    assert not credit.isna().any().any()


@pytest.mark.parametrize(("batch", "systems", "runs"), [("0409", 13, 65), ("0613", 15, 67)])
def test_agents(batch, systems, runs, public_data):
    real, stand_in = datasets.load_agents(batch, "real"), datasets.load_agents(batch, "stand-in")
    for table in (real, stand_in):
        assert (len(table), table["system"].nunique()) == (runs, systems)
        assert not table.duplicated(["system", "run"]).any()
        np.testing.assert_allclose(table["accuracy"] * 164, (table["accuracy"] * 164).round(), atol=1e-9)
    assert stand_in["system"].str.startswith("stand-in/").all()
    order = [table.groupby("system", sort=False)["cost_usd"].mean().to_numpy() for table in (real, stand_in)]
    np.testing.assert_allclose(np.log10(order[0]), np.log10(order[1]), atol=0.2)


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


def test_bbob_real_equals_bundled(public_data):
    pytest.importorskip("rdata", reason='needs rdata: pip install "copa_nb[experiments]"')
    assert len(datasets.load_bbob_runs()) == 28_309
    pd.testing.assert_frame_equal(datasets.load_bbob("real"), datasets.load_bbob(), rtol=1e-8)


def test_bbob_bad_options():
    with pytest.raises(ValueError, match="`dimension` is 4"):
        datasets.load_bbob(dimension=4)
    with pytest.raises(ValueError, match="Did you mean 'BFGS'"):
        datasets.load_bbob(optimizers=["BFG"])


def test_bbob_real_without_rdata_says_how_to_install_it(monkeypatch):
    imported = builtins.__import__

    def without_rdata(name, *args, **kwargs):
        if name == "rdata":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_rdata)
    with pytest.raises(ImportError, match="pip install"):
        datasets.load_bbob("real")


def test_uci_classifiers(public_data):
    folds = datasets.load_uci_classifiers("real", level="folds")
    assert len(folds) == 1280
    assert not folds.isna().any().any()
    means = datasets.load_uci_classifiers()
    one = folds.query("dataset == 'sonar' and classifier == 'rf'")["brier_score"].mean()
    found = means.query("dataset == 'sonar' and classifier == 'rf'")["brier_score"].item()
    assert found == pytest.approx(one, rel=1e-8)


def test_uci_folds_are_not_bundled():
    with pytest.raises(ValueError, match="only means are bundled"):
        datasets.load_uci_classifiers("bundled", level="folds")


def test_public_names_are_imported_when_used_and_listed():
    for name in dir(datasets):
        assert getattr(datasets, name) is not None
    assert {"fetch", "path", "list_data", "load_amlb", "synthetic_front"} <= set(dir(datasets))
