"""Decisions, paths, rankings, standings and weights."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import copa_nb
from copa_nb import datasets, plots
from tests.snapshot import tables
from tests.snapshot.figures.fronts import named
from tests.snapshot.figures.registry import Pictures, on_both, pictures


@cache
def _selection(objectives: str = "THREE", **options: Any) -> Any:
    return tables.models().moo(getattr(tables, objectives)).copa(**options)


@pictures
def selection() -> Pictures:
    models = tables.models()
    fitted = copa_nb.Reference.fit(tables.models(seed=23), objectives=tables.THREE)
    frozen = copa_nb.copa(models, reference=fitted, p=2)
    many = copa_nb.copa(tables.many(4, 400, 3, 2), objectives=tables.costs(3), p=1)
    relative = copa_nb.copa(models, objectives=tables.THREE, normalize="relative", reference="m02", p=1)
    weighed = models.moo(tables.FIVE).copa(weights={"f1": 0.6}, p=1)
    long = named(models.rename(columns={"latency": "latency of the last $ token_that was written"}))
    ways = {"accuracy": "max", "co2": "min", long.columns[2]: "min"}
    return on_both({"defaults": lambda: _selection().plot()}) | {
        "long names, phone": lambda: long.moo(ways).copa().plot(),
        "five objectives": lambda: weighed.plot(),
        "no runner-up": lambda: plots.plot_selection(_selection("TWO"), runners_up=0, legend=False),
        "many runners-up": lambda: _selection().plot(runners_up=9),
        "three rows": lambda: copa_nb.copa(models.iloc[:3], objectives=tables.THREE).plot(runners_up=5),
        "looks": lambda: _selection().plot(height=0.2, color="#009E73"),
        "frozen": lambda: frozen.plot(),
        "many rows": lambda: many.plot(),
        "min-max": lambda: copa_nb.copa(models, objectives=tables.THREE, normalize="minmax", p=1).plot(),
        "relative": lambda: relative.plot(),
        "one row": lambda: copa_nb.copa(models.iloc[:1], objectives=tables.THREE).plot(),
    }  # fmt: skip


@pictures
def parallel() -> Pictures:
    models, long = tables.models(), tables.many(5, 230, 3, 3)
    words = models.rename(columns={name: f"a long name of {name}" for name in tables.FIVE})
    ways = {f"a long name of {name}": way for name, way in tables.FIVE.items()}
    return on_both({
        "defaults": lambda: plots.plot_parallel(_selection()),
        "highlight": lambda: plots.plot_parallel(_selection("FIVE"), highlight=["m03", "m30", "m09"]),
        "long names": lambda: plots.plot_parallel(named(words).moo(ways).copa()),
    }) | {
        "table, highlight": lambda: plots.plot_parallel(models, objectives=tables.THREE, highlight=["m03"]),
        "all rows": lambda: plots.plot_parallel(_selection(), front_only=False),
        "looks": lambda: plots.plot_parallel(_selection(), line_kws={"colors": "#D55E00", "linewidths": 2}),
        "many rows": lambda: plots.plot_parallel(long, objectives=tables.costs(3), front_only=False),
        "very many rows": lambda: plots.plot_parallel(
            tables.many(6, 900, 2, 3), objectives=tables.costs(2), front_only=False
        ),
        "one row": lambda: plots.plot_parallel(models.iloc[:1], objectives=tables.TWO),
    }  # fmt: skip


@pictures
def stability() -> Pictures:
    models, options = tables.models(), {"n_resamples": 200, "rng": 7}
    found = models.moo(tables.THREE).stability(**options)
    long = named(models.set_axis([f"a-family/{name}" for name in models.index])).moo(tables.THREE)
    seeds = copa_nb.stability(
        tables.training_runs(), objectives=tables.THREE, model="model", seed="seed", n_resamples=150, rng=8
    )
    firm = models.iloc[:3].moo(tables.TWO).stability(n_resamples=40, rng=1)
    return on_both({"defaults": lambda: found.plot()}) | {
        "long names, phone": lambda: long.stability(**options).plot(),
        "most": lambda: found.plot(most=3, height=0.3, ecolor="#009E73"),
        "one bar": lambda: found.plot(most=1),
        "all": lambda: found.plot(most=50),
        "as many as there are": lambda: found.plot(most=len(found.table)),
        "seeds": lambda: seeds.plot(),
        "firm": lambda: firm.plot(),
        "the choice is the third": lambda: plots.plot_stability(_with_choice(found, 2), most=3),
        "the choice comes after the rest": lambda: plots.plot_stability(_with_choice(found, 3), most=3),
    }  # fmt: skip


def _with_choice(found: Any, row: int) -> Any:
    """The same shares, with another row as the choice."""
    return replace(found, best=found.table.index[row], best_row=row)


@pictures
def tiers() -> Pictures:
    runs = tables.training_runs(rows=12)
    options: dict[str, Any] = {"system": "model", "repeat": "seed", "n_resamples": 200}
    found = copa_nb.tiers(runs, objectives={"accuracy": "max"}, **options)
    open_ = copa_nb.tiers(runs, objectives=tables.THREE, **options)
    return {
        "defaults": lambda: found.plot(),
        "three objectives": lambda: open_.plot(),
        "most": lambda: found.plot(most=3),
        "all": lambda: found.plot(most=12),
    }


@pictures
def bump() -> Pictures:
    models = tables.models(rows=14)
    criteria = ["mean", 1, "inf", "topsis"]
    found = copa_nb.compare(models, criteria, objectives=tables.THREE)
    many = copa_nb.compare(tables.models(seed=8, rows=44), ["mean", 1, "inf"], objectives=tables.TWO)
    ties = copa_nb.compare(
        models.assign(accuracy=models["accuracy"].round(1), co2=1.0), ["mean", "inf"], objectives=tables.TWO
    )
    long_ties = copa_nb.compare(
        named(models.assign(accuracy=models["accuracy"].round(1), co2=1.0), 16), ["mean", "inf"], objectives=tables.TWO
    )
    words = copa_nb.compare(named(models), ["mean", "weighted sum", "relative", "minmax", 1, 2, 4, "inf", "borda"],
                            objectives=tables.THREE)  # fmt: skip
    return on_both({"defaults": lambda: found.plot(), "long names": lambda: words.plot()}) | {
        "ties": lambda: ties.plot(),
        "ties of long names": lambda: long_ties.plot(highlight=1),
        "highlight": lambda: found.plot(highlight=["m03", "m09"]),
        "highlight many": lambda: found.plot(highlight=11),
        "none": lambda: found.plot(highlight=0),
        "many rows": lambda: many.plot(),
        "most": lambda: many.plot(most=5),
        "looks": lambda: found.plot(highlight=1, lw=4, zorder=9),
        "one row": lambda: copa_nb.compare(models.iloc[:1], [1, 2], objectives=tables.TWO).plot(),
    }  # fmt: skip


@pictures
def standings() -> Pictures:
    table = tables.benchmark()
    options: dict[str, Any] = {"item": "optimiser", "by": "problem"}
    found = copa_nb.standings(table, objectives={"error": "min"}, baseline="opt c", **options)
    two = copa_nb.standings(table, objectives={"error": "min", "steps": "min"}, **options)
    long = copa_nb.standings(
        table.assign(optimiser=table["optimiser"] + " of a $_family with a long name"), objectives={"error": "min"},
        baseline="opt c of a $_family with a long name", **options,
    )  # fmt: skip
    spread = datasets.load_amlb(problem="multiclass", time_limit="1h").moo.standings(
        item="framework", by="task", baseline="RandomForest"
    )
    order = ["opt b", "opt a", "opt e"]
    return {
        "defaults": lambda: found.plot(),
        "two objectives": lambda: two.plot(),
        "order": lambda: found.plot(order=order, widths=0.3, whis=0.2),
        "long names, phone": lambda: long.plot(),
        "scaled": lambda: found.plot_scaled(),
        "scaled, order": lambda: found.plot_scaled(order=order, view=(-30, 1.2)),
        "scaled, long names": lambda: long.plot_scaled(),
        "scaled, out of view": lambda: spread.plot_scaled(),
    }


@pictures
def navigation() -> Pictures:
    models = tables.models()
    path = models.moo(tables.THREE).navigate("co2", alphas=41)
    long = named(models).moo(tables.THREE).navigate("co2", alphas=41)
    one = models.iloc[:1].moo(tables.TWO).navigate("co2", alphas=5)
    scaled = models.moo(tables.TWO).navigate("co2", alphas=[0.2, 0.3, 0.5, 0.9], normalize="minmax", p=1)
    written = dict(zip(path.table.index[:3], ["1", "2", "three"], strict=True))
    return on_both({
        "defaults": lambda: path.plot(),
        "long names": lambda: long.plot(),
    }) | {
        "text of names": lambda: path.plot(names=written),
        "names": lambda: path.plot(names=2),
        "no names": lambda: path.plot(names=0, legend=False),
        "few names, phone": lambda: long.plot(names=2),
        "five objectives": lambda: models.moo(tables.FIVE).navigate("f1", alphas=11).plot(),
        "looks": lambda: path.plot(lw=3, alpha=0.5),
        "min-max": lambda: scaled.plot(),
        "one row": lambda: one.plot(),
    }  # fmt: skip


@pictures
def sweep() -> Pictures:
    view = tables.models().moo(tables.TWO)
    paths = {p: view.navigate("co2", p=p, alphas=31) for p in (1, 2, "inf")}
    return on_both({"defaults": lambda: plots.plot_sweep(paths)}) | {
        "looks": lambda: plots.plot_sweep(paths, lw=3),
        "one row": lambda: plots.plot_sweep({"a $b$": tables.models(rows=4).iloc[:1].moo(tables.TWO).navigate("co2")}),
    }


@pictures
def weight_regions() -> Pictures:
    models = tables.models()
    options: dict[str, Any] = {"n_weights": 300, "rng": 4}
    two = models.moo(tables.TWO).sensitivity(**options)
    three = models.moo(tables.THREE).sensitivity(**options)
    five = models.moo(tables.FIVE).sensitivity(**options)
    dull = models.moo(tables.FIVE).copa(weights={"f1": 0.0}).sensitivity(**options)
    front = datasets.synthetic_front(40).moo.sensitivity(**options)
    return on_both({
        "two": lambda: two.plot(),
        "five": lambda: five.plot(),
    }) | {
        "two, most": lambda: two.plot(most=2, title="chosen", ncols=1),
        "two, one": lambda: two.plot(most=1),
        "two, many": lambda: front.plot(),
        "three": lambda: three.plot(),
        "three, phone": lambda: three.plot(most=2),
        "five, no weight": lambda: dull.plot(),
    }  # fmt: skip
