"""Kinds and keys of claims of earlier versions, and the line to write now.

No old kind works: two ways to say one thing are two things to learn. Until version 1.0 each says what replaced it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from copa_nb.results.result import claim_line


@dataclass(frozen=True)
class Rewritten:
    """How an old kind is written now.

    Parameters
    ----------
    kind : str
        The kind.
    subject : str
        The key of what was the subject; that of the kind if empty.
    given : dict
        Options that say which form of the kind it is, or what was assumed before.
    renamed : dict
        Options by their old names.
    """

    kind: str
    subject: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    def claim(self, old: str, stated: Mapping[str, Any]) -> dict[str, Any]:
        """Write a claim of the old kind as it is written now."""
        words = {old: self.subject or self.kind, **self.renamed}
        now = {words.get(name, name): value for name, value in stated.items() if name not in OF_THE_TABLE}
        now = {**self.given, **now}
        first = {name: now.pop(name) for name in ("id", self.kind) if name in now}
        return {name: value for name, value in {**first, **now}.items() if value not in (None, "", {}, [])}


# Two of these names are options now; a third had another subject.
OLD_KINDS: Mapping[str, Rewritten] = {
    "best": Rewritten("rank"),
    "top": Rewritten("rank", given={"at_most": 3}, renamed={"k": "at_most"}),
    "could_be_first": Rewritten("rank", given={"may_be": 1}),
    "tier": Rewritten("rank", given={"tier": 1}, renamed={"at_most": "tier"}),
    "top_on_new_item": Rewritten("rank", given={"for": "new_item", "at_most": 3}, renamed={"k": "at_most"}),
    "unchanged": Rewritten("rank"),
    "undominated": Rewritten("on_front", given={"under": "any_utility"}),
    "dominates": Rewritten("better", given={"in": "dominance"}),
    "improves": Rewritten("better", given={"in": "hypervolume"}),
    "better": Rewritten("better", renamed={"objectives": "in"}),
    "allowed": Rewritten("where", subject="of"),
    "expression": Rewritten("number"),
    "gap": Rewritten("gap", subject="of", given={"gap": 0.05}, renamed={"at_most": "gap"}),
    "overtuning": Rewritten(
        "gap", subject="of", given={"gap": 0.05, "quantity": "overtuning"}, renamed={"at_most": "gap"}
    ),
}
# What claims about searches said of the table.
OF_THE_TABLE = ("validation", "test", "order")


def instead_of_claim(stated: Mapping[str, Any]) -> str:
    """Say, as sentences, what is written now in place of a claim of an earlier version; nothing if it is none.

    Examples
    --------
    >>> instead_of_claim({"top": "medium", "k": 2})
    'It is written `- {rank: medium, at_most: 2}` now.'
    >>> instead_of_claim({"rank": "medium", "tier": 1})
    ''
    """
    old = next((name for name in OLD_KINDS if name in stated and _is_old(name, stated)), "")
    moved = {name: value for name, value in stated.items() if name in OF_THE_TABLE}
    if not old and not (moved and "gap" in stated):
        return ""
    now = OLD_KINDS[old].claim(old, stated) if old else {name: stated[name] for name in stated if name not in moved}
    above = ", ".join(f"`{name}: {value}`" for name, value in moved.items())
    ending = f", with {above} above `claims`, among the words that describe the table" if moved else ""
    return f"It is written `{claim_line(**now)}` now{ending}."


def _is_old(name: str, stated: Mapping[str, Any]) -> bool:
    """Whether a claim with a key that was a kind is of an earlier version, where the key has a meaning now."""
    if name == "tier":
        return "rank" not in stated
    if name == "better":
        return "objectives" in stated
    return name != "gap" or "at_most" in stated or not _is_number(stated["gap"])


def _is_number(value: Any) -> bool:
    try:
        return float(value) >= 0
    except (TypeError, ValueError):
        return False
