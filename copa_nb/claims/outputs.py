"""What a gate writes for other programs: JSON, JUnit XML, and Markdown for a pull request."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from copa_nb.claims.ledger_page import ledger_page, page_context
from copa_nb.claims.verdicts import FAILS, HOLDS, OF_FILES, UNDECIDED, counted
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.junit import Case, junit
from copa_nb.results.result import picture_html
from copa_nb.results.sentences import part, say

SCHEMA = "copa_nb/check/1"
_SIGNS = {HOLDS: "✅", FAILS: "❌", UNDECIDED: "❔"}


class Verdicts(Protocol):
    """What is written: the verdicts on the claims of a file; :class:`copa_nb.results.Checked` has them."""

    @property
    def table(self) -> pd.DataFrame:
        """One row per claim, by its id."""

    @property
    def name(self) -> str:
        """The file of claims."""

    @property
    def alpha(self) -> float:
        """Error rate of all claims."""

    @property
    def measured(self) -> str:
        """How the precision is known."""

    @property
    def guarantee(self) -> Guarantee:
        """How often no verdict is wrong."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of claims by verdict."""

    def explain(self) -> str:
        """The verdicts in words."""


def written(path: str | os.PathLike[str] | None, content: str) -> str:
    """Write text to a file, if one is named, and return it; a file is there whole or not at all."""
    if path is None:
        return content
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"`path` is {os.fspath(path)!r}, a folder; name a file in it.")
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(content, encoding="utf-8")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return content


def as_json(checked: Verdicts) -> str:
    """Return the verdicts as JSON.

    ``schema`` is ``copa_nb/check/1``; ``file``, ``alpha``, ``measured`` and ``guarantee`` are those of the result;
    ``counts`` are the claims by verdict; ``claims`` has one mapping per claim: id and the columns of the table.
    """
    claims = checked.table.reset_index().to_dict("records")
    document = {
        "schema": SCHEMA, "file": checked.name, "alpha": checked.alpha, "measured": checked.measured,
        "guarantee": checked.guarantee.to_dict(), "counts": checked.counts, "claims": claims,
    }  # fmt: skip
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_junit(checked: Verdicts) -> str:
    """Return the verdicts as JUnit XML."""
    cases = []
    for id, row in checked.table.iterrows():
        message = say(part("claims.page.message", says=row["says"], found=row["found"]))
        skipped = say(part("claims.page.undecided", message=message))
        cases.append(
            Case(
                name=str(id), group=row["kind"], failure=message if row["verdict"] == FAILS else "",
                skipped=skipped if row["verdict"] == UNDECIDED else "",
            )
        )  # fmt: skip
    return junit(checked.name, cases)


def as_page(checked: Verdicts) -> str:
    """Return the verdicts as a page: a ledger, as the papers have one."""
    rows = [
        {
            "id": str(id), "anchor": str(id) if is_named(id, row) else f"claim-{number}", "says": row["says"],
            "paper": "", "link": "", "own": False, "place": _place(id, row), "ours": row["found"],
            "verdict": row["verdict"], "reason": row["settle"],
            "details": _details(row["kind"], row["level"], checked.alpha),
        }
        for number, (id, row) in enumerate(checked.table.iterrows(), start=1)
    ]  # fmt: skip
    return ledger_page(
        repr(checked)[1:-1],
        {"": rows},
        titles={"place": "In the file", "ours": "Found", "reason": "What would settle it"},
        tally=counted(checked.table["verdict"], OF_FILES),
        lead=checked.explain(),
        frame=page_context(),
        picture=picture_html(checked),
    )


def is_named(id: Any, row: Any) -> bool:
    """Whether a claim has a name of its own: without an id, it is called by what it says."""
    return bool(str(id) != row["says"])


def _place(id: Any, row: Any) -> str:
    names = [str(id)] * is_named(id, row) + [f"line {row['line']}"] * bool(row["line"])
    return ", ".join(names)


def _details(kind: str, level: float, alpha: float) -> dict[str, str]:
    found = {"Kind": kind}
    if level:
        found["Tested at"] = say(part("claims.page.tested_at", level=level, alpha=alpha))
    return found


def as_markdown(checked: Verdicts, since: str | os.PathLike[str] | None = None) -> str:
    """Return the verdicts as Markdown; what has changed since an earlier run comes first."""
    counts = checked.counts
    lines = [f"**{' · '.join(f'{_SIGNS[verdict]} {counts[verdict]} {verdict}' for verdict in counts)}**", ""]
    if since is not None:
        lines += [*_changes(checked, _read(since)), ""]
    lines += ["| | claim | found |", "|---|---|---|"]
    for id, row in checked.table.iterrows():
        settle = f" {row['settle']}." if row["settle"] else ""
        name = f"{_code(id)} ".replace("|", "\\|") if is_named(id, row) else ""  # a bar ends a cell even in code
        cells = (_SIGNS[row["verdict"]], f"{name}{_plain(row['says'])}", f"{_plain(row['found'])}.{settle}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _plain(value: Any) -> str:
    """Write text into a cell of Markdown, where it starts nothing."""
    words = " ".join(str(value).split())
    for mark in ("\\", "|", "`", "*", "_", "<", "["):
        words = words.replace(mark, f"\\{mark}" if mark != "`" else "'")
    return words


def _code(value: Any) -> str:
    """Write text as code of Markdown, in which only the mark that ends it means anything."""
    words = " ".join(str(value).split()).replace("`", "'")
    return f"`{words}`"


def _changes(checked: Verdicts, before: dict[str, str]) -> Sequence[str]:
    now = {str(id): verdict for id, verdict in checked.table["verdict"].items()}
    changed = [id for id, verdict in now.items() if before.get(id, verdict) != verdict]
    new, removed = [id for id in now if id not in before], [id for id in before if id not in now]
    changes = [
        *(part("claims.page.changed", claim=_code(id), before=before[id], now=now[id]) for id in changed),
        *(part("claims.page.new", claim=_code(id), now=now[id]) for id in new),
        *(part("claims.page.removed", claim=_code(id), before=before[id]) for id in removed),
    ]
    return [f"- {say(one)}" for one in changes] or [say(part("claims.page.unchanged"))]


def _read(since: str | os.PathLike[str]) -> dict[str, str]:
    """Return the verdicts of an earlier run by id."""
    wrong = f"`since` is {os.fspath(since)!r}, which is not a JSON file of verdicts ({SCHEMA}); write it with --json."
    try:
        document = json.loads(Path(since).read_text(encoding="utf-8"))
        found = {str(claim["id"]): str(claim["verdict"]) for claim in document["claims"]}
        # Other words would be written into the page that the file is compared on.
        if document["schema"] != SCHEMA or not set(found.values()) <= set(OF_FILES):
            raise ValueError(wrong)
        return found
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(wrong) from error
