"""A table as the functions behind verbs read it: rows in pandas, and what its columns are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import Labels, read_labels
from copa_nb.tables.description import Description
from copa_nb.tables.frames import ForeignFrame, take_rows
from copa_nb.tables.missing_values import BOUNDS, BoundedCosts, Bounds, bounded_costs
from copa_nb.tables.objectives import (
    NAN_POLICIES,
    ObjectiveMatrix,
    Objectives,
    ObjectivesLike,
    omit_or_worst,
    resolve_objectives,
    to_minimization,
)

Verb = TypeVar("Verb", bound=Callable[..., Any])
_EXAMPLES = {"system": "model", "item": "task", "repeat": "seed"}


@dataclass(frozen=True, eq=False)
class DescribedFrame:
    """A table as the functions behind verbs read it.

    Parameters
    ----------
    frame : DataFrame
        Its rows; none where it is read in pieces.
    description : Description
        What its columns are.
    groups : label or list of labels, optional
        Columns that split it, where a function answers for groups itself; see :func:`takes_groups`.
    origin : ForeignFrame, optional
        The same rows in the library that they came from.

    Examples
    --------
    >>> models = pd.DataFrame({"accuracy": [0.9, None], "team": ["x", "y"]})
    >>> table = DescribedFrame.of(models, {"accuracy": "max"}, system="team", nan_policy="omit")
    >>> table.labels("system").labels, table.policy("worst"), table.policy("omit", "worst")
    (['x', 'y'], 'raise', 'omit')
    """

    frame: pd.DataFrame
    description: Description
    groups: Any = None
    origin: ForeignFrame | None = None

    @classmethod
    def of(cls, frame: pd.DataFrame, objectives: ObjectivesLike = None, /, **words: Any) -> DescribedFrame:
        """Describe a frame by these words alone; objectives that are not given are those that the frame remembers."""
        if isinstance(objectives, Mapping):
            # Columns may be those of validation and test scores: verbs know which they need.
            objectives = Objectives.of(objectives)
        elif objectives is not None and not isinstance(objectives, Objectives):
            objectives = resolve_objectives(frame, objectives)
        return cls(frame, Description(objectives, {}).saying(**words))

    def say(self, word: str) -> Any:
        """What a word says of the table; None if it was not said."""
        return self.description.get(word)

    def named(self, word: str) -> Any:
        """The column, or columns, that a word names; an error with the line to write if it was not said.

        Raises
        ------
        ValueError
            If the table is not described with the word.
        """
        column = self.say(word)
        if column is None:
            example = _EXAMPLES.get(word, "...")
            raise ValueError(
                f"{checks.called(word)} is needed, and this table is not described with it; name its column, e.g. "
                f"{checks.setting(word, example)}."
            )
        return column

    def labels(self, word: str, positions: np.ndarray | None = None) -> Labels:
        """Labels of the rows, or of some of them, in the column that a word names."""
        rows = self.frame if positions is None else self.frame.iloc[positions]
        return read_labels(rows, self.named(word), word)

    def policy(self, *others: str) -> str:
        """How missing values are treated, by a verb that has these ways beside "raise"; it raises where it lacks one.

        So no policy is dropped in silence: where nothing is missing all are the same, and what is missing is an error.
        """
        said = self.say("nan_policy")
        return said if said in others else "raise"

    def advice(self, instead: str, *policies: str) -> str:
        """What may be done about missing values, and that the policy that was said is none of it, if so."""
        said = self.say("nan_policy")
        if said is None or said in policies:
            return instead
        return f"{instead}; {checks.setting('nan_policy', said)} does not apply here"

    @property
    def bounds(self) -> Bounds:
        """What a missing value may be, where such values are unknown."""
        given: Bounds = self.say("bounds") if self.policy(BOUNDS) == BOUNDS else None
        return given

    def objectives(self, reference: object = None) -> Objectives:
        """What is good; a Reference may say it, where nothing else does."""
        return resolve_objectives(self.frame, self.description.objectives, reference)

    def costs(self, *, where: Where = None, reference: object = None, instead: str = "") -> ObjectiveMatrix:
        """Turn the objectives into costs; rows that lack a value are refused, left out or count as the worst."""
        return to_minimization(
            self.frame, self.description.objectives, where=where, reference=reference,
            nan_policy=self.policy(*NAN_POLICIES), instead=instead or self.advice(omit_or_worst(), *NAN_POLICIES),
        )  # fmt: skip

    def bounded_costs(self, where: Where = None) -> BoundedCosts:
        """Turn the objectives into the costs that each cell may have."""
        return bounded_costs(self.frame, self.description.objectives, bounds=self.bounds, where=where)

    def take(self, positions: np.ndarray) -> DescribedFrame:
        """Some of the rows, as they are described."""
        return replace(self, frame=self.frame.iloc[positions], groups=None, origin=None)

    def saying(self, objectives: Objectives | None = None, **words: Any) -> DescribedFrame:
        """The same rows with other words."""
        return replace(self, description=self.description.saying(objectives, **words))

    def rows_in_kind(self, mask: np.ndarray) -> Any:
        """The rows that a mask marks, in the library that they came from."""
        return take_rows(self.origin or self.frame, mask)


def takes_groups(function: Verb) -> Verb:
    """Mark a function behind a verb that answers for groups of rows itself, rather than for each on its own."""
    function.takes_groups = True  # type: ignore[attr-defined]
    return function
