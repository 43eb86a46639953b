"""What takes long is forecast, and refused before it begins."""

import time

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import costs
from tests import asked


def _scores(n_systems, n_items, n_objectives=1):
    rng = np.random.default_rng(0)
    skills = np.linspace(0.3, 0.9, n_systems)[:, None]
    frame = pd.DataFrame({
        "system": np.repeat(np.arange(n_systems), n_items), "item": np.tile(np.arange(n_items), n_systems)
    })  # fmt: skip
    for k in range(n_objectives):
        frame[f"score_{k}"] = (rng.random((n_systems, n_items)) < rng.permutation(skills)).ravel().astype(float)
    return frame, {"system": "system", "item": "item", "objectives": {f"score_{k}": "max" for k in range(n_objectives)}}


@pytest.mark.slow
@pytest.mark.parametrize("verb", [asked.board, asked.confident_front])
def test_pairs_of_many_systems_are_refused_with_a_forecast_before_the_work(verb):
    frame, options = _scores(700, 10)
    begin = time.process_time()
    words = r"All pairs of 700 systems are forecast to take \d+ \w+ and .* `max_seconds`"
    with pytest.raises(ValueError, match=words), copa_nb.options(max_seconds=1e-3):
        verb(frame, **options, n_resamples=200_000)
    # With 200,000 draws, a minute.
    assert time.process_time() - begin < 15
    with copa_nb.options(max_seconds=1e-3):
        assert len(verb(frame, **options, n_resamples=100).table) == 700  # not worth a forecast


@pytest.mark.parametrize("verb", [asked.board, asked.confident_front])
def test_pairs_that_need_too_much_memory_are_refused_at_once(verb, monkeypatch):
    frame, options = _scores(8_000, 6)
    monkeypatch.setattr(costs, "_seconds", lambda call: pytest.fail("no need to run any"))
    with pytest.raises(ValueError, match=r"All pairs of 8,000 systems are forecast .* and 6\.\d GB of memory"):
        verb(frame, **options)


def test_the_forecast_of_memory_is_that_of_the_arrays(monkeypatch):
    import tracemalloc

    frame, options = _scores(600, 10, 2)
    forecast = []
    monkeypatch.setattr(costs, "refuse_costly", lambda what, seconds, size, *others: forecast.append(size))
    asked.board(frame, **options)
    tracemalloc.start()
    with copa_nb.options(max_seconds=None):
        asked.board(frame, **options)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.7 * most < forecast[0] < 1.5 * most


@pytest.mark.slow
def test_a_forecast_does_not_change_the_answer():
    frame, options = _scores(520, 10)
    with copa_nb.options(max_seconds=60.0):
        found = asked.board(frame, **options)
    with copa_nb.options(max_seconds=None):
        expected = asked.board(frame, **options)
    pd.testing.assert_frame_equal(found.table, expected.table)
