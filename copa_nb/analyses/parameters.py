"""A parameter: what it may be, and how the command line, files and the panel ask for it.

Parameters of reports follow from signatures and docstrings: the name and the default from the signature, the type from
the annotation, the help, choices and whether it names columns or objectives from the numpydoc entry.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from copa_nb.accessor.of_frames import PandasMoo
from copa_nb.analyses.values import converted
from copa_nb.checks import called, fraction, one_of
from copa_nb.docstrings import ParameterEntry, entries_of
from copa_nb.tables.description import KEEP, TEST, VALIDATION, WORDS
from copa_nb.tables.missing_values import ends_of
from copa_nb.text import listing

EMPTY: tuple[Any, ...] = ("", [], {}, None)
# What an annotation is as JSON has it; what is not listed cannot be given as text.
_KINDS = {
    **{kind: kind for kind in ("bool", "int", "float", "str", "list")},
    **dict.fromkeys(("Mapping", "WeightsLike", "Bounds", "ReferencePointLike"), "dict"),
    **dict.fromkeys(("Sequence", "Column", "ClaimsLike"), "list"),
    # Labels, and objects that text may stand for.
    **dict.fromkeys(("Hashable", "Where", "ReferenceLike"), "str"),
}
_EMPTY_OF_KIND = {"dict": {}, "list": [], "str": ""}
_METAVARS = {"bool": "", "int": "N", "float": "X", "str": "TEXT", "list": "NAME", "dict": "COL=VALUE"}
_LIMITS, _WAYS = "COL=LOW:HIGH", "COL=max"
# How mappings are written, by their placeholders.
_EXAMPLES: dict[str, dict[str, Any]] = {
    _WAYS: {"accuracy": "max", "cost": "min"}, "COL=VALUE": {"accuracy": 0.5},
    "COL=COL": {"accuracy": "accuracy_se"}, _LIMITS: {"accuracy": "0:1"},
}  # fmt: skip
# Options of the command line that are called otherwise than what they set.
_FLAGS = {"weights": "--weight", "objectives": "--max/--min"}
# What words are where nothing is said.
_UNSAID = {"validation": VALIDATION, "test": TEST, "nan_policy": "raise"}
_REFERENCE = re.compile(r"See :meth:`(\w+)`\.?$")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a report, or of a claim.

    Parameters
    ----------
    name : str
        The keyword in Python, in batch files and in notebooks.
    default : object
        JSON data.
    help : str
        What it is for, in one line.
    kind : str
        Its type; that of the default if it is not stated.
    example : object
        A value that shows how it is written, in the place of "{example}" in the help, or behind it.
    unsaid : object
        What stands for the default in Python, such as None for nothing.
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
    or_text : bool
        Whether text may be in the place of a mapping: a rule that makes it.
    items : str
        The type of the items of a list, if they are no text.
    flag, metavar : str
        The option of the command line, and its placeholder.
    is_offered : bool
        Whether the command line has an option for it; rarer parameters are set by their names.
    """

    name: str
    default: Any
    help: str
    kind: str = ""
    example: Any = None
    unsaid: Any = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    is_fraction: bool = False
    column: bool = False
    needed: bool = False
    objective: bool = False
    or_text: bool = False
    items: str = ""
    flag: str = ""
    metavar: str = ""
    is_offered: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", self.kind or type(self.default).__name__)

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
        if self.default is None and value in EMPTY:
            return None
        if self.or_text and isinstance(value, str) and not value.startswith("{"):
            return value
        if self.column and self.kind == "list" and isinstance(value, str) and not value.startswith("["):
            value = [value] if value else []  # one column, as `define` takes it, whatever is in its name
        taken = converted(value, self.kind, name=self.name, default=self.default)
        if self.items:
            taken = [converted(one, self.items, name=self.name, default=self.default) for one in taken]
        if self.metavar == _LIMITS:
            taken = {name: [*ends] for name, ends in ends_of(taken).items()}
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
        ending = "" if explained else f": {listing(quoted, 'or')}"
        return self._with_example(json.dumps(self.example, ensure_ascii=False)) + ending

    @property
    def shell_help(self) -> str:
        """Its help as the command line shows it; choices stand in the place of the value."""
        example = self.example
        if isinstance(example, dict):
            example = " ".join(f"{self.option} {key}={value}" for key, value in example.items())
        return f"{self._with_example(example)}{'' if self.default in EMPTY else f' [default: {self.default}]'}"

    def _with_example(self, written: Any) -> str:
        if "{example}" in self.help or self.example is None:
            return self.help.replace("{example}", str(written))
        return f"{self.help}, e.g. {written}"


def parameter(default: Any, help: str, **declared: Any) -> Any:
    """Declare a field of a claim; further options are those of :class:`Parameter`."""
    return field(default_factory=lambda: copy.copy(default), metadata={"default": default, "help": help, **declared})


def parameters_of(function: Callable[..., Any], only: Sequence[str] = ()) -> dict[str, Parameter]:
    """Return the options of a function as parameters, by name: those with a default that text can give.

    Parameters
    ----------
    function : callable
        A verb, or a method of a result.
    only : sequence of str
        Some of its parameters instead, also without a default.

    Examples
    --------
    >>> found = parameters_of(PandasMoo.copa)
    >>> found["normalize"].choices, found["weights"].option, found["weights"].kind, found["p"].default
    (('cdf', 'minmax', 'relative', 'none'), '--weight', 'dict', 'inf')
    """
    entries = entries_of(function)
    signature = inspect.signature(function).parameters.values()
    named = [one for one in signature if (one.name in only if only else one.default is not one.empty and _kind_of(one))]
    return {one.name: _parameter(one, _entry(one.name, entries)) for one in named}


def words() -> dict[str, Parameter]:
    """Return the words that describe a table, as ``df.moo.define`` takes them, ``objectives`` first.

    Examples
    --------
    >>> words()["item"].help
    'What it was measured on: tasks, questions, data sets'
    """
    found = parameters_of(PandasMoo.define)
    return {word: found[word] for word in ("objectives", *WORDS)}


def _entry(name: str, entries: dict[str, ParameterEntry]) -> ParameterEntry:
    """What a docstring says of a parameter, there or at the verb that it refers to."""
    found = entries.get(name, ParameterEntry("", ""))
    if refers := _REFERENCE.match(found.text):
        return entries_of(getattr(PandasMoo, refers[1]))[name]
    return found


def _parameter(one: inspect.Parameter, entry: ParameterEntry) -> Parameter:
    kind = _kind_of(one)
    choices = re.findall(r'"([^"]+)"', entry.kind) if entry.kind.startswith("{") else []
    is_said = one.default is not KEEP and one.default is not one.empty
    default = one.default if is_said else _UNSAID.get(one.name)
    if kind in _EMPTY_OF_KIND and not (kind == "str" and isinstance(default, str)):
        default = copy.copy(_EMPTY_OF_KIND[kind])
    is_mapping = kind == "dict"
    others = re.sub(r"\{.*?\}", "", entry.kind)
    help = re.sub(r",? e\.g\. \{.*?\}", "", entry.first_sentence) if is_mapping else entry.first_sentence
    metavar = _metavar(entry.kind, kind)
    return Parameter(
        one.name,
        default,
        help,
        kind=kind,
        example=_EXAMPLES[metavar or _METAVARS[kind]] if is_mapping else None,
        unsaid=one.default if is_said else default or (None if kind == "str" else default),
        choices=tuple(choices),
        column="column" in entry.kind and not is_mapping,
        objective="objective" in entry.kind,
        or_text=is_mapping and ('"' in others or "str" in others),
        items="int" if "[int]" in str(one.annotation) else "",
        flag=_FLAGS.get(one.name, ""),
        metavar=metavar,
    )


def _kind_of(one: inspect.Parameter) -> str:
    """The type of a parameter as JSON has it: of several the one that holds the others; empty for other objects."""
    parts = [part.strip() for part in re.sub(r"\[.*?\]", "", str(one.annotation)).split("|")]
    kinds = [_KINDS.get(part, "") for part in parts]
    return next((kind for kind in ("dict", "list", "str", "bool", "int", "float") if kind in kinds), "")


def _metavar(stated: str, kind: str) -> str:
    """The placeholder that says more than that of the kind."""
    if kind == "dict" and '"max"' in stated:
        return _WAYS
    if kind == "dict":
        return _LIMITS if "(low, high)" in stated else "COL=COL" if "to column" in stated else ""
    if "column" in stated or "objective" in stated:
        return "COL"
    if "path" in stated:
        return "FILE"
    if kind == "list" and "of int" in stated:
        return "N"
    return "NAME" if "label" in stated else ""
