"""Partial orders of items, one per group of rows: what several criteria say together about which item is better.

Item i stands above item j in a group when it is at least as good in every criterion and better in one
(Rodemann and Blocher [1]_, section 2). Two items that are each better in some criterion stay incomparable: nothing is
averaged or weighted.

.. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.columns import GroupsOmittedWarning, one_row_each, read_labels
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import Objectives, ObjectivesLike, to_minimisation
from copa_nb.partial_orders.arrays import relations as core
from copa_nb.results import PlotMethod, Result, VerbMethod, plot_function

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.partial_orders.arrays.ufg_sampling import Forecast

TIES = ("incomparable", "drop", "preorder")


@dataclass(frozen=True, eq=False)
class Source:
    """Where orders come from: arguments of :func:`posets`."""

    frame: pd.DataFrame
    item: Hashable
    by: Hashable | list[Hashable]
    objectives: Objectives
    nan_policy: str


@dataclass(frozen=True, repr=False, eq=False)
class PosetSample(Result):
    """One partial order (or preorder) of the same items per group; made by :func:`copa_nb.posets`.

    Parameters
    ----------
    relations : ndarray of bool, shape (n_groups, n_items, n_items)
        ``relations[g, i, j]`` says that item i stands above item j in group g; i and j both above each other
        are indifferent.
    items : Index
        What is compared.
    groups : Index
        What the orders come from: problems, data sets, users.
    ties : {"incomparable", "drop", "preorder"}
        What was done with items that are equal in every criterion. Only "preorder" allows mutual pairs.
    tied_groups : Index
        Groups in which some items were equal in every criterion.
    left_out : Index
        Groups that were left out.
    source : Source, optional
        The table and the arguments, if these are all the orders that :func:`copa_nb.posets` made of it.

    Examples
    --------
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo.posets(item="optimizer", by="problem")
    >>> sample
    <PosetSample: 8 partial orders of 3 items, 6 distinct>
    >>> int(sample.pair_counts.loc["Adam", "Momentum"])
    4
    """

    relations: np.ndarray
    items: pd.Index
    groups: pd.Index
    ties: str = "incomparable"
    tied_groups: pd.Index = field(default_factory=lambda: pd.Index([]))
    left_out: pd.Index = field(default_factory=lambda: pd.Index([]))
    source: Source | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        checks.one_of("ties", self.ties, TIES)
        relations = np.array(self.relations, dtype=bool)
        items, groups = pd.Index(self.items), pd.Index(self.groups)
        if relations.shape != (len(groups), len(items), len(items)) or len(groups) == 0:
            raise ValueError(
                f"`relations` has shape {relations.shape}; it must be (groups, items, items) with at least one "
                f"group, here ({len(groups)}, {len(items)}, {len(items)})."
            )
        for argument, index in (("items", items), ("groups", groups)):
            if not index.is_unique:
                repeated = index[index.duplicated()].unique()
                raise ValueError(f"`{argument}` repeats {checks.listed(repeated)}; every label may occur once.")
        legal = core.is_preorder if self.ties == "preorder" else core.is_partial_order
        for group, relation in zip(groups, relations, strict=True):
            if not legal(relation):
                kind = (
                    "preorder" if self.ties == "preorder" else "partial order (irreflexive, transitive, antisymmetric)"
                )
                raise ValueError(
                    f"`relations` of group {group!r} is not a {kind}; close it with "
                    "copa_nb.partial_orders.arrays.relations.transitive_closure, or leave the diagonal out."
                )
        relations.flags.writeable = False
        for name, value in (("relations", relations), ("items", items), ("groups", groups)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        kind = "preorders" if self.ties == "preorder" else "partial orders"
        return f"<PosetSample: {len(self)} {kind} of {len(self.items)} items, {len(self.distinct)} distinct>"

    @property
    def distinct(self) -> pd.DataFrame:
        """The distinct relations, indexed by the group that shows each first.

        Columns: ``multiplicity`` (groups that show it), ``groups`` (their labels) and ``pairs`` (how many pairs
        it orders).
        """
        first, which = core.distinct_relations(self.relations)
        members = [list(self.groups[which == k]) for k in range(len(first))]
        return pd.DataFrame(
            {
                "multiplicity": [len(labels) for labels in members],
                "groups": members,
                "pairs": self.relations[first].sum(axis=(1, 2)),
            },
            index=self.groups[first],
        )

    @property
    def table(self) -> pd.DataFrame:
        """One line per group.

        Columns: ``pairs`` (ordered pairs), ``incomparable`` (pairs of items of which neither stands above the
        other), ``multiplicity`` (groups with the same relation, this one included).
        """
        _, which = core.distinct_relations(self.relations)
        comparable = self.relations | self.relations.transpose(0, 2, 1)
        n = len(self.items)
        return pd.DataFrame(
            {
                "pairs": self.relations.sum(axis=(1, 2)),
                "incomparable": n * (n - 1) // 2 - comparable.sum(axis=(1, 2)) // 2,
                "multiplicity": np.bincount(which)[which],
            },
            index=self.groups,
        )

    @property
    def pair_counts(self) -> pd.DataFrame:
        """In how many groups the item of the row stands above the item of the column."""
        return self._square(self.relations.sum(axis=0))

    @property
    def intersection(self) -> pd.DataFrame:
        """Pairs (row above column) that all groups agree on."""
        return self._square(np.asarray(self.relations.all(axis=0)))

    @property
    def union(self) -> pd.DataFrame:
        """Pairs (row above column) that at least one group shows."""
        return self._square(np.asarray(self.relations.any(axis=0)))

    def relation(self, group: Hashable) -> pd.DataFrame:
        """Relation of one group: row above column."""
        return self._square(self.relations[self._position(group)])

    def reduction(self, group: Hashable) -> pd.DataFrame:
        """Pairs of one group that no third item explains: the edges of its Hasse diagram.

        Raises
        ------
        ValueError
            For an unknown group, or one in which items are indifferent: a preorder has no unique reduction.
        """
        relation = self.relations[self._position(group)]
        if (relation & relation.T).any():
            raise ValueError(
                f"`group` is {group!r}, in which some items are indifferent; a preorder has no unique reduction. "
                "Draw it with plot_hasse, which joins indifferent items."
            )
        return self._square(core.transitive_reduction(relation))

    def only(self, groups: Iterable[Hashable]) -> PosetSample:
        """Keep some groups, in the order given."""
        positions = [self._position(group) for group in groups]
        kept = self.groups[positions]
        return PosetSample(
            self.relations[positions], self.items, kept, self.ties, self.tied_groups.intersection(kept), self.left_out
        )

    def without(self, groups: Iterable[Hashable]) -> PosetSample:
        """Leave some groups out."""
        omitted = {self._position(group) for group in groups}
        return self.only(self.groups[[k for k in range(len(self)) if k not in omitted]])

    depth = VerbMethod("depth")

    def forecast(self, *, max_card: int | None = None, rng: Any = 0) -> Forecast:
        """Forecast what exact depths would cost.

        Parameters
        ----------
        max_card : int, optional
            As for :meth:`depth`.
        rng : int, Generator or None
            Seed or generator of the random chains behind the forecast.

        Returns
        -------
        Forecast
            ``n_sets`` to visit, ``seconds`` on this machine, ``sets_by_size``.

        Raises
        ------
        ValueError
            For `max_card` below 2.
        """
        from copa_nb.partial_orders.arrays.ufg import encode
        from copa_nb.partial_orders.arrays.ufg_sampling import forecast

        if max_card is not None:
            checks.integer("max_card", max_card, least=2)
        return forecast(encode(self.relations), checks.generator(rng), max_card=max_card)

    review = VerbMethod("review_suite")

    consensus = VerbMethod("consensus")

    def explain(self) -> str:
        """Say in words what the sample holds."""
        shared = int(self.relations.all(axis=0).sum())
        groups, items = text.plural(self.groups.name, "groups"), text.plural(self.items.name, "items")
        distinct = "all" if len(self.distinct) == len(self) else f"{len(self.distinct)} of these"
        sentences = [
            f"Each of {len(self)} {groups} orders the {len(self.items)} {items}; {distinct} orders are distinct.",
            f"All agree on {shared or 'no'} pair{'s' * (shared > 1)}.",
        ]
        if len(self.tied_groups):
            said = {"drop": "; left out", "preorder": " and count as indifferent"}.get(self.ties, " and incomparable")
            sentences.append(f"Some {items} are equal in every criterion{said}: {text.listing(self.tied_groups)}.")
        missing = self.left_out.difference(self.tied_groups)
        if len(missing):
            sentences.append(f"Left out because data are missing: {text.listing(missing)}.")
        return " ".join(sentences)

    plot = PlotMethod("plot_pair_counts")

    def plot_hasse(self, group: Hashable, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draw the Hasse diagram of one group: see :func:`copa_nb.plots.plot_hasse`."""
        return plot_function("plot_hasse")(self.relation(group), ax=ax, **kwargs)

    plot_figure = PlotMethod("plot_hasse_figure")

    def explore(self, **options: Any) -> Any:
        """Step through the orders by depth in a notebook; see :func:`copa_nb.explore_posets`.

        Parameters
        ----------
        **options
            See :meth:`depth`. By default a run that is forecast to take more than ten seconds is replaced by
            an estimate, so that the explorer opens at once.

        Returns
        -------
        PosetExplorer
        """
        return self.depth(**{"method": "auto", "max_seconds": 10.0, **options}).explore()

    def _square(self, values: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(values, index=self.items, columns=self.items)

    def _position(self, group: Hashable) -> int:
        labels = list(self.groups)
        if group not in labels:
            raise ValueError(
                f"`group` is {group!r}, which is not in the sample; groups are {checks.listed(self.groups)}."
                f"{checks.nearest(group, self.groups)}"
            )
        return labels.index(group)


@any_frame
@shared_parameters
def posets(
    frame: pd.DataFrame,
    *,
    item: Hashable,
    by: Hashable | list[Hashable],
    objectives: ObjectivesLike = None,
    ties: str = "incomparable",
    nan_policy: str = "raise",
) -> PosetSample:
    """Order the items of every group by all objectives at once.

    Parameters
    ----------
    frame : DataFrame
        One row per group and item.
    item : label or list of labels
        Columns or index levels that name what is compared (optimizers, models).
    by : label or list of labels
        Columns or index levels that name the groups (problems, data sets).
    %(objectives)s
    ties : {"incomparable", "drop", "preorder"}
        Items that are equal in every criterion: leave them incomparable (default), leave out the group
        (:class:`GroupsOmittedWarning` says which), or keep them as indifferent, which makes preorders. The papers
        treat partial orders only: depths of preorders rest on a closure of this package's own, see
        :func:`~copa_nb.partial_orders.depth.depth`.
    nan_policy : {"raise", "omit", "worst"}
        Missing values, and items without a row in some group: refuse (default), leave out the groups, or
        count as worse than everything (+inf as a cost). Two infinite costs are equal.

    Returns
    -------
    PosetSample

    Raises
    ------
    %(gate_errors)s
    ValueError
        For unknown columns, fewer than two items, repeated rows of an item in a group, or missing data.

    See Also
    --------
    copa_nb.partial_orders.depth.depth : How central each order is.
    copa_nb.compare_suites : Two samples over the same items.

    References
    ----------
    .. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565,
       section 2.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({
    ...     "task": ["t1", "t1", "t1", "t2", "t2", "t2"], "model": list("abcabc"),
    ...     "error": [0.1, 0.2, 0.3, 0.3, 0.2, 0.2], "seconds": [1.0, 3.0, 2.0, 1.0, 2.0, 2.0]})
    >>> sample = posets(runs, item="model", by="task", objectives={"error": "min", "seconds": "min"})
    >>> sample.relation("t1").astype(int)
    model  a  b  c
    model
    a      0  1  1
    b      0  0  0
    c      0  0  0
    """
    matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
    checks.one_of("ties", ties, TIES)
    items, groups = read_labels(frame, item, "item"), read_labels(frame, by, "by")
    if len(items.index) < 2:
        raise ValueError(f"`item` names {item!r}, which holds only one item; a comparison needs at least two.")
    costs = one_row_each(groups, items, matrix.positions, matrix.values, nan_policy)
    missing = np.isnan(costs[:, :, 0])
    complete = ~missing.any(axis=1)
    above, equal = core.relations_from_costs(np.where(np.isnan(costs), np.inf, costs))
    tied = equal.any(axis=(1, 2)) & complete
    kept = complete & ~tied if ties == "drop" else complete
    _warn_of_omitted(groups.index, complete, tied & (ties == "drop"))
    relations = above | equal if ties == "preorder" else above
    source = Source(frame, item, by, matrix.objectives, nan_policy)
    return PosetSample(
        relations[kept], items.index, groups.index[kept], ties, groups.index[tied], groups.index[~kept], source
    )


def as_sample(of: Any, sample: PosetSample, argument: str = "of") -> PosetSample:
    """Return orders of the sample's items as a sample, with the items in that sample's order.

    Parameters
    ----------
    of : PosetSample, mapping of name to DataFrame, DataFrame or ndarray
        See :func:`copa_nb.partial_orders.depth.depth`.
    sample : PosetSample
        Whose items, and their order.
    argument : str
        What the user calls `of`, for errors.

    Returns
    -------
    PosetSample
    """
    if isinstance(of, PosetSample):
        if set(of.items) != set(sample.items):
            raise ValueError(
                f"`{argument}` compares {checks.listed(of.items)}, the sample {checks.listed(sample.items)}; both need "
                "the same items."
            )
        positions = of.items.get_indexer(sample.items)
        return PosetSample(of.relations[:, positions][:, :, positions], sample.items, of.groups, of.ties)
    if isinstance(of, pd.DataFrame):
        of = {"given": of}
    if isinstance(of, Mapping):
        relations = np.stack([_matrix(relation, sample.items, name, argument) for name, relation in of.items()])
        groups = pd.Index(list(of))
    else:
        relations = np.asarray(of, dtype=bool)
        relations = relations[None] if relations.ndim == 2 else relations
        groups = pd.RangeIndex(len(relations))
    ties = "preorder" if (relations & relations.transpose(0, 2, 1)).any() else "incomparable"
    return PosetSample(relations, sample.items, groups, ties)


def _matrix(relation: pd.DataFrame, items: pd.Index, name: Hashable, argument: str) -> np.ndarray:
    if (
        not isinstance(relation, pd.DataFrame)
        or set(relation.index) != set(items)
        or set(relation.columns) != set(items)
    ):
        raise ValueError(
            f"`{argument}` must give each order as a DataFrame with the items {checks.listed(items)} as rows and "
            f"columns; {name!r} is not."
        )
    return relation.loc[items, items].to_numpy(dtype=bool)


def _warn_of_omitted(groups: pd.Index, complete: np.ndarray, tied: np.ndarray) -> None:
    reasons = []
    if not complete.all():
        reasons.append(f"{checks.listed(groups[~complete])} because data are missing")
    if tied.any():
        reasons.append(f"{checks.listed(groups[tied])} because items are equal in every objective")
    if not reasons:
        return
    if not (complete & ~tied).any():
        raise ValueError(f'no group is left: {" and ".join(reasons)}. Pass ties="incomparable" or nan_policy="worst".')
    warnings.warn(f"left out of {len(groups)} groups: {'; '.join(reasons)}", GroupsOmittedWarning, stacklevel=3)
