"""Tables of the documentation that follow from the code: options, parameters, sources of tables, kinds of claims."""

from __future__ import annotations

import json

from copa_nb.analyses.base import Analysis
from copa_nb.analyses.registry import analyses
from copa_nb.claims.kinds import kinds
from copa_nb.results.result import claim_line
from copa_nb.sources.read import FORMATS

# Functions next to the one that reads a source, and tables that no function of ours reads.
FIRST = ("table", "reading")  # which every command has as its argument, and as --read
READ = ("table", "dataset")  # which have no other function
ALSO = {"cv_results": ", {py:func}`copa_nb.refit`"}
FRAMES = "| a frame of polars, pyarrow or duckdb | `copa_nb.moo(frame)` | you name them |"


def parameters(analysis: Analysis) -> str:
    """Table of the parameters of an analysis."""
    lines = ["| Python | shell | default | what it says |", "|---|---|---|---|"]
    for one in analysis.parameters().values():
        if one.name in FIRST:
            continue
        shown = "" if one.default in ("", [], {}) else f"`{_python(one.default)}`"
        lines.append(f"| `{one.name}` | `{one.option}` | {shown} | {one.comment.replace('|', '&#124;')} |")
    return "\n".join(lines)


def all_parameters() -> str:
    """Tables of the parameters of all analyses."""
    return "\n".join(
        f":::{{dropdown}} `copa-nb {one.command}`\n\n{parameters(one)}\n:::\n"
        for name, one in sorted(analyses().items())
    )


def options() -> str:
    """Table of the options of all tables, and of those of every analysis."""
    whats = ", ".join(f"`{name.replace('_', '-')}`, {one.what}" for name, one in FORMATS.items() if one.has_flag)
    rows = [f"| `--source` | all tables | what the table is, where it cannot be detected: {whats} |"]
    for _, one in sorted(analyses().items()):
        offered = [each for each in one.parameters().values() if each.is_offered and each.name not in FIRST]
        flags = [flag for each in offered for flag in each.option.split("/")]
        rows.append(f"| {', '.join(f'`{flag}`' for flag in flags)} | `{one.command}` | {one.title} |")
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


def made() -> dict[str, str]:
    """The tables, by the name under which a page includes them."""
    return {"options": options(), "parameters": all_parameters(), "sources": sources(), "claims": claims()}


def _python(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)
