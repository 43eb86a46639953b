"""Write what is generated: the list of notebooks, and tables of the documentation.

``python -m tests.generated`` in a clone of the repository; a test compares what is there with what this writes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from copa_nb.analyses.base import WORDS, Analysis
from copa_nb.analyses.registry import analyses
from copa_nb.claims.collection import installed
from copa_nb.claims.kinds import kinds
from copa_nb.reports.catalog import catalog
from copa_nb.results.result import claim_line
from copa_nb.sources.read import FORMATS
from docs.thumbnails import path_of

ROOT = Path(__file__).parents[1]
# Functions next to the one that reads a source, and tables that no function of ours reads.
READ = ("table", "dataset")  # which have no other function
ALSO = {"cv_results": ", {py:func}`copa_nb.refit`"}
FRAMES = "| a frame of polars, pyarrow or duckdb | `copa_nb.moo(frame)` | you name them |"


def parameters(analysis: type[Analysis]) -> str:
    """Table of the parameters of an analysis."""
    lines = ["| Python | shell | default | |", "|---|---|---|---|"]
    for one in analysis.parameters().values():
        if one.name in ("table", "reading"):
            continue
        shown = "" if one.default in ("", [], {}) else f"`{_python(one.default)}`"
        lines.append(f"| `{one.name}` | `{one.option}` | {shown} | {one.comment.replace('|', '&#124;')} |")
    return "\n".join(lines)


def all_parameters() -> str:
    """Tables of the parameters of all analyses."""
    return "\n\n".join(
        f"### `copa-nb {one.command()}`\n\n{parameters(one)}" for name, one in sorted(analyses().items())
    )


def options() -> str:
    """Table of the options of all tables, and of those of every analysis."""
    whats = ", ".join(f"`{name.replace('_', '-')}`, {one.what}" for name, one in FORMATS.items() if one.has_flag)
    rows = [f"| `--source` | all tables | what the table is, where it cannot be detected: {whats} |"]
    for name, one in sorted(analyses().items()):
        declared = one.parameters()
        names = [*(word for word in WORDS if word in declared), *one.offered]
        rows.append(
            f"| {', '.join(f'`{declared[name].option}`' for name in names)} | `{one.command()}` | {one.about} |"
        )
    return "\n".join(["| options | of | what they set |", "|---|---|---|", *rows])


def sources() -> str:
    """Table of the sources of tables."""
    rows = [
        f"| {one.what} | {{py:func}}`copa_nb.{'read' if name in READ else one.read.__name__}`{ALSO.get(name, '')} "
        f"| {one.directions} |"
        for name, one in FORMATS.items()
    ]
    return "\n".join(["| you have | call | directions |", "|---|---|---|", *rows, FRAMES])


def claims() -> str:
    """Table of the kinds of claims: a row per form, as it is written."""
    rows = []
    for kind, forms in kinds().items():
        for form in forms:
            written = claim_line(**form.example).removeprefix("- ").replace("|", "\\|")
            further = [
                name for name in form.options() if name not in (kind, "weight", "after", "planned", *form.example)
            ]
            rows.append(f"| `{written}` | {form.about} | {', '.join(f'`{name}`' for name in further)} |")
    return "\n".join(["| written | the claim | further options |", "|---|---|---|", *rows])


# The question that each folder of notebooks is about, in the order of the list.
QUESTIONS = {
    "yours": "What does your own table say?",
    "explore": "What changes as you move a slider?",
    "copa": "Which model should be chosen?",
    "gap": "Does a front chosen on validation data hold on test data?",
    "significance": "Is the new front better by more than noise?",
    "partial_orders": "Which problems of a benchmark are typical?",
    "stochastic_dominance": "Which methods are best under every utility?",
}


def notebooks() -> str:
    """List of the notebooks by question."""
    entries = catalog()
    lines = [
        "<!-- Written by `make generate`; do not edit. -->",
        "",
        "# Notebooks",
        "",
        "Each notebook runs as it is in JupyterLab, with papermill, and as a report with `copa-nb run AREA/NAME`. "
        "A cell tagged `parameters` holds its options.",
    ]
    for area, question in QUESTIONS.items():
        about = ""
        if area in installed().paper_of_area:
            paper = installed().papers[installed().paper_of_area[area]]
            about = f" Reproduces [{paper['title']}]({paper['link']}) ({paper['authors']})."
        rows = [
            f"| {_picture(entry.name)} | **[{entry.title}]({entry.name}.ipynb)**<br>{entry.sentence} |"
            for entry in entries
            if entry.area == area
        ]
        lines += ["", f"## {question}", *["", about.strip()] * bool(about), "", "| | notebook |", "|---|---|", *rows]
    return "\n".join([*lines, ""])


def _picture(name: str) -> str:
    """Thumbnail of a notebook's first figure; without an alternative text, since the title is next to it."""
    path = path_of(name)
    return f'<img src="../{path.relative_to(ROOT).as_posix()}" width="210" alt="">' if path.exists() else ""


# What is written between "<!-- NAME: begin -->" and "<!-- NAME: end -->" on which page.
PAGES = {
    ROOT / "docs/reports.md": {"options": options, "parameters": all_parameters},
    ROOT / "docs/sources.md": {"sources": sources},
    ROOT / "docs/how_to/gate_claims_in_ci.md": {"claims": claims},
}


def between_marks(text: str, name: str, made: str) -> str:
    """A page with the generated part in its place."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{made}\n\n{end}{rest.split(end)[1]}"


def generated() -> dict[Path, str]:
    """What the files should contain."""
    found = {ROOT / "notebooks/README.md": notebooks()}
    for path, parts in PAGES.items():
        found[path] = path.read_text(encoding="utf-8")
        for name, make in parts.items():
            found[path] = between_marks(found[path], name, make())
    return found


def main() -> None:
    """Write the files that differ, and print their names."""
    argparse.ArgumentParser(prog="python -m tests.generated", description=__doc__).parse_args()
    for path, text in generated().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(path.relative_to(ROOT))


def _python(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    main()
