"""promptfoo: results of an evaluation, one row for each prompt and provider on each test."""

from __future__ import annotations

__all__ = ["from_promptfoo"]

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from copa_nb.sources.documents import read_documents
from copa_nb.sources.formats import source
from copa_nb.sources.items import table_of_items

_DIRECTIONS = {"success": "max", "cost_usd": "min", "latency_ms": "min"}
_ERROR = 2  # what `failureReason` says of an answer that a provider did not give


@source("results of promptfoo (JSON)", directions="success up, cost and latency down", key="evalId")
def from_promptfoo(results: Any, /, *, objectives: Mapping[Any, str] | None = None) -> pd.DataFrame:
    """Make a table of what ``promptfoo eval -o results.json`` writes: one row per system and test.

    Parameters
    ----------
    results : path, dict, or list of these
        Files, folders with such files, or their content.
    objectives : mapping of column to {"max", "min"}, optional
        Other objectives, such as the names of metrics of assertions.

    Returns
    -------
    DataFrame
        Columns "system" (the provider, with the prompt if there are several), "item" (the test), "repeat" (with
        ``--repeat``), "success" (1 or 0), "score", "cost_usd", "latency_ms", "tokens", and named scores. Answers that
        a provider did not give are left out and counted.

    Raises
    ------
    FileNotFoundError, TypeError, ValueError
        For a file that is missing, or is no result of promptfoo.

    Examples
    --------
    >>> import copa_nb
    >>> tests = [{"provider": {"label": name}, "prompt": {"label": "p"}, "testCase": {"vars": {"x": x}},
    ...           "success": x > k} for k, name in enumerate(["new", "old"]) for x in range(3)]
    >>> table = copa_nb.from_promptfoo({"evalId": "eval-1", "results": {"results": tests}})
    >>> table.groupby("system")["success"].mean().round(2).to_dict()
    {'new': 0.67, 'old': 0.33}
    """
    read = read_documents(results, "results", "*.json", ("evalId", "results"), "results of promptfoo")
    found = [one for _, document in read for one in document["results"].get("results", ())]
    answered = [one for one in found if one.get("failureReason") != _ERROR]
    return table_of_items(
        list(_rows(answered)), _DIRECTIONS, name="promptfoo", objectives=objectives,
        left_out={"without an answer": len(found) - len(answered)},
    )  # fmt: skip


def _rows(results: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    prompts = {str(one.get("prompt", {}).get("label")) for one in results}
    # A repeated test has another number, and the same content.
    tests: dict[str, str] = {}
    for one in results:
        provider, case = one.get("provider") or {}, one.get("testCase") or {"vars": one.get("vars")}
        label = str(provider.get("label") or provider.get("id") or "provider")
        content = json.dumps({name: case.get(name) for name in ("vars", "assert", "description")}, sort_keys=True)
        yield {
            "system": f"{label} | {one['prompt'].get('label')}" if len(prompts) > 1 else label,
            "item": tests.setdefault(content, case.get("description") or f"test {len(tests) + 1}"),
            "success": float(bool(one.get("success"))),
            "score": one.get("score"),
            "cost_usd": one.get("cost"),
            "latency_ms": one.get("latencyMs"),
            "tokens": (one.get("tokenUsage") or {}).get("total"),
            **(one.get("namedScores") or {}),
        }
