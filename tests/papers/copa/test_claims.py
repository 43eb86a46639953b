"""Claims of COPA, on tables small enough to see what must come out."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb import datasets
from copa_nb.papers.copa import claims
from tests import asked

NAMES = ["dfurman/CalmeRys-78B", "microsoft/Phi-3-mini-4k-instruct", "openai-community/gpt2 (float16)", "other/model"]


def _path(co2=(13.0, 0.5, 0.03, 5.0), scores=(0.9, 0.6, 0.1, 0.05), names=NAMES):
    models = pd.DataFrame({claims.CO2: co2, "IFEval": scores, "BBH": scores}, index=names)
    models["average score"], models["base_model"], models["params_b"] = 6.0, "", 1.0
    models = models.moo.define({claims.CO2: "min", "IFEval": "max", "BBH": "max"})
    return models.moo.copa(p="inf").navigate(claims.CO2, importances=11)


def test_families_are_found_by_name_and_by_base_model():
    path = _path()
    assert list(claims.rows_of_family("phi-?3", path.frame)) == [NAMES[1]]
    path.frame.loc["other/model", "base_model"] = "tiiuae/Falcon3-7B-Base"
    assert list(claims.rows_of_family(claims.FAMILIES["Falcon3-7B"], path.frame)) == ["other/model"]


def test_a_family_is_named_by_the_row_selected_over_the_widest_range():
    path = _path(names=["rys-a", "rys-b", "gpt2", "other"])
    spans = path.path["selected"].value_counts()
    named = claims.family_names(path)
    assert [name for name in named if str(name).startswith("rys")] == [spans[["rys-a", "rys-b"]].idxmax()]
    # In order of the weight, from the best scores to the least CO₂.
    assert list(named)[-1] == "gpt2"


def _ways(models):
    ways = {"COPA (ranks)": "cdf", "none": "none"}
    return {title: models.moo.copa(p="inf", normalize=how).navigate(claims.CO2) for title, how in ways.items()}


def test_the_path_of_the_leaderboard_must_be_even_and_no_model_chosen_often():
    line = np.arange(60.0)
    even = pd.DataFrame({claims.CO2: line**4 + 1, "score": line}).moo.define({claims.CO2: "min", "score": "max"})
    found = claims.choices_are_spread_over_the_path(_ways(even))
    assert found.holds
    assert found.note == ""
    # One model that is among the best in both is chosen at most weights.
    good = pd.DataFrame({claims.CO2: [*line, 5.5], "score": [*line, 56.5]})
    often = claims.choices_are_spread_over_the_path(_ways(good.moo.define({claims.CO2: "min", "score": "max"})))
    assert not often.holds
    assert "60 is selected for 8" in often.found


def test_the_spread_over_seven_objectives_is_that_of_other_code():
    models = datasets.load_open_llm_leaderboard(headings=True)
    names = [claims.CO2, *(name for name in models.moo.description["objectives"] if name != claims.CO2)]
    costs = models[names].to_numpy() * [1, -1, -1, -1, -1, -1, -1]
    below = [(costs <= row).all(axis=1) & (costs < row).any(axis=1) for row in costs]
    front = np.flatnonzero([not dominating.any() for dominating in below])
    places = dict(zip(front, (stats.rankdata(costs[front, 0]) - 0.5) / len(front), strict=True))
    low = costs.min(axis=0)
    ranks = np.column_stack([np.searchsorted(np.sort(column), column) for column in costs.T]) / len(costs)
    scales = {"cdf": ranks, "minmax": (costs - low) / np.ptp(costs, axis=0), "none": costs + np.array([0, *[100] * 6])}
    for how, expected in {"cdf": 0.434, "minmax": 0.414, "none": 0.355}.items():
        visited = []
        for alpha in np.linspace(0, 1, 101):
            weighted = scales[how][front] * [alpha, *[(1 - alpha) / 6] * 6]
            ties = weighted.max(axis=1).round(12), weighted.sum(axis=1), scales[how][front].mean(axis=1)
            visited.append(front[np.lexsort(ties[::-1])[0]])
        found = models.moo.copa(p="inf", normalize=how).navigate(claims.CO2)
        evenness = 1 - stats.kstest([places[row] for row in visited], "uniform").statistic
        assert evenness == pytest.approx(expected, abs=0.0005)
        assert found.evenness == pytest.approx(evenness)
        if how == "cdf":
            most = np.bincount(visited).max() / len(visited)
            assert round(most, 2) == 0.29
            assert found.path["selected"].value_counts(normalize=True).iloc[0] == pytest.approx(most)


def test_missing_families_are_listed():
    found = claims.families_on_the_path(_path())
    assert not found.holds
    assert "Qwen2.5-32B" in found.found
    assert "RYS-XLarge" not in found.found
    assert "Phi-3-mini" in found.note


@pytest.mark.parametrize(("least", "holds"), [(0.03, True), (0.01, False)])
def test_gpt2_emits_least(least, holds):
    found = claims.gpt2_emits_least(_path(co2=(13.0, 0.5, 0.03, least + (least == 0.03))))
    assert found.holds is holds
    assert not claims.gpt2_emits_least(_path(names=list("abcd"))).holds


def test_phi_needs_its_name_its_kilograms_and_the_best_tenth():
    others = np.linspace(1, 2, 40)

    def checked(phi, kilograms, score=0.99):
        names = [phi, *(f"model {i}" for i in range(40))]
        return claims.phi_among_the_best_tenth(_path([kilograms, *(5 * others)], [score, *(others / 3)], names))

    meant = "microsoft/Phi-3.5-mini-instruct"
    assert checked(meant, 0.53).holds
    assert not checked(meant, 0.58).holds
    assert not checked(meant, 0.53, score=0.5).holds
    assert not checked("microsoft/Phi-3-mini-4k-instruct", 0.53).holds
    assert claims.phi_among_the_best_tenth(_path(names=list("abcd"))).ours == "none"


# Tasks on which each framework's place is plain; "slow" fails on one of them.
def _mean_ranks(results=((0.9, 0.8, 0.7), (0.9, 0.8, 0.7), (0.9, -9.0, 0.7))):
    frameworks = ["AutoGluon", "slow", "RandomForest"]
    rows = [
        {"task": f"task {k}", "framework": name, "result": value}
        for k, task in enumerate(results)
        for name, value in zip(frameworks, task, strict=True)
    ]
    mean_ranks = asked.mean_ranks(
        pd.DataFrame(rows).moo(result="max"), system="framework", item="task", baseline="RandomForest"
    )
    return {"all tasks": mean_ranks, "binary": mean_ranks}


def test_scaled_results_are_counted_out_of_view():
    found = claims.scaled_results_count_out_of_range(_mean_ranks(), -0.5)
    assert found.holds
    assert "all tasks 1, binary 1" in found.found
    near = _mean_ranks(results=((0.9, 0.8, 0.7), (0.9, 0.8, 0.7)))
    assert not claims.scaled_results_count_out_of_range(near, -0.5).holds
    answer = claims.automl_answer(_mean_ranks(), -0.5)
    assert answer.headline.startswith("AutoGluon comes first")
    assert "1 results lie below -0.5" in answer.lines[0]


def test_mean_ccdf_of_the_diagrams_follows_from_the_mean_ranks():
    diagrams = claims.AUTOGLUON_2023
    expected = 1 - (diagrams["mean rank"] - 1) / diagrams["frameworks"]
    assert expected.round(3).tolist() == pytest.approx(diagrams["mean CCDF"].tolist(), abs=5e-4)


def test_autogluon_is_judged_by_the_results_of_the_paper():
    checked = claims.autogluon_among_the_best_tenth
    found = checked(_mean_ranks(), claims.AUTOGLUON_2023)
    assert not found.holds
    assert "0.865 (1 h) and 0.829 (4 h)" in found.ours
    assert "multiclass" in found.note
    # First on every task: 2 of 3 frameworks are no better than the best, and so is it.
    assert "in the results of 2021 1.00" in found.found
    assert "median" not in found.note
    table = pd.DataFrame({"mean": [0.83], "median": [0.913]}, index=["AutoGluon"])
    older = {"all tasks": SimpleNamespace(table=table)}
    assert "it is true of the median, not of the mean" in checked(older, claims.AUTOGLUON_2023).note
    assert checked(_mean_ranks(), claims.AUTOGLUON_2023.assign(**{"mean CCDF": 0.9})).holds
    assert not checked(_mean_ranks(), claims.AUTOGLUON_2023.assign(**{"mean CCDF": [0.95, 0.89]})).holds


ALGORITHMS = ["RSC", "SagNet", "Mixup", "ERM"]


def _algorithms(first, second, orders=(1, "inf")):
    table = pd.DataFrame({"PACS": first, "VLCS": second}, index=ALGORITHMS)
    return table.moo(PACS="max", VLCS="max").copa().criteria(["mean", "minmax", *orders])


def test_rsc_and_sagnet_are_followed_from_the_first_order_to_the_last():
    checked = claims.rsc_falls_and_sagnet_rises
    # RSC is third twice, so last by the sum of its ranks and second by the worse of them; SagNet is worst and best.
    found = checked(_algorithms([2, 1, 3, 4], [2, 4, 3, 1]))
    assert found.holds
    assert found.ours == "RSC 2 to 4; SagNet 3 to 2"
    assert not checked(_algorithms([1, 2, 3, 4], [4, 2, 3, 1])).holds


@pytest.mark.parametrize(
    ("ranks", "holds"),
    [
        ([2, 2, 2, 1, 1], True),  # by the average, by min-max, then by COPA with rising p
        ([1, 2, 2, 1, 1], False),
        ([2, 2, 1, 1, 1], False),
        ([2, 2, 2, 1, 2], False),
        ([2, 2, 1, 2, 1], False),
    ],
)
def test_mixup_must_come_first_from_some_order_on(ranks, holds):
    comparison = SimpleNamespace(ranks=pd.DataFrame([ranks], index=["Mixup"], columns=["mean", "minmax", 1, 4, "inf"]))
    found = claims.mixup_comes_first(comparison)
    assert found.holds is holds
    assert f"rank {ranks[0]} by the average" in found.found


@pytest.mark.parametrize(
    ("single_task", "graddrop", "holds"),
    [
        ([1, 3, 5, 4], [3, 1, 2, 3], True),  # by Δ, then by COPA with p = 1, 4 and ∞
        ([2, 3, 5, 4], [3, 1, 2, 3], False),
        ([1, 3, 1, 4], [3, 1, 2, 3], False),
        ([1, 3, 5, 4], [3, 1, 3, 1], False),
    ],
)
def test_single_task_training_and_graddrop_are_followed(single_task, graddrop, holds):
    columns = ["relative", 1, 4, "inf"]
    city = pd.DataFrame([single_task, graddrop], index=["STL", "GRADDROP"], columns=columns)
    tables = {"QM9": city.loc[["STL"]].assign(relative=1), "CityScapes": city}
    found = claims.single_task_and_graddrop_move({name: SimpleNamespace(ranks=table) for name, table in tables.items()})
    assert found.holds is holds
    assert "GRADDROP on QM9" not in found.found


def test_the_average_follows_the_wide_data_set_and_minmax_does_not():
    average, minmax = claims.average_ranks_otherwise, claims.minmax_agrees_better
    # Evenly spaced accuracies have min-max values that are their ranks.
    wide = _algorithms([40.0, 30.0, 20.0, 10.0], [1.1, 1.3, 1.2, 1.4], orders=(1,))
    assert average(wide).holds
    assert minmax(wide).holds
    assert "τ at most" in average(wide).ours
    same = _algorithms([4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 2.0, 1.0], orders=(1,))
    assert not average(same).holds
    assert not minmax(same).holds


def _multi_task(**metrics):
    table = pd.DataFrame(metrics, index=["STL", "x", "y", "z"])
    return table.moo.define(dict.fromkeys(metrics, "min"))


# Relative to STL the first metric grows thirtyfold, the other by less than a third.
DOMINATED = {"wide": [1.0, 10.0, 20.0, 30.0], "narrow": [1.0, 1.3, 1.2, 1.1]}
EVEN = {"first": [1.0, 1.1, 1.2, 1.5], "second": [1.0, 1.6, 1.2, 1.1]}


def test_the_variance_of_delta_is_split_into_metrics():
    behind = claims.metrics_behind_delta({"made": _multi_task(**DOMINATED)}, baseline="STL", orders=[1, "inf"])
    table = behind.loc["made"]
    assert list(table.index) == ["wide", "narrow", "p = 1", "p = ∞"]
    assert table.iloc[:2, 0].sum() == pytest.approx(1.0)
    assert table.loc["wide", "τ with Δ"] == pytest.approx(1.0)
    assert table.loc["narrow", "median relative difference to STL"] == pytest.approx(0.2)


@pytest.mark.parametrize(("metrics", "holds"), [(DOMINATED, True), (EVEN, False)])
def test_delta_is_compared_with_its_largest_part(metrics, holds):
    tables = {"made": _multi_task(**metrics)}
    behind = claims.metrics_behind_delta(tables, baseline="STL", orders=[1, "inf"])
    found = claims.delta_follows_one_metric(behind)
    assert found.holds is holds
    assert ("neither of them closely" in found.note) is not holds
    assert "made" in claims.delta_answer(tables, behind).headline


def _digits(share, four):
    """Two tables of methods, one for each unit of the pixel target: errors in the pixels and in another task."""
    names = dict(zip((1, 4), claims.DIGITS.values(), strict=True))
    tables = {
        names[unit]: pd.DataFrame({"active pixels": pixels, "sum": [1.0, 1.3, 1.2, 1.1]}, index=["Single", *"xyz"])
        for unit, pixels in ((1, share), (4, four))
    }
    tables = {name: table.moo.define({"active pixels": "min", "sum": "min"}) for name, table in tables.items()}
    return claims.metrics_behind_delta(tables, baseline="Single", orders=[1, "inf"])


WIDE, NARROW = [1.0, 10.0, 20.0, 30.0], [1.0, 1.01, 1.02, 1.03]


def test_delta_must_follow_the_pixels_for_one_unit_and_not_for_the_other():
    made = [_digits(share, four) for share in (WIDE, NARROW) for four in (WIDE, NARROW)]
    assert [claims.delta_follows_the_pixels(behind).holds for behind in made] == [True, True, False, False]
    assert [claims.delta_depends_on_the_unit(behind).holds for behind in made] == [False, True, False, False]


@pytest.mark.parametrize(
    ("mgda", "holds"), [([3, 5, 6], True), ([2, 5, 6], False), ([3, 5, 2], False), ([3, 3, 6], False)]
)
def test_mgda_must_be_third_and_then_among_the_last(mgda, holds):
    # Ranks by Δ and by two orders of COPA, of six methods.
    columns = ["active pixels", "relative", 1, np.inf]
    others = [rank for rank in range(1, 7) if rank != mgda[0]]
    ranks = pd.DataFrame([[1, *mgda], *([1, rank, 4, 4] for rank in others)], columns=columns)
    ranks.index = ["MGDA-UB", "Single", "GradDrop", *"abc"]
    found = claims.mgda_falls_by_copa(SimpleNamespace(ranks=ranks))
    assert found.holds is holds
    assert "GradDrop: rank" in found.found
    assert found.note == ""
    ranks.loc["Single", [1, np.inf]] = 1
    assert "does not come out here" in claims.mgda_falls_by_copa(SimpleNamespace(ranks=ranks)).note


def test_what_delta_follows_on_the_bundled_runs_is_the_same_by_other_code():
    signs = {"left": 1, "right": 1, "parity": 1, "sum": -1, "pixels": -1}
    taus = {}
    for unit, runs in datasets.load_multi_digits_runs().query("epochs == 100").groupby("unit"):
        means = runs.groupby("method")[list(signs)].mean()
        delta = sum(sign * (means[task] / means.loc["Single", task] - 1) for task, sign in signs.items())
        pairs = [(a, b) for a in means.index for b in means.index if a < b]
        agree = [np.sign((delta[a] - delta[b]) * (means["pixels"][b] - means["pixels"][a])) for a, b in pairs]
        taus[unit] = float(np.mean(agree))
    assert taus[1] == pytest.approx(0.98, abs=0.005)
    assert taus[4] < 0.8
    digits = {
        name: claims.means_of_digits(datasets.load_multi_digits_runs(), unit, 100)
        for unit, name in claims.DIGITS.items()
    }
    behind = claims.metrics_behind_delta(digits, baseline="Single", orders=[1, "inf"])
    for unit, name in claims.DIGITS.items():
        assert behind.loc[(name, "active pixels"), "τ with Δ"] == pytest.approx(taus[unit])


def test_rows_of_all_comparisons_are_ordered_by_their_swing():
    one = _multi_task(wide=[1.0, 2.0, 3.0, 4.0], narrow=[1.0, 4.0, 2.0, 3.0]).moo.copa().criteria(["wide", "narrow"])
    two = _multi_task(wide=[1.0, 2.0, 4.0, 3.0], narrow=[1.0, 2.0, 3.0, 4.0]).moo.copa().criteria(["wide", "narrow"])
    # x moves by two places, y and z by one in each comparison.
    assert claims.most_moved([one, two], 1) == ["x"]
    assert set(claims.most_moved([one, two], 3)) == {"x", "y", "z"}


def _runs(accuracy, violation):
    runs = pd.DataFrame(
        {"accuracy": accuracy, "violation": violation}, index=[f"run {k}" for k in range(len(accuracy))]
    )
    return runs.moo.define(accuracy="max", violation="min")


# A front on which ranks are even, and plain values are ruled by accuracy, which costs a hundred times the violation.
EVEN_FRONT = _runs(np.linspace(90, 91, 11), np.linspace(0, 0.01, 11) ** 2)
METHODS = {claims.RANKS: "cdf", "not normalized": "none"}


def _coverage(runs, name=claims.ACS):
    paths = {(name, label): runs.moo.copa(normalize=how).navigate("violation") for label, how in METHODS.items()}
    return claims.slider_coverage(paths)


def test_the_coverage_of_a_front_is_measured_along_it():
    table = _coverage(EVEN_FRONT).loc[claims.ACS]
    ranks, plain = table.loc[claims.RANKS], table.loc["not normalized"]
    assert ranks["models on the front"] == plain["models on the front"] == 11
    # Ranks k and 10 - k are as near to each other as they get in the middle.
    assert ranks["model at α = 1/2"] == "run 5"
    assert ranks["place at α = 1/2"] == 0.5
    # Without normalization an accuracy is worth more than any violation, unless it has no weight at all.
    assert plain["model at α = 1/2"] == "run 10"
    assert plain["share of α at the most accurate model"] == pytest.approx(100 / 101)


def test_a_slider_that_plain_values_spread_as_well_does_not_hold():
    holding, failing = _coverage(EVEN_FRONT), _coverage(_runs(np.linspace(0, 1, 11), np.linspace(0, 1, 11)))
    assert claims.slider_is_spread_on_acs_income(holding).holds
    assert not claims.slider_is_spread_on_acs_income(failing).holds
    fairgrad = claims.slider_is_spread_on_adult
    assert fairgrad(_coverage(EVEN_FRONT, claims.ADULT)).holds
    assert not fairgrad(_coverage(_runs(np.linspace(0, 1, 11), np.linspace(0, 1, 11)), claims.ADULT)).holds


def test_below_a_cap_the_choice_moves_on_every_table():
    checked = claims.slider_moves_below_the_cap
    cap = 5e-5
    capped = {"made": EVEN_FRONT.moo.copa(where=EVEN_FRONT["violation"] <= cap).navigate("violation")}
    assert checked(capped, cap, 1).holds
    assert not checked(capped, cap / 2, 1).holds
    assert "not every selected model is valid" in checked(capped, cap / 2, 1).found
    assert checked(capped, cap, 2).note == "In one of the tables, no model is below the cap."
    # Ranks among the allowed runs only are not those of the whole table.
    alone = EVEN_FRONT[EVEN_FRONT["violation"] <= cap].moo.copa().navigate("violation")
    widened = {"made": dataclasses.replace(alone, frame=EVEN_FRONT)}
    assert not checked(widened, cap, 1).holds
    only = {"made": EVEN_FRONT.moo.copa(where=EVEN_FRONT["violation"] <= 0).navigate("violation")}
    assert not checked(only, cap, 1).holds


@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RunsWarning")
def test_a_lucky_run_may_belong_to_a_setting_that_is_not():
    runs = _runs([0.9, 0.5, 0.8, 0.8], [0.0, 0.5, 0.1, 0.1])
    runs["family"], runs["method"], runs["strength"] = ["lucky", "lucky", "steady", "steady"], "plain", 0.0
    runs["seed"] = [0, 1, 0, 1]
    stability = runs.moo.copa().stability(
        system=["family", "method", "strength"], repeat="seed", paired=True, n_resamples=20, rng=0
    )
    words = claims.setting_in_words(runs, stability, p="inf")
    assert "run 0, belongs to a setting that ranks 2 of 2" in words
    assert words.endswith("The best setting is steady, plain, 0.0.")


def test_first_places_come_with_the_shares_of_better_models():
    models = pd.DataFrame({claims.CO2: [3.0, 2.0, 1.0], "score": [0.9, 0.85, 0.1]}, index=["large", "middle", "small"])
    comparison = models.moo({claims.CO2: "min", "score": "max"}).copa().criteria(["minmax", "inf"])
    table = claims.first_places({"made": comparison})
    assert list(table.loc["made", "first"]) == ["middle", "middle"]
    assert table["share better in its worst objective"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert table[claims.CO2].tolist() == [2.0, 2.0]


def test_the_answer_on_reliance_counts_methods_and_models():
    models = pd.DataFrame({claims.CO2: [3.0, 2.0, 1.0], "score": [0.9, 0.85, 0.1]}, index=["large", "middle", "small"])
    view = models.moo({claims.CO2: "min", "score": "max"})
    choice = view.copa()
    answer = claims.reliance_answer(
        choice.stability(n_resamples=50),
        {"two": choice.sensitivity()},
        view.copa().criteria(["score", claims.CO2, "inf"]),
    )
    assert answer.lines[0] == "3 methods rank 3 different models first."
    assert "middle" in answer.question


def test_the_answer_on_fairness_survives_a_cap_that_nothing_meets():
    coverage = pd.concat([_coverage(EVEN_FRONT, name) for name in (claims.ADULT, claims.ACS, claims.GERMAN)])
    stability = EVEN_FRONT.moo.copa().stability(n_resamples=20)
    answer = claims.fairness_answer(coverage, {}, stability, 0.02)
    assert "50" in answer.headline
    assert "nothing to choose from" in " ".join(answer.lines)
    assert claims.slider_moves_below_the_cap({}, 0.02, 2).holds is False
