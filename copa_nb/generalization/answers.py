"""What a gap says: how chosen rows fall on test, what their front keeps of what it promised, and how certain it is."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from copa_nb.results.sentences import Part, apart, behind_the_card, briefest, measured, part, shortened
from copa_nb.text import digits_apart, row_name

if TYPE_CHECKING:
    from copa_nb.generalization.result import Gap

# Groups and objectives of which a headline has numbers, and objectives whose ranges a card spells out.
_MOST_NAMED, _MOST_RANGES = 2, 3
# Of fewer candidates, the average is that of what was chosen.
FEWEST_CANDIDATES = 10


def parts_of(one: Gap) -> list[Part]:
    """How scores change on test, what the front keeps there of what validation promised, and how certain this is."""
    return [_changed(one), *_ranges(one), _kept(one), *_certainty({"one": one}), *one.details()]


def parts_of_groups(gaps: Mapping[Hashable, Gap], by: Hashable) -> list[Part]:
    """The same of several systems or groups, and how the first two compare."""
    if len(gaps) == 1:
        return parts_of(next(iter(gaps.values())))
    named = {row_name(name, by): one for name, one in gaps.items()}
    return [
        _changed_by_group(named),
        *(_kept(one, name) for name, one in list(named.items())[:_MOST_NAMED]),
        *_certainty(gaps),
        *(part("gap.details.of_group", group=name, sentence=_together(one.in_short())) for name, one in named.items()),
        *_compared(gaps),
    ]


def is_repeated(gaps: Mapping[Hashable, Gap]) -> bool:
    """Whether any of the gaps is of several repetitions or resamples."""
    return any(hasattr(one, "gaps") and len(one.gaps) > 1 for one in gaps.values())


def dominated_by(dominated: list[str], n_front: int) -> Part:
    """How many rows of a validation front are dominated by others of it on test, and which."""
    lost = lost_on_test(len(dominated), n_front)
    if not dominated:
        return part("gap.details.none_dominated", lost=lost)
    return part("gap.details.dominated", lost=lost, rows=shortened(dominated, most=5))


def lost_on_test(n_dominated: int, n_front: int) -> Part:
    """How many rows of a validation front are dominated by others of it on test."""
    return part(f"gap.phrases.{'lost' if n_dominated else 'none_lost'}", n=n_dominated, front=n_front)


def of_selection(falls: pd.DataFrame, *, shares: bool, splits: int = 1) -> list[Part]:
    """How much of the fall from validation to test is due to the choice.

    Parameters
    ----------
    falls : DataFrame
        Of :meth:`Gap.falls`.
    shares : bool
        Whether a share of a hypervolume means something.
    splits : int
        How many splits the falls are means of.
    """
    average, chosen, curse, low, high = falls.reindex(columns=[*falls.columns[:3], "low", "high"]).iloc[-1]
    if math.isnan(curse):
        return []
    digits = digits_apart(abs(chosen), abs(average), abs(curse))
    moved = part(f"gap.phrases.{'falls' if chosen >= 0 else 'rises'}", value=abs(chosen), digits=digits)
    usual = part(f"gap.phrases.{'fall' if average >= 0 else 'rise'}", value=abs(average), digits=digits)
    said = [part(f"gap.details.moved{'_on_average' * (splits > 1)}", moved=moved, usual=usual)]
    found = {"value": curse, "digits": digits}
    if curse <= 0:
        return [*said, part("gap.details.no_curse")]
    if splits == 1 and shares and average >= 0 < chosen:
        return [*said, part("gap.details.curse_share", **found, share=curse / chosen)]
    if splits == 1:
        return [*said, part("gap.details.curse", **found)]
    if math.isnan(low):
        return [*said, part("gap.details.mean_curse", **found)]
    ends = {"value": curse, "low": low, "high": high, "digits": digits_apart(low, high)}
    return [*said, part("gap.details.mean_curse_interval", **ends)]


def _certainty(gaps: Mapping[Hashable, Gap]) -> list[Part]:
    first = next(iter(gaps.values()))
    if not is_repeated(gaps):
        return [part("gap.certainty.one_split")]
    shared = [part("gap.certainty.shared_rows")] if first.kind == "repetitions" else []
    return [*first.guarantee.parts(), *shared]  # type: ignore[attr-defined]


def _changed(one: Gap) -> Part:
    """How far the rows of the validation front fall on test, in the first objectives and their own units."""
    changes = [_change(name, _fall(one, name)) for name in list(one.objectives)[:_MOST_NAMED]]
    on_average = "_on_average" * _is_mean(one)
    return briefest(part(f"gap.headline.one{on_average}", changes=changes[:n]) for n in range(len(changes), 0, -1))


def _changed_by_group(gaps: Mapping[str, Gap]) -> Part:
    """The same in the first objective, by group."""
    first = next(iter(gaps.values()))
    name, on_average = next(iter(first.objectives)), "_on_average" * _is_mean(first)
    falls = {group: _fall(one, name) for group, one in gaps.items()}
    called = measured(name, 0.0)["name"]
    low, high = (_amount(name, fall) for fall in (min(falls.values()), max(falls.values())))
    ends = part(f"gap.headline.many{on_average}", name=called, low=low, high=high)
    if len(gaps) > _MOST_NAMED:
        return ends
    groups = [part("gap.phrases.of_group", group=group, **apart(name, fall)) for group, fall in falls.items()]
    directions = {_direction(fall) for fall in falls.values()}
    if len(directions) > 1 or "unknown" in directions:
        return ends
    kind = f"groups_{directions.pop()}{on_average}"
    return briefest([part(f"gap.headline.{kind}", name=called, groups=groups), ends])


def _is_mean(one: Gap) -> bool:
    return is_repeated({"one": one}) and one.kind == "repetitions"


def _change(name: Hashable, fall: float) -> Part:
    return part("gap.phrases.change", name=measured(name, 0.0)["name"], amount=_amount(name, fall))


def _amount(name: Hashable, fall: float) -> Part:
    return part(f"gap.phrases.{_direction(fall)}", **apart(name, fall))


def _direction(fall: float) -> str:
    if math.isnan(fall):
        return "unknown"
    if fall == 0:
        return "same"
    return "worse" if fall > 0 else "better"


def _searches_of(one: Gap) -> list[Gap]:
    """The searches that a gap is of; of resamples, the one that they are of."""
    return list(one.gaps.values()) if getattr(one, "kind", "") == "repetitions" else [one.first_search]


def _on_front(one: Gap, name: Hashable) -> list[np.ndarray]:
    """Costs of the rows of each validation front, on validation and on test, shape (n, 2)."""
    k = list(one.objectives).index(name)
    return [
        np.column_stack((search.scores.validation[front, k], search.scores.test[front, k]))
        for search in _searches_of(one)
        for front in [search.fronts.validation]
    ]


def _fall(one: Gap, name: Hashable) -> float:
    """By how much the rows of the validation front are worse on test, on average over the searches.

    Infinite scores, as of failed runs, have no difference.
    """
    with np.errstate(invalid="ignore"):
        falls = [np.diff(costs) for costs in _on_front(one, name)]
    means = [fall[np.isfinite(fall)].mean() for fall in falls if np.isfinite(fall).any()]
    return float(np.mean(means)) if means else math.nan


def _ranges(one: Gap) -> list[Part]:
    """The range of every score on the validation front, on validation and on test."""
    said: list[Part] = []
    for name, sign in list(zip(one.objectives, one.objectives.signs, strict=True))[:_MOST_RANGES]:
        values = np.concatenate(_on_front(one, name)) * sign + 0.0
        low, high = values.min(axis=0), values.max(axis=0)
        ends = {"low": float(low[0]), "high": float(high[0]), "test_low": float(low[1]), "test_high": float(high[1])}
        said.append(part("gap.reasons.change", **{**measured(name, *ends.values()), **ends}))
    return said


def _kept(one: Gap, group: str = "") -> Part:
    """What a front is worth on test, next to what validation promised: 0.74 to 0.77 of the promised 0.82."""
    searches = one.searches
    promised, low, high = searches[["hv_validation", "hv_pessimistic", "hv_optimistic"]].mean()
    if hasattr(one, "ways"):  # of which any may be the right one
        low, high = searches["hv_pessimistic"].min(), searches["hv_optimistic"].max()
    digits = digits_apart(promised, low, high)
    kept = part(f"gap.phrases.{'kept' if low == high else 'kept_between'}", low=low, high=high, digits=digits)
    found = {"promised": promised, "kept": kept, "digits": digits, **({"name": group} if group else {})}
    return part(f"gap.reasons.kept{'_by_group' * bool(group)}", **found)


def _together(sentences: list[Part]) -> Part:
    """One or two sentences as one."""
    return sentences[0] if len(sentences) == 1 else part("gap.phrases.two", first=sentences[0], second=sentences[1])


def _compared(gaps: Mapping[Hashable, Gap]) -> list[Part]:
    """How the first two compare."""
    one, other, *_ = gaps.values()
    if hasattr(one, "ways"):  # of ties there may be too many pairs
        return []
    _, *reasons = one.compare(other).parts()
    return [behind_the_card(reason) for reason in reasons]
