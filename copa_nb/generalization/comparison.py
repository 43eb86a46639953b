"""Which of two methods has the better front, when validation and test disagree about what a front is."""

from __future__ import annotations

import numpy as np

from copa_nb import text
from copa_nb.generalization.arrays.fronts import weakly_dominates
from copa_nb.generalization.gap_result import Gap
from copa_nb.generalization.repeats import GapRepeats
from copa_nb.generalization.verdicts import NO_STATEMENT, GapComparison, RepeatedComparison, Verdict


def compare_gaps(
    a: Gap | GapRepeats, b: Gap | GapRepeats, *, names: tuple[str, str] = ("A", "B")
) -> GapComparison | RepeatedComparison:
    """Compare two methods by the three criteria of "Mind the Gap", section 4.

    Parameters
    ----------
    a, b : Gap or GapRepeats
        From :func:`copa_nb.gap` under one reference point (measure both with ``by=``, or fix
        ``reference=``). Repetitions are matched by their labels.
    names : tuple of str
        What to call the methods.

    Returns
    -------
    GapComparison
        For two gaps. For repetitions a :class:`RepeatedComparison`: the share of the repetitions in which each
        method is better.

    Raises
    ------
    ValueError
        If objectives or reference points differ, or no repetition is in both.
    TypeError
        If a gap is compared with repetitions.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame(
    ...     {"method": ["forest", "forest", "linear", "linear"],
    ...      "val_precision": [0.9, 0.5, 0.8, 0.4], "val_recall": [0.3, 0.9, 0.2, 0.7],
    ...      "test_precision": [0.8, 0.5, 0.7, 0.4], "test_recall": [0.3, 0.8, 0.2, 0.6]}
    ... )
    >>> gaps = copa_nb.gap(
    ...     runs, objectives={"precision": "max", "recall": "max"}, by="method", reference={"precision": 0, "recall": 0}
    ... )
    >>> copa_nb.compare_gaps(gaps["forest"], gaps["linear"], names=("forest", "linear"))
    <GapComparison of forest and linear; hypervolume: forest, dominance: forest, robustness: no statement>
    """
    first, second = _names(names)
    if isinstance(a, Gap) and isinstance(b, Gap):
        return _compare(a, b, (first, second))
    if not (isinstance(a, GapRepeats) and isinstance(b, GapRepeats)):
        raise TypeError(
            f"`a` and `b` must both be a Gap or both be repeated (GapRepeats), not {type(a).__name__} and "
            f"{type(b).__name__}."
        )
    if a.kind != b.kind:
        raise ValueError(f"`a` holds {a.kind} and `b` {b.kind}; compare like with like.")
    shared = [label for label in a.gaps if label in b.gaps]
    if not shared:
        raise ValueError(
            "`a` and `b` have no repetition in common; the `repeat` column must hold the same labels (split, seed) "
            "for both."
        )
    comparisons = {label: _compare(a.gaps[label], b.gaps[label], (first, second)) for label in shared}
    return RepeatedComparison(comparisons, (first, second), a.kind)


def _compare(a: Gap, b: Gap, names: tuple[str, str]) -> GapComparison:
    if a.objectives != b.objectives:
        raise ValueError(
            f"`a` and `b` have other objectives ({', '.join(a.objectives.labels)}; {', '.join(b.objectives.labels)})."
        )
    if a.reference != b.reference:
        raise ValueError(
            f"`a` and `b` have other reference points ({a.reference}; {b.reference}), so that their hypervolumes do "
            "not compare; measure both with one `reference=`, or in one call with `by=`."
        )
    return GapComparison(_by_hypervolume(a, b, names), _by_dominance(a, b, names), _by_gap(a, b, names), names, (a, b))


def _by_hypervolume(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    number = text.number
    for better, worse, name, other in ((a, b, *names), (b, a, *names[::-1])):
        if worse.hv_optimistic < better.hv_pessimistic:
            return Verdict(
                "hypervolume",
                name,
                f"By hypervolume {name} is better: its pessimistic {number(better.hv_pessimistic)} exceeds "
                f"the optimistic {number(worse.hv_optimistic)} of {other}.",
            )
    spans = [
        f"{number(gap.hv_pessimistic)} to {number(gap.hv_optimistic)} ({name})"
        for gap, name in zip((a, b), names, strict=True)
    ]
    return Verdict("hypervolume", None, f"Hypervolume allows no statement: {spans[0]} and {spans[1]} overlap.")


def _by_dominance(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    for better, worse, name, other in ((a, b, *names), (b, a, *names[::-1])):
        floor, ceiling = _test_costs(better, "pessimistic"), _test_costs(worse, "optimistic")
        if weakly_dominates(floor, ceiling) and not weakly_dominates(ceiling, floor):
            return Verdict(
                "dominance",
                name,
                f"By front dominance {name} is better: its pessimistic front covers the optimistic front of {other}.",
            )
    return Verdict(
        "dominance",
        None,
        f"Front dominance allows no statement: neither pessimistic front covers the other's optimistic front "
        f"({names[0]}, {names[1]}).",
    )


def _by_gap(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    number = text.number
    if a.gap == b.gap:
        return Verdict("robustness", None, f"Both have a gap of {number(a.gap)}: equally robust.")
    (small, name), (large, other) = sorted(((a.gap, names[0]), (b.gap, names[1])), key=lambda pair: pair[0])
    return Verdict(
        "robustness",
        name,
        f"By robustness {name} is better: its gap of {number(small)} is smaller than {number(large)} ({other}).",
    )


def _test_costs(gap: Gap, which: str) -> np.ndarray:
    costs: np.ndarray = gap.scores.test[getattr(gap.fronts, which)]
    return costs


def _names(names: tuple[str, str]) -> tuple[str, str]:
    first, second = (str(name) for name in names)
    if first == second or NO_STATEMENT in (first, second):
        raise ValueError(f"`names` is {names!r}; give two different names, neither of them {NO_STATEMENT!r}.")
    return first, second
