"""Which column, or level of the index, names the system, the item, the repeat or the group, for all verbs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks


class ItemsOmittedWarning(UserWarning):
    """Warns which items are left out, and why."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Rows numbered by their label in one column, or by their labels in several.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Number of each row's label.
    index : pandas.Index
        The labels in order of first appearance; a MultiIndex where several columns make them.
    """

    codes: np.ndarray
    index: pd.Index

    @property
    def labels(self) -> list[Hashable]:
        """The labels; tuples where several columns make them."""
        return self.index.tolist()

    def positions(self) -> dict[Hashable, np.ndarray]:
        """Rows of each label, in the order of the table."""
        if not len(self.codes):
            return {}
        order = np.argsort(self.codes, kind="stable")
        ends = np.cumsum(np.bincount(self.codes, minlength=len(self.index)))[:-1]
        return dict(zip(self.labels, np.split(order, ends), strict=True))

    def in_label_order(self) -> Labels:
        """The same labels, numbered in an order that does not depend on that of the rows; see :func:`label_order`."""
        order = label_order(self.index)
        return Labels(np.argsort(order)[self.codes], self.index[order])


def label_order(labels: pd.Index, values: np.ndarray | None = None) -> np.ndarray:
    """Order labels that are numbers by size, others by their text.

    What is drawn in this order does not depend on the order of the rows.

    Parameters
    ----------
    labels : pandas.Index
        Of any types.
    values : ndarray, shape (n, k), optional
        What decides between rows with the same label.

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions of the labels in order.

    Examples
    --------
    >>> label_order(pd.Index(["c", "a", "b", "a"]), np.array([[1.0], [3.0], [1.0], [2.0]]))
    array([3, 1, 2, 0])
    """
    comparable = labels
    if not pd.api.types.is_numeric_dtype(labels.dtype):
        # Labels of different types cannot be compared, and 1 is another label than "1".
        comparable = pd.Index([f"{label} {type(label).__name__}" for label in labels.tolist()])
    codes = pd.factorize(comparable, sort=True)[0]
    if values is None or labels.is_unique:
        return np.argsort(codes, kind="stable")
    return np.lexsort((*values.T[::-1], codes))


def read_labels(frame: pd.DataFrame, names: Any, argument: str) -> Labels:
    """Number the rows by a column or index level, or by several together.

    Parameters
    ----------
    frame : DataFrame
        The table.
    names : label or list of labels
        Columns, or names of index levels.
    argument : str
        What the user calls them, for errors.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        For an unknown name, an empty list, or rows without a label.

    Examples
    --------
    >>> runs = pd.DataFrame({"seed": [1, 2, 1]}, index=pd.Index(["a", "a", "b"], name="system"))
    >>> read_labels(runs, "system", "system").codes
    array([0, 0, 1])
    >>> read_labels(runs, ["system", "seed"], "system").labels
    [('a', 1), ('a', 2), ('b', 1)]
    """
    columns = names if isinstance(names, list) else [names]
    if not columns:
        raise ValueError(f"{checks.called(argument)} is an empty list; name at least one column.")
    parts = [column_or_level(frame, name, argument) for name in columns]
    for name, part in zip(columns, parts, strict=True):
        if part.isna().any():
            raise ValueError(
                f"{checks.called(argument)} column {name!r} is missing in {int(part.isna().sum())} of "
                f"{len(frame)} rows; fill it or "
                "drop those rows."
            )
        if part.dtype == object and not all(isinstance(value, Hashable) for value in part):
            raise ValueError(
                f"{checks.called(argument)} column {name!r} holds values that cannot be labels, such as lists; "
                "turn them into text: "
                f"frame[{name!r}].astype(str)."
            )
    if len(columns) == 1:
        codes, labels = pd.factorize(parts[0])
        return Labels(codes.astype(np.int64), pd.Index(labels, name=columns[0], tupleize_cols=False))
    codes, labels = pd.factorize(pd.MultiIndex.from_arrays([part.astype(object) for part in parts]))
    return Labels(codes.astype(np.int64), pd.MultiIndex.from_tuples(list(labels), names=columns))


def one_row_each(
    items: Labels, systems: Labels, positions: np.ndarray, values: np.ndarray, nan_policy: str
) -> np.ndarray:
    """Arrange the costs of a table with one row per system and item.

    Parameters
    ----------
    items, systems : Labels
        Of all rows.
    positions : ndarray of int, shape (m,)
        Rows that have costs.
    values : ndarray, shape (m, k)
        Their costs.
    nan_policy : {"raise", "omit", "worst"}
        What to do about a system without costs on some item.

    Returns
    -------
    ndarray, shape (items, systems, k)
        NaN where a system is missing and that is to be omitted; +inf if it counts as worst.

    Raises
    ------
    ValueError
        For repeated rows, and for missing ones under "raise".
    """
    cell = items.codes * len(systems.index) + systems.codes
    repeated = pd.Series(cell).duplicated().to_numpy()
    if repeated.any():
        item, system = divmod(int(cell[repeated][0]), len(systems.index))
        raise ValueError(
            f"several rows have {checks.called('item')} {items.labels[item]!r} and {checks.called('system')} "
            f"{systems.labels[system]!r}; "
            "average repeats first, e.g. frame.groupby([item, system]).mean(numeric_only=True).reset_index(), or "
            f"add the column that distinguishes them to {checks.called('item')}."
        )
    costs = np.full((len(items.index), len(systems.index), values.shape[1]), np.nan)
    costs[items.codes[positions], systems.codes[positions]] = values
    missing = np.isnan(costs[:, :, 0])
    if missing.any() and nan_policy == "raise":
        item, absent = np.argwhere(missing)[0]
        raise ValueError(
            f"{missing.sum()} of {missing.size} pairs of system and item have no row, e.g. "
            f"{systems.labels[absent]!r} on "
            f"{items.labels[item]!r}. Pass {checks.setting('nan_policy', 'omit')} to leave such items out, or "
            f"{checks.setting('nan_policy', 'worst')} to rank the system below all others there."
        )
    if nan_policy == "worst":
        costs[missing] = np.inf
    return costs


def as_names(given: Any) -> list[Any]:
    """Names given as a list, as a single one, or not at all."""
    return [] if given is None else list(given) if isinstance(given, list) else [given]


def several(frame: pd.DataFrame, names: Iterable[Hashable], argument: str = "objectives") -> pd.DataFrame:
    """Return some columns by label, also where pandas would take the labels for a mask (True) or a path (a tuple)."""
    return frame.iloc[:, [checks.column_position(frame, name, argument) for name in names]]


def positions_by_group(frame: pd.DataFrame, by: Any) -> dict[Hashable, np.ndarray]:
    """Find the row positions of every group, in order of first appearance; see :func:`read_labels`."""
    return read_labels(frame, by, "by").positions()


def column_or_level(frame: pd.DataFrame, name: Hashable, argument: str = "by") -> pd.Series:
    """Return a column, or a level of the index, on the frame's index.

    Raises
    ------
    ValueError
        For a name that is neither, or that names several columns.
    """
    if name in frame.columns:
        return checks.column(frame, name, argument)
    if name in frame.index.names:
        level = frame.index.get_level_values(cast(str, frame.index.names.index(name)))
        return pd.Series(level.array, index=frame.index, name=name)
    known = [*frame.columns, *(level for level in frame.index.names if level is not None)]
    raise ValueError(
        f"{checks.called(argument)} names {name!r}, which is neither a column nor an index level; there are "
        f"{checks.listed(known)}.{checks.nearest(name, known)}"
    )
