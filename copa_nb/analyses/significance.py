"""Whether the fronts of systems differ by more than the noise of repeated runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, parameter
from copa_nb.checks import called, listed, nearest
from copa_nb.significance.arrays.permutation import ALTERNATIVES, UNITS
from copa_nb.significance.audit import Audit
from copa_nb.significance.result import HypervolumeTest
from copa_nb.significance.runs import system_name
from copa_nb.tables.columns import as_names, several


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Significance(Analysis):
    """Tests of one claim, or of every pair of systems whose means are a Pareto improvement."""

    name = verb = "audit"
    notebook = "yours/significance"
    title = "Significance"
    about = "the claim, and how it is tested"
    offered = ("new", "baseline", "reference", "log", "paired")
    results = (HypervolumeTest, Audit)

    system: list[str] = parameter([], "column or columns that name the system", column=True, needed=True)
    repeat: list[str] = parameter(
        [], "column or columns that number the runs of a system; empty: every row is a run", column=True
    )
    new: list[str] = parameter(
        [], "the new system, or several; empty: audit every Pareto improvement of the means", metavar="NAME"
    )
    baseline: list[str] = parameter([], "the baseline system, or several", metavar="NAME")
    log: list[str] = parameter([], "objectives measured on a logarithmic scale", objective=True)
    reference: dict[str, float] = parameter(
        {},
        "reference point: a value per objective, e.g. {example}; empty: the worst values observed, moved outward",
        example={"accuracy": 0, "cost": 10},
        objective=True,
    )
    reference_margin: float = parameter(0.1, "how far outward, as a share of the range", least=0)
    worst_multiple: bool = parameter(
        False, "take this share of the worst value instead of the range, as in 1.1 times the highest cost"
    )
    n_resamples: int = parameter(5000, "random permutations, if there are too many to enumerate", least=1)
    alternative: str = parameter(
        "two-sided",
        'whether the new front is different ("two-sided"), better ("greater") or worse ("less")',
        choices=ALTERNATIVES,
    )
    paired: bool = parameter(False, "permute labels only within matched repeats")
    unit: str = parameter("run", 'fronts over all runs ("run") or of the systems\' means ("mean")', choices=UNITS)
    alpha: float = parameter(0.05, "significance level of the test", is_fraction=True)
    rng: int = parameter(0, "seed of the permutations", least=0)

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis that tests as a :class:`copa_nb.results.HypervolumeTest` or an Audit did."""
        if not hasattr(result, "tests"):
            return cls(**{**_options_of(cls, result, given), **given})
        if not result.tests:
            raise ValueError("this audit has no claims, so there is nothing to report; name some in `claims`.")
        if result.by or not (result.suggested or len(result.tests) == 1):
            raise ValueError(
                "a report tests either one claim or every pair suggested by the means, without `by`; report one of the "
                "claims, e.g. audit.tests[0].report(), or write all as a page with to_html()."
            )
        options = _options_of(cls, result.tests[0], given)
        return cls(**{**options, **({"new": [], "baseline": []} if result.suggested else {}), **given})

    def check_values(self) -> None:
        """Refuse one side of a claim without the other, and two ways to find the reference point."""
        if bool(self.new) != bool(self.baseline):
            raise ValueError(
                f"only one of {called('new')} and {called('baseline')} is given; give both, or neither to audit all "
                "pairs."
            )
        tables.need_one_reference(self.reference, worst_multiple=self.worst_multiple)
        if both := sorted(set(self.new) & set(self.baseline)):
            raise ValueError(
                f"{called('new')} and {called('baseline')} both name {both[0]!r}; remove it from one of them."
            )
        if self.paired and not self.repeat:
            raise ValueError(
                f"{called('paired')} needs {called('repeat')}, the column that shows which runs belong together."
            )

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse systems that are not there, and logarithms that do not exist."""
        for name in self.log:
            tables.need_positive(table[name], "log")
        systems = system_names(table, self.system).unique().tolist()
        for argument in ("new", "baseline"):
            for name in getattr(self, argument):
                if name not in systems:
                    raise ValueError(
                        f"{called(argument)} names {name!r}, which is not a system; the systems are {listed(systems)}."
                        f"{nearest(name, systems)}"
                    )

    @classmethod
    def is_name(cls, text: str, argument: str, table: pd.DataFrame, chosen: Mapping[str, Any]) -> bool:
        """Tell whether a text is a column, or a system."""
        system = chosen.get("system", [])
        if argument in ("new", "baseline") and set(system) <= set(table.columns) and system:
            return text in set(system_names(table, system))
        return text in table.columns

    @property
    def claims(self) -> list[list[list[str]]]:
        """The claim as the verb takes it: a pair of new and baseline systems; none if there is none."""
        return [[self.new, self.baseline]] if self.new else []

    @property
    def options_of_verb(self) -> dict[str, Any]:
        """What the verb is given: the claim, and the reference point as a value per objective or a rule."""
        options = tables.with_reference(self, super().options_of_verb)
        return {**_without_sides(options), **({"claims": self.claims} if self.claims else {})}

    def variables(
        self, cell: Mapping[str, Any], stated: Iterable[str] = (), *, folder: Path | str = "."
    ) -> dict[str, Any]:
        """Return what the parameters cell of the notebook is set to; see :meth:`Analysis.variables`."""
        found = tables.cell_with_reference(self, super().variables(cell, stated, folder=folder), cell)
        if "options" in found:
            found["options"] = _without_sides(found["options"])
        if "words" in found:
            words = {word: _one_or_several(value) for word, value in found["words"].items()}
            # Rows are runs, although nothing numbers them: the system does not name rows.
            found["words"] = {**words, **({"repeat": None} if "system" in words and not self.repeat else {})}
        return {**found, **({"claims": self.claims} if "claims" in cell and self.claims else {})}


def _without_sides(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without the two sides of a claim, which go to the verb together."""
    return {name: value for name, value in options.items() if name not in ("new", "baseline")}


def _one_or_several(value: Any) -> Any:
    """A column that is alone in its list."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def system_names(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """Name systems by the columns that identify them, as text that can be given on the command line."""
    return table[list(columns)].astype(str).agg(" / ".join, axis=1)


def _options_of(cls: type[Significance], test: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that give a test again."""
    inputs, options = test.inputs, test.options
    if options.method != "auto" or options.two_sided != "tails" or options.indicator != "hypervolume":
        raise ValueError(
            "`method`, `two_sided` or `indicator` was given, but reports have no such parameters; test without them, "
            "or write this result as a page with to_html()."
        )
    is_seed = isinstance(options.rng, int | np.integer)
    if not is_seed and "rng" not in given:
        raise ValueError("`rng` is a Generator, whose draws a report cannot repeat; give a seed, e.g. report(rng=0).")
    missing = several(inputs.frame, test.objectives).isna().to_numpy().any()
    system, repeat = map(as_names, inputs.columns)
    reference = {str(name): value for name, value in test.reference.items()}
    return {
        "table": inputs.frame,
        **cls.objectives_of(test.objectives.to_dict()),
        "system": system,
        "repeat": repeat,
        "new": [system_name(name) for name in test.new],
        "baseline": [system_name(name) for name in test.baseline],
        "log": [str(name) for name in test.log],
        **(
            {"reference_margin": inputs.reference_margin, "worst_multiple": inputs.worst_multiple}
            if inputs.reference_margin is not None
            else {"reference": reference}
        ),
        "n_resamples": options.n_resamples,
        "alternative": options.alternative,
        "paired": options.paired,
        "unit": options.unit,
        "alpha": options.alpha,
        "nan_policy": "worst" if missing else "raise",
        "rng": int(options.rng) if is_seed else 0,
    }
