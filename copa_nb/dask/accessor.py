"""``ddf.moo``: the verbs that run over partitions; the others say what to call instead."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import dask.dataframe as dd

from copa_nb import checks
from copa_nb.accessor import VERBS
from copa_nb.dask.partitions import Partitions, define
from copa_nb.dask.verbs import audit, copa, front, hv_test, hypervolume
from copa_nb.tables.objectives import (
    ATTRS_KEY,
    DirectionLike,
    Objectives,
    ObjectivesLike,
    bound_before,
    resolve_objectives,
    spelled,
)


class DaskVerb:
    """A function of :mod:`copa_nb.dask` as a method; options and documentation are the function's."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._over_partitions = function

    def __get__(self, accessor: DaskMoo | None, owner: type) -> Callable[..., Any]:
        function = self._over_partitions
        if accessor is None:
            return function
        known = inspect.signature(function).parameters.keys()

        @checks.briefly
        @functools.wraps(function)
        def method(*args: Any, **options: Any) -> Any:
            if not options.keys() <= known:
                checks.options(function, options, instead=lambda: bound_before(function.__name__, options))
            return accessor.answer(function, args, options)

        return method


class DaskMoo:
    """Multi-objective analysis of a table in partitions.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> table = dd.from_pandas(models, npartitions=2)
    >>> table.moo(accuracy="max", co2_kg="min").copa().best
    'b'
    >>> table.moo(accuracy="max", co2_kg="min").layers()
    Traceback (most recent call last):
    copa_nb.streams.batches.WholeTableNeededError: `layers` needs the whole table in one machine's memory; ...
    """

    define = DaskVerb(define)
    front = DaskVerb(front)
    copa = DaskVerb(copa)
    hypervolume = DaskVerb(hypervolume)
    hv_test = DaskVerb(hv_test)
    audit = DaskVerb(audit)

    def __init__(self, frame: dd.DataFrame, objectives: ObjectivesLike = None) -> None:
        self._partitions = Partitions(frame)
        self._frame = frame
        self._objectives = None if objectives is None else resolve_objectives(self._partitions.empty, objectives)

    def answer(self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Ask a verb of the partitions, with the objectives that are bound."""
        if function is not define and self._objectives is not None and options.get("objectives") is None:
            options = {**options, "objectives": self._objectives}
        return function(self._frame, *args, **options)

    @property
    def description(self) -> dict[str, Any]:
        """What is good, as YAML has it."""
        known = self._known()
        return {} if known is None else {"objectives": known.to_dict()}

    def _known(self) -> Objectives | None:
        """The objectives that the verbs will use."""
        defined = self._partitions.empty.attrs.get(ATTRS_KEY, {}).get("objectives")
        return self._objectives or (Objectives.of(defined) if defined else None)

    def __call__(self, objectives: ObjectivesLike = None, /, **directions: DirectionLike) -> DaskMoo:
        """Bind objectives for the calls that follow: ``ddf.moo(accuracy="max").front()``."""
        if isinstance(objectives, Mapping) or directions:
            objectives = Objectives.of(spelled(objectives if isinstance(objectives, Mapping) else None, directions))
        objectives = self._objectives if objectives is None else objectives
        return DaskMoo(self._frame, resolve_objectives(self._partitions.empty, objectives))

    def __getattr__(self, name: str) -> Any:
        if name not in VERBS:
            raise AttributeError(f"`ddf.moo` has no verb {name!r}; it has {', '.join(dir(self))}.")
        given = {} if self._objectives is None else {"objectives": self._objectives}
        return partial(self._partitions.answer, name, **given)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]

    def __repr__(self) -> str:
        known = self._known()
        labels = ", ".join(known.labels) if known else "no objectives defined"
        return f"<moo on dask: {self._frame.npartitions} partitions, {labels}>"
