"""The stored table of error rates, the generators behind it, and the same simulations in small."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import copa_nb
from tests.benchmarks.error_rates import TOLERANCE, Rate, confidence, generators, settings, table, verdicts

MEAN_RANKS = settings.MEAN_RANKS | settings.MEAN_RANKS_WITH_GAPS
BENCHMARKS = (
    confidence.RANKED | settings.FRONTS_WITH_GAPS | MEAN_RANKS
    | {name: asked for name, (_, asked) in confidence.ASKED.items()}
)  # fmt: skip
# Twenty tables a setting; where more than a tenth of the answers is wrong, sixty decide.
FEW, MANY = 20, 60


def too_often(rates_of):
    """Rates more frequent than .05 plus the tolerance explains in all but one of 1000 cases, and without a label."""
    if all(rate.hits <= rate.n / 10 or _is_labeled(rate) for rate in rates_of(FEW)):
        return []
    return [
        rate
        for rate in rates_of(MANY)
        if rate.n > 0
        and stats.binom.sf(rate.hits - 1, rate.n, rate.nominal + TOLERANCE) < 1e-3
        and not _is_labeled(rate)
    ]


def _is_labeled(rate):
    return rate.note.startswith("labeled")


def test_what_exceeds_its_level_says_so_in_the_table():
    rows = [row for row in table.read(table.TABLE) if row["nominal"] and row["actual"]]
    assert len(rows) > 200
    silent = [
        (row["what"], row["setting"], row["actual"])
        for row in rows
        if table.excess_of(row) > TOLERANCE
        and (row["note"] in ("", "conservative") or row["note"].startswith("refused"))
    ]
    assert not silent


def test_the_page_shows_the_worst_setting_of_each_verb():
    rows = table.read(table.TABLE)
    worst = table.read(table.WORST)
    assert worst == table.worst(rows)
    verbs = {row["what"] for row in rows if row["nominal"] and row["actual"]}
    assert {row["what"] for row in worst} == verbs
    for row in worst:
        others = [
            table.excess_of(other)
            for other in rows
            if other["what"] == row["what"] and other["nominal"] and other["actual"]
        ]
        assert table.excess_of(row) == max(others)


def test_every_verb_with_confidence_is_in_the_table():
    settings_of = {what: set() for what in (confidence.FRONT, confidence.TIERS, confidence.MEAN_RANKS)}
    for row in table.read(table.TABLE):
        if row["what"] in settings_of and row["kind"] == "size":
            settings_of[row["what"]].add(row["setting"])
    assert settings_of[confidence.FRONT] == set(confidence.MEASURED | settings.FRONTS_WITH_GAPS)
    assert settings_of[confidence.TIERS] == set(confidence.RANKED)
    assert settings_of[confidence.MEAN_RANKS] == set(MEAN_RANKS)


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if settings.LACKING_FAILURES not in name])
def test_means_of_large_tables_are_the_true_ones(name):
    """Within four standard errors of 60 tables; what is equal in truth has equal means after rounding too."""
    benchmark = BENCHMARKS[name]
    rng = np.random.default_rng(0)
    names = list(benchmark.objectives)
    means = np.stack([benchmark.table(rng).groupby("system")[names].mean().to_numpy() for _ in range(60)])
    differences = means - means[:, :1] - (benchmark.truth - benchmark.truth.iloc[0]).to_numpy()
    error = differences.std(axis=0, ddof=1) / np.sqrt(60)
    if "rare failures" in name or "skewed" in name or "log-normal" in name:
        error = 2 * error + 0.5  # few large values: the standard error is too small itself
    assert (np.abs(differences.mean(axis=0)) <= 4.5 * error + 1e-6).all()


def test_every_other_system_lacks_what_it_does_worst():
    benchmark = settings.WITH_SELECTIVE_GAPS[
        "6 systems, 100 items, right or wrong at .7, 25% of the values missing where every other system fails"
    ]
    groups = benchmark.table(np.random.default_rng(0)).groupby("system")["accuracy"]
    assert groups.size()[[1, 3, 5]].tolist() == [75] * 3
    assert groups.mean()[[1, 3, 5]].min() > groups.mean()[[0, 2, 4]].max()


def test_unequal_runs_and_seeds_have_the_shape_they_name():
    runs = settings.ON_RUNS["2, 3 and 20 runs, equal spreads"].table(np.random.default_rng(0))
    assert runs.groupby("system").size().tolist() == [2, 3, 20, 2, 3, 20]
    crossed = settings.ON_SEEDS["seeds that all questions share, 100 questions and 3 seeds"]
    frame = crossed.table(np.random.default_rng(0))
    assert frame.groupby("system").size().tolist() == [300] * 6
    of_seeds = frame.groupby(["system", "repeat"])["error"].mean()
    assert of_seeds.groupby("system").std().mean() > 3 / np.sqrt(100)


def test_wrong_verdicts_are_recognized():
    benchmark = generators.on_items(
        error=generators.constant([1.0, 2.0, 3.0]), cost=generators.constant([2.0, 1.0, 4.0])
    )
    assert verdicts.truly_dominated(benchmark).tolist() == [False, False, True]
    tied = generators.on_items(error=generators.constant([1.0, 1.0, 3.0]))
    ranks = verdicts.true_ranks(tied)
    assert ranks.loc[[0, 1, 2]].to_numpy().tolist() == [[1, 2], [1, 2], [3, 3]]
    answer = pd.DataFrame({"low": [1, 2, 3], "high": [1, 2, 3]})
    assert verdicts.ranks_missed(answer, ranks)
    assert not verdicts.ranks_missed(answer.assign(low=[1, 1, 3], high=[2, 2, 3]), ranks)


def test_refusals_are_no_errors_and_no_answers():
    def refuses(benchmark, frame, rng):
        raise ValueError("too few runs to state a level")

    benchmark = settings.ON_RUNS["normal, 5 runs"]
    rate = verdicts.rate_of_wrong_answers("verb", "setting", benchmark, refuses, 7, np.random.default_rng(0))
    assert (rate.hits, rate.n, rate.refused) == (0, 0, 7)
    assert table.row_of(rate)["refused"] == "1.00"
    assert table.row_of(rate)["actual"] == ""
    assert rate.note.endswith("too few runs to state a level")


def test_levels_and_labels():
    assert not Rate("a", "b", "size", 0.05, 90, 1000).keeps_level
    assert Rate("a", "b", "size", 0.05, 60, 1000).keeps_level
    assert not Rate("a", "b", "coverage", 0.95, 900, 1000).keeps_level
    assert Rate("a", "b", "coverage", 0.95, 990, 1000).label == "conservative"


def test_normal_benchmarks_are_answered():
    """What is refused everywhere would keep any level."""
    for name in ("normal, 20 items", "right or wrong at .5, 30 items"):
        benchmark = settings.ON_ITEMS[name]
        for wrong in (verdicts.wrong_front, verdicts.wrong_tiers):
            rate = verdicts.rate_of_wrong_answers("", name, benchmark, wrong, 10, np.random.default_rng(0))
            assert rate.refused == 0, rate.note


def test_verbs_find_what_differs():
    powers = {(rate.what, rate.setting.split(":")[0]): rate.actual for rate in confidence.powers(20)}
    assert powers[confidence.FRONT, "6 systems along a front, half a deviation apart, 200 items"] > 0.8
    assert powers[confidence.FRONT, "6 systems half a deviation apart, 200 items"] > 0.9
    assert powers[confidence.TIERS, "6 systems half a deviation apart, 200 items"] > 0.8
    assert powers[confidence.EQUIVALENT, "normal, as good, margin of one deviation, 10 items"] > 0.4
    assert powers[confidence.EQUIVALENT, "normal, as good, margin of one deviation, 100 items"] > 0.95


def test_wrong_answers_in_large_numbers_are_seen():
    def rates_of(share, note=""):
        return lambda n: [Rate("verb", "setting", "size", 0.05, round(share * n), n, note=note)]

    assert not too_often(rates_of(0.05))
    assert not too_often(rates_of(0.15))
    assert too_often(rates_of(0.2))
    assert not too_often(rates_of(0.2, "labeled 0.8"))


@pytest.mark.slow
@pytest.mark.parametrize("setting", confidence.RANKED)
def test_tiers_are_wrong_as_rarely_as_stated(setting):
    assert not too_often(lambda n: confidence.tier_rates(n, {setting: confidence.RANKED[setting]}))


@pytest.mark.slow
@pytest.mark.parametrize("setting", confidence.MEASURED | settings.FRONTS_WITH_GAPS)
def test_fronts_are_wrong_as_rarely_as_stated(setting):
    benchmarks = {setting: (confidence.MEASURED | settings.FRONTS_WITH_GAPS)[setting]}
    assert not too_often(lambda n: confidence.front_rates(n, benchmarks))


@pytest.mark.slow
@pytest.mark.parametrize("setting", MEAN_RANKS)
def test_places_over_tasks_are_wrong_as_rarely_as_stated(setting):
    assert not too_often(lambda n: confidence.standing_rates(n, {setting: MEAN_RANKS[setting]}))


@pytest.mark.slow
@pytest.mark.parametrize("setting", confidence.ASKED)
def test_cheaper_equivalents_are_wrong_as_rarely_as_stated(setting):
    assert not too_often(lambda n: confidence.equivalent_rates(n, {setting: confidence.ASKED[setting]}))


def test_the_cheapest_of_many_is_asked_for_as_users_do():
    margin, benchmark = settings.MANY_CANDIDATES["best of 5 candidates at the margin, normal, 30 items"]
    frame = benchmark.table(np.random.default_rng(0))
    found = verdicts.WrongEquivalent(margin).ask(benchmark, frame)
    assert found.than == 5
    assert isinstance(found, copa_nb.CheaperEquivalents)
    assert found.table.index.tolist() == [0, 1, 2, 3, 4]
