"""Very large tables are drawn thinned: fewer marks, the same counts and extremes."""

import numpy as np
import pandas as pd

from copa_nb import plots


def test_a_front_of_very_many_rows_is_drawn_thinned():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((120_001, 2)), columns=["a", "b"])
    frame.iloc[77] = [7.0, 0.5]
    ax = plots.plot_front(frame, objectives={"a": "min", "b": "min"})
    rest, front = ax.collections[:2]
    drawn = rest.get_offsets()
    assert len(drawn) <= 50_004
    assert drawn[:, 0].max() == 7.0, "the outermost rows are drawn"
    n_front = len(front.get_offsets())
    assert rest.get_label() == f"dominated ({len(frame) - n_front:,})"
