"""Numbers of the COPA paper's running example, on the leaderboard."""

from pathlib import Path

import pytest

from copa_nb import datasets


@pytest.fixture(scope="module")
def models():
    return datasets.load_open_llm_leaderboard()


def test_choice_at_one_half(models):
    two = models.moo(co2_kg="min", average="max")
    choice = two.copa(p="inf", weights={"co2_kg": 0.5})
    assert choice.best == "hotmailuser/Qwen2.5-HomerSlerp-7B"
    assert choice.normalized[choice.position] == pytest.approx([0.182, 0.173], abs=5e-4)
    for how, kilograms in {"none": 33, "minmax": 13, "relative": 0.039}.items():
        best = two.copa(p="inf", normalize=how).best
        assert models.loc[best, "co2_kg"] == pytest.approx(kilograms, rel=0.02)


def test_heavy_ties_share_the_lowest_rank(models):
    u = models.moo.normalize()["gpqa"]
    for value, group in models.groupby("gpqa"):
        assert (u[group.index] == (models["gpqa"] > value).mean()).all()


def test_min_max_stays_at_the_costly_end_as_the_readme_says(models):
    two = models.moo(average="max", co2_kg="min")
    front = two.front()
    costliest = front["co2_kg"].nlargest(6).min()
    paths = {how: two.copa(normalize=how).navigate("co2_kg") for how in ("minmax", "cdf")}
    for path in paths.values():
        assert path.table["co2_kg"].is_monotonic_decreasing, "no path jumps to and fro"
    until = {
        how: path.table.loc[path.table["co2_kg"] >= costliest, "importance_to"].max() for how, path in paths.items()
    }
    said = (
        f"selects one of the 6 costliest of {len(front)} Pareto-optimal models up to a weight of "
        f"{until['minmax']:.2f}; ranks (COPA) leave them at {until['cdf']:.2f} and select "
        f"{paths['cdf'].n_distinct} models along the front"
    )
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert said in " ".join(readme.split())
