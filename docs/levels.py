"""The page on trust: how often each function is wrong, beside what it promises, from ``coverage.csv``."""

from __future__ import annotations

import csv
import re
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

DOCS = Path(__file__).parent
PROMISED = "0.05"
VERMILION, BLUE, GRAY = "#d55e00", "#0072b2", "#9aa5b1"
# What each function states, in the words of the page; rows of the table that are not named here are in the CSV alone.
STATED = {
    "compare().verdict": ("compare", "verdict on two systems"),
    "compare().table: all intervals": ("compare", "intervals of all differences"),
    "board() intervals of ranks": ("board", "intervals of all ranks"),
    "board().may_be_first": ("board", "systems that may rank first"),
    "board().ranks_on_new_item()": ("board", "rank on a new item"),
    "mean_ranks().board() intervals": ("mean_ranks", "intervals of all mean ranks"),
    "confident_front() verdicts": ("confident_front", "verdicts on all systems"),
    "cheaper().table: one candidate": ("cheaper", "one cheaper candidate"),
    "cheaper().best: among all candidates": ("cheaper", "best of all candidates"),
    "intervals().table: low and high": ("copa().intervals", "scores of the chosen system"),
    "rank_intervals()": ("copa().rank_intervals", "share that is better"),
    "gap().bootstrap().interval('gap')": ("gap().bootstrap", "interval of the gap"),
    "gap(repeat=).interval('gap')": ("gap, repeated", "interval of the mean gap"),
    "hv_test().significant": ("hv_test", "verdict"),
    "hv_test().per_run low, high": ("hv_test", "interval of the difference"),
    "audit().significant: any false claim": ("audit", "any false claim"),
    "check() of 20 false claims: any holds": ("check", "any of 20 false claims"),
    "depth().bootstrap()": ("posets().depth", "intervals of depths"),
    "posets().compare().pvalue": ("posets().compare", "p-value"),
    "gsd_front().test(paired=True), dynamic": ("gsd_front().test", "paired"),
    "board() in passes: intervals of ranks": ("board, in pieces", "intervals of all ranks"),
}


@dataclass(frozen=True)
class Level:
    """How often a statement was wrong, over the settings that were simulated."""

    function: str
    statement: str
    errors: tuple[float, ...]  # shares of wrong answers, ascending
    promised: float

    @property
    def typical(self) -> float:
        """The median setting."""
        return statistics.median(self.errors)


def read(name: str) -> list[dict[str, str]]:
    """Rows of a table of this folder."""
    with (DOCS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def levels() -> list[Level]:
    """What every function states and how often that was wrong, in the order of the page."""
    errors: dict[str, list[float]] = defaultdict(list)
    for row in read("coverage.csv"):
        # A setting in which a function always refuses has no rate.
        if row["what"] in STATED and row["kind"] in ("size", "coverage") and row["actual"] and not row["comparator"]:
            errors[row["what"]].append(_error(row))
    missing = set(STATED) - set(errors)
    if missing:
        raise ValueError(f"docs/levels.py names rows that docs/coverage.csv has not: {sorted(missing)}")
    return [Level(*STATED[what], tuple(sorted(errors[what])), float(PROMISED)) for what in STATED]


def _error(row: dict[str, str]) -> float:
    """Share of wrong answers: of a test its size, of an interval what it does not cover."""
    return float(row["actual"]) if row["kind"] == "size" else 1 - float(row["actual"])


def draw(found: list[Level]) -> Figure:
    """A dot per statement: its typical share of wrong answers, with nine tenths of the settings as a line."""
    figure = Figure(figsize=(4.6, 0.24 * len(found) + 0.9), layout="constrained")
    ax = figure.subplots()
    ax.axvspan(0, found[0].promised, color="#eef2f6", zorder=0)
    ax.axvline(found[0].promised, color=GRAY, linewidth=1, zorder=1)
    for place, level in enumerate(found):
        at = (
            statistics.quantiles(level.errors, n=20, method="inclusive")
            if len(level.errors) > 1
            else list(level.errors) * 19
        )
        ax.plot([max(at[0], 0), at[17]], [place, place], color=BLUE, alpha=0.35, linewidth=3, solid_capstyle="butt")
        ax.plot(level.typical, place, "o", color=BLUE, markersize=6)
    ax.set_yticks(range(len(found)), [f"{level.function}: {level.statement}" for level in found], fontsize=8)
    ax.set(xlim=(-0.005, 0.2), ylim=(len(found) - 0.4, -0.6), xlabel="share of wrong answers")
    ax.set_xticks([0, 0.05, 0.1, 0.15, 0.2], ["0", "5%", "10%", "15%", "20%"])
    ax.text(found[0].promised, -0.75, "promised", ha="center", va="bottom", fontsize=9)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    return figure


def typical(found: list[Level]) -> str:
    """Table of the statements: promised, typical, and the worst setting."""
    lines = ["| function | what it states | settings | promised | typical | worst |", "|---|---|---|---|---|---|"]
    lines += [
        f"| `{one.function}` | {one.statement} | {len(one.errors)} | {one.promised:.0%} | **{one.typical:.1%}** "
        f"| {one.errors[-1]:.0%} |"
        for one in found
    ]
    return "\n".join(lines)


def failures() -> str:
    """Table of the settings in which functions fail most: how often, how often with a caveat, and which."""
    lines = ["| function | wrong | of these, with a caveat | caveat | setting |", "|---|---|---|---|---|"]
    seen = set()
    for row in read("coverage_worst.csv"):
        if row["comparator"] or row["kind"] not in ("size", "coverage"):
            continue
        error = _error(row)
        name = re.match(r"[\w.()=]+", row["what"])[0].split("().")[0].rstrip("()")  # type: ignore[index]
        # The worst setting of a function whose wrong answers carry a caveat, and the worst of those that carry none.
        is_labeled = float(row["labeled if wrong"] or 0) > 0
        if error <= 2 * float(PROMISED) or (name, is_labeled) in seen:
            continue
        seen.add((name, is_labeled))
        labeled = f"{float(row['labeled if wrong']):.0%}" if row["labeled if wrong"] else ""
        caveat = row["says"].partition(":")[0].replace("_", " ")
        lines.append(f"| `{name}` | {error:.0%} | {labeled} | {caveat} | {_cell(row['setting'])} |")
    return "\n".join(lines)


def comparators() -> str:
    """Table of what is commonly reported in the place of these functions, at its typical and its worst setting."""
    errors: dict[str, list[float]] = defaultdict(list)
    for row in read("coverage.csv"):
        if row["comparator"] and row["kind"] in ("size", "coverage") and row["actual"]:
            errors[row["what"]].append(_error(row))
    lines = ["| what is often reported | settings | promised | typical | worst |", "|---|---|---|---|---|"]
    for what, found in errors.items():
        typical_one = statistics.median(found)
        lines.append(
            f"| {_cell(what)} | {len(found)} | {float(PROMISED):.0%} | **{typical_one:.0%}** | {max(found):.0%} |"
        )
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def write(folder: Path) -> None:
    """Write the parts of the page: the figure and three tables."""
    found = levels()
    draw(found).savefig(folder / "levels.svg", metadata={"Date": None})
    for name, text in (("typical", typical(found)), ("failures", failures()), ("comparators", comparators())):
        (folder / f"levels_{name}.md").write_text(f"{text}\n", encoding="utf-8")
