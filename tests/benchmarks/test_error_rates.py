"""The stored table of error rates, the generators behind it, and the same simulations in small."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import copa_nb
from benchmarks.error_rates import (
    NO_LEVEL,
    SILENT_TOLERANCE,
    TOLERANCE,
    Answers,
    Rate,
    confidence,
    generators,
    settings,
    table,
    verdicts,
)
from copa_nb.results.guarantee import CAVEATS
from tests.each import hold_for_each

MEAN_RANKS = settings.MEAN_RANKS | settings.MEAN_RANKS_WITH_GAPS
BENCHMARKS = (
    confidence.RANKED | settings.FRONTS_WITH_GAPS | MEAN_RANKS
    | {name: asked for name, (_, asked) in confidence.ASKED.items()}
)  # fmt: skip
# Twenty tables a setting; where more than a tenth of the answers is wrong, sixty decide.
FEW, MANY = 20, 60


# One item in 100 fails: a share of .99**100 of tables of 100 items shows no failure, and is one of steady costs.
UNSEEN = 0.99**100


def too_often(rates_of):
    """Rates of wrong answers without a caveat, above .05 plus the tolerance in all but one of 1000 cases by chance.

    Where failures are rare, above the share of tables that show none: no table can call for what it does not show.
    """
    if all(not rate.n or rate.silent <= 0.1 for rate in rates_of(FEW)):
        return []
    return [
        rate
        for rate in rates_of(MANY)
        if rate.n
        and stats.binom.sf(round(rate.silent * rate.n) - 1, rate.n, allowed(rate)) < 1e-3
    ]  # fmt: skip


def allowed(rate):
    return UNSEEN if settings.RARE_FAILURES in rate.setting else rate.nominal + TOLERANCE


@pytest.fixture(scope="module")
def rows():
    return table.read(table.TABLE)


def levels_of(rows):
    return [row for row in rows if table.has_level(row) and not row["comparator"]]


def exceeds(row):
    """Whether wrong answers without a caveat exceed the level by more than .03, and than chance explains.

    Chance explains three Monte Carlo standard errors of a rate of the level plus .03, at as many answers.
    """
    allowed = table.alpha_of(row) + SILENT_TOLERANCE
    n_answers = round(float(row["simulations"]) * (1 - float(row["refused"] or 0)))
    error = np.sqrt(allowed * (1 - allowed) / n_answers)
    return table.silent(row) > allowed + 3 * error


def test_no_rate_exceeds_its_level_by_more_than_three_hundredths_without_a_caveat(rows):
    assert len(levels_of(rows)) > 1000
    assert not [
        (row["what"], row["setting"], row["actual"], row["label"])
        for row in levels_of(rows)
        if exceeds(row) and settings.RARE_FAILURES not in row["setting"]
    ]


def test_failures_are_silent_only_where_none_was_seen(rows):
    """No test of a mean is valid without a limit. Verbs are silent where no failure was seen, the gate never is."""
    failing = [row for row in levels_of(rows) if settings.RARE_FAILURES in row["setting"]]
    assert len(failing) >= 4
    assert all(table.silent(row) < UNSEEN + 3 * np.sqrt(UNSEEN / float(row["simulations"])) for row in failing)
    of_the_gate = [row for row in failing if row["what"].startswith("check()") and "t-test" not in row["what"]]
    assert of_the_gate
    assert not any(exceeds(row) for row in of_the_gate)


def test_a_silent_excess_is_seen():
    row = table.row_of(Rate("verb", "setting", "size", 0.05, 60, 400))
    assert exceeds(row)
    assert not exceeds({**row, "labeled if wrong": "1.000"})
    assert exceeds({**row, "kind": "coverage", "nominal": "0.95", "actual": "0.850"})
    assert not exceeds(table.row_of(Rate("verb", "setting", "size", 0.05, 6, 40)))


def test_labels_are_names_of_caveats(rows):
    found = {name for row in rows for name in table.labels(row)}
    assert len(found) >= 5
    assert found <= {*CAVEATS, NO_LEVEL}


def test_labels_say_which_caveats_stand_beside_wrong_answers():
    answers = Answers()
    for names in ({"skewed"}, {"skewed", "few_units"}, set(), {"skewed"}):
        answers.add(True, names)
    answers.add(False, {"few_units"})
    answers.add(False, set())
    row = table.row_of(answers.rate("verb", "setting"))
    assert row["label"] == "skewed (75%), few_units (25%)"
    assert (row["labeled if wrong"], row["labeled if right"]) == ("0.750", "0.500")
    assert table.labels(row) == ["skewed", "few_units"]
    assert table.silent(row) == pytest.approx(4 / 6 / 4, abs=1e-3)
    assert table.says(row) == f"skewed: {CAVEATS['skewed']}"


def test_the_page_begins_with_what_is_silent_most_and_says_what_is_printed(rows):
    worst = table.read(table.WORST)
    assert worst == table.worst(rows)
    assert {row["what"] for row in worst} == {row["what"] for row in rows if table.has_level(row)}
    assert all(row["says"] for row in worst)
    assert table.silent_excess(worst[0]) == max(map(table.silent_excess, levels_of(rows)))
    for row in worst:
        alike = [table.excess_of(other) for other in rows if other["what"] == row["what"] and table.has_level(other)]
        shown = [table.excess_of(other) for other in worst if other["what"] == row["what"]]
        assert max(shown) == max(alike) or max(alike) <= TOLERANCE


def test_every_verb_with_confidence_is_in_the_table(rows):
    settings_of = {what: set() for what in (confidence.FRONT, confidence.TIERS, confidence.MEAN_RANKS)}
    for row in rows:
        if row["what"] in settings_of and row["kind"] == "size":
            settings_of[row["what"]].add(row["setting"])
    assert settings_of[confidence.FRONT] == set(confidence.MEASURED | settings.FRONTS_WITH_GAPS)
    assert settings_of[confidence.TIERS] == set(confidence.RANKED)
    assert settings_of[confidence.MEAN_RANKS] == set(MEAN_RANKS)


@pytest.mark.slow
def test_means_of_large_tables_are_the_true_ones():
    hold_for_each([name for name in BENCHMARKS if settings.LACKING_FAILURES not in name], _has_the_true_means)


def _has_the_true_means(name):
    """Within a few standard errors of 20 tables; what is equal in truth has equal means after rounding too."""
    benchmark = BENCHMARKS[name]
    rng = np.random.default_rng(0)
    names = list(benchmark.objectives)
    means = np.stack([benchmark.table(rng).groupby("system")[names].mean().to_numpy() for _ in range(20)])
    differences = means - means[:, :1] - (benchmark.truth - benchmark.truth.iloc[0]).to_numpy()
    error = differences.std(axis=0, ddof=1) / np.sqrt(20)
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


def test_normal_benchmarks_are_answered():
    """What is refused everywhere would keep any level."""
    for name in ("normal, 20 items", "right or wrong at .5, 30 items"):
        benchmark = settings.ON_ITEMS[name]
        for wrong in (verdicts.wrong_front, verdicts.wrong_tiers):
            rate = verdicts.rate_of_wrong_answers("", name, benchmark, wrong, 10, np.random.default_rng(0))
            assert rate.refused == 0, rate.note


@pytest.mark.slow
def test_verbs_find_what_differs():
    powers = {(rate.what, rate.setting.split(":")[0]): rate.actual for rate in confidence.powers(5)}
    assert powers[confidence.FRONT, "6 systems along a front, half a deviation apart, 200 items"] > 0.8
    assert powers[confidence.FRONT, "6 systems half a deviation apart, 200 items"] > 0.9
    assert powers[confidence.TIERS, "6 systems half a deviation apart, 200 items"] > 0.8
    assert powers[confidence.EQUIVALENT, "normal, as good, margin of one deviation, 10 items"] > 0.4
    assert powers[confidence.EQUIVALENT, "normal, as good, margin of one deviation, 100 items"] > 0.95


def test_wrong_answers_in_large_numbers_are_seen():
    def rates_of(share, caveats=frozenset()):
        def rates(n):
            answers = Answers()
            for number in range(n):
                answers.add(number < round(share * n), caveats)
            return [answers.rate("verb", "setting")]

        return rates

    assert not too_often(rates_of(0.05))
    assert not too_often(rates_of(0.15))
    assert too_often(rates_of(0.2))
    assert not too_often(rates_of(0.2, {"skewed"}))


# The stored table tells most; every fifth setting of each verb is simulated again in small.
SIMULATED_AGAIN = [
    pytest.param(rates, {name: of[name]}, id=f"{rates.__name__}: {name}")
    for rates, of in (
        (confidence.tier_rates, confidence.RANKED),
        (confidence.front_rates, confidence.MEASURED | settings.FRONTS_WITH_GAPS),
        (confidence.standing_rates, MEAN_RANKS),
        (confidence.equivalent_rates, confidence.ASKED),
    )
    for name in [*of][::5]
]


@pytest.mark.slow
@pytest.mark.parametrize(("rates", "setting"), SIMULATED_AGAIN)
def test_answers_are_wrong_as_rarely_as_stated(rates, setting):
    assert not too_often(lambda n: rates(n, setting))


def test_the_cheapest_of_many_is_asked_for_as_users_do():
    margin, benchmark = settings.MANY_CANDIDATES["best of 5 candidates at the margin, normal, 30 items"]
    frame = benchmark.table(np.random.default_rng(0))
    found = verdicts.WrongEquivalent(margin).ask(benchmark, frame)
    assert found.than == 5
    assert isinstance(found, copa_nb.results.Cheaper)
    assert found.table.index.tolist() == [0, 1, 2, 3, 4]
