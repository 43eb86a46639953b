# Written by `make generate`; do not edit.
from .pareto.plots import plot_front as plot_front
from .pareto.plots import staircase as staircase
from .plotting.axes import outer_legend as outer_legend
from .plotting.axes import panels as panels
from .plotting.hasse import plot_hasse as plot_hasse
from .plotting.labels import label_points as label_points
from .plotting.style import LINESTYLES as LINESTYLES
from .plotting.style import MARKERS as MARKERS
from .plotting.style import PALETTE as PALETTE
from .plotting.style import better_arrow as better_arrow
from .plotting.style import report_style as report_style
from .selection.plots.decisions import plot_parallel as plot_parallel
