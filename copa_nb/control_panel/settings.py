"""What the controls of a panel say, and what follows from it: an analysis, the same in code, and a batch file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import pandas as pd

from copa_nb.analyses.base import Request
from copa_nb.analyses.registry import analyses
from copa_nb.control_panel.table import ROLES, STANDARD_ERROR, Source, SourceTable
from copa_nb.generalization.scores import score_columns
from copa_nb.reports.stated_runs import write_run
from copa_nb.sources.parse_numbers import parse_numbers
from copa_nb.tables.description import TEST, VALIDATION, Description, Kind, in_call

_WAYS = ("max", "min")
_MIDDLE = 50.0  # of a weight
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
    uses : dict of column to str
        What columns are: "max" or "min", a role, the standard error of another one, or, if empty, nothing of these.
    counts : dict of column to float
        How much an objective counts, from 0 to 100; 50 if nothing is said.
    limits : dict of column to pair of float or None
        Least and largest value of rows that may be chosen; two open ends are no limit.
    missing : tuple of str
        What may be done about missing values; an analysis takes the first that it knows.
    options : dict of parameter to value
        Further parameters, the same for all analyses that have them.
    """

    source: Source | None = None
    decimal: str = ""
    uses: dict[str, str] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)
    limits: dict[str, Limits] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> SourceTable:
        """The table as it is read."""
        assert self.source is not None
        return self.source.table(self.decimal)

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
    def importance(self) -> dict[str, float]:
        """How much each objective counts, from 0 to 100."""
        return {name: self.counts.get(name, _MIDDLE) for name in self.directions}

    @property
    def weights(self) -> dict[str, float]:
        """The weights, which sum to 1; even ones if no objective counts.

        Examples
        --------
        >>> Settings(uses={"accuracy": "max", "co2_kg": "min", "ms": "min"}, counts={"co2_kg": 100.0}).weights
        {'accuracy': 0.25, 'co2_kg': 0.5, 'ms': 0.25}
        """
        total = sum(self.importance.values())
        return {
            name: round(one / total if total else 1 / len(self.importance), 4) for name, one in self.importance.items()
        }

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

    def using(self, column: str, use: str) -> Settings:
        """Say what a column is; a role that another one has goes to it."""
        uses = {name: one for name, one in self.uses.items() if name != column and not (one == use in ROLES)}
        uses |= {column: use} if use else {}
        kept = {name: bounds for name, bounds in self.limits.items() if uses.get(name) in _WAYS}
        return replace(self, uses={name: uses[name] for name in self.table.columns if name in uses}, limits=kept)

    def with_options(self, **changed: Any) -> Settings:
        """Set further parameters; None takes one away."""
        options = {**self.options, **changed}
        return replace(self, options={name: value for name, value in options.items() if value is not None})

    def parameters(self, analysis: str) -> dict[str, Any]:
        """Return the parameters of an analysis, those left out that are empty or the default."""
        declared = analyses()[analysis].parameters()
        ways = self.scored_twice if "validation" in declared else self.directions
        given: dict[str, Any] = {
            "objectives": {name: way for wanted in _WAYS for name, way in ways.items() if way == wanted}
        }
        if self.source is not None and self.source.path:
            given["reading"] = {"parse": self.parse, "decimal": self.decimal, "encoding": self.source.encoding}
            given["reading"] = {name: value for name, value in given["reading"].items() if value}
        given |= {**self.roles, "standard_error": self.standard_errors, "where": self.where}
        given["weights"] = self.weights if len({*self.importance.values()}) > 1 else {}
        given["nan_policy"] = self.policy(analysis) or "raise"
        given |= self.options
        known = {name: declared[name].take(value) for name, value in given.items() if name in declared and value}
        return {name: value for name, value in known.items() if value and value != declared[name].default}

    def policy(self, analysis: str) -> str:
        """What an analysis does about missing values; empty if nothing is said that it knows."""
        known = analyses()[analysis].parameters()["nan_policy"].choices
        return next((policy for policy in self.missing if policy in known), "")

    def asked(self, analysis: str) -> Request:
        """Return the analysis of the table, whose parameters are checked.

        Raises
        ------
        ValueError, TypeError
            For what the analysis refuses.
        """
        assert self.source is not None
        return analyses()[analysis].of(
            {"table": self.source.asked(self.parse, self.decimal), **self.parameters(analysis)}
        )

    def python(self, analysis: str, calls: Sequence[str]) -> str:
        """Write the lines of Python that give the same answer.

        Parameters
        ----------
        analysis : str
            Its name.
        calls : sequence of str
            Lines that follow once ``table`` has its objectives.
        """
        source = self.source
        assert source is not None
        said = self.asked(analysis).variables({"words": {}, "objectives": {}})
        table = repr(source.name) if source.path else "table"
        mark = f", decimal={self.decimal!r}" if self.decimal else ""
        parsed = f"table = copa_nb.parse_numbers(table, {self.parse!r}{mark})" if self.parse and not source.path else ""
        read = f"table = copa_nb.read({table}, {in_call({'objectives': said['objectives'], **said['words']})})"
        return "\n".join(filter(None, ["import copa_nb", source.loading, parsed, read, *calls]))

    @property
    def _file(self) -> str:
        """The file that a report reads; a frame is saved there first."""
        assert self.source is not None
        return self.source.name if self.source.path else f"{self.source.name}.parquet"

    def shell(self, analysis: str) -> str:
        """Write the line of the shell that makes the report."""
        kind, given = analyses()[analysis], self.parameters(analysis)
        words = ["copa-nb", kind.command, self._file]
        for name, value in [*given.pop("reading", {}).items(), *given.items()]:
            words += kind.typed(name, value)
        return " ".join(map(shlex.quote, words))

    def yaml(self, analysis: str) -> str:
        """Write a batch file that makes the report."""
        import yaml

        run = write_run(analysis, {"table": self._file, **self.parameters(analysis)})
        written: str = yaml.safe_dump({"runs": [run]}, sort_keys=False, allow_unicode=True)
        return written


Change: TypeAlias = Callable[[Callable[[Settings], Settings]], None]
