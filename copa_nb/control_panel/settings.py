"""What the controls of a panel say, and what follows from it: an analysis, the same in code, and a batch file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.analyses.base import Request
from copa_nb.analyses.registry import analyses
from copa_nb.control_panel.table import ROLES, STANDARD_ERROR, Source, SourceTable
from copa_nb.explorers.choice import ChoiceExplorer
from copa_nb.explorers.constants import MOST_PINNED
from copa_nb.explorers.widget import RowExplorer
from copa_nb.generalization.scores import score_columns
from copa_nb.reports.stated_runs import write_run
from copa_nb.sources.parse_numbers import parse_numbers
from copa_nb.tables.description import TEST, VALIDATION, Description, Kind, in_call

_WAYS = ("max", "min")
_NAME = re.compile(r"[A-Za-z_]\w*")

Limits = tuple[float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the controls say.

    Parameters
    ----------
    source : Source, optional
        The table.
    decimal : {"", ".", ","}
        Decimal mark of text; detected if empty.
    encoding : str
        Encoding of a text file; UTF-8 if empty.
    uses : dict of column to str
        What columns are: "max" or "min", a role, or the standard error of another one.
    limits : dict of column to pair of float or None
        Least and largest value of rows that may be chosen.
    missing : tuple of str
        What may be done about missing values; an analysis takes the first that it knows.
    each_row_alone : bool
        Whether rows are systems of their own, although the names of columns suggest that they are measurements.
    options : dict of parameter to value
        Further parameters, the same for all analyses that have them.
    picked : tuple of labels
        Rows that are picked in an explorer.
    """

    source: Source | None = None
    decimal: str = ""
    encoding: str = ""
    uses: dict[str, str] = field(default_factory=dict)
    limits: dict[str, Limits] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    each_row_alone: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    picked: tuple[Hashable, ...] = ()

    # -------------------------------------------------------------------------------------------- what is said of it

    @property
    def table(self) -> SourceTable:
        """The table as it is read."""
        assert self.source is not None
        return self.source.table(self.decimal, self.encoding)

    @property
    def directions(self) -> dict[str, str]:
        """The objectives, in the order of the table."""
        return {name: use for name, use in self.uses.items() if use in _WAYS}

    @property
    def roles(self) -> dict[str, str]:
        """The columns that have a role, by role."""
        return {use: name for name, use in self.uses.items() if use in ROLES}

    @property
    def standard_errors(self) -> dict[str, str]:
        """The columns of standard errors, by objective."""
        found = {use.removeprefix(STANDARD_ERROR): name for name, use in self.uses.items() if STANDARD_ERROR in use}
        return {name: column for name, column in found.items() if name in self.directions}

    @property
    def parse(self) -> list[str]:
        """Objectives whose text is read as numbers."""
        columns = self.table.columns
        counted = [*self.directions, *self.standard_errors.values()]
        return [name for name in counted if columns[name].kind in ("numbers as text", "open")]

    @property
    def numbers(self) -> pd.DataFrame:
        """The table with the text that counts read as numbers.

        Raises
        ------
        ValueError
            If its decimal mark is open.
        """
        return parse_numbers(self.table.frame, self.parse, decimal=self.decimal or None)

    @property
    def where(self) -> str:
        """The limits as an expression.

        Examples
        --------
        >>> Settings(limits={"accuracy": (0.8, None), "CO2 (kg)": (None, 5.0)}).where
        'accuracy >= 0.8 and `CO2 (kg)` <= 5.0'
        """
        return " and ".join(
            f"{name if _NAME.fullmatch(name) else f'`{name}`'} {sign} {bound!r}"
            for name, (low, high) in self.limits.items()
            for sign, bound in ((">=", low), ("<=", high))
            if bound is not None
        )

    @cached_property
    def scored_twice(self) -> dict[str, str]:
        """Objectives without the part of their names that says validation or test; nothing if some lack one of them."""
        found: dict[str, str] = {}
        for name, way in self.directions.items():
            try:
                stem, columns = score_columns(self.table.frame, name, VALIDATION, TEST)
            except ValueError:
                return {}
            if not {*map(str, columns)} <= {*self.directions}:
                return {}
            found[str(stem)] = way
        return found

    @cached_property
    def kind(self) -> Kind:
        """Which table this is."""
        if self.scored_twice:
            return "search"
        return Description(None, {word: self.roles[word] for word in self.roles}).kind(self.table.frame)

    # ---------------------------------------------------------------------------------------------- to other settings

    def using(self, column: str, use: str) -> Settings:
        """Say what a column is; a role that another one has goes to it."""
        uses = {name: one for name, one in self.uses.items() if name != column and not (one == use in ROLES)}
        uses |= {column: use} if use else {}
        kept = {name: bounds for name, bounds in self.limits.items() if uses.get(name) in _WAYS}
        changed = replace(self, uses={name: uses[name] for name in self.table.columns if name in uses}, limits=kept)
        return changed if changed.directions.keys() == self.directions.keys() else changed.with_options(weights=None)

    def limited(self, column: str, low: float | None, high: float | None) -> Settings:
        """Limit a column; two open ends are no limit."""
        limits = {name: bounds for name, bounds in self.limits.items() if name != column}
        return replace(self, limits=limits if low is high is None else {**limits, column: (low, high)})

    def with_options(self, **changed: Any) -> Settings:
        """Set further parameters; None takes one away."""
        options = {**self.options, **changed}
        return replace(self, options={name: value for name, value in options.items() if value is not None})

    def moved(self, explorer: RowExplorer) -> Settings:
        """Follow an explorer: rows picked count in all tabs; weights, p, normalization and limits are a choice's.

        Picked rows that the explorer does not have, such as rows outside the limits, stay picked.
        """
        elsewhere = [label for label in self.picked if label not in explorer.labels]
        moved = replace(self, picked=(*elsewhere, *explorer.picked)[-MOST_PINNED:])
        if not isinstance(explorer, ChoiceExplorer):
            return moved
        state, names = explorer.state, [str(name) for name in explorer.matrix.objectives]
        even = np.allclose(state["weights"], 1 / len(names), atol=1e-3)
        limits = {name: (low, high) for name, (low, high) in zip(names, state["ranges"], strict=True)}
        p = state["p"] if isinstance(state["p"], str) else f"{state['p']:g}"
        return replace(
            moved, limits={name: bounds for name, bounds in limits.items() if bounds != (None, None)}
        ).with_options(
            weights=None if even else dict(zip(names, state["weights"], strict=True)),
            p=None if p == "inf" else p,
            normalize=None if state["normalize"] == "cdf" else state["normalize"],
        )

    # --------------------------------------------------------------------------------------------------- to an analysis

    def parameters(self, analysis: str) -> dict[str, Any]:
        """Return the parameters of an analysis, those left out that are empty or the default."""
        declared = analyses()[analysis].parameters()
        ways = self.scored_twice if "validation" in declared else self.directions
        given: dict[str, Any] = {
            "objectives": {name: way for wanted in _WAYS for name, way in ways.items() if way == wanted}
        }
        given["reading"] = self._reading()
        given |= {role: column for role, column in self.roles.items() if not self._names_labels(role)}
        given |= {"standard_error": self.standard_errors, "where": self.where}
        given["nan_policy"] = self.policy(analysis) or "raise"
        given |= self.options
        known = {name: declared[name].take(value) for name, value in given.items() if name in declared and value}
        return {name: value for name, value in known.items() if value and value != declared[name].default}

    def policy(self, analysis: str) -> str:
        """What an analysis does about missing values; empty if nothing is said that it knows."""
        known = analyses()[analysis].parameters()["nan_policy"].choices
        return next((policy for policy in self.missing if policy in known), "")

    def _names_labels(self, role: str) -> bool:
        """Whether the rows of a frame are named by a system already, of which each has one row."""
        return role == "system" and self.kind in ("systems", "search") and self.roles[role] in self.table.index_names

    def _reading(self) -> dict[str, Any]:
        assert self.source is not None
        if not self.source.path:
            return {}
        reading = {"parse": self.parse, "decimal": self.decimal, "encoding": self.encoding}
        return {name: value for name, value in reading.items() if value}

    def asked(self, analysis: str) -> Request:
        """Return the analysis of the table, whose parameters are checked.

        Raises
        ------
        ValueError, TypeError
            For what the analysis refuses.
        """
        assert self.source is not None
        given = self.parameters(analysis)
        flat = any(self.roles[role] in self.table.index_names for role in self.roles if not self._names_labels(role))
        return analyses()[analysis].of({"table": self.source.asked(flat, self.parse, self.decimal), **given})

    # ------------------------------------------------------------------------------------------------- in other words

    def python(self, analysis: str, calls: Sequence[str] = ()) -> str:
        """Write the lines of Python that give the same answer.

        Parameters
        ----------
        analysis : str
            Its name.
        calls : sequence of str
            Lines that follow once ``table`` has its objectives; without any, the analysis is run as a whole.
        """
        source, asked = self.source, self.asked(analysis)
        assert source is not None
        said = asked.variables({"words": {}, "options": {}, "objectives": {}})
        table = repr(source.name) if source.path else "table"
        call = ", ".join([table, in_call({"objectives": said["objectives"], **said["words"]})])
        lines = ["import copa_nb", *self._loading(), f"table = copa_nb.read({call})"]
        return "\n".join([*lines, *(calls or asked.calls())])

    def _loading(self) -> list[str]:
        """Write the lines that make the table, without roles that a frame remembers and no column has any more."""
        source = self.source
        assert source is not None
        if source.path:
            return []
        mark = f", decimal={self.decimal!r}" if self.decimal else ""
        parsed = f"copa_nb.parse_numbers(frame, {self.parse!r}{mark})" if self.parse else "frame"
        gone = sorted({use for use in source.described().values() if use in ROLES} - set(self.roles))
        return [f"table = {parsed}" + (f".moo.define({', '.join(f'{role}=None' for role in gone)})" if gone else "")]

    def shell(self, analysis: str) -> str:
        """Write the line of the shell that makes the report."""
        assert self.source is not None
        kind, given = analyses()[analysis], self.parameters(analysis)
        words = ["copa-nb", kind.command, self.source.in_batch]
        for name, value in [*given.pop("reading", {}).items(), *given.items()]:
            words += kind.typed(name, value)
        return " ".join(map(shlex.quote, words))

    def yaml(self, analysis: str) -> str:
        """Write a batch file that makes the report."""
        import yaml

        assert self.source is not None
        run = write_run(analysis, {"table": self.source.in_batch, **self.parameters(analysis)})
        written: str = yaml.safe_dump({"runs": [run]}, sort_keys=False, allow_unicode=True)
        return written
