"""Significance of Pareto improvements (boyi): checks of its claims, and the answers of its reports."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.claims.findings import Finding, claim
from copa_nb.claims.ledger import PAPER_IN_ERROR
from copa_nb.comparisons.confident_front import ConfidentFront
from copa_nb.results.answer import Answer
from copa_nb.significance.audit import Audit
from copa_nb.significance.hv_test import hv_test
from copa_nb.significance.result import HypervolumeTest
from copa_nb.significance.runs_needed import RunsNeeded
from copa_nb.significance.simulation import Power, wilson_interval
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.text import listing, number, percent

# Audits by batch of agents and names of the objectives.
Audits = Mapping[tuple[str, str], Audit]
FRONT, SINGLE_RUNS = "fronts", "single runs"
COMPARED = {FRONT: "power", SINGLE_RUNS: "power_runs"}
# One-sided standard errors of a level of one in a thousand.
_ERRORS_AT_ONE_IN_1000 = 3.1


# Section 3.2: the statistic and its p-value.


def printed_hypervolume_2d(points: np.ndarray, reference: Sequence[float]) -> float:
    """Compute what the paper's listing does: one slab per point within the reference point, dominated or not.

    Examples
    --------
    >>> printed_hypervolume_2d(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]]), (4, 4))
    7.5
    """
    total, height = 0.0, reference[1]
    for x, y in sorted(map(tuple, points)):
        if x < reference[0] and y < reference[1]:
            total += (reference[0] - x) * (height - y)
            height = y
    return float(total)


def counted_area(points: np.ndarray, reference: Sequence[float], *, step: float = 0.5) -> float:
    """Count the cells of a fine grid that some point dominates: slow, but simple.

    Examples
    --------
    >>> counted_area(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]]), (4, 4))
    9.5
    """
    x, y = (np.arange(0, end, step) for end in reference)
    covered = [(x[:, None] >= first) & (y[None, :] >= second) for first, second in points]
    return float(np.any(covered, axis=0).sum() * step**2)


def compare_with_listing(n_simulations: int, n_runs: int, rng: np.random.Generator) -> pd.DataFrame:
    """Test simulated pairs of systems exactly, with the hypervolume and with the printed listing.

    Parameters
    ----------
    n_simulations : int
        Pairs of systems.
    n_runs : int
        Runs of each system.
    rng : Generator
        Source of the runs: normal noise, and a gain of 0.8 standard deviations in each objective.

    Returns
    -------
    DataFrame
        One row per pair: ``difference``, ``printed difference``, ``p`` and ``printed p``.
    """
    splits = [np.isin(np.arange(2 * n_runs), chosen) for chosen in itertools.combinations(range(2 * n_runs), n_runs)]
    rows = []
    for _ in range(n_simulations):
        points = rng.normal(1.0, 0.1, (2 * n_runs, 2))
        points[:n_runs] -= 0.08
        corner = points.max(axis=0) + 0.1
        test = _tested(points, corner, len(splits))
        printed = {split.tobytes(): printed_hypervolume_2d(points[split], corner) for split in splits}
        differences = np.array([printed[split.tobytes()] - printed[(~split).tobytes()] for split in splits])
        extreme = np.abs(differences) >= abs(differences[0]) - 1e-12
        rows.append((test.statistic, differences[0], test.pvalue, np.mean(extreme)))
    return pd.DataFrame(rows, columns=["difference", "printed difference", "p", "printed p"])


def _tested(points: np.ndarray, corner: np.ndarray, n_splits: int) -> HypervolumeTest:
    frame = pd.DataFrame(points, columns=["first", "second"]).assign(system=np.repeat(["new", "old"], len(points) // 2))
    return hv_test(
        DescribedFrame.of(frame, {"first": "min", "second": "min"}, system="system"),
        new="new",
        baseline="old",
        reference=dict(zip(("first", "second"), corner.tolist(), strict=True)),
        n_resamples=n_splits,
    )


def counted_pvalues(test: HypervolumeTest) -> pd.Series:
    """Compute p of a test with random permutations in three ways: by the verb, by the paper's formula, by tails."""
    null, observed = test.null_distribution, test.statistic
    tails = [(1 + int(beyond.sum())) / (len(null) + 1) for beyond in (null >= observed, null <= observed)]
    return pd.Series(
        {
            "hv_test": test.pvalue,
            "(1 + count) / (B + 1) by hand": (1 + _count_extreme(test)) / (len(null) + 1),
            "twice the smaller tail (scipy's two-sided)": min(1.0, 2 * min(tails)),
        },
        name="p",
    ).rename_axis("computed by")


def _count_extreme(test: HypervolumeTest) -> int:
    return int((np.abs(test.null_distribution) >= abs(test.statistic)).sum())


def _changed_and_off(compared: pd.DataFrame, alpha: float) -> tuple[pd.Series, np.ndarray]:
    """Which decisions the listing changes, and in which comparisons its statistic is wrong."""
    changed = (compared["p"] <= alpha) != (compared["printed p"] <= alpha)
    return changed, ~np.isclose(compared["difference"], compared["printed difference"])


def definition_answer(values: pd.Series, compared: pd.DataFrame, *, n_runs: int, alpha: float) -> Answer:
    """What the printed function computes, and how often that changes a decision."""
    changed, off = _changed_and_off(compared, alpha)
    low, high = wilson_interval(int(changed.sum()), len(compared))
    return Answer(
        f"The printed function gives {values['printed listing']:g} for an area of {values['counted cells']:g}",
        [
            f"It changes the decision in {percent(changed.mean())} of simulated comparisons. A dominated point "
            "contributes a negative slab. The function is correct if dominated points are removed first, which the "
            "listing does not do.",
            "The runs of a system nearly always include dominated points: the statistic is wrong in "
            f"{'all' if off.all() else f'{off.sum()} of'} {len(compared)} comparisons.",
        ],
        question="Does the printed function compute the hypervolume, and does it matter for the test?",
        certainty="The area is counted cell by cell. The share of changed decisions lies between "
        f"{percent(low)} and {percent(high)} (95% interval) for this simulation: {n_runs} runs of each system, normal "
        "noise, a gain of 0.8 standard deviations in each objective.",
    )


@claim("hv-listing")
def printed_listing_is_right(values: pd.Series, compared: pd.DataFrame, *, alpha: float) -> Finding:
    """Whether the printed function gives the area that points dominate."""
    printed, area = values["printed listing"], values["counted cells"]
    changed, off = _changed_and_off(compared, alpha)
    return Finding(
        found=f"{printed:g} instead of {area:g} on three points of which one is dominated; on simulated runs the "
        f"statistic is wrong in {percent(off.mean())} of the comparisons and the decision in {percent(changed.mean())}",
        ours=f"{printed:g} for an area of {area:g}",
        holds=bool(np.isclose(printed, area, rtol=1e-12, atol=0)),
        reason=PAPER_IN_ERROR,
        note="Dominated points contribute negative slabs. The function is correct if they are removed first.",
    )


@claim("hv-pvalue")
def pvalue_follows_the_formula(test: HypervolumeTest) -> Finding:
    """Whether p is (1 + count) / (B + 1) to 12 digits."""
    count, drawn = _count_extreme(test), len(test.null_distribution)
    by_hand = (1 + count) / (drawn + 1)
    return Finding(
        found=f"B = {drawn:,}: {count:,} permutations at least as extreme, (1 + {count:,}) / {drawn + 1:,} = "
        f"{by_hand:.6f}; hv_test gives {test.pvalue:.6f}",
        ours=f"{test.pvalue:.4f}",
        holds=bool(np.isclose(test.pvalue, by_hand, rtol=1e-12, atol=0)),
    )


# Section 4: coding agents.


def count_claims(audits: Audits) -> pd.DataFrame:
    """Count the claims of each audit: by the package's criterion, and by the paper's, from unadjusted p of fronts."""
    counted = pd.concat(
        {key: audit.by_domain.loc[["all"]] for key, audit in audits.items()}, names=["batch", "objectives", "domain"]
    ).droplevel("domain")
    alike = fronts_alike(audits).groupby(["batch", "objectives"]).size()
    counted["tested"] = counted["claims"] - counted["untestable"]
    counted["fronts_alike"] = alike.reindex(counted.index, fill_value=0)
    columns = ["claims", "untestable", "tested", "significant", "not_distinguishable", "fronts_alike"]
    return counted[columns].astype(int)


def fronts_alike(audits: Audits) -> pd.DataFrame:
    """Return the claims with enough runs whose fronts do not differ, by unadjusted p as in the paper."""
    table = _claims_of(audits)
    return table[_enough_runs(audits, table) & (table["pvalue"] > _alpha(audits))]


def undecided_claims(audits: Audits) -> pd.DataFrame:
    """Return the claims that are not significant, the one with the largest adjusted p first."""
    columns = ["new", "baseline", "relative", "pvalue", "effect", "runs_pvalue", "holm"]
    table = pd.concat(
        {key: audit.not_distinguishable for key, audit in audits.items()}, names=["batch", "objectives", "claim"]
    )
    return table[columns].droplevel("claim").sort_values("holm", ascending=False, kind="stable")


def _claims_of(audits: Audits) -> pd.DataFrame:
    return pd.concat({key: audit.table for key, audit in audits.items()}, names=["batch", "objectives", "claim"])


def _enough_runs(audits: Audits, table: pd.DataFrame) -> pd.Series:
    return table["smallest_pvalue"] <= _alpha(audits)


def _alpha(audits: Mapping[Any, Audit]) -> float:
    return next(iter(audits.values())).options.alpha


def compare_permutations(
    runs: Mapping[str, pd.DataFrame],
    objectives: Mapping[str, str],
    *,
    log: Sequence[str] = (),
    drawn: int = 5000,
    rng: int = 0,
    **options: Any,
) -> pd.DataFrame:
    """Test two agents against two others, with all permutations and with random ones.

    Parameters
    ----------
    runs : mapping of batch to DataFrame
        Runs of agents; of each batch up to three pairs of agents with five runs each are compared.
    objectives : mapping of column to {"max", "min"}
        Directions.
    log : list of str
        Objectives on a logarithmic scale.
    drawn : int
        Random permutations.
    rng : int
        Their seed.
    **options
        Of ``df.moo.hv_test()``.

    Returns
    -------
    DataFrame
        One row per comparison: both p-values, their difference, and what the Monte Carlo error allows.
    """
    rows = []
    for batch, new, baseline in _pairs_of_agents(runs):
        table = DescribedFrame.of(runs[batch], objectives, system="system", repeat="run", log=list(log) or None)
        exact = hv_test(table, new, baseline, n_resamples=200_000, **options).pvalue
        random = hv_test(table, new, baseline, n_resamples=drawn, rng=rng, **options).pvalue
        rows.append(
            {
                "batch": batch,
                "new": " and ".join(new),
                "baseline": " and ".join(baseline),
                "exact p": exact,
                f"p from {drawn:,}": random,
                "difference": random - exact,
                "allowed": 3.3 * np.sqrt(exact * (1 - exact) / drawn) + 1 / (drawn + 1),
            }
        )
    return pd.DataFrame(rows).set_index("batch")


def _pairs_of_agents(runs: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, list[str], list[str]]]:
    for batch, table in runs.items():
        counts = table["system"].value_counts()
        names = sorted(counts.index[counts == 5])
        for start in range(0, min(len(names) - 3, 9), 3):
            yield batch, names[start : start + 2], names[start + 2 : start + 4]


def agents_answer(audits: Audits) -> Answer:
    """How many claims about coding agents are significant."""
    total, alpha = count_claims(audits).sum(), _alpha(audits)
    smallest = min(float(audit.table["smallest_pvalue"].min()) for audit in audits.values())
    pairs = max(audit.n_comparisons for audit in audits.values())
    return Answer(
        f"{total['significant']} of {total['tested']} claims about coding agents are significant",
        [
            f"A claim is significant if single runs differ and p is below α = {alpha:g} after Holm's "
            f"adjustment for all pairs of agents in the batch. {total['untestable']} other claims have too few runs to "
            "be tested.",
            f"With five runs per agent, the p-value of a permutation test is at least {number(smallest, 2)}. Holm's "
            f"adjustment for up to {pairs} pairs of a batch requires as little as {number(alpha / pairs, 2)}, which no "
            "permutation test can reach. Therefore the adjusted p-values are those of t-tests of single runs.",
            "Counted as in the paper, by the p-value of the fronts and without adjustment, "
            f"{total['fronts_alike']} of the {total['tested']} claims are not significant.",
        ],
        question="Are the reported improvements between coding agents larger than the noise between runs?",
        certainty="p is exact if all permutations are enumerated. The claims were suggested by the same runs, so "
        "p-values are adjusted for all pairs of agents. This report covers coding agents only: the data of the paper's "
        "other benchmarks are not available.",
    )


@claim("hv-audit")
def share_of_failing_claims(audits: Audits) -> Finding:
    """Count the failing claims as the paper does; its own list of claims is not available."""
    counts = count_claims(audits)
    total = counts.sum()
    return Finding(
        found="not significant: "
        + "; ".join(
            f"batch {batch}, {objectives}: {row['fronts_alike']} of {row['tested']}"
            + (f" (and {row['untestable']} with too few runs to be tested)" if row["untestable"] else "")
            for (batch, objectives), row in zip(counts.index.tolist(), counts.to_dict("records"), strict=True)
        ),
        ours=f"{total['fronts_alike']} of {total['tested']}, coding agents only",
        holds=None,
        note="The paper's list of claims and the data of its other two benchmarks are not available: only coding "
        "agents can be tested. Here every ordered pair of agents whose means are a Pareto improvement counts as a "
        "claim, including pairs that differ tenfold in cost.",
    )


@claim("hv-audit-others")
def claims_on_other_benchmarks(audits: Audits) -> Finding:
    """Report which benchmarks were tested: none with retrieval or reasoning is available."""
    measured = sorted({name for _, objectives in audits for name in str(objectives).split(", ")})
    return Finding(
        found=f"runs of coding agents only, in {len(audits)} audits of {listing(measured)}",
        ours="no runs",
        holds=None,
        note="Not available: runs of retrieval-augmented generation and of reasoning, and the paper's list of claims.",
    )


# Of fewer failing claims, one decides about their mean.
_FEWEST_FAILING = 10
_NOTHING_FAILS = Finding(found="no claim fails", ours="none fails", holds=None, note="There is nothing to compare.")


@claim("hv-audit-size")
def failing_claims_are_small(audits: Audits) -> Finding:
    """Whether the mean difference of the failing claims is below the median standard deviation over runs."""
    failing, table = fronts_alike(audits), _claims_of(audits)
    if failing.empty:
        return _NOTHING_FAILS
    # Both as shares of the baseline's hypervolume.
    testable = table[_enough_runs(audits, table)]
    size = float(failing["relative"].mean())
    spread = float((testable["spread"] * testable["relative"] / testable["difference"]).median())
    return Finding(
        found=f"mean difference of {len(failing)} failing claims {100 * size:.1f}% of the baseline's hypervolume; "
        f"median standard deviation of single runs over {len(testable)} claims {100 * spread:.1f}%",
        ours=f"{100 * size:.1f}% against {100 * spread:.1f}%",
        holds=bool(size < spread) if len(failing) >= _FEWEST_FAILING else None,
        note=f"With {len(failing)} failing claims, a single one can decide this: the largest difference is "
        f"{100 * failing['relative'].max():.0f}%, the median {100 * failing['relative'].median():.1f}%.",
        other_data="public runs of coding agents, because the paper's list of claims is not available",
    )


@claim("hv-exact", says="Exact enumeration and 5,000 random permutations agree within Monte Carlo error")
def random_permutations_agree(compared: pd.DataFrame) -> Finding:
    """Whether p of random permutations is within its error of p of all of them."""
    apart = compared["difference"].abs()
    agree = apart <= compared["allowed"]
    return Finding(
        found=f"{int(agree.sum())} of {len(compared)} pairs agree; the largest difference between the p-values is "
        f"{apart.max():.4f}",
        tolerance="every pair within 3.3 standard errors and 1 / 5,001",
        holds=bool(agree.all()),
    )


# Section 4.1: power.


def compare_powers(studies: Mapping[str, Power]) -> pd.DataFrame:
    """Stack studies in one table: the noise, the number of runs, and the power with its interval."""
    tables = {
        title: study.table.assign(
            noise=study.noise.deviations[0],
            permutations=study.table["exact"].map({True: "all", False: f"{study.options.n_resamples:,} random"}),
        )
        for title, study in studies.items()
    }
    compared = pd.concat(tables, names=["front of", "setting"]).droplevel("setting")
    return compared[["noise", "n_runs", "power", "low", "high", "permutations"]]


def list_runs_needed(answers: Mapping[tuple[str, float, float], RunsNeeded]) -> pd.DataFrame:
    """Put the runs needed in a table: a row for each front and noise, a column for each gap."""
    gaps = {gap: f"gain {100 * gap:g}%" for _, _, gap in answers}
    rows = [
        {"front of": front, "noise": noise, "gap": gaps[gap], "n_runs": _runs_in_words(found)}
        for (front, noise, gap), found in answers.items()
    ]
    table = pd.DataFrame(rows).pivot_table(index=["front of", "noise"], columns="gap", values="n_runs", aggfunc="first")
    return table[list(gaps.values())]


def _runs_in_words(found: RunsNeeded) -> str:
    low, high = found.range
    if found.n_runs is None:
        return f"more than {found.table['n_runs'].max()}"
    return f"{found.n_runs} ({low} to {'more' if high is None else high})"


def power_over_runs(study: Power, effect: float) -> str:
    """Describe how the power to detect one gap grows with the number of runs."""
    fewest, most = study.table["n_runs"].min(), study.table["n_runs"].max()
    return (
        f"The power for a gain of {percent(effect)} rises from {study.at(effect, fewest):.2f} with {fewest} runs to "
        f"{study.at(effect, most):.2f} with {most}"
    )


def power_over_gaps(study: Power, n_runs: int) -> str:
    """Describe how the power of a number of runs grows with the gap."""
    gaps = sorted(gap for gap in study.table["effect"].unique() if gap)
    return f"With {n_runs} runs, the power is " + listing(
        f"{study.at(gap, n_runs):.2f} for a gain of {percent(gap)}" for gap in (gaps[0], gaps[-1])
    )


def _row(study: Power, effect: float, n_runs: int) -> pd.Series:
    table = study.table
    return table[np.isclose(table["effect"], effect) & (table["n_runs"] == n_runs)].iloc[0]


def _gives_both_figures(study: Power, effect: float) -> bool:
    """Whether the interval of five runs contains 0.81, and ten runs have more than 0.96."""
    five, ten = (_row(study, effect, n_runs) for n_runs in (5, 10))
    return bool(five["low"] <= 0.81 <= five["high"] and ten["power"] > 0.96)


def _in_interval(row: pd.Series) -> str:
    return f"{row['power']:.3f} ({row['low']:.3f} to {row['high']:.3f})"


def power_answer(studies: Mapping[str, Power], fitted: Power, *, effect: float, target: float) -> Answer:
    """What power five and ten runs have under the noise that gives the paper's figure, and under that of agents."""
    normal, uniform = studies["all runs"], studies["all runs, uniform noise"]
    five, noise = _row(normal, effect, 5), 100 * normal.noise.deviations[0]
    return Answer(
        f"Power of five runs: {five['power']:.2f} under chosen noise, {fitted.at(effect, 5):.2f} under that of real "
        "agents",
        [
            f"The gain is {percent(effect)}; the noise was chosen so that runs vary by {noise:.1f}%.",
            f"With the noise that was chosen so that five runs have a power of {target:g}, ten runs have "
            f"{number(normal.at(effect, 10), 3)} if the noise is normal and {number(uniform.at(effect, 10), 3)} if it "
            "is uniform; the paper states over 0.96.",
            "With three runs each, p ≤ 0.05 is impossible for any gain.",
            "Under normal noise, fronts of all runs gain little from more runs, because their extremes remain noisy.",
        ],
        question=f"How many runs does it take to detect a gain of {percent(effect)} in hypervolume?",
        certainty=f"Power with five runs lies between {five['low']:.3f} and {five['high']:.3f} (95% interval, "
        f"{five['n_simulations']:,} simulations). The paper states neither the size nor the distribution of the "
        "noise. The size was chosen to reproduce its first number.",
    )


@claim("hv-power-5")
def power_of_five_runs(studies: Mapping[str, Power], *, effect: float) -> Finding:
    """The power of five runs at the noise that reproduces the printed power."""
    normal = studies["all runs"]
    five = _row(normal, effect, 5)
    return Finding(
        found=f"normal noise with a standard deviation of {100 * normal.noise.deviations[0]:.2f}% of the distance from "
        f"the reference point in each of two objectives gives {_in_interval(five)} in new simulations; uniform noise "
        f"with the same standard deviation gives {_in_interval(_row(studies['all runs, uniform noise'], effect, 5))}",
        ours=f"{five['power']:.2f}, by choice of the noise",
        holds=None,
        note="The paper does not state the noise. Its size was chosen to reproduce this number; whether the same noise "
        "gives the paper's other number is checked below.",
    )


@claim("hv-power-10")
def power_of_ten_runs(studies: Mapping[str, Power], *, effect: float) -> Finding:
    """The power of ten runs at that noise, under two distributions and for two kinds of fronts."""
    normal, uniform, means = (
        _row(studies[name], effect, 10) for name in ("all runs", "all runs, uniform noise", "means")
    )
    kinds = {"normal": studies["all runs"], "uniform": studies["all runs, uniform noise"]}
    both = [kind for kind, study in kinds.items() if _gives_both_figures(study, effect)]
    return Finding(
        found=f"normal noise: {_in_interval(normal)}; uniform noise with the same standard deviation: "
        f"{_in_interval(uniform)}; with fronts of means, at the normal noise that gives the first figure there "
        f"({100 * studies['means'].noise.deviations[0]:.2f}%): {means['power']:.3f}",
        ours=f"{normal['power']:.3f} with normal noise, {uniform['power']:.3f} with uniform noise",
        holds=None,
        note="The paper states neither the size nor the distribution of the noise. A front of all runs consists of the "
        "luckiest runs, so its power depends on the tails of the noise. "
        + (
            f"{listing(both).capitalize()} noise gives both printed numbers." if both else "Neither gives both numbers."
        ),
    )


# Section 3: the level of the test.


def rejections(studies: Mapping[str, Power]) -> pd.DataFrame:
    """Return how often fronts differ significantly under the null hypothesis, by setting and number of runs."""
    table = pd.concat({name: study.table for name, study in studies.items()}, names=["setting", "row"])
    return table.reset_index().drop(columns=["row", "effect"]).rename(columns={"power": "rejected"})


def compare_rejections(studies: Mapping[str, Power]) -> pd.DataFrame:
    """Return how often each comparison rejects: a row for each setting and comparison, a column for each count of runs.

    The comparisons are of fronts and of single runs.
    """
    rows = {
        (name, title): study.table.set_index("n_runs")[column]
        for name, study in studies.items()
        for title, column in COMPARED.items()
    }
    table = pd.DataFrame(rows).T.rename_axis(["setting", "comparison"])
    return table.rename(columns=_runs_heading).rename_axis(columns=None)


def rejections_by_runs(size: pd.DataFrame) -> pd.DataFrame:
    """Turn rejections into a table with a row for each setting and a column for each number of runs."""
    table = size.pivot_table(index="setting", columns="n_runs", values="rejected").reindex(size["setting"].unique())
    return table.rename(columns=_runs_heading)


def _runs_heading(count: object) -> str:
    return f"{count} runs"


def _pooled(size: pd.DataFrame) -> pd.DataFrame:
    """Rejections of all settings together, by number of runs."""
    counts = size.assign(count=(size["rejected"] * size["n_simulations"]).round().astype(int))
    pooled = counts.groupby("n_runs")[["count", "n_simulations"]].sum()
    return pooled.assign(rejected=pooled["count"] / pooled["n_simulations"])


def _at_most_runs(compared: pd.DataFrame) -> tuple[int, pd.Series]:
    """Return the largest number of runs, and the rejections of the last setting with it."""
    heading = compared.columns[-1]
    return int(heading.split()[0]), compared.loc[compared.index[-1][0], heading]


def size_answer(size: pd.DataFrame, compared: pd.DataFrame, *, alpha: float) -> Answer:
    """How often the test finds a difference between equal systems, and between those that differ in noise alone."""
    pooled = _pooled(size)
    most, noisier = _at_most_runs(compared)
    return Answer(
        f"Between equal systems the test rejects in {percent(pooled['rejected'].min())} to "
        f"{percent(pooled['rejected'].max())} of cases",
        [
            f"The level is {percent(alpha)}. If the new system is no better but three times as noisy, the "
            f"comparison of fronts rejects in {percent(noisier[FRONT])} of cases with {most} runs.",
            "In copa_nb single runs decide whether a result is significant; under the same noise, they differ in "
            f"{percent(noisier[SINGLE_RUNS])} of cases.",
        ],
        question="How often does the test detect a difference that does not exist?",
        certainty=f"{size['n_simulations'].iloc[0]:,} simulated data sets per setting and number of runs, "
        f"{pooled['n_simulations'].iloc[0]:,} per number of runs in all.",
    )


@claim("hv-size")
def level_is_kept(size: pd.DataFrame, *, alpha: float) -> Finding:
    """Whether the share of rejections of equal systems exceeds α by no more than the error of the simulation."""
    pooled = _pooled(size)
    error = np.sqrt(alpha * (1 - alpha) / pooled["n_simulations"])
    intervals = [wilson_interval(int(row["count"]), int(row["n_simulations"])) for _, row in pooled.iterrows()]
    return Finding(
        found="; ".join(
            f"{count} runs: {share:.4f} ({low:.4f} to {high:.4f})"
            for (count, share), (low, high) in zip(pooled["rejected"].items(), intervals, strict=True)
        ),
        ours=f"{pooled['rejected'].min():.3f} to {pooled['rejected'].max():.3f} at α = {alpha:g}",
        holds=bool((pooled["rejected"] - alpha < _ERRORS_AT_ONE_IN_1000 * error).all()),
        note="Equal systems: the same means and the same noise.",
    )


@claim(
    "hv-size-noise",
    says="With equal means and a new system three times as noisy, the comparison of fronts rejects too often; the "
    "comparison of single runs does not",
)
def noise_alone_is_not_significant(compared: pd.DataFrame, *, alpha: float, n_simulations: int) -> Finding:
    """Whether only fronts reject too often for a noisier system, in the last setting with the most runs."""
    most, noisier = _at_most_runs(compared)
    allowed = alpha + 0.02 + 3 * np.sqrt(alpha * (1 - alpha) / n_simulations)
    return Finding(
        found="; ".join(f"{title}: {noisier[title]:.3f}" for title in COMPARED) + f" with {most} runs",
        tolerance="fronts above 2α; single runs at most 0.02 and three standard errors above α",
        holds=bool(noisier[FRONT] > 2 * alpha and noisier[SINGLE_RUNS] <= allowed),
    )


# Reports of our own: fronts with confidence, and pairing.


def binomial_error(scores: pd.Series, *, questions: int, chance: float) -> pd.Series:
    """Standard error of a benchmark's scores, in percentage points with 0 at chance, by the number of its questions.

    Examples
    --------
    >>> binomial_error(pd.Series([50.0]), questions=100, chance=0.0).tolist()
    [5.0]
    """
    right = _share_right(scores, chance)
    return 100 * np.sqrt(right * (1 - right) / questions) / (1 - chance)


def fits_questions(scores: pd.Series, *, questions: int, chance: float) -> bool:
    """Whether every score above chance is a whole number of correct answers to this many questions."""
    answers = _share_right(scores[scores > 0], chance) * questions
    return bool((np.abs(answers - answers.round()) < 0.01).all())


def explain_questions(scores: pd.Series, *, questions: int, chance: float) -> str:
    """Report whether scores are those of whole numbers of right answers, as their errors assume."""
    every = "Every" if fits_questions(scores, questions=questions, chance=chance) else "Not every"
    return (
        f"{every} published score is a whole number of right answers out of {questions:,} questions with a chance "
        f"level of {chance:g}."
    )


def _share_right(scores: pd.Series, chance: float) -> pd.Series:
    return scores / 100 * (1 - chance) + chance


def confident_front_answer(agents: Mapping[str, ConfidentFront], models: ConfidentFront, *, benchmark: str) -> Answer:
    """How many systems are significantly on their front."""
    central, sure = (
        sum(len(getattr(front, part)) for front in agents.values()) for part in ("central", "conservative")
    )
    return Answer(
        f"{central} agents are on the fronts of means, {sure} of them significantly",
        [
            f"Of {len(models.table):,} language models, {len(models.central)} are on the front of {benchmark} and CO₂; "
            f"{len(models.conservative)} significantly, and {len(models.optimistic)} may be."
        ],
        question="Which systems are significantly on a front?",
        used="confident_front",
        certainty=f"Language models: {models.guarantee.explain()} Agents, from five runs each: the level holds less "
        "well, as stated with their verdicts below.",
    )


def count_rejected(audits: Mapping[tuple[str, bool], Audit]) -> pd.DataFrame:
    """Count the claims whose fronts differ, and those that are significant, for each kind of front and test."""
    counted = pd.DataFrame({_ways(*key): audit.by_domain.loc["all"] for key, audit in audits.items()}).T
    counted = counted.rename_axis(["front of", "labels exchanged"])
    rejected = {_ways(*key): int((audit.table["pvalue"] <= audit.options.alpha).sum()) for key, audit in audits.items()}
    counted = counted.loc[list(rejected)].assign(rejected=list(rejected.values()))
    columns = ["claims", "rejected", "significant_unadjusted", "significant", "not_distinguishable"]
    return counted[columns].astype(int)


def count_rejected_by_domain(audits: Mapping[tuple[str, bool], Audit]) -> pd.DataFrame:
    """Count, by domain, the claims and those whose fronts differ for each kind of front and test."""
    columns: dict[str, pd.Series] = {}
    for key, audit in audits.items():
        domain, differ = audit.table[audit.by[0]], audit.table["pvalue"] <= audit.options.alpha
        columns.setdefault("claims", domain.groupby(domain, sort=False).size())
        columns[", ".join(_ways(*key))] = differ.groupby(domain, sort=False).sum()
    table = pd.DataFrame(columns).rename_axis(audit.by[0])
    return pd.concat([table, table.sum().to_frame("all").T.rename_axis(table.index.name)]).astype(int)


def _ways(kind: str, paired: bool) -> tuple[str, str]:
    return {"run": "all folds", "mean": "means"}[kind], "within folds" if paired else "over all folds"


def pairing_answer(
    audits: Mapping[tuple[str, bool], Audit], folds: pd.DataFrame, incomplete: Mapping[Hashable, Sequence[Hashable]]
) -> Answer:
    """The gain from pairing by fold; `incomplete` lists the tasks on which a framework is left out."""
    totals, example = count_rejected(audits), audits["run", True]
    gained = {
        kind: totals.loc[(kind, "within folds"), "rejected"] - totals.loc[(kind, "over all folds"), "rejected"]
        for kind in ("means", "all folds")
    }
    claims, significant = totals["claims"].iloc[0], totals["significant"].max()
    left_out = "; ".join(f"{name} on {listing(tasks)}" for name, tasks in incomplete.items())
    return Answer(
        f"Pairing by fold adds {gained['means']} significant differences among {claims} claims",
        [
            f"This is for fronts of means; for fronts of all folds it adds {gained['all folds']}.",
            "With labels exchanged within folds, fronts of means differ significantly before adjustment in "
            f"{totals.loc[('means', 'within folds'), 'rejected']} of {claims} claims; over all folds, in "
            f"{totals.loc[('means', 'over all folds'), 'rejected']}.",
            f"After Holm's adjustment {f'at most {significant}' if significant else 'no'} claims are significant: the "
            "adjusted p-values are those of t-tests of single folds, because permutations of ten matched folds give no "
            "p below 2/1,024.",
        ],
        question="Does testing on matched folds detect more differences between AutoML frameworks?",
        used="hv_test",
        certainty="All 1,024 matched permutations are enumerated; of the 184,756 unmatched ones, "
        f"{example.options.n_resamples:,} are drawn. {folds['framework'].nunique()} frameworks on "
        f"{folds['task'].nunique()} tasks; left out because a fold failed: {left_out or 'none'}.",
    )
