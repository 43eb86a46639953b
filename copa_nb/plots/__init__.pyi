from .bars import plot_selection
from .bump import plot_bump
from .front import plot_front, staircase
from .navigation import plot_navigation
from .parallel import plot_parallel
from .style import CONTINUOUS, GREY, LINESTYLES, MARKERS, PALETTE, better_arrow, report_style
from .sweep import plot_sweep
