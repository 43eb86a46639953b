"""The option ``by=`` of a verb, which GroupBy objects cannot offer: they have no accessors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.results.result import Grouped, of_groups
from copa_nb.tables.candidates import candidate_mask
from copa_nb.tables.columns import positions_by_group
from copa_nb.tables.objectives import resolve_objectives

Verb = TypeVar("Verb", bound=Callable[..., Any])
Options = dict[str, Any]


def with_objectives(frame: pd.DataFrame, options: Options) -> Options:
    """Return the options for every group, with the objectives of the whole table."""
    return options | {"objectives": resolve_objectives(frame, options["objectives"], options.get("reference"))}


def per_group(
    prepare: Callable[[pd.DataFrame, Options], Options] = with_objectives,
    finish: Callable[[Grouped[Any]], Grouped[Any]] = lambda found: found,
) -> Callable[[Verb], Verb]:
    """Make a verb answer ``by=``: one result per group, in a :class:`copa_nb.results.result.Grouped`.

    The verb lists ``by`` in its signature and never sees it set. A mask in ``where`` is cut down to the rows of each
    group; an error names the group in which it occurred.

    Parameters
    ----------
    prepare : callable
        Takes the whole table and the options, checks them once, and returns the options for every group: what groups
        have in common, such as a generator or a reference point, is made here.
    finish : callable
        Takes the results of all groups, and returns them with what depends on the others, such as adjusted p-values.

    Examples
    --------
    >>> @per_group(lambda frame, options: options | {"largest": frame["cost"].max()})
    ... def share(frame, *, largest=1.0, by=None):
    ...     return float(frame["cost"].max() / largest)
    >>> dict(share(pd.DataFrame({"team": ["a", "b"], "cost": [1.0, 4.0]}), by="team"))
    {'a': 0.25, 'b': 1.0}
    """

    def decorate(verb: Verb) -> Verb:
        signature = inspect.signature(verb)

        @functools.wraps(verb)
        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("by") is None:
                return verb(*args, **kwargs)
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            options = dict(given.arguments)
            frame, by = checks.frame(options.pop("frame")), options.pop("by")
            options = prepare(frame, options)
            groups = positions_by_group(frame, by)
            if not groups:
                raise ValueError(
                    "`frame` has no rows; there is nothing to group. Check the filter or file it comes from."
                )
            cut = _cut_mask(frame, options)
            return finish(of_groups(groups, by, lambda rows: verb(frame.iloc[rows], **(options | cut(rows)))))

        return cast(Verb, call)

    return decorate


def _cut_mask(frame: pd.DataFrame, options: Options) -> Callable[[np.ndarray], Options]:
    """Return a function of a group's rows: the part of a mask that is theirs; other conditions hold in every group."""
    where = options.get("where")
    if where is None or isinstance(where, str) or callable(where):
        return lambda rows: {}
    mask = candidate_mask(frame, where)
    return lambda rows: {"where": mask[rows]}
