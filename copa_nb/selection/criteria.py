"""Rankings of the same rows under several criteria, side by side."""

from __future__ import annotations

__all__ = ["Criteria"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.sorting import column_ranks
from copa_nb.docstrings import add_shared
from copa_nb.ranking.arrays import criterion as arrays
from copa_nb.ranking.arrays.normalization import CRITERIA, NORMALIZATIONS, DegenerateColumnError, Score
from copa_nb.ranking.criterion import resolve_p, write_p
from copa_nb.ranking.populations import Reference
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, briefest, part, shortened
from copa_nb.selection.sensitivity import Chosen
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, row_in_words

CriterionLike: TypeAlias = "str | float"
DEFAULT_CRITERIA: tuple[CriterionLike, ...] = ("mean", "relative", "minmax", 1, 2, 4, 8, "inf")
_MOST_NAMED = 3  # rows that a sentence lists
_PERCENT = 100.0
# Scores that are no norm of normalized values; they take sums over the whole table.
OTHER_METHODS = tuple(name for name, one in CRITERIA.items() if one.score)
MEANS = tuple(name for name, one in CRITERIA.items() if not one.score)
NAMED = (*MEANS, "inf", *OTHER_METHODS)


def _meanings(names: Sequence[str], separator: str) -> str:
    return separator.join(f'"{name}": {CRITERIA[name].meaning}' for name in names)


add_shared(
    "criteria",
    "criteria : sequence",
    f'{_meanings(MEANS, ". ")}. A number of at least 1, or "inf": COPA with that p. Methods from the literature: '
    f"{_meanings(OTHER_METHODS, '; ')}. The name of an objective: that objective alone.",
)


@dataclass(frozen=True, repr=False, eq=False)
class Criteria(Worded):
    """Ranks of every row that may be chosen under several criteria.

    Parameters
    ----------
    ranks : DataFrame of int, rows × criteria
        1 is best; rows that tie under a criterion share the lowest rank (with p = ∞ many do: only
        the worst weighted rank of each row counts). Columns are the criteria as given.
    scores : DataFrame of float, rows × criteria
        Scores behind the ranks; smaller is better.
    objectives : Objectives
        Names and directions.
    weights : dict of objective to float
        Weights used by every criterion.
    frame : DataFrame
        The table itself.
    first : dict of criterion to int
        Row of `ranks` that each criterion chooses, ties broken as ``df.moo.copa()`` breaks them.
    n_excluded : int
        Rows that a constraint excluded from the choice; scores are still taken over them.
    left_out : dict of criterion to str
        Criteria that do not apply to the table, such as min-max scaling where a column is constant, and why.
    choice : label
        The choice whose criterion is varied.
    rivals : tuple of labels
        The rows next in rank by that criterion, which have one color in all pictures of the choice.
    """

    paper = "javaloy2025copa"

    ranks: pd.DataFrame
    scores: pd.DataFrame
    objectives: Objectives
    weights: dict[Hashable, float]
    frame: pd.DataFrame = field(repr=False)
    first: dict[CriterionLike, int] = field(default_factory=dict, repr=False)
    n_excluded: int = 0
    left_out: dict[CriterionLike, str] = field(default_factory=dict, repr=False)
    choice: Hashable = None
    rivals: tuple[Hashable, ...] = ()

    _internals = frozenset(("choice", "first", "least_agreement", "left_out", "n_excluded", "rivals"))

    @classmethod
    def of(cls, choice: Chosen, criteria: Sequence[CriterionLike] | None = None) -> Criteria:
        """Rank the rows that may be chosen under several criteria; see :meth:`copa_nb.results.Selection.criteria`."""
        matrix = choice.matrix
        default = DEFAULT_CRITERIA if _in_one_unit(matrix) else DEFAULT_CRITERIA[1:]
        read = read_criteria(default if criteria is None else criteria, matrix.objectives)
        allowed = np.flatnonzero(choice.candidates)
        sums = choice.rank_sums(allowed)
        scores, ranks, first, left_out = {}, {}, {}, {}
        for item, key in read.items():
            try:
                values, weights, p = _aggregated(choice, key)
            except ValueError as error:
                if criteria is None and isinstance(error.__cause__, DegenerateColumnError):
                    left_out[item] = str(error)
                    continue
                raise
            values = values[allowed]
            scores[item] = arrays.weighted_norm(values, weights, p)
            ranks[item] = column_ranks(arrays.tie_key(scores[item]) + 0.0).astype(np.int64) + 1
            first[item] = int(arrays.winners(values, weights, p, sums)[0])
        index = matrix.index[allowed]
        return cls(
            ranks=pd.DataFrame(ranks, index=index),
            scores=pd.DataFrame(scores, index=index),
            objectives=matrix.objectives,
            weights=dict(choice.weights),
            frame=cast("pd.DataFrame", matrix.frame),
            first=first,
            n_excluded=len(matrix.values) - len(allowed),
            left_out=left_out,
        )

    @property
    def table(self) -> pd.DataFrame:
        """Ranks with the swing (largest minus smallest rank) of each row, sorted by the last criterion."""
        table = self.ranks.rename(columns=criterion_label)
        table["swing"] = self.ranks.max(axis=1) - self.ranks.min(axis=1)
        return table.sort_values(table.columns[-2], kind="stable")

    @property
    def agreement(self) -> pd.DataFrame:
        """Kendall's τ-b between the rankings of each two criteria; ties count as ties."""
        correlation: pd.DataFrame = self.ranks.rename(columns=criterion_label).corr(method="kendall")
        return correlation

    def winners(self) -> pd.Series:
        """Choice of each criterion: among rows that share rank 1, the one that ``df.moo.copa()`` would choose."""
        return pd.Series(
            [self.ranks.index[row] for row in self.first.values()],
            index=[criterion_label(column) for column in self.ranks],
            name="winner",
        )

    plot = Offered()

    def parts(self) -> list[Part]:
        """Which rows the criteria choose, and how much their rankings differ."""
        chosen: dict[str, list[str]] = {}
        for criterion, winner in self.winners().items():
            chosen.setdefault(row_in_words(self.frame, winner), []).append(str(criterion))
        left_out = {criterion_label(item): why for item, why in self.left_out.items()}
        return [
            self._chosen(list(chosen)),
            *self._by_criterion(chosen),
            *self._differences(),
            *self.least_agreement(),
            *self._limits(),
            *(part("criteria.details.left_out", criterion=name, why=why) for name, why in left_out.items()),
        ]

    def _chosen(self, rows: list[str]) -> Part:
        """Which rows are chosen by how many criteria."""
        found = {"n": len(rows), "criteria": self.ranks.shape[1]}
        if len(rows) == 1:
            both = "both" if self.ranks.shape[1] == 2 else "all"
            return part(f"criteria.headline.{both}", best=rows[0], **found)
        named = part("criteria.headline.named", rows=shortened(rows), **found)
        return briefest([named, part("criteria.headline.counted", **found)])

    def _by_criterion(self, chosen: dict[str, list[str]]) -> list[Part]:
        if len(chosen) == 1:
            return []
        each = [part("criteria.phrases.chosen", row=row, criteria=criteria) for row, criteria in chosen.items()]
        return [part("criteria.reasons.chosen", each=each)]

    def _differences(self) -> list[Part]:
        swing = self.table["swing"]
        if swing.max() <= 0:
            return []
        first = [row_in_words(self.frame, row) for row in swing.index[swing == swing.max()]]
        return [part("criteria.reasons.swing", widest=int(swing.max()), names=shortened(first, _MOST_NAMED + 1))]

    def least_agreement(self) -> list[Part]:
        """Which two rankings agree least; nothing if all rows are equal by a criterion."""
        first, second = np.triu_indices(self.ranks.shape[1], 1)
        agreement = self.agreement
        values = agreement.to_numpy()[first, second]
        if not np.isfinite(values).any():
            return []
        least = int(np.nanargmin(values))
        pair = [str(agreement.columns[side[least]]) for side in (first, second)]
        return [part("criteria.details.agreement", tau=float(values[least]), pair=pair)]

    def _limits(self) -> list[Part]:
        n_rows = len(self.ranks)
        allowed = {"allowed": n_rows, "rows": n_rows + self.n_excluded}
        return [part("criteria.details.limit", **allowed)] if self.n_excluded else []

    def printed_tables(self) -> list[PrintedTable]:
        """The choice of each criterion."""
        winners = self.winners().rename_axis("criterion").to_frame()
        caption = "Which row each criterion puts first."
        return [PrintedTable(frame=winners, name="winners", caption=caption, folded=True)]

    def __repr__(self) -> str:
        names = ", ".join(criterion_label(column) for column in self.ranks)
        return f"<Criteria of {len(self.ranks):,} rows under {self.ranks.shape[1]} criteria ({names})>"

    def _card(self) -> str:
        caption = f"Ranks (1 is best) by {', '.join(self.objectives.titles)}."
        return text.html_table(self.table, caption=caption, most=20)


def _in_one_unit(matrix: ObjectiveMatrix) -> bool:
    """Whether all values are shares, or all are percentages: the mean of dollars and milliseconds means nothing."""
    values = matrix.original()
    lowest, highest = np.nanmin(values), np.nanmax(values, axis=0)
    return bool(lowest >= 0 and ((highest <= 1).all() or ((highest > 1) & (highest <= _PERCENT)).all()))


def criterion_label(item: Hashable) -> str:
    """Write a criterion for people: "mean", "p = 2", "p = ∞", or an objective's name."""
    if _is_name(item) or not isinstance(item, str | int | float):
        return str(item)
    return f"p = {write_p(_order(item))}"


def read_criteria(criteria: Sequence[CriterionLike], objectives: Objectives) -> dict[CriterionLike, str | float]:
    """Map each criterion, as given, to its name or the order of its norm."""
    if isinstance(criteria, str) or not isinstance(criteria, Sequence) or len(criteria) == 0:
        raise TypeError(f"`criteria` is {criteria!r}; give a list such as ['mean', 'minmax', 1, 'inf'].")
    keys = [_criterion(item, objectives) for item in criteria]
    if len(set(keys)) < len(keys):
        raise ValueError(f"`criteria` is {list(criteria)!r}, which names a criterion twice; name each once.")
    return dict(zip(criteria, keys, strict=True))


def _aggregated(choice: Chosen, key: str | float) -> tuple[np.ndarray, np.ndarray, float]:
    """Values that a criterion aggregates, with which weights, and the order of its norm."""
    costs, given = choice.matrix.values, choice.reference
    weights, frozen = np.array(list(choice.weights.values())), given if isinstance(given, Reference) else None
    if named := CRITERIA.get(str(key)):
        if named.score:
            return _scores(choice.matrix, named.score, weights, frozen)[:, None], np.ones(1), 1.0
        if not named.scale:
            return costs, weights, 1.0
        takes_row = NORMALIZATIONS[named.scale].takes_row
        return choice.on_scale(named.scale, given if takes_row else frozen), weights, 1.0
    if _is_alone(key):
        return costs[:, [choice.objectives.position(str(key))]], np.ones(1), 1.0
    return choice.on_scale("cdf", frozen), weights, float(key)


def _scores(matrix: ObjectiveMatrix, score: Score, weights: np.ndarray, frozen: Reference | None) -> np.ndarray:
    """Scores, smaller is better, of a criterion that is no norm of normalized values."""
    population = matrix.values if frozen is None else frozen.population(matrix.objectives)
    try:
        return score(matrix.values, population, weights, matrix.objectives.signs < 0)
    except DegenerateColumnError as error:
        raise ValueError(f"objective {matrix.objectives.names[error.column]!r} {error.reason}.") from error


def _is_alone(key: str | float) -> bool:
    """Whether a key of :func:`read_criteria` is an objective by itself."""
    return isinstance(key, str) and key not in NAMED


def _criterion(item: Hashable, objectives: Objectives) -> str | float:
    if _is_name(item):
        checks.one_of("criteria", item, (*NAMED, *objectives.names))
        return str(item)
    if not isinstance(item, str | int | float):
        raise TypeError(f"`criteria` holds {item!r}; allowed are {checks.listed(NAMED)} and numbers of at least 1.")
    return _order(item)


def _order(item: str | float) -> float:
    return resolve_p("inf" if item == "∞" else item)


def _is_name(item: Hashable) -> bool:
    """Whether a criterion is a name, not the order of a norm."""
    if not isinstance(item, str) or item in ("inf", "∞"):
        return False
    try:
        float(item)
    except ValueError:
        return True
    return False
