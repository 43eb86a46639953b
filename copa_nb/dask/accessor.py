"""``ddf.moo``: the verbs that run over partitions; the others say what to call instead."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import dask.dataframe as dd

from copa_nb.accessor import MooVerbs, Verb
from copa_nb.dask.directions import check_frame, described
from copa_nb.dask.refusals import WholeTableNeededError as WholeTableNeededError
from copa_nb.dask.refusals import refuse
from copa_nb.objectives import Objectives, ObjectivesLike, resolve_objectives

_NOT_HERE = frozenset(name for name, member in vars(MooVerbs).items() if isinstance(member, Verb))


class DaskVerb:
    """A function of :mod:`copa_nb.dask` as a method; options and documentation are the function's."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, verbs: DaskVerbs | None, owner: type) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(importlib.import_module("copa_nb.dask"), self._name)
        return function if verbs is None else _bind(function, verbs)


def _bind(function: Callable[..., Any], verbs: DaskVerbs) -> Callable[..., Any]:
    signature = inspect.signature(function)
    takes_objectives = "objectives" in signature.parameters

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        if takes_objectives and kwargs.get("objectives") is None and verbs._objectives is not None:
            kwargs["objectives"] = verbs._objectives
        return function(verbs._frame, *args, **kwargs)

    method.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
    return method


class DaskVerbs:
    """The verbs, for a dask frame whose objectives are defined, bound, or given per call."""

    _frame: dd.DataFrame
    _objectives: Objectives | None = None

    front = DaskVerb()
    copa = DaskVerb()
    navigate = DaskVerb()
    compare = DaskVerb()
    hypervolume = DaskVerb()
    hv_test = DaskVerb()
    audit = DaskVerb()

    @property
    def objectives(self) -> Objectives:
        """The objectives that the verbs will use."""
        return resolve_objectives(described(self._frame), self._objectives)

    def __getattr__(self, name: str) -> Any:
        if name not in _NOT_HERE:
            raise AttributeError(f"`ddf.moo` has no verb {name!r}; it has {', '.join(dir(self))}.")
        return lambda *args, **kwargs: refuse(name)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]


class BoundDaskFrame(DaskVerbs):
    """A dask frame bound to objectives for a few calls."""

    def __init__(self, frame: dd.DataFrame, objectives: Objectives) -> None:
        self._frame = frame
        self._objectives = resolve_objectives(described(frame), objectives)

    def __repr__(self) -> str:
        return f"<moo on dask: {self._frame.npartitions} partitions ({', '.join(self.objectives.labels)})>"


class DaskMoo(DaskVerbs):
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
    copa_nb.dask.refusals.WholeTableNeededError: `layers` needs the whole table in one machine's memory; ...
    """

    define = DaskVerb()

    def __init__(self, frame: dd.DataFrame) -> None:
        self._frame = check_frame(frame)

    def __call__(self, objectives: ObjectivesLike = None, /, **directions: str) -> BoundDaskFrame:
        """Bind objectives for the calls that follow: ``ddf.moo(accuracy="max").front()``."""
        if isinstance(objectives, Mapping) or directions:
            given: dict[Any, str] = {**(objectives if isinstance(objectives, Mapping) else {}), **directions}
            return BoundDaskFrame(self._frame, Objectives.of(given))
        return BoundDaskFrame(self._frame, resolve_objectives(described(self._frame), objectives))

    def __repr__(self) -> str:
        known = described(self._frame).attrs.get("moo", {}).get("objectives")
        said = ", ".join(Objectives.of(known).labels) if known else "no objectives defined"
        return f"<moo on dask: {self._frame.npartitions} partitions, {said}>"
