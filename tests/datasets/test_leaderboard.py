import warnings

import moocore
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb import datasets
from copa_nb.datasets.leaderboard import simulate_leaderboard

OBJECTIVES = {
    "ifeval": "max",
    "bbh": "max",
    "math": "max",
    "gpqa": "max",
    "musr": "max",
    "mmlu_pro": "max",
    "co2_kg": "min",
}


def front_size(table, objectives):
    costs = np.column_stack([-table[k] if way == "max" else table[k] for k, way in objectives.items()])
    return int(moocore.is_nondominated(costs, keep_weakly=True).sum())


@pytest.fixture(scope="module")
def stand_in():
    return datasets.load_open_llm_leaderboard("stand-in")


@pytest.fixture
def real(public_data):
    return datasets.load_open_llm_leaderboard("real")


def test_real_populations_and_labels(real):
    everything = datasets.load_open_llm_leaderboard("real", available=False)
    assert (len(real), len(everything)) == (2148, 2929)
    assert everything.index.is_unique
    assert everything.index.name == "model"
    assert real.index.equals(everything.index[everything["available"]])
    assert "hotmailuser/Qwen2.5-HomerSlerp-7B" in real.index
    # 70 names occur twice, each once per precision.
    assert everything.index.str.endswith(("(bfloat16)", "(float16)", "(4bit)")).sum() == 140
    assert real["name"].duplicated().sum() == 60


def test_real_content(real):
    assert real.attrs["moo"]["objectives"] == OBJECTIVES
    assert real.attrs["source"]["kind"] == "real"
    assert real["gpqa"].nunique() == 190
    assert not real[[*OBJECTIVES, "average"]].isna().any().any()
    np.testing.assert_allclose(real[list(OBJECTIVES)[:6]].mean(axis=1), real["average"], rtol=1e-12)
    assert real["params_b"].min() > 0
    assert set(real["type"]) == {
        "fine-tuned",
        "merged",
        "chat",
        "pretrained",
        "continuously pretrained",
        "multimodal",
    }


def test_real_fronts_are_those_of_the_paper(real):
    assert front_size(real, OBJECTIVES) == 409
    assert front_size(datasets.load_open_llm_leaderboard("real", available=False), OBJECTIVES) == 487


def test_stand_in_has_the_same_shape_and_says_what_it_is(stand_in):
    assert len(stand_in) == 2148
    assert len(datasets.load_open_llm_leaderboard("stand-in", available=False)) == 2929
    assert stand_in.attrs["moo"]["objectives"] == OBJECTIVES
    source = stand_in.attrs["source"]
    assert source["kind"] == "stand-in"
    assert "stand-in" in source["name"]
    assert stand_in.index.is_unique
    assert stand_in.index.str.startswith("stand-in/model-").all()
    np.testing.assert_allclose(stand_in[list(OBJECTIVES)[:6]].mean(axis=1), stand_in["average"], atol=1e-6)


def test_stand_in_has_the_ties_of_questions(stand_in):
    assert 170 <= stand_in["gpqa"].nunique() <= 200
    assert (stand_in["gpqa"] == 0).sum() > 100
    right = (stand_in.loc[stand_in["gpqa"] > 0, "gpqa"] / 100 * 0.75 + 0.25) * 1192
    np.testing.assert_allclose(right, right.round(), atol=1e-4)


def test_stand_in_is_the_same_every_time_and_differs_by_seed(stand_in):
    again = datasets.load_open_llm_leaderboard("stand-in")
    pd.testing.assert_frame_equal(stand_in, again)
    assert stand_in.attrs == again.attrs
    assert not simulate_leaderboard(1)["bbh"].equals(simulate_leaderboard(2)["bbh"])


def test_stand_in_front_is_as_documented(stand_in):
    assert front_size(stand_in, OBJECTIVES) == 351
    assert front_size(stand_in, {"co2_kg": "min", "average": "max"}) == 25


@pytest.mark.parametrize("column", [*OBJECTIVES, "average"])
def test_stand_in_marginals_are_close_to_the_real(column, stand_in, real):
    assert stats.ks_2samp(real[column], stand_in[column]).statistic < 0.03


def test_stand_in_rank_correlations_are_close_to_the_real(stand_in, real):
    difference = real[list(OBJECTIVES)].corr("spearman") - stand_in[list(OBJECTIVES)].corr("spearman")
    assert difference.abs().to_numpy().max() <= 0.05


def test_stand_in_holds_no_row_of_the_real_table(stand_in, real):
    columns = list(OBJECTIVES)
    assert stand_in[columns].round(3).merge(real[columns].round(3)).empty


def test_auto_warns_and_falls_back(nothing_here):
    with pytest.warns(datasets.StandInWarning, match="stand-in is loaded in place"):
        table = datasets.load_open_llm_leaderboard()
    assert table.attrs["source"]["kind"] == "stand-in"


def test_auto_takes_the_real_file_where_it_is(public_data):
    assert datasets.load_open_llm_leaderboard().attrs["source"]["kind"] == "real"


def test_real_insists(nothing_here):
    with pytest.raises(datasets.DataUnavailableError, match="open_llm_leaderboard"):
        datasets.load_open_llm_leaderboard("real")


def test_stand_in_never_looks_for_the_file(nothing_here, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the stand-in must not look for the public file")

    monkeypatch.setattr("copa_nb.datasets.registry.fetch", refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        datasets.load_open_llm_leaderboard("stand-in")


def test_a_damaged_file_is_never_replaced_silently(monkeypatch, tmp_path):
    (tmp_path / "huggingface_v2_2025-01-14.csv").write_text("id\n")
    monkeypatch.setenv("COPA_NB_DATA", str(tmp_path))
    with pytest.raises(datasets.DataCorruptedError):
        datasets.load_open_llm_leaderboard()
