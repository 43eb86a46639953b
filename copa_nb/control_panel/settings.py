"""What the controls of a panel say, and what follows from it: an analysis, the same in code, and a batch file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis
from copa_nb.analyses.registry import analyses, of_notebook
from copa_nb.checks import listed, written_as
from copa_nb.reports.stated_runs import read_run, write_run
from copa_nb.sources.files import name_rows, read_table
from copa_nb.sources.parse_numbers import parse_numbers
from copa_nb.sources.yaml_files import read_mapping
from copa_nb.tables.description import in_call
from copa_nb.text import label

# Columns that several analyses ask for, and what the panel calls them; `names` is the one that names the rows.
ROLES = {
    "names": "Names of rows",
    "system": "System (model, method)",
    "item": "Item (task, question)",
    "repeat": "Repetition (seed, fold)",
    "new": "New system",
    "baseline": "Baseline",
}
SIDES = ("new", "baseline")
DECIMAL, ENCODING = "Decimal mark of text", "Encoding of text"
_PREVIEWED = 3  # values of a column
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, kw_only=True, eq=False)
class ChosenTable:
    """Where a table comes from.

    Parameters
    ----------
    name : str
        What it is called.
    path : str
        The file, if it is one.
    frame : DataFrame, optional
        The table, if it is none.
    code : str
        The expression that gives such a frame.
    """

    name: str
    path: str = ""
    frame: pd.DataFrame | None = field(default=None, repr=False)
    code: str = "frame"

    @property
    def in_batch(self) -> str:
        """The file that a batch reads; a frame is saved there first."""
        return self.name if self.path else f"{self.name}.parquet"

    def raw(self, decimal: str = "", encoding: str = "") -> pd.DataFrame:
        """Return the table with every label as a column, and text as it is."""
        if self.frame is not None:
            return tables.flat(tables.with_text_names(self.frame))
        return read_table(self.path, decimal=decimal or None, encoding=encoding or None)

    def named_by(self, raw: pd.DataFrame) -> str:
        """Return what names the rows unless a column is chosen."""
        index = name_rows(raw, "").index if self.frame is None else self.frame.index
        if isinstance(index, pd.RangeIndex) or index.names == [None]:
            return "row numbers"
        return ", ".join(map(str, index.names))


@dataclass(frozen=True)
class Column:
    """A column as a preview describes it.

    Parameters
    ----------
    name : str
        The column.
    kind : {"numbers", "numbers as text", "text"}
        Whether it can be an objective as it is, once its text is parsed, or not at all.
    examples : str
        Its first values.
    advice : str
        What is particular about it, in a sentence; empty if nothing is.
    """

    name: str
    kind: str
    examples: str
    advice: str = ""


def columns_of(frame: pd.DataFrame, decimal: str = "") -> dict[str, Column]:
    """Describe the columns of a table: those of numbers, those that have to be parsed, and the others.

    Examples
    --------
    >>> found = columns_of(pd.DataFrame({"model": ["a", "b"], "price": ["$1,299.50", "$80"], "ms": [3, None]}))
    >>> [(one.kind, one.advice) for one in found.values()]  # doctest: +ELLIPSIS
    [('text', ''), ('numbers as text', 'Read as numbers: 1299.5, 80.'), ('numbers', '1 of 2 values is missing.')]
    """
    found = {}
    for place, name in enumerate(map(str, frame.columns)):
        values = frame.iloc[:, place]
        examples = ", ".join(label(value) for value in values.dropna().head(_PREVIEWED))
        missing = int(values.isna().sum())
        advice = f"{missing:,} of {len(values):,} values {'is' if missing == 1 else 'are'} missing." if missing else ""
        kind = "text"
        if pd.api.types.is_bool_dtype(values):
            advice = "True or false: no objective."
        elif pd.api.types.is_numeric_dtype(values):
            kind = "numbers"
        elif any(character.isdigit() for character in examples) and not pd.api.types.is_datetime64_any_dtype(values):
            try:
                with written_as({"decimal": DECIMAL}):
                    parsed = parse_numbers(values.to_frame(name), name, decimal=decimal or None)[name]
            except ValueError as error:
                # Text with digits, such as names of models, is no mistake; an open decimal mark is.
                if "decimal mark" in str(error).lower():
                    advice = "Text " + str(error).removeprefix(f"`columns` names {name!r}, ")
                    kind = "numbers as text"
            else:
                kind = "numbers as text"
                read = ", ".join(f"{value:g}" for value in parsed.dropna().head(_PREVIEWED))
                advice = f"Read as numbers: {read}. {advice}".strip()
        found[name] = Column(name, kind, examples, advice)
    return found


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the controls say.

    Parameters
    ----------
    source : ChosenTable, optional
        The table.
    directions : dict of column to {"max", "min"}
        The objectives.
    parse : tuple of str
        Those whose text is read as numbers.
    decimal : {"", ".", ","}
        Decimal mark of text; detected if empty.
    encoding : str
        Encoding of a text file; UTF-8 if empty.
    roles : dict of role to column or label
        See `ROLES`; those that are empty are left out.
    limits : dict of column to pair of float or None
        Least and largest value of rows that may be chosen.
    options : dict of analysis to dict of parameter to value
        Further parameters, where they are not the default.
    picked : tuple of labels
        Rows that are picked in an explorer.
    """

    source: ChosenTable | None = None
    directions: dict[str, str] = field(default_factory=dict)
    parse: tuple[str, ...] = ()
    decimal: str = ""
    encoding: str = ""
    roles: dict[str, str] = field(default_factory=dict)
    limits: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    picked: tuple[Hashable, ...] = ()

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

    def described(self) -> str:
        """Describe objectives and limits in a line.

        Examples
        --------
        >>> Settings(directions={"accuracy": "max", "co2_kg": "min"}, limits={"co2_kg": (None, 5.0)}).described()
        'accuracy ↑, co2_kg ↓; limits: co2_kg <= 5.0'
        """
        ways = ", ".join(f"{name} {'↑' if way == 'max' else '↓'}" for name, way in self.directions.items())
        return f"{ways or 'no objectives yet'}{f'; limits: {self.where}' if self.limits else ''}"

    def with_options(self, analysis: str, **changed: Any) -> Settings:
        """Return the settings with other parameters of an analysis."""
        return replace(self, options={**self.options, analysis: {**self.options.get(analysis, {}), **changed}})

    def parameters(self, analysis: str) -> dict[str, Any]:
        """Return the parameters of an analysis, those left out that are empty or the default."""
        kind = analyses()[analysis]
        declared = kind.parameters()
        own = {name: value for name, value in self.options.get(analysis, {}).items() if name in declared}
        given: dict[str, Any] = self._objectives(kind, own)
        if reading := self._reading():
            given["reading"] = reading
        for role, value in self.roles.items():
            name = _parameter_of(role, kind, self.roles)
            if value and name in declared:
                given[name] = [value] if declared[name].kind == "list" else value
        if self.where and "where" in declared:
            given["where"] = self.where
        return {**given, **{name: value for name, value in own.items() if value != declared[name].default}}

    def _objectives(self, kind: type[Analysis], own: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the objectives, of scores on validation and test without the parts of their names that say which."""
        names = dict(self.directions)
        if {"validation", "test"} <= set(kind.parameters()):
            parts = [own.get(part, kind.parameters()[part].default) for part in ("validation", "test")]
            names = {
                name.removeprefix(part).removesuffix(part): way
                for name, way in self.directions.items()
                for part in parts
                if part and name != part and (name.startswith(part) or name.endswith(part))
            }
        ways = (("maximize", "max"), ("minimize", "min"))
        return {
            argument: [name for name, one in names.items() if one == way]
            for argument, way in ways
            if way in names.values()
        }

    def _reading(self) -> dict[str, Any]:
        if self.source is None or not self.source.path:
            return {}
        reading = {"parse": list(self.parse), "decimal": self.decimal, "encoding": self.encoding}
        return {name: value for name, value in reading.items() if value}

    def asked(self, analysis: str) -> Analysis:
        """Return the analysis, whose parameters are checked.

        Raises
        ------
        ValueError, TypeError
            For what the analysis refuses, and without a table or an objective.
        """
        if self.source is None:
            raise ValueError("Upload a table, or choose one that comes with the package.")
        if not self.directions:
            raise ValueError("For each column that counts, say whether more or less of it is better.")
        given = self.parameters(analysis)
        if not {"maximize", "minimize"} & set(given):
            raise ValueError(
                "No objective has scores on validation and on test data: give directions to columns that are called "
                "alike but for a part, such as val_recall and test_recall, and name these parts in the options."
            )
        return analyses()[analysis].of({"table": self.source.path or self._frame(), **given})

    def _frame(self) -> pd.DataFrame:
        assert self.source is not None
        assert self.source.frame is not None
        if not self.parse:
            return self.source.frame
        return parse_numbers(self.source.frame, list(self.parse), decimal=self.decimal or None)

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
        if self.source is None:
            return ""
        asked = self.asked(analysis)
        said = asked.variables({"words": {}, "options": {}, "objectives": {}})
        options = in_call({**said["words"]})
        read = f"copa_nb.read({self._table_in_code()}, {said['objectives']!r}{f', {options}' if options else ''})"
        lines = ["import copa_nb", *self._loading_lines(), f"table = {read}"]
        return "\n".join([*lines, *(calls or asked.calls())])

    def _table_in_code(self) -> str:
        assert self.source is not None
        return repr(self.source.name) if self.source.path else "table"

    def _loading_lines(self) -> list[str]:
        assert self.source is not None
        if self.source.path:
            return []
        lines = ["from copa_nb import datasets"] if self.source.code.startswith("datasets.") else []
        if not self.parse:
            return [*lines, f"table = {self.source.code}"]
        mark = f", decimal={self.decimal!r}" if self.decimal else ""
        return [*lines, f"table = copa_nb.parse_numbers({self.source.code}, {list(self.parse)!r}{mark})"]

    def shell(self, analysis: str) -> str:
        """Write the line of the shell that makes the report."""
        if self.source is None:
            return ""
        kind = analyses()[analysis]
        given = self.parameters(analysis)
        words = ["copa-nb", kind.command(), self.source.in_batch]
        for name, value in [*given.pop("reading", {}).items(), *given.items()]:
            words += kind.typed(name, value)
        return " ".join(map(shlex.quote, words))

    def yaml(self, names: Sequence[str]) -> str:
        """Write a batch file with the analyses named, from which `read` restores the settings.

        Parameters
        ----------
        names : sequence of str
            Analyses.
        """
        import yaml

        if self.source is None:
            return ""
        runs = [write_run(name, {"table": self.source.in_batch, **self.parameters(name)}) for name in names]
        written: str = yaml.safe_dump({"runs": runs}, sort_keys=False, allow_unicode=True)
        return written

    def read(self, file: Path) -> Settings:
        """Return the settings that a batch file states, for the table that is open.

        Raises
        ------
        ValueError
            For a file that is no batch file, and for columns that the table does not have.
        """
        data, _ = read_mapping(file, "runs")
        runs = data.get("runs")
        if not isinstance(runs, list):
            raise ValueError(f"{file.name} has no list `runs`; it must be a file that this panel or copa-nb run uses.")
        read = Settings(source=self.source)
        for stated in runs:
            run = read_run(stated)
            analysis = of_notebook(run.entry.name)
            if analysis is None:
                raise ValueError(f"{file.name} has the report {run.entry.name!r}; the panel has {listed(analyses())}.")
            if run.varied:
                raise ValueError(f"{file.name} has several values of {next(iter(run.varied))!r}; the panel shows one.")
            read = _with_run(read, analysis.name, run.parameters)
        if self.source is not None:
            known = set(map(str, self.source.raw(read.decimal, read.encoding).columns))
            roles = [value for role, value in read.roles.items() if role not in SIDES]
            for column in [*read.directions, *roles, *read.parse]:
                if column not in known:
                    raise ValueError(f"{file.name} names the column {column!r}, which the table does not have.")
        return read


def _parameter_of(role: str, kind: type[Analysis], roles: Mapping[str, Any]) -> str:
    """Return the parameter of an analysis that takes a column; that of systems names rows, too, if each has one."""
    of_rows = kind.names_rows
    if of_rows == "system" and role in ("names", "system"):
        measured = bool(roles.get("item") or roles.get("repeat"))
        return of_rows if measured == (role == "system") else ""
    return of_rows if role == "names" else role


def _with_run(read: Settings, name: str, given: dict[str, Any]) -> Settings:
    """Add what a run states."""
    kind = analyses()[name]
    declared = kind.parameters()
    analyses()[name].of({one: value for one, value in given.items() if one != "table"})
    reading = given.get("reading") or {}
    scores = {"validation", "test"} <= set(declared)
    parts = [given.get(part, declared[part].default) for part in ("validation", "test")] if scores else [""]
    directions = {
        _named_with(score, part): way
        for argument, way in (("maximize", "max"), ("minimize", "min"))
        for score in given.get(argument, [])
        for part in parts
    }
    roles = {}
    for role in ROLES:
        value = given.get(_parameter_of(role, kind, given))
        if value:
            roles[role] = value[0] if isinstance(value, list) else value
    covered = {"table", "reading", "maximize", "minimize", "where", kind.names_rows, *ROLES}
    own = {one: value for one, value in given.items() if one not in covered}
    limits = _limits(str(given.get("where") or ""))
    return replace(
        read,
        directions={**read.directions, **directions},
        parse=tuple(dict.fromkeys([*read.parse, *reading.get("parse", [])])),
        decimal=reading.get("decimal", read.decimal),
        encoding=reading.get("encoding", read.encoding),
        roles={**read.roles, **roles},
        limits={**read.limits, **limits},
        options={**read.options, name: own} if own else read.options,
    )


def _named_with(score: str, part: str) -> str:
    return f"{score}{part}" if part.startswith("_") else f"{part}{score}"


def _limits(where: str) -> dict[str, tuple[float | None, float | None]]:
    """Read limits as `Settings.where` writes them."""
    found: dict[str, tuple[float | None, float | None]] = {}
    for condition in where.split(" and ") if where else []:
        matched = re.fullmatch(r"\s*(?:`([^`]+)`|([A-Za-z_]\w*))\s*(>=|<=)\s*(-?[\d.eE+-]+)\s*", condition)
        if matched is None:
            raise ValueError(f"`where` is {where!r}; the panel has limits such as 'accuracy >= 0.8 and ms <= 50' only.")
        name, low_or_high, bound = matched[1] or matched[2], matched[3], float(matched[4])
        low, high = found.get(name, (None, None))
        found[name] = (bound, high) if low_or_high == ">=" else (low, bound)
    return found
