"""Pages that are made anew at every build: reference, gallery, notebooks, and what the ledger of the reports says."""

from __future__ import annotations

import ast
import csv
import importlib
import inspect
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
    "GSD front": "stochastic_dominance",
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
    "sources": "Where tables come from",
    "stochastic_dominance": "Stochastic dominance",
}


def everything() -> None:
    """Make all generated pages."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    reference()
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


def reference() -> None:
    """Write a page for every public name, and the page that lists them by room."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for module, names in public_names(ROOT / "copa_nb" / "__init__.pyi").items():
        rooms[module.split(".")[0]] += [f"copa_nb.{name}" for name in names]
    sections = [(ROOMS.get(room, room.replace("_", " ").capitalize()), names) for room, names in rooms.items()]
    for room, title, stub in (
        ("plots", "Plots", ROOT / "copa_nb" / "plots.pyi"),
        ("datasets", "Data", ROOT / "copa_nb" / "datasets" / "__init__.pyi"),
        ("reports", "Reports from notebooks", ROOT / "copa_nb" / "reports" / "__init__.pyi"),
    ):
        names = [name for group in public_names(stub).values() for name in group]
        sections.append((title, [f"copa_nb.{room}.{name}" for name in names]))
    pages = OUT / "reference"
    pages.mkdir()
    lines = [
        "# Reference",
        "",
        "Every verb is a function of `copa_nb` and a method of `df.moo` with the same options.",
        "",
    ]
    for title, names in sections:
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        names = sorted(set(names), key=str.lower)
        lines += [f"| [`{name.removeprefix('copa_nb.')}`](reference/{name}.md) | {_summary(name)} |" for name in names]
        lines += ["", "```{toctree}", ":hidden:", "", *(f"reference/{name}" for name in names), "```", ""]
        for name in names:
            (pages / f"{name}.md").write_text(_page(name), encoding="utf-8")
    (OUT / "reference.md").write_text("\n".join(lines), encoding="utf-8")


def gallery() -> None:
    """Draw one picture per plot, on bundled data, and write the page that shows them by question."""
    import matplotlib as mpl

    mpl.use("Agg")
    import gallery as pictures

    drawn = pictures.draw_all(OUT)
    lines = ["# Gallery", "", "Each picture is drawn by the line below it while this page is built.", ""]
    lines += ["````{grid} 1 2 3 3", ":gutter: 3", ""]
    for name, question, _title, _code in drawn:
        lines += [f"```{{grid-item-card}} {question}", f":img-top: gallery_{name}.png", f":img-alt: {question}"]
        lines += [f":link: gallery-{name}", ":link-type: ref", "```", ""]
    lines += ["````", "", "All of them after", "", "```python", pictures.SETUP.strip(), "```", ""]
    for name, question, title, code in drawn:
        lines += [f"(gallery-{name})=", f"## {title}", "", question, "", "```python", code, "```", ""]
        lines += [f"![{title}](gallery_{name}.png)", ""]
    (OUT / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def notebooks() -> None:
    """Copy the notebooks next to the pages and list them by area."""
    titles = {
        "copa": "COPA",
        "gap": "Mind the Gap",
        "significance": "Significance",
        "partial_orders": "Partial rankings",
        "stochastic_dominance": "Stochastic dominance",
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


def _member(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _summary(name: str) -> str:
    """Return the first sentence of a docstring."""
    member = _member(name)
    if not (callable(member) or inspect.isclass(member)):
        return ""
    paragraph = (inspect.getdoc(member) or "").split("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")


def _page(name: str) -> str:
    member = _member(name)
    kind = "autoclass" if inspect.isclass(member) else "autofunction" if callable(member) else "autodata"
    options = ["   :members:"] if kind == "autoclass" else []
    title = name.removeprefix("copa_nb.")
    return "\n".join([f"# {title}", "", "```{eval-rst}", f".. {kind}:: {name}", *options, "```", ""])
