"""Cheaper equivalents: systems that are not worse than a chosen one within margins, at a lower cost."""

from __future__ import annotations

__all__ = ["Cheaper"]

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.multiple_testing import holm
from copa_nb.comparisons.arrays.betting import betting_pvalue
from copa_nb.comparisons.arrays.uncertainty import Uncertainty, pvalues_within
from copa_nb.comparisons.measurements import FEWEST_RESAMPLES, Measurements, beside, margins_of, remaining_at_worst
from copa_nb.comparisons.rare_losses import caveats_of_rare_losses, decided_within, losses_on_items
from copa_nb.comparisons.read_measurements import measurements_in_ranges
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.answer import Answer
from copa_nb.results.files import Files
from copa_nb.results.grouping import Options, as_described, per_group
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.printed import PrintedTable, first_columns
from copa_nb.results.result import Grouped, Worded, drawn, drawn_as_figure
from copa_nb.results.sentences import Part, measured, part, say
from copa_nb.tables.columns import as_names
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import Bounds
from copa_nb.tables.objectives import Objectives

_MOST_NAMED = 4  # groups whose system an answer names
_MOST_COLUMNS = 5  # groups that a figure has columns for
_ROW, _ROOM = 0.22, 1.1  # inches of a figure for each row, and around the rows
_N_RESAMPLES = 1000
_AT_WORST = "holm_at_worst"
# Words that say how precise values are.
_SAMPLED = ("item", "repeat", "standard_error", "n")
_OF_SINGLE_VALUES = Guarantee(
    estimates="the values in the table",
    sampled="",
    holds="",
    confidence_level=None,
    jointly=False,
    basis="none",
    method="single values were compared, so the noise in the differences is unknown",
)


@dataclass(frozen=True, repr=False, eq=False)
class Cheaper(Worded):
    """Systems that cost less than another one, and whether they are not worse within the margins.

    Parameters
    ----------
    table : DataFrame
        One row per cheaper system, the largest saving first: means of the objectives, ``saving`` (share of the cost, or
        the difference where the cost is not positive), ``pvalue`` of that system alone, ``holm`` (the p-value adjusted
        for the number of candidates, and of groups; both NaN where nothing is known of the precision) and
        ``equivalent``. Where values are missing and assumed to be so at random, ``holm_at_worst`` is the adjusted
        p-value in the worst case.
    than : label
        The system they are compared with.
    cost : label
        The objective that counts as cost.
    margin : dict of objective to number
        How much worse is still acceptable.
    alpha : float
        Probability that any system that is worse by a margin, or not cheaper, is called equivalent.
    relative : bool
        Whether savings are shares.
    measured : str
        How the precision is known; empty if it is not.
    guarantee : Guarantee
        What was sampled, how exactly `alpha` holds, and what this table gives to doubt it.
    n_groups : int
        Groups that `alpha` is shared by, of which this is one.
    differences : dict of objective to DataFrame
        By how much each cheaper system exceeds `than` in each other objective: ``difference``, and ``low`` and ``high``
        ends of an interval for it alone, from resamples (NaN where nothing is known of the precision).
    directions : dict of objective to {"max", "min"}
        What is good in these.
    """

    paper = "romano2005stepdown"

    table: pd.DataFrame
    than: Hashable
    cost: Hashable
    margin: dict[Hashable, float]
    alpha: float
    relative: bool
    measured: str
    guarantee: Guarantee
    n_groups: int = 1
    differences: dict[Hashable, pd.DataFrame] = field(default_factory=dict, repr=False)
    directions: dict[Hashable, str] = field(default_factory=dict, repr=False)

    _internals = frozenset(("differences", "directions", "relative"))
    # Routes are of all groups together.
    _of_all_groups: ClassVar[Mapping[str, Any]] = {
        "printed_tables": lambda groups: _tables_of_groups(groups),
        "plot": lambda groups, **options: _plot_routes(groups, **options),
        "route_files": lambda groups: _file_of(_routes(groups.results, as_names(groups.by))),
        "routes": lambda groups: _routes(groups.results, as_names(groups.by)),
        "to_answer": lambda groups: _answer(groups.results, _parts_of_groups(groups.results)),
    }

    def __repr__(self) -> str:
        return f"<Cheaper than {self.than!r}: {int(self.table['equivalent'].sum())} of {len(self.table)} equivalent>"

    @drawn
    def plot(self, ax: Any = None, objective: Hashable | None = None) -> Any:
        """Draw how each cheaper system differs in another objective, its interval, the margin, and what it saves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.
        objective : label, optional
            Objective in which systems differ; the first besides the cost if omitted.
        figsize : tuple of two float, optional
            Width and height of a new figure, in inches.
        title : str or False, optional
            Title of the Axes; False for none.
        palette : str or sequence of color, optional
            Colors of the series, or the name of a colormap.

        Returns
        -------
        matplotlib Axes
            Equivalent systems are in color: not worse in any objective.
        """
        return _draw_rows(self, ax, self.table.index, objective)

    @property
    def best(self) -> Hashable | None:
        """The equivalent with the largest saving; None if there is none."""
        found = self.table.index[self.table["equivalent"]]
        return found.tolist()[0] if len(found) else None

    def parts(self) -> list[Part]:
        """Which system is cheaper and not worse, by how much it differs, how many others are, and how certain it is."""
        return [self._verdict(), *self._reasons(), *_certainty(self), *self._remaining()]

    def _verdict(self) -> Part:
        """What to do: take the equivalent with the largest saving, or keep the system compared with."""
        if self.best is not None:
            kind = "found_within" if any(self.margin.values()) else "found"
            return part(f"cheaper.headline.{kind}", best=text.label(self.best), **_saved(self))
        kind = "cheapest" if self.table.empty else "none_shown" if self.measured else "none"
        return part(f"cheaper.headline.{kind}", than=text.label(self.than))

    def _reasons(self) -> list[Part]:
        """How the best differs and how many others are equivalent, or how many were none within which margins."""
        if self.best is not None:
            others = int(self.table["equivalent"].sum()) - 1
            return [*self._compared(), *[part("cheaper.reasons.others", others=others)] * (others > 0)]
        margins = [part("cheaper.phrases.margin_of", name=text.name_and_unit(name)[0], margin=size)
                   for name, size in self.margin.items() if size]  # fmt: skip
        candidates = part(f"cheaper.reasons.candidates{'_within' * bool(margins)}", n=len(self.table), margins=margins)
        return [] if self.table.empty else [candidates]

    def _compared(self) -> list[Part]:
        """By how much the best differs from the one compared with in the other objectives."""
        if not self.differences:
            return []
        place = int(np.argmax(self.table["equivalent"]))
        differences = [self._difference(name, table.iloc[place]) for name, table in self.differences.items()]
        found = {"than": text.label(self.than), "differences": differences}
        if not self.measured:
            return [part("cheaper.reasons.compared", **found)]
        return [part("cheaper.reasons.tested", **found, pvalue=self.route()["pvalue"])]

    def _difference(self, name: Hashable, row: pd.Series) -> Part:
        ends = {end: float(row[end]) for end in ("low", "high") if np.isfinite(row[end])}
        said = part(f"cheaper.phrases.difference{'_between' * bool(ends)}", name=text.name_and_unit(name)[0],
                    value=float(row["difference"]), **ends)  # fmt: skip
        size = self.margin.get(name, 0.0)
        return part("cheaper.phrases.margin", difference=said, margin=size) if size else said

    def _remaining(self) -> list[Part]:
        """How many equivalents do not depend on why values are missing."""
        if self.best is None or _AT_WORST not in self.table:
            return []
        found = self.table[self.table["equivalent"]]
        left = found.index[found[_AT_WORST] <= self.alpha]
        counts = {"remaining": len(left), "total": len(found)}
        if not 0 < len(left) < min(len(found), _MOST_NAMED + 2):
            return [remaining_at_worst("equivalents", **counts)]
        return [remaining_at_worst("equivalents_named", **counts, named=list(map(text.label, left)))]

    def to_answer(self) -> Answer:
        """Which cheaper system is not worse, and what it saves."""
        return _answer({"": self}, self.parts())

    def printed_tables(self) -> list[PrintedTable]:
        """All cheaper systems."""
        return [_savings(self.table)]

    def route(self) -> dict[str, Any]:
        """Return what a router needs, as JSON data: the system to use, and what that saves.

        Returns
        -------
        dict
            ``system`` (the equivalent with the largest saving, otherwise the one compared with), ``saving`` and
            ``pvalue`` (adjusted; None where nothing is known of the precision or nothing was found).

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.9], "cost": [4.0, 1.0]}, index=["large", "small"])
        >>> models.moo(accuracy="max", cost="min").cheaper("large").route()
        {'system': 'small', 'saving': 0.75, 'pvalue': None}
        """
        if self.best is None:
            return {"system": text.label(self.than), "saving": 0.0, "pvalue": None}
        row = self.table.iloc[int(np.argmax(self.table["equivalent"]))]
        pvalue = float(row["holm"]) if self.measured else None
        return {"system": text.label(self.best), "saving": float(row["saving"]), "pvalue": pvalue}

    def routes(self) -> dict[str, Any]:
        """Return the answer as JSON data for a router.

        The answers of several groups have this method too: which system each kind of task goes to.

        Returns
        -------
        dict
            ``format``, ``version``, ``default`` (the system compared with, for kinds of tasks that are not listed),
            ``cost``, ``margin``, ``alpha``, ``by``, and ``routes``: what :meth:`route` returns, by group. Without
            groups there is one, ``""``.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({
        ...     "model": ["large", "small"] * 2, "kind": ["code", "code", "chat", "chat"],
        ...     "accuracy": [0.9, 0.8, 0.9, 0.9], "cost": [4.0, 1.0, 4.0, 1.0]}).set_index("model")
        >>> found = models.moo(accuracy="max", cost="min").by("kind").cheaper("large")
        >>> {kind: one["system"] for kind, one in found.routes()["routes"].items()}
        {'code': 'large', 'chat': 'small'}
        """
        return _routes({"": self}, [])

    def route_files(self) -> Files:
        """Return :meth:`routes` as a file for other programs, ``routes.json``; of several groups as well.

        Returns
        -------
        Files
            Links in a notebook; ``write(folder)`` writes it.
        """
        return _file_of(self.routes())


def _answer(groups: Mapping[Hashable, Cheaper], parts: Sequence[Part]) -> Answer:
    """The answer of one or several groups."""
    first = next(iter(groups.values()))
    others = list(map(text.spoken, first.differences))
    question = part("cheaper.question", than=text.label(first.than), cost=text.name_and_unit(first.cost)[0],
                    objectives=others)  # fmt: skip
    return Answer.of(
        parts,
        question=say(question),
        used="cheaper",
        values={"than": first.than, "routes": {text.label(name): one.route() for name, one in groups.items()}},
    )


def _parts_of_groups(groups: Mapping[Hashable, Cheaper]) -> list[Part]:
    """In how many groups a system can be replaced, by which, and how certain this is."""
    first = next(iter(groups.values()))
    lines = [part("cheaper.reasons.group", group=text.label(name), best=text.label(one.best), **_saved(one))
             for name, one in groups.items() if one.best is not None]  # fmt: skip
    kind = "groups" if 0 < len(lines) < len(groups) else "all_groups" if lines else "no_group"
    # One more group takes no more room than to say that there is one.
    named = lines if len(lines) <= _MOST_NAMED + 1 else lines[:_MOST_NAMED]
    more = len(lines) - len(named)
    return [
        part(f"cheaper.headline.{kind}", than=text.label(first.than), replaced=len(lines), groups=len(groups)),
        *named,
        *[part("cheaper.reasons.more_groups", n=more)] * (more > 0),
        *_certainty(first),
    ]


def _certainty(one: Cheaper) -> list[Part]:
    """What is guaranteed, and whether a level is that of all groups."""
    shared = bool(one.measured) and one.n_groups > 1
    groups = [part("cheaper.details.groups", groups=one.n_groups)] * shared
    return [*one.guarantee.stated(), *groups, *one.guarantee.doubts()]


def _saved(one: Cheaper) -> dict[str, Any]:
    """What a system saves, a share or an amount where the cost is not positive, and of what."""
    saving = one.route()["saving"]
    amount = measured(one.cost, saving)
    share = part("cheaper.phrases.share", share=saving)
    return {"saving": share if one.relative else part("cheaper.phrases.amount", **amount), "cost": amount["name"]}


def _file_of(routes: Mapping[str, Any]) -> Files:
    content = json.dumps(routes, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return Files({"routes.json": content}, "The routes for other programs:")


def _draw_rows(result: Cheaper, ax: Any, rows: pd.Index, objective: Hashable | None = None) -> Any:
    """Draw some systems as rows, also those that are not cheaper here, which stay empty."""
    from copa_nb.plotting.rows import draw_rows
    from copa_nb.plotting.style import INK, directed_label

    name = _drawn_objective(result, objective)
    places = result.table.index.get_indexer(rows)
    notes = [_saving_at(result, int(place)) if place >= 0 else "" for place in places]
    marked = pd.Series([place >= 0 and bool(result.table["equivalent"].iloc[place]) for place in places])
    if name is None:
        draw_rows(
            result.table["saving"], f"saving in {text.spoken(result.cost)}", ax=ax, marked=result.table["equivalent"]
        )
        return ax
    shown = result.differences[name].iloc[np.maximum(places, 0)].set_axis(rows)
    shown.loc[places < 0] = np.nan  # it is not cheaper in this group
    draw_rows(
        shown["difference"], directed_label(f"difference in {text.spoken(name)}", result.directions[name]), ax=ax,
        intervals=shown[["low", "high"]], marked=marked, notes=notes, notes_label="saved",
    )  # fmt: skip
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    if result.margin.get(name):
        worse = result.margin[name] * (-1 if result.directions[name] == "max" else 1)
        ax.axvline(worse, color=INK, linewidth=1, linestyle=":", zorder=1)
    return ax


def _drawn_objective(result: Cheaper, objective: Hashable | None) -> Hashable | None:
    """The objective in which differences are drawn; None without any besides the cost."""
    if objective is not None:
        checks.one_of("objective", objective, tuple(result.differences))
        return objective
    return next(iter(result.differences), None)


def _caption(result: Cheaper, order: str, objective: Hashable | None = None) -> str:
    """What the picture shows, and how it is read."""
    name, than = _drawn_objective(result, objective), text.label(result.than)
    if name is None:
        return f"Saving in {text.spoken(result.cost)} of each system that is cheaper than {than}; equivalents in color."
    interval = f", each with an interval of its own ({text.percent(1 - result.alpha)})" * bool(result.measured)
    others = f", here {text.spoken(name)}" if len(result.differences) > 1 else ""
    margin = " The dotted line is the margin." if result.margin.get(name) else ""
    color = "significantly not worse, by a test that allows for all of them" if result.measured else "equivalent"
    return (
        f"Difference of each cheaper system from {than}{others}{interval}; {order}, and what is saved of "
        f"{text.spoken(result.cost)} stands at the right.{margin} In color: {color}."
    )


def _saving_at(result: Cheaper, place: int) -> str:
    saving = float(result.table["saving"].iloc[place])
    return f"{text.number(100 * saving, 3)}%" if result.relative else text.number(saving, 3)


@drawn_as_figure
def _plot_routes(groups: Grouped[Cheaper]) -> Any:
    """Draw a column for each group, with the same systems as rows; of many groups, only what the chosen ones save."""
    from copa_nb.plotting.axes import panels
    from copa_nb.plotting.style import literal

    found, systems = list(groups.results.items()), _systems_of(groups)
    if len(found) > _MOST_COLUMNS:
        return _plot_chosen(groups)
    height = _ROOM + _ROW * len(systems)
    figure, axes = panels(len(found), height=height, narrow_height=height, sharex=True, sharey=True)
    for (name, one), ax in zip(found, np.ravel(np.array(axes, dtype=object)), strict=True):
        _draw_rows(one, ax, systems)
        ax.set_title(literal(text.label(name)))
    return figure


def _systems_of(groups: Grouped[Cheaper]) -> pd.Index:
    """The systems that are cheaper in any group, by what they save there on average."""
    saving = groups.table.reset_index(drop=True)["saving"]
    labels = [label for one in groups.results.values() for label in one.table.index]
    return pd.Series(saving.to_numpy()).groupby(pd.Index(labels, tupleize_cols=False)).mean().sort_values()[::-1].index


def _plot_chosen(groups: Grouped[Cheaper]) -> Any:
    """Draw how much the system of each group saves."""
    from copa_nb.plotting.axes import panels
    from copa_nb.plotting.rows import draw_rows

    found = [one.route() for one in groups.results.values()]
    names = [f"{text.label(name)}: {route['system']}" for name, route in zip(groups.results, found, strict=True)]
    first = next(iter(groups.results.values()))
    cost = text.spoken(first.cost)
    figure, ax = panels(height=_ROOM + 0.3 * len(groups))
    draw_rows(
        pd.Series([route["saving"] for route in found], index=names),
        f"share of {cost} saved" if first.relative else f"saving in {cost}", ax=ax,
        marked=pd.Series([one.best is not None for one in groups.results.values()], index=names),
    )  # fmt: skip
    return figure


@describes(_plot_routes)
def _routes_in_words(groups: Grouped[Cheaper]) -> Picture:
    first = next(iter(groups.results.values()))
    than, cost = text.label(first.than), text.spoken(first.cost)
    what = f"The system for each group, and its saving in {cost} compared with {than}; in gray where no other is shown."
    return Picture(
        finding=say(_parts_of_groups(groups.results)[0]),
        caption=what if len(groups) > _MOST_COLUMNS else _caption(first, "each column is a group"),
        alt=f"Rows of systems with their difference from {than} and their saving in {cost}, in {len(groups)} groups.",
        data=_tables_of_groups(groups)[0].frame,
    )


def _savings(table: pd.DataFrame) -> PrintedTable:
    """Means, savings and p-values of all cheaper systems, the verdict first."""
    return PrintedTable(
        frame=first_columns(table, "equivalent"),
        name="savings",
        caption="All cheaper systems: whether they are equivalent, means, savings and p-values.",
        headers={"pvalue": "p", "holm": "p after Holm"},
        folded=True,
    )


def _tables_of_groups(groups: Grouped[Cheaper]) -> list[PrintedTable]:
    """The system for each group, and all cheaper systems of all groups."""
    rows = pd.DataFrame([one.route() for one in groups.results.values()])
    names = pd.Index(list(map(text.label, groups.results)), name=", ".join(map(str, as_names(groups.by))))
    routes = PrintedTable(
        frame=rows.set_axis(names),
        name="routes",
        caption="The system for each kind of task, its saving, and the adjusted p-value.",
        headers={"pvalue": "p after Holm"},
    )
    return [routes, _savings(groups.table)]


def _routes(groups: Mapping[Hashable, Cheaper], by: list[Hashable]) -> dict[str, Any]:
    first = next(iter(groups.values()))
    return {
        "format": "copa_nb.routes",
        "version": 1,
        "default": text.label(first.than),
        "cost": str(first.cost),
        "margin": {str(name): size for name, size in first.margin.items()},
        "alpha": first.alpha,
        "by": [str(name) for name in by],
        "routes": {text.label(group): one.route() for group, one in groups.items()},
    }


def _with_the_same_system(table: DescribedFrame, options: Options) -> tuple[DescribedFrame, Options]:
    """Name the cost, and the system that all groups are compared with."""
    table, options = as_described(table, options)
    cost = cost_of(table.objectives(), options.get("cost"))
    than = options.get("than")
    return table, options | {"cost": cost, "than": _most_expensive(table, cost) if than is None else than}


def cost_of(objectives: Objectives, cost: Hashable | None) -> Hashable:
    """The objective that counts as cost: the only one that is minimized, unless one is named."""
    if cost is not None:
        objectives.position(cost, "cost")
        if objectives.direction(cost) != "min":
            raise ValueError(f"`cost` is {cost!r}, which is maximized; name an objective that is minimized.")
        return cost
    minimized = [name for name in objectives if objectives.direction(name) == "min"]
    if len(minimized) != 1:
        raise ValueError(
            f"`cost` is missing, and {text.listing(minimized) or 'no objective'} "
            f"{'are' if minimized else 'is'} minimized; name the objective that should be lower."
        )
    return minimized[0]


def _most_expensive(table: DescribedFrame, cost: Hashable) -> Hashable | None:
    """The system with the highest mean cost; None where the column has no numbers, which is said of the first group."""
    frame = table.frame
    if cost not in frame:
        return None
    numbers = pd.to_numeric(frame[cost], errors="coerce").to_numpy(dtype=float)
    if table.say("system") is None:
        codes, index = pd.factorize(frame.index)
    else:
        systems = table.labels("system")
        codes, index = systems.codes, systems.index
    means = pd.Series(numbers).groupby(codes).mean().dropna()
    return None if means.empty else index.tolist()[means.index[int(np.argmax(means))]]


def _for_all_groups(found: Grouped[Cheaper]) -> Grouped[Cheaper]:
    """Adjust the p-values of every group for the number of groups, so that `alpha` is the rate over all of them."""
    n_groups = len(found)
    return Grouped({group: _shared(one, n_groups) for group, one in found.items()}, found.by)


def _shared(found: Cheaper, n_groups: int) -> Cheaper:
    if not found.measured:
        return found
    columns = [name for name in ("holm", _AT_WORST) if name in found.table]
    adjusted = (found.table[columns] * n_groups).clip(upper=1.0)
    table = found.table.assign(**adjusted, equivalent=adjusted["holm"] <= found.alpha)
    return replace(found, table=table, n_groups=n_groups)


@per_group(_with_the_same_system, _for_all_groups)
def cheaper(
    table: DescribedFrame,
    than: Hashable | None = None,
    *,
    cost: Hashable | None = None,
    margin: Mapping[Hashable, float] | None = None,
    alpha: float = 0.05,
    bounds: Bounds = None,
) -> Cheaper:
    """Find systems that are cheaper than another one, and not worse by more than a margin in any other objective."""
    checks.fraction("alpha", alpha)
    sampled = any(table.say(word) for word in _SAMPLED)
    read = measurements_in_ranges(table if sampled else table.saying(standard_error={}), bounds)
    labels = read.labels.tolist()
    if than is not None and than not in labels:
        raise ValueError(f"`than` is {than!r}, which is not in the table.{checks.nearest(than, labels)}")
    cost = cost_of(read.objectives, cost)
    margins = _margins(read, cost, margin or {})
    checks.nothing_refused()
    return _compare(
        read, None if than is None else labels.index(than), read.objectives.position(cost), margins, alpha,
        sampled=sampled,
    )  # fmt: skip


def _margins(read: Measurements, cost: Hashable, margin: Mapping[Hashable, float]) -> dict[Hashable, float]:
    others = Objectives.of({name: way for name, way in read.objectives.directions if name != cost} or {cost: "min"})
    if isinstance(margin, Mapping) and cost in margin:
        raise ValueError(f"`margin` names the cost {cost!r}; an equivalent must be cheaper.")
    return {name: size for name, size in margins_of(others, margin).items() if name != cost}


def _compare(
    read: Measurements, than: int | None, position: int, margins: dict[Hashable, float], alpha: float, *, sampled: bool
) -> Cheaper:
    # The tests of differences decide; the resamples are for the intervals that are drawn.
    measured = read.uncertainty(_N_RESAMPLES if sampled else FEWEST_RESAMPLES, checks.generator(0))
    names = read.objectives.names
    costs = measured.means[:, position]
    than = int(np.argmax(costs)) if than is None else than
    limits = np.array([margins.get(name, 0.0) for name in names])
    pvalues, adjusted = _pvalues(read, measured, than, position, limits, alpha)
    rows = np.flatnonzero(costs < costs[than])
    before = costs[than]
    saving = (before - costs[rows]) / (before if before > 0 else 1.0)
    order = np.argsort(-saving, kind="stable")
    rows, saving = rows[order], saving[order]
    computed = pd.DataFrame(
        {
            "saving": saving,
            "pvalue": pvalues[rows] if sampled else np.nan,
            "holm": adjusted[rows] if sampled else np.nan,
            "equivalent": adjusted[rows] <= alpha,
        },
        index=read.labels[rows],
    )
    if read.assumes_randomness:
        worst = read.at_worst().uncertainty(FEWEST_RESAMPLES, checks.generator(0))
        computed[_AT_WORST] = _pvalues(replace(read, ranges={}), worst, than, position, limits, alpha)[1][rows]
    equivalents = rows[adjusted[rows] <= alpha]
    others = [k for k in range(len(names)) if k != position]
    return Cheaper(
        differences={
            names[k]: _differences(read, measured, k, rows, than, alpha if sampled and read.ends is None else None)
            for k in others
        },
        directions={names[k]: read.objectives.direction(names[k]) for k in others},
        table=beside(computed, read.in_own_units(measured.means)),
        than=read.labels.tolist()[than],
        cost=names[position],
        margin=margins,
        alpha=alpha,
        relative=bool(before > 0),
        measured=read.describe() if sampled else "",
        guarantee=read.guarantee(measured, alpha, "all systems called equivalent are equivalent", equivalence=True).but(
            warnings=caveats_of_rare_losses(
                read, (one for row in equivalents for one in decided_within(read, measured, int(row), than, limits))
            )
        )
        if sampled
        else _OF_SINGLE_VALUES,
    )


def _differences(
    read: Measurements, measured: Uncertainty, k: int, rows: np.ndarray, than: int, alpha: float | None
) -> pd.DataFrame:
    """By how much systems exceed another one in an objective, each with an interval of its own if `alpha` is given."""
    sign = read.objectives.signs[k]
    found = pd.DataFrame({"difference": sign * (measured.means[rows, k] - measured.means[than, k])})
    found[["low", "high"]] = np.nan
    if alpha is not None:
        drawn = sign * (measured.draws[:, k, rows] - measured.draws[:, k, [than]])
        found[["low", "high"]] = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=0).T
    return found.set_index(read.labels[rows])


def _pvalues(
    read: Measurements, measured: Uncertainty, than: int, position: int, limits: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """p-values of each system alone, and adjusted for the number of candidates; 1 for what is no candidate."""
    costs = measured.means[:, position]
    within = pvalues_within(measured, than, limits)
    # Where the cost is an estimate, each other system might have been found to be cheaper.
    candidates = (costs < costs[than]) | ~measured.known[position, than]
    candidates[than] = False
    for name, (low, high) in read.ranges.items():
        k = read.objectives.position(name)
        if name in read.known or read.has_two_values(k):
            continue
        for row in np.flatnonzero(candidates):
            within[row, k] = _bet(read, int(row), than, k, limits[k], high - low, alpha / max(candidates.sum(), 1))
    pvalues = within.max(axis=1)
    adjusted = np.ones(len(costs))
    adjusted[candidates] = holm(pvalues[candidates])
    return pvalues, adjusted


def _bet(
    read: Measurements, row: int, than: int, position: int, limit: float, reach: float, alpha: float
) -> float:  # fmt: skip
    """p-value against a mean loss of the limit or more, where no loss can exceed the range of the scores."""
    losses = losses_on_items(read, row, than, position)
    there = ~np.isnan(losses)
    clusters = None if read.clusters is None else np.unique(read.clusters[there], return_inverse=True)[1]
    return betting_pvalue(losses[there], limit, -reach, reach, alpha, clusters)


@describes(Cheaper.plot)
def _savings_in_words(result: Cheaper, objective: Hashable | None = None) -> Picture:
    total, than, name = len(result.table), text.label(result.than), _drawn_objective(result, objective)
    return Picture(
        finding=result.headline,
        caption=_caption(result, "the largest saving is on top", name),
        alt=f"Rows with the difference of each of {total:,} systems from {than}, and its saving.",
        data=result.table if name is None else result.table.join(result.differences[name]),
        height=_ROOM + _ROW * min(total, 30),
        narrow_height=_ROOM + 0.27 * min(total, 30),
    )
