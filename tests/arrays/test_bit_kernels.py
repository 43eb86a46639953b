import numpy as np

from copa_nb.arrays.bit_kernels import lowest_bit
from tests.each import hold_for_each


def test_the_lowest_bit_is_found_whatever_stands_above_it():
    hold_for_each(range(64), _is_found)


def _is_found(place):
    rng = np.random.default_rng(place)
    above = [0, 2**64 - 1, *rng.integers(0, 2**63, 20).tolist()]
    for bits in above:
        word = (bits << (place + 1) | 1 << place) % 2**64
        assert lowest_bit(np.uint64(word)) == place
