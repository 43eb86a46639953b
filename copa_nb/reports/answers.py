"""The answer of a report on the user's own table: a headline and a few lines, with and without the notebook.

The verbs are called as the notebooks in ``notebooks/yours`` call them, so that ``--quick`` and the report agree, and so
that what a verb refuses is refused before a notebook runs.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from copa_nb.checks import fraction, integer, listed, nearest, one_of
from copa_nb.text import cell_text, label, listing, number, plural, spoken

_MOST_NAMED = 3  # rows whose further columns are written out
_LONGEST_NAMES = 60  # characters of all names in a headline
_MOST_RESAMPLED, _FEWEST_RESAMPLES = 50_000_000, 20  # rows of all resamples of a table; resamples of any
_QUICK_SECONDS = 1.0  # longest exact run of depths without a notebook


@dataclass(frozen=True)
class Answer:
    """What came of an analysis.

    Parameters
    ----------
    headline : str
        The answer in one sentence with its number: the title of the report.
    lines : sequence of str
        One or a few sentences each: the reasons.
    question : str
        What was asked.
    certainty : str
        How firm the answer is, and what was measured to say so.
    used : str
        Verb whose paper the report cites, besides that of the paper it is about.
    """

    headline: str
    lines: Sequence[str] = ()
    question: str = ""
    certainty: str = ""
    used: str = ""


def select_answer(choice: Any, stability: Any, *, shown: pd.DataFrame | None = None) -> Answer:
    """Return which row is chosen, why, and how often it would be chosen again.

    Parameters
    ----------
    choice : Selection
        Of :func:`copa_nb.copa`.
    stability : Stability
        Of ``choice.stability()``.
    shown : DataFrame, optional
        Further columns to name, by label: of the rows.
    """
    standing, *rest = (_in_words(sentence, choice.objectives) for sentence in choice.sentences())
    tied = f" (tied with {len(choice.tied) - 1} more)" if len(choice.tied) > 1 else ""
    return Answer(
        f"{label(choice.best)}{tied}",
        _filled(standing, " ".join(rest), _with_values(shown, [choice.best])),
        question=f"Which of {len(choice.table):,} rows is the best compromise between "
        f"{listing(map(spoken, choice.objectives))}?",
        certainty=stability.explain(),
        used="copa",
    )


def _in_words(sentence: str, columns: Iterable[object]) -> str:
    """Name columns in a sentence as people say them."""
    for column in map(str, columns):
        sentence = spoken(column).join(re.split(rf"(?<!\w){re.escape(column)}(?!\w)", sentence))
    return sentence


def gap_answer(gaps: Mapping[Any, Any], comparison: Any = None, *, shown: pd.DataFrame | None = None) -> Answer:
    """Return the approximation gap, or that of each method, and which method is better.

    Parameters
    ----------
    gaps : mapping of label to Gap or GapRepeats
        One, or one for each method.
    comparison : GapComparison or RepeatedComparison, optional
        Of the first two methods.
    shown : DataFrame, optional
        Further columns to name, by label: of the rows.
    """
    sizes = {
        name: float(one.summarize().loc["gap", "mean"] if _is_repeated(one) else one.gap) for name, one in gaps.items()
    }
    first = next(iter(gaps.values()))
    mean = "Mean gap" if any(map(_is_repeated, gaps.values())) else "Gap"
    if len(sizes) == 1:
        headline = f"{mean} {number(next(iter(sizes.values())), 3)}"
        if not _is_repeated(first):
            n_front = len(first.validation_front)
            headline += f": {len(first.dominated) or 'none'} of the {n_front} rows chosen are dominated on test"
    else:
        headline = f"{mean} " + ", ".join(f"{number(size, 3)} ({label(name)})" for name, size in sizes.items())
    explained = [f"{label(name)}: {one.explain()}" if len(gaps) > 1 else one.explain() for name, one in gaps.items()]
    front = "" if _is_repeated(first) else _with_values(shown, list(first.optimistic[:_MOST_NAMED]))
    certainty = "One table gives one gap: repeat the split to learn how sure it is."
    if _is_repeated(first):
        certainty = "Random splits of one data set share rows, which makes the intervals over repetitions too narrow."
    return Answer(
        headline,
        _filled(*explained[:2], comparison.explain() if comparison is not None else "", front),
        question="What is the front that was chosen on validation worth on test?",
        certainty=certainty,
        used="gap",
    )


def significance_answer(audit: Any, *, shown: pd.DataFrame | None = None) -> Answer:
    """Return p and the verdict of the one claim, or how many of the claims are more than noise.

    Parameters
    ----------
    audit : Audit
        Of :func:`copa_nb.audit`.
    shown : DataFrame, optional
        Further columns to name, by label: of the systems.
    """
    question = "Are the improvements larger than the noise of repeated runs?"
    if len(audit.tests) != 1:
        n_noise = len(audit.within_noise)
        count = f"Within noise: {n_noise} of {len(audit.tests)} claims" if audit.tests else "No claim to test"
        return Answer(count, [audit.verdict], question=question, certainty=" ".join(audit.notes), used="hv_test")
    (test,) = audit.tests
    rare = "rare under permutation, but not established" if test.pvalue <= audit.options.alpha else ""
    firm = "more than noise" if test.significant else rare or "not distinguishable from noise"
    return Answer(
        f"p = {number(test.pvalue, 3)}, {firm}",
        _filled(test.verdict, _with_values(shown, [*test.new, *test.baseline])),
        question=question,
        certainty=" ".join(test.caveats),
        used="hv_test",
    )


def posets_answer(sample: Any, depths: Any, *, shown: pd.DataFrame | None = None) -> Answer:
    """Return the most typical and the most outlying problem.

    Parameters
    ----------
    sample : Posets
        Of :func:`copa_nb.posets`.
    depths : DepthResult
        Of ``sample.depth()``.
    shown : DataFrame, optional
        Further columns to name, by label: of the problems.
    """
    depth, ordered = depths.table["depth"], list(depths.table.index)
    verb = "is" if len(depths.deepest) == 1 else "are"
    ends = f"{_few(depths.deepest)} {verb} the most typical, {_few(depths.shallowest)} the most outlying"
    headline = "None is more typical than another" if depth.iloc[0] == depth.iloc[-1] else ends
    return Answer(
        headline,
        _filled(sample.explain(), depths.explain(), _with_values(shown, [ordered[0], ordered[-1]])),
        question=f"Which of {len(ordered)} {plural(sample.groups.name, 'problems')} are typical, which are outliers?",
        certainty=f"Depths are exact for these {plural(sample.groups.name, 'problems')}."
        if depths.method == "exact"
        else "Depths are estimated from random sets, with intervals.",
        used="posets",
    )


def gsd_answer(front: Any, tests: Sequence[Any], *, shown: pd.DataFrame | None = None) -> Answer:
    """Return which items are on the front, and what the tests say.

    Parameters
    ----------
    front : GsdFront
        Of :func:`copa_nb.gsd_front`.
    tests : sequence of GsdTest
        Of ``front.test(...)``.
    shown : DataFrame, optional
        Further columns to name, by label: of the items.
    """
    count, n = len(front.front), len(front.items)
    named = f"{listing(front.front)} {'is' if count == 1 else 'are'} on the front of {n}"
    headline = named if count <= _MOST_NAMED else f"{count} of {n} are on the front"
    shown_on = [test.item for test in tests if test.on_front]
    failed = f"{tests[0].item} not" if len(tests) == 1 else "none of those tested"
    headline += f", {listing(shown_on) or failed} significantly"
    return Answer(
        headline,
        _filled(front.explain(), _with_values(shown, front.front[:_MOST_NAMED])),
        question=f"Which {plural(front.items.name, 'items')} does no other beat under every utility? Is that chance?",
        certainty=" ".join(test.explain() for test in tests),
        used="gsd_front",
    )


def front_answer(front: Any, *, shown: pd.DataFrame | None = None) -> Answer:
    """Return who is on the front for sure.

    Parameters
    ----------
    front : ConfidentFront
        Of :func:`copa_nb.confident_front`.
    shown : DataFrame, optional
        Further columns to name, by label: of the systems.
    """
    sure, n = front.conservative, len(front.table)
    named = listing(map(label, sure))
    if not 0 < len(named) <= _LONGEST_NAMES:
        named = f"{len(sure) or 'None'} of {n}"
    headline = (
        f"{named} {'is' if len(sure) <= 1 else 'are'} on the front for sure, {len(front.optimistic)} of {n} may be"
    )
    return Answer(
        headline,
        _filled(front.explain(), _with_values(shown, sure[:_MOST_NAMED])),
        question=f"Which of {n} {plural(front.table.index.name, 'systems')} are on the front, given their noise?",
        used="confident_front",
    )


def tested_items(front: Any, named: Sequence[Any]) -> list[Any]:
    """Return the items whose place on the front is tested: those named, or the one that stays on it longest."""
    labels = {str(one): one for one in front.items}
    for name in named:
        if str(name) not in labels:
            raise ValueError(
                f"`test` names {name!r}, which is not among the items {listed(front.items)}."
                f"{nearest(name, front.items)}"
            )
    return [labels[str(name)] for name in named] or [front.table["leaves_at"].idxmax()]


def beside(table: pd.DataFrame, frame: pd.DataFrame, show: Sequence[str]) -> pd.DataFrame:
    """Return a table with further columns of the frame that its rows come from; those it has stay as they are."""
    return table.join(frame[[name for name in show if name not in table.columns]])


def settings(frame: pd.DataFrame, by: Any, show: Sequence[str]) -> pd.DataFrame:
    """Return the value of columns in each group of rows, "varies" where its rows have several."""
    groups = frame.groupby(by)
    columns = {name: groups[name].agg(lambda v: v.iloc[0] if len(v.unique()) == 1 else "varies") for name in show}
    return pd.DataFrame(columns, index=groups.size().index)


def affordable(resamples: int, n_rows: int) -> int:
    """Return how many resamples of a table take seconds rather than minutes: all of them up to 100,000 rows.

    Examples
    --------
    >>> affordable(500, 100_000), affordable(500, 2_000_000), affordable(10, 2_000_000)
    (500, 25, 10)
    """
    return min(resamples, max(_FEWEST_RESAMPLES, _MOST_RESAMPLED // n_rows))


def quick_answer(report: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    """Return the answer of a report without its notebook.

    Parameters
    ----------
    report : str
        Name of the notebook, e.g. ``"yours/select"``.
    table : DataFrame
        As :func:`copa_nb.reports.read_table` returns it.
    parameters : mapping
        All parameters of the notebook.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notebooks say in a sentence what is left out
        answer = _QUICK[report](table, parameters)
    return Answer(answer.headline, _filled(*table.attrs.get("notes", ()), *answer.lines), certainty=answer.certainty)


def check_values(report: str, parameters: Mapping[str, Any]) -> None:
    """Refuse values that are out of their range or not among the choices of the notebook."""
    for name, check in {**_RANGES, **_OTHER_RANGES.get(report, {})}.items():
        if check and name in parameters:
            check(name, parameters[name])


def check_measured(report: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> None:
    """Refuse what the verbs of a report would refuse: they are called with as little work as possible."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _MEASURED[report](table, parameters)


def _directions(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {**dict.fromkeys(parameters["maximise"], "max"), **dict.fromkeys(parameters["minimise"], "min")}


def _choice(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Any:
    options = {name: parameters[name] for name in ("p", "normalize", "nan_policy")}
    weights, where = parameters["weights"] or None, parameters["where"] or None
    return table.moo.copa(objectives=_directions(parameters), weights=weights, where=where, **options)


def _gaps(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Mapping[Any, Any]:
    options = {name: parameters[name] for name in ("validation", "test", "keep", "nan_policy")}
    options |= {"reference": parameters["reference"] or "worst", "where": parameters["where"] or None}
    options |= {"by": parameters["method"] or None, "repeat": parameters["repeat"] or None}
    options |= {"objectives": _directions(parameters)}
    gaps = table.moo.gap(**options)
    if parameters["order"]:
        # Refuses budgets that are too large, and orders that are not one.
        budgets = [int(budget) for budget in parameters["budgets"]] or [1]
        table.moo.gap_budgets(budgets, order=parameters["order"], **options)
    return dict(gaps.items()) if parameters["method"] else {"all rows": gaps}


def _audit(table: pd.DataFrame, parameters: Mapping[str, Any], *, n_resamples: int) -> Any:
    from copa_nb.significance.audit import audit

    seed = list(parameters["seed"])
    options = {name: parameters[name] for name in ("margin", "alternative", "paired", "level", "alpha", "nan_policy")}
    new, baseline = list(parameters["new"]), list(parameters["baseline"])
    if bool(new) != bool(baseline):
        raise ValueError("`new` and `baseline` go together: name systems for both, or for neither to audit all pairs.")
    names = system_names(table, parameters["system"])
    systems = names.unique().tolist()
    for argument in ("new", "baseline"):
        for name in parameters[argument]:
            if name not in systems:
                raise ValueError(
                    f"`{argument}` names {name!r}, which is not a system; systems are {listed(systems)}."
                    f"{nearest(name, systems)}"
                )
    return audit(
        table.assign(system_=names),
        system="system_",
        seed=(seed if len(seed) > 1 else seed[0]) if seed else None,
        claims=[(new, baseline)] if new else None,
        objectives=_directions(parameters),
        reference=parameters["reference"] or "worst",
        scale=dict.fromkeys(parameters["log_scale"], "log"),
        n_resamples=n_resamples,
        rng=parameters["seed_rng"],
        progress=False,
        **options,
    )


def system_names(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """Name systems by the columns that tell them apart, as text that can be given on the command line."""
    return table[list(columns)].astype(str).agg(" / ".join, axis=1)


def _posets(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Any:
    options = {name: parameters[name] for name in ("item", "by", "ties", "nan_policy")}
    return table.moo.posets(objectives=_directions(parameters), **options)


def _gsd(table: pd.DataFrame, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Check what the verb would refuse, and return its options."""
    from copa_nb.stochastic_dominance.gsd_front import read_suite

    options = {name: parameters[name] for name in ("item", "by", "ordinal", "nan_policy")}
    options |= {"objectives": _directions(parameters), "bins": parameters["bins"] or None}
    tested_items(read_suite(table, **options), parameters["test"] or table[parameters["item"]].head(1))
    return options


def _quick_gsd(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    front = table.moo.gsd_front(**_gsd(table, parameters), progress=False)
    options = {name: parameters[name] for name in ("alpha", "n_resamples", "paired")}
    tests = [
        front.test(name, rng=parameters["seed"], progress=False, **options)
        for name in tested_items(front, parameters["test"])
    ]
    return gsd_answer(front, tests, shown=settings(table, parameters["item"], parameters["show"]))


def _front(table: pd.DataFrame, parameters: Mapping[str, Any], *, n_resamples: int) -> Any:
    options = {name: parameters[name] or None for name in ("item", "repeat", "noise")}
    options |= {name: parameters[name] for name in ("system", "alpha", "nan_policy")}
    return table.moo.confident_front(
        objectives=_directions(parameters), n_resamples=n_resamples, rng=parameters["seed"], **options
    )


def _quick_front(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    front = _front(table, parameters, n_resamples=parameters["n_resamples"])
    return front_answer(front, shown=settings(table, parameters["system"], parameters["show"]))


def _quick_select(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    choice = _choice(table, parameters)
    count = affordable(parameters["resamples"], len(table))
    stability = choice.stability(n_resamples=count, rng=parameters["seed"])
    return select_answer(choice, stability, shown=table[parameters["show"]])


def _quick_gap(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    from copa_nb.generalization.comparison import compare_gaps

    gaps = _gaps(table, parameters)
    pair = next(combinations(gaps, 2), None)
    comparison = pair and compare_gaps(gaps[pair[0]], gaps[pair[1]], names=(str(pair[0]), str(pair[1])))
    return gap_answer(gaps, comparison, shown=table[parameters["show"]])


def _quick_posets(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    sample = _posets(table, parameters)
    seconds = min(parameters["max_seconds"], _QUICK_SECONDS)
    options = {"method": parameters["method"], "n_samples": parameters["n_samples"], "rng": parameters["seed"]}
    depths = sample.depth(max_seconds=seconds, **options)
    return posets_answer(sample, depths, shown=settings(table, parameters["by"], parameters["show"]))


def _quick_significance(table: pd.DataFrame, parameters: Mapping[str, Any]) -> Answer:
    audited = _audit(table, parameters, n_resamples=parameters["n_resamples"])
    return significance_answer(
        audited, shown=settings(table, system_names(table, parameters["system"]), parameters["show"])
    )


def _filled(*lines: str) -> list[str]:
    return [line for line in lines if line]


def _few(labels: Sequence[Any]) -> str:
    names = [label(one) for one in labels]
    return listing(names if len(names) < 4 else [*names[:2], f"{len(names) - 2} more"])


def _with_values(shown: pd.DataFrame | None, labels: Sequence[Any]) -> str:
    """Write the further columns of a few rows: "ViT-B: licence MIT, layers 12"."""
    if shown is None or shown.shape[1] == 0:
        return ""
    rows = (
        f"{label(one)}: " + ", ".join(f"{spoken(name)} {cell_text(shown.loc[one, name])}" for name in shown.columns)
        for one in labels
    )
    return "; ".join(rows) + "."


def _is_repeated(gap: Any) -> bool:
    return hasattr(gap, "summarize")


def _least(least: int) -> Callable[[str, Any], object]:
    return lambda name, value: integer(name, value, least=least)


def _among(*choices: str) -> Callable[[str, Any], object]:
    return lambda name, value: one_of(name, value, choices)


def _not_negative(name: str, value: float) -> None:
    if value < 0:
        raise ValueError(f"`{name}` is {value!r}; it must be a number of at least 0.")


def _budgets(name: str, values: Sequence[Any]) -> None:
    for value in values:
        # On the command line they come as text.
        integer(name, int(value) if str(value).isdecimal() else value)


def _bins(name: str, value: Any) -> None:
    if value:  # 0: none
        integer(name, value, least=2)


# Of every report that has a parameter of this name.
_RANGES: dict[str, Callable[[str, Any], object]] = {
    "normalize": _among("cdf", "minmax", "relative", "none"),
    "keep": _among("all", "first"),
    "alternative": _among("two-sided", "greater", "less"),
    "ties": _among("incomparable", "drop", "preorder"),
    "method": _among("exact", "sample", "auto"),
    "level": fraction,
    "nan_policy": _among("raise", "omit", "worst"),
    "bins": _bins,
    "resamples": _least(1),
    "alpha": fraction,
    "margin": _not_negative,
    "n_resamples": _least(1),
    "simulations": _least(1),
    "k": _least(0),
    "max_seconds": _not_negative,
    "n_samples": _least(100),
    "seed": _least(0),
    "seed_rng": _least(0),
    "diagrams": _least(0),
    "budgets": _budgets,
}
# Of those where it means something else; a column is checked with the table.
_OTHER_RANGES: dict[str, dict[str, Callable[[str, Any], object] | None]] = {
    "yours/gap": {"method": None},
    "yours/significance": {"level": _among("seeds", "mean"), "seed": None},
    "yours/confident_front": {"nan_policy": _among("raise", "omit"), "n_resamples": _least(100)},
}
_MEASURED: dict[str, Callable[[pd.DataFrame, Mapping[str, Any]], object]] = {
    "yours/select": _choice,
    "yours/gap": _gaps,
    # One relabelling: enough to see whether the claims can be tested.
    "yours/significance": lambda table, parameters: _audit(table, parameters, n_resamples=1),
    "yours/partial_orders": _posets,
    "yours/gsd": _gsd,
    # As few draws as the verb takes: enough to see whether it can read the table.
    "yours/confident_front": lambda table, parameters: _front(table, parameters, n_resamples=100),
}
_QUICK: dict[str, Callable[[pd.DataFrame, Mapping[str, Any]], Answer]] = {
    "yours/select": _quick_select,
    "yours/gap": _quick_gap,
    "yours/significance": _quick_significance,
    "yours/partial_orders": _quick_posets,
    "yours/gsd": _quick_gsd,
    "yours/confident_front": _quick_front,
}
