"""Pages that are made anew at every build: reference, gallery, notebooks, actual levels, and the reports' ledger."""

from __future__ import annotations

import ast
import csv
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from copa_nb.accessor import Moo, PandasMoo
from copa_nb.accessor.asked import verbs_of

DOCS = Path(__file__).parent
ROOT = DOCS.parent
OUT = DOCS / "_generated"
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
# Pages that explain what the verbs of a package, or of a module, compute.
EXPLAINED = {
    "comparisons": "copa",
    **dict.fromkeys(
        [f"comparisons.{module}" for module in ("compare", "needed", "confident_front")],
        "significance",
    ),
    "ranking": "copa",
    "selection": "copa",
    "generalization": "mind_the_gap",
    "significance": "significance",
    "partial_orders": "partial_rankings",
    "stochastic_dominance": "stochastic_dominance",
}
PACKAGES = {
    "tables": "Objectives",
    "pareto": "Fronts and hypervolumes",
    "ranking": "Ranks and populations",
    "selection": "Choosing by preference (COPA)",
    "comparisons": "Comparing systems",
    "generalization": "From validation to test (Mind the Gap)",
    "significance": "Significance of improvements",
    "partial_orders": "Partial orders",
    "stochastic_dominance": "Stochastic dominance",
    "sources": "Where tables come from",
    "explorers": "Explorers",
    "control_panel": "The panel",
    "reports": "Reports",
}


def everything() -> None:
    """Make all generated pages."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    floors()
    reference()
    gallery()
    notebooks()
    if "COPA_NB_REPORTS" not in os.environ:
        # Two minutes where nothing was made before; reports whose data and package have not changed are kept.
        run = [sys.executable, "-m", "copa_nb.cli", "run", "papers", "--out", str(REPORTS)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    for paper, name in PAPERS.items():
        ledger(paper, OUT / f"ledger_{name}.md")
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
            color = "#d55e00" if name == "papers" else "#eef2f6"
            corner = (left + 0.003, floor + 0.08)
            ax.add_patch(Rectangle(corner, width - 0.006, 0.84, facecolor=color, edgecolor="#7a8794", linewidth=0.6))
            ink = "white" if name == "papers" else "#1c2733"
            ax.text(left + width / 2, floor + 0.5, name, ha="center", va="center", fontsize=8, color=ink)
            left += width
    return figure


def public_names(stub: Path) -> dict[str, list[str]]:
    """Read a stub of lazy imports: module to the names that it gives."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found[node.module] += [alias.asname or alias.name for alias in node.names]
    return dict(found)


def verbs() -> list[tuple[str, str, list[str]]]:
    """Sections of what a table can be asked: title, sentence and members, first how it is described."""
    described = ["copa_nb.moo", f"{_place(PandasMoo)}.define", f"{_place(Moo)}.by"]
    sections = [("Describing a table", "What columns are is said once, and every verb knows it.", described)]
    for kind in Moo.__bases__:
        members = [f"{_place(Moo)}.{verb}" for verb in verbs_of(kind)]
        sections.append((kind.__name__, inspect.getdoc(kind).splitlines()[0], members))
    return sections


def reference() -> None:
    """Write a page for every verb and every public name, and the page that lists them: verbs first, then packages."""
    packages: dict[str, list[str]] = defaultdict(list)
    for space, stub in (
        ("copa_nb", "__init__.pyi"), ("copa_nb.results", "results/__init__.pyi"),
        ("copa_nb.results.explorers", "results/explorers.pyi"),
    ):  # fmt: skip
        for module, names in public_names(ROOT / "copa_nb" / stub).items():
            packages[module.split(".")[0]] += [f"{space}.{name}" for name in names]
    del packages["accessor"]  # described with the verbs
    order = [package for package in dict.fromkeys([*PACKAGES, *packages]) if package in packages]
    sections = verbs() + [(PACKAGES.get(package, package.capitalize()), "", packages[package]) for package in order]
    errors = ROOT / "copa_nb" / "errors.pyi"
    refused = {name for group in public_names(errors).values() for name in group}
    for package, title, stub in (
        ("plots", "Plots", ROOT / "copa_nb" / "plots.pyi"),
        ("datasets", "Data", ROOT / "copa_nb" / "datasets" / "__init__.pyi"),
        ("reports", "Reports from notebooks", ROOT / "copa_nb" / "reports" / "__init__.pyi"),
        ("errors", "Errors and warnings", errors),
    ):
        # An error that a package names, too, has one page.
        listed = [name for group in public_names(stub).values() for name in group]
        names = listed if stub == errors else [name for name in listed if name not in refused]
        sections.append((title, "", [f"copa_nb.{package}.{name}" for name in names]))
    pages = OUT / "reference"
    pages.mkdir()
    lines = [
        "# Reference",
        "",
        "Verbs are methods of `df.moo`, and of `copa_nb.moo(frame, ...)` for tables of every library.",
        "",
    ]
    for title, sentence, names in sections:
        lines += [f"## {title}", "", *([sentence, ""] if sentence else []), "| | |", "|---|---|"]
        names = sorted(set(names), key=lambda name: (inspect.isclass(_member(name)), name.lower()))  # results below
        lines += [f"| [`{_spoken(name)}`](reference/{name}.md) | {_summary(name)} |" for name in names]
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
    lines = ["# Gallery", "", "The code below each plot draws it.", ""]
    lines += ["````{grid} 1 2 2 2", ":gutter: 3", ""]
    for name, question, *_ in drawn:
        lines += [f"```{{grid-item-card}} {question}", f":img-top: gallery_{name}_small.png", f":img-alt: {question}"]
        lines += [f":link: gallery-{name}", ":link-type: ref", "```", ""]
    lines += ["````", "", "Run this first:", "", "```python", pictures.SETUP.strip(), "```", ""]
    for name, question, title, notebook, code in drawn:
        lines += [f"(gallery-{name})=", f"## {title}", "", question, "", "```python", code, "```", ""]
        lines += [
            f"![{title}](gallery_{name}.png)",
            "",
            f"A notebook on this question: {{doc}}`{notebook}`.",
            "",
        ]
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
    lines = [
        "# Notebooks",
        "",
        "The notebooks run in JupyterLab, with papermill, and as reports: `copa-nb run NAME`.",
        "",
    ]
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


def _member(name: str) -> object:
    return pkgutil.resolve_name(name)


def _place(kind: type) -> str:
    """Where the pages of a class of the accessor find it."""
    return f"copa_nb.accessor.{kind.__name__}"


def _spoken(name: str) -> str:
    """Name of a member as users write it, without the package."""
    return re.sub(r"^accessor\.\w+\.", "df.moo.", name.removeprefix("copa_nb."))


def _summary(name: str) -> str:
    """Return the first sentence of a docstring."""
    member = _member(name)
    if not (callable(member) or inspect.isclass(member)):
        return ""
    paragraph = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
    plain = re.sub(r"(:\w+:)(?=`)| \[\d+\]_", "", paragraph)  # roles and citations
    return plain.replace("|", "\\|")


def _page(name: str) -> str:
    member = _member(name)
    kind = "autoclass" if inspect.isclass(member) else "autofunction" if callable(member) else "autodata"
    if name.startswith("copa_nb.accessor."):
        kind = "automethod"
    options = ["   :members:"] if kind == "autoclass" else []
    lines = [f"# {_spoken(name)}", "", "```{eval-rst}", f".. {kind}:: {name}", *options, "```", ""]
    module = _answers(member) if kind == "automethod" else getattr(member, "__module__", "").removeprefix("copa_nb.")
    if explained := EXPLAINED.get(module, EXPLAINED.get(module.split(".")[0])):
        lines += [f"**Explained in** {{doc}}`/papers/{explained}`, with equations and results.", ""]
    return "\n".join(lines)


def _answers(verb: object) -> str:
    """Module, below the package, of the function that answers a verb, which the method imports when it is asked."""
    found = re.search(r"^ +from copa_nb\.(\S+) import", inspect.getsource(inspect.unwrap(verb)), re.M)
    return found[1] if found else ""
