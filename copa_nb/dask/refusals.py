"""What is not answered over partitions, and what to call instead."""

from __future__ import annotations

from typing import NoReturn

_SAMPLE = "take a sample: ddf.sample(frac=0.01).compute().moo.{verb}(...)"

# Every one of these looks at all rows at once.
INSTEAD = {
    "is_front": "call ddf.moo.front(), which gives the rows themselves, lazily",
    "layers": "call ddf.moo.front() for the first layer; for more, " + _SAMPLE,
    "normalize": "freeze a population and place partitions in it: reference = copa_nb.Reference.fit(sample); "
    "ddf.map_partitions(reference.place)",
    "stability": _SAMPLE,
    "rank_errors": _SAMPLE,
    "sensitivity": "call ddf.moo.copa(...).sensitivity(), which needs the Pareto-optimal rows only",
    "standings": "call ddf.moo.compare(criteria, rows=[...]) for the rows that matter",
    "power": "fit the noise to a few systems' rows: ddf[ddf.system.isin([...])].compute().moo.power(...)",
    "seeds_needed": "fit the noise to the baseline's rows, as for power",
    "gap": "only the rows of the validation front count, under a reference point that you name (the worst of them is "
    "not the table's): "
    'ddf.moo.define(val_accuracy="max", ...).moo.front().compute().moo.gap(reference={{...}})',
    "posets": "the relations need items × groups only: aggregate first, ddf.groupby([by, item]).mean().compute()",
}


class WholeTableNeededError(TypeError):
    """An answer would need the whole table in one machine's memory."""


def refuse(verb: str) -> NoReturn:
    """Say why a verb is not there, and what to call instead."""
    instead = INSTEAD.get(verb, "if the table fits in memory, call ddf.compute().moo.{verb}(...)").format(verb=verb)
    raise WholeTableNeededError(f"`{verb}` needs the whole table in one machine's memory; {instead}.")
