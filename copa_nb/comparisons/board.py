"""Rankings with confidence: simultaneous intervals of ranks, and tiers."""

from __future__ import annotations

__all__ = ["Board"]

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as calendar_date
from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.orders import depths_from_top, log2_linear_extensions, transitive_closure, width
from copa_nb.comparisons.arrays.prediction import next_value, ranks_on_items
from copa_nb.comparisons.arrays.uncertainty import beaten, known_equal, significantly_better
from copa_nb.comparisons.forecast import Forecast
from copa_nb.comparisons.measurements import FEWEST_RESAMPLES, Measurements, beside, remaining_at_worst
from copa_nb.comparisons.more_measurements import enlarged
from copa_nb.comparisons.published_board import PublishedBoard
from copa_nb.comparisons.read_measurements import measurements
from copa_nb.costs import MOST_SECONDS, check_pairs
from copa_nb.ranking.arrays.criterion import weighted_norm
from copa_nb.ranking.criterion import Criterion, WeightsLike
from copa_nb.ranking.ranking import Ranking, Weighed, criterion_of_claim
from copa_nb.results.answer import Answer
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import claim_line
from copa_nb.results.sentences import Part, as_reason, behind_the_card, measured, part, say, shortened
from copa_nb.run_options import said
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import to_minimization

_MOST_NAMED, _LONG = 4, 20  # systems that an answer names besides the first; rows of a table that a page folds
_TOPS = (3, 10)
_ROUNDING = 1e-12
# Draws of signs behind the tiers of fewer systems.
_DRAWS_WITH_FEWER = 1000
# Signs or draws of each simulated table: each counts once, so that few do.
_DRAWS_OF_FORECASTS = 199


@dataclass(frozen=True, repr=False, eq=False)
class Board(PublishedBoard):
    """Simultaneous intervals of ranks, and tiers.

    Parameters
    ----------
    table : DataFrame
        One row per system, best first: the means of the objectives, ``rank`` and ``score`` by them, ``low`` and
        ``high`` ends of the interval of the rank, ``tier``, and ``may_be_first``. A tier has the best system that is
        left and all that are not significantly behind it; two of its members may differ significantly from each other.
        Where values are missing, systems come by tier and, within a tier, by ``high``, the worst rank that is possible:
        the best mean may be known from a few items only. ``items`` is the number of items that a system was measured
        on.
    choice : Ranking
        The order of the means: its ``best``, ``weights``, ``p`` and ``table``.
    alpha : float
        Probability, over new samples, that any true rank is outside its interval.
    measured : str
        How the precision is known.
    guarantee : Guarantee
        What was sampled, how exactly `alpha` holds, and what this table gives to doubt it.
    ahead : DataFrame of bool
        Whether the system of a row is significantly ahead of that of a column, in the order of `table`. If A is ahead
        of B and B of C, A is ahead of C.
    title, date : str
        What the board is called, and the state of its scores in ISO format, where it was published.
    projection : Forecast, optional
        What more items would resolve, where it was published.
    scores : DataFrame, optional
        With one objective, ``low`` and ``high`` ends of an interval of the mean of each system alone, from resamples
        of what was measured, in the order of `table`; None where the board was read from a file, or holds whatever is
        missing.
    inputs : Measurements, optional
        What was measured; not where the board was read from a file.
    """

    _internals = frozenset(
        (
            "ahead",
            "choice",
            "date",
            "files",
            "printed",
            "projection",
            "published",
            "read",
            "schema",
            "scores",
            "title",
            "to_svg",
        )
    )

    scores: pd.DataFrame | None = field(default=None, repr=False)
    inputs: Measurements | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        counts = self.table["tier"].value_counts().sort_index().tolist()
        sizes = ", ".join(map(str, counts[:6])) + (", …" if len(counts) > 6 else "")
        first, leader = self.table.index.tolist()[0], self.choice.best
        best = f"best {self.choice.best!r}" if first == leader else f"best guaranteed rank {first!r}"
        return f"<Board of {len(self.table)}: {sizes}; α = {self.alpha:g}, {best}>"

    def top(self, k: int) -> pd.DataFrame:
        """Systems that may be among the first k, and which of them certainly are, all with the stated confidence.

        Parameters
        ----------
        k : int
            At least 1.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` of each system that may be, and ``certain``: whether no rank above k is possible.

        Raises
        ------
        ValueError
            If `k` is not a whole number of at least 1.
        """
        k = checks.integer("k", k, least=1)
        possible = self.table.loc[self.table["low"] <= k, ["low", "high"]]
        return possible.assign(certain=possible["high"] <= k)

    def ranks_on_new_item(self, *, confidence_level: float | None = None) -> pd.DataFrame:
        """Predict the rank of each system on one further item, or cluster of items.

        The intervals of `table` are about the mean over all items, and get narrower with more of them. A rank on a
        single new item varies as much as those on the items that are known.

        Parameters
        ----------
        confidence_level : float, optional
            Probability, for each system, that its rank is in its interval; ``1 - alpha`` of the tiers if omitted.

        Returns
        -------
        DataFrame
            ``mean_rank`` over the items, and ``low`` and ``high`` ends of the interval, in the order of `table`.
            Systems that tie share the mean of their ranks. With too few items every rank is possible: 19 are needed
            for 95%, 9 for 90%.

        Raises
        ------
        ValueError
            Without items, or if `confidence_level` is not between 0 and 1.

        Notes
        -----
        The level holds for any number of items and any distribution, provided that the new item is exchangeable with
        the known ones, as if all had been drawn from the same suite (conformal prediction by the distance from the
        median), and that the system was named before: the best of many is partly the luckiest, and its rank on a new
        item is worse. :meth:`explain` divides the error by the number of systems. With `cluster`, ranks are those of
        the means over a cluster of items, since items of one cluster are not exchangeable with those of another. Where
        values are missing, a rank among the systems that an item has is stretched to all systems, and the level is
        approximate.

        Examples
        --------
        >>> from copa_nb import datasets
        >>> scores = datasets.load_uci_classifiers(unit="fold").query("dataset == 'Ionosphere'")
        >>> result = scores.moo({"auc": "max"}, system="classifier", item="fold").board()
        >>> result.ranks_on_new_item(confidence_level=0.9).loc[["rf", "CART"]].to_numpy().tolist()
        [[2.1, 1.0, 4.0], [5.4, 2.0, 8.0]]
        """
        alpha = self.alpha
        if confidence_level is not None:
            checks.fraction("confidence_level", confidence_level)
            alpha = 1 - confidence_level
        read = self._measurements()
        if read.items is None:
            raise ValueError(f"ranks on a new item are predicted from those on known ones, and {read.missing_items}")
        weights = np.array(list(self.choice.weights.values()))
        ranks = ranks_on_items(read.costs_of_units(), weights, self.choice.p)
        ranks = ranks[:, read.labels.get_indexer(self.table.index)]
        # Ties share halves of ranks.
        possible = np.arange(2, 2 * len(self.table) + 1) / 2
        ends = [next_value(known[~np.isnan(known)], possible, alpha) for known in ranks.T]
        found = pd.DataFrame(ends, columns=["low", "high"], index=self.table.index)
        found.insert(0, "mean_rank", np.nanmean(ranks, axis=0))
        return found

    def with_fewer_systems(
        self, *, leave_out: float = 0.5, n_resamples: int = 20, rng: int | np.random.Generator | None = 0
    ) -> pd.DataFrame:
        """Leave out systems at random, form tiers of the others, and count what changes between these.

        Fewer comparisons are adjusted for when there are fewer systems, so that more pairs may be ordered. With one
        objective, little else should change. With several, COPA's criterion counts how many systems are better in each,
        so that the order of two may depend on others.

        Parameters
        ----------
        leave_out : float
            Share of the systems that are left out; the best one by the means stays.
        n_resamples : int
            How often.
        rng : int, Generator or None
            Seed of the draws.

        Returns
        -------
        DataFrame
            One row per draw: ``best`` by the means, and of the ``pairs`` of systems that stay, how many are
            ``newly_ordered``, ``no_longer_ordered`` and ``reversed``.

        Raises
        ------
        ValueError
            If `leave_out` is not between 0 and 1, or leaves fewer than two systems.

        Examples
        --------
        >>> from copa_nb import datasets
        >>> scores = datasets.load_uci_classifiers(unit="fold").query("dataset == 'Ionosphere'")
        >>> result = scores.moo({"auc": "max"}, system="classifier", item="fold").board()
        >>> result.with_fewer_systems(n_resamples=3)["reversed"].tolist()
        [0, 0, 0]
        """
        checks.fraction("leave_out", leave_out)
        generator = checks.generator(rng)
        read, labels = self._measurements(), self.choice.table.index
        n_kept = len(labels) - round(leave_out * len(labels))
        if n_kept < 2:
            raise ValueError(f"`leave_out` is {leave_out!r}, which leaves {n_kept} of {len(labels)} systems; keep two.")
        rows = []
        for _ in range(checks.integer("n_resamples", n_resamples)):
            others = generator.choice(np.arange(1, len(labels)), n_kept - 1, replace=False)
            kept = labels[np.sort(np.append(0, others))]
            fewer = board_of(
                read.of_systems(np.sort(read.labels.get_indexer(kept))), self.choice.p,
                list(self.choice.weights.values()), self.alpha, _DRAWS_WITH_FEWER, generator,
            )  # fmt: skip
            before, now = (found.loc[kept, kept].to_numpy() for found in (self.ahead, fewer.ahead))
            rows.append(
                {
                    "best": fewer.choice.best,
                    "pairs": len(kept) * (len(kept) - 1) // 2,
                    "newly_ordered": int((now & ~before & ~before.T).sum()),
                    "no_longer_ordered": int((before & ~now & ~now.T).sum()),
                    "reversed": int((before & now.T).sum()),
                }
            )
        return pd.DataFrame(rows)

    def resolution(self, *, rng: int | np.random.Generator | None = 0) -> pd.Series:
        """Measure how much of a ranking is established.

        Parameters
        ----------
        rng : int, Generator or None
            Seed of the draws where rankings are too many to be counted.

        Returns
        -------
        Series
            ``pairs`` of systems, and how many are ``ordered``; ``height``, the most systems of which each is
            significantly ahead of the next; ``width``, the most systems of which none is ahead of another (all four
            are integers); ``bits``, the base-2 logarithm of the number of rankings that contradict no ordered pair,
            with its standard ``error`` (0 if it was counted) and what it would be without any ordered pair,
            ``bits_unordered``; ``smallest_ordered``, the smallest difference of means (of scores, with several
            objectives) of an ordered pair, and ``largest_open``, the largest one of a pair that is not ordered.

        Raises
        ------
        ValueError
            If `rng` is none of these.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> scores = pd.DataFrame({"score": [527.0, 526, 391], "se": [2.5, 3.1, 3.0]})
        >>> result = copa_nb.moo(scores, {"score": "max"}, standard_error={"score": "se"}).board()
        >>> result.resolution()[["ordered", "height", "width", "bits", "smallest_ordered", "largest_open"]].tolist()
        [2, 2, 2, 1.0, 135.0, 1.0]
        """
        ahead = self.ahead.to_numpy()
        n = len(ahead)
        bits, error = log2_linear_extensions(ahead, checks.generator(rng))
        value = self.table["score" if len(self.choice.objectives) > 1 else self.table.columns[0]].to_numpy()
        pairs = np.triu(np.ones((n, n), dtype=bool), 1)
        ordered = pairs & (ahead | ahead.T)
        differences = np.abs(value[:, None] - value)
        return pd.Series(
            {
                "pairs": int(pairs.sum()),
                "ordered": int(ordered.sum()),
                "height": int(depths_from_top(ahead).max(initial=-1) + 1),
                "width": int(width(ahead)),
                "bits": float(bits),
                "error": float(error),
                "bits_unordered": float(np.log2(np.arange(1, n + 1)).sum()),
                "smallest_ordered": float(differences[ordered].min()) if ordered.any() else np.nan,
                "largest_open": float(differences[pairs & ~ordered].max()) if (pairs & ~ordered).any() else np.nan,
            },
            dtype=object,
        )

    def claim(self, system: Hashable, k: int = 1, *, id: str = "") -> str:
        """Write that a system is among the first k as a claim, a line for a file that :func:`copa_nb.check` checks.

        Parameters
        ----------
        system : label
            One of the systems.
        k : int
            At least 1: the system is the best.
        id : str
            Name of the claim; by default, claims are named by what they say.

        Raises
        ------
        ValueError
            For an unknown system.
        """
        checks.one_of("system", system, self.table.index.tolist())
        at_most = k if checks.integer("k", k) > 1 else None
        return claim_line(id=id, rank=text.label(system), at_most=at_most, **criterion_of_claim(self.choice))

    def forecast(
        self,
        *,
        times: int | Sequence[int] = 2,
        n_simulations: int = 19,
        rng: int | np.random.Generator | None = 0,
    ) -> Forecast:
        """Simulate how many pairs more items (or runs) would resolve.

        Each simulated table has what was measured, and further items drawn from those at hand. Their means are drawn
        given the measured ones, which noise has spread further apart than the truth; the tiers are then computed as
        for a measured table. The answer is a projection without a range: near the ceiling of a scale, and with skewed
        costs, the spread of simulated tables held as little as 64% of larger ones where it should have held 90%.

        Parameters
        ----------
        times : int or sequence of int
            How many times as many items; at least 2.
        n_simulations : int
            Simulated tables of each size.
        rng : int, Generator or None
            Seed of the simulations.

        Returns
        -------
        Forecast

        Raises
        ------
        ValueError
            If `times` is below 2.
        """
        return _forecast_of(self, self._measurements(), times, n_simulations, rng)

    def write(
        self, folder: str | os.PathLike[str], name: str = "board", *, title: str = "", date: str = "", more: int = 1
    ) -> list[Path]:
        """Publish the board: ``board.json``, ``board.md``, the badge ``board.svg`` and the page ``board.html``.

        Parameters
        ----------
        folder : path
            Made if it is missing.
        name : str
            Of the files, without ending.
        title : str
            What the board is called.
        date : str
            State of the scores, in ISO format, such as "2026-11-01".
        more : int
            Also say what so many times as many items (or runs) would resolve; see :meth:`forecast`.

        Returns
        -------
        list of Path

        Raises
        ------
        ValueError
            If `date` is not in ISO format, or `more` is below 1.
        """
        checks.integer("more", more)
        forecast = self.forecast(times=more) if more > 1 else None
        files = self.published(title=title, date=date, forecast=forecast).files(name)
        place = files.write(folder)
        return [place / file for file in files]

    def published(self, *, title: str = "", date: str = "", forecast: Forecast | None = None) -> Board:
        """Return the board as it is published: with a title, a date, and what more items would resolve.

        Parameters
        ----------
        title : str
            What the board is called.
        date : str
            State of the scores, in ISO format, such as "2026-11-01".
        forecast : Forecast, optional
            Of :meth:`forecast`.

        Returns
        -------
        Board

        Raises
        ------
        ValueError
            If `date` is not in ISO format.
        """
        if date:
            try:
                calendar_date.fromisoformat(date)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{checks.called('date')} is {date!r}; it must be a date such as 2026-11-01."
                ) from None
        return replace(self, title=title or self.title, date=date or self.date, projection=forecast or self.projection)

    def parts(self) -> list[Part]:
        """Who may rank first, who leads, how many pairs are resolved, and how certain this is."""
        projected = [] if self.projection is None else self.projection.parts()
        more = [as_reason(one) for one in projected[:1]]
        return [
            self._verdict(),
            *self._leaders(),
            *[part("board.reasons.resolved", ordered=self.n_ordered, pairs=self.n_pairs)] * (self.n_pairs > 1),
            *more,
            *self.guarantee.stated(),
            part("board.details.measured", measured=self.measured),
            self._true_rank(),
            *self._tops(),
            *self._prediction(),
            *map(behind_the_card, projected[1:]),
            *self.guarantee.doubts(),
        ]

    def _verdict(self) -> Part:
        """What to do: choose the first, or choose by something else among those that are tied."""
        rows, systems = len(self.table), self._systems
        tied = [self._named(one) for one in self.may_be_first]
        if rows == 1:
            return part("board.headline.only", best=tied[0])
        if len(tied) == 1:
            kind = "ahead" if self.table["high"].iloc[0] == 1 else "alone"
            if rows > 2:
                return part(f"board.headline.{kind}", best=tied[0], others=rows - 1, systems=systems)
            return part(f"board.headline.{kind}_of_two", best=tied[0],
                        other=self._named(self.table.index[1]))  # fmt: skip
        ways = [way for _, way in self.choice.objectives.directions]
        by = part(f"board.phrases.{'cost' if ways == ['max'] else 'what_else'}")
        if len(tied) == 2:
            return part("board.headline.tied_two", tied=tied, by=by)
        if len(tied) == rows:
            return part("board.headline.all_tied", rows=rows, systems=systems, by=by)
        return part("board.headline.tied", n=len(tied), rows=rows, systems=systems, by=by)

    def _leaders(self) -> list[Part]:
        """Who has the best mean, and who may also rank first; where values are missing, who is the surest, too."""
        first, leader = self.table.index[0], self.choice.best
        if first != leader:
            guaranteed = part("board.reasons.guaranteed", best=self._named(first, begins=True))
            return [guaranteed, self._leader_without_rank(leader)]
        found = {"best": self._named(first, begins=True), "leads": self._leads(leader)}
        others = [self._named(one) for one in self.may_be_first if one != first]
        if not others:
            return [part("board.reasons.best", **found)]
        return [part("board.reasons.best_of_tied", **found, others=shortened(others, _MOST_NAMED))]

    def _leads(self, leader: Hashable) -> Part:
        """In what the first system is best: the mean of a single objective, or the criterion."""
        name, *further = self.choice.objectives
        if further:
            return part("board.phrases.first_by_means")
        means = self.table.iloc[:, 0].tolist()
        value = measured(name, means[self.table.index.tolist().index(leader)])
        is_mean = value["name"].startswith("mean ")
        return part(f"board.phrases.best_{'value' if is_mean else 'mean'}", **value)

    def _leader_without_rank(self, leader: Hashable) -> Part:
        """What is known of a system that has the best mean and no rank to show for it."""
        row = self.table.iloc[self.table.index.tolist().index(leader)]
        found = {"best": self._named(leader, begins=True), "leads": self._leads(leader), "low": int(row["low"]),
                 "high": int(row["high"])}  # fmt: skip
        if self.inputs is None or self.inputs.items is None:
            return part("board.reasons.best_mean", **found)
        items = {"n_items": len(self.inputs.items), "items": text.plural(self.inputs.item, "items")}
        return part("board.reasons.best_mean_of_few", **found, **items, measured=int(row["items"]))

    def _true_rank(self) -> Part:
        low, high = (int(self.table[end].iloc[0]) for end in ("low", "high"))
        found = {"best": self._named(self.table.index[0]), "low": low, "rows": len(self.table)}
        if low == high:
            return part("board.details.rank", **found, systems=self._systems)
        return part("board.details.ranks", **found, high=high, systems=self._systems)

    def _tops(self) -> list[Part]:
        """Who is certainly among the first few."""
        tops = ((k, self.top(k)["certain"]) for k in _TOPS if 2 * k <= len(self.table))
        none = part("board.phrases.none")
        return [part("board.details.top", possible=len(sure), k=k, certain=int(sure.sum()) or none) for k, sure in tops]

    def _prediction(self) -> list[Part]:
        """Where the first system may rank on a new item, if that is known better than "anywhere"."""
        read, n = self.inputs, len(self.table)
        if read is None or read.items is None:
            return []
        # The best of many systems is partly the luckiest: the prediction has to hold for whichever it is.
        low, high = self.ranks_on_new_item(confidence_level=1 - self.alpha / n)[["low", "high"]].iloc[0]
        if (low, high) == (1, n):
            return []
        unit = text.label(read.item or "item") if read.clusters is None else text.label(read.cluster)
        found = {"unit": unit, "best": self._named(self.table.index[0]), "low": low, "level": 1 - self.alpha}
        if low == high:
            return [part("board.details.next_item", **found)]
        return [part("board.details.next_item_between", **found, high=high)]

    def _named(self, system: Hashable, *, begins: bool = False) -> str:
        return text.row_name(system, self.table.index.name, first=begins)

    @property
    def _systems(self) -> str:
        return text.plural(self.table.index.name, "systems")

    def to_answer(self) -> Answer:
        """Who may rank first, what is resolved, and what more items would resolve."""
        objectives = list(map(text.spoken, self.choice.objectives))
        question = part("board.question", rows=len(self.table), systems=self._systems, objectives=objectives)
        return Answer.of(
            self.parts(),
            question=say(question),
            used="board",
            values={"best": self.may_be_first, "pairs": self.n_pairs, "ordered": self.n_ordered},
        )

    def printed_tables(self) -> list[PrintedTable]:
        """The board as it is printed, by system."""
        printed = self.printed.reset_index()
        return [
            PrintedTable(
                frame=printed.set_index(printed.columns[0]),
                name="board",
                caption="Board, ranks that are possible, and means.",
                most=40,
                folded=len(self.table) > _LONG,
            )
        ]

    def _measurements(self) -> Measurements:
        """What was measured, or an error."""
        if self.inputs is None:
            raise ValueError(
                "this board was read from a file, which does not hold the scores; ask df.moo.board() anew."
            )
        return self.inputs

    plot = Offered()

    explore = Offered()


def board(
    table: DescribedFrame,
    *,
    p: float | str = "inf",
    weights: WeightsLike = None,
    alpha: float = 0.05,
    n_resamples: int = 2000,
    rng: int | np.random.Generator | None = 0,
) -> Board:
    """Rank by COPA's criterion with simultaneous intervals, and form tiers."""
    checks.fraction("alpha", alpha)
    n_resamples = checks.integer("n_resamples", n_resamples, least=FEWEST_RESAMPLES)
    read = measurements(table)
    Criterion.of(read.objectives, p, weights)
    checks.nothing_refused()
    return board_of(read, p, weights, alpha, n_resamples, checks.generator(rng), max_seconds=said().limit(MOST_SECONDS))


def board_of(
    read: Measurements,
    p: float | str,
    weights: WeightsLike,
    alpha: float,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    worst_case: bool = True,
    max_seconds: float | None = None,
) -> Board:
    """Rank measurements that were read before, and what remains of them in the worst case; see :func:`board`."""

    def with_draws(some: Measurements, draws: int) -> Board:
        return board_of(some, p, weights, alpha, draws, np.random.default_rng(0), worst_case=worst_case)

    check_pairs(read, with_draws, n_resamples, max_seconds)
    measured = read.uncertainty(n_resamples, rng)
    means = read.in_own_units(measured.means)
    costs = to_minimization(means, read.objectives)
    choice = Ranking.of(costs, Criterion.of(costs.objectives, p, weights))
    ahead = significantly_ahead(significantly_better(measured, alpha=alpha), known_equal(measured), choice)
    order = choice.ordered
    # Systems that are ahead of others are ahead of those that these are ahead of.
    ahead = transitive_closure(ahead[np.ix_(order, order)])
    result = choice.table
    result["low"] = 1 + ahead.sum(axis=0)
    result["high"] = len(order) - ahead.sum(axis=1)
    first: np.ndarray = np.logical_not(ahead.any(axis=0))
    if len(read.objectives) == 1:
        first[beaten(measured, alpha=alpha, among=order[first].tolist())[order]] = False
    if read.n_missing:
        result["tier"], result["may_be_first"] = _layers(ahead), first
        result["items"] = read.n_items_of_systems
        # By what is established: the best mean may be known from a few items only.
        place = np.lexsort((result["high"], result["tier"]))
        result, ahead, order = result.iloc[place], ahead[np.ix_(place, place)], order[place]
    else:
        result["tier"], result["may_be_first"] = _groups(ahead), first
    guarantee = read.guarantee(measured, alpha, "the intervals of all systems cover their true ranks")
    if len(read.objectives) == 1:
        guarantee = guarantee.but(remarks=[say(part("board.details.first", level=1 - alpha))])
    if worst_case and read.assumes_randomness and ahead.any():
        worst = read.at_worst().uncertainty(n_resamples, rng)
        survives = significantly_ahead(significantly_better(worst, alpha=alpha), known_equal(worst), choice)
        remaining = _remaining(ahead, transitive_closure(survives[np.ix_(order, order)]))
        guarantee = guarantee.but(remarks=[say(remaining)])
    return Board(
        beside(result, means), choice, alpha, read.describe(), guarantee,
        pd.DataFrame(ahead, index=result.index, columns=result.index),
        scores=_intervals_of_means(read, measured.draws[:, :, order], alpha, result.index), inputs=read,
    )  # fmt: skip


def _intervals_of_means(read: Measurements, draws: np.ndarray, alpha: float, labels: pd.Index) -> pd.DataFrame | None:
    """Quantiles of the resampled means of each system in the only objective.

    Several objectives have no common scale, and of means that hold whatever is missing there are no resamples.
    """
    if len(read.objectives) > 1 or read.ends is not None:
        return None
    ends = np.quantile(draws[:, 0] * read.objectives.signs[0], [alpha / 2, 1 - alpha / 2], axis=0)
    return pd.DataFrame(np.sort(ends.T), index=labels, columns=["low", "high"])


def _forecast_of(
    result: Board,
    read: Measurements,
    times: int | Sequence[int],
    n_simulations: int,
    rng: int | np.random.Generator | None,
) -> Forecast:
    """Simulate larger tables; see :meth:`Board.forecast`."""
    sizes = [checks.integer("times", one, least=2) for one in ([times] if isinstance(times, int) else list(times))]
    n_simulations, generator = checks.integer("n_simulations", n_simulations, least=2), checks.generator(rng)
    choice = result.choice
    ranks = {1: result.table[["low", "high"]]}
    rows = {1: [len(result.may_be_first), result.n_ordered]}
    for size in sorted(set(sizes)):
        found = [
            board_of(
                enlarged(read, size, generator), choice.p, choice.weights, result.alpha, _DRAWS_OF_FORECASTS,
                generator,
            )
            for _ in range(n_simulations)
        ]  # fmt: skip
        ends = pd.concat([one.table[["low", "high"]] for one in found])
        ranks[size] = ends.groupby(level=0, sort=False).median().loc[result.table.index]
        counts = np.array([(len(one.may_be_first), one.n_ordered) for one in found])
        rows[size] = np.median(counts, axis=0).astype(int).tolist()
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["first", "ordered"]).rename_axis("times")
    n = len(result.table)
    return Forecast(table, n * (n - 1) // 2, n_simulations, read.more_of, pd.concat(ranks, names=["times"]))


def _remaining(ahead: np.ndarray, survives: np.ndarray) -> Part:
    """How many of the ordered pairs, and of the systems that do not rank first, do not hang on what is missing."""
    behind = ahead.any(axis=0)
    pairs = {"remaining": int((ahead & survives).sum()), "total": int(ahead.sum())}
    still = int((behind & survives.any(axis=0)).sum())
    return remaining_at_worst("pairs", **pairs, behind=still, not_first=int(behind.sum()))


def significantly_ahead(better: np.ndarray, equal: np.ndarray, choice: Weighed) -> np.ndarray:
    """Which systems are significantly ahead of which under the criterion: shape (n, n), ``[i, j]`` if i is of j.

    Parameters
    ----------
    better, equal : ndarray of bool, shape (n_objectives, n, n)
        Which systems are significantly better than which in an objective, and which are known to be equal.
    choice : Ranking or Selection
        The criterion.
    """
    n = better.shape[1]
    itself = np.eye(n, dtype=bool)
    # [k, i, j]: j is significantly no better than i in k.
    no_better = better | equal | itself
    weights = np.array(list(choice.weights.values()))
    lowest = weighted_norm(better.sum(axis=1).T / n, weights, choice.p)
    highest = weighted_norm((n - no_better.sum(axis=2)).T / n, weights, choice.p)
    dominates = (better | equal).all(axis=0) & better.any(axis=0)
    # Sums of the same shares in another order are equal.
    return (highest[:, None] < lowest[None, :] - _ROUNDING) | dominates


def _groups(ahead: np.ndarray) -> np.ndarray:
    """Tier of each system, best first: the best that is left, and all that are not significantly behind it."""
    tier = np.zeros(len(ahead), dtype=np.int64)
    number = 0
    while (left := np.flatnonzero(tier == 0)).size:
        number += 1
        tier[left[~ahead[left[0], left]]] = number
    return tier


def _layers(ahead: np.ndarray) -> np.ndarray:
    """Tier of each system: all that are left and that no system left is significantly ahead of.

    Where values are missing, the best by the means may be known from a few items only, and nobody behind it.
    """
    tier = np.zeros(len(ahead), dtype=np.int64)
    number = 0
    while (left := np.flatnonzero(tier == 0)).size:
        number += 1
        tier[left[~ahead[np.ix_(left, left)].any(axis=0)]] = number
    return tier
