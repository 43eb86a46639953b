"""Groups of rows, and a result per group.

GroupBy objects have no accessors, so every verb for which groups make sense takes ``by=`` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text

Result = TypeVar("Result")


@dataclass(frozen=True, repr=False)
class Grouped(Mapping[Hashable, Result], Generic[Result]):
    """One result per group, in order of first appearance; a read-only mapping.

    Parameters
    ----------
    results : dict of group label to result
        The results.
    by : label or list of labels
        The columns that made the groups.
    """

    results: dict[Hashable, Result]
    by: Any

    def __getitem__(self, group: Hashable) -> Result:
        return self.results[group]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        kind = type(next(iter(self.results.values()))).__name__
        return f"<{len(self)} × {kind} by {self.by!r}>"

    def _repr_html_(self) -> str:
        shown = pd.DataFrame({"result": self.collect(repr)})
        return text.html_table(shown, caption=f"One result per {self.by}.")

    def collect(self, what: str | Callable[[Result], Any]) -> pd.Series:
        """Gather an attribute, or what a function makes of each result, as a Series by group."""
        get = what if callable(what) else lambda result: getattr(result, what)
        values = [get(result) for result in self.results.values()]
        return pd.Series(values, index=self._index(), name=what if isinstance(what, str) else None)

    @property
    def best(self) -> pd.Series:
        """The chosen row of each group."""
        return self.collect("best")

    @property
    def table(self) -> pd.DataFrame:
        """The tables of all groups, one below the other, under the group's label."""
        return pd.concat([result.table for result in self.results.values()], keys=self._index())  # type: ignore[attr-defined]

    def _index(self) -> pd.Index:
        labels = list(self.results)
        if isinstance(self.by, list) and len(self.by) > 1:
            return pd.MultiIndex.from_tuples(cast(list[tuple[Hashable, ...]], labels), names=self.by)
        name = self.by[0] if isinstance(self.by, list) else self.by
        return pd.Index(labels, name=name)


def positions_by_group(frame: pd.DataFrame, by: Any) -> dict[Hashable, np.ndarray]:
    """Find the row positions of every group, in order of first appearance.

    Parameters
    ----------
    frame : DataFrame
        The table.
    by : label or list of labels
        Columns, or names of index levels, that make the groups.

    Raises
    ------
    ValueError
        For an unknown column, or rows that belong to no group (missing values).
    """
    names = by if isinstance(by, list) else [by]
    keys = []
    for name in names:
        values = column_or_level(frame, name)
        if values.isna().any():
            raise ValueError(
                f"`by` column {name!r} is missing in {int(values.isna().sum())} of {len(frame)} rows; fill it or "
                "drop those rows."
            )
        keys.append(values)
    table = pd.DataFrame({i: key.to_numpy() for i, key in enumerate(keys)})
    grouped = table.groupby(list(table.columns), sort=False, observed=True)
    groups: dict[Hashable, np.ndarray] = {}
    for label, positions in grouped.indices.items():
        groups[label if len(names) > 1 or not isinstance(label, tuple) else label[0]] = np.asarray(positions)
    # `indices` is sorted by label; what the reader expects is the order of the table.
    return dict(sorted(groups.items(), key=lambda item: int(item[1][0])))


def by_group(frame: pd.DataFrame, by: Any, verb: Callable[[pd.DataFrame], Result]) -> Grouped[Result]:
    """Run a verb on every group; an error names the group it arose in."""
    results: dict[Hashable, Result] = {}
    for label, positions in positions_by_group(checks.frame(frame), by).items():
        try:
            results[label] = verb(frame.iloc[positions])
        except (ValueError, TypeError) as error:
            raise type(error)(f"in group {label!r} of `by`={by!r}: {error}") from error
    return Grouped(results, by)


def column_or_level(frame: pd.DataFrame, name: Hashable, argument: str = "by") -> pd.Series:
    """Return a column, or a level of the index, on the frame's index."""
    if name in frame.index.names and name not in frame.columns:
        return pd.Series(frame.index.get_level_values(cast(str, name)).array, index=frame.index, name=name)
    return checks.column(frame, name, argument)
