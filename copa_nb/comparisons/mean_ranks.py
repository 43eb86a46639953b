"""Systems over many items: mean ranks of frameworks over tasks, each task with ranks of its own (COPA, Figure 8)."""

from __future__ import annotations

__all__ = ["MeanRanks"]

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.board import Board, board_of
from copa_nb.comparisons.friedman import FriedmanTest, friedman_test
from copa_nb.comparisons.measurements import FEWEST_RESAMPLES, Measurements
from copa_nb.comparisons.read_measurements import instead_of_raising, would_omit_items
from copa_nb.ranking.arrays.ranks import empirical_cdf
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part, say
from copa_nb.tables.columns import label_order
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ATTRS_KEY, NAN_POLICIES, ObjectiveMatrix, Objectives

# What may be done about items that lack a system: its rank there could be any, and would change those of the others.
POLICIES = ("raise", "pairwise")


@dataclass(frozen=True, repr=False, eq=False)
class MeanRanks(Worded):
    """Ranks of each system on each item, and their means.

    Parameters
    ----------
    ccdf : DataFrame, systems × items
        1 - û: share of the item's systems that are no better; 1 for the best of the item. NaN where a system
        is not on an item. With several objectives the columns are pairs of item and objective.
    scaled : DataFrame, systems × items, or None
        0 for the baseline, 1 for the best of the item, negative below the baseline; NaN in items where the
        baseline is the best. None without a baseline.
    values : DataFrame, systems × items
        The objective in its own units, with directions defined (one objective per column): this is what
        ``mean_ranks.values.moo.copa(p=...)`` chooses among when every item counts.
    baseline : label or None
        The system that `scaled` compares with.
    system, item : label
        Columns that name systems and items.
    """

    paper = "javaloy2025copa"

    ccdf: pd.DataFrame
    scaled: pd.DataFrame | None
    values: pd.DataFrame
    baseline: Hashable | None
    system: Hashable
    item: Any
    n_omitted: int = field(default=0)

    @property
    def ranks(self) -> pd.DataFrame:
        """Rank of each system on each item, 1 for the best: û times the systems in the item, plus 1."""
        return (1.0 - self.ccdf) * self.ccdf.notna().sum(axis=0) + 1.0

    @property
    def n_items(self) -> int:
        """Items."""
        return len(self.ccdf.columns.get_level_values(0).unique())

    @property
    def n_objectives(self) -> int:
        """Objectives that systems were ranked by, each on every item."""
        columns = self.ccdf.columns
        return len(columns.get_level_values(-1).unique()) if isinstance(columns, pd.MultiIndex) else 1

    @property
    def n_incomplete(self) -> int:
        """Items that lack some systems."""
        complete = self.ccdf.notna().all(axis=0)
        if isinstance(complete.index, pd.MultiIndex):
            complete = complete.groupby(level=0).all()
        return int((~complete).sum())

    @property
    def table(self) -> pd.DataFrame:
        """Per system, best first: mean, quartiles and smallest CCDF, mean rank, share of items won, items."""
        present = self.ccdf.notna()
        quartiles = self.ccdf.quantile([0.25, 0.5, 0.75], axis=1).T
        table = pd.DataFrame(
            {
                "mean": self.ccdf.mean(axis=1),
                "lower_quartile": quartiles[0.25],
                "median": quartiles[0.5],
                "upper_quartile": quartiles[0.75],
                "worst": self.ccdf.min(axis=1),
                "mean_rank": self.ranks.mean(axis=1),
                "won": (self.ccdf == 1.0).sum(axis=1) / present.sum(axis=1),
                "items": present.sum(axis=1),
            }
        )
        return table.sort_values("mean", ascending=False, kind="stable")

    def count_out_of_range(self, view: tuple[float, float] = (-0.5, 1.05)) -> pd.Series:
        """Count, per system, the items whose scaled performance lies outside a view, as that of ``plot("scaled")``.

        Parameters
        ----------
        view : tuple of float
            Lowest and highest value that is in view.

        Returns
        -------
        Series of int, by system

        Raises
        ------
        ValueError
            If there is no baseline.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> results = pd.DataFrame(
        ...     {"task": [1, 1, 1, 2, 2, 2], "tool": list("abcabc"), "auc": [0.9, 0.8, 0.5, 0.7, 0.8, 0.9]})
        >>> mean_ranks = results.moo(auc="max", system="tool", item="task").mean_ranks(baseline="b")
        >>> mean_ranks.count_out_of_range().to_dict()
        {'a': 1, 'b': 0, 'c': 1}
        """
        if self.scaled is None:
            raise ValueError("there is no baseline to scale against; pass one: df.moo.mean_ranks(baseline=...).")
        outside: pd.Series = ((self.scaled < view[0]) | (self.scaled > view[1])).sum(axis=1)
        return outside

    def board(
        self,
        *,
        alpha: float = 0.05,
        n_resamples: int = 2000,
        nan_policy: str = "raise",
        rng: int | np.random.Generator | None = 0,
    ) -> Board:
        """Compute simultaneous intervals for the rank of each system by its mean rank, and form tiers.

        Items are treated as independent draws from a population of such items; an item with several objectives counts
        once, with the mean of its ranks. With fewer than six items no difference can be significant at 5%.

        Parameters
        ----------
        alpha : float
            Probability that the true rank of any system is outside its interval.
        n_resamples : int
            Draws of errors; at least 100.
        nan_policy : {"raise", "pairwise"}
            Raise an error if an item lacks a system, or compare each two systems on the items that have both.
            "pairwise" assumes that systems are missing at random, and stretches the ranks of an item to all systems.
        rng : int, Generator or None
            Seed of the draws.

        Returns
        -------
        Board
            See ``df.moo.board()``; its objective is ``mean_rank``.

        Raises
        ------
        ValueError
            If items lack systems, with fewer than two items, or with "pairwise" for a system that shares no item with
            another.

        Notes
        -----
        A rank of 2 among three systems is no rank of 2 among thirty. With "pairwise", the best system of an item has
        rank 1 and the worst as many as there are systems, whichever the item has. Two systems are compared by their
        ranks on the same items, and so among the same others. If they are exchangeable on each of these items, random
        signs keep their differences' distribution, whatever is missing. The means are those of an additive fit of
        systems and items, so that a system is not rewarded for the items on which strong ones are missing.
        """
        checks.fraction("alpha", alpha)
        _check_policy(nan_policy)
        n_resamples = checks.integer("n_resamples", n_resamples, least=FEWEST_RESAMPLES)
        if nan_policy == "raise" and self.n_incomplete:
            raise ValueError(
                f"`item`: {self.n_incomplete:,} of {self.n_items:,} items lack some systems, and ranks among different "
                f"systems cannot be compared. Leave out systems that are missing from many items, or "
                f"{instead_of_raising(POLICIES)}."
            )
        ranks = self._stretched_ranks()
        if isinstance(ranks.columns, pd.MultiIndex):
            ranks = ranks.T.groupby(level=0, sort=False).mean().T
        ranked = ranks.loc[:, ranks.notna().any(axis=0)]
        if ranked.shape[1] < 2:
            raise ValueError(
                f"`item`: {ranked.shape[1]} of {self.n_items} items have two systems; at least two such items are "
                "needed to estimate a spread."
            )
        return self._tiers_of(ranked, alpha, n_resamples, rng, n_omitted=ranks.shape[1] - ranked.shape[1])

    def _stretched_ranks(self) -> pd.DataFrame:
        """Ranks as if every item had all systems: from 1 to their number; NaN on items of a single system."""
        counts = self.ccdf.notna().sum(axis=0)
        stretched = (self.ranks - 1.0) * ((len(self.ccdf) - 1.0) / (counts - 1.0).where(counts > 1)) + 1.0
        alone = stretched.isna().all(axis=1)
        if alone.any():
            raise ValueError(
                f"`system` {text.label(alone.index[alone][0])} shares no item with another system; leave it out."
            )
        return stretched

    def _tiers_of(
        self,
        ranks: pd.DataFrame,
        alpha: float,
        n_resamples: int,
        rng: int | np.random.Generator | None,
        *,
        n_omitted: int = 0,
    ) -> Board:
        """The board by mean ranks, NaN where a system is missing."""
        ranks = ranks.iloc[label_order(ranks.index), label_order(ranks.columns)]
        item = text.listing(self.item) if isinstance(self.item, list) else text.label(self.item)
        read = Measurements(
            ranks.index,
            Objectives((("mean_rank", "min"),)),
            items=ranks.to_numpy(dtype=np.float64).T[:, None, :, None],
            n_omitted=n_omitted,
            item=item,
            ranges={"mean_rank": (1.0, float(len(ranks)))},
        )
        # Another value of a missing system would change the ranks of the others: ranks have no worst case of their own.
        found = board_of(read, "inf", None, alpha, n_resamples, checks.generator(rng), worst_case=False)
        measured = f"mean ranks over {ranks.shape[1]:,} {text.plural(self.item, f'items ({item})')}"
        return replace(found, measured=measured)

    def friedman(self, *, alpha: float = 0.05) -> FriedmanTest:
        """Test whether systems rank differently, and find those whose mean ranks differ significantly.

        The Friedman test compares all systems at once. If it rejects, two systems differ significantly if their mean
        ranks are further apart than Nemenyi's critical difference. Items that lack a system are left out; tied systems
        share the mean of their ranks.

        Parameters
        ----------
        alpha : float
            Significance level of both tests.

        Returns
        -------
        FriedmanTest
            Its plot is the critical-difference diagram.

        Raises
        ------
        ValueError
            With several objectives, fewer than three systems or two complete items, or if all systems always tie.

        See Also
        --------
        board : Intervals of ranks, which hold for any distribution of ranks.

        References
        ----------
        .. [1] J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine Learning
           Research 7, 2006, section 3.2.2.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> results = pd.DataFrame({
        ...     "task": [task for task in range(8) for _ in "abc"], "tool": list("abc") * 8,
        ...     "auc": [0.9, 0.8, 0.7] * 6 + [0.8, 0.9, 0.7] * 2}).moo.define(auc="max")
        >>> test = results.moo(system="tool", item="task").mean_ranks().friedman()
        >>> test.cliques, round(test.critical_difference, 3)
        ([['a', 'b'], ['c']], 1.172)
        """
        checks.fraction("alpha", alpha)
        if isinstance(self.ccdf.columns, pd.MultiIndex):
            names = self.ccdf.columns.get_level_values(-1).unique()
            raise ValueError(
                f"`objectives`: the Friedman test ranks one objective, but there are {len(names)}: "
                f"{text.listing(names)}. Call mean_ranks with one of them, or use board()."
            )
        complete = self.ccdf.loc[:, self.ccdf.notna().all(axis=0)]
        missing = self.ccdf.shape[1] - complete.shape[1]
        return friedman_test(1.0 - complete, alpha=alpha, system=self.system, item=self.item, n_omitted=missing)

    plot = Offered()

    def parts(self) -> list[Part]:
        """Which system is the best on average, by how much, and what is missing."""
        table, items, systems = self.table, text.plural(self.item, "items"), text.plural(self.system, "systems")
        best, n_items = table.iloc[0], int(table["items"].iloc[0])
        begins, name = (text.row_name(table.index[0], self.system, first=first) for first in (True, False))
        counted = items if self.n_objectives == 1 else part("mean_ranks.phrases.rankings")
        won = text.portion(best["won"], n_items)
        said: list[Part] = [
            part("mean_ranks.headline.best", best=begins, rows=len(table), systems=systems),
            part("mean_ranks.reasons.best", rankings=self._rankings(), best=name, systems=systems, **_standing(best)),
            part("mean_ranks.reasons.won", won=won, n=n_items, counted=counted),
        ]
        if len(table) > 1:
            second = text.row_name(table.index[1], self.system)
            said.append(part("mean_ranks.reasons.next", name=second, **_standing(table.iloc[1])))
        if self.n_omitted:
            said.append(part("caveats.details.omitted_rows", n=self.n_omitted))
        if self.n_incomplete:
            said.append(part("mean_ranks.details.incomplete", n=self.n_incomplete, items=items, systems=systems))
        return said

    def _rankings(self) -> Part:
        """What systems were ranked on."""
        items = {"n": self.n_items, "items": text.plural(self.item, "items")}
        if self.n_objectives == 1:
            return part("mean_ranks.phrases.items", **items)
        return part("mean_ranks.phrases.items_and_objectives", **items, objectives=self.n_objectives)

    def __repr__(self) -> str:
        systems = f"{len(self.ccdf)} {text.plural(self.system, 'systems')}"
        best = self.table.index.tolist()[0]
        return f"<MeanRanks of {systems} over {say(self._rankings())}, best on average: {best!r}>"

    def _card(self) -> str:
        caption = (
            f"Share of the systems ({self.system}) of an item ({self.item}) that are no better (1 is best), over "
            f"{say(self._rankings())}."
        )
        return text.html_table(self.table, caption=caption, most=20)


def _standing(row: pd.Series) -> dict[str, float]:
    return {"share": float(row["mean"]), "mean_rank": float(row["mean_rank"])}


def mean_ranks(table: DescribedFrame, *, baseline: Hashable | None = None) -> MeanRanks:
    """Compare systems over items: frameworks over tasks, optimizers over problems."""
    item, system = table.named("item"), table.named("system")
    policy = table.policy(*NAN_POLICIES, "pairwise")
    # A system without a value is missing from the item alone, whose other systems are ranked among themselves.
    matrix = table.saying(nan_policy="omit" if policy == "pairwise" else policy).costs()
    systems = table.labels("system", matrix.positions)
    codes, labels = systems.codes, systems.index
    items = table.labels("item", matrix.positions).positions()
    if policy == "worst":
        _refuse_missing_rows(items, labels)
    baseline_code = _baseline_code(labels, baseline)
    shape = (len(items), len(matrix.objectives), len(labels))
    ccdf, scaled, own = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    for g, (one, rows) in enumerate(items.items()):
        _check_item(codes[rows], labels, one, system, baseline_code)
        values = matrix.values[rows]
        ccdf[g, :, codes[rows]] = 1.0 - empirical_cdf(values)
        own[g, :, codes[rows]] = matrix.original(values)
        if baseline_code is not None:
            scaled[g, :, codes[rows]] = _scaled(values, values[codes[rows] == baseline_code][0])
    columns = _columns(list(items), item, matrix)

    def by_system(array: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(array.reshape(-1, len(labels)).T, index=labels, columns=columns)

    return MeanRanks(
        ccdf=by_system(ccdf),
        scaled=None if baseline_code is None else by_system(scaled),
        values=_with_directions(by_system(own), matrix),
        baseline=baseline,
        system=system,
        item=item,
        n_omitted=matrix.n_omitted,
    )


def _refuse_missing_rows(items: Mapping[Hashable, np.ndarray], labels: pd.Index) -> None:
    """Refuse items that lack systems, where what is missing is said to be the worst."""
    lacking = [one for one, rows in items.items() if len(rows) < len(labels)]
    if lacking:
        raise ValueError(
            f"`nan_policy` is 'worst', and {len(lacking):,} of {len(items):,} items lack rows of some systems, e.g. "
            f"{text.label(lacking[0])}; add these rows with missing values, or pass "
            f"{checks.setting('nan_policy', 'pairwise')} to rank the systems of an item among themselves."
        )


def _check_policy(nan_policy: str) -> None:
    """Refuse to leave out items, and what is no way to treat systems that are missing from some."""
    if nan_policy == "omit":
        raise would_omit_items(POLICIES)
    checks.one_of("nan_policy", nan_policy, POLICIES)


def _scaled(values: np.ndarray, baseline: np.ndarray) -> np.ndarray:
    room = baseline - values.min(axis=0)
    gain = baseline - values
    return np.divide(gain, room, where=np.broadcast_to(room > 0, gain.shape), out=np.full(gain.shape, np.nan))


def _baseline_code(labels: pd.Index, baseline: Hashable | None) -> int | None:
    if baseline is None:
        return None
    matches = np.flatnonzero([label == baseline for label in labels])
    if len(matches) == 0:
        raise ValueError(
            f"`baseline` is {baseline!r}, which is not a system; systems are {checks.listed(labels)}."
            f"{checks.nearest(baseline, labels)}"
        )
    return int(matches[0])


def _check_item(codes: np.ndarray, labels: pd.Index, item: Hashable, system: Hashable, baseline: int | None) -> None:
    twice = np.flatnonzero(np.bincount(codes) > 1)
    if len(twice):
        raise ValueError(
            f"`item` {item!r} has {labels.tolist()[twice[0]]!r} more than once; average repeated rows first, or name "
            f"more columns in `item`, so that each {system} is on an item once."
        )
    if baseline is not None and baseline not in codes:
        raise ValueError(
            f"`baseline` {labels.tolist()[baseline]!r} is missing from item {item!r}; leave that item out, or choose a "
            "baseline that is on every item."
        )


def _columns(items: list[Hashable], item: Any, matrix: ObjectiveMatrix) -> pd.Index:
    names = matrix.objectives.names
    name = ", ".join(map(str, item)) if isinstance(item, list) else item
    written = [text.label(one) if isinstance(one, tuple) else one for one in items]
    if len(names) == 1:
        return pd.Index(written, name=name)
    return pd.MultiIndex.from_product([written, names], names=[name, "objective"])


def _with_directions(values: pd.DataFrame, matrix: ObjectiveMatrix) -> pd.DataFrame:
    """Define every column as an objective if its label is a string (attrs hold nothing else)."""
    if isinstance(values.columns, pd.MultiIndex):
        values.columns = pd.Index([text.label(column) for column in values.columns])
    directions = [direction for _, direction in matrix.objectives.directions] * (
        values.shape[1] // len(matrix.objectives)
    )
    if all(isinstance(column, str) for column in values.columns):
        values.attrs[ATTRS_KEY] = {"objectives": dict(zip(values.columns, directions, strict=True))}
    return values
