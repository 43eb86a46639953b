from .bars import plot_selection
from .bump import plot_bump
from .front import plot_front, staircase
from .navigation import plot_navigation
from .parallel import plot_parallel
from .style import CONTINUOUS, GREY, LINESTYLES, MARKERS, PALETTE, better_arrow, report_style
from .labels import label_points
from .sweep import places_along_front, plot_sweep
from .stability import plot_stability
from .weight_regions import plot_weight_regions
