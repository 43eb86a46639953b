"""Which systems no other beats under every utility, and whether that is chance (generalized stochastic dominance)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.analyses.base import Analysis, parameter
from copa_nb.checks import integer
from copa_nb.run_options import options
from copa_nb.stochastic_dominance.gsd_front import read_suite
from copa_nb.stochastic_dominance.gsd_test import GsdTest, labeled
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import in_call

# Options of the test, and what it calls them.
_OF_TEST = {
    "tested": "system",
    "paired": "paired",
    "alpha": "alpha",
    "n_resamples": "n_resamples",
    "rng": "rng",
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Gsd(Analysis):
    """The front under generalized stochastic dominance, and the test of a system on it."""

    name = verb = "gsd_front"
    notebook = "yours/gsd"
    title = "GSD front"
    about = "systems and items, ordinal metrics, and the system to test"
    offered = ("ordinal", "tested")
    what_is_measured = "metrics"

    system: str = parameter(
        "", "column that names what is compared, e.g. model", column=True, needed=True, metavar="COL"
    )
    item: str = parameter("", "column that names the data sets or problems", column=True, needed=True, metavar="COL")
    ordinal: list[str] = parameter([], "ordinal metrics: only the order of their values counts, not differences")
    bins: int = parameter(
        0, "number of quantile classes for ordinal metrics; 0: every value is a class of its own", least=0
    )
    tested: str = parameter(
        "", "system to test for being on the front; empty: the one that stays on it longest", metavar="NAME"
    )
    paired: bool = parameter(
        False,
        "permute labels within data sets; otherwise the rows of two systems are pooled and split, as in the paper",
    )
    alpha: float = parameter(0.05, "significance level of the tests", is_fraction=True)
    n_resamples: int = parameter(1000, "random permutations per competitor", least=1)
    rng: int = parameter(0, "seed of the permutations", least=0)

    def check_values(self) -> None:
        """Refuse a single class."""
        if self.bins:
            integer("bins", self.bins, least=2)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table that is no suite, and a system that is not in it."""
        words = {name: getattr(self, name) for name in ("system", "item", "nan_policy")}
        suite = read_suite(DescribedFrame.of(table, self.directions, **words), self.ordinal, self.bins or None)
        if self.tested:
            labeled(list(suite.systems), self.tested, "tested")

    def variables(
        self, cell: Mapping[str, Any], stated: Iterable[str] = (), *, folder: Path | str = "."
    ) -> dict[str, Any]:
        """Return what the parameters cell of the notebook is set to; there, no classes are None."""
        found = super().variables(cell, stated, folder=folder)
        return {name: (value or None) if name == "bins" else value for name, value in found.items()}

    @property
    def options_of_verb(self) -> dict[str, Any]:
        """What finds the front."""
        return {name: one for name, one in super().options_of_verb.items() if name not in _OF_TEST}

    @property
    def options_of_test(self) -> dict[str, Any]:
        """What tests a system."""
        given = {name: one for name, one in super().options_of_verb.items() if name in _OF_TEST}
        return {_OF_TEST[name]: one for name, one in given.items()}

    def ask(self, described: Any) -> GsdTest:
        """Find the front, and test a system."""
        with options(progress=False):
            test: GsdTest = super().ask(described).test(**self.options_of_test)
        return test

    def calls(self) -> list[str]:
        """Write the lines of Python that find the front, test a system and print the answer."""
        front = f"table.moo.gsd_front({in_call(self.options_of_verb)})"
        test = f"front.test({in_call(self.options_of_test)})"
        return [f"front = {front}", f"test = {test}", "print(front.explain())", "print(test.explain())"]
