from .audit import plot_audit
from .bars import plot_selection as plot_selection
from .boxes import out_of_view as out_of_view
from .boxes import plot_ccdf as plot_ccdf
from .boxes import plot_scaled_performance as plot_scaled_performance
from .bump import plot_bump as plot_bump
from .depth import plot_depth as plot_depth
from .front import plot_front as plot_front
from .front import staircase as staircase
from .gap import plot_gap as plot_gap
from .gap_budget import plot_gap_budget as plot_gap_budget
from .gap_comparison import plot_gap_comparison as plot_gap_comparison
from .gap_comparison import plot_verdicts as plot_verdicts
from .gap_repeats import plot_gap_repeats as plot_gap_repeats
from .hasse import plot_hasse as plot_hasse
from .hasse_figure import plot_hasse_figure as plot_hasse_figure
from .labels import label_points as label_points
from .log_axis import plain_log as plain_log
from .navigation import plot_navigation as plot_navigation
from .null_distribution import plot_null_distribution
from .pair_counts import plot_pair_counts as plot_pair_counts
from .parallel import plot_parallel as plot_parallel
from .power import plot_power
from .shared_legend import shared_legend as shared_legend
from .stability import plot_stability as plot_stability
from .style import CONTINUOUS as CONTINUOUS
from .style import GREY as GREY
from .style import LINESTYLES as LINESTYLES
from .style import MARKERS as MARKERS
from .style import PALETTE as PALETTE
from .style import better_arrow as better_arrow
from .style import report_style as report_style
from .sweep import places_along_front as places_along_front
from .sweep import plot_sweep as plot_sweep
from .weight_regions import plot_weight_regions as plot_weight_regions
