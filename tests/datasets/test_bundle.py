import pandas as pd
import pytest

from copa_nb import datasets
from copa_nb.datasets import bundle
from tests.experiments import derive_tables, leaderboard_ingredients

NAMES = sorted(row["name"] for row in bundle.list_bundled())


def test_bundle_stays_small():
    assert sum(row["bytes"] for row in bundle.list_bundled()) < 2_000_000


def test_every_table_is_described_and_every_description_has_a_table():
    assert sorted(bundle.sources()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_table_loads_with_origin_and_directions(name):
    described = bundle.sources()[name]
    assert {"kind", "what", "source", "licence", "made by"} <= set(described)
    assert described["kind"] in {"printed table", "derived table", "ingredient", "own experiment"}
    table = datasets.load_bundled(name)
    assert len(table)
    source = table.attrs["source"]
    assert (source["name"], source["kind"], len(source["sha256"])) == (name, "bundled", 64)
    if "objectives" in described:
        directions = table.attrs["moo"]["objectives"]
        assert set(directions) <= set(table.columns)
        assert set(directions.values()) <= {"max", "min"}


def test_rows_are_counted_as_read():
    for row in bundle.list_bundled():
        assert row["rows"] == len(datasets.load_bundled(row["name"])), row["name"]


def test_compressed_tables_are_read_and_counted(monkeypatch, tmp_path):
    pd.DataFrame({"a": [1, 2, 3]}).to_csv(tmp_path / "packed.csv.gz", index=False)
    monkeypatch.setattr(bundle, "FOLDER", tmp_path)
    assert datasets.load_bundled("packed")["a"].tolist() == [1, 2, 3]
    assert bundle.list_bundled()[0]["rows"] == 3


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


def test_directions_of_the_printed_tables():
    assert set(datasets.load_mtl_qm9().attrs["moo"]["objectives"].values()) == {"min"}
    assert len(datasets.load_mtl_qm9().attrs["moo"]["objectives"]) == 11
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
def test_derived_tables_can_be_derived_again(name, public_data):
    if name == "bbob_criteria":
        pytest.importorskip("rdata", reason='needs rdata: pip install "copa_nb[experiments]"')
    derived = derive_tables.TABLES[name]()
    bundled = pd.read_csv(bundle.FOLDER / f"{name}.csv")
    if "batch" in derived:
        derived["batch"] = derived["batch"].astype(int)
    pd.testing.assert_frame_equal(derived, bundled, rtol=1e-8, check_dtype=False)


def test_ingredients_of_the_leaderboard_can_be_fitted_again(public_data):
    models = datasets.load_open_llm_leaderboard("real", available=False)
    quantiles, correlations = leaderboard_ingredients.fit_ingredients(models)
    for fitted, name in ((quantiles, "leaderboard_quantiles"), (correlations, "leaderboard_correlations")):
        pd.testing.assert_frame_equal(fitted, pd.read_csv(bundle.FOLDER / f"{name}.csv"), atol=2e-4)
