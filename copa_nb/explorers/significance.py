"""How the p-value of a hypervolume test depends on its settings: ``df.moo.hv_test(...).explore()``."""

from __future__ import annotations

__all__ = ["HypervolumeTestExplorer"]

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.explorers.scenes import axis, axis_menus, control, marks, outline, point_text
from copa_nb.explorers.widget import Explorer
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.plots import drawn_columns
from copa_nb.plotting.style import PALETTE
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import explained
from copa_nb.significance.arrays.permutation import ALTERNATIVES, mark_extreme, tie_tolerance
from copa_nb.significance.hv_test import hv_test
from copa_nb.significance.result import HypervolumeTest
from copa_nb.significance.runs import Runs, gather_runs
from copa_nb.tables.columns import as_names, column_or_level, read_labels, several
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import in_call

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIDES: tuple[tuple[str, str, str, list[int]], ...] = (
    ("new", PALETTE[1], "circle", []),
    ("baseline", PALETTE[0], "square", [6, 4]),
)
_BINS = 40
_FEWEST_RUNS = 2
# Numbers of runs that a page without a kernel holds.
_MOST_RUNS = 12


@offered_by(HypervolumeTest, "explore")
def explorer_of_test(test: HypervolumeTest) -> HypervolumeTestExplorer:
    """Change the reference point and the number of runs with sliders, and see how the p-value changes.

    The controls start at the reference point, the runs and the alternative of this test, and all positions use its
    other options and the same seed (0 if `rng` was None or a Generator, whose draws do not come again).

    Returns
    -------
    HypervolumeTestExplorer
        ``test`` is the result at the current positions of the controls.

    Raises
    ------
    ValueError
        For a single objective, or an indicator without a reference point.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> test = runs.moo(accuracy="max", cost="min", system="agent", repeat="run").hv_test("A", "B")
    >>> with test.explore() as explorer:
    ...     explorer.set_runs(3)
    ...     round(explorer.test.pvalue, 2)
    0.1
    """
    if not test.reference:
        raise ValueError(
            f"the explorer moves the reference point, but `indicator` {test.name} has none; test the hypervolume."
        )
    if len(test.objectives) < 2:
        raise ValueError("`explore` draws fronts; define at least two objectives.")
    inputs = test.inputs
    system, repeat = inputs.columns
    table = DescribedFrame.of(inputs.frame, test.objectives, system=system, repeat=repeat, log=list(test.log) or None)
    runs = gather_runs(table)
    comes_again = isinstance(test.options.rng, int)
    asked = {**vars(test.options), "rng": test.options.rng if comes_again else 0}
    asked = {name: value for name, value in asked.items() if name not in ("alternative", "indicator")}
    options = {"new": list(test.new), "baseline": list(test.baseline), **asked}
    both = [*runs.find(list(test.new), "new"), *runs.find(list(test.baseline), "baseline")]
    first, second = drawn_columns(runs.objectives, None, None)
    start = {"reference": [float(test.reference[name]) for name in runs.objectives],
             "runs": int(max(runs.counts(both))), "alternative": test.options.alternative,
             "x": first, "y": second}  # fmt: skip
    return HypervolumeTestExplorer(table, runs, options, start)


def first_runs(frame: pd.DataFrame, system: Any, repeat: Any, count: int) -> pd.DataFrame:
    """Keep the first runs of every system, in order of their repeats or else of the table."""
    names = as_names(repeat)
    # By position: labels of the index may be repeated.
    order = np.arange(len(frame))
    if names:
        keys = pd.DataFrame({i: column_or_level(frame, name, "repeat").array for i, name in enumerate(names)})
        order = keys.sort_values(keys.columns.tolist(), kind="stable").index.to_numpy()
    systems = pd.Series(read_labels(frame, system, "system").codes[order])
    kept = np.zeros(len(frame), dtype=bool)
    kept[order[systems.groupby(systems).cumcount() < count]] = True
    return frame[kept]


class HypervolumeTestExplorer(Explorer):
    """Reference point and runs against the p-value; see :meth:`copa_nb.results.HypervolumeTest.explore`.

    Parameters
    ----------
    frame : DataFrame
        All runs.
    runs : Runs
        The same as costs.
    options : dict
        Options of ``hv_test`` that have no control.
    start : dict
        Initial positions of the controls.
    """

    title = "Hypervolume test"
    invitation = "Move the reference point, and leave out runs"

    def __init__(self, table: DescribedFrame, runs: Runs, options: dict[str, Any], start: dict[str, Any]) -> None:
        self.table, self.runs, self.options = table, runs, options
        self._most = start["runs"]
        self.kind = "test"
        points = [self._make_reference(k, start["reference"][k]) for k in range(len(runs.objectives))]
        few = min(_FEWEST_RUNS, self._most)
        test = [
            control("slider", "runs", "runs", "Runs per system (first runs)", min=few, max=self._most, step=1,
                    whole=True, offline=True),
            control("menu", "alternative", "alternative", "Alternative hypothesis",
                    options=[[name, name] for name in ALTERNATIVES], offline=True),
        ]  # fmt: skip
        controls = [{"heading": "Reference point", "items": points}, {"heading": "Test", "items": test},
                    {"heading": "Picture", "items": axis_menus(runs.objectives)}]  # fmt: skip
        super().__init__({"controls": controls, "keys": ["runs", "alternative"]}, start)

    def set_runs(self, count: int) -> None:
        """Use only the first runs of every system, as the slider does.

        Raises
        ------
        ValueError
            For a count that is not a whole number of at least 2.
        """
        self.move(runs=min(checks.integer("count", count, least=_FEWEST_RUNS), self._most))

    def set_reference(self, objective: Hashable, value: float) -> None:
        """Move the reference point in one objective, in its own units, as its slider does.

        Raises
        ------
        ValueError
            For an unknown objective.
        """
        moved = self.runs.objectives.position(objective)
        point = [float(f"{value:.6g}") if k == moved else old for k, old in enumerate(self.state["reference"])]
        self.move(reference=point)

    @property
    def code(self) -> str:
        """The call that gives the same test."""
        arguments = {**self.options, **self._positions()}
        given = {name: value for name, value in arguments.items() if value is not None}
        words = self.table.description.to_dict()
        lines = "".join(f"    {name}={value!r},\n" for name, value in given.items())
        table = "df" if self.at['runs'] == self._most else (
            f"copa_nb.explorers.significance.first_runs(df, {words['system']!r}, {words.get('repeat')!r}, "
            f"{self.at['runs']})"
        )  # fmt: skip
        return f"copa_nb.moo({table}, {in_call(words)}).hv_test(\n{lines})"

    def _positions(self) -> dict[str, Any]:
        """Arguments of ``hv_test`` that have a control."""
        objectives = self.runs.objectives
        point = dict(zip(objectives, self.at["reference"], strict=True))
        return {"reference": point, "alternative": self.at["alternative"]}

    def _make_scene(self) -> dict[str, Any]:
        said = self.table.say
        rows = first_runs(self.table.frame, said("system"), said("repeat"), self.at["runs"])
        self.test: HypervolumeTest = hv_test(replace(self.table, frame=rows), **self.options, **self._positions())
        return {
            "title": self.title,
            "announce": text.pvalue(self.test.pvalue),
            "charts": [self._fronts(), self._null()],
            "cards": [self._card()],
            "code": self.code,
        }

    def _offline(self) -> dict[str, Any]:
        counts = range(min(_FEWEST_RUNS, self._most), min(self._most, _MOST_RUNS) + 1)
        states = [{"runs": n, "alternative": a} for a in ALTERNATIVES for n in counts]
        fixed = [self.state[name] for name in ("reference", "x", "y")]
        return {"scenes": self._once("scenes", fixed, lambda: self._scenes_at(states))}

    def _make_reference(self, k: int, value: float) -> dict[str, Any]:
        """Describe the slider of one coordinate of the reference point, from the best run to beyond the worst."""
        objectives = self.runs.objectives
        values = self.runs.frame[objectives.names[k]].to_numpy(dtype=float)
        low, high = values.min(), values.max()
        room = (high - low) or abs(high) or 1.0
        if objectives.signs[k] > 0:
            high = max(high, value) + room
        else:
            low -= room
        if objectives.names[k] in self.runs.log:
            low = max(low, values.min() / 10)
        label = objectives.titles[k]
        return control("slider", "reference", label, f"Reference point in {label}", place=k, digits=6,
                       min=float(min(low, value)), max=float(max(high, value)), step=float(room / 200))  # fmt: skip

    def _fronts(self) -> dict[str, Any]:
        objectives, columns = self.test.objectives, [self.at["x"], self.at["y"]]
        names = [objectives.names[k] for k in columns]
        directions = [objectives.direction(name) for name in names]
        limits = [self.test.reference[name] for name in names]
        own = several(self.test.runs, objectives).to_numpy(dtype=float)
        layers = []
        for side, color, shape, dash in _SIDES:
            mine = own[self.test.inputs.is_new == (side == "new")]
            points = mine[:, columns]
            if len(objectives) == 2:
                inside = points[((points - limits) * objectives.signs[columns] < 0).all(axis=1)]
                if len(inside):
                    layers.append(outline(inside, directions, limits, color=color, dash=dash, width=1.8))
            best = nondominated(mine * objectives.signs)
            for chosen, looks in ((~best, {"hollow": True}), (best, {"label": f"{side} (front filled)"})):
                labels = [f"{side}, run {i + 1}" for i in np.flatnonzero(chosen)]
                layers.append(marks(points[chosen], shape=shape, color=color, size=4.5, names=labels, **looks))
        layers.append(marks(np.array([limits]), shape="star", size=6, color="ink", names=["reference point"],
                            label="reference point"))  # fmt: skip
        sides = [axis(f"{text.spoken(name)}{' (log)' if name in self.runs.log else ''}", np.append(own[:, k], limit),
                      log=name in self.runs.log and limit > 0, better=direction)
                 for name, k, limit, direction in zip(names, columns, limits, directions, strict=True)]  # fmt: skip
        return {"x": sides[0], "y": sides[1], "height": 360, "layers": layers, "title": "Runs and fronts"}

    def _null(self) -> dict[str, Any]:
        test = self.test
        null = test.null_distribution
        extreme = mark_extreme(test.statistic, null, alternative=test.tail,
                               tolerance=tie_tolerance(test.hypervolume_new, test.hypervolume_baseline))  # fmt: skip
        widest = max(float(np.abs(null).max()), abs(test.statistic)) or 1.0
        edges = np.linspace(-1.05 * widest, 1.05 * widest, _BINS + 1)
        less, more = (np.histogram(null[mask], bins=edges)[0] for mask in (~extreme, extreme))
        bars = {"kind": "bars", "from": edges[:-1].tolist(), "to": edges[1:].tolist()}
        layers = [
            {**bars, "y": less.tolist(), "color": "grey", "label": "less extreme"},
            {**bars, "y": (less + more).tolist(), "base": less.tolist(), "color": PALETTE[1],
             "label": f"at least as extreme: counted{' twice' * (test.tail == 'smaller tail')} in p"},
            {"kind": "rule", "axis": "x", "at": test.statistic, "color": "ink", "width": 2,
             "label": f"observed difference {text.number(test.statistic, 3)}"},
        ]  # fmt: skip
        return {"x": axis("hypervolume difference under permutation", edges),
                "y": axis(f"permutations ({test.n_resamples:,})", np.array([0.0, float((less + more).max())])),
                "height": 360, "layers": layers, "title": "Null distribution"}  # fmt: skip

    def _card(self) -> dict[str, Any]:
        point = point_text(self.test.reference)
        return {
            "heading": f"{self.test.n_new} new and {self.test.n_baseline} baseline runs; reference point ({point})",
            "title": f"{text.pvalue(self.test.pvalue)}{' (exact)' if self.test.exact else ''}",
            "lines": self._lines(),
            "tone": "chosen",
        }

    def _lines(self) -> list[str]:
        """The verdict, the comparison of single runs and of fronts, and the caveats."""
        return explained(self.test.parts())

    def _draw(self, figure: Figure) -> None:
        """Draw the null distribution with the observed difference."""
        figure.set_size_inches(8.5, 4)
        self.test.plot(ax=figure.subplots())

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        shown = self.test.table.T.astype(object).set_axis(["value"], axis="columns")
        headline = text.pvalue(self.test.pvalue)
        return headline, self._lines(), [("Null distribution of the test.", shown)]
