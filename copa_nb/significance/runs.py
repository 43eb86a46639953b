"""Runs for tests, audits and power studies, read once from a long table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.pareto.arrays.hypervolume import LARGEST
from copa_nb.pareto.reference_points import WORST, WORST_MULTIPLE, ReferencePointLike, in_own_units, reference_point
from copa_nb.tables.columns import as_names, several
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives


def system_name(label: Hashable) -> str:
    """Write a label in words: the parts of a tuple with a slash between them."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


@dataclass(frozen=True)
class Runs:
    """Costs of every run, with the system and the repeat that each belongs to.

    Parameters
    ----------
    matrix : ObjectiveMatrix
        Costs, on the log scale where `log` asks for it.
    systems : ndarray of int, shape (n,)
        Number of the system of each run.
    labels : list
        Name of each system; a tuple where several columns name it.
    repeats : ndarray of int, shape (n,), or None
        Number of the repeat of each run; None if the table has no such column.
    repeat_labels : list
        Name of each repeat.
    log : tuple of labels
        Objectives that are on the log scale.
    frame : DataFrame
        The table, without omitted rows.
    """

    matrix: ObjectiveMatrix
    systems: np.ndarray
    labels: list[Hashable]
    repeats: np.ndarray | None
    repeat_labels: list[Hashable]
    log: tuple[Hashable, ...]
    frame: pd.DataFrame

    @property
    def costs(self) -> np.ndarray:
        """Costs, shape (n, k); smaller is better."""
        return self.matrix.values

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""
        return self.matrix.objectives

    def reference_costs(self, reference: ReferencePointLike, reference_margin: float) -> np.ndarray:
        """Turn a reference point in own units, "worst" or a frozen one into costs on the scale used."""
        if reference == WORST_MULTIPLE and self.log:
            worst = self.in_own_units(reference_point(self.matrix, WORST, reference_margin=0.0))
            signs = dict(zip(self.objectives.names, self.objectives.signs, strict=True))
            reference = {
                name: value + signs[name] * reference_margin * (abs(value) or 1.0) for name, value in worst.items()
            }
        if isinstance(reference, str) or not self.log:
            return reference_point(self.matrix, reference, reference_margin=reference_margin)
        point = reference if isinstance(reference, Mapping) else getattr(reference, "reference_point", reference)
        if isinstance(point, Mapping):
            point = {name: self._scaled(name, value) for name, value in point.items()}
        return reference_point(self.matrix, point, reference_margin=reference_margin)

    def in_own_units(self, point: np.ndarray) -> dict[Hashable, float]:
        """Write a point of costs in the objectives' own units and directions."""
        values = in_own_units(self.matrix, point)
        return {name: float(np.exp(v)) if name in self.log else v for name, v in values.items()}

    def find(self, names: Any, argument: str) -> list[int]:
        """Numbers of the systems that the user names: one label, or a list of labels."""
        labels = list(names) if isinstance(names, list | set | frozenset | pd.Index | np.ndarray) else [names]
        if not labels:
            raise ValueError(f"`{argument}` is empty; name at least one system: {checks.listed(self.labels)}.")
        return list(dict.fromkeys(self._number(label, argument) for label in labels))

    def rows(self, systems: Sequence[int]) -> np.ndarray:
        """Mark the runs of some systems; shape (n,)."""
        return np.isin(self.systems, systems)

    def counts(self, systems: Sequence[int]) -> list[int]:
        """Runs of each of some systems."""
        return [int((self.systems == s).sum()) for s in systems]

    def check_unique(self, systems: Sequence[int]) -> None:
        """Refuse systems that have several rows for one repeat."""
        if self.repeats is None:
            return
        chosen = self.rows(systems)
        pairs = self.systems[chosen] * len(self.repeat_labels) + self.repeats[chosen]
        distinct, times = np.unique(pairs, return_counts=True)
        if times.max(initial=0) > 1:
            system, repeat = divmod(int(distinct[times > 1][0]), len(self.repeat_labels))
            where = f"system {self.labels[system]!r} with repeat {self.repeat_labels[repeat]!r}"
            raise ValueError(
                f"`repeat` does not distinguish the runs of a system: {where} is in {int(times[times > 1][0])} rows "
                f"({int(times[times > 1].sum())} rows repeat a pair). Keep one row per system and repeat, pass several "
                "columns that identify a run, e.g. repeat=['task', 'fold'], or average the repeated rows first."
            )

    def share_repeats(self, systems: Sequence[int]) -> bool:
        """Whether several repeats were given, and all of some systems ran with the same ones, once each."""
        if self.repeats is None:
            return False
        sets = [sorted(self.repeats[self.systems == s].tolist()) for s in systems]
        return len(sets[0]) > 1 and all(each == sets[0] for each in sets) and len(set(sets[0])) == len(sets[0])

    def check_matched(self, systems: Sequence[int]) -> None:
        """Refuse to pair systems that did not run with the same repeats."""
        if self.repeats is None:
            raise ValueError(
                f"{checks.called('paired')} needs {checks.called('repeat')}, the column whose values are matched "
                "between systems."
            )
        every = set(self.repeats[self.rows(systems)].tolist())
        for s in systems:
            lacking = every - set(self.repeats[self.systems == s].tolist())
            if lacking:
                names = [self.repeat_labels[repeat] for repeat in sorted(lacking)]
                raise ValueError(
                    f"{checks.called('paired')} needs every system to have every repeat, but {self.labels[s]!r} lacks "
                    f"{checks.listed(names, 5)}; keep the repeats that all systems share, or leave it out."
                )

    def _number(self, label: Hashable, argument: str) -> int:
        if label in self.labels:
            return self.labels.index(label)
        # A file cannot name a system by a tuple, nor a number on a command line.
        written = [number for number, one in enumerate(self.labels) if system_name(one) == label]
        if len(written) == 1:
            return written[0]
        hint = ""
        if isinstance(label, tuple) and all(part in self.labels for part in label):
            hint = " A tuple is a single label; pass a list for several systems."
        raise ValueError(
            f"`{argument}` names {label!r}, which is not a system; systems are {checks.listed(self.labels)}."
            f"{hint or checks.nearest(label, self.labels)}"
        )

    def _scaled(self, name: Hashable, value: float) -> float:
        if name not in self.log:
            return value
        if not value > 0:
            raise ValueError(
                f"`reference` gives {value!r} for {name!r}, which is on the log scale; it must be above zero."
            )
        return float(np.log(value))


def gather_runs(table: DescribedFrame, reference: object = None) -> Runs:
    """Read the runs of a long table, one row per system and repeat.

    Parameters
    ----------
    table : DescribedFrame
        One row per run. Of its words, ``system``, ``repeat``, ``log`` and ``nan_policy`` matter.
    reference : Reference, optional
        May supply the objectives.

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        For unknown columns or objectives, missing labels, or values that have no logarithm.
    """
    table.named("system")
    resolved = table.objectives(reference)
    logged = _logged(table.say("log"), resolved)
    matrix = replace(table, frame=_on_log_scale(table.frame, logged)).saying(resolved).costs()
    kept = table.frame.iloc[matrix.positions]
    _check_range(several(kept, resolved))
    systems = table.labels("system", matrix.positions)
    repeats = None if table.say("repeat") is None else table.labels("repeat", matrix.positions)
    return Runs(
        matrix=matrix,
        systems=systems.codes,
        labels=systems.labels,
        repeats=None if repeats is None else repeats.codes,
        repeat_labels=[] if repeats is None else repeats.labels,
        log=logged,
        frame=kept,
    )


def _check_range(values: pd.DataFrame) -> None:
    """Refuse values of which means and spreads would be more than a float can hold."""
    for name, column in values.items():
        sizes = np.abs(column.to_numpy(dtype=np.float64, na_value=np.nan))
        widest = sizes[np.isfinite(sizes)].max(initial=0.0)
        if widest > LARGEST:
            raise ValueError(
                f"objective {name!r} has values of magnitude {widest:.2g}; means and spreads can be computed up to "
                f"{LARGEST:g}. Rescale the column, e.g. frame[{name!r}] / 1e300."
            )


def _logged(log: Any, objectives: Objectives) -> tuple[Hashable, ...]:
    if isinstance(log, Mapping):
        raise TypeError("`log` is a mapping; list the objectives to take the logarithm of, e.g. log=['cost'].")
    names = list(log) if isinstance(log, tuple) and log not in objectives.names else as_names(log)
    for name in names:
        objectives.position(name, "log", verb="names")
    return tuple(dict.fromkeys(names))


def _on_log_scale(frame: pd.DataFrame, names: tuple[Hashable, ...]) -> pd.DataFrame:
    if not names:
        return frame
    scaled = frame.copy(deep=False)
    for name in names:
        column = frame[name]
        wrong = column <= 0
        if wrong.any():
            first = frame.index[wrong.to_numpy(dtype=bool, na_value=False)].tolist()[0]
            raise ValueError(
                f"`log` asks for the logarithm of {name!r}, but {int(wrong.sum())} of {len(frame)} values are "
                f"not above zero (first in row {first!r}); shift or drop them, or leave {name!r} linear."
            )
        scaled[name] = np.log(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return scaled
