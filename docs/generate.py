"""What is made anew at every build: reference, gallery, tables of options, actual levels, and the reports' ledger."""

from __future__ import annotations

import ast
import csv
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import gallery as pictures
import leaderboard
import levels
import reference
import tables
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from copa_nb.claims.verdicts import OF_PAPERS, counted

DOCS = Path(__file__).parent
ROOT = DOCS.parent
OUT = DOCS / "_generated"
EXTRA = OUT / "extra"  # copied into the site as it is
# COPA_NB_REPORTS names a folder of reports that were made before.
REPORTS = Path(os.environ.get("COPA_NB_REPORTS", DOCS / "_build" / "reports"))
PAPERS = {
    "COPA": "copa",
    "Mind the Gap": "mind_the_gap",
    "HV test": "significance",
    "Partial rankings": "partial_rankings",
    "GSD front": "stochastic_dominance",
}
# What each explanation shows of docs/coverage.csv, by the first word of the column "what".
SIMULATED = {
    "copa": ("rank_intervals", "stability", "mean_ranks", "board", "cheaper", "intervals"),
    "gap": ("gap",),
    "significance": ("hv_test", "audit", "power", "confident_front", "compare"),
    "partial_rankings": ("depth", "posets"),
    "stochastic_dominance": ("gsd_front",),
}


def everything() -> None:
    """Make all generated pages."""
    shutil.rmtree(OUT, ignore_errors=True)
    EXTRA.mkdir(parents=True)
    if "COPA_NB_REPORTS" not in os.environ:
        # Two minutes where nothing was made before; reports whose data and package have not changed are kept.
        run = [sys.executable, "-m", "copa_nb.cli", "run", "papers", "--out", str(REPORTS)]
        subprocess.run(run, check=True, capture_output=True)
    floors()
    levels.write(OUT)
    gallery()
    reference.write(OUT / "reference", {name for name, *_ in pictures.PICTURES})
    for name, made in tables.made().items():
        (OUT / f"table_{name}.md").write_text(f"{made}\n", encoding="utf-8")
    leaderboard.write(OUT, EXTRA)
    for paper, name in PAPERS.items():
        ledger(paper, OUT / f"ledger_{name}.md")
    verdicts(OUT / "verdicts.md")
    for name, verbs in SIMULATED.items():
        coverage(verbs, OUT / f"coverage_{name}.md")


def floors() -> None:
    """Draw the rooms on their floors, and list what each is for, from the contracts in ``pyproject.toml``."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (layers,) = [one["layers"] for one in tools["importlinter"]["contracts"] if one["name"] == "Floors"]
    rooms = [[name.strip() for name in layer.split("|")] for layer in layers]
    lines = ["| floor | room | what it is for |", "|---|---|---|"]
    for floor, names in zip(range(len(rooms), 0, -1), rooms, strict=True):
        lines += [f"| {floor} | `{name}` | {_first_sentence(name)} |" for name in names]
    (OUT / "floors.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _draw_floors(rooms).savefig(OUT / "floors.svg", metadata={"Date": None})


def _first_sentence(room: str) -> str:
    path = ROOT / "copa_nb" / room
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    paragraph = " ".join((ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].split())
    return paragraph.replace("``", "`").replace("|", "\\|")


def _draw_floors(rooms: list[list[str]]) -> Figure:
    figure = Figure(figsize=(8.0, 0.42 * len(rooms)), layout="constrained")
    ax = figure.subplots()
    ax.set(xlim=(0, 1), ylim=(len(rooms), 0))
    ax.axis("off")
    for floor, names in enumerate(rooms):
        letters = sum(map(len, names)) + 3 * len(names)
        left = 0.0
        for name in names:
            width = (len(name) + 3) / letters
            color = "#0072b2" if name == "papers" else "#eef2f6"
            corner = (left + 0.003, floor + 0.08)
            ax.add_patch(Rectangle(corner, width - 0.006, 0.84, facecolor=color, edgecolor="#7a8794", linewidth=0.6))
            ink = "white" if name == "papers" else "#1c2733"
            ax.text(left + width / 2, floor + 0.5, name, ha="center", va="center", fontsize=8, color=ink)
            left += width
    return figure


def gallery() -> None:
    """Draw one picture per plot, on bundled data, and write the page that shows them by question."""
    import matplotlib as mpl

    mpl.use("Agg")
    drawn = pictures.draw_all(OUT)
    lines = ["# Gallery", "", "A picture for each question. The code below it draws it when pasted.", ""]
    lines += ["````{grid} 1 2 2 2", ":gutter: 3", ""]
    for name, question, *_ in drawn:
        lines += [f"```{{grid-item-card}} {question}", f":img-top: gallery_{name}_small.png", f":img-alt: {question}"]
        lines += [f":link: gallery-{name}", ":link-type: ref", "```", ""]
    lines += ["````", ""]
    for name, question, title, notebook, code in drawn:
        lines += [f"(gallery-{name})=", f"## {title}", "", question, "", "```python", code, "```", ""]
        lines += [f"![{title}](gallery_{name}.png)", ""]
        if (REPORTS / notebook / "report.html").exists():
            lines += [f'A report on this question: <a href="../reports/{notebook}/report.html">{notebook}</a>.', ""]
    (OUT / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def verdicts(target: Path) -> None:
    """Write how many claims of each paper were reproduced, from the reports."""
    with (REPORTS / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["verdict"] in OF_PAPERS]
    found = {paper: counted((row["verdict"] for row in rows if row["paper"] == paper), OF_PAPERS) for paper in PAPERS}
    found = {paper: counts for paper, counts in found.items() if counts}
    total = counted((row["verdict"] for row in rows), OF_PAPERS)
    lines = [f"| paper | claims | {' | '.join(total)} |", "|---" * (len(total) + 2) + "|"]
    for paper, counts in found.items():
        cells = [f"{{doc}}`{paper} </papers/{PAPERS[paper]}>`", sum(counts.values())]
        lines.append(_row([*cells, *(counts.get(verdict, "") for verdict in total)]))
    lines.append(_row(["**all**", *(f"**{count}**" for count in (sum(total.values()), *total.values()))]))
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(cells: list[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def ledger(paper: str, target: Path) -> None:
    """Write what a run of the reports found of one paper's claims, each with a link to its report."""
    with (REPORTS / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["paper"] == paper]
    lines = ["| claim | the paper says | found | verdict |", "|---|---|---|---|"]
    for row in rows:
        found = f"{row['found']} *{row['note']}*" if row["note"] else row["found"]
        claim = f'<a href="../reports/{row["report"]}/report.html">{row["id"]}</a>'
        cells = [claim, row["says"], found, f"**{row['verdict']}**"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def coverage(verbs: tuple[str, ...], target: Path) -> None:
    """Write nominal and actual levels of some verbs, over the settings that were simulated."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    with (DOCS / "coverage.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            # A setting in which a verb always refuses has no rate.
            if row["actual"] and re.match(r"\w+", row["what"])[0] in verbs:
                groups[row["what"], row["kind"]].append(row)
    lines = ["| what | kind | settings | nominal | lowest | highest |", "|---|---|---|---|---|---|"]
    for (what, kind), rows in groups.items():
        actual = sorted(float(row["actual"]) for row in rows)
        nominal = sorted({row["nominal"] for row in rows if row["nominal"]})
        shown = "" if not nominal else nominal[0] if len(nominal) == 1 else f"{nominal[0]} to {nominal[-1]}"
        lines.append(f"| `{what}` | {kind} | {len(rows)} | {shown} | {actual[0]:.3f} | {actual[-1]:.3f} |")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
