"""Partial orders: Hasse diagrams, depths, counts of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import copa_nb
from copa_nb import datasets, plots
from tests.snapshot import tables
from tests.snapshot.figures.registry import Pictures, on_both, pictures

BOTH = {"error": "min", "steps": "min"}


def _benchmark(items: int = 5, problems: int = 9, **options: Any) -> copa_nb.PosetSample:
    table = tables.benchmark(items=items, problems=problems)
    if options.pop("long", False):
        table["optimiser"] += " of a family with a $_long name"
        table["problem"] += " of a suite with a very long name"
    found = copa_nb.posets(table, item="optimiser", by="problem", objectives=BOTH, **options)
    return found


def _order(rows: int, seed: int = 5, digits: int = 2) -> np.ndarray:
    costs = np.random.default_rng(seed).uniform(size=(rows, 2)).round(digits)
    better: np.ndarray = (costs[:, None] <= costs).all(axis=-1) & (costs[:, None] < costs).any(axis=-1)
    return better


@pictures
def hasse() -> Pictures:
    sample, ties = _benchmark(), _benchmark(ties="preorder")
    tied = next(group for group in ties.groups if len(ties.tied_groups) and group in set(ties.tied_groups))
    names = [f"item {number}" for number in range(14)]
    long = [f"an item of the $family with the number {number}" for number in range(9)]
    wide = [f"漢字{number}" for number in range(9)]
    chain = np.triu(np.ones((6, 6), dtype=bool), 1)
    nothing = np.zeros((7, 7), dtype=bool)
    frame = pd.DataFrame(_order(4), index=list("abcd"), columns=list("abcd"))
    return on_both({
        "defaults": lambda: plots.plot_hasse(sample.relation("P1")),
        "many": lambda: plots.plot_hasse(_order(14), labels=names),
        "long names": lambda: plots.plot_hasse(_order(9), labels=long, highlight=long[:2]),
    }) | {
        "highlight": lambda: plots.plot_hasse(sample.relation("P3"), highlight=["opt b", "opt d"]),
        "most": lambda: plots.plot_hasse(_order(9), labels=long, most=8),
        "no arrow": lambda: plots.plot_hasse(sample.relation("P1"), arrow=False),
        "wide letters": lambda: plots.plot_hasse(_order(9), labels=wide),
        "preorder": lambda: plots.plot_hasse(ties.relation(tied), highlight=["opt a"]),
        "of a sample": lambda: sample.plot_hasse("P2", arrow=False),
        "labels of a frame": lambda: plots.plot_hasse(frame, labels=list("wxyz")),
        "chain": lambda: plots.plot_hasse(chain),
        "long chain": lambda: plots.plot_hasse(np.triu(np.ones((14, 14), dtype=bool), 1), labels=names),
        "nothing": lambda: plots.plot_hasse(nothing),
        "one": lambda: plots.plot_hasse(np.zeros((1, 1), dtype=bool), labels=["alone"]),
        "agreement": lambda: sample.depth().agreement(3).plot(),
        "short names, no style": lambda: plots.plot_hasse(_order(9), labels=long, most=12),
    }  # fmt: skip


@pictures
def hasse_figure() -> Pictures:
    sample, long = _benchmark(), _benchmark(items=9, problems=3, long=True)
    depths, counted = sample.depth(), _benchmark()
    numbered = copa_nb.PosetSample(counted.relations, counted.items, pd.Index(range(9), name="fold"))
    plain = copa_nb.PosetSample(counted.relations[:2], counted.items, pd.Index([1, 2]))
    empty = copa_nb.PosetSample(counted.relations[:2] & False, counted.items, pd.Index(["a", "b"]))
    thirteen = _benchmark(items=13, problems=3)
    return on_both({"sample": lambda: sample.plot_figure(most=3)}) | {
        "depths": lambda: plots.plot_hasse_figure(depths),
        "long names": lambda: long.plot_figure(),
        "columns": lambda: sample.plot_figure(columns=1, most=2),
        "long titles": lambda: _benchmark(long=True).plot_figure(most=2),
        "size": lambda: sample.plot_figure(size=(2.5, 1.4), most=3),
        "highlight": lambda: sample.plot_figure(highlight=["opt a"], most=2),
        "one": lambda: sample.plot_figure(most=1),
        "four items": lambda: _benchmark(items=4).plot_figure(most=2),
        "eight items": lambda: _benchmark(items=8).plot_figure(most=2),
        "nine items": lambda: _benchmark(items=9).plot_figure(most=1),
        "twelve items": lambda: _benchmark(items=12).plot_figure(most=1),
        "thirteen items": lambda: thirteen.plot_figure(most=1),
        "numbers with a name": lambda: numbered.plot_figure(most=2),
        "numbers": lambda: plain.plot_figure(),
        "nothing": lambda: empty.plot_figure(),
        "given figure": lambda: sample.plot_figure(figure=_small(), most=2),
    }  # fmt: skip


def _small() -> Any:
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(3.0, 5.0), layout="constrained")


@pictures
def depth() -> Pictures:
    found = _benchmark().depth()
    long = _benchmark(long=True).depth()
    sampled = _benchmark().depth(method="sample", n_samples=2000, rng=4)
    equal = _benchmark().only(["P1"]).depth()
    nameless = copa_nb.PosetSample(_benchmark().relations, _benchmark().items, pd.Index(range(9))).depth()
    return {
        "defaults": lambda: found.plot(),
        "no box": lambda: found.plot(box=False),
        "no values": lambda: found.plot(values=False),
        "sampled": lambda: sampled.plot(),
        "long names": lambda: long.plot(),
        "equal": lambda: equal.plot(),
        "no name": lambda: nameless.plot(),
        "review": lambda: _benchmark().review().plot(),
    }


@pictures
def pair_counts() -> Pictures:
    sample, four = _benchmark(), _benchmark(items=4)
    many = datasets.load_moea().moo.posets(item="algorithm", by="problem")
    short, longer = (
        pd.DataFrame(many.pair_counts.to_numpy()[:5, :5], index=names, columns=names)
        for names in ([letter * length for letter in "abcde"] for length in (3, 4))
    )
    return {
        "defaults": lambda: sample.plot(),
        "four": lambda: four.plot(),
        "short names": lambda: plots.plot_pair_counts(short),
        "names of four letters": lambda: plots.plot_pair_counts(longer),
        "dark": lambda: sample.plot(n_groups=2),
        "n_groups": lambda: sample.plot(n_groups=30),
        "not sorted": lambda: sample.plot(sort=False),
        "no numbers": lambda: sample.plot(numbers=False),
        "no numbers, n_groups": lambda: four.plot(numbers=False, n_groups=40),
        "counts": lambda: plots.plot_pair_counts(sample.pair_counts),
        "nothing": lambda: plots.plot_pair_counts(short * 0, numbers=False),
        "long names": lambda: _benchmark(long=True).plot(),
    }
