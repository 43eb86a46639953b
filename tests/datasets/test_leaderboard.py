import moocore
import numpy as np
import pytest

from copa_nb import datasets

OBJECTIVES = dict.fromkeys(["ifeval", "bbh", "math", "gpqa", "musr", "mmlu_pro"], "max") | {"co2_kg": "min"}


def front_size(table, objectives):
    costs = np.column_stack([-table[k] if way == "max" else table[k] for k, way in objectives.items()])
    return int(moocore.is_nondominated(costs, keep_weakly=True).sum())


@pytest.fixture(scope="module")
def models():
    return datasets.load_open_llm_leaderboard()


@pytest.fixture(scope="module")
def everything():
    return datasets.load_open_llm_leaderboard(available=False)


def test_populations_and_labels(models, everything):
    assert (len(models), len(everything)) == (2148, 2929)
    assert everything.index.is_unique
    assert everything.index.name == "model"
    assert models.index.equals(everything.index[everything["available"]])
    assert "hotmailuser/Qwen2.5-HomerSlerp-7B" in models.index
    # 70 names occur twice, each once per precision.
    assert everything.index.str.endswith(("(bfloat16)", "(float16)", "(4bit)")).sum() == 140
    assert models["name"].duplicated().sum() == 60


def test_headings_rename_columns_and_keep_the_rest(models):
    shown = datasets.load_open_llm_leaderboard(headings=True)
    assert shown.attrs["moo"]["objectives"] == {
        "IFEval": "max", "BBH": "max", "MATH": "max", "GPQA": "max", "MuSR": "max", "MMLU-Pro": "max",
        "CO₂ (kg)": "min",
    }  # fmt: skip
    assert shown.attrs["source"] == models.attrs["source"]
    assert shown.index.equals(models.index)
    assert (shown.to_numpy() == models.to_numpy()).sum() == models.notna().to_numpy().sum()
    assert (shown["CO₂ (kg)"] == models["co2_kg"]).all()
    assert (shown["average score"] == models["average"]).all()


def test_content(models):
    assert models.attrs["moo"]["objectives"] == OBJECTIVES
    assert models["gpqa"].nunique() == 190
    assert not models[[*OBJECTIVES, "average"]].isna().any().any()
    np.testing.assert_allclose(models[list(OBJECTIVES)[:6]].mean(axis=1), models["average"], rtol=1e-12)
    assert models["params_b"].min() > 0
    flags = ["chat_template", "available", "merged", "mixture_of_experts", "flagged", "official_provider"]
    assert set(map(str, models[flags].dtypes)) == {"bool"}


def test_fronts_are_those_of_the_paper(models, everything):
    assert front_size(models, OBJECTIVES) == 409
    assert front_size(everything, OBJECTIVES) == 487
