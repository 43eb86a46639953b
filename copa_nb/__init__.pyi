__version__: str

from .analysis.audit import Audit, audit
from .analysis.comparison import Comparison, compare
from .analysis.elicitation import Elicitation
from .analysis.gap import gap
from .analysis.gap_bootstrap import gap_bootstrap
from .analysis.gap_budgets import GapBudgets, gap_budgets
from .analysis.gap_comparison import compare_gaps
from .analysis.gap_repeats import GapRepeats
from .analysis.gap_result import Gap
from .analysis.gap_verdicts import GapComparison, RepeatedComparison
from .analysis.navigation import Navigation, navigate
from .analysis.noise import NoiseModel
from .analysis.normalization import normalize
from .analysis.partial_order_consensus import Consensus
from .analysis.partial_order_depth import Agreement, DepthResult
from .analysis.partial_orders import PosetSample, posets
from .analysis.populations import Reference
from .analysis.power import Power, SeedsNeeded, noise_for_power, power, seeds_needed
from .analysis.preferences import ConflictError, Preferences, weights_from
from .analysis.recommended_report import RecommendedReport, recommended_report
from .analysis.selection import Selection, copa
from .analysis.sensitivity import Sensitivity, sensitivity
from .analysis.significance import HypervolumeTest, hv_test
from .analysis.stability import Stability, rank_errors, stability
from .analysis.standings import Standings, standings
from .analysis.suites import SuiteComparison, SuiteReview, compare_suites
from .objectives import Objectives, define
from .pareto.front import front, is_front, layers
from .pareto.hypervolume import Hypervolume, hypervolume
from .reports.interactive import report
from .widgets.choice import ChoiceExplorer, explore
from .widgets.elicitation import ElicitationExplorer, elicit
from .widgets.gap import GapExplorer, explore_gap
from .widgets.posets import PosetExplorer, explore_posets
from .widgets.significance import HypervolumeTestExplorer, explore_test
