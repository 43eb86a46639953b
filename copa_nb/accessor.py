"""``df.moo``: binds a frame to its objectives and forwards to the public functions.

No mathematics and no state: pandas builds a new accessor at every access. Which functions are methods is in
``verbs.py``, and what type checkers read of them in ``verbs.pyi``; ``make generate`` writes both.
"""

from __future__ import annotations

__all__ = ["moo"]

import difflib
import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from copa_nb import checks, old_names, text
from copa_nb.asking import DescribedTable, readable
from copa_nb.overview import introduction
from copa_nb.tables.columns import read_labels
from copa_nb.tables.description import WORDS, Description, described_by
from copa_nb.tables.frames import InPieces, is_foreign, is_lazy, pandas_of
from copa_nb.tables.objectives import ObjectivesLike, bound_before
from copa_nb.verbs import OF_ANY_TABLE, OF_PANDAS

_ALIKE = 0.75  # of 1, as difflib measures how alike two names are
_MAIN = "Most used are front(), copa() and explore(); results have plot() and explain()."


class Verb:
    """A public function of the package as a method of the accessor.

    The function is imported when the method is first looked up, so that ``import copa_nb`` stays
    light; name, options and documentation are those of the function, by construction.
    """

    def __init__(self, name: str) -> None:
        self._function_name = name
        self._method: Callable[..., Any] | None = None

    def __get__(self, accessor: MooVerbs | None, owner: type) -> Callable[..., Any]:
        if accessor is None:
            return self._function()
        if self._method is None:
            # Once per verb: a new signature at every access would take longer than a small front.
            self._method = _as_method(self._function())
        return types.MethodType(self._method, accessor)

    def _function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(importlib.import_module("copa_nb"), self._function_name)
        return function


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a verb take an accessor where it takes a frame; signature and documentation stay."""
    known = inspect.signature(function).parameters.keys()

    @checks.briefly
    @functools.wraps(function)
    def method(accessor: MooVerbs, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() <= known:
            checks.options(function, kwargs, instead=lambda: bound_before(function.__name__, kwargs))
        return accessor._table().answer(function, args, kwargs)

    return method


if TYPE_CHECKING:
    from copa_nb.verbs import MooVerbs as MooVerbs
    from copa_nb.verbs import PandasVerbs
else:

    class MooVerbs:
        """The verbs, for a frame whose objectives are in ``attrs``, bound, or given per call."""

        def __init__(self, frame: Any, described: Description | None = None, groups: Any = None) -> None:
            self._frame = frame
            self._described = described
            self._groups = groups

        @checks.briefly
        def __call__(self, objectives: ObjectivesLike = None, /, **given: Any) -> MooVerbs:
            """Describe the table for the calls that follow; see :func:`copa_nb.define` for the words."""
            table = self._table()
            words = {word: given.pop(word) for word in WORDS if word in given}
            described = described_by(table.columns, objectives, words, given, before=table.description)
            return type(self)(table.frame, described, self._groups)

        def by(self, columns: Any) -> MooVerbs:
            """Ask of each group of rows that have the same value in one column, or in several."""
            table = self._table()
            read_labels(table.columns.iloc[:0], columns, "columns")
            return type(self)(table.frame, self._described, columns)

        @checks.briefly
        def plot(self, x: Any = None, y: Any = None, *, ax: Any = None, **looks: Any) -> Any:
            """Draw the rows and their front: two objectives as points, more as lines through their ranks.

            Parameters
            ----------
            x, y : label, optional
                Objectives of the axes, where there are more than two.
            ax : matplotlib Axes, optional
                Where to draw; a new figure if omitted.
            **looks
                ``figsize``, ``title``, ``palette``, and options of :func:`copa_nb.plots.plot_front` or, for more than
                two objectives, of :func:`copa_nb.plots.plot_parallel`.

            Returns
            -------
            matplotlib Axes

            Raises
            ------
            ValueError
                If there is one objective only.

            Examples
            --------
            >>> import pandas as pd, copa_nb
            >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "co2_kg": [3.0, 1.0]}, index=["a", "b"])
            >>> axes = models.moo(accuracy="max", co2_kg="min").plot()
            >>> axes.get_xlabel()
            'accuracy ↑'
            """
            from copa_nb.pareto.front import front
            from copa_nb.selection.plots.tables import draw_table

            table = self._table()
            rows, objectives = table.rows(), table.objectives()
            on_front = front(rows, objectives=objectives).index.tolist()
            return draw_table(rows, ax, x=x, y=y, objectives=objectives, on_front=on_front, **looks)

        @property
        def description(self) -> dict[str, Any]:
            """What the columns of the table are, as YAML has it."""
            return self._table().description.to_dict()

        def _table(self) -> DescribedTable:
            frame = readable(self._frame)
            return DescribedTable(frame, self._described or Description.of_frame(pandas_of(frame)), self._groups)

        def __repr__(self) -> str:
            return introduction(self._table())

        def _repr_html_(self) -> str:
            return f"<pre>{text.escape(introduction(self._table()))}</pre>"

        def __dir__(self) -> list[str]:
            return [name for name in super().__dir__() if not name.startswith("_")]

        def __getattr__(self, name: str) -> Any:
            close = difflib.get_close_matches(name, dir(self), n=1, cutoff=_ALIKE)
            hint = (
                old_names.instead_of(name, "moo")
                or old_names.instead_of(name)
                or (f" Did you mean {close[0]!r}?" if close else f" {_MAIN}")
            )
            raise AttributeError(f"df.moo has no method {name!r}.{hint}")

    class PandasVerbs(MooVerbs):
        """The verbs, and what only a pandas frame can do: keep its objectives."""

    for kind, names in ((MooVerbs, OF_ANY_TABLE), (PandasVerbs, OF_PANDAS)):
        for name in names:
            setattr(kind, name, Verb(name))


@pd.api.extensions.register_dataframe_accessor("moo")
class MooAccessor(PandasVerbs):
    """Multi-objective analysis of a table with one row per model and one column per metric.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> models = models.moo.define(accuracy="max", co2_kg="min")
    >>> models.moo.front()
       accuracy  co2_kg
    a       0.9     3.0
    b       0.8     1.0
    >>> models.moo(accuracy="max").front()
       accuracy  co2_kg
    a       0.9     3.0
    """


class ForeignAccessor(MooVerbs):
    """The verbs for a table of another library: it stores no directions, so bind them first.

    Examples
    --------
    >>> import polars as pl, copa_nb.polars
    >>> models = pl.DataFrame({"model": ["a", "b", "c"], "accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]})
    >>> bound = models.moo(accuracy="max", co2_kg="min", system="model")
    >>> bound.front()["model"].to_list()
    ['a', 'b']
    >>> bound.copa().best
    'b'
    """


InPieces.moo = property(ForeignAccessor, doc='The verbs as methods: ``table.moo(accuracy="max").copa()``.')


@overload
def moo(frame: pd.DataFrame, objectives: ObjectivesLike = None, /, **words: Any) -> MooAccessor: ...
@overload
def moo(frame: Any, objectives: ObjectivesLike = None, /, **words: Any) -> ForeignAccessor: ...
def moo(frame: Any, objectives: ObjectivesLike = None, /, **words: Any) -> MooAccessor | ForeignAccessor:
    """Return what a table can be asked: ``frame.moo``, for frames of any library, editors and type checkers.

    Parameters
    ----------
    frame : DataFrame, a table of polars, pyarrow or duckdb, or one that is read in pieces
        The table.
    objectives : mapping of column to {"max", "min"}, or list of columns, optional
        Directions, for names that are not Python identifiers; or some of the objectives that are described.
    **words
        Directions as keywords, and what other columns are; see :func:`copa_nb.define`.

    Returns
    -------
    accessor
        Every verb as a method.

    Raises
    ------
    TypeError
        If `frame` is not a table.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> copa_nb.moo(models, accuracy="max", co2_kg="min").copa().best
    'b'
    """
    if not (isinstance(frame, pd.DataFrame) or is_foreign(frame) or is_lazy(frame)):
        checks.frame(frame)
    table = (MooAccessor if isinstance(frame, pd.DataFrame) else ForeignAccessor)(frame)
    return table(objectives, **words) if objectives is not None or words else table
