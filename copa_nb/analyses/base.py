"""How an analysis is described: its parameters once, the checks that follow from them, and what running it gives.

Checks look at the table and never call a verb, so that a report refuses mistakes before anything runs, and runs once.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.values import converted
from copa_nb.checks import called, column, fraction, listed, nearest, one_of
from copa_nb.sources.read import read
from copa_nb.sources.table_descriptions import TableDescription, is_description, read_description
from copa_nb.tables.candidates import candidate_mask, nothing_allowed
from copa_nb.tables.description import COLUMN_WORDS, Description, in_call
from copa_nb.tables.description import WORDS as DESCRIBING
from copa_nb.tables.missing_values import BOUNDS, ends_of
from copa_nb.tables.objectives import NAN_POLICIES

# How a file is read: the options of `read_table` that an analysis passes on, and what they set.
READING = {
    "separator": "one character between columns, or tab; detected by default",
    "decimal": "decimal mark of numbers, '.' or ','",
    "encoding": "of the text, e.g. cp1252; utf-8 by default",
    "sheet": "of an Excel file, by name or number from 1",
    "parse": "columns of text to read as numbers, such as 7B; by default those with units like 64.7% or $1,299",
}
# The words that describe a table, as far as an analysis needs them.
WORDS = ("maximize", "minimize", "system", "item", "cluster", "repeat", "known", "standard_error", "nan_policy")
_EMPTY: tuple[Any, ...] = ("", [], {})
# What each analysis has, and every notebook writes in its own way.
_OF_TABLES = ("table", "reading", "maximize", "minimize")
_METAVARS = {"list": "COL", "dict": "COL=VALUE", "int": "N", "float": "X", "str": "TEXT"}
# What `bounds` is to a verb that compares two systems at a time.
ABOUT_RANGES = (
    'range that no score can leave, e.g. {example}; with nan_policy "bounds", what a missing value may be, by '
    "default what was observed"
)


@dataclass(frozen=True)
class Parameter:
    """One parameter of an analysis, as its file declares it.

    Parameters
    ----------
    name : str
        The keyword in Python, in batch files and in notebooks.
    default : object
        JSON data; its type is the type of the parameter.
    help : str
        What it is for, in one line.
    example : object
        A value that shows how it is written.
    choices : tuple of str
        The values allowed, if they are few.
    least : float, optional
        The smallest number allowed.
    is_fraction : bool
        Whether it lies strictly between 0 and 1.
    column : bool
        Whether it names a column of the table, or several.
    needed : bool
        Whether it must not be empty.
    objective : bool
        Whether it names objectives.
    flag, metavar : str
        The option of the command line, and its placeholder.
    is_offered : bool
        Whether the command line has an option for it; rarer parameters are set by their names.
    """

    name: str
    default: Any
    help: str
    example: Any = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    is_fraction: bool = False
    column: bool = False
    needed: bool = False
    objective: bool = False
    flag: str = ""
    metavar: str = ""
    is_offered: bool = True

    @property
    def kind(self) -> str:
        """The name of its type."""
        return type(self.default).__name__

    @property
    def is_file(self) -> bool:
        """Whether it names files besides the table."""
        return self.metavar == "FILE"

    @property
    def option(self) -> str:
        """What sets it on the command line."""
        return self.flag or "--" + self.name.replace("_", "-") if self.is_offered else f"-p {self.name}"

    @property
    def placeholder(self) -> str:
        """Its placeholder in the help of the command line."""
        return self.metavar or _METAVARS[self.kind]

    def take(self, value: Any) -> Any:
        """Return a value as the type declared, or refuse it."""
        taken = converted(value, self.kind, name=self.name, default=self.default)
        self.check(taken)
        return taken

    def check(self, value: Any) -> None:
        """Refuse a value that is not among the choices, or out of range."""
        if self.choices:
            one_of(self.name, value, self.choices)
        if self.is_fraction:
            fraction(self.name, value)
        if self.least is not None and value < self.least:
            kind = "a whole number" if self.kind == "int" else "a number"
            raise ValueError(f"{called(self.name)} is {value!r}; it must be {kind} of at least {self.least:g}.")

    @property
    def comment(self) -> str:
        """Its help as a line of Python shows it."""
        quoted = [f'"{choice}"' for choice in self.choices]
        explained = all(choice in self.help for choice in quoted)
        ending = "" if explained else f": {listing_of(quoted)}"
        return self.help.replace("{example}", json.dumps(self.example, ensure_ascii=False)) + ending

    @property
    def shell_help(self) -> str:
        """Its help as the command line shows it."""
        example = self.example
        if isinstance(example, dict):
            example = " ".join(f"{self.option} {key}={value}" for key, value in example.items())
        # The choices stand in the place of the value.
        text = self.help.replace("{example}", str(example))
        return text if self.default in _EMPTY else f"{text} [default: {self.default}]"


def listing_of(names: Sequence[str]) -> str:
    """Join alternatives: "a, b or c"."""
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def parameter(default: Any, help: str, **declared: Any) -> Any:
    """Declare a field of an analysis; further options are those of :class:`Parameter`."""
    return field(default_factory=lambda: copy.copy(default), metadata={"default": default, "help": help, **declared})


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Analysis:
    """An analysis of a user's own table: a verb, its notebook, and parameters that are checked when it is made.

    A subclass names the verb that answers, and declares its parameters with :func:`parameter`; see ``compare.py``.
    """

    # The name, which commands write with hyphens; the notebook; what errors and panels call it.
    name: ClassVar[str]
    notebook: ClassVar[str]
    title: ClassVar[str]
    # What its own options set, for the documentation.
    about: ClassVar[str]
    # The parameters that have options of their own on the command line, as the words that describe a table do.
    offered: ClassVar[tuple[str, ...]]
    # The verb of ``df.moo`` that answers; parameters that are none of its options, but of what the notebook does next.
    verb: ClassVar[str]
    only_of_notebook: ClassVar[tuple[str, ...]] = ()
    # What the parameters cell calls a parameter, where it is called otherwise.
    in_cell: ClassVar[Mapping[str, str]] = {}
    # Parameters that say what columns of the table are.
    words: ClassVar[tuple[str, ...]] = DESCRIBING
    # Classes of results that a report can be made of.
    results: ClassVar[tuple[type, ...]] = ()
    what_is_measured: ClassVar[str] = "columns"
    # Whether it takes the logs of two systems instead of a table.
    compares_logs: ClassVar[bool] = False
    # The parameter that says which column names the rows, where each row has a name of its own.
    names_rows: ClassVar[str] = ""

    table: Any = parameter("", "path of a CSV, TSV, Excel, JSON or Parquet file; empty: the example of the notebook")
    reading: dict[str, Any] = parameter(
        {}, 'how the file is read: separator, decimal, encoding, sheet, and parse (columns such as "64.7%" or "$1,299")'
    )
    maximize: list[str] = parameter([], "{measured} of which more is better", flag="--max")
    minimize: list[str] = parameter([], "{measured} of which less is better", flag="--min")
    show: list[str] = parameter([], "further columns to show with the results", column=True)
    nan_policy: str = parameter("raise", "rows with missing values", choices=NAN_POLICIES)

    def __post_init__(self) -> None:
        if isinstance(self.table, pd.DataFrame):
            self._take_directions(self.table)
        for declared in self.parameters().values():
            value = getattr(self, declared.name)
            if not isinstance(value, pd.DataFrame):
                value = declared.take(value)
            object.__setattr__(self, declared.name, value)
        self.check_values()

    def _take_directions(self, frame: pd.DataFrame) -> None:
        """Take over what ``df.moo.define`` has said of the table, unless something else is given."""
        described, declared = Description.of_frame(frame), self.parameters()
        if described.objectives is not None and not (self.maximize or self.minimize):
            for argument, names in self.objectives_of(described.objectives.to_dict()).items():
                object.__setattr__(self, argument, names)
        for word, value in described.words.items():
            # The others stay in the frame, where the verb finds them.
            if word in (*COLUMN_WORDS, "known") and word in declared and getattr(self, word) == declared[word].default:
                object.__setattr__(self, word, _as_declared(declared[word], value))

    def __repr__(self) -> str:
        return f"<{self.title} of {self.place.name if self.has_table else 'the example'}>"

    # ------------------------------------------------------------------------------------------------ the declaration

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the parameters by name, in the order in which notebooks list them."""
        offered = {"table", "reading", *WORDS, *cls.offered}
        named = {one.name: Parameter(one.name, **one.metadata, is_offered=one.name in offered) for one in fields(cls)}
        measured = cls.what_is_measured
        return {name: replace(one, help=one.help.replace("{measured}", measured)) for name, one in named.items()}

    @classmethod
    def command(cls) -> str:
        """Return the name of the command."""
        return cls.name.replace("_", "-")

    @classmethod
    def own_parameters(cls) -> list[Parameter]:
        """Return the parameters that this analysis declares, in addition to those of all."""
        shared = set(Analysis.parameters())
        return [one for name, one in cls.parameters().items() if name not in shared]

    @classmethod
    def flags(cls) -> dict[str, str]:
        """Return what the command line calls the parameters, and what the functions that read tables call them."""
        flags = {name: one.option for name, one in cls.parameters().items()}
        return flags | {name: f"--read {name}" for name in READING}

    @classmethod
    def typed(cls, name: str, value: Any) -> list[str]:
        """Return the words of the command line that give a value to a parameter, or say how a file is read.

        Examples
        --------
        >>> from copa_nb.analyses.registry import analyses
        >>> analyses()["select"].typed("weights", {"co2_kg": 0.5}), analyses()["board"].typed("n_resamples", 999)
        (['--weight', 'co2_kg=0.5'], ['-p', 'n_resamples', '999'])
        """
        values = [f"{key}={one}" for key, one in value.items()] if isinstance(value, dict) else value
        texts = [str(one) for one in (values if isinstance(values, list) else [values])]
        if name in READING:
            return [word for text in texts for word in ("--read", f"{name}={text}")]
        declared = cls.parameters()[name]
        if declared.kind == "bool" and declared.is_offered:
            return [declared.option if value else f"--no-{declared.option[2:]}"]
        return [word for text in texts for word in (*declared.option.split(" "), text)]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Make an analysis of values by name.

        Raises
        ------
        ValueError, TypeError
            For unknown names, with the nearest, and for values that do not fit.
        """
        known = cls.parameters()
        for name in given:
            if name not in known:
                raise ValueError(
                    f"{called(name)} is not a parameter of {cls.name!r}; its parameters are {listed(known)}."
                    f"{nearest(name, known)}"
                )
        return cls(**given)

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis that gives a result again.

        Parameters
        ----------
        result : object
            Of one of the classes in `results`.
        given : mapping
            Parameters that the caller sets instead.

        Raises
        ------
        ValueError
            For options of the result that the analysis does not have.
        """
        raise NotImplementedError

    @staticmethod
    def objectives_of(objectives: Mapping[Any, str]) -> dict[str, Any]:
        """Return the parameters that name objectives.

        Examples
        --------
        >>> Analysis.objectives_of({"accuracy": "max", "co2_kg": "min"})
        {'maximize': ['accuracy'], 'minimize': ['co2_kg']}
        """
        ways = (("maximize", "max"), ("minimize", "min"))
        return {argument: [str(name) for name, told in objectives.items() if told == way] for argument, way in ways}

    @property
    def ends(self) -> dict[str, tuple[float | None, float | None]] | None:
        """What missing values may be, as verbs take it; None if the analysis does not ask or nothing is given."""
        return ends_of(getattr(self, "bounds", {})) or None

    @property
    def has_table(self) -> bool:
        """Whether there is a table of the user's own."""
        return isinstance(self.table, pd.DataFrame) or bool(self.table)

    @property
    def place(self) -> Path:
        """The file of the table; a frame is called "frame"."""
        return Path("frame" if isinstance(self.table, pd.DataFrame) else self.table)

    @property
    def directions(self) -> dict[str, str]:
        """Objectives and their directions."""
        return {**dict.fromkeys(self.maximize, "max"), **dict.fromkeys(self.minimize, "min")}

    def given(self, names: Iterable[str]) -> dict[str, Any]:
        """Return parameters by name, as keywords of a verb; what is empty becomes None."""
        values = {name: getattr(self, name) for name in names}
        return {name: None if value in _EMPTY else value for name, value in values.items()}

    # --------------------------------------------------------------------------------------------------- the table

    @classmethod
    def told_by(cls, described: TableDescription, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters that a YAML file sets which describes the table, where they are not given.

        Parameters
        ----------
        described : TableDescription
            What the file says.
        given : mapping
            Parameters that have other values.
        """
        ways = {name: argument[:3] for argument in ("maximize", "minimize") for name in given.get(argument, ())}
        words = described.words_about(ways)
        if "validation" not in cls.parameters():
            words.pop("test", None)  # which is something else there
        if given.get("nan_policy", words.get("nan_policy")) != BOUNDS:
            words.pop("bounds", None)  # which are for that policy
        said = {**cls.objectives_of(words.pop("objectives", {})), **words, **described.draws}
        declared = cls.parameters()
        told = {name: _as_declared(declared[name], value) for name, value in said.items() if name in declared}
        return {name: value for name, value in {**described.reading, **told}.items() if name not in given}

    def variables(
        self, cell: Mapping[str, Any], stated: Iterable[str] = (), *, folder: Path | str = "."
    ) -> dict[str, Any]:
        """Return what the parameters cell of the notebook is set to.

        Parameters
        ----------
        cell : mapping of name to default
            What the cell declares. ``words`` describes the table, ``options`` are further options of the verb.
        stated : iterable of str
            Parameters that are passed on although they have their default.
        folder : Path or str
            What a relative path of the table starts from.

        Returns
        -------
        dict
            With a table of the user's own, everything that the cell declares for the bundled one is replaced.
        """
        declared, words, options, own = self.parameters(), dict(self.reading), {}, {}
        for name, one in declared.items():
            value = self.taken(name)
            if name in _OF_TABLES or (name not in stated and value == one.default):
                continue
            if self.in_cell.get(name, name) in cell:
                own[self.in_cell.get(name, name)] = value
            elif value in _EMPTY or name in self.only_of_notebook:
                continue
            elif name in self.words:
                words[name] = value
            else:
                options[name] = value
        said = {"objectives": self.directions, "words": words, "options": options}
        if self.has_table:
            neutral = {self.in_cell.get(name, name): one.default for name, one in declared.items() if name != "table"}
            found = {**neutral, **said, **own}
        else:
            found = {name: {**cell[name], **given} if given else cell[name] for name, given in said.items()} | own
        # What is empty on the command line is None in Python, but for texts that may be empty.
        return {
            name: None if value == "" and cell[name] != "" else value for name, value in found.items() if name in cell
        }

    def described(self, folder: Path | str = ".") -> pd.DataFrame:
        """Read the table as the notebook does: with its objectives, and with what other columns are."""
        is_frame = isinstance(self.table, pd.DataFrame)
        said = self.variables({"words": {}, "options": {}, "objectives": {}}, folder=folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left out is among the notes
            return read(self.table if is_frame else str(Path(folder) / self.table), said["objectives"], **said["words"])

    def ask(self, described: Any) -> Any:
        """Ask the verb of a table, as the notebook does.

        Parameters
        ----------
        described : Moo
            The table with its description: that of :meth:`described` as ``table.moo``.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left out is among the notes
            return getattr(described, self.verb)(**self.options_of_verb)

    def run(self, folder: Path | str = ".") -> tuple[pd.DataFrame, Any]:
        """Check the analysis, read its table, and ask the verb.

        Parameters
        ----------
        folder : Path or str
            What a relative path of the table starts from.

        Returns
        -------
        tuple of DataFrame and result
            The table as it was read, and what the verb found.
        """
        asked = self.opened(folder)
        asked.check(folder)
        table = asked.described(folder)
        return table, asked.ask(table.moo)

    def calls(self) -> list[str]:
        """Write the lines of Python that ask the verb of a ``table`` and print the answer."""
        return [f"found = table.moo.{self.verb}({in_call(self.options_of_verb)})", "print(found.to_answer().headline)"]

    def taken(self, name: str) -> Any:
        """Return a parameter as verbs take it: limits as pairs of numbers."""
        value = getattr(self, name)
        return {one: [*pair] for one, pair in (self.ends or {}).items()} if name == "bounds" else value

    @property
    def options_of_verb(self) -> dict[str, Any]:
        """What the verb is given: parameters of this analysis that describe no table and have not their default."""
        others = {*_OF_TABLES, *self.words, *self.only_of_notebook}
        return {
            name: self.taken(name)
            for name, one in self.parameters().items()
            if name not in others and self.taken(name) != one.default
        }

    def opened(self, folder: Path | str = ".") -> Self:
        """Return the same of the table that a YAML file describes; what it says fills in what is not given.

        Parameters
        ----------
        folder : Path or str
            What a relative path of the table starts from.
        """
        if isinstance(self.table, pd.DataFrame) or not is_description(Path(folder) / self.table):
            return self
        described = read_description(Path(folder) / self.table)
        values = {name: (getattr(self, name), one.default) for name, one in self.parameters().items()}
        told = self.told_by(described, {name: value for name, (value, default) in values.items() if value != default})
        reading = {name: told.pop(name) for name in READING if name in told}
        table = str(Path(self.table).parent / described.table)
        return replace(self, **told, table=table, reading={**reading, **self.reading})

    def load(self, folder: Path | str = ".") -> pd.DataFrame:
        """Return the table as it is checked: with every label as a column."""
        if isinstance(self.table, pd.DataFrame):
            return tables.flat(tables.with_text_names(self.table))
        asked = self.opened(folder)
        return tables.flat(tables.read_once(Path(folder) / asked.table, asked.table, asked.reading))

    def check(self, folder: Path | str = ".") -> None:
        """Check that the table has what the analysis needs; no verb is called.

        Parameters
        ----------
        folder : Path or str
            What a relative path of the table starts from.

        Raises
        ------
        FileNotFoundError, ValueError
            With the column, what is wrong with it, and how to fix it.
        """
        asked = self.opened(folder)
        for name in asked.reading:
            one_of("reading", name, READING)
        if asked.has_table:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what is left out is reported by the run
                asked.check_columns(asked.load(folder))

    def check_columns(self, table: pd.DataFrame) -> None:
        """Check that a table has the columns that are named, with values that fit."""
        parameters = self.parameters().values()
        for declared in parameters:
            value = getattr(self, declared.name)
            if declared.needed and not value:
                raise ValueError(
                    f"{called(declared.name)} is empty; it must be one of the columns {listed(table.columns)}."
                )
            for name in ([value] if isinstance(value, str) else value) if declared.column and value else ():
                column(table, name, declared.name)
        objectives = self.objective_columns(table)
        named = [(column(table, name, argument), argument) for argument, name in objectives]
        tables.need_all_numbers(named, self.reading.get("decimal"))
        tables.check_missing(table, objectives, self.nan_policy)
        for declared in parameters:
            names = getattr(self, declared.name)
            for name in ([names] if isinstance(names, str) else names) if declared.objective and names else ():
                tables.need_objective(self.directions, name, declared.name)
        where = getattr(self, "where", "")
        if where and not candidate_mask(table, where).any():
            raise ValueError(nothing_allowed(where, len(table)))
        self.check_table(table)

    def check_values(self) -> None:
        """Refuse values that do not go together; for subclasses."""

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table that the verbs would refuse, as far as reading it shows; for subclasses."""

    def objective_columns(self, table: pd.DataFrame) -> list[tuple[str, str]]:
        """Return pairs of an argument and a column that it names."""
        if both := sorted(set(self.maximize) & set(self.minimize)):
            raise ValueError(
                f"{called('maximize')} and {called('minimize')} both name {both[0]!r}; remove it from one of them."
            )
        if not self.directions:
            numeric = [str(name) for name in table.select_dtypes("number").columns]
            raise ValueError(
                f"{called('maximize')} and {called('minimize')} are both empty; name the {self.what_is_measured} to "
                f"maximize or to minimize. The numeric columns are {listed(numeric) or 'none'}."
            )
        return [
            (argument, one)
            for argument in ("maximize", "minimize")
            for name in getattr(self, argument)
            for one in self.columns_of(table, name, argument)
        ]

    def columns_of(self, table: pd.DataFrame, name: str, argument: str) -> tuple[str, ...]:
        """Return the columns of an objective."""
        return (name,)

    @classmethod
    def is_name(cls, text: str, argument: str, table: pd.DataFrame, chosen: Mapping[str, Any]) -> bool:
        """Tell whether a text of the command line is a name as a whole, although it has a comma.

        Parameters
        ----------
        text : str
            As typed.
        argument : str
            The parameter that it is for.
        table : DataFrame
            The table.
        chosen : mapping
            Other parameters.
        """
        return text in table.columns


def _as_declared(declared: Parameter, value: Any) -> Any:
    """Return a word of a description as a parameter takes it: one column, or a list of them."""
    if declared.kind == "list":
        return value if isinstance(value, list) else [str(value)]
    if declared.kind == "str" and isinstance(value, list):
        if len(value) != 1:
            raise ValueError(f"{called(declared.name)} is {value!r} in the description, but it takes one column here.")
        return str(value[0])
    return value
