"""Verbs that are asked of each group of a table: ``df.moo.by("team").copa()``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from copa_nb.results.result import Grouped, of_groups
from copa_nb.tables.candidates import candidate_mask
from copa_nb.tables.columns import positions_by_group
from copa_nb.tables.described_frame import DescribedFrame, takes_groups

Verb = TypeVar("Verb", bound=Callable[..., Any])
Options = dict[str, Any]


def as_described(table: DescribedFrame, options: Options) -> tuple[DescribedFrame, Options]:
    """Return the table with the objectives of all its groups, and the options for each."""
    return table.saying(table.objectives(options.get("reference"))), options


def per_group(
    prepare: Callable[[DescribedFrame, Options], tuple[DescribedFrame, Options]] = as_described,
    finish: Callable[[Grouped[Any]], Grouped[Any]] = lambda found: found,
) -> Callable[[Verb], Verb]:
    """Make a function behind a verb answer for each group of a table, in a :class:`copa_nb.results.result.Grouped`.

    The function never sees groups. A mask in ``where`` is cut down to the rows of each group; an error names the group
    in which it occurred.

    Parameters
    ----------
    prepare : callable
        Takes the whole table and the options, checks them once, and returns the table and the options for every group:
        what groups have in common, such as a generator or a reference point, is made here.
    finish : callable
        Takes the results of all groups, and returns them with what depends on the others, such as adjusted p-values.

    Examples
    --------
    >>> import pandas as pd
    >>> from dataclasses import replace
    >>> @per_group(lambda table, options: (table, options | {"largest": table.frame["cost"].max()}))
    ... def share(table, *, largest=1.0):
    ...     return float(table.frame["cost"].max() / largest)
    >>> teams = DescribedFrame.of(pd.DataFrame({"team": ["a", "b"], "cost": [1.0, 4.0]}), {"cost": "min"})
    >>> share(teams), dict(share(replace(teams, groups="team")))
    (4.0, {'a': 0.25, 'b': 1.0})
    """

    def decorate(verb: Verb) -> Verb:
        @takes_groups
        @functools.wraps(verb)
        def call(table: DescribedFrame, **given: Any) -> Any:
            if table.groups is None:
                return verb(table, **given)
            whole, options = prepare(table, given)
            groups = positions_by_group(whole.frame, whole.groups)
            if not groups:
                raise ValueError(
                    "`frame` has no rows; there is nothing to group. Check the filter or file it comes from."
                )
            cut = _cut_mask(whole, options)
            return finish(of_groups(groups, whole.groups, lambda rows: verb(whole.take(rows), **(options | cut(rows)))))

        return cast(Verb, call)

    return decorate


def _cut_mask(table: DescribedFrame, options: Options) -> Callable[[np.ndarray], Options]:
    """Return a function of a group's rows: the part of a mask that is theirs; other conditions hold in every group."""
    where = options.get("where")
    if where is None or isinstance(where, str) or callable(where):
        return lambda rows: {}
    mask = candidate_mask(table.frame, where)
    return lambda rows: {"where": mask[rows]}
