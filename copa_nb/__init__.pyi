__version__: str

from .analysis.comparison import Comparison, compare
from .analysis.indicators import Hypervolume, hypervolume
from .analysis.navigation import Navigation, navigate
from .analysis.normalization import normalize
from .analysis.populations import Reference
from .analysis.pareto import front, is_front, layers
from .analysis.selection import Selection, copa
from .objectives import Objectives, define
