"""``df.moo``: binds a frame to its objectives and forwards to the public functions.

No mathematics and no state: pandas builds a new accessor at every access.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.frames import ForeignFrame, pandas_of, read_frame
from copa_nb.objectives import Objectives, ObjectivesLike, check_columns, resolve_objectives


class Verb:
    """A public function of the package as a method of the accessor.

    The function is imported when the method is first looked up, so that ``import copa_nb`` stays
    light; name, options and documentation are those of the function, by construction.
    """

    def __init__(self, name: str | None = None) -> None:
        self._function_name = name
        self._method: Callable[..., Any] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self._function_name = self._function_name or name

    def __get__(self, accessor: MooVerbs | None, owner: type) -> Callable[..., Any]:
        if accessor is None:
            return self._function()
        if self._method is None:
            # Once per verb: a new signature at every access would take longer than a small front.
            self._method = _as_method(self._function())
        return types.MethodType(self._method, accessor)

    def _function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(importlib.import_module("copa_nb"), str(self._function_name))
        return function


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a verb take an accessor where it takes a frame; signature and documentation stay."""
    takes_objectives = "objectives" in inspect.signature(function).parameters

    @functools.wraps(function)
    def method(accessor: MooVerbs, *args: Any, **kwargs: Any) -> Any:
        if takes_objectives and accessor._objectives is not None and kwargs.get("objectives") is None:
            kwargs["objectives"] = accessor._objectives
        return function(accessor._frame, *args, **kwargs)

    return method


class MooVerbs:
    """The verbs, for a frame whose objectives are in ``attrs``, bound, or given per call."""

    _frame: Any
    _objectives: Objectives | None = None

    front = Verb()
    is_front = Verb()
    layers = Verb()
    normalize = Verb()
    hypervolume = Verb()
    attainment = Verb()
    indicators = Verb()
    copa = Verb()
    navigate = Verb()
    compare = Verb()
    stability = Verb()
    rank_errors = Verb()
    rank_intervals = Verb()
    sensitivity = Verb()
    weights_from = Verb()
    standings = Verb()
    tiers = Verb()
    cheaper_equivalent = Verb()
    hv_test = Verb()
    audit = Verb()
    confident_front = Verb()
    power = Verb()
    seeds_needed = Verb()
    gap = Verb()
    gap_budgets = Verb()
    gap_bootstrap = Verb()
    overtuning = Verb()
    posets = Verb()
    gsd_front = Verb()
    explore = Verb()
    elicit = Verb()
    explore_gap = Verb()
    explore_posets = Verb()
    explore_test = Verb()

    @property
    def objectives(self) -> Objectives:
        """The objectives that the verbs will use."""
        return resolve_objectives(pandas_of(self._frame), self._objectives)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]


class BoundFrame(MooVerbs):
    """A frame bound to objectives for a few calls; the frame itself is not touched."""

    def __init__(self, frame: pd.DataFrame | ForeignFrame, objectives: Objectives) -> None:
        check_columns(pandas_of(frame), objectives)
        self._frame = frame
        self._objectives = objectives

    def __repr__(self) -> str:
        rows, count = len(pandas_of(self._frame)), len(self.objectives)
        return f"<moo: {rows:,} rows × {count} objectives ({', '.join(self.objectives.labels)})>"


@pd.api.extensions.register_dataframe_accessor("moo")
class MooAccessor(MooVerbs):
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

    define = Verb()
    parse_numbers = Verb()

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __call__(self, objectives: ObjectivesLike = None, /, **directions: str) -> BoundFrame:
        """Bind objectives for the calls that follow: ``df.moo(accuracy="max").front()``."""
        if isinstance(objectives, Mapping) or directions:
            given: dict[Any, str] = {**(objectives if isinstance(objectives, Mapping) else {}), **directions}
            return BoundFrame(self._frame, Objectives.of(given))
        return BoundFrame(self._frame, resolve_objectives(self._frame, objectives))

    def __repr__(self) -> str:
        known = self._frame.attrs.get("moo", {}).get("objectives")
        described = ", ".join(Objectives.of(known).labels) if known else "no objectives defined"
        return f"<moo: {'. '.join([f'{len(self._frame):,} rows, {described}', *self._frame.attrs.get('notes', ())])}>"


class ForeignAccessor(MooVerbs):
    """The verbs for a table of another library: it keeps no directions, so that they are bound.

    Examples
    --------
    >>> import polars as pl, copa_nb
    >>> models = pl.DataFrame({"model": ["a", "b", "c"], "accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]})
    >>> bound = models.moo(accuracy="max", co2_kg="min", label="model")
    >>> bound.front()["model"].to_list()
    ['a', 'b']
    >>> bound.copa().best
    'b'
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __call__(
        self, objectives: Mapping[Any, str] | None = None, /, *, label: str | None = None, **directions: str
    ) -> BoundFrame:
        """Bind objectives, and the column that names the rows: ``df.moo(accuracy="max", label="model").front()``."""
        table = read_frame(self._frame, label=label)
        if table is None:
            table = checks.frame(self._frame)
        return BoundFrame(table, Objectives.of({**(objectives or {}), **directions}))

    def __repr__(self) -> str:
        return f'<moo: a {type(self._frame).__name__}; bind objectives: df.moo(accuracy="max", label="model")>'


def _register_with_polars(polars: Any) -> None:
    polars.api.register_dataframe_namespace("moo")(ForeignAccessor)
    polars.api.register_lazyframe_namespace("moo")(ForeignAccessor)  # says that it is to be collected


class _OncePolarsComes(importlib.abc.MetaPathFinder):
    """Registers ``moo`` when the user imports polars, which need not be before copa_nb, nor ever."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != "polars":
            return None
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                execute(module)
                _register_with_polars(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if "polars" in sys.modules:
    _register_with_polars(sys.modules["polars"])
else:
    sys.meta_path.insert(0, _OncePolarsComes())
