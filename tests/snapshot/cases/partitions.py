"""The verbs on tables in partitions: the same numbers by another way."""

from __future__ import annotations

from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd

import copa_nb
import copa_nb.dask
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import case, refusal
from tests.snapshot.encoding import plain, said


def _cut(frame: pd.DataFrame, pieces: int = 3) -> dd.DataFrame:
    return dd.from_pandas(frame, npartitions=pieces, sort=False)


def _in_this_thread() -> Any:
    # A scheduler would only add seconds.
    return dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False})


@case()
def partitions_choice() -> dict[str, Any]:
    models = tables.models()
    fitted = copa_nb.Reference.fit(tables.models(seed=24), objectives=tables.THREE)
    with _in_this_thread():
        table = copa_nb.dask.define(_cut(models), tables.THREE)
        chosen = table.moo.copa(weights={"co2": 0.5}, where="latency > 7", p=2)
        grouped = asked.copa(table, by="family")
        path = table.moo.copa().navigate("co2", importances=21)
        return {
            "accessor": [repr(table.moo), repr(table.moo.description["objectives"])],
            "front": plain(table.moo.front().compute().index),
            "copa": said(chosen, "best", "tied", "weights"),
            "frozen": plain(_cut(models).moo(tables.THREE).copa(reference=fitted).best),
            "by family": plain(grouped.best),
            "navigate": said(path, "path", "evenness"),
            "compare": said(table.moo.copa().criteria(["mean", "minmax", 1, "inf"]), "ranks"),
            "hypervolume": said(table.moo.hypervolume(), "value", "reference"),
            "omit": plain(asked.copa(_cut(tables.gappy()).moo(tables.THREE), nan_policy="omit").best),
            "refused": refusal(lambda: table.moo.layers()),
        }


@case()
def partitions_tests() -> dict[str, Any]:
    runs = tables.system_runs()
    objectives = tables.costs(2)
    with _in_this_thread():
        sort = _cut(runs[runs["task"] == "sort"])
        test = asked.hv_test(sort.moo(objectives), system="system", repeat="seed", new="new", baseline="old")
        audited = asked.audit(_cut(runs).moo(objectives),
            system="system", repeat="seed", by="task", n_resamples=300
        )  # fmt: skip
    return {"hv_test": said(test, "pvalue", "table"), "audit": said(audited, "table")}
