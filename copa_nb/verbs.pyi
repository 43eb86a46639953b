# Written by `make generate`; do not edit.
# mypy: disable-error-code="overload-overlap"
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self, overload

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from copa_nb.asking import DescribedTable
from copa_nb.comparisons.board import Board
from copa_nb.comparisons.cheaper import Cheaper, CheaperByGroup
from copa_nb.comparisons.compare import Comparison
from copa_nb.comparisons.confident_front import ConfidentFront
from copa_nb.comparisons.mean_ranks import MeanRanks
from copa_nb.explorers.choice import ChoiceExplorer
from copa_nb.generalization.gap import Gap, GapRepeats, GapsByGroup
from copa_nb.pareto.attainment import Attainment
from copa_nb.pareto.hypervolume import Hypervolume
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.ranking.criterion import WeightsLike
from copa_nb.ranking.normalize import ReferenceLike
from copa_nb.results.result import Grouped
from copa_nb.selection.copa import Selection
from copa_nb.significance.audit import Audit, ClaimsLike
from copa_nb.significance.result import HypervolumeTest
from copa_nb.stochastic_dominance.gsd_front import GsdFront
from copa_nb.tables.candidates import Where
from copa_nb.tables.description import Column, Description
from copa_nb.tables.missing_values import Bounds
from copa_nb.tables.objectives import DirectionLike, ObjectivesLike

OF_ANY_TABLE: tuple[str, ...]
OF_PANDAS: tuple[str, ...]

class MooVerbs:
    def __init__(self, frame: Any, described: Description | None = None, groups: Any = None) -> None: ...
    def __call__(self, objectives: ObjectivesLike = None, /, **given: Any) -> Self: ...
    def by(self, columns: Any) -> Self: ...
    def _table(self) -> DescribedTable: ...
    def plot(self, x: Any = None, y: Any = None, *, ax: Any = None, **looks: Any) -> Axes: ...
    @property
    def description(self) -> dict[str, Any]: ...
    def board(
        self,
        *,
        system: Any = None,
        item: Any = None,
        cluster: Any = None,
        repeat: Any = None,
        standard_error: Mapping[Hashable, Any] | str | None = None,
        n: Any = None,
        known: Any = None,
        objectives: ObjectivesLike = None,
        p: float | str = "inf",
        weights: WeightsLike = None,
        alpha: float = 0.05,
        n_resamples: int = 2000,
        nan_policy: str = "raise",
        bounds: Bounds = None,
        rng: int | np.random.Generator | None = 0,
    ) -> Board: ...
    @overload
    def cheaper(
        self,
        than: Hashable | None = None,
        *,
        cost: Hashable | None = None,
        margin: Mapping[Hashable, float] | None = None,
        system: Any = None,
        item: Any = None,
        cluster: Any = None,
        repeat: Any = None,
        standard_error: Mapping[Hashable, Any] | str | None = None,
        n: Any = None,
        known: Any = None,
        objectives: ObjectivesLike = None,
        alpha: float = 0.05,
        by: None = None,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> Cheaper: ...
    @overload
    def cheaper(
        self,
        than: Hashable | None = None,
        *,
        cost: Hashable | None = None,
        margin: Mapping[Hashable, float] | None = None,
        system: Any = None,
        item: Any = None,
        cluster: Any = None,
        repeat: Any = None,
        standard_error: Mapping[Hashable, Any] | str | None = None,
        n: Any = None,
        known: Any = None,
        objectives: ObjectivesLike = None,
        alpha: float = 0.05,
        by: Any,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> CheaperByGroup: ...
    def compare(
        self,
        new: Hashable | None = None,
        baseline: Hashable | None = None,
        *,
        system: Any,
        item: Any,
        cluster: Any = None,
        repeat: Any = None,
        known: Any = None,
        margin: Mapping[Hashable, float] | None = None,
        objectives: ObjectivesLike = None,
        alpha: float = 0.05,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> Comparison: ...
    def confident_front(
        self,
        *,
        system: Any = None,
        item: Any = None,
        cluster: Any = None,
        repeat: Any = None,
        standard_error: Mapping[Hashable, Any] | str | None = None,
        n: Any = None,
        known: Any = None,
        objectives: ObjectivesLike = None,
        alpha: float = 0.05,
        n_resamples: int = 2000,
        nan_policy: str = "raise",
        bounds: Bounds = None,
        rng: int | np.random.Generator | None = 0,
    ) -> ConfidentFront: ...
    def mean_ranks(
        self,
        *,
        system: Hashable,
        item: Any,
        objectives: ObjectivesLike = None,
        baseline: Hashable | None = None,
        nan_policy: str = "raise",
    ) -> MeanRanks: ...
    def explore(
        self,
        *,
        objectives: ObjectivesLike = None,
        p: float | str = "inf",
        weights: WeightsLike = None,
        normalize: str = "cdf",
        x: Hashable | None = None,
        y: Hashable | None = None,
        where: Where = None,
        tiers: Board | None = None,
        nan_policy: str = "raise",
    ) -> ChoiceExplorer: ...
    @overload
    def gap(
        self,
        *,
        validation: str = "val_",
        test: str | pd.DataFrame = "test_",
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        keep: str = "all",
        where: Where = None,
        by: None = None,
        repeat: None = None,
        order: Hashable | None = None,
        nan_policy: str = "raise",
    ) -> Gap: ...
    @overload
    def gap(
        self,
        *,
        validation: str = "val_",
        test: str | pd.DataFrame = "test_",
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        keep: str = "all",
        where: Where = None,
        by: None = None,
        repeat: Any,
        order: Hashable | None = None,
        nan_policy: str = "raise",
    ) -> GapRepeats: ...
    @overload
    def gap(
        self,
        *,
        validation: str = "val_",
        test: str | pd.DataFrame = "test_",
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        keep: str = "all",
        where: Where = None,
        by: Any,
        repeat: None = None,
        order: Hashable | None = None,
        nan_policy: str = "raise",
    ) -> GapsByGroup[Gap]: ...
    @overload
    def gap(
        self,
        *,
        validation: str = "val_",
        test: str | pd.DataFrame = "test_",
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        keep: str = "all",
        where: Where = None,
        by: Any,
        repeat: Any,
        order: Hashable | None = None,
        nan_policy: str = "raise",
    ) -> GapsByGroup[GapRepeats]: ...
    def attainment(
        self,
        *,
        system: Any = None,
        repeat: Any,
        objectives: ObjectivesLike = None,
        normalize: str = "none",
        nan_policy: str = "raise",
    ) -> Attainment: ...
    def front(
        self,
        *,
        objectives: ObjectivesLike = None,
        keep: str = "all",
        by: Any = None,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> pd.DataFrame: ...
    def layers(
        self,
        most: int | None = None,
        *,
        objectives: ObjectivesLike = None,
        by: Any = None,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> pd.Series: ...
    @overload
    def hypervolume(
        self,
        *,
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        by: None = None,
        nan_policy: str = "raise",
        rng: int | np.random.Generator | None = 0,
    ) -> Hypervolume: ...
    @overload
    def hypervolume(
        self,
        *,
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        by: Any,
        nan_policy: str = "raise",
        rng: int | np.random.Generator | None = 0,
    ) -> Grouped[Hypervolume]: ...
    def posets(
        self,
        *,
        system: Hashable | list[Hashable],
        item: Hashable | list[Hashable],
        objectives: ObjectivesLike = None,
        ties: str = "incomparable",
        nan_policy: str = "raise",
    ) -> PosetSample: ...
    def normalize(
        self,
        *,
        objectives: ObjectivesLike = None,
        method: str = "cdf",
        reference: ReferenceLike = None,
        by: Any = None,
        nan_policy: str = "raise",
    ) -> pd.DataFrame: ...
    @overload
    def copa(
        self,
        *,
        objectives: ObjectivesLike = None,
        p: float | str = "inf",
        weights: WeightsLike = None,
        where: Where = None,
        normalize: str = "cdf",
        reference: ReferenceLike = None,
        by: None = None,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> Selection: ...
    @overload
    def copa(
        self,
        *,
        objectives: ObjectivesLike = None,
        p: float | str = "inf",
        weights: WeightsLike = None,
        where: Where = None,
        normalize: str = "cdf",
        reference: ReferenceLike = None,
        by: Any,
        nan_policy: str = "raise",
        bounds: Bounds = None,
    ) -> Grouped[Selection]: ...
    def audit(
        self,
        *,
        system: Any,
        repeat: Any = None,
        claims: ClaimsLike = None,
        by: Any = None,
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        n_resamples: int = 5000,
        alternative: str = "two-sided",
        paired: bool = False,
        unit: str = "run",
        log: Any = None,
        method: str = "auto",
        alpha: float = 0.05,
        nan_policy: str = "raise",
        rng: int | np.random.Generator | None = 0,
        two_sided: str = "tails",
        progress: bool = True,
        indicator: str = "hypervolume",
    ) -> Audit: ...
    def hv_test(
        self,
        new: Any,
        baseline: Any,
        *,
        system: Any,
        repeat: Any = None,
        objectives: ObjectivesLike = None,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        n_resamples: int = 5000,
        alternative: str = "two-sided",
        paired: bool = False,
        unit: str = "run",
        log: Any = None,
        method: str = "auto",
        alpha: float = 0.05,
        nan_policy: str = "raise",
        rng: int | np.random.Generator | None = 0,
        two_sided: str = "tails",
        indicator: str = "hypervolume",
    ) -> HypervolumeTest: ...
    def gsd_front(
        self,
        *,
        system: Hashable | list[Hashable],
        item: Hashable | list[Hashable],
        ordinal: Hashable | Sequence[Hashable] = ...,
        objectives: ObjectivesLike = None,
        bins: int | None = None,
        regularization: float = 0.0,
        nan_policy: str = "raise",
        progress: bool = True,
    ) -> GsdFront: ...

class PandasVerbs(MooVerbs):
    def define(
        self,
        objectives: Mapping[str, str] | pd.DataFrame | None = None,
        /,
        *,
        system: Column = ...,
        item: Column = ...,
        cluster: Column = ...,
        repeat: Column = ...,
        order: Hashable | None = ...,
        validation: str | None = ...,
        test: str | None = ...,
        known: Column = ...,
        standard_error: Mapping[str, Any] | str | None = ...,
        n: Any = ...,
        bounds: Bounds = ...,
        log: Column = ...,
        show: Column = ...,
        nan_policy: str | None = ...,
        **directions: DirectionLike,
    ) -> pd.DataFrame: ...
