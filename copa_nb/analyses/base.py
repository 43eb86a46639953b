"""What an analysis is: a verb and its notebook. Its parameters follow from ``define``, the verb and its docstring.

A *request* is an analysis of a table, with values. It is checked by the verb itself, as far as its refusals go.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import run_options
from copa_nb.accessor.of_frames import PandasMoo
from copa_nb.analyses import tables
from copa_nb.analyses.parameters import EMPTY, Parameter, parameters_of, words
from copa_nb.checks import called, in_these_words, listed, nearest, one_of, refusals_only
from copa_nb.sources.read import read
from copa_nb.sources.table_descriptions import is_description, read_description
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import TEST, VALIDATION, Description, in_call, spellings
from copa_nb.tables.objectives import NAN_POLICIES

# How a file is read: the options of `read_table` that an analysis passes on, and what they set.
READING = {
    "separator": "one character between columns, or tab; detected by default",
    "decimal": "decimal mark of numbers, '.' or ','",
    "encoding": "of the text, e.g. cp1252; utf-8 by default",
    "sheet": "of an Excel file, by name or number from 1",
    "parse": "columns of text to read as numbers, such as 7B; by default those with units like 64.7% or $1,299",
}
# Words that every verb knows, and those that have options of their own on the command line.
_OF_ALL = ("show", "nan_policy")
# How one may try to name objectives.
_DIRECTIONS = ("max", "min", "maximize", "minimize")
OFFERED = ("objectives", "system", "item", "cluster", "repeat", "known", "standard_error", "nan_policy")
_FIRST = {
    "table": Parameter("table", "", "path of a CSV, TSV, Excel, JSON or Parquet file; empty: that of the notebook"),
    "reading": Parameter(
        "reading", {},
        'how the file is read: separator, decimal, encoding, sheet, and parse (columns such as "64.7%" or "$1,299")',
        metavar="KEY=VALUE",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A function that a notebook calls, whose options are parameters of the analysis.

    Parameters
    ----------
    function : callable
        The function. Those of its options count that have a default and can be written as text.
    only : tuple of str
        Some of its parameters instead, also without a default.
    named : dict
        What parameters are called here that are called otherwise there.
    defaults : dict
        Other defaults, by the names here.
    name : str
        What it is called as a method; by default as the function is.
    """

    function: Callable[..., Any]
    only: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def method(self) -> str:
        """Its name as a method."""
        return self.name or self.function.__name__

    @cached_property
    def _there(self) -> dict[str, Parameter]:
        """The parameters by their names there."""
        return parameters_of(self.function, only=self.only)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by their names here."""
        found = {}
        for there, one in self._there.items():
            here = self.named.get(there, there)
            default = self.defaults.get(here, one.default)
            unsaid = self.defaults.get(here, one.unsaid)
            found[here] = replace(one, name=here, default=default, unsaid=unsaid)
        return found

    def options(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the function is given, by its names there: values that are not its own default."""
        given = {there: values.get(self.named.get(there, there), one.default) for there, one in self._there.items()}
        return {there: value for there, value in given.items() if value != self._there[there].default}


@dataclass(frozen=True, kw_only=True, eq=False)
class Analysis:
    """An analysis of a user's own table: what does not follow from its verb.

    Parameters
    ----------
    name : str
        Its name, which commands write with hyphens.
    verb : str
        The method of ``df.moo`` that answers.
    notebook, title : str
        Its notebook, and what errors and panels call it.
    words : tuple of str
        Words of a description that the verb reads, besides ``show`` and ``nan_policy``.
    policies : tuple of str
        What the verb can do about missing values.
    offered : tuple of str
        Parameters that have options of their own on the command line, as the words of a description have.
    then : Step, optional
        A method of the answer that is asked next.
    also : tuple of Step or Parameter
        What else the notebook calls with parameters of its own.
    made : dict of str to tuple of str
        Options of the verb that `combined` makes of other parameters, and these.
    combined : callable
        Returns values by name with those that are `made` in the place of others.
    results : tuple of type
        Classes of results that a report can be made of.
    again : callable, optional
        Returns the values that give such a result again, or refuses options that no report has.
    arranged : callable, optional
        Returns what the layout of a table says of it, as words for `read`.
    refused : callable, optional
        Refuses what the notebook asks after the verb. It is given the request, the table as it was read, and what the
        verb answered, or None for verbs that take their time.
    compares_logs : bool
        Whether it takes the logs of two systems instead of a table.
    in_pieces : bool
        Whether a table may be read in pieces.

    Examples
    --------
    >>> ranks = Analysis(name="mean_ranks", verb="mean_ranks", notebook="yours/ranks", title="Mean ranks",
    ...                  words=("system", "item"), offered=("baseline",))
    >>> [name for name in ranks.parameters() if name not in ("table", "reading")]
    ['objectives', 'system', 'item', 'show', 'nan_policy', 'baseline']
    """

    name: str
    verb: str
    notebook: str
    title: str
    words: tuple[str, ...]
    policies: tuple[str, ...] = NAN_POLICIES
    offered: tuple[str, ...] = ()
    then: Step | None = None
    also: tuple[Step | Parameter, ...] = ()
    made: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    combined: Callable[[dict[str, Any]], dict[str, Any]] = dict
    results: tuple[type, ...] = ()
    again: Callable[[Any, Mapping[str, Any]], dict[str, Any]] | None = None
    arranged: Callable[[Request, Path], dict[str, Any]] | None = None
    refused: Callable[[Request, pd.DataFrame, Any], None] | None = None
    compares_logs: bool = False
    in_pieces: bool = False

    def __repr__(self) -> str:
        return f"<{self.title}: df.moo.{self.verb}>"

    @cached_property
    def asked(self) -> Step:
        """The verb, as a step."""
        return Step(getattr(PandasMoo, self.verb))

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        known = words()
        found = dict(_FIRST)
        found |= {word: known[word] for word in known if word in ("objectives", *self.words, *_OF_ALL)}
        found["nan_policy"] = replace(found["nan_policy"], choices=self.policies)
        for step in (self.asked, *([self.then] if self.then else []), *self.also):
            found |= {step.name: step} if isinstance(step, Parameter) else step.parameters
        offered = {*_FIRST, *OFFERED, *self.offered}
        return {name: replace(one, is_offered=name in offered) for name, one in found.items() if name not in self.made}

    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters by name, in the order in which the documentation lists them."""
        return dict(self._parameters)

    @property
    def command(self) -> str:
        """The name of the command."""
        return self.name.replace("_", "-")

    @property
    def described(self) -> tuple[str, ...]:
        """Words of a description that the verb reads, those aside that are options of it."""
        return tuple(word for word in (*self.words, *_OF_ALL) if word not in self.asked.parameters)

    @property
    def renamed(self) -> dict[str, str]:
        """What arguments of the functions that the notebook calls are called here, where it is something else."""
        steps = [step for step in (self.then, *self.also) if isinstance(step, Step)]
        named = {there: here for step in steps for there, here in step.named.items()}
        named |= {made: "/".join(names) for made, names in self.made.items()}
        return {there: here for there, here in named.items() if there not in self._parameters}

    def flags(self) -> dict[str, str]:
        """Return what the command line calls the parameters, and what the functions that read tables call them."""
        flags = {name: one.option for name, one in self._parameters.items()}
        together = {"/".join(names): "/".join(flags[name] for name in names) for names in self.made.values()}
        return flags | together | {name: f"--read {name}" for name in READING}

    def typed(self, name: str, value: Any) -> list[str]:
        """Return the words of the command line that give a value to a parameter, or say how a file is read.

        Examples
        --------
        >>> from copa_nb.analyses.registry import analyses
        >>> analyses()["select"].typed("weights", {"co2_kg": 0.5}), analyses()["board"].typed("n_resamples", 999)
        (['--weight', 'co2_kg=0.5'], ['-p', 'n_resamples', '999'])
        >>> analyses()["select"].typed("objectives", {"accuracy": "max"})
        ['--max', 'accuracy']
        """
        if name == "objectives":
            return [word for column, way in value.items() for word in (f"--{way}", column)]
        values = [f"{key}={_typed(one)}" for key, one in value.items()] if isinstance(value, dict) else value
        texts = [str(one) for one in (values if isinstance(values, list) else [values])]
        if name in READING:
            return [word for text in texts for word in ("--read", f"{name}={text}")]
        declared = self._parameters[name]
        if declared.kind == "bool" and declared.is_offered:
            return [declared.option if value else f"--no-{declared.option[2:]}"]
        return [word for text in texts for word in (*declared.option.split(" "), text)]

    def of(self, given: Mapping[str, Any]) -> Request:
        """Make a request of values by name.

        Raises
        ------
        ValueError, TypeError
            For unknown names, with the nearest, and for values that do not fit.
        """
        known = self._parameters
        for name in given:
            if name in _DIRECTIONS:
                names = given[name] if isinstance(given[name], list | tuple) else [given[name]]
                ways = json.dumps(dict.fromkeys(map(str, names), name[:3]), ensure_ascii=False)
                raise ValueError(f"{called(name)} is written objectives={ways}.")
            if name not in known:
                raise ValueError(
                    f"{called(name)} is not a parameter of {self.name!r}; its parameters are "
                    f"{listed(known, len(known))}.{nearest(name, known)}"
                )
        is_frame = isinstance(given.get("table"), pd.DataFrame)
        values = {
            name: one.take(given[name])
            for name, one in known.items()
            if name in given and not (name == "table" and is_frame)
        }
        if is_frame:
            values = {**_remembered(given["table"], known, given), **values, "table": given["table"]}
        self.combined(values)  # which refuses one without the other
        return Request(self, values)

    def again_of(self, result: Any, given: Mapping[str, Any]) -> Request:
        """Make the request that gives a result again.

        Parameters
        ----------
        result : object
            Of one of the classes in `results`.
        given : mapping
            Parameters that the caller sets instead.

        Raises
        ------
        ValueError
            For options of the result that no report has.
        """
        assert self.again is not None
        known = self._parameters
        found = {
            name: value
            for name, value in self.again(result, given).items()
            if name == "table" or value != known[name].default
        }
        return self.of({**found, **given})

    def is_name(self, text: str, name: str, table: pd.DataFrame, chosen: Mapping[str, Any]) -> bool:
        """Tell whether a text of the command line is a name as a whole, although it has a comma.

        Parameters
        ----------
        text : str
            As typed.
        name : str
            The parameter that it is for.
        table : DataFrame
            The table.
        chosen : mapping
            Other parameters.
        """
        declared = self._parameters.get(name)
        if declared is None or declared.column or declared.objective or name == "objectives":
            parts = (
                [chosen.get("validation", VALIDATION), chosen.get("test", TEST)] if "validation" in self.words else []
            )
            scores = (
                [one for part in parts for one in spellings(part, text)] if not (declared and declared.column) else []
            )
            return any(one in table.columns for one in (text, *scores))
        systems = as_names(chosen.get("system") or None)
        return bool(systems) and set(systems) <= set(table.columns) and text in set(tables.system_names(table, systems))


@dataclass(frozen=True, eq=False)
class Request:
    """An analysis of a table, with the values that are given; those of other parameters are the defaults.

    Parameters
    ----------
    analysis : Analysis
        What is asked.
    given : dict
        Values by name, each of the type that its parameter declares.
    """

    analysis: Analysis
    given: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<{self.analysis.title} of {self.place.name if self.has_table else 'the example'}>"

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.given[name] if name in self.given else copy.copy(self.analysis.parameters()[name].default)

    @property
    def values(self) -> dict[str, Any]:
        """The values of all parameters."""
        return {name: self[name] for name in self.analysis.parameters()}

    @property
    def table(self) -> Any:
        """The table: a frame, or the path of a file; empty for the example of the notebook."""
        return self["table"]

    @property
    def has_table(self) -> bool:
        """Whether there is a table of the user's own."""
        return isinstance(self.table, pd.DataFrame) or bool(self.table)

    @property
    def place(self) -> Path:
        """The file of the table; a frame is called "frame"."""
        return Path("frame" if isinstance(self.table, pd.DataFrame) else self.table)

    def of_table(self, table: Any) -> Request:
        """The same of another table."""
        return replace(self, given={**self.given, "table": table})

    @property
    def words(self) -> dict[str, Any]:
        """What is said of the columns of the table, besides objectives, as ``df.moo.define`` takes it."""
        described = self.analysis.described
        given = {word: value for word, value in self.given.items() if word in described and value not in EMPTY}
        return {word: _one_or_several(value) for word, value in given.items()}

    @property
    def options(self) -> dict[str, Any]:
        """What the verb is given."""
        return self._of_verb(self.analysis.combined(self.values))

    def _of_verb(self, values: Mapping[str, Any]) -> dict[str, Any]:
        made = {name: values[name] for name in self.analysis.made if name in values}
        return {**self.analysis.asked.options(values), **made}

    # --------------------------------------------------------------------------------------------------- the table

    def load(self, folder: Path | str = ".") -> pd.DataFrame:
        """Return the table as it is in its file, with every label as a column."""
        if isinstance(self.table, pd.DataFrame):
            return tables.flat(tables.with_text_names(self.table))
        path, reading = Path(folder) / self.table, self["reading"]
        if is_description(path):
            described = read_description(path)
            path, reading = Path(described.path), {**described.reading, **reading}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left out is among the notes of the run
            return tables.flat(tables.read_once(path, self.table, reading))

    def variables(self, cell: Mapping[str, Any], *, folder: Path | str = ".") -> dict[str, Any]:
        """Return what the parameters cell of the notebook is set to.

        Parameters
        ----------
        cell : mapping of name to default
            What the cell declares. ``words`` describes the table, ``options`` are further options of the verb, and
            those of a method that is asked next have its name, such as ``test_options``.
        folder : Path or str
            What a relative path of the table starts from.

        Returns
        -------
        dict
            With a table of the user's own, everything that the cell declares for the bundled one is replaced.
        """
        analysis, known = self.analysis, self.analysis.parameters()
        given = analysis.combined(
            {name: value for name, value in self.given.items() if name not in (*_FIRST, "objectives")}
        )
        own = {name: value for name, value in given.items() if name in cell}
        others = {name: value for name, value in given.items() if name not in cell and value not in EMPTY}
        said = {"objectives": self["objectives"], "words": dict(self["reading"])}
        said["words"] |= {word: value for word, value in self.words.items() if word not in cell}
        if analysis.arranged is not None and self.has_table and self["objectives"]:
            said["words"] |= analysis.arranged(self, Path(folder))
        said["options"] = self._of_verb(others)
        if analysis.then is not None:
            said[f"{analysis.then.method}_options"] = analysis.then.options(others)
        found = {name: {**cell.get(name, {}), **one} if one else cell.get(name) for name, one in said.items()}
        if self.has_table:
            unsaid = {name: one.unsaid for name, one in known.items() if name != "table"}
            found = {**unsaid, **dict.fromkeys(analysis.made), **said}
        own = {name: known[name].unsaid if name in known and value in EMPTY else value for name, value in own.items()}
        return {name: value for name, value in {**found, **own}.items() if name in cell}

    def described(self, folder: Path | str = ".") -> pd.DataFrame:
        """Read the table as the notebook does: with its objectives, and with what other columns are."""
        is_frame = isinstance(self.table, pd.DataFrame)
        said = self.variables({"words": {}, "objectives": {}}, folder=folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left out is among the notes
            return read(self.table if is_frame else str(Path(folder) / self.table), said["objectives"], **said["words"])

    # ---------------------------------------------------------------------------------------------------- the verb

    def ask(self, described: Any) -> Any:
        """Ask the verb of a table, as the notebook does.

        Parameters
        ----------
        described : Moo
            The table with its description: that of :meth:`described` as ``table.moo``.
        """
        then, groups = self.analysis.then, self.values.get("by")
        with warnings.catch_warnings(), run_options.options(progress=False):
            warnings.simplefilter("ignore")  # what is left out is among the notes
            grouped = described.by(groups) if groups else described
            found = getattr(grouped, self.analysis.verb)(**self.options)
            return found if then is None else then.function(found, **then.options(self.values))

    def check(self, folder: Path | str = ".") -> None:
        """Refuse what the verb refuses: it is asked as far as its numbers would begin.

        Parameters
        ----------
        folder : Path or str
            What a relative path of the table starts from.

        Raises
        ------
        FileNotFoundError, ValueError, TypeError
            With the argument, what is wrong with it, and how to fix it.
        """
        self._checked(folder)

    def _checked(self, folder: Path | str) -> pd.DataFrame | None:
        """Refuse what the verb refuses, and return the table as it was read for that, if there is one."""
        for name in self["reading"]:
            one_of("reading", name, READING)
        if not self.has_table:
            return None
        with in_these_words(self.analysis.renamed):
            self._need_objectives(folder)
            table = self.described(folder)
            found = None
            with refusals_only():
                found = self.ask(table.moo)
            # What the notebook asks next, of an answer that took no time to speak of.
            with refusals_only():
                if self.analysis.refused is not None:
                    self.analysis.refused(self, table, found)
        return table

    def _need_objectives(self, folder: Path | str) -> None:
        """Refuse a file that nothing says the objectives of, with the columns that could be some."""
        if not isinstance(self.table, pd.DataFrame):
            tables.need_file(Path(folder) / self.table, self.table)
            if self["objectives"] or is_description(Path(folder) / self.table):
                return
        elif self["objectives"] or Description.of_frame(self.table).objectives is not None:
            return
        numeric = [str(name) for name in self.load(folder).select_dtypes("number").columns]
        raise ValueError(
            f"{called('objectives')} is empty; name the columns to maximize or to minimize. The numeric columns are "
            f"{listed(numeric) or 'none'}."
        )

    def run(self, folder: Path | str = ".") -> tuple[pd.DataFrame, Any]:
        """Check the request, and ask the verb of the table, which is read once.

        Parameters
        ----------
        folder : Path or str
            What a relative path of the table starts from.

        Returns
        -------
        tuple of DataFrame and result
            The table as it was read, and what the verb found.
        """
        table = self._checked(folder)
        if table is None:
            raise ValueError(f"{called('table')} is empty; name a file, or pass a DataFrame.")
        return table, self.ask(table.moo)

    def calls(self, *refined: str) -> list[str]:
        """Write the lines of Python that ask the verb of a ``table`` and print the answer, or those of its methods."""
        groups, then = self.values.get("by"), self.analysis.then
        by = f".by({groups!r})" if groups else ""
        further = "" if then is None else f".{then.method}({in_call(then.options(self.values))})"
        asks = f"found = table.moo{by}.{self.analysis.verb}({in_call(self.options)}){further}"
        return [asks, *(f"print(found{method}.explain())" for method in [f".{name}()" for name in refined] or [""])]


def _remembered(frame: pd.DataFrame, known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """What ``df.moo.define`` has said of a table, as values of parameters that are not given."""
    said = Description.of_frame(frame).to_dict()
    if given.get("objectives"):
        said.pop("objectives", None)
    named = {word: said[word] for word in said if word in known and word not in given}
    # What a parameter cannot say stays in the frame, where the verb finds it.
    return {word: known[word].take(value) for word, value in named.items() if word not in ("validation", "test")}


def _one_or_several(value: Any) -> Any:
    """A column that is alone in its list, as one writes it."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _typed(value: Any) -> Any:
    """A value of a mapping as it is typed: two ends with a colon between them."""
    if not isinstance(value, list | tuple):
        return value
    return ":".join("" if end is None else f"{end:g}" for end in value)
