"""The claim ``depth``: an item orders the systems as most items do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from copa_nb import text
from copa_nb.analyses.parameters import parameter
from copa_nb.checks import listed, nearest
from copa_nb.claims.evidence import Evidence
from copa_nb.claims.kinds import Claim, Judgment, judged
from copa_nb.results.sentences import part, say


@dataclass(frozen=True, kw_only=True, eq=False)
class Depth(Claim):
    """A problem is typical of a suite: its order has at least some depth."""

    kind: ClassVar[str] = "depth"
    about: ClassVar[str] = "the depth of an item's order among those of all items is at least a bound"
    example: ClassVar[Mapping[str, Any]] = {"depth": "mnist", "at_least": 0.2}
    depth: str = parameter("", "item", needed=True)
    at_least: float = parameter(0.0, "bound", least=0)

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(part("claims.says.depth", item=self.depth, bound=self.at_least))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the depth in the suite as it is."""
        from copa_nb.partial_orders.posets import posets

        depths = evidence.once(self.kind, lambda: posets(evidence.described("system", "item")).depth().depth)
        named = {text.label(label): value for label, value in depths.items()}
        if self.depth not in named:
            raise ValueError(
                f"`depth` names {self.depth!r}, which is not an item; items are {listed(named)}."
                f"{nearest(self.depth, named)}"
            )
        value = float(named[self.depth])
        return judged(value >= self.at_least, value < self.at_least, part("claims.found.depth", depth=value))
