"""A table that questions are asked of: what it is described by, and how a verb reaches the function that answers."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar

from copa_nb import checks, old_names, text
from copa_nb.asking import DescribedTable, readable
from copa_nb.docstrings import shared_parameters
from copa_nb.overview import introduction, show_table
from copa_nb.tables.columns import read_labels
from copa_nb.tables.description import Description, described_by, in_call, words_among
from copa_nb.tables.frames import pandas_of
from copa_nb.tables.objectives import ObjectivesLike, bound_before

_ALIKE = 0.75  # of 1, as difflib measures how alike two names are
_MAIN = "Most used are front(), copa() and explore(); results have plot() and explain()."

Frame = TypeVar("Frame")
Options = ParamSpec("Options")
Answer = TypeVar("Answer")


def verb(method: Callable[Options, Answer]) -> Callable[Options, Answer]:
    """Make a method a verb: an option that it does not have is refused with the line to write."""
    known = inspect.signature(method).parameters.keys()

    @checks.briefly
    @functools.wraps(shared_parameters(method))
    def asked(*args: Options.args, **options: Options.kwargs) -> Answer:
        if not options.keys() <= known:
            checks.options(method, options, instead=lambda: said_before(method.__name__, options))
        checks.positional(method, args)
        return method(*args, **options)

    asked.is_verb = True  # type: ignore[attr-defined]
    return asked


def verbs_of(kind: type) -> tuple[str, ...]:
    """Names of the verbs of a class, in their order."""
    members = [member for one in reversed(kind.__mro__) for member in vars(one).values()]
    return tuple(dict.fromkeys(member.__name__ for member in members if getattr(member, "is_verb", False)))


def said_before(verb: str, options: Mapping[str, Any]) -> str:
    """Say, as a sentence, where words of a description go that came as options of a verb; nothing if none did.

    Examples
    --------
    >>> said_before("board", {"item": "task", "alpha": 0.1})
    ' What columns are is said of the table: df.moo(item="task").board(...).'
    >>> said_before("copa", {"by": "kind"}), said_before("copa", {"p": 2})
    (' Groups are made of the table: df.moo.by(columns="kind").copa().', '')
    """
    words, others = words_among(options)
    if "by" in options:
        return f" Groups are made of the table: df.moo.by({in_call({'columns': options['by']})}).{verb}()."
    if isinstance(options.get("objectives"), Mapping):
        words = {"objectives": options["objectives"], **words}
    if words:
        return f" What columns are is said of the table: df.moo({in_call(words)}).{verb}({'...' if others else ''})."
    return bound_before(verb, options)


class Asked(Generic[Frame]):
    """A table with what it is described by: words that travel with it, or that are said for the calls that follow."""

    def __init__(self, frame: Frame, described: Description | None = None, groups: Any = None) -> None:
        self._frame = frame
        self._described = described
        self._groups = groups

    @checks.briefly
    def __call__(self, objectives: ObjectivesLike = None, /, **words: Any) -> Self:
        """Describe the table for the calls that follow; see :meth:`define` for the words."""
        table = self._table()
        said, directions = words_among(words)
        described = described_by(table.columns, objectives, said, directions, before=table.description)
        return type(self)(table.frame, described, self._groups)

    @checks.briefly
    def by(self, columns: Hashable | Sequence[Hashable]) -> ByGroup:
        """Ask of each group of rows that have the same value in one column, or in several.

        Parameters
        ----------
        columns : column or list of columns
            Columns or index levels that split the table; an empty list makes no groups.

        Returns
        -------
        ByGroup
            Every function as a method; its answer has that of each group.

        Raises
        ------
        ValueError
            For a column that the table does not have.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"kind": ["x", "x", "y"], "accuracy": [0.9, 0.8, 0.7]}, index=list("abc"))
        >>> copa_nb.moo(models, accuracy="max").by("kind").copa()["x"].best
        'a'
        """
        if isinstance(columns, list) and not columns:
            return ByGroup(self)
        table = self._table()
        if table.columns.columns.nlevels == 1:
            read_labels(table.columns.iloc[:0], columns, "columns")
        return ByGroup(type(self)(table.frame, self._described, columns))

    @property
    def description(self) -> dict[str, Any]:
        """What the columns of the table are, as YAML has it."""
        return self._table().description.to_dict()

    def show_in(self, record: Any) -> None:
        """Show in the record of a report where the table comes from, what to know of it, and its first rows."""
        show_table(self._table(), record)

    def _table(self) -> DescribedTable:
        frame = readable(self._frame)
        return DescribedTable(frame, self._described or Description.of_frame(pandas_of(frame)), self._groups)

    def _ask(self, function: Callable[..., Any], **options: Any) -> Any:
        """Ask the function behind a verb of the table as it is."""
        return self._table().answer(function, options)

    def _ask_of_rows(self, function: Callable[..., Any], **options: Any) -> Any:
        """Ask the function behind a verb of one row for each system or candidate."""
        return self._table().answer(function, options, of_rows=True)

    def __repr__(self) -> str:
        return introduction(self._table())

    def _repr_html_(self) -> str:
        return f"<pre>{text.escape(introduction(self._table()))}</pre>"

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_") and name != "show_in"]

    def _missing(self, name: str) -> Any:
        close = difflib.get_close_matches(name, dir(self), n=1, cutoff=_ALIKE)
        was = old_names.instead_of(name, "moo") or old_names.instead_of(name)
        hint = was or (f" Did you mean {close[0]!r}?" if close else f" {_MAIN}")
        raise AttributeError(f"df.moo has no method {name!r}.{hint}")

    if not TYPE_CHECKING:  # type checkers know all methods, and refuse the others
        __getattr__ = _missing


class ByGroup:
    """The verbs, asked of each group of a table.

    Parameters
    ----------
    asked : Asked
        The table, with the columns that split it.
    """

    def __init__(self, asked: Asked[Any]) -> None:
        self._asked = asked

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._asked, verb)
        return method

    def __dir__(self) -> list[str]:
        return [*verbs_of(type(self._asked))]
