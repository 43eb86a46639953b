"""Make the bundled tables of published results from the public files.

Run ``python -m tests.experiments.derive_tables`` with the public files at hand (mirror, cache or network); it writes
``copa_nb/datasets/tables``. Numbers keep the digits that were published: columns are read, chosen and written as text.
R's binary files (BBOB, GSD) are written with as many digits as give the same number back; they need ``rdata``.
"""

from __future__ import annotations

import argparse
import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import datasets
from copa_nb.datasets.bundle import FOLDER
from copa_nb.datasets.download import sha256_of
from copa_nb.datasets.german_credit import COLUMNS, read_german_credit
from copa_nb.datasets.leaderboard import BENCHMARKS
from copa_nb.datasets.registry import MIRROR_VARIABLE, mirror_folder

_LEADERBOARD = {
    "model_name": "name",
    "model_average_score": "average",
    **{f"evaluations_{benchmark}_normalized_score": benchmark for benchmark in BENCHMARKS},
    "metadata_co2_cost": "co2_kg",
    "metadata_params_billions": "params_b",
    "model_type": "type",
    "model_precision": "precision",
    "model_architecture": "architecture",
    "metadata_base_model": "base_model",
    "model_has_chat_template": "chat_template",
    "features_is_not_available_on_hub": "available",
    "features_is_merged": "merged",
    "features_is_moe": "mixture_of_experts",
    "features_is_flagged": "flagged",
    "features_is_official_provider": "official_provider",
}
_TYPES = {
    "fine-tunedondomain-specificdatasets": "fine-tuned",
    "basemergesandmoerges": "merged",
    "chatmodels": "chat",
    "continuouslypretrained": "continuously pretrained",
}
_ACS_SETTINGS = {
    "method/name": "method",
    "method/statistic": "statistic",
    "method/fairness_strength": "strength",
    "method/reconstruction_strength": "reconstruction",
    "seed": "seed",
}
_ACS_MEASURES = {
    "test/accuracy": "accuracy",
    "test/hard/binary/eq_opp": "violation",
    "val/accuracy": "val_accuracy",
    "val/hard/binary/eq_opp": "val_violation",
    "test/auroc": "auroc",
    "test/f1_score": "f1",
    "training_time": "training_s",
}
_GSD_COMPETITORS = ("svmRadial", "J48", "ranger", "glmnet")
# Kind of each task of MTEB (English, v2), by words in its name; the others are retrieval.
_MTEB_KINDS = {
    "pair classification": ("SprintDuplicate", "TwitterSemEval", "TwitterURL"),
    "classification": ("Classification",),
    "clustering": ("Clustering",),
    "reranking": ("AskUbuntu", "Reranking"),
    "similarity": ("BIOSSES", "SICK-R", "STS"),
    "summarization": ("SummEval",),
}
_MTEB_SHA256 = "5ed1c230fbf735b25212a462273d6066aa0fca592159ff0381546e7a32fee4dd"
_TIME_LIMITS = {"1h8c_gp3": "1h", "4h8c": "4h", "4h8c_gp3": "4h"}
_FOLD_KEY = ["task", "problem", "metric", "framework", "time_limit", "fold"]


def open_llm_models() -> pd.DataFrame:
    """Every model of the Open LLM Leaderboard; what the file marks as unknown ("?", -1) is left empty."""
    table = _text("open_llm_leaderboard")[list(_LEADERBOARD)].rename(columns=_LEADERBOARD)
    return table.replace({"architecture": {"?": ""}, "params_b": {"-1": ""}, "type": _TYPES})


def agent_runs(batch: str) -> pd.DataFrame:
    """The runs of one batch of coding agents."""
    raw = _text(f"agents_{batch}")
    tokens = raw["total_prompt_tokens"].astype(int) + raw["total_completion_tokens"].astype(int)
    return pd.DataFrame(
        {
            "system": raw["strategy"] + ": " + raw["model"],
            "strategy": raw["strategy"],
            "models": raw["model"],
            "run": raw["run"].str.removeprefix("run"),
            "accuracy": raw["accuracy"],
            "cost_usd": raw["total_cost"],
            "time_s": raw["total_time"],
            "tokens": tokens,
        }
    )


def amlb_folds(files: tuple[Path, ...] = ()) -> pd.DataFrame:
    """Ten folds of every framework on every task of the AutoML Benchmark; a fold without a result is left empty."""
    chosen = files or [datasets.fetch(f"amlb_{kind}") for kind in ("classification", "regression")]
    raw = pd.concat([_read_text(file) for file in chosen], ignore_index=True)
    raw = raw.rename(columns={"type": "problem", "training_duration": "training_s"})
    raw["time_limit"] = raw["constraint"].map(_TIME_LIMITS)
    raw["framework"] = raw["framework"].str.removesuffix("_benchmark")
    runs = raw[_FOLD_KEY[:-1]].drop_duplicates()
    complete = runs.merge(pd.DataFrame({"fold": [str(fold) for fold in range(10)]}), how="cross")
    folds = complete.merge(raw[[*_FOLD_KEY, "result", "training_s"]], how="left", on=_FOLD_KEY)
    return folds.fillna("").sort_values(_FOLD_KEY, ignore_index=True)


def acs_income_runs() -> pd.DataFrame:
    """The runs on ACSIncome that have a binary sensitive attribute and a result."""
    raw = _text("acs_income")
    runs = raw[raw["data/main_sens_format"] == "binary"].rename(columns=_ACS_SETTINGS | _ACS_MEASURES)
    runs = runs.loc[(runs["accuracy"] != "") & (runs["violation"] != ""), [*_columns_of_acs()]]
    reconstruction = ("rec=" + runs["reconstruction"].map(_short)).where(runs["reconstruction"] != "", "")
    parts = [runs["method"], runs["statistic"], runs["strength"].map(_short), reconstruction, "seed=" + runs["seed"]]
    labels = [" ".join(filter(None, row)) for row in zip(*parts, strict=True)]
    runs.insert(0, "model", labels)
    return runs.sort_values("model", ignore_index=True)


def bbob_runs() -> pd.DataFrame:
    """Every optimiser, function, dimension and precision for which an expected running time is known."""
    raw = _r_data("bbob")["data"]
    raw = raw.rename(columns={"algorithm": "optimizer", "funcId": "function", "funcGroup": "function_group"})
    runs = raw[["optimizer", "dimension", "ert", "precision", "function", "function_group"]].reset_index(drop=True)
    return runs.astype({"optimizer": str, "function_group": str, "dimension": int, "function": int})


def uci_classifier_folds() -> pd.DataFrame:
    """Ten folds of every classifier on every UCI data set."""
    raw = _text("uci_classifiers", sep=";").rename(columns={"method": "classifier"})
    raw["val"] = raw["val"].str.replace(",", ".")
    raw["fold"] = raw["fold"].astype(int)
    folds = raw.pivot(index=["dataset", "classifier", "fold"], columns="metric", values="val")
    return folds.rename(columns={"acc": "accuracy"})[["accuracy", "auc", "brier_score"]].reset_index()


def german_credit_rows() -> pd.DataFrame:
    """The Statlog German credit data with named columns, and 1 for bad credit."""
    return read_german_credit(datasets.fetch("german_credit")).set_axis([*COLUMNS, "bad"], axis=1)


def pmlb_robustness() -> pd.DataFrame:
    """Accuracy of six classifiers on each Penn ML data set; these have no names in the file, so they are numbered."""
    raw = _r_data("gsd_pmlb")
    values = pd.DataFrame(raw.to_numpy(), columns=["accuracy", "robust_x", "robust_y"])
    classifiers = [str(name) for name in raw.coords["dim_0"].to_numpy()]
    values.insert(0, "classifier", classifiers)
    values.insert(0, "dataset", values.groupby("classifier").cumcount() + 1)
    return values


def pmlb_gsd_resamples() -> pd.DataFrame:
    """What the authors stored of their test: statistics against cre, observed (resample 0) and under permutations."""
    tables = []
    for competitor in _GSD_COMPETITORS:
        stored = _r_data(f"gsd_pmlb_{competitor}")
        observed = [float(value[0]) for value in stored["d_observed"].values()]
        drawn = [float(value[0]) for value in stored["permutation_test"]]
        # The two degrees of regularisation alternate.
        table = pd.DataFrame({"epsilon_0": [observed[0], *drawn[::2]], "epsilon_half": [observed[1], *drawn[1::2]]})
        table.insert(0, "resample", range(len(table)))
        table.insert(0, "competitor", competitor)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def mteb_english_v2() -> pd.DataFrame:
    """Main scores of models on the tasks of MTEB (English, v2), with the digits of the public leaderboard."""
    # The scores were collected from thousands of files, so that there is no address of one file in the registry.
    folder = mirror_folder()
    if folder is None:
        raise FileNotFoundError(f"set {MIRROR_VARIABLE} to the folder that has mteb_eng_v2.csv")
    file = folder / "mteb_eng_v2.csv"
    if sha256_of(file) != _MTEB_SHA256:
        raise ValueError(f"{file} is not the file that the bundled table was made from")
    raw = _read_text(file).set_index("model").rename(lambda name: name.replace("__", "/"))
    scores = raw.map(lambda score: f"{float(score):.4f}" if score else "").T
    scores.insert(0, "kind", scores.index.map(_kind_of_task))
    return scores.rename_axis("task").reset_index()


def openml_forest_and_tree() -> pd.DataFrame:
    """Accuracy and CPU time of the two groups of the file, told apart by their means in the paper's table 4."""
    raw = _r_data("gsd_openml").query("count_all > 0")
    forest = raw["count_group_a"] > 0
    table = pd.DataFrame(
        {
            "classifier": forest.map({True: "random forest", False: "classification tree"}),
            "row": raw.groupby(forest).cumcount() + 1,
            "accuracy": raw["numeric"],
            "cpu_s": raw["ordinal_1"],
        }
    )
    return table.sort_values(["classifier", "row"], ignore_index=True)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "acs_income_runs": acs_income_runs,
    "agent_runs_0409": lambda: agent_runs("0409"),
    "agent_runs_0613": lambda: agent_runs("0613"),
    "amlb_folds": amlb_folds,
    "bbob_runs": bbob_runs,
    "german_credit_rows": german_credit_rows,
    "mteb_english_v2": mteb_english_v2,
    "open_llm_models": open_llm_models,
    "openml_forest_and_tree": openml_forest_and_tree,
    "pmlb_gsd_resamples": pmlb_gsd_resamples,
    "pmlb_robustness": pmlb_robustness,
    "uci_classifier_folds": uci_classifier_folds,
}


def write(table: pd.DataFrame, file: Path) -> None:
    """Write a table so that the same rows give the same bytes."""
    # No time stamp and no file name in the archive.
    file.write_bytes(gzip.compress(table.to_csv(index=False, lineterminator="\n").encode(), mtime=0))


def _text(name: str, **options: str) -> pd.DataFrame:
    return _read_text(datasets.fetch(name), **options)


def _read_text(file: Path, **options: str) -> pd.DataFrame:
    return pd.read_csv(file, dtype=str, keep_default_na=False, **options)


def _r_data(name: str) -> Any:
    import rdata

    file = datasets.fetch(name)
    with warnings.catch_warnings():
        # The files do not state their encoding; their text is plain ASCII.
        warnings.simplefilter("ignore")
        return rdata.read_rda(file) if file.suffix == ".Rdata" else rdata.read_rds(file)


def _columns_of_acs() -> list[str]:
    return [*_ACS_SETTINGS.values(), *_ACS_MEASURES.values()]


def _kind_of_task(task: str) -> str:
    return next((kind for kind, words in _MTEB_KINDS.items() if any(word in task for word in words)), "retrieval")


def _short(number: str) -> str:
    return f"{float(number):g}" if number else ""


def main() -> None:
    """Write the tables that are named, or all of them."""
    parser = argparse.ArgumentParser(description="Make the bundled tables of published results from the public files.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"all by default: {', '.join(TABLES)}")
    chosen = parser.parse_args().tables or list(TABLES)
    if unknown := [name for name in chosen if name not in TABLES]:
        parser.error(f"{unknown[0]!r} is none of {', '.join(TABLES)}")
    for name in chosen:
        table = TABLES[name]()
        file = FOLDER / f"{name}.csv.gz"
        write(table, file)
        print(f"{name}: {len(table):,} rows, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
