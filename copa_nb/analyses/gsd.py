"""Which systems no other beats under every utility, and whether that is chance (generalized stochastic dominance)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, parameter, settings, verdict_first
from copa_nb.checks import called, integer, listed, nearest
from copa_nb.run_options import options
from copa_nb.stochastic_dominance.gsd_front import read_suite
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.text import listing, plural

_MOST_NAMED = 3  # rows whose further columns are written out


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Gsd(Analysis):
    """The front under generalized stochastic dominance, and tests of who is on it."""

    name = "gsd_front"
    notebook = "yours/gsd"
    title = "GSD front"
    bundled = "the bundled classifiers on UCI data sets"
    about = "systems and items, ordinal metrics, and the systems to test"
    offered = ("ordinal", "test")
    what_is_measured = "metrics"

    system: str = parameter(
        "", "column that names what is compared, e.g. model", column=True, needed=True, metavar="COL"
    )
    item: str = parameter("", "column that names the data sets or problems", column=True, needed=True, metavar="COL")
    ordinal: list[str] = parameter([], "ordinal metrics: only the order of their values counts, not differences")
    bins: int = parameter(
        0, "number of quantile classes for ordinal metrics; 0: every value is a class of its own", least=0
    )
    test: list[str] = parameter(
        [], "systems to test for being on the front; empty: the one that stays on it longest", metavar="NAME"
    )
    paired: bool = parameter(
        False,
        "permute labels within data sets; otherwise the rows of two systems are pooled and split, as in the paper",
    )
    alpha: float = parameter(0.05, "significance level of the tests", is_fraction=True)
    n_resamples: int = parameter(500, "random permutations per competitor", least=1)
    seed: int = parameter(0, "seed of the permutations", least=0)

    def check_values(self) -> None:
        """Refuse a single class."""
        if self.bins:
            integer("bins", self.bins, least=2)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table that is no suite, and systems that are not in it."""
        words = {name: getattr(self, name) for name in ("system", "item", "nan_policy")}
        suite = read_suite(DescribedFrame.of(table, self.directions, **words), self.ordinal, self.bins or None)
        tested_systems(suite.systems, self.test)

    @classmethod
    def is_name(cls, text: str, argument: str, table: pd.DataFrame, chosen: Mapping[str, Any]) -> bool:
        """Tell whether a text is a column, or a system."""
        if argument == "test" and chosen.get("system") in table.columns:
            return text in set(table[chosen["system"]].astype(str))
        return text in table.columns

    @property
    def suite_options(self) -> dict[str, Any]:
        """Keywords of ``df.moo.gsd_front()``."""
        options = {name: getattr(self, name) for name in ("system", "item", "ordinal", "nan_policy")}
        return {**options, "bins": self.bins or None, "objectives": self.directions}

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled classifiers."""
        from copa_nb.datasets import load_uci_classifiers

        asked = replace(self, system=self.system or "classifier", item=self.item or "dataset")
        if not asked.directions:
            ordinal = asked.ordinal or ["auc", "brier_score"]
            asked = replace(
                asked, maximize=["accuracy", "auc"], minimize=["brier_score"], ordinal=ordinal, bins=asked.bins or 4
            )
        return asked, load_uci_classifiers()

    def measure(self, table: pd.DataFrame) -> GsdFindings:
        """Find the front, and test who is on it."""
        with options(progress=False):
            front = ask(table, "gsd_front", **self.suite_options)
            named = tested_systems(front.systems, self.test) or [front.table["leaves_at"].idxmax()]
            resampled = {name: getattr(self, name) for name in ("alpha", "n_resamples", "paired")}
            tests = [front.test(name, rng=self.seed, **resampled) for name in named]
        return GsdFindings(analysis=self, table=table, front=front, tests=tests)


@dataclass(frozen=True, kw_only=True, eq=False)
class GsdFindings(Findings):
    """The front and its tests.

    Parameters
    ----------
    front : GsdFront
        Of ``df.moo.gsd_front()``.
    tests : list of GsdTest
        Of ``front.test(...)``.
    """

    front: Any
    tests: list[Any]

    @property
    def numbered(self) -> dict[str, Any]:
        """The tests by a number for the names of files, which a single one does not need."""
        return {f"-{number}" * (len(self.tests) > 1): test for number, test in enumerate(self.tests, start=1)}

    @property
    def items(self) -> str:
        """What the data sets are called in words."""
        return plural(self.analysis.item, "items")

    @staticmethod
    def withstood(test: Any) -> pd.DataFrame:
        """Return the table of a test, verdicts first, in which contamination is missing where nothing was rejected."""
        table = verdict_first(test.table, "dynamic", "static")
        contaminated = table["contaminated"].astype("Int64")
        return table.assign(contaminated=contaminated.mask(contaminated < 0))

    @property
    def shown(self) -> pd.DataFrame:
        """The further columns asked for, by system."""
        return settings(self.table, self.analysis.system, self.analysis.show)

    @property
    def answer(self) -> Answer:
        """Which systems are on the front, and what the tests show."""
        front, tests = self.front, self.tests
        count, n = len(front.front), len(front.systems)
        verb = "is" if count == 1 else "are"
        named = f"{listing(front.front)} {verb} on the front of {n}"
        headline = named if count <= _MOST_NAMED else f"{count} of {n} are on the front"
        significant = [test.system for test in tests if test.on_front]
        if {*significant} == {*front.front} and count <= _MOST_NAMED:
            headline, tested = f"{listing(front.front)} {verb} significantly on the front of {n}", ""
        elif significant:
            tested = f", {listing(significant)} significantly"
        elif {test.system for test in tests} == {*front.front}:
            tested = ", but not significantly"
        else:
            tested = f", {f'{tests[0].system} not' if len(tests) == 1 else 'none of those tested'} significantly"
        return Answer(
            f"{headline}{tested}",
            filled(front.explain(), self.values_of(front.front[:_MOST_NAMED])),
            question=f"Which {plural(front.systems.name, 'systems')} are not beaten by another under every utility? Is "
            "the result significant?",
            certainty=" ".join(test.explain() for test in tests),
            used="gsd_front",
            values={
                "front": list(front.front),
                "significant": significant,
                "pvalues": {test.system: float(test.pvalue) for test in tests},
            },
        )


def tested_systems(systems: pd.Index, named: Sequence[Any]) -> list[Any]:
    """Return the systems that are named as text."""
    labels = {str(one): one for one in systems}
    for name in named:
        if str(name) not in labels:
            raise ValueError(
                f"{called('test')} names {name!r}, which is not a system; the systems are "
                f"{listed(systems)}.{nearest(name, systems)}"
            )
    return [labels[str(name)] for name in named]
