"""What asks for a result again: the values of the parameters that gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.pareto.reference_points import WORST, WORST_MULTIPLE
from copa_nb.significance.runs import system_name
from copa_nb.tables.columns import as_names, several
from copa_nb.tables.objectives import Objectives
from copa_nb.text import label


def choice(result: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a :class:`copa_nb.results.Selection`."""
    inputs = result.inputs
    if not isinstance(inputs.reference, str | None):
        raise ValueError(
            "`reference` was given, but a report can name a row only; choose without it, or write this result as a "
            "page with to_html()."
        )
    if not isinstance(inputs.where, str | None) and "where" not in given:
        raise ValueError(
            f"`where` is a {type(inputs.where).__name__}, but a report needs it as text, e.g. "
            "report(where='latency_ms <= 50')."
        )
    missing = several(inputs.frame, result.objectives).isna().to_numpy().any()
    return {
        "table": inputs.frame,
        "objectives": _as_text(result.objectives),
        "weights": {str(name): float(weight) for name, weight in result.weights.items()},
        "p": "inf" if np.isinf(result.p) else f"{result.p:.17g}",
        "where": inputs.where if isinstance(inputs.where, str) else "",
        "normalize": result.normalize,
        "reference": inputs.reference or "",
        "nan_policy": "omit" if inputs.n_omitted else "worst" if missing else "raise",
    }


def gap(result: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a :class:`copa_nb.results.Gap`, or of one for each repetition."""
    if not hasattr(result, "gaps"):
        table, options = _scores_of(result)
        return {"table": table, "objectives": _as_text(result.objectives), **options}
    if result.estimate is not None:
        raise ValueError(
            "resamples of a test set have no table from which a report could be made; report the `estimate`, e.g. "
            "result.estimate.report(), or write this result as a page with to_html()."
        )
    parts = [(label(name), *_scores_of(one)) for name, one in result.gaps.items()]
    table = pd.concat([rows.assign(repetition=name) for name, rows, _ in parts])
    objectives = _as_text(next(iter(result.gaps.values())).objectives)
    return {"table": table, "objectives": objectives, **parts[0][2], "repeat": "repetition"}


def audit(result: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a :class:`copa_nb.results.HypervolumeTest` or an Audit."""
    if not hasattr(result, "tests"):
        return _test(result, given)
    if not result.tests:
        raise ValueError("this audit has no claims, so there is nothing to report; name some in `claims`.")
    if result.by or not (result.suggested or len(result.tests) == 1):
        raise ValueError(
            "a report tests either one claim or every pair suggested by the means, without `by`; report one of the "
            "claims, e.g. audit.tests[0].report(), or write all as a page with to_html()."
        )
    return {**_test(result.tests[0], given), **({"new": [], "baseline": []} if result.suggested else {})}


def depths(result: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a :class:`copa_nb.results.DepthResult`."""
    source = result.sample.source
    if source is None or result.orders is not result.sample:
        raise ValueError(
            "a report needs all orders that posets() makes from one table, and these are others; report the depths "
            "of such a sample, e.g. df.moo.posets().depth().report(), or write this result as a page "
            "with to_html()."
        )
    if result.max_card is not None:
        raise ValueError(
            "`max_card` was given, but reports have no such parameter; compute the depths without it, or write "
            "this result as a page with to_html()."
        )
    if result.method == "sample" and not {"n_samples", "rng"} <= set(given):
        raise ValueError(
            "the random sets are not stored with the depths; set `n_samples` and `rng` to draw them again, e.g. "
            "report(n_samples=100_000, rng=0)."
        )
    return {
        "table": source.frame,
        "objectives": _as_text(source.objectives),
        "system": [*map(str, as_names(source.system))],
        "item": [*map(str, as_names(source.item))],
        "ties": result.sample.ties,
        "nan_policy": source.nan_policy,
        "method": result.method,
    }


def _as_text(objectives: Objectives) -> dict[str, str]:
    """Objectives as a report names them."""
    return {str(name): way for name, way in objectives.to_dict().items()}


def _scores_of(gap: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the scores that could be chosen, in their own units, and the options of their gap."""
    parts = {"val_": gap.scores.validation, "test_": gap.scores.test}
    columns = [
        pd.DataFrame(gap.scores.own_units(costs), gap.scores.index, [f"{part}{name}" for name in gap.objectives])
        for part, costs in parts.items()
    ]
    # A reference point that a report finds by itself is not named.
    rules = () if gap.reference_given else (WORST, WORST_MULTIPLE)
    point = {str(name): value for name, value in gap.reference.items()}
    rule: Any = next((rule for rule in rules if gap.scores.reference(rule, 0.1) == gap.reference), point)
    return pd.concat(columns, axis=1), {"keep": gap.keep, **({} if rule == WORST else {"reference": rule})}


def _test(test: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a test of one claim."""
    inputs, options = test.inputs, test.options
    is_seed = isinstance(options.rng, int | np.integer)
    if not is_seed and "rng" not in given:
        raise ValueError("`rng` is a Generator, whose draws a report cannot repeat; give a seed, e.g. report(rng=0).")
    missing = several(inputs.frame, test.objectives).isna().to_numpy().any()
    system, repeat = map(as_names, inputs.columns)
    point = {str(name): value for name, value in test.reference.items()}
    rule = WORST_MULTIPLE if inputs.worst_multiple else WORST
    ruled = {"reference": rule, "reference_margin": inputs.reference_margin}
    return {
        "table": inputs.frame,
        "objectives": _as_text(test.objectives),
        "system": system,
        "repeat": repeat,
        "new": [system_name(name) for name in test.new],
        "baseline": [system_name(name) for name in test.baseline],
        "log": [str(name) for name in test.log],
        **(ruled if inputs.reference_margin is not None else {"reference": point} if point else {}),
        "n_resamples": options.n_resamples,
        "alternative": options.alternative,
        "paired": options.paired,
        "unit": options.unit,
        "method": options.method,
        "two_sided": options.two_sided,
        "indicator": options.indicator,
        "alpha": options.alpha,
        "nan_policy": "worst" if missing else "raise",
        "rng": int(options.rng) if is_seed else 0,
    }
