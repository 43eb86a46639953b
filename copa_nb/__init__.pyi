__version__: str

from .analysis.comparison import Comparison, compare
from .analysis.gap import Gap, gap
from .analysis.gap_bootstrap import gap_bootstrap
from .analysis.gap_budgets import GapBudgets, gap_budgets
from .analysis.gap_comparison import GapComparison, RepeatedComparison, compare_gaps
from .analysis.gap_repeats import GapRepeats
from .analysis.indicators import Hypervolume, hypervolume
from .analysis.navigation import Navigation, navigate
from .analysis.normalization import normalize
from .analysis.populations import Reference
from .analysis.pareto import front, is_front, layers
from .analysis.selection import Selection, copa
from .analysis.significance import HypervolumeTest, hv_test
from .objectives import Objectives, define
