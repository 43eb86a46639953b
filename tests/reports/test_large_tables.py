"""Very large tables: what a report keeps of them, what its page says of that, and that nothing else changes."""

import matplotlib.pyplot as plt
import pandas as pd

from copa_nb.reports import Record
from copa_nb.reports import record as module
from copa_nb.reports.payloads import FIGURE, TABLE


def test_files_are_thinned_and_captions_say_so(monkeypatch):
    kept = {}
    monkeypatch.setattr(module, "emit", lambda payload=None, *, kind="", **rest: kept.update({kind: payload}))
    frame = pd.DataFrame({"n": range(50_001)})
    Record().table(frame, name="rows", caption="All rows.")
    figure, ax = plt.subplots()
    ax.plot([0, 1])
    Record().figure(figure, name="line", caption="A line.", alt="A line.", data=frame)
    table, drawn = kept[TABLE], kept[FIGURE]
    assert table["total"] == 50_001
    assert table["csv"].count("\n") == 20_001
    assert table["caption"] == "All rows. The files have the first 20,000 of 50,001 rows."
    assert drawn["csv"].splitlines()[1:3] == ["0", "3"]
    assert drawn["csv"].count("\n") == 16_668
    assert drawn["caption"] == "A line. The data file contains one in every 3 of 50,001 rows."
