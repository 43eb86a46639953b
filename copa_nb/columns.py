"""Which column, or level of the index, names the entity, the repetition or the group: one reader for all verbs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks


class GroupsOmittedWarning(UserWarning):
    """Says which groups of rows are left out, and why."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Rows numbered by what one column, or several together, say of them.

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
        raise ValueError(f"`{argument}` is an empty list; name at least one column.")
    parts = [column_or_level(frame, name, argument) for name in columns]
    for name, part in zip(columns, parts, strict=True):
        if part.isna().any():
            raise ValueError(
                f"`{argument}` column {name!r} is missing in {int(part.isna().sum())} of {len(frame)} rows; fill it or "
                "drop those rows."
            )
        if part.dtype == object and not all(isinstance(value, Hashable) for value in part):
            raise ValueError(
                f"`{argument}` column {name!r} holds values that cannot be labels, such as lists; turn them into text: "
                f"frame[{name!r}].astype(str)."
            )
    if len(columns) == 1:
        codes, labels = pd.factorize(parts[0])
        return Labels(codes.astype(np.int64), pd.Index(labels, name=columns[0], tupleize_cols=False))
    codes, labels = pd.factorize(pd.MultiIndex.from_arrays([part.astype(object) for part in parts]))
    return Labels(codes.astype(np.int64), pd.MultiIndex.from_tuples(list(labels), names=columns))


def one_row_each(
    groups: Labels, items: Labels, positions: np.ndarray, values: np.ndarray, nan_policy: str
) -> np.ndarray:
    """Arrange the costs of a table with one row per item and group.

    Parameters
    ----------
    groups, items : Labels
        Of all rows.
    positions : ndarray of int, shape (m,)
        Rows that have costs.
    values : ndarray, shape (m, k)
        Their costs.
    nan_policy : {"raise", "omit", "worst"}
        What to do about an item without costs in some group.

    Returns
    -------
    ndarray, shape (groups, items, k)
        NaN where an item is missing and that is to be omitted; +inf if it counts as worst.

    Raises
    ------
    ValueError
        For repeated rows, and for missing ones under "raise".
    """
    cell = groups.codes * len(items.index) + items.codes
    repeated = pd.Series(cell).duplicated().to_numpy()
    if repeated.any():
        group, item = divmod(int(cell[repeated][0]), len(items.index))
        raise ValueError(
            f"`by` and `item` name {groups.labels[group]!r} and {items.labels[item]!r} in more than one row; "
            "summarise repeats first, e.g. frame.groupby([by, item]).mean(numeric_only=True).reset_index(), or "
            "add the column that tells them apart to `by`."
        )
    costs = np.full((len(groups.index), len(items.index), values.shape[1]), np.nan)
    costs[groups.codes[positions], items.codes[positions]] = values
    missing = np.isnan(costs[:, :, 0])
    if missing.any() and nan_policy == "raise":
        group, absent = np.argwhere(missing)[0]
        raise ValueError(
            f"{missing.sum()} of {missing.size} items are without a row, e.g. {items.labels[absent]!r} in group "
            f'{groups.labels[group]!r}. Pass nan_policy="omit" to leave such groups out, or nan_policy="worst" to '
            "count the item as worse than everything there."
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
        For a name that is neither, or that stands for several columns.
    """
    if name in frame.columns:
        return checks.column(frame, name, argument)
    if name in frame.index.names:
        level = frame.index.get_level_values(cast(str, frame.index.names.index(name)))
        return pd.Series(level.array, index=frame.index, name=name)
    known = [*frame.columns, *(level for level in frame.index.names if level is not None)]
    raise ValueError(
        f"`{argument}` names {name!r}, which is neither a column nor an index level; there are "
        f"{checks.listed(known)}.{checks.nearest(name, known)}"
    )
