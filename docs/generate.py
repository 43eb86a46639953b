"""Pages that are made anew at every build: API, gallery, notebooks, and what the ledger of the reports says."""

from __future__ import annotations

import ast
import csv
import os
import shutil
from collections import defaultdict
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
OUT = DOCS / "_generated"
PAPERS = {
    "COPA": "copa",
    "Mind the Gap": "mind_the_gap",
    "HV test": "significance",
    "Partial rankings": "partial_rankings",
}
ROOMS = {
    "objectives": "Objectives",
    "pareto": "Fronts and hypervolumes",
    "selection": "Choosing by preference (COPA)",
    "generalization": "From validation to test (Mind the Gap)",
    "significance": "Significance of improvements",
    "partial_orders": "Partial orders",
    "explorers": "Explorers",
    "reports": "Reports",
    "errors": "Errors and warnings",
}


def everything() -> None:
    """Make all generated pages."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    api()
    gallery()
    notebooks()
    for paper, name in PAPERS.items():
        ledger(paper, OUT / f"ledger_{name}.md")


def public_names(stub: Path) -> dict[str, list[str]]:
    """Read a stub of lazy imports: module to the names that it gives."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found[node.module or ""] += [alias.asname or alias.name for alias in node.names]
    return dict(found)


def api() -> None:
    """Write one page of the public API, grouped as the package is."""
    lines = ["# API", "", "Every verb is a function of `copa_nb` and a method of `df.moo` with the same options.", ""]
    rooms: dict[str, list[str]] = defaultdict(list)
    for module, names in public_names(ROOT / "copa_nb" / "__init__.pyi").items():
        rooms[module.split(".")[0]] += names
    for room, names in rooms.items():
        lines += [f"## {ROOMS.get(room, room.replace('_', ' ').capitalize())}", ""]
        lines += _documented("copa_nb", sorted(set(names), key=str.lower))
    for room, title, stub in (
        ("plots", "Plots", ROOT / "copa_nb" / "plots.pyi"),
        ("datasets", "Data", ROOT / "copa_nb" / "datasets" / "__init__.pyi"),
    ):
        names = [name for group in public_names(stub).values() for name in group]
        lines += [f"## {title}", "", *_documented(f"copa_nb.{room}", sorted(set(names), key=str.lower))]
    (OUT / "api.md").write_text("\n".join(lines), encoding="utf-8")


def gallery() -> None:
    """Draw one picture per plot, on bundled data, and write the page that shows them."""
    import matplotlib as mpl

    mpl.use("Agg")
    import gallery as pictures

    lines = [
        "# Gallery",
        "",
        "One picture per plot, drawn on bundled data while this page was built, after",
        "",
    ]
    lines += ["```python", pictures.SETUP.strip(), "```", ""]
    for name, title, code in pictures.draw_all(OUT):
        lines += [f"## {title}", "", "```python", code, "```", "", f"![{title}](gallery_{name}.png)", ""]
    (OUT / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def notebooks() -> None:
    """Copy the notebooks next to the pages and list them by area."""
    titles = {
        "copa": "COPA",
        "gap": "Mind the Gap",
        "significance": "Significance",
        "partial_orders": "Partial rankings",
        "yours": "Your own tables",
        "explore": "Explore",
    }
    lines = ["# Notebooks", "", "They run in JupyterLab, under papermill, and as reports: `copa-nb run NAME`.", ""]
    for area, title in titles.items():
        paths = sorted((ROOT / "notebooks" / area).glob("*.ipynb"))
        if not paths:
            continue
        (OUT / area).mkdir()
        for path in paths:
            shutil.copy(path, OUT / area / path.name)
        lines += [f"```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n"]
        lines += [f"{area}/{path.stem}" for path in paths] + ["```", ""]
    (OUT / "notebooks.md").write_text("\n".join(lines), encoding="utf-8")


def ledger(paper: str, target: Path) -> None:
    """Write what a run of the reports found of one paper's claims."""
    source = Path(os.environ.get("COPA_NB_REPORTS", ROOT / "reports")) / "ledger.csv"
    if not source.is_file():
        target.write_text(
            "Run `make report` before `make docs`: the ledger of that run is shown here.\n", encoding="utf-8"
        )
        return
    with source.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["paper"] == paper]
    lines = ["| claim | the paper says | found | verdict |", "|---|---|---|---|"]
    for row in rows:
        found = f"{row['found']} *{row['note']}*" if row["note"] else row["found"]
        cells = [row["id"], row["says"], found, f"**{row['verdict']}**"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _documented(module: str, names: list[str]) -> list[str]:
    import importlib
    import inspect

    lines = []
    for name in names:
        member = getattr(importlib.import_module(module), name)
        kind = "autoclass" if inspect.isclass(member) else "autofunction" if callable(member) else "autodata"
        options = [":members:"] if kind == "autoclass" else []
        lines += [f"```{{eval-rst}}\n.. {kind}:: {module}.{name}", *(f"   {option}" for option in options), "```", ""]
    return lines
