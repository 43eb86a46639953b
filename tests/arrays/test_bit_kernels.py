import numpy as np
import pytest

from copa_nb.arrays.bit_kernels import lowest_bit


@pytest.mark.parametrize("place", range(64))
def test_the_lowest_bit_is_found_whatever_stands_above_it(place):
    rng = np.random.default_rng(place)
    above = [0, 2**64 - 1, *rng.integers(0, 2**63, 20).tolist()]
    for bits in above:
        word = (bits << (place + 1) | 1 << place) % 2**64
        assert lowest_bit(np.uint64(word)) == place
