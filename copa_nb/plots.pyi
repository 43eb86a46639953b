from .generalization.plots import plot_gap_budget as plot_gap_budget
from .generalization.plots import plot_gap_comparison as plot_gap_comparison
from .generalization.plots import plot_verdicts as plot_verdicts
from .generalization.plots import plot_gap as plot_gap
from .generalization.plots import plot_gap_repeats as plot_gap_repeats
from .pareto.plots import plot_front as plot_front
from .pareto.plots import staircase as staircase
from .partial_orders.plots import plot_depth as plot_depth
from .partial_orders.plots import plot_hasse as plot_hasse
from .partial_orders.plots import plot_hasse_figure as plot_hasse_figure
from .partial_orders.plots import plot_pair_counts as plot_pair_counts
from .plotting.labels import label_points as label_points
from .plotting.legend import shared_legend as shared_legend
from .plotting.log_axis import plain_log as plain_log
from .plotting.style import CONTINUOUS as CONTINUOUS
from .plotting.style import GREY as GREY
from .plotting.style import LINESTYLES as LINESTYLES
from .plotting.style import MARKERS as MARKERS
from .plotting.style import PALETTE as PALETTE
from .plotting.style import better_arrow as better_arrow
from .plotting.style import report_style as report_style
from .selection.plots.bars import plot_selection as plot_selection
from .selection.plots.boxes import out_of_view as out_of_view
from .selection.plots.boxes import plot_ccdf as plot_ccdf
from .selection.plots.boxes import plot_scaled_performance as plot_scaled_performance
from .selection.plots.bump import plot_bump as plot_bump
from .selection.plots.navigation import plot_navigation as plot_navigation
from .selection.plots.parallel import plot_parallel as plot_parallel
from .selection.plots.stability import plot_stability as plot_stability
from .selection.plots.navigation import places_along_front as places_along_front
from .selection.plots.navigation import plot_sweep as plot_sweep
from .selection.plots.weight_regions import plot_weight_regions as plot_weight_regions
from .significance.plots import plot_audit
from .significance.plots import plot_null_distribution
from .significance.plots import plot_power
