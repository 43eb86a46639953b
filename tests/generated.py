"""Write what is generated: the list of notebooks.

``python -m tests.generated`` in a clone of the repository; a test compares what is there with what this writes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from copa_nb.claims.collection import installed
from copa_nb.reports.catalog import catalog
from docs.thumbnails import path_of

ROOT = Path(__file__).parents[1]

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


def generated() -> dict[Path, str]:
    """What the files should contain."""
    return {ROOT / "notebooks/README.md": notebooks()}


def main() -> None:
    """Write the files that differ, and print their names."""
    argparse.ArgumentParser(prog="python -m tests.generated", description=__doc__).parse_args()
    for path, text in generated().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
