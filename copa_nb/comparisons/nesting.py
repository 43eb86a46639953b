"""Groups that items may have been drawn in: a column above them, or the start of their names.

They are only pointed out. Whether a new sample would have the same groups is for the user to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays.dependence import correlates, deviations, intraclass_correlation
from copa_nb.results.sentences import part, say
from copa_nb.tables.columns import Labels

_FEWEST_GROUPS, _SMALLEST_MEAN_SIZE = 3, 1.5
# Columns that are looked at, and by how much a variance must be too small for a word about it.
_MOST_COLUMNS, _LEAST_INFLATION = 20, 1.1
# Names that rule out most separators.
_FIRST_NAMES = 100
_SEPARATORS = "/|:#_-. "


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of items.

    Parameters
    ----------
    codes : ndarray of int, shape (n_items,)
        Number of each item's group, counted from 0.
    groups : str
        What they are, e.g. "passage".
    advice : str
        How they are passed to a verb.
    """

    codes: np.ndarray
    groups: str
    advice: str

    def kept(self, complete: np.ndarray) -> Grouping:
        """Of some of the items, numbered anew."""
        return replace(self, codes=pd.factorize(self.codes[complete])[0].astype(np.int64))


def groupings(frame: pd.DataFrame, items: Labels, others: Iterable[object]) -> list[Grouping]:
    """Find columns that have one value per item, and starts of names that several items share.

    Parameters
    ----------
    frame : DataFrame
    items : Labels
        Item of each row.
    others : iterable of label
        Columns with another meaning.
    """
    return [*_of_columns(frame, items, others), *_of_names(items)]


def holds_labels(column: pd.Series) -> bool:
    """Tell whether a column may name groups; measurements do not."""
    return not pd.api.types.is_float_dtype(column.dtype)


def hint(scores: np.ndarray, found: Sequence[Grouping], items: str) -> list[str]:
    """Name the groups within which differences between systems correlate most, if there are any.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems, n_objectives)
        NaN where missing.
    found : sequence of Grouping
    items : str
        What items are called.

    Returns
    -------
    list of str
        One sentence and what to do, or nothing.
    """
    worst: tuple[float, str] = (_LEAST_INFLATION, "")
    found = list(filter(_may_be_clusters, found))
    for position in range(scores.shape[2] if found else 0):
        values = deviations(scores[:, :, position])
        for one in found:
            correlation = intraclass_correlation(values, one.codes)
            counts = np.bincount(one.codes)
            # Variance of a mean over that of independent items, for clusters of different sizes.
            inflation = 1 + ((counts**2).sum() / len(one.codes) - 1) * correlation
            if inflation > worst[0] and correlates(values, one.codes, np.random.default_rng(0)):
                said = part("caveats.details.correlated", items=items, groups=one.groups, correlation=correlation,
                            n=len(counts), advice=one.advice)  # fmt: skip
                worst = (inflation, say(said))
    return [worst[1]] if worst[1] else []


def _of_columns(frame: pd.DataFrame, items: Labels, others: Iterable[object]) -> Iterator[Grouping]:
    """Columns that are labels, and the same in all rows of an item; parts of an item's own name are such columns."""
    own = set(items.index.names) if items.index.nlevels > 1 else set()
    taken = set(others) - own
    names = [*(level for level in frame.index.names if level is not None), *frame.columns]
    for name in [name for name in names if name not in taken][:_MOST_COLUMNS]:
        values = frame[name] if name in frame.columns else frame.index.get_level_values(name).to_series()
        if isinstance(values, pd.DataFrame) or not holds_labels(values):
            continue
        try:
            of_rows = pd.factorize(values)[0]
        except TypeError:  # lists are no labels
            continue
        codes = np.zeros(len(items.index), dtype=np.int64)
        codes[items.codes] = of_rows
        if of_rows.min() >= 0 and (codes[items.codes] == of_rows).all():
            yield Grouping(codes, f"of one {text.label(name)}", f"pass {checks.setting('cluster', str(name))}")


def _of_names(items: Labels) -> Iterator[Grouping]:
    """Starts of the names of items, up to the first or the last of some separators."""
    if items.index.nlevels > 1 or not pd.api.types.is_string_dtype(items.index):
        return
    names = items.index.to_series()
    for separator in _SEPARATORS:
        if not all(part.str.contains(separator, regex=False).all() for part in (names.iloc[:_FIRST_NAMES], names)):
            continue
        for way, which in (("partition", "first"), ("rpartition", "last")):
            codes = pd.factorize(getattr(names.str, way)(separator)[0])[0].astype(np.int64)
            column = f"frame[{items.index.name!r}].str.{way}({separator!r})[0]"
            yield Grouping(
                codes,
                f"whose names agree up to the {which} {separator!r}",
                f"add a column of them, such as {column}, and name it with {checks.called('cluster')}",
            )


def _may_be_clusters(grouping: Grouping) -> bool:
    codes = grouping.codes
    counts = np.bincount(codes)
    return len(counts) >= _FEWEST_GROUPS and len(codes) >= _SMALLEST_MEAN_SIZE * len(counts)
