"""Numbers of the COPA paper's running example, on the leaderboard."""

import pytest

from copa_nb import datasets


@pytest.fixture(scope="module")
def models():
    return datasets.load_open_llm_leaderboard()


def test_front_sizes(models):
    assert len(models) == 2148
    assert len(models.moo.front()) == 409
    assert len(datasets.load_open_llm_leaderboard(available=False).moo.front()) == 487


def test_choice_at_one_half(models):
    two = models.moo(co2_kg="min", average="max")
    choice = two.copa(p="inf", weights={"co2_kg": 0.5})
    assert choice.best == "hotmailuser/Qwen2.5-HomerSlerp-7B"
    assert choice.normalized[choice.position] == pytest.approx([0.182, 0.173], abs=5e-4)
    for how, kilograms in {"none": 33, "minmax": 13, "relative": 0.039}.items():
        best = two.copa(p="inf", normalize=how).best
        assert models.loc[best, "co2_kg"] == pytest.approx(kilograms, rel=0.02)


def test_heavy_ties_share_the_lowest_rank(models):
    assert models["gpqa"].nunique() == 190
    u = models.moo.normalize()["gpqa"]
    for value, group in models.groupby("gpqa"):
        assert (u[group.index] == (models["gpqa"] > value).mean()).all()
