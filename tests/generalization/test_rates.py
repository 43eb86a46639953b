"""Intervals of gaps cover what they should, simulated in small; ``benchmarks.error_rates`` has them in full."""

import pytest

from benchmarks.error_rates import generalization
from benchmarks.error_rates.generalization import BOOTSTRAP, REPEATS


@pytest.mark.slow
def test_levels_are_kept():
    rates = [
        *generalization.bootstrap_rates(20, (BOOTSTRAP[0], BOOTSTRAP[7])),
        *generalization.repeat_rates(50, REPEATS[3:]),
    ]
    missed = [f"{rate.what}, {rate.setting}: {rate.actual:.2f}" for rate in rates if not rate.keeps_level_or_warns]
    assert not missed
