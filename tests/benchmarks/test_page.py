"""Measurements of speed: what is read from the file of ``make bench``, judged and drawn."""

import json

import matplotlib.pyplot as plt
import pytest

from benchmarks import page as speed
from copa_nb.plotting.pictures import picture_of


def _figure(**given):
    row = {
        "area": "front", "what": "front, through the accessor", "data": "uniform", "rows": 100, "objectives": 2,
        "peer": "moocore", "milliseconds": 1.0, "peer_milliseconds": 4.0, "megabytes": None, "peer_megabytes": None,
        "ratio": 0.25, "cpu_ratio": 0.25, "ratio_of": "time / peer's time", "target": 0.5, "verdict": "reached",
    }  # fmt: skip
    return row | given


@pytest.fixture
def measured(tmp_path):
    figures = [
        _figure(),
        _figure(objectives=3, ratio=0.75, verdict="falls short"),
        _figure(peer="pandas", rows=10, ratio=0.001, target=None, verdict=""),
        _figure(area="choice", what="copa", peer="ranking", ratio=0.4),
    ]
    content = {
        "date": "2026-01-01", "machine": {"processors": 2, "system": "Linux", "python": "3.11"}, "load": 1.2,
        "versions": {}, "figures": figures, "growth": [],
        "reports": {"a": {"kernel": 1.0, "computing": 3.0}, "b": {"kernel": 1.0, "computing": 1.0}},
    }  # fmt: skip
    (tmp_path / "benchmarks.json").write_text(json.dumps(content))
    return speed.read_measurements(str(tmp_path))


def test_what_is_judged(measured):
    assert len(measured.judged) == 3
    assert measured.reached == 2
    assert measured.falling_short["ratio"].tolist() == [0.75]
    assert measured.answer.headline.startswith("2 of 3 targets")
    assert "0.25 to 0.75 times as long as moocore" in measured.answer.headline


def test_tables_leave_out_what_is_empty(measured):
    table = measured.of_area("choice")["frame"]
    assert table.loc[0, "what"] == "copa"
    assert "MB" not in table, "nothing was measured"
    ratios = measured.front_ratios.set_index("K")
    assert ratios.loc[2, "moocore"] == "0.25"
    assert ratios.loc[2, "pandas"] == "0.001 (10)", "fewer rows stand in brackets"
    assert ratios.loc[3, "pandas"] == "–"


@pytest.mark.parametrize("plot", [speed.plot_targets, speed.plot_fronts, speed.plot_report_seconds])
def test_pictures_are_drawn_and_described(measured, plot):
    if plot is speed.plot_fronts:
        figure = plot(measured)
    else:
        figure, ax = plt.subplots(layout="constrained")
        plot(measured, ax=ax)
    figure.draw_without_rendering()
    plt.close(figure)
    picture = picture_of(plot, measured)
    assert picture.alt.endswith(".")
    assert "of 3 targets" in picture.finding or "%" in picture.finding.replace(" %", "%")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"`results` is .* Run `make bench`"):
        speed.read_measurements(str(tmp_path))
