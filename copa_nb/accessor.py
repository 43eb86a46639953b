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
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from copa_nb import checks, old_names
from copa_nb.tables.frames import ForeignFrame, InPieces, in_pieces, is_foreign, is_lazy, pandas_of, read_frame
from copa_nb.tables.objectives import (
    DIRECTION_WORDS,
    DirectionLike,
    Objectives,
    ObjectivesLike,
    bound_before,
    check_columns,
    resolve_objectives,
    spelled,
)
from copa_nb.verbs import OF_ANY_TABLE, OF_PANDAS

_ALIKE = 0.75  # of 1, as difflib measures how alike two names are
_MAIN = "Most used are front(), copa(), navigate(), compare() and explore(); results have plot() and explain()."


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
    takes_objectives = "objectives" in known

    @checks.briefly
    @functools.wraps(function)
    def method(accessor: MooVerbs, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() <= known:
            checks.options(function, kwargs, instead=lambda: bound_before(function.__name__, kwargs))
        if takes_objectives and accessor._objectives is not None and kwargs.get("objectives") is None:
            kwargs["objectives"] = accessor._objectives
        return function(accessor._frame, *args, **kwargs)

    return method


if TYPE_CHECKING:
    from copa_nb.verbs import MooVerbs as MooVerbs
    from copa_nb.verbs import PandasVerbs
else:

    class MooVerbs:
        """The verbs, for a frame whose objectives are in ``attrs``, bound, or given per call."""

        _frame: Any
        _objectives: Objectives | None = None

        @property
        def objectives(self) -> Objectives:
            """The objectives that the verbs will use."""
            return resolve_objectives(pandas_of(self._frame), self._objectives)

        def __dir__(self) -> list[str]:
            return [name for name in super().__dir__() if not name.startswith("_")]

        def __getattr__(self, name: str) -> Any:
            close = difflib.get_close_matches(name, dir(self), n=1, cutoff=_ALIKE)
            hint = old_names.instead_of(name) or (f" Did you mean {close[0]!r}?" if close else f" {_MAIN}")
            raise AttributeError(f"df.moo has no method {name!r}.{hint}")

    class PandasVerbs(MooVerbs):
        """The verbs, and what only a pandas frame can do: keep its objectives."""

    for kind, names in ((MooVerbs, OF_ANY_TABLE), (PandasVerbs, OF_PANDAS)):
        for name in names:
            setattr(kind, name, Verb(name))


class BoundFrame(MooVerbs):
    """A frame bound to objectives for a few calls; the frame itself is not touched."""

    def __init__(self, frame: pd.DataFrame | ForeignFrame | InPieces, objectives: Objectives) -> None:
        check_columns(pandas_of(frame), objectives)
        self._frame = frame
        self._objectives = objectives

    def __repr__(self) -> str:
        rows = "" if isinstance(self._frame, InPieces) else f"{len(pandas_of(self._frame)):,} rows × "
        return f"<moo: {rows}{len(self.objectives)} objectives ({', '.join(self.objectives.labels)})>"


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

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @checks.briefly
    def __call__(
        self, objectives: ObjectivesLike = None, /, *, system: str | None = None, **directions: DirectionLike
    ) -> BoundFrame:
        """Bind objectives, and the column that names the rows: ``df.moo(accuracy="max", system="model").front()``."""
        frame = self._frame
        if system in DIRECTION_WORDS and system not in frame.columns:  # of an objective that is called so
            directions, system = {**directions, "system": system}, None
        if system is not None:
            checks.column_position(frame, system, "system")
            frame = frame.set_index(system)
        if isinstance(objectives, Mapping) or directions:
            given = spelled(objectives if isinstance(objectives, Mapping) else None, directions)
            return BoundFrame(frame, Objectives.of(given))
        return BoundFrame(frame, resolve_objectives(frame, objectives))

    def __repr__(self) -> str:
        known = self._frame.attrs.get("moo", {}).get("objectives")
        described = ", ".join(Objectives.of(known).labels) if known else "no objectives defined"
        return f"<moo: {'. '.join([f'{len(self._frame):,} rows, {described}', *self._frame.attrs.get('notes', ())])}>"


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

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @checks.briefly
    def __call__(
        self, objectives: Mapping[Any, str] | None = None, /, *, system: str | None = None, **directions: DirectionLike
    ) -> BoundFrame:
        """Bind objectives, and the column that names the rows: ``df.moo(accuracy="max", system="model").front()``."""
        table: Any = in_pieces(self._frame)
        if table is not None:
            table = table if system is None else table.named_by(system)
        else:
            table = read_frame(self._frame, system=system)
        if table is None:
            table = checks.frame(self._frame)
        return BoundFrame(table, Objectives.of(spelled(objectives, directions)))

    def __repr__(self) -> str:
        binding = 'copa_nb.moo(frame)(accuracy="max", system="model")'
        return f"<moo: a {type(self._frame).__name__}; bind objectives: {binding}>"


InPieces.moo = property(ForeignAccessor, doc='The verbs as methods: ``table.moo(accuracy="max").copa()``.')


@overload
def moo(frame: pd.DataFrame) -> MooAccessor: ...
@overload
def moo(frame: Any) -> ForeignAccessor: ...
def moo(frame: Any) -> MooAccessor | ForeignAccessor:
    """Return the accessor of a frame: ``frame.moo``, for editors, type checkers and frames of any library.

    Parameters
    ----------
    frame : DataFrame, a table of polars, pyarrow or duckdb, or one that is read in pieces
        One row per model, one column per metric.

    Returns
    -------
    accessor
        Every verb as a method. Call it to bind objectives: ``copa_nb.moo(frame)(accuracy="max").front()``.

    Raises
    ------
    TypeError
        If `frame` is not a table.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> copa_nb.moo(models)(accuracy="max", co2_kg="min").copa().best
    'b'
    """
    if isinstance(frame, pd.DataFrame):
        return MooAccessor(frame)
    return ForeignAccessor(frame if is_foreign(frame) or is_lazy(frame) else checks.frame(frame))
