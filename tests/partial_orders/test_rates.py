"""Intervals of depths cover what they should, simulated in small; ``benchmarks.error_rates`` has them in full."""

import pytest

from benchmarks.error_rates import partial_orders


@pytest.mark.slow
def test_levels_are_kept():
    rates = [
        *partial_orders.bootstrap_rates(25, partial_orders.SETTINGS[:1]),
        *partial_orders.sampling_rates(30, partial_orders.SAMPLED[:1]),
    ]
    missed = [f"{rate.what}, {rate.setting}: {rate.actual:.2f}" for rate in rates if not rate.keeps_level]
    assert not missed
