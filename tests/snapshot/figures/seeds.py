"""Tests beyond seed noise, audits, power, fronts with confidence, stochastic dominance."""

from __future__ import annotations

from typing import Any

import pandas as pd

import copa_nb
from copa_nb import datasets, plots
from tests.snapshot import tables
from tests.snapshot.figures.registry import Pictures, on_both, pictures

SIDES = {"system": "system", "seed": "seed", "new": "new", "baseline": "old"}


def _sort(objectives: int = 2, seeds: int = 5) -> pd.DataFrame:
    runs = tables.system_runs(objectives, seeds)
    return runs[runs["task"] == "sort"]


@pictures
def null_distribution() -> Pictures:
    runs, both = _sort(), tables.costs(2)

    def test(frame: pd.DataFrame = runs, **options: Any) -> Any:
        return copa_nb.hv_test(frame, objectives=both, **{**SIDES, **options})

    long = runs.assign(system=runs["system"] + " system of the $_family with a name that fills a line")
    new, old = sorted(long["system"].unique())[:2]
    exact, sampled = test(), test(_sort(2, 10), n_resamples=300, rng=6)
    one_sided = test(alternative="greater")
    unbalanced = test(runs.drop(index=runs.index[runs["system"] == "old"][:2]))
    same = test(runs.assign(**{"cost 0": 0.5, "cost 1": 1.0}), reference={"cost 0": 1, "cost 1": 2})
    several = test(new=["new"], baseline=["old", "slow"], n_resamples=500)
    other = test(indicator="igd+")
    worse = test(new="slow", baseline="new")
    paper = test(runs.drop(index=runs.index[runs["system"] == "old"][:2]), two_sided="paper")
    return on_both({
        "defaults": lambda: exact.plot(),
        "long names": lambda: test(long, new=new, baseline=old).plot(),
    }) | {
        "sampled": lambda: sampled.plot(),
        "greater": lambda: one_sided.plot(),
        "unbalanced": lambda: unbalanced.plot(),
        "no difference": lambda: same.plot(),
        "several systems": lambda: several.plot(),
        "another indicator": lambda: other.plot(),
        "worse": lambda: worse.plot(),
        "unbalanced, as in the paper": lambda: paper.plot(),
        "few bins": lambda: worse.plot(bins=3),
        "looks": lambda: exact.plot(edgecolor="#009E73", linewidth=2),
    }  # fmt: skip


@pictures
def audit() -> Pictures:
    runs, both = tables.system_runs(), tables.costs(2)
    options: dict[str, Any] = {"system": "system", "seed": "seed", "n_resamples": 200, "progress": False}
    found = copa_nb.audit(runs, objectives=both, by="task", **options)
    few = copa_nb.audit(_sort(2, 2), objectives=both, **options)
    none = copa_nb.audit(_sort().query("system == 'new'"), objectives=both, **options)
    r2 = copa_nb.audit(_sort(), objectives=both, indicator="r2", **options)
    strict = copa_nb.audit(_sort(2, 8), objectives=both, alpha=0.2, **options)
    corrections = ["holm", "benjamini_hochberg", "benjamini_yekutieli"]
    return on_both({
        "defaults": lambda: found.plot(),
        "fronts": lambda: found.plot(statistic="front"),
    }) | {
        **{how: lambda how=how: found.plot(correction=how) for how in [*corrections, "max_t"]},
        "fronts, holm": lambda: found.plot(correction="holm", statistic="front"),
        "labels": lambda: found.plot(labels=1, s=9, alpha=0.3),
        "no labels": lambda: found.plot(labels=0),
        "few runs": lambda: few.plot(),
        "no claim": lambda: none.plot(),
        "another indicator": lambda: r2.plot(statistic="front"),
        "another level": lambda: strict.plot(),
    }  # fmt: skip


@pictures
def power() -> Pictures:
    options: dict[str, Any] = {"n_simulations": 60, "progress": False, "rng": 2}
    seeds = copa_nb.power(effect=[0.0, 0.1], seeds=[3, 4, 5], noise=0.04, **options)
    effects = copa_nb.power(effect=[0.0, 0.05, 0.1], seeds=[4, 6], noise=0.04, alpha=0.1, **options)
    needed = copa_nb.seeds_needed(effect=0.3, noise=0.05, power=0.7, n_resamples=300, **options)
    return on_both({"defaults": lambda: seeds.plot(), "effects": lambda: effects.plot()}) | {
        "along seeds": lambda: effects.plot(along="seeds"),
        "along effects": lambda: seeds.plot(along="effect"),
        "runs": lambda: seeds.plot(statistic="runs", target=0.5),
        "both": lambda: seeds.plot(statistic="both", lw=3, marker="x"),
        "seeds needed": lambda: needed.plot(),
    }


@pictures
def confident_front() -> Pictures:
    runs = tables.training_runs()
    options: dict[str, Any] = {"system": "model", "repeat": "seed", "n_resamples": 200}
    three = copa_nb.confident_front(runs, objectives=tables.THREE, **options)
    two = copa_nb.confident_front(runs, objectives=tables.TWO, **options)
    models = tables.models(rows=8).assign(error=0.002, more=0.05)
    sure = copa_nb.confident_front(
        models, objectives=tables.TWO, noise={"accuracy": "error", "co2": "more"}, n_resamples=200
    )
    one = copa_nb.confident_front(models, objectives={"accuracy": "max"}, noise={"accuracy": "error"}, n_resamples=200)
    return on_both({"defaults": lambda: two.plot(), "sure": lambda: sure.plot()}) | {
        "three objectives": lambda: three.plot(),
        "x and y": lambda: three.plot(x="latency", y="co2"),
        "log": lambda: sure.plot(log=["co2"]),
        "labels": lambda: two.plot(labels=2, log=["accuracy"]),
        "one objective": lambda: one.plot(),
    }


@pictures
def stochastic_dominance() -> Pictures:
    suite = datasets.load_uci_classifiers()
    some = suite[suite["classifier"].isin(sorted(suite["classifier"].unique())[:4])]
    options: dict[str, Any] = {"item": "classifier", "by": "dataset", "progress": False}
    front = some.moo.gsd_front(ordinal=["auc"], **options)
    first, second = sorted(some["classifier"].unique())[:2]
    alone = some[some["classifier"] == first].assign(classifier="a classifier")
    pair = some[some["classifier"].isin([first, second])].moo.gsd_front(ordinal=["auc"], **options)
    test = front.test(first, n_resamples=60, progress=False)
    long = some.assign(classifier=some["classifier"] + " with a long $_name of a classifier")
    named = long.moo.gsd_front(ordinal=["auc"], **options)
    of_named = named.test(f"{first} with a long $_name of a classifier", n_resamples=25, progress=False)
    of_pair = pair.test(first, n_resamples=60, progress=False)
    other = front.test(second, n_resamples=40, alpha=0.3, progress=False)
    binned = some.moo.gsd_front(ordinal=["auc"], bins=3, **options).test(first, n_resamples=30, progress=False)
    apart = pd.concat([alone, alone.assign(classifier="another")]).moo.gsd_front(ordinal=["auc"], **options)
    return on_both({
        "test": lambda: test.plot(),
        "robustness": lambda: test.plot_robustness(),
    }) | {
        "front": lambda: plots.plot_gsd_front(front),
        "front, long names, phone": lambda: named.plot(),
        "test, long names, phone": lambda: of_named.plot(),
        "front, highlight": lambda: front.plot(highlight=[second]),
        "front of equals": lambda: apart.plot(),
        "test, step": lambda: test.plot(step=3),
        "test of another": lambda: other.plot(),
        "test of a pair": lambda: of_pair.plot(),
        "test, bins": lambda: binned.plot(),
        "robustness, most": lambda: test.plot_robustness(most=4),
        "robustness of a pair": lambda: of_pair.plot_robustness(),
    }  # fmt: skip
