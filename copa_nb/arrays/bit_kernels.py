"""Sets as words of bits, in compiled loops."""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.compiled import inlined

_ONE = np.uint64(1)
# Position of the lowest set bit by multiplication with a de Bruijn sequence.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT_POSITION = np.zeros(64, dtype=np.int64)
for _position in range(64):
    _BIT_POSITION[((0x03F79D71B4CB0A89 << _position) & 0xFFFFFFFFFFFFFFFF) >> 58] = _position


@inlined
def lowest_bit(word):  # type: ignore[no-untyped-def]
    """Position of the lowest bit of a word that is not zero."""
    return _BIT_POSITION[((word & (~word + _ONE)) * _DE_BRUIJN) >> np.uint64(58)]
