"""COPA (Javaloy, Vergari and Valera): checks of its claims, and the answers of its reports."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from copa_nb.claims.findings import Finding, claim
from copa_nb.claims.ledger import PAPER_IN_ERROR
from copa_nb.comparisons.mean_ranks import MeanRanks
from copa_nb.results.answer import Answer
from copa_nb.selection.copa import Selection
from copa_nb.selection.criteria import Criteria, criterion_label
from copa_nb.selection.navigate import Navigation
from copa_nb.selection.sensitivity import Sensitivity
from copa_nb.selection.stability import Stability
from copa_nb.text import label, listing, number, percent

CO2 = "CO₂ (kg)"
# What counts as spread uniformly over α.
_EVENLY, _MOST_OF_ALPHA = 0.8, 0.1
# The paper calls fine-tunes by their base model; names and base models are searched.
FAMILIES = {
    "RYS-XLarge": r"rys|calme",
    "Qwen2.5-32B": r"qwen.*32b|qwentile.*32b|ultiima-32b",
    "Qwen2.5-14B": r"qwen.*14b|qwenslerp2-14b|lamarck-14b",
    "Falcon3-7B": r"falcon.*7b",
    "Phi-3.5-mini": r"phi-?3\.5.*mini",
    "IceFog": r"icefog",
    "Llama2-4B": r"danube3.*4b|llama-?2.*4b",
    "GPT-2": r"gpt-?2",
}


def rows_of_family(pattern: str, models: pd.DataFrame) -> pd.Index:
    """Return the rows whose name or base model matches a pattern."""
    known = pd.Series(models.index.astype(str) + " " + models["base_model"].astype(str).to_numpy(), index=models.index)
    return models.index[known.str.contains(pattern, case=False, regex=True).to_numpy()]


def family_names(path: Navigation) -> dict[object, str]:
    """Return, of each family that the paper names, the row selected over the widest range of α, in order of α."""
    spans = path.path["selected"].value_counts()
    order = pd.unique(path.path["selected"])
    named: dict[object, str] = {}
    for family, pattern in FAMILIES.items():
        if len(rows := rows_of_family(pattern, path.frame.loc[order])):
            longest = spans[rows].idxmax()
            named.setdefault(longest, f"{longest} ({family})")
    return {name: named[name] for name in order if name in named}


def _ranks(path: Navigation) -> tuple[pd.Series, pd.Series]:
    """Return every model's rank in CO₂, and in its weakest benchmark."""
    ranks = path.frame.moo(dict(path.matrix.objectives.directions)).normalize()
    return ranks[CO2], ranks.drop(columns=CO2).max(axis=1)


def leaderboard_answer(path: Navigation, choice: Selection) -> Answer:
    """Which models the slider moves between, and what is given up at the weight chosen."""
    models, best, first = path.frame, choice.best, path.path["selected"].iloc[0]
    co2_rank, weakest_rank = _ranks(path)
    weight = choice.weights[CO2]

    kilograms, billions = (
        [number(models.loc[name, column], 2) for name in (first, best)] for column in (CO2, "params_b")
    )
    return Answer(
        f"Weighing CO₂ takes COPA from a model of {kilograms[0]} kg to {kilograms[1]} kg",
        [
            f"At α = {weight:g} it selects {best} ({billions[1]}B parameters): {percent(co2_rank[best])} of the "
            f"{len(models):,} models emit less CO₂, and {percent(weakest_rank[best])} are better in its weakest "
            f"benchmark. At α = 0 it selects {first} ({billions[0]}B).",
            f"The slider visits {path.n_distinct} of the {len(path.front)} models that are Pareto-optimal in seven "
            "objectives.",
        ],
        question="Which language model is best, depending on the weight of its CO₂ relative to six benchmarks?",
        certainty=f"{len(models):,} models of the Open LLM Leaderboard of January 2025, each evaluated once; many "
        "benchmark scores are tied. Another report shows how much the choice depends on the models in the table and on "
        "the weights.",
    )


@claim("copa-fig4-families")
def families_on_the_path(path: Navigation) -> Finding:
    """Whether the path holds a model of every family that the paper names."""
    stops = path.frame.loc[pd.unique(path.path["selected"])]
    seen = {family: len(rows_of_family(pattern, stops)) > 0 for family, pattern in FAMILIES.items()}
    missing = [family for family, found in seen.items() if not found]
    return Finding(
        found=f"{sum(seen.values())} of {len(seen)} families among {path.n_distinct} models selected"
        + (f"; missing: {', '.join(missing)}" if missing else ""),
        ours=f"{sum(seen.values())} families",
        holds=not missing,
        reason=PAPER_IN_ERROR,
        note="The paper labels fine-tunes by their base model; names and base models were searched."
        + (
            " The path contains Phi-3-mini, a different model, instead of Phi-3.5-mini."
            if "Phi-3.5-mini" in missing and len(rows_of_family(r"phi-?3", stops))
            else ""
        ),
    )


@claim("copa-fig4-spread")
def choices_are_spread_over_the_path(paths: Mapping[str, Navigation]) -> Finding:
    """Whether equal steps of α are nearly equal steps along the front of seven objectives, if ranks are used."""
    evenness = {title: path.evenness for title, path in paths.items()}
    by_ranks = next(path for path in paths.values() if path.normalize == "cdf")
    shares = by_ranks.path["selected"].value_counts(normalize=True)
    ranks = by_ranks.evenness
    return Finding(
        found=f"evenness along CO₂ {listing(f'{value:.3f} ({title})' for title, value in evenness.items())}; with "
        f"ranks {shares.index[0]} is selected for {percent(shares.iloc[0])} of all α, and {by_ranks.n_distinct} of the "
        f"{len(by_ranks.front)} models on the front at all",
        ours=f"evenness {ranks:.2f}; one model for {percent(shares.iloc[0])} of α",
        holds=bool(ranks >= _EVENLY and shares.iloc[0] <= _MOST_OF_ALPHA),
        note="Ranks are more even than the other normalizations, but not even: six objectives share one weight."
        if ranks == max(evenness.values()) and ranks < _EVENLY
        else "",
    )


@claim("copa-fig4-phi")
def phi_among_the_best_tenth(path: Navigation) -> Finding:
    """Whether Phi-3.5-mini, with 0.53 kg, is on the path and among the best 10% in both CO₂ and performance."""
    models, printed_kg, meant = path.frame, 0.53, "microsoft/Phi-3.5-mini-instruct"
    fine_tunes = rows_of_family(r"phi-?3", models.loc[pd.unique(path.path["selected"])])
    if not len(fine_tunes):
        return Finding(found="no such model is selected", ours="none", holds=False)
    co2_rank, weakest_rank = _ranks(path)
    performance = (weakest_rank.rank(method="min") - 1) / len(models)
    aspects = pd.DataFrame({CO2: co2_rank, "performance": performance})
    phi = aspects.loc[fine_tunes].max(axis=1).idxmin()
    benchmarks = {name: direction for name, direction in path.matrix.objectives.directions if name != CO2}
    best = models.moo(benchmarks).copa(p="inf").best
    others = models.loc[models[CO2].round(2) == printed_kg]
    kilograms = models.loc[phi, CO2]
    return Finding(
        found=f"{phi} at {kilograms:.2f} kg: {100 * co2_rank[phi]:.1f}% of the models emit less and "
        f"{100 * performance[phi]:.1f}% have a better ∞-norm of the six ranks (its own is {weakest_rank[phi]:.2f}); "
        f"the best by that norm is {best} at {models.loc[best, CO2]:.3g} kg"
        + (f". {meant} has {models.loc[meant, CO2]:.2f} kg" if meant in models.index else "")
        + (
            f"; {printed_kg} kg belongs to {len(others)} other models, such as {others['average score'].idxmax()}"
            if len(others)
            else ""
        ),
        ours=f"top {100 * aspects.loc[phi].max():.1f}%, {kilograms:.2f} kg against {models.loc[best, CO2]:.3g} kg",
        holds=bool(
            phi in rows_of_family(FAMILIES["Phi-3.5-mini"], models.loc[fine_tunes])
            and round(kilograms, 2) == printed_kg
            and aspects.loc[phi].max() <= 0.10
        ),
        reason=PAPER_IN_ERROR,
        note=f"The name and the kilograms are wrong: the model selected is {phi}. It is true that a model between the "
        "ends is among the best 10% in both aspects.",
    )


@claim("copa-fig4-gpt2")
def gpt2_emits_least(path: Navigation) -> Finding:
    """Whether GPT-2 is Pareto-optimal with the least CO₂ of all models and an average score of 6%."""
    models = path.frame
    names = pd.Series(models.index.astype(str), index=models.index)
    gpt2 = models.loc[names.str.contains(r"(?:^|/)gpt2(?: |$)", case=False, regex=True)]
    if gpt2.empty:
        return Finding(found="the table does not contain GPT-2", ours="none", holds=False)
    least_of_gpt2, least = gpt2[CO2].idxmin(), models.index[models[CO2] == models[CO2].min()]
    on_front = gpt2.index.intersection(models.index[path.front], sort=False)
    score, kilograms = models.loc[least_of_gpt2, "average score"], gpt2[CO2].min()
    return Finding(
        found=f"average score {score:.2f}; Pareto-optimal rows of GPT-2: {listing(on_front) or 'none'}; least CO₂: "
        f"{listing(least)} ({models[CO2].min():.4f} kg; GPT-2 from {kilograms:.4f} kg)",
        ours=f"{kilograms:.3g} kg against a minimum of {models[CO2].min():.3g} kg; {score:.2f}%",
        holds=bool(least_of_gpt2 in on_front and least_of_gpt2 in least and round(score) == 6),
        reason=PAPER_IN_ERROR,
        note="GPT-2 is Pareto-optimal, but another model emits less."
        if len(on_front) and least_of_gpt2 not in least
        else "",
    )


# AutoGluon in the 2023 results of the AutoML Benchmark: mean ranks in its authors' critical-difference diagrams over
# all 104 tasks, and the mean CCDF, 1 - (mean rank - 1) / frameworks.
AUTOGLUON_2023 = pd.DataFrame(
    {
        "frameworks": [12, 11],
        "mean rank": [2.625, 2.880],
        "mean CCDF": [0.865, 0.829],
        "mean CCDF, multiclass": [0.945, 0.904],
    },
    index=pd.Index(["1 h", "4 h"], name="training time"),
)
_BEST_TENTH = 0.9
_RESULTS_2021 = "results of 2021, because those of 2023, which the paper uses, are not available"


def _all_within(mean_ranks: Mapping[str, MeanRanks]) -> bool:
    """Whether every CCDF is between 0 and 1."""
    return all(one.ccdf.min(axis=None) >= 0 and one.ccdf.max(axis=None) <= 1 for one in mean_ranks.values())


def automl_answer(mean_ranks: Mapping[str, MeanRanks], lowest: float) -> Answer:
    """Which framework comes first over all tasks, and which scale shows all results."""
    overall = mean_ranks["all tasks"]
    table, n_tasks = overall.table, overall.ccdf.shape[1]
    leader, hidden = table.index[0], int(overall.count_out_of_range((lowest, 1.0)).sum())
    partial = {name: int(count) for name, count in table["items"].items() if count < n_tasks}
    followers = [f"{name} ({percent(share)})" for name, share in table["mean"].iloc[1:4].items()]
    return Answer(
        f"{leader} comes first: {percent(table.loc[leader, 'mean'])} of the frameworks are no better on average",
        [
            f"Scaled to {overall.baseline}, {hidden} results lie below {lowest:g}, outside any readable plot; "
            + ("every CCDF lies between 0 and 1." if _all_within(mean_ranks) else "so do some CCDF values."),
            f"On the median task it is {percent(table.loc[leader, 'median'])}. Next on average are "
            f"{listing(followers)}.",
        ],
        question="Which AutoML framework is best over many tasks, and how should results on different tasks be scaled?",
        certainty=f"{len(table)} frameworks of 2021 on {n_tasks} tasks, means over ten folds; a failed fold counts as "
        "the constant predictor. "
        + "".join(f"{name} has results on only {count} tasks. " for name, count in partial.items())
        + "The paper compares newer versions.",
    )


@claim("copa-fig8-outliers")
def scaled_results_count_out_of_range(mean_ranks: Mapping[str, MeanRanks], lowest: float) -> Finding:
    """Whether scaled results lie out of view, and every CCDF between 0 and 1."""
    hidden = {kind: int(one.count_out_of_range((lowest, 1.0)).sum()) for kind, one in mean_ranks.items()}
    within = _all_within(mean_ranks)
    counts = ", ".join(f"{kind} {count}" for kind, count in hidden.items())
    return Finding(
        found=f"values outside the plot: {counts}; {'every' if within else 'not every'} CCDF lies within [0, 1]",
        ours="all in [0, 1]" if within else "some outside [0, 1]",
        holds=bool(hidden["all tasks"] > 0 and within),
        other_data=_RESULTS_2021,
    )


@claim("copa-fig8-autogluon")
def autogluon_among_the_best_tenth(mean_ranks: Mapping[str, MeanRanks], diagrams: pd.DataFrame) -> Finding:
    """Whether AutoGluon's mean CCDF over all tasks of 2023 is at least 0.9; the results of 2021 are reported too."""
    means = {time: row["mean CCDF"] for time, row in diagrams.iterrows()}
    multiclass = diagrams["mean CCDF, multiclass"]
    ours = "mean CCDF " + listing(f"{mean:.3f} ({time})" for time, mean in means.items())
    older, notes = "", []
    if "AutoGluon" in (table := mean_ranks["all tasks"].table).index:
        mean, median = table.loc["AutoGluon", ["mean", "median"]]
        kinds = [
            f"{kind} {one.table.loc['AutoGluon', 'mean']:.2f}"
            for kind, one in mean_ranks.items()
            if kind != "all tasks"
        ]
        older = f"; in the results of 2021 {mean:.2f} ({', '.join(kinds)}), median {median:.3f}"
        if median >= _BEST_TENTH > mean:
            notes.append("In the results of 2021 it is true of the median, not of the mean.")
    holds = min(means.values()) >= _BEST_TENTH
    if not holds and (multiclass >= _BEST_TENTH).all():
        notes.append(f"It is true of multiclass tasks ({listing(f'{value:.3f}' for value in multiclass)}).")
    return Finding(
        found=f"{ours} over all 104 tasks of 2023, from the mean ranks in the benchmark's critical-difference diagrams"
        f"{older}",
        ours=ours,
        holds=bool(holds),
        note=" ".join(notes),
    )


_AVERAGES = ("mean", "minmax")


def _agreement_with_copa(comparison: Criteria, criterion: Hashable) -> pd.Series:
    """Kendall's τ between a criterion and COPA at every order that was compared."""
    orders = [criterion_label(column) for column in comparison.ranks if column not in _AVERAGES]
    return comparison.agreement.loc[criterion, orders]


def _first(comparison: Criteria, *, by_mean: bool) -> str:
    """Rows that the average puts first, or COPA at any order."""
    columns = [column for column in comparison.ranks if (column == "mean") == by_mean and column != "minmax"]
    names = [name for column in columns for name in comparison.ranks.index[comparison.ranks[column] == 1]]
    return listing(dict.fromkeys(names))


def domains_answer(comparison: Criteria) -> Answer:
    """Whether averages rank algorithms as COPA does, and which data set the average follows."""
    table, names = comparison.frame, comparison.objectives.names
    with_mean, with_minmax = (_agreement_with_copa(comparison, criterion) for criterion in _AVERAGES)
    spread = table[names].std()
    follows = table.moo.copa().criteria([*names, "mean"]).agreement["mean"].drop("mean")
    count = int((with_minmax > with_mean).sum())
    some = f"better at only {count} of {len(with_mean)} p" if count else "no better at any p"
    better = "better at every p" if count == len(with_mean) else some
    apart = "differently" if with_mean.max() < 1 else "alike at some p"
    return Answer(
        f"Average accuracy and COPA rank algorithms {apart}: τ = {with_mean.min():.2f} to {with_mean.max():.2f}",
        [
            f"After min-max scaling the ranking agrees with COPA's {better}: τ = {with_minmax.min():.2f} to "
            f"{with_minmax.max():.2f} on these {len(table)} algorithms.",
            f"Best by average accuracy: {_first(comparison, by_mean=True)}; by COPA: "
            f"{_first(comparison, by_mean=False)}.",
            f"Accuracies on {spread.idxmax()} have a standard deviation of {spread.max():.1f} points over algorithms, "
            f"those on {spread.idxmin()} of {spread.min():.1f}. The ranking by the average agrees most with that by "
            f"{follows.idxmax()} alone (τ = {follows.max():.2f}).",
        ],
        question="Do average accuracy, min-max and COPA give the same ranking of domain-generalization algorithms?",
        certainty=f"The paper's table, with six newer algorithms including HGP, is not available; {len(table)} "
        "algorithms remain. Averages are as published, without repetitions: ranks of algorithms within a few tenths of "
        "a point may change in another run.",
    )


def _other_algorithms(comparison: Criteria) -> str:
    return (
        f"{len(comparison.ranks)} of the paper's 20 algorithms, with models selected on the test domain, because the "
        "paper's table is not available"
    )


@claim("copa-fig7-average")
def average_ranks_otherwise(comparison: Criteria) -> Finding:
    """Whether the average agrees fully with COPA for no order."""
    with_mean = _agreement_with_copa(comparison, "mean")
    return Finding(
        found=f"τ of the average with COPA {with_mean.min():.2f} to {with_mean.max():.2f}; best by average "
        f"{_first(comparison, by_mean=True)}, by COPA {_first(comparison, by_mean=False)}",
        ours=f"τ at most {with_mean.max():.2f}",
        holds=bool((with_mean < 1).all()),
        other_data=_other_algorithms(comparison),
    )


@claim("copa-fig7-minmax")
def minmax_agrees_better(comparison: Criteria) -> Finding:
    """Whether min-max agrees better with COPA than the average does, for every order."""
    with_mean, with_minmax = (_agreement_with_copa(comparison, criterion) for criterion in _AVERAGES)
    better = with_minmax > with_mean
    return Finding(
        found="; ".join(
            f"{order}: {with_minmax[order]:.2f} (min-max) and {with_mean[order]:.2f} (average)"
            for order in better.index
        ),
        ours=f"min-max agrees better at {int(better.sum())} of {len(better)} p",
        holds=bool(better.all()),
        other_data=_other_algorithms(comparison),
    )


@claim("copa-fig7-rsc-sagnet")
def rsc_falls_and_sagnet_rises(comparison: Criteria) -> Finding:
    """Whether RSC is placed lower, and SagNet higher, at the first order than at the last."""
    first, *_, last = (column for column in comparison.ranks if column not in _AVERAGES)
    ranks, names = comparison.ranks, ("RSC", "SagNet")
    at_first, at_last = criterion_label(first), criterion_label(last)
    return Finding(
        found="; ".join(
            f"{name}: rank {ranks.loc[name, last]} at {at_last}, {ranks.loc[name, first]} at {at_first}"
            for name in names
        ),
        ours="; ".join(f"{name} {ranks.loc[name, last]} to {ranks.loc[name, first]}" for name in names),
        holds=bool(
            ranks.loc["RSC", first] > ranks.loc["RSC", last] and ranks.loc["SagNet", first] < ranks.loc["SagNet", last]
        ),
        other_data=_other_algorithms(comparison),
    )


@claim(
    "copa-fig7-mixup",
    says="Mixup, second by the average, is not first by COPA at the smallest p, but from some p on up to p = ∞",
)
def mixup_comes_first(comparison: Criteria) -> Finding:
    """Whether Mixup is second by the average, and first at the last orders, but not at the first."""
    ranks = comparison.ranks.loc["Mixup"]
    by_order = ranks.drop(list(_AVERAGES))
    first = (by_order == 1).to_numpy()
    return Finding(
        found=f"Mixup: rank {ranks['mean']} by the average; "
        + ", ".join(f"{rank} at {criterion_label(p)}" for p, rank in by_order.items()),
        holds=bool(ranks["mean"] == 2 and first[-1] and not first[0] and (np.diff(first.astype(int)) >= 0).all()),
        tolerance="exact ranks",
        note="HGP, the other algorithm that the paper follows here, is not available.",
    )


_TAU, _CLOSE = "τ with Δ", 0.8
_SHARE = "share of the variance of Δ"


def metrics_behind_delta(
    tables: Mapping[str, pd.DataFrame], *, baseline: str, orders: Sequence[object]
) -> pd.DataFrame:
    """Return how closely the ranking by Δ follows that by each metric, and those by COPA.

    Δ is a mean over metrics of the relative difference to a baseline, so that its variance over methods is a sum of
    one part per metric, the covariance of that part with Δ. Metrics are in the order of their shares.
    """
    found = {}
    for name, table in tables.items():
        relative = table.moo.normalize(method="relative", reference=baseline)
        delta = relative.mean(axis=1)
        shares = (relative / relative.shape[1]).apply(lambda metric, delta=delta: metric.cov(delta)) / delta.var()
        ranks = (
            table.moo.copa(normalize="relative", reference=baseline).criteria([*relative, "relative", *orders]).ranks
        )
        rows = [*shares.sort_values(ascending=False).index, *map(criterion_label, orders)]
        found[name] = pd.DataFrame(
            {
                _SHARE: shares,
                f"median relative difference to {baseline}": relative.drop(index=baseline).median(),
                _TAU: ranks.rename(columns=criterion_label).corr(method="kendall")["relative"],
            }
        ).reindex(rows)
    return pd.concat(found, names=["data", "ranking by"])


def most_moved(comparisons: Iterable[Criteria], count: int) -> list[object]:
    """Return the rows of all comparisons whose ranks swing most, summed over the comparisons."""
    swings = [one.table["swing"].reindex(one.ranks.index) for one in comparisons]
    total = pd.concat(swings, axis=1).dropna().sum(axis=1)
    return list(total.sort_values(ascending=False, kind="stable").index[:count])


def _dominating(behind: pd.DataFrame) -> dict[str, pd.Series]:
    """Per table, the metric that accounts for most of the variance of Δ."""
    names = behind.index.unique("data")
    return {name: behind.loc[(name, behind.loc[name].index[0])] for name in names}


def _by_copa(behind: pd.DataFrame, name: str) -> pd.Series:
    """Kendall's τ between Δ and COPA at every order."""
    part = behind.loc[name]
    return part.loc[part[_SHARE].isna(), _TAU]


def _agreeing(behind: pd.DataFrame, name: str) -> str:
    """In words, the orders at which COPA agrees with Δ at least as closely as the dominating metric does."""
    by_copa, metric = _by_copa(behind, name), _dominating(behind)[name]
    close = by_copa[by_copa >= metric[_TAU]]
    return listing(f"{order} (τ = {value:.2f})" for order, value in close.items())


def delta_answer(tables: Mapping[str, pd.DataFrame], behind: pd.DataFrame) -> Answer:
    """Which metric the average follows on each table, and how COPA's rankings agree with it."""
    metrics = _dominating(behind)
    closest, loosest = (pick(metrics, key=lambda name: metrics[name][_TAU]) for pick in (max, min))
    lines = []
    for name, metric in metrics.items():
        by_copa, agreeing = _by_copa(behind, name), _agreeing(behind, name)
        lines.append(
            f"{name}: {metric.name[1]} accounts for {percent(metric[_SHARE])} of the variance of Δ, and Kendall's τ "
            f"between the two rankings is {metric[_TAU]:.2f}. For COPA's rankings it is {by_copa.min():.2f} to "
            f"{by_copa.max():.2f}" + (f", at least as close as the metric at {agreeing}." if agreeing else ".")
        )
    sizes = listing(f"{len(table)} methods ({name})" for name, table in tables.items())
    return Answer(
        f"On {closest} the average Δ follows one metric (τ = {metrics[closest][_TAU]:.2f}), on {loosest} none",
        lines,
        question="Does the usual average over tasks reproduce the ranking of a single task?",
        certainty=f"These are not the paper's data: printed means of {sizes}, without repetitions. The paper finds a "
        "perfect match (τ = 1) on multi-SVHN.",
    )


@claim("copa-fig6-delta")
def delta_follows_one_metric(behind: pd.DataFrame) -> Finding:
    """Whether τ between Δ and the metric that accounts for most of it is at least 0.8 on every table."""
    metrics = _dominating(behind)
    found, notes = [], []
    for name, metric in metrics.items():
        by_copa, agreeing = _by_copa(behind, name), _agreeing(behind, name)
        found.append(
            f"{name}: {metric.name[1]} accounts for {percent(metric[_SHARE])} of the variance of Δ, τ with Δ "
            f"{metric[_TAU]:.2f} (COPA: {by_copa.min():.2f} to {by_copa.max():.2f})"
        )
        if metric[_TAU] < _CLOSE:
            pair = behind.loc[name][_SHARE].iloc[:2]
            notes.append(
                f"On {name} Δ follows {listing(pair.index)} together ({percent(pair.sum())} of its variance), neither "
                "of them closely."
            )
        if agreeing:
            notes.append(f"On {name} COPA agrees with Δ at least as closely as that metric at {agreeing}.")
    return Finding(
        found="; ".join(found),
        ours="τ = " + listing(f"{metric[_TAU]:.2f} ({name})" for name, metric in metrics.items()),
        holds=bool(min(metric[_TAU] for metric in metrics.values()) >= _CLOSE),
        note=" ".join(notes),
        other_data="QM9 and CityScapes, because the results on multi-SVHN are not available",
    )


DIGITS = {1: "pairs of digits", 4: "pairs of digits, pixels × 4"}
_PIXELS = "active pixels"
_OWN_RUNS = (
    "our own runs on pairs of digits, 14 methods and three seeds, in the shape of the paper's experiment, because the "
    "results on multi-SVHN are not available"
)


def means_of_digits(runs: pd.DataFrame, unit: int, epochs: int) -> pd.DataFrame:
    """Return the mean scores over the seeds of every method, for a unit of the pixel task and a length of training."""
    chosen = runs[(runs["unit"] == unit) & (runs["epochs"] == epochs)]
    ways = dict(runs.moo.description["objectives"])
    means = chosen.groupby("method", sort=False)[list(ways)].mean()
    names = {task: f"{task} digit" if task in ("left", "right") else task for task in ways}
    names |= {"sum": "sum of digits", "pixels": _PIXELS}
    return means.rename(columns=names).moo.define({names[task]: way for task, way in ways.items()})


@claim("copa-fig6-delta-digits", of="copa-fig6-delta")
def delta_follows_the_pixels(behind: pd.DataFrame) -> Finding:
    """Whether τ between Δ and the active pixels, the task of the paper, is at least 0.8 where they are a share."""
    metric = _dominating(behind)[DIGITS[1]]
    by_copa = _by_copa(behind, DIGITS[1])
    return Finding(
        found=f"{metric.name[1]} account for {percent(metric[_SHARE])} of the variance of Δ, τ with Δ "
        f"{metric[_TAU]:.2f} (COPA: {by_copa.min():.2f} to {by_copa.max():.2f})",
        ours=f"τ = {metric[_TAU]:.2f} ({metric.name[1]})",
        tolerance="lax: Kendall's τ with the dominating task at least 0.8",
        holds=bool(metric.name[1] == _PIXELS and metric[_TAU] >= _CLOSE),
        other_data=_OWN_RUNS,
    )


@claim(
    "copa-fig6-unit",
    says="Which task Δ follows is a matter of its unit: with a pixel target four times as large, Δ no longer orders "
    "the methods as the pixels do",
)
def delta_depends_on_the_unit(behind: pd.DataFrame) -> Finding:
    """Whether τ between Δ and the pixels is at least 0.8 for the one unit and below for the other."""
    taus = {unit: float(behind.loc[(name, _PIXELS), _TAU]) for unit, name in DIGITS.items()}
    by_copa = {unit: _by_copa(behind, name) for unit, name in DIGITS.items()}
    return Finding(
        found="; ".join(
            f"target × {unit}: τ of the pixels with Δ {taus[unit]:.2f}, of COPA {by_copa[unit].min():.2f} to "
            f"{by_copa[unit].max():.2f}"
            for unit in DIGITS
        ),
        ours=f"τ = {taus[1]:.2f} and {taus[4]:.2f}",
        holds=taus[1] >= _CLOSE > taus[4],
        tolerance="τ at least 0.8 for the share, below 0.8 for four times the share",
    )


@claim(
    "copa-fig6-mgda",
    says="MGDA-UB, third by Δ where the pixels are a share, is among the last three for COPA at every p",
)
def mgda_falls_by_copa(comparison: Criteria) -> Finding:
    """Whether MGDA-UB is third by Δ and among the last three by COPA; what other rows do is reported."""
    ranks = comparison.ranks
    orders = list(ranks.columns[list(ranks.columns).index("relative") + 1 :])
    found = [
        f"{row}: rank {ranks.loc[row, 'relative']} by Δ, "
        + ", ".join(f"{ranks.loc[row, p]} at {criterion_label(p)}" for p in orders)
        for row in ("MGDA-UB", "Single", "GradDrop")
    ]
    behind = ranks.loc["MGDA-UB", orders] > len(ranks) - 3
    return Finding(
        found="; ".join(found),
        ours=f"third of {len(ranks)} by Δ; {ranks.loc['MGDA-UB', orders].min()} or later by COPA"
        if ranks.loc["MGDA-UB", "relative"] == 3
        else f"{ranks.loc['MGDA-UB', 'relative']} of {len(ranks)} by Δ",
        holds=bool(ranks.loc["MGDA-UB", "relative"] == 3 and behind.all()),
        tolerance="exact ranks",
        note="What the paper finds of two others does not come out here: GradDrop is first for no p, and single-task "
        "training falls at none."
        if (ranks.loc["GradDrop", orders] > 1).all() and (ranks.loc["Single", orders] == 1).all()
        else "",
    )


@claim(
    "copa-fig6-rows",
    says="By Δ, single-task training comes first on both tables; on CityScapes COPA places other methods before it at "
    "every p, and places GradDrop higher than Δ does at every finite p",
)
def single_task_and_graddrop_move(comparisons: Mapping[str, Criteria]) -> Finding:
    """Whether STL is first by Δ, and COPA places STL lower and GradDrop higher on CityScapes."""
    ranks = {name: one.ranks for name, one in comparisons.items()}
    city = ranks["CityScapes"]
    orders = list(city.columns[list(city.columns).index("relative") + 1 :])
    finite = [p for p in orders if not np.isinf(float(p))]
    found = [
        f"{row} on {name}: rank {table.loc[row, 'relative']} by Δ, "
        + ", ".join(f"{table.loc[row, p]} at {criterion_label(p)}" for p in orders)
        for name, table in ranks.items()
        for row in ("STL", "GRADDROP")
        if row in table.index
    ]
    return Finding(
        found="; ".join(found),
        holds=bool(
            all(table.loc["STL", "relative"] == 1 for table in ranks.values())
            and (city.loc["STL", orders] > 1).all()
            and (city.loc["GRADDROP", finite] < city.loc["GRADDROP", "relative"]).all()
        ),
        tolerance="exact ranks",
        note="MGDA-UB, which the paper ranks too, is not available, nor is GradDrop on QM9.",
    )


ADULT, ACS, GERMAN, RANKS = "FairGrad on Adult", "ACSIncome", "German credit", "COPA (ranks)"
_NO_FACES = "because the runs on CelebA are not available"
_COVERED, _STAYS = "place at α = 1/2", "share of α at the most accurate model"
_SETTING = ["family", "method", "strength"]


def slider_coverage(paths: Mapping[tuple[str, str], Navigation]) -> pd.DataFrame:
    """Return how each path along accuracy and violation covers its front, by data and normalization."""
    rows = {}
    for name, path in paths.items():
        nearest_half = np.abs(path.path.index - 0.5).argmin()
        rows[name] = {
            "models selected": path.n_distinct,
            "models on the front": len(path.front),
            "evenness": path.evenness,
            _COVERED: float(path.places[nearest_half]),
            _STAYS: float((path.path["accuracy"] == path.frame["accuracy"].max()).mean()),
            "model at α = 1/2": path.at(0.5),
        }
    return pd.DataFrame(rows).T.infer_objects().rename_axis(["data", "normalization"])


def _with_and_without(coverage: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series]:
    """How a slider covers its front with ranks, and with the other normalization."""
    part = coverage.loc[name]
    return part.T[RANKS], part.drop(index=RANKS).iloc[0]


def setting_in_words(runs: pd.DataFrame, stability: Stability, *, p: float | str) -> str:
    """Describe where the setting of the best single run stands when the runs of each setting are averaged."""
    run = runs.moo.copa(p=p).best
    objectives = runs.moo.description["objectives"]
    settings = runs.groupby(_SETTING)[list(objectives)].mean().moo(objectives).copa(p=p)
    rank = settings.table["rank"].loc[tuple(runs.loc[run, _SETTING])]
    return (
        f"The run selected above, {run}, belongs to a setting that ranks {rank} of {len(settings.table)} when its "
        f"seeds are averaged. The best setting is {label(stability.best)}."
    )


def fairness_answer(
    coverage: pd.DataFrame, capped: Mapping[str, Navigation], stability: Stability, cap: float
) -> Answer:
    """How the slider covers the front of accuracy and violation, also under a cap."""
    covered = {name: _with_and_without(coverage, name) for name in coverage.index.unique("data")}
    adult, plain = covered[ADULT]
    evenness = [
        f"{ranks['evenness']:.2f} and {other['evenness']:.2f} ({name})" for name, (ranks, other) in covered.items()
    ]
    fronts = [f"{ranks['models on the front']} ({name})" for name, (ranks, _) in covered.items()]
    stops = listing(f"{path.n_distinct} models ({name})" for name, path in capped.items())
    moves = f"still moves: {stops}" if capped else "has nothing to choose from"
    return Answer(
        f"Ranks put α = 1/2 at {percent(adult[_COVERED])} of the way to the fairest model",
        [
            f"This is FairGrad on Adult. Without ranks {percent(plain[_STAYS])} of the slider stays at the most "
            "accurate model.",
            f"Evenness along the front, with ranks and without: {listing(evenness)}. Models on the front: "
            f"{listing(fronts)}.",
            f"Under a cap of {number(cap)} on the violation the slider {moves}.",
        ],
        question="Does the slider cover the whole range between accuracy and fairness, even if a cap on the "
        "violation excludes most models?",
        certainty="These are not the paper's data. A single run depends on chance: on German credit no setting is "
        f"chosen in more than {percent(stability.share.iloc[0])} of {stability.n_resamples} resamples of the seeds.",
    )


def _spread(coverage: pd.DataFrame, name: str, other_data: str, note: str = "") -> Finding:
    ranks, plain = _with_and_without(coverage, name)
    return Finding(
        found=f"{name}: evenness {ranks['evenness']:.2f} against {plain['evenness']:.2f} without normalization; "
        f"α = 1/2 at {ranks[_COVERED]:.2f} of a front of {ranks['models on the front']}; without normalization the "
        f"most accurate model is selected for {percent(plain[_STAYS])} of α",
        ours=f"place {ranks[_COVERED]:.2f}, evenness {ranks['evenness']:.2f} against {plain['evenness']:.2f}",
        holds=bool(
            ranks["evenness"] > plain["evenness"] + 0.1 and 0.25 <= ranks[_COVERED] <= 0.75 and plain[_STAYS] > 0.5
        ),
        note=note,
        other_data=f"{other_data}, {_NO_FACES}",
    )


@claim("copa-fig5-spread-fairgrad", of="copa-fig5-spread")
def slider_is_spread_on_adult(coverage: pd.DataFrame) -> Finding:
    """Whether ranks spread the choices over α on the paper's method, FairGrad, and plain values do not."""
    return _spread(coverage, ADULT, "our own runs of FairGrad, the paper's method, on Adult with a linear model")


@claim("copa-fig5-spread")
def slider_is_spread_on_acs_income(coverage: pd.DataFrame) -> Finding:
    """Whether ranks spread the choices over α on ACSIncome, and plain values do not."""
    return _spread(coverage, ACS, ACS)


@claim("copa-fig5-constrained")
def slider_moves_below_the_cap(capped: Mapping[str, Navigation], cap: float, n_tables: int) -> Finding:
    """Whether every table has more than one choice below the cap, all valid, with ranks over all models."""
    valid = all((path.path["violation"] <= cap).all() for path in capped.values())
    same = all(_ranks_are_of_all(path) for path in capped.values())
    counts = listing(
        f"{path.n_distinct} of the {len(path.front)} runs on the front below the cap ({name})"
        for name, path in capped.items()
    )
    moves = len(capped) == n_tables and min(path.n_distinct for path in capped.values()) > 1
    return Finding(
        found=f"selected: {counts or 'none'}; {'every' if valid else 'not every'} selected model is valid; ranks are "
        f"{'those' if same else 'not those'} of the whole table",
        ours=f"{listing(str(path.n_distinct) for path in capped.values()) or 'no'} models",
        holds=bool(moves and valid and same),
        note="" if len(capped) == n_tables else "In one of the tables, no model is below the cap.",
        other_data=f"{listing([ADULT, ACS, GERMAN])}, {_NO_FACES}",
    )


def _ranks_are_of_all(path: Navigation) -> bool:
    """Whether the ranks of the selected models are those among all models, allowed or not."""
    everyone = path.frame.moo(dict(path.matrix.objectives.directions)).normalize()
    ranks = everyone.loc[path.path["selected"]]
    return all(np.allclose(path.path[f"u_{name}"], ranks[name], rtol=0, atol=1e-12) for name in ranks)


def reliance_answer(stability: Stability, sensitivities: Mapping[str, Sensitivity], comparison: Criteria) -> Answer:
    """How much the choice depends on the models in the table, on the weights and on the method."""
    winners = comparison.winners()
    often = float(stability.share.iloc[stability.best_row])
    (_, sensitive), *others = sensitivities.items()
    return Answer(
        f"The choice holds in {percent(often)} of the resamples and for {percent(sensitive.best_share)} of all weights",
        [
            f"{len(winners)} methods rank {winners.nunique()} different models first.",
            sensitive.explain(),
            *(f"With {name}: {one.explain()}" for name, one in others),
        ],
        question=f"How reliable is the choice of {label(stability.best)}?",
        certainty=stability.explain(),
    )


def first_places(comparisons: Mapping[str, Criteria]) -> pd.DataFrame:
    """Return the first place of each criterion, its CO₂, and how many models are better in CO₂ and where most are."""
    rows = {}
    for name, comparison in comparisons.items():
        ranks = comparison.frame.moo(dict(comparison.objectives.directions)).normalize()
        for criterion, winner in comparison.winners().items():
            place = ranks.loc[[winner]].iloc[0]
            rows[name, criterion] = {
                "first": winner,
                CO2: comparison.frame.loc[[winner], CO2].iloc[0],
                "share better in CO₂": place[CO2],
                "share better in its worst objective": place.max(),
            }
    return pd.DataFrame(rows).T.infer_objects().rename_axis(["objectives", "method"])
