import gzip
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from copa_nb import datasets
from copa_nb.datasets import bundle
from copa_nb.datasets.german_credit import read_german_credit
from tests.experiments import derive_tables

NAMES = sorted(row["name"] for row in bundle.list_bundled())


def test_bundle_stays_small():
    assert sum(row["bytes"] for row in bundle.list_bundled()) < 1_400_000


def test_every_table_is_described_and_every_description_has_a_table():
    assert sorted(bundle.sources()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_table_loads_with_origin_and_directions(name):
    described = bundle.sources()[name]
    assert {"kind", "what", "source", "license", "made by"} <= set(described)
    assert described["kind"] in {"public results", "printed table", "own experiment"}
    table = datasets.load_bundled(name)
    assert len(table)
    source = table.attrs["source"]
    assert (source["name"], source["kind"], len(source["sha256"])) == (name, "bundled", 64)
    if "objectives" in described:
        directions = table.attrs["moo"]["objectives"]
        scores = set(table.columns) | {str(name).removeprefix("val_") for name in table.columns}
        assert set(directions) <= scores
        assert set(directions.values()) <= {"max", "min"}


def test_rows_are_counted_as_read():
    for row in bundle.list_bundled():
        assert row["rows"] == len(datasets.load_bundled(row["name"])), row["name"]


def test_unknown_table_lists_those_that_exist():
    with pytest.raises(ValueError, match="Did you mean 'mtl_qm9'"):
        datasets.load_bundled("mtl_qm8")


@pytest.mark.parametrize(
    ("load", "row", "column", "printed"),
    [
        (datasets.load_domainbed, "SagNet", "avg4", 68.075),
        (datasets.load_domainbed, "IRM", "DomainNet", 28.0),
        (datasets.load_mtl_qm9, "NASHMTL", "G", 74.2),
        (datasets.load_mtl_qm9, "FAMO", "reported_delta_m_pct", 58.5),
        (datasets.load_mtl_cityscapes, "STL", "seg_miou", 74.01),
        (datasets.load_mtl_cityscapes, "MGDA", "depth_abserr", 0.0309),
    ],
)
def test_printed_cells(load, row, column, printed):
    assert load().loc[row, column] == printed


def test_table_1_of_mind_the_gap_is_as_printed():
    printed = datasets.load_bundled("mind_the_gap_table_1")
    assert printed.size == 32
    assert printed.loc[("random forest", 500)].tolist() == [0.6563, 0.5721, 0.6382, 0.0661]
    assert printed["validation"].tolist() == [0.5660, 0.6357, 0.6426, 0.6563, 0.5804, 0.5943, 0.6330, 0.6340]
    # Three figures rounded to four digits can disagree by 0.00015 at most: all but one column of the paper do not.
    off = (printed["optimistic"] - printed["pessimistic"] - printed["gap"]).abs()
    assert off.index[off > 0.00015].tolist() == [("linear model", 50)]


def test_the_authors_search_gives_table_1_of_mind_the_gap_but_for_one_number():
    runs, printed = datasets.load_german_credit_authors_search(), datasets.load_bundled("mind_the_gap_table_1")
    differing = []
    for (model, evaluations), row in printed.iterrows():
        search = runs.query("model == @model and search == @evaluations")
        assert search["evaluation"].tolist() == list(range(1, evaluations + 1))
        found = search.moo.gap(keep="first", reference={"precision": 0, "recall": 0})
        numbers = (found.hv_validation, found.hv_pessimistic, found.hv_optimistic, found.gap)
        pairs = zip(row.items(), numbers, strict=True)
        differing += [
            (model, evaluations, name, value, round(number, 4))
            for (name, value), number in pairs
            if value != round(number, 4)
        ]
    assert differing == [("linear model", 50, "optimistic", 0.5989, 0.5979)]


def test_directions_of_the_printed_tables():
    assert set(datasets.load_mtl_qm9().attrs["moo"]["objectives"].values()) == {"min"}
    assert len(datasets.load_mtl_qm9().attrs["moo"]["objectives"]) == 11
    assert "⟨R²⟩" in datasets.load_mtl_qm9(headings=True).moo.description["objectives"]
    assert datasets.load_mtl_cityscapes().attrs["moo"]["objectives"] == {
        "seg_miou": "max",
        "seg_pixacc": "max",
        "depth_abserr": "min",
        "depth_relerr": "min",
    }
    assert len(datasets.load_domainbed(datasets="all").attrs["moo"]["objectives"]) == 7
    with pytest.raises(ValueError, match="`datasets` is 'five'"):
        datasets.load_domainbed(datasets="five")


def test_domainbed_average_is_that_of_the_four_objectives():
    table = datasets.load_domainbed()
    four = table[list(table.attrs["moo"]["objectives"])]
    pd.testing.assert_series_equal(four.mean(axis=1), table["avg4"], check_names=False)


def test_printed_shapes():
    deepobs, moea = datasets.load_deepobs(), datasets.load_moea()
    assert deepobs.groupby("problem")["optimizer"].nunique().tolist() == [3] * 8
    assert moea.groupby("problem")["algorithm"].nunique().tolist() == [7] * 13
    assert deepobs.query("problem == 'P6' and optimizer == 'Adam'")["speed"].item() == 152.6
    assert moea.query("problem == 'FDA1' and algorithm == 'DVC'")["migd_stage3"].item() == 0.0070


def test_deepobs_is_the_public_table(public_data):
    public = pd.read_csv(datasets.fetch("deepobs"), sep=";", decimal=",", encoding="utf-8-sig")
    public = public.dropna(how="all")
    assert public.to_numpy().tolist() == datasets.load_deepobs().to_numpy().tolist()


def test_moea_is_the_public_table(public_data):
    public = pd.read_csv(datasets.fetch("moea"), index_col=0)
    assert public.to_numpy().tolist() == datasets.load_moea().to_numpy().tolist()


def test_domainbed_is_the_public_table(public_data):
    text = datasets.fetch("domainbed").read_text()
    oracle = text[text.index("test-domain validation set (oracle)") :]
    averages = oracle[oracle.index(r"\subsubsection{Averages}") :]
    table = datasets.load_domainbed()
    header = next(line for line in averages.splitlines() if "Algorithm" in line)
    columns = [cell.strip(" \\").removeprefix("textbf{").removesuffix("}") for cell in header.split("&")][1:-1]
    for algorithm, row in table.iterrows():
        line = next(line for line in averages.splitlines() if line.split("&")[0].strip() == algorithm)
        cells = [float(cell.split("$")[0]) for cell in line.split("&")[1:-1]]
        assert dict(zip(columns, cells, strict=True)) == row.drop("avg4").to_dict()


@pytest.mark.parametrize("name", sorted(derive_tables.TABLES))
def test_published_results_are_those_of_the_public_files_byte_for_byte(name, public_data, tmp_path):
    if name in ("bbob_runs", "openml_forest_and_tree", "pmlb_gsd_resamples", "pmlb_robustness"):
        pytest.importorskip("rdata", reason='needs rdata: pip install "copa_nb[test]"')
    derived, again = tmp_path / "derived.csv.gz", tmp_path / "again.csv.gz"
    table = derive_tables.TABLES[name]()
    derive_tables.write(table, derived)
    derive_tables.write(table, again)
    assert derived.read_bytes() == again.read_bytes(), "no time stamp, no file name"
    bundled = bundle.FOLDER / f"{name}.csv.gz"
    assert gzip.decompress(derived.read_bytes()) == gzip.decompress(bundled.read_bytes())


def test_the_authors_search_is_the_public_table(public_data):
    public = pd.read_csv(public_data / "german_credit_authors_search.csv").replace(
        {"model": {"linear": "linear model"}}
    )
    pd.testing.assert_frame_equal(datasets.load_german_credit_authors_search(), public, check_exact=True)


def _bits(values):
    return np.asarray(values, dtype=float).tobytes()


def test_scores_are_read_as_the_public_leaderboard_is(public_data):
    raw = pd.read_csv(datasets.fetch("open_llm_leaderboard"))
    models = datasets.load_open_llm_leaderboard(available=False)
    for benchmark in ("ifeval", "bbh", "math", "gpqa", "musr", "mmlu_pro"):
        assert _bits(models[benchmark]) == _bits(raw[f"evaluations_{benchmark}_normalized_score"])
    assert _bits(models["average"]) == _bits(raw["model_average_score"])
    assert _bits(models["co2_kg"]) == _bits(raw["metadata_co2_cost"])
    assert models["name"].tolist() == raw["model_name"].tolist()
    assert models["available"].tolist() == raw["features_is_not_available_on_hub"].tolist()


@pytest.mark.parametrize("batch", ["0409", "0613"])
def test_runs_are_read_as_the_public_file_of_agents_is(batch, public_data):
    raw, runs = pd.read_csv(datasets.fetch(f"agents_{batch}")), datasets.load_agents(batch)
    for column, published in (("accuracy", "accuracy"), ("cost_usd", "total_cost"), ("time_s", "total_time")):
        assert _bits(runs[column]) == _bits(raw[published])
    assert runs["tokens"].tolist() == (raw["total_prompt_tokens"] + raw["total_completion_tokens"]).tolist()


def test_scores_of_mteb_are_those_of_the_public_results(public_data):
    raw = pd.read_csv(public_data / "mteb_eng_v2.csv", index_col="model")
    scores = datasets.load_mteb().pivot(index="model", columns="task", values="score")
    assert scores.index.tolist() == sorted(name.replace("__", "/") for name in raw.index)
    raw = raw.rename(lambda name: name.replace("__", "/")).loc[scores.index, scores.columns]
    assert (scores - raw).abs().max().max() <= 0.00005 + 1e-12
    assert scores.isna().equals(raw.isna())
    assert scores.isna().sum().sum() == 3243
    assert datasets.load_mteb(complete=True)["model"].nunique() == len(raw.dropna()) == 183


def test_folds_are_read_as_the_public_files_of_the_automl_benchmark_are(public_data):
    files = [datasets.fetch(f"amlb_{kind}") for kind in ("classification", "regression")]
    raw = pd.concat([pd.read_csv(file) for file in files]).dropna(subset="result")
    raw["framework"] = raw["framework"].str.removesuffix("_benchmark")
    raw["time_limit"] = raw["constraint"].str[:2]
    key = ["task", "framework", "time_limit", "fold"]
    folds = datasets.load_amlb_folds()
    published = raw.set_index(key).sort_index()
    succeeded = folds[~folds["failed"]].set_index(key).sort_index()
    assert succeeded.index.equals(published.index)
    assert _bits(succeeded["result"]) == _bits(published["result"])
    assert _bits(succeeded["training_s"]) == _bits(published["training_duration"])


def test_running_times_are_those_of_the_public_file(public_data):
    rdata = pytest.importorskip("rdata", reason='needs rdata: pip install "copa_nb[test]"')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file does not state its encoding
        raw = rdata.read_rda(datasets.fetch("bbob"))["data"]
    runs = datasets.load_bbob_runs()
    for column in ("ert", "precision", "rank"):
        assert _bits(runs[column]) == _bits(raw[column])
    assert runs["optimizer"].tolist() == raw["algorithm"].astype(str).tolist()


def test_german_credit_is_the_public_file(public_data):
    public = read_german_credit(datasets.fetch("german_credit"))
    pd.testing.assert_frame_equal(read_german_credit(), public, check_exact=True)


def test_loading_tables_imports_no_experiment():
    program = (
        "import sys; from copa_nb import datasets; [getattr(datasets, name) for name in datasets.__all__]; "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "copa_nb.datasets.german_credit" in loaded
    assert not loaded & {"copa_nb.papers.gap.german_credit_search", "copa_nb.papers.copa.fairness_sweep", "sklearn"}
