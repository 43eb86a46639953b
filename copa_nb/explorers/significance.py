"""What a hypervolume test's p-value depends on: ``df.moo.explore_test()``."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.explorers import controls
from copa_nb.explorers.explorer import Explorer
from copa_nb.explorers.view import axis, line, marks
from copa_nb.objectives import ObjectivesLike, snapshot
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.plots import staircase
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.plotting.style import PALETTE
from copa_nb.significance.arrays.permutation import ALTERNATIVES, mark_extreme, tie_tolerance
from copa_nb.significance.hv_test import HypervolumeTest, hv_test
from copa_nb.significance.runs import Runs, gather_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIDES: tuple[tuple[str, str, str, list[int]], ...] = (
    ("new", PALETTE[1], "circle", []),
    ("baseline", PALETTE[0], "square", [6, 4]),
)
_BINS = 40
_FEWEST_RUNS = 2


def explore_test(
    frame: pd.DataFrame,
    *,
    system: Any,
    new: Any,
    baseline: Any,
    seed: Any = None,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    n_resamples: int = 2000,
    alternative: str = "two-sided",
    paired: bool = False,
    level: str = "seeds",
    scale: Mapping[Any, str] | None = None,
    method: str = "auto",
    alpha: float = 0.05,
    nan_policy: str = "raise",
    rng: int = 0,
) -> HypervolumeTestExplorer:
    """Slide the reference point and the number of runs, and see what becomes of the p-value.

    Parameters
    ----------
    frame, system, new, baseline, seed, objectives, margin, n_resamples, paired, level, scale, method, alpha, nan_policy
        See :func:`copa_nb.hv_test`.
    reference, alternative
        See :func:`copa_nb.hv_test`; where their controls stand at first.
    rng : int
        Seed of the relabellings drawn.

    Returns
    -------
    HypervolumeTestExplorer
        ``test`` is the outcome for the controls as they stand.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> with runs.moo(accuracy="max", cost="min").explore_test(
    ...     system="agent", seed="run", new="A", baseline="B"
    ... ) as explorer:
    ...     explorer.set_runs(3)
    ...     round(explorer.test.pvalue, 2)
    0.1
    """
    options = {"system": system, "new": new, "baseline": baseline, "seed": seed, "n_resamples": n_resamples,
               "paired": paired, "level": level, "scale": dict(scale) if scale else None, "method": method,
               "alpha": alpha, "nan_policy": nan_policy,
               "rng": checks.integer("rng", rng, least=0)}  # fmt: skip
    runs = gather_runs(frame, system=system, seed=seed, objectives=objectives, scale=scale, reference=reference,
                       nan_policy=nan_policy)  # fmt: skip
    if len(runs.objectives) < 2:
        raise ValueError("`explore_test` draws fronts; define at least two objectives.")
    point = runs.in_own_units(runs.reference_costs(reference, margin))
    both = [*runs.find(new, "new"), *runs.find(baseline, "baseline")]
    checks.one_of("alternative", alternative, ALTERNATIVES)
    start = HypervolumeTestState(
        tuple(point[name] for name in runs.objectives), int(max(runs.counts(both))), alternative
    )
    return HypervolumeTestExplorer(snapshot(frame), runs, options, start)


@dataclass(frozen=True)
class HypervolumeTestState:
    """Reference point, runs per system, alternative, and the two objectives looked at."""

    reference: tuple[float, ...]
    runs: int
    alternative: str = "two-sided"
    x: int = 0
    y: int = 1


def first_runs(frame: pd.DataFrame, system: Any, seed: Any, count: int) -> pd.DataFrame:
    """Keep the first runs of every system, in order of their seeds or else of the table."""
    names = list(system) if isinstance(system, list) else [system]
    seeds = [] if seed is None else (list(seed) if isinstance(seed, list) else [seed])
    order = np.arange(len(frame))
    if seeds:
        order = frame[seeds].reset_index(drop=True).sort_values(seeds, kind="stable").index.to_numpy()
    ordered = frame.iloc[order]
    within = ordered.groupby(names, sort=False, dropna=False, observed=True).cumcount().to_numpy() < count
    # Rows are matched by position: labels may be repeated.
    kept = np.zeros(len(frame), dtype=bool)
    kept[order[within]] = True
    return frame[kept]


class HypervolumeTestExplorer(Explorer):
    """Reference point and runs against the p-value; see :func:`explore_test`.

    Parameters
    ----------
    frame : DataFrame
        All runs.
    runs : Runs
        The same as costs.
    options : dict
        Options of ``hv_test`` that have no control.
    state : HypervolumeTestState
        Where the controls stand.
    """

    title = "Hypervolume test"

    def __init__(self, frame: pd.DataFrame, runs: Runs, options: dict[str, Any], state: HypervolumeTestState) -> None:
        self.frame, self.runs, self.options = frame, runs, options
        self._most = state.runs
        self.test = self._measure(state)
        super().__init__(state)

    def set_runs(self, count: int) -> None:
        """Use only the first runs of every system, as the slider does."""
        runs = min(checks.integer("count", count, least=_FEWEST_RUNS), self._most)
        self.update(lambda state: replace(state, runs=runs))

    def set_reference(self, objective: Hashable, value: float) -> None:
        """Move the reference point in one objective, in its own units, as its slider does."""
        self.update(lambda state: _move(state, self.runs.objectives.position(objective), float(value)))

    @property
    def code(self) -> str:
        """The call that makes the same test."""
        given = {**self.options, "objectives": self.runs.objectives.to_dict(), "reference": self._reference(self.state),
                 "alternative": self.state.alternative}  # fmt: skip
        lines = "".join(f"    {name}={value!r},\n" for name, value in given.items() if value is not None)
        table = "df" if self.state.runs == self._most else (
            f"copa_nb.explorers.significance.first_runs(df, {self.options['system']!r}, {self.options['seed']!r}, "
            f"{self.state.runs})"
        )  # fmt: skip
        return f"copa_nb.hv_test(\n    {table},\n{lines})"

    def _reference(self, state: HypervolumeTestState) -> dict[Hashable, float]:
        return dict(zip(self.runs.objectives, state.reference, strict=True))

    def _measure(self, state: HypervolumeTestState) -> HypervolumeTest:
        rows = first_runs(self.frame, self.options["system"], self.options["seed"], state.runs)
        return hv_test(rows, objectives=self.runs.objectives, reference=self._reference(state),
                       alternative=state.alternative, **self.options)  # fmt: skip

    def _make_controls(self) -> list[Any]:
        self._points = []
        own = self.runs.frame[self.runs.objectives.names].to_numpy(dtype=float)
        for k, label in enumerate(self.runs.objectives.labels):
            low, high = own[:, k].min(), own[:, k].max()
            room = (high - low) or abs(high) or 1.0
            low, high = (low, high + room) if self.runs.objectives.signs[k] > 0 else (low - room, high)
            if self.runs.objectives.names[k] in self.runs.scale:
                low = max(low, own[:, k].min() / 10)
            value = self.state.reference[k]
            low, high = min(low, value), max(high, value + (room if self.runs.objectives.signs[k] > 0 else 0.0))
            slider = controls.slider(label, f"Reference point in {label}", value=value, low=float(low),
                                     high=float(high), step=float(room / 200),
                                     readout_format=".4g")  # fmt: skip
            self.observe(slider, self._slide, k)
            self._points.append(slider)
        labels = list(zip(self.runs.objectives.labels, range(len(self._points)), strict=True))
        self._runs = controls.whole_numbers("runs", "Runs per system: the first so many", value=self._most,
                                            low=min(_FEWEST_RUNS, self._most), high=self._most)  # fmt: skip
        self._alternative = controls.choice("alternative", "Alternative hypothesis",
                                            [(name, name) for name in ALTERNATIVES], "two-sided")  # fmt: skip
        self._x = controls.choice("horizontal", "Objective on the horizontal axis", labels, 0)
        self._y = controls.choice("vertical", "Objective on the vertical axis", labels, 1)
        for control, name in ((self._runs, "runs"), (self._alternative, "alternative"), (self._x, "x"), (self._y, "y")):
            self.observe(control, _put, name)
        return [
            controls.group(controls.heading("Reference point"), *self._points),
            controls.group(controls.heading("Test"), self._runs, self._alternative),
            controls.group(controls.heading("Picture"), self._x, self._y),
        ]

    def _slide(self, state: HypervolumeTestState, k: int, value: float) -> HypervolumeTestState:
        # The slider snaps to its steps; what it reports for the point it was given is no move.
        return state if abs(value - state.reference[k]) <= self._points[k].step / 2 else _move(state, k, value)

    def _follow(self) -> None:
        for slider, value in zip(self._points, self.state.reference, strict=True):
            if abs(slider.value - value) > slider.step / 2:
                slider.value = value
        self._runs.value, self._alternative.value = self.state.runs, self.state.alternative
        self._x.value, self._y.value = self.state.x, self.state.y

    def _show(self) -> None:
        message = ""
        try:
            self.test = self._measure(self.state)
        except ValueError as error:
            message = f"{error} The picture still shows the test before."
        if self.view is None:
            return
        self.view.show(title=self.title, message=message, charts=[self._fronts(), self._null()], cards=[self._card()],
                       code="" if message else self.code)  # fmt: skip

    def _fronts(self) -> dict[str, Any]:
        objectives, columns = self.test.objectives, [self.state.x, self.state.y]
        names = [objectives.names[k] for k in columns]
        directions = [objectives.direction(name) for name in names]
        limits = [self.test.reference[name] for name in names]
        own = self.test.runs[objectives.names].to_numpy(dtype=float)
        layers = []
        for side, color, shape, dash in _SIDES:
            mine = own[self.test.is_new == (side == "new")]
            if len(objectives) == 2:
                inside = mine[((mine - limits) * objectives.signs < 0).all(axis=1)]
                if len(inside):
                    x, y = staircase(inside, directions, limits=limits)
                    layers.append(line(x.tolist(), y.tolist(), color=color, dash=dash, width=1.8))
            best = nondominated(mine * objectives.signs)
            for chosen, looks in ((~best, {"hollow": True}), (best, {"label": f"{side} (front filled)"})):
                labels = [f"{side}, run {i + 1}" for i in np.flatnonzero(chosen)]
                layers.append(marks(mine[chosen][:, columns[0]].tolist(), mine[chosen][:, columns[1]].tolist(),
                                    shape=shape, color=color, size=4.5, names=labels, **looks))  # fmt: skip
        layers.append(marks([limits[0]], [limits[1]], shape="star", size=6, color="ink", names=["reference point"],
                            label="reference point"))  # fmt: skip
        sides = [axis(f"{name}{' (log)' if name in self.runs.scale else ''}", np.append(own[:, k], limit),
                      log=name in self.runs.scale and limit > 0, better=direction)
                 for name, k, limit, direction in zip(names, columns, limits, directions, strict=True)]  # fmt: skip
        return {"x": sides[0], "y": sides[1], "height": 360, "layers": layers, "title": "Runs and fronts"}

    def _null(self) -> dict[str, Any]:
        test = self.test
        null = test.null_distribution
        extreme = mark_extreme(test.statistic, null, alternative=test.options.alternative,
                               tolerance=tie_tolerance(test.hypervolume_new, test.hypervolume_baseline))  # fmt: skip
        widest = max(float(np.abs(null).max()), abs(test.statistic)) or 1.0
        edges = np.linspace(-1.05 * widest, 1.05 * widest, _BINS + 1)
        less, more = (np.histogram(null[mask], bins=edges)[0] for mask in (~extreme, extreme))
        bars = {"kind": "bars", "from": edges[:-1].tolist(), "to": edges[1:].tolist()}
        layers = [
            {**bars, "y": less.tolist(), "color": "grey", "label": "less extreme"},
            {**bars, "y": (less + more).tolist(), "base": less.tolist(), "color": PALETTE[1],
             "label": "at least as extreme: they count for p"},
            {"kind": "rule", "axis": "x", "at": test.statistic, "color": "ink", "width": 2,
             "label": f"observed difference {text.number(test.statistic, 3)}"},
        ]  # fmt: skip
        return {"x": axis("hypervolume difference under relabelling", edges),
                "y": axis(f"relabellings ({test.n_resamples:,})", np.array([0.0, float((less + more).max())])),
                "height": 360, "layers": layers, "title": "Null distribution"}  # fmt: skip

    def _card(self) -> dict[str, Any]:
        point = ", ".join(f"{name} = {text.number(value)}" for name, value in self.test.reference.items())
        return {
            "heading": f"{self.test.n_new} runs against {self.test.n_baseline}; reference point ({point})",
            "title": f"p = {text.number(self.test.pvalue, 3)}{' (exact)' if self.test.exact else ''}",
            "lines": [self.test.verdict, *self.test.caveats],
            "tone": "chosen",
        }

    def to_figure(self) -> Figure:
        """Draw the null distribution with the observed difference."""
        from matplotlib.figure import Figure

        from copa_nb.plotting.style import report_style

        with report_style():
            figure = Figure(figsize=(8.5, 4), layout="constrained")
            self.test.plot(ax=figure.subplots())
        return figure

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        shown = self.test.table.T.astype(object).set_axis(["value"], axis="columns")
        headline = f"p = {text.number(self.test.pvalue, 3)}"
        return headline, [self.test.verdict, *self.test.caveats], [("The test.", shown)]


def _put(state: HypervolumeTestState, name: str, value: Any) -> HypervolumeTestState:
    return replace(state, **{name: value})


def _move(state: HypervolumeTestState, k: int, value: float) -> HypervolumeTestState:
    point = list(state.reference)
    point[k] = float(f"{value:.6g}")
    return replace(state, reference=tuple(point))
