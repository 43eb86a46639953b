"""Measurements of speed and memory that ``make bench`` writes: their tables, results and figures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb.plotting.axes import panels, plain_log, shared_legend
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import INK, MARKERS, PALETTE, is_narrow
from copa_nb.results.answer import Answer
from copa_nb.text import listing, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEADERS = {
    "milliseconds": "ms",
    "peer_milliseconds": "peer ms",
    "megabytes": "MB",
    "peer_megabytes": "peer MB",
    "objectives": "K",
    "ratio_of": "ratio of",
    "cpu_ratio": "CPU ratio",
}
_FIRST = ["what", "verdict", "data", "rows", "objectives", "peer", "ratio", "cpu_ratio", "ratio_of", "target"]
# Caption of the table of each area, and columns that it does not need.
_AREAS = {
    "front": (
        "Fronts: ratio = time / peer's time. MB is the peak memory that the call adds.",
        ["ratio_of", "objectives"],
    ),
    "choice": (
        "Paths and choices: ratio = time / time for ranking all values.",
        ["ratio_of", "objectives"],
    ),
    "memory": (
        "Peak memory of a call: ratio = memory / memory of the array of objectives (peer MB).",
        ["ratio_of", "peer", "objectives"],
    ),
    "seeds": ("Permutation tests and audits: ratio = time / peer's time.", ["ratio_of", "objectives", "rows"]),
    "posets": (
        "Exact depths, after compilation, and their forecasts; the column “ratio of” defines the ratio.",
        ["data", "objectives"],
    ),
    "overhead": ("Overheads: ratio = time / time allowed.", []),
    "reports": (
        "Whole commands, on all cores with local data: all reports of the papers, and own tables. A machine that "
        "imports seaborn more slowly than the one the times allowed are meant for has as much more time.",
        [],
    ),
}
_UNFOLDED, _FEWER_ROWS, _MOST_ROWS = 8, 12, 60  # rows of a table that is open, of a long one, of all others
_MOST_BARS = 15  # reports in the figure of their seconds
_FALLS_SHORT = "falls short"
_SMALLEST_SHARE = 0.01  # of a target; smaller ones are drawn there
_BESIDE_PEERS = 0.22  # rows between the markers of one kind of data


@dataclass(frozen=True)
class SpeedTable:
    """What was measured, on which machine.

    Parameters
    ----------
    figures : DataFrame
        One row per measurement: area, what is called, data, peer, times, memory, ratio, target and verdict.
    growth : DataFrame
        Fitted exponents.
    reports : DataFrame
        Seconds of each report, by phase.
    about : dict
        Date, machine, load and versions.
    """

    figures: pd.DataFrame
    growth: pd.DataFrame
    reports: pd.DataFrame
    about: dict[str, Any]

    @property
    def machine(self) -> str:
        """The machine in words."""
        machine = self.about["machine"]
        return f"{machine['processors']} processors, {machine['system']}, Python {machine['python']}"

    @property
    def source(self) -> dict[str, str]:
        """Where the numbers come from, for the record of a report."""
        name = f"measured on {self.about['date']}: {self.machine}"
        return {"name": name, "kind": "own", "origin": "make bench", "sha256": ""}

    @property
    def judged(self) -> pd.DataFrame:
        """The measurements that have a target, and how their ratio compares with it."""
        judged = self.figures[self.figures["verdict"] != ""]
        share = (judged["ratio"] / judged["target"]).clip(lower=_SMALLEST_SHARE)
        return judged.assign(share=share, subject=judged["what"].str.replace(r",.*| of depth| above.*", "", regex=True))

    @property
    def reached(self) -> int:
        """How many targets are reached."""
        return int((self.judged["verdict"] != _FALLS_SHORT).sum())

    @property
    def falling_short(self) -> pd.DataFrame:
        """The measurements that miss their target."""
        short = self.judged[self.judged["verdict"] == _FALLS_SHORT]
        columns = ["what", "data", "rows", "peer", "ratio", "ratio_of", "target"]
        return short[columns].rename(columns=_HEADERS).reset_index(drop=True)

    @property
    def answer(self) -> Answer:
        """How many targets are reached, and how fast a front is."""
        figures = self.figures
        fronts = figures[(figures["area"] == "front") & (figures["peer"] == "moocore")]
        ratios = fronts.loc[fronts["what"].str.startswith("front"), "ratio"]
        headline = f"{self.reached} of {len(self.judged)} targets for speed and memory are met"
        if len(ratios):
            headline += (
                f"; a front takes {number(ratios.min(), 2)} to {number(ratios.max(), 2)} times as long as moocore"
            )
        missed = self.judged.loc[self.judged["verdict"] == _FALLS_SHORT, "subject"].value_counts()
        counted = [f"{name} ({times})" for name, times in missed.items()]
        return Answer(
            headline,
            [f"Measurements that miss their target: {listing(counted)}."] if counted else [],
            question="How much time and memory do the verbs take, compared with other packages?",
            certainty=f"Measured on {self.about['date']} ({self.machine}): the shortest of several times, at a "
            f"load of {self.about['load']:.1f}.",
        )

    def has(self, area: str) -> bool:
        """Whether an area was measured."""
        return bool((self.figures["area"] == area).any())

    def of_area(self, area: str) -> dict[str, Any]:
        """Return the table of one area as keywords of ``report.table``, without the columns that do not apply."""
        caption, leave_out = _AREAS[area]
        part = self.figures.loc[self.figures["area"] == area].drop(columns=["area", *leave_out])
        columns = [name for name in _FIRST if name in part] + [name for name in part if name not in _FIRST]
        filled = part[columns].replace("", np.nan).dropna(axis="columns", how="all")
        table = filled.rename(columns=_HEADERS).reset_index(drop=True)
        most = _FEWER_ROWS if area == "front" else _MOST_ROWS
        return {"frame": table, "name": area, "caption": caption, "most": most, "folded": len(part) > _UNFOLDED}

    @property
    def fronts(self) -> pd.DataFrame:
        """Times of fronts compared with peers, on as many rows as all of them were measured on, or fewer."""
        fronts = self.figures[self.figures["area"] == "front"]
        fronts = fronts.assign(verb=fronts["what"].str.split(",").str[0])
        return fronts[fronts["rows"] <= int(fronts.loc[fronts["peer"] == "moocore", "rows"].min())]

    @property
    def front_ratios(self) -> pd.DataFrame:
        """Ratios of times by peer; the number of rows is in parentheses if it is smaller."""
        fronts = self.fronts
        full = fronts["rows"] == fronts["rows"].max()
        fewer = np.where(full, "", " (" + fronts["rows"].map("{:,}".format) + ")")
        peer = np.where(fronts["verb"] == "layers(1)", "layers(1) / moocore", fronts["peer"])
        shown = fronts.assign(shown=fronts["ratio"].map("{:.3g}".format) + fewer, column=peer)
        options: dict[str, Any] = {"index": ["objectives", "data"], "columns": "column", "values": "shown"}
        table = shown.pivot_table(**options, aggfunc="first", sort=False).fillna("–")
        return table.reset_index().rename(columns=_HEADERS).rename_axis(columns=None)


def read_measurements(path: str) -> SpeedTable:
    """Read what ``make bench`` wrote.

    Parameters
    ----------
    path : str
        The folder, or its ``benchmarks.json``.

    Raises
    ------
    FileNotFoundError
        If there are no measurements.
    """
    file = Path(path)
    file = file / "benchmarks.json" if file.is_dir() else file
    if not file.is_file():
        raise FileNotFoundError(
            f"`results` is {path!r}, where there are no measurements. Run `make bench` in a clone of the repository, "
            "which writes benchmarks/benchmarks.json, and pass the folder: -p results benchmarks."
        )
    measured = json.loads(file.read_text(encoding="utf-8"))
    return SpeedTable(
        figures=pd.DataFrame(measured["figures"]),
        growth=pd.DataFrame(measured["growth"]),
        reports=pd.DataFrame.from_dict(measured["reports"], orient="index"),
        about={name: measured[name] for name in ("date", "machine", "load", "versions")},
    )


def plot_targets(measured: SpeedTable, *, ax: Axes) -> Axes:
    """Draw the ratio of each measurement over its target."""
    judged = measured.judged
    subjects = list(dict.fromkeys(judged["subject"]))
    for verdict, group in judged.groupby("verdict", sort=False):
        looks = int(verdict == _FALLS_SHORT)
        ax.scatter(
            group["share"], group["subject"].map(subjects.index), label=f"{verdict} ({len(group)})",
            color=PALETTE[looks], marker=MARKERS[looks], zorder=3, alpha=0.8,
        )  # fmt: skip
    ax.axvline(1.0, color=INK, linewidth=1)
    ax.set_xscale("log")
    ax.set_xlim(0.8 * _SMALLEST_SHARE, max(3, judged["share"].max() * 1.3))
    plain_log(ax, "x")
    ax.set_yticks(range(len(subjects)), subjects)
    ax.set_ylim(len(subjects) - 0.5, -0.5)
    ax.set(xlabel="ratio / its target (← better)", ylabel="call")
    shared_legend(ax)
    return ax


@describes(plot_targets)
def _targets_in_words(measured: SpeedTable) -> Picture:
    judged = measured.judged
    rows = judged["subject"].nunique()
    return Picture(
        finding=f"{measured.reached} of {len(judged)} targets are met",
        caption=f"Ratio of {len(judged)} measurements divided by its target, which the line marks. Values below "
        f"{_SMALLEST_SHARE} are drawn at {_SMALLEST_SHARE}.",
        alt=f"One row for each of {rows} calls; marks left of the vertical line meet their target, others miss it.",
        data=judged.drop(columns="subject"),
        height=min(4.05, 0.26 * rows + 1.1),
        narrow_height=0.28 * rows + 1.3,
    )


def plot_fronts(measured: SpeedTable) -> Figure:
    """Draw the time of a front over that of each peer, a panel each."""
    fronts = measured.fronts
    peers, kinds = (list(dict.fromkeys(fronts[name])) for name in ("peer", "data"))
    figure, axes = panels(len(peers), columns=3, height=2.0 if len(peers) > 3 else 3, narrow_height=2.6)
    axes = list(np.ravel(axes))
    for place, (ax, peer) in enumerate(zip(axes, peers, strict=True)):
        part = fronts[(fronts["peer"] == peer) & (fronts["verb"] == "front")]
        for position, (count, group) in enumerate(part.groupby("objectives")):
            rows = group["data"].map(kinds.index) + _BESIDE_PEERS * (position - 1)
            looks: dict[str, Any] = {"color": PALETTE[position], "marker": MARKERS[position], "s": 22, "zorder": 3}
            ax.scatter(group["ratio"], rows, label=None if place else f"K = {count}", **looks)
        _label_ratios(ax, part["ratio"])
        ax.set_title(peer)
        ax.set_yticks(range(len(kinds)), kinds)
        ax.set_ylim(len(kinds) - 0.5, -0.5)
        if place % 3 and not is_narrow(figure):
            ax.tick_params(axis="y", labelleft=False)
    figure.supxlabel("time of front / time of the peer (log scale; ← faster)", fontsize="medium")
    shared_legend(axes, loc="outside upper center")
    return figure


def _label_ratios(ax: Axes, ratios: pd.Series) -> None:
    """Draw the line of equal times, and ticks at powers of ten."""
    ax.axvline(1.0, color=INK, linewidth=1)
    ax.set_xscale("log")
    low, high = np.floor(np.log10(ratios.min())), max(0.5, np.log10(ratios.max()) + 0.2)
    ax.set_xlim(10**low, 10**high)
    ticks = np.arange(low, high + 0.01, 1 if high - low < 3.5 else 2)
    ax.set_xticks(10.0**ticks, [f"{10.0**tick:g}" for tick in ticks])
    ax.minorticks_off()


@describes(plot_fronts)
def _fronts_in_words(measured: SpeedTable) -> Picture:
    fronts = measured.fronts
    faster = float((fronts.loc[fronts["verb"] == "front", "ratio"] < 1).mean())
    return Picture(
        finding=f"The front takes less time than the peer in {percent(faster)} of the comparisons",
        caption="Time of df.moo.front() divided by the time of each peer on a numpy array, by kind of data and number "
        "of objectives K. The line marks equal times.",
        alt="One panel per peer: ratios of time by kind of data, one marker per number of objectives, with a line at "
        "equal time.",
        data=fronts,
    )


def plot_report_seconds(measured: SpeedTable, *, ax: Axes) -> Axes:
    """Draw what the seconds of each report are spent on; of many reports, those that take longest."""
    spent = _longest(measured.reports).iloc[::-1]
    left = np.zeros(len(spent))
    for place, phase in enumerate(spent.columns):
        looks: dict[str, Any] = {"color": PALETTE[place], "edgecolor": "white", "linewidth": 0.6}
        ax.barh(range(len(spent)), spent[phase], left=left, label=phase, **looks)
        left += spent[phase].to_numpy()
    ax.set_yticks(range(len(spent)), spent.index)
    ax.set_ylim(-0.6, len(spent) - 0.4)
    ax.grid(axis="y", visible=False)
    ax.set(xlabel="seconds", ylabel="report")
    shared_legend(ax, columns=3)
    return ax


def _longest(reports: pd.DataFrame) -> pd.DataFrame:
    """The reports that take longest, as many as a figure has room for."""
    return reports.loc[reports.sum(axis=1).nlargest(_MOST_BARS).index]


@describes(plot_report_seconds)
def _seconds_in_words(measured: SpeedTable) -> Picture:
    spent, drawn = measured.reports, _longest(measured.reports)
    which = "each report" if len(drawn) == len(spent) else f"the {len(drawn)} of {len(spent)} reports that take longest"
    overhead = 1 - spent["computing"].sum() / spent.to_numpy().sum()
    return Picture(
        finding=f"{percent(overhead, first=True)} of the time of the reports is overhead",
        caption=f"Time of {which} by phase, with other reports running; everything except computing is overhead.",
        alt=f"Stacked bars, one for each of {len(drawn)} reports: kernel start, imports, computing, pictures, pages.",
        data=drawn,
        height=max(2.2, 0.18 * len(drawn) + 1.3),
        narrow_height=max(2.4, 0.2 * len(drawn) + 1.3),
    )
