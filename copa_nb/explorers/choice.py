"""Choosing a model by moving sliders: ``df.moo.explore()``."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.explorers import choice_state as choosing
from copa_nb.explorers import controls
from copa_nb.explorers.choice_state import Choice, ChoiceData, ChoiceState
from copa_nb.explorers.explorer import Explorer
from copa_nb.explorers.view import axis, line, marks
from copa_nb.objectives import ObjectivesLike
from copa_nb.plotting.style import PALETTE
from copa_nb.selection.weights import WeightsLike, write_p

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from copa_nb.selection.copa import Selection

_HOW_NAMES = {"cdf": "ranks (COPA)", "minmax": "min-max", "relative": "relative to the best", "none": "none"}
_SCALE_NAMES = {"values": "own units", "log": "own units, log if skewed", "cdf": "ranks (CDF)"}
# Decimals of the weights' sliders; the state holds more of them, so that three thirds sum to 1.
_SHOWN = 2
_FRONT, _CHOSEN, _BESIDE, _PINNED = PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[3]
_CLOUD_LEGEND = [
    {"label": "models", "color": "grey", "shape": "circle"},
    {"label": "Pareto front", "color": "front", "shape": "circle"},
]


def explore(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    normalize: str = "cdf",
    x: Hashable | None = None,
    y: Hashable | None = None,
    nan_policy: str = "raise",
) -> ChoiceExplorer:
    """Choose a model by moving sliders: weights, p, normalisation, limits; see at once what is chosen and why.

    Parameters
    ----------
    frame : DataFrame
        One row per model, one column per metric.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    p : float or "inf"
        Where the slider of the norm's order stands at first.
    weights : mapping of objective to share, or sequence, optional
        Where the sliders of the weights stand at first.
    normalize : {"cdf", "minmax", "relative", "none"}
        Normalisation at first.
    x, y : label, optional
        Objectives on the axes at first: the last against the first if omitted.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.

    Returns
    -------
    ChoiceExplorer
        ``selection`` (what ``copa`` returns for the controls as they stand), ``code``, ``to_figure()``,
        ``to_html()``, ``close()``.

    Raises
    ------
    ValueError
        For fewer than two objectives, and whatever ``copa`` refuses.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> with models.moo.explore() as explorer:
    ...     explorer.set_weight("co2_kg", 0.9)
    ...     explorer.best
    'tiny'
    """
    data = ChoiceData.of(frame, objectives, nan_policy)
    state = choosing.initial_state(data, p=p, weights=weights, normalize=normalize, x=x, y=y)
    choosing.choose(data, state)
    return ChoiceExplorer(data, state)


def _slide(state: ChoiceState, objective: int, value: float) -> ChoiceState:
    """Move a weight, unless the slider only reports the weight it stands for, rounded to its own step."""
    same = round(value, _SHOWN) == round(state.weights[objective], _SHOWN)
    return state if same else choosing.set_weight(state, objective, value)


def _put(state: ChoiceState, name: str, value: Any) -> ChoiceState:
    return replace(state, **{name: value})


class ChoiceExplorer(Explorer):
    """The explorer of a choice; see :func:`explore`.

    Parameters
    ----------
    data : ChoiceData
        The table as arrays.
    state : ChoiceState
        Where the controls stand.
    """

    title = "Choice of a model"

    def __init__(self, data: ChoiceData, state: ChoiceState) -> None:
        self.data = data
        self.choice: Choice = choosing.choose(data, state)
        self._drawn: tuple[Any, ...] = ()
        super().__init__(state)

    @property
    def best(self) -> Hashable:
        """The chosen row."""
        return self.choice.best

    @property
    def code(self) -> str:
        """The call that makes the same choice."""
        return choosing.reproducing_code(self.data, self.state)

    @property
    def selection(self) -> Selection:
        """The same choice, made by ``copa``."""
        return choosing.select(self.data, self.state)

    def set_weight(self, objective: Hashable, value: float) -> None:
        """Move the weight of one objective, as its slider does."""
        moved = self.data.matrix.objectives.position(objective, "objective")
        self.update(lambda state: choosing.set_weight(state, moved, value))

    def pin(self, label: Hashable) -> None:
        """Keep a row for comparison, or let it go, as a click on it does."""
        found = np.flatnonzero([known == label for known in self.data.matrix.index])
        if len(found) == 0:
            raise ValueError(f"`label` is {label!r}, which is not a row of the table.")
        self._picked(int(found[0]))

    # ------------------------------------------------------------------------------------------- controls

    def _make_controls(self) -> list[Any]:
        self.view.on_pick(self._picked)
        self._weights, self._locks, rows = [], [], []
        for k, label in enumerate(self.data.matrix.objectives.labels):
            weight = controls.slider(label, f"Weight of {label}", value=self.state.weights[k], low=0.0, high=1.0,
                                     step=0.01, readout_format=".2f")  # fmt: skip
            lock = controls.lock(label)
            self.observe(weight, _slide, k)
            self.observe(lock, choosing.set_lock, k)
            self._weights.append(weight)
            self._locks.append(lock)
            rows.append(controls.row(weight, lock))
        weights = controls.group(controls.heading("Weights, which sum to 1; lock one to keep it"), *rows)
        return [weights, self._make_limits(), self._make_criterion()]

    def _make_limits(self) -> Any:
        self._limits = []
        for k, label in enumerate(self.data.matrix.objectives.labels):
            both = controls.limits(label, f"Allowed range of {label}", self.data.raw[:, k])
            self.observe(both, self._limit, k)
            self._limits.append(both)
        group = controls.group(controls.heading("Allowed range; ranks stay over all models"), *self._limits)
        group.add_class("copa-limits")
        return group

    def _make_criterion(self) -> Any:
        labels = list(zip(self.data.matrix.objectives.labels, range(len(self._weights)), strict=True))
        orders = sorted({*choosing.ORDERS, self.state.p})
        self._p = controls.steps(
            "p", "Order of the norm, 1 to infinity", [(write_p(o), o) for o in orders], self.state.p
        )
        hows = [(name, how) for how, name in _HOW_NAMES.items()]
        scales = [(name, scale) for scale, name in _SCALE_NAMES.items()]
        self._how = controls.choice("normalisation", "How objectives are made comparable", hows, self.state.normalize)
        self._x = controls.choice("horizontal", "Objective on the horizontal axis", labels, self.state.x)
        self._y = controls.choice("vertical", "Objective on the vertical axis", labels, self.state.y)
        self._scale = controls.choice("axes show", "What the axes show", scales, self.state.scale)
        for control, name in ((self._p, "p"), (self._how, "normalize"), (self._x, "x"), (self._y, "y"),
                              (self._scale, "scale")):  # fmt: skip
            self.observe(control, _put, name)
        return controls.group(
            controls.heading("Criterion"),
            self._p,
            self._how,
            controls.heading("Picture"),
            self._x,
            self._y,
            self._scale,
        )

    def _limit(self, state: ChoiceState, k: int, value: tuple[float, float]) -> ChoiceState:
        return choosing.set_range(state, k, self._as_range(k, value))

    def _as_range(self, k: int, value: tuple[float, float]) -> choosing.Range:
        slider = self._limits[k]
        reach = slider.step / 2
        low, high = (float(f"{end:.6g}") for end in value)
        return (low if value[0] > slider.min + reach else None, high if value[1] < slider.max - reach else None)

    def _follow(self) -> None:
        for control, lock, value, locked in zip(self._weights, self._locks, self.state.weights, self.state.locked,
                                                strict=True):  # fmt: skip
            control.value = round(value, _SHOWN)
            control.disabled = locked
            lock.value = locked
            lock.icon = "lock" if locked else "unlock"
        for k, (control, (low, high)) in enumerate(zip(self._limits, self.state.ranges, strict=True)):
            # The slider snaps to its own steps; only what means something else is put back.
            if self._as_range(k, control.value) != (low, high):
                control.value = (control.min if low is None else low, control.max if high is None else high)
        self._p.value, self._how.value = self.state.p, self.state.normalize
        self._x.value, self._y.value, self._scale.value = self.state.x, self.state.y, self.state.scale

    def _picked(self, number: int) -> None:
        if 0 <= number < len(self.data.raw):
            self.update(lambda state: choosing.toggle_pin(state, number))

    # ----------------------------------------------------------------------------------------------- view

    def _show(self) -> None:
        try:
            self.choice = choosing.choose(self.data, self.state)
            message = ""
        except ValueError as error:
            # The last choice stays in sight, with the reason why there is no new one.
            message = f"{error} The picture still shows the choice before."
        if self.view is None:
            return
        with self.view.hold_sync():
            self._send_cloud()
            self.view.show(
                title=self.title,
                message=message,
                charts=[self._chart()],
                cards=[self._card()],
                tables=self._tables(),
                code="" if message else self.code,
            )

    def _points(self) -> np.ndarray:
        """Coordinates of all rows on the axes chosen, shape (n, 2)."""
        columns = [self.state.x, self.state.y]
        return (self.data.ranks if self.state.scale == "cdf" else self.data.raw)[:, columns]

    def _send_cloud(self) -> None:
        axes = (self.state.x, self.state.y, self.state.scale)
        if self._drawn[:1] != (axes,):
            self.view.xy = self._points().astype(np.float32).tobytes()
        if not self.view.names:
            self.view.names = [text.label(label) for label in self.data.matrix.index]
        if self._drawn[1:] != (self.state.ranges,):
            flags = self.data.front.astype(np.uint8) + 2 * self.choice.candidates.astype(np.uint8)
            self.view.flags = flags.tobytes()
        self._drawn = (axes, self.state.ranges)

    def _chart(self) -> dict[str, Any]:
        points, state = self._points(), self.state
        directions = self.data.matrix.objectives.directions
        path = list(dict.fromkeys(part.row for part in self.choice.path))
        beside = [part.row for part in choosing.neighbours(self.choice, state.weights[state.moved]) if part]
        names = self.data.matrix.index
        moved = self.data.matrix.objectives.names[state.moved]

        def at(rows: list[int], **looks: Any) -> dict[str, Any]:
            return marks(points[rows, 0].tolist(), points[rows, 1].tolist(), ids=rows,
                         names=[text.label(names[row]) for row in rows], **looks)  # fmt: skip

        layers = [
            line(points[path, 0].tolist(), points[path, 1].tolist(), color=_CHOSEN, width=1.3, alpha=0.75,
                 dash=[5, 3], label=f"path as {moved} counts for more"),
            at(path, shape="circle", size=3.2, color=_CHOSEN),
            at(beside, shape="diamond", size=5.2, color=_BESIDE, label="chosen next to this weight"),
            at(list(state.pinned), shape="square", size=7, color=_PINNED, hollow=True, label="pinned"),
            at([self.choice.position], shape="star", size=8.5, color=_CHOSEN, label="chosen"),
        ]  # fmt: skip
        sides = []
        for k, column in ((state.x, 0), (state.y, 1)):
            name, direction = directions[k]
            if state.scale == "cdf":
                sides.append({**axis(f"share better in {name}", np.array([0.0, 1.0])), "better": "low"})
            else:
                log = state.scale == "log" and choosing.is_skewed(points[:, column])
                sides.append(axis(str(name), points[:, column], log=log, better=direction))
        return {
            "x": sides[0], "y": sides[1], "height": 420, "layers": layers, "cloud": {"legend": _CLOUD_LEGEND},
            "description": f"{directions[state.y][0]} against {directions[state.x][0]}; chosen is "
            f"{text.label(self.choice.best)}. Arrow keys walk along the front, Enter pins a model.",
        }  # fmt: skip

    def _card(self) -> dict[str, Any]:
        candidates = int(self.choice.candidates.sum())
        return {
            "heading": f"Chosen from {candidates:,} candidates, p = {write_p(self.choice.p)}",
            "title": text.label(self.choice.best),
            "lines": choosing.sentences(self.data, self.state, self.choice),
            "tone": "chosen",
        }

    def _tables(self) -> list[dict[str, Any]]:
        columns = ["rank", "model", "score", *self.data.matrix.objectives.labels]
        numeric = [True, False, True] + [True] * len(self._weight_names())
        most = 8
        ranking = {
            "caption": "Ranking",
            "columns": columns,
            "numeric": numeric,
            "rows": choosing.table_rows(self.data, self.choice, most),
            "ids": [int(row) for row in self.choice.order[:most]],
            "marked": [0],
            "pinned": list(self.state.pinned),
        }
        if not self.state.pinned:
            return [ranking]
        return [
            ranking,
            {**self._pinned_rows(), "caption": "Pinned for comparison", "columns": columns, "numeric": numeric},
        ]

    def _pinned_rows(self) -> dict[str, Any]:
        places = {int(row): i for i, row in enumerate(self.choice.order)}
        rows = []
        for row in self.state.pinned:
            place = places.get(row)
            known = (str(int(self.choice.ranks[place])), text.number(float(self.choice.scores[place]), 3)) if (
                place is not None
            ) else ("outside", "–")  # fmt: skip
            values = [text.number(float(value), 4) for value in self.data.raw[row]]
            rows.append([known[0], text.label(self.data.matrix.index[row]), known[1], *values])
        return {"rows": rows, "ids": list(self.state.pinned), "pinned": list(self.state.pinned)}

    def _weight_names(self) -> list[Hashable]:
        return self.data.matrix.objectives.names

    # ---------------------------------------------------------------------------------------- static twin

    def to_figure(self) -> Figure:
        """Draw the front with the path of the moved weight, and the standing of the chosen row beside it."""
        from matplotlib.figure import Figure

        from copa_nb import plots
        from copa_nb.plotting.style import report_style

        names = self.data.matrix.objectives.names
        selection = self.selection
        with report_style():
            figure = Figure(figsize=(11, 5), layout="constrained")
            left, right = figure.subplots(1, 2, width_ratios=[1.35, 1])
            log = [name for name, values in zip(names, self.data.raw.T, strict=True)
                   if self.state.scale == "log" and choosing.is_skewed(values)]  # fmt: skip
            plots.plot_front(
                selection, x=names[self.state.x], y=names[self.state.y], labels=1, ax=left, log=log,
                scale="cdf" if self.state.scale == "cdf" else "raw",
            )  # fmt: skip
            points = self._points()[list(dict.fromkeys(part.row for part in self.choice.path))]
            left.plot(*points.T, ".--", color=_CHOSEN, lw=1, ms=5, alpha=0.75, zorder=3.5,
                      label=f"path as {names[self.state.moved]} counts for more")  # fmt: skip
            left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
            plots.plot_selection(selection, ax=right)
        return figure

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        texts = choosing.sentences(self.data, self.state, self.choice)
        columns = ["rank", "model", "score", *self.data.matrix.objectives.labels]
        rows = choosing.table_rows(self.data, self.choice, 8)
        table = pd.DataFrame([cells[1:] for cells in rows], columns=columns[1:], index=pd.Index([c[0] for c in rows]))
        table.index.name = "rank"
        caption = f"The first of {len(self.choice.order):,} candidates, p = {write_p(self.choice.p)}."
        return f"Chosen: {text.label(self.choice.best)}", texts, [(caption, table)]
