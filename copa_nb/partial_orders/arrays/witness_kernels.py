"""Compiled kernels of the union-free generic depth: is a given set of relations generic?

A relation of n items is a row of words in which the pair (i, j) is bit ``(i % rows) * n + j`` of word
``i // rows``, with ``rows = 64 // n``; the pairs (i, i) are set. Where there are ties as many words again say,
at the same places, which items are indifferent. A bit is called a feature.

For a set S four such rows say all there is to know: the intersection I, the union U, the features that
exactly one member has (`once`) and those that exactly one member lacks (`lacking`). Of member s,
``lacking & ~s`` are the features that all others share and s lacks (A_s), ``once & s`` those that s alone
has (U_s).

Small functions are inlined and take an array with a row number rather than a row: a call that passes arrays
counts references, and two threads that count the same ones wait for each other. None calls itself: a
self-recursive function crashes when it comes out of numba's cache.
"""

from __future__ import annotations

import numpy as np

from copa_nb.bit_kernels import lowest_bit
from copa_nb.compiled import compiled, inlined

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
# Columns of the table of places: item i, word of row j, where row j starts in it, feature of (j, i).
ITEM, OTHER_WORD, OTHER_SHIFT, REVERSE = 0, 1, 2, 3


@inlined
def start_set(bits, member, level, inter, union, lacking, once):  # type: ignore[no-untyped-def]
    """Describe the set of one member, in row `level`."""
    for w in range(bits.shape[1]):
        inter[level, w] = bits[member, w]
        union[level, w] = bits[member, w]
        lacking[level, w] = ~bits[member, w]
        once[level, w] = bits[member, w]


@inlined
def extend_set(bits, member, level, child, inter, union, lacking, once):  # type: ignore[no-untyped-def]
    """Describe, in row `child`, the set of row `level` with one more member."""
    for w in range(bits.shape[1]):
        row = bits[member, w]
        lacking[child, w] = (lacking[level, w] & row) | (inter[level, w] & ~row)
        once[child, w] = (once[level, w] & ~row) | (row & ~union[level, w])
        inter[child, w] = inter[level, w] & row
        union[child, w] = union[level, w] | row


@inlined
def private_features(bits, members, size, level, lacking, once, shared_lacks, own):  # type: ignore[no-untyped-def]
    """Write A_s and U_s of every member; return how many members have no A_s."""
    needy = 0
    for position in range(size):
        s = members[position]
        any_lack = _ZERO
        for w in range(bits.shape[1]):
            lack = lacking[level, w] & ~bits[s, w]
            shared_lacks[position, w] = lack
            own[position, w] = once[level, w] & bits[s, w]
            any_lack |= lack
        if any_lack == _ZERO:
            needy += 1
    return needy


@inlined
def _fits(found, level, union, row, feature, table, shape):  # type: ignore[no-untyped-def]
    """Tell whether the pair of a feature and all it implies stay within the union (ties left out)."""
    half, first_column, row_mask, ties = shape
    item = table[feature, ITEM]
    other = found[level, np.int64(table[feature, OTHER_WORD])] >> table[feature, OTHER_SHIFT]
    fits = ties or (other >> item) & _ONE == _ZERO
    if fits:
        downwards = other & row_mask
        outside = _ZERO
        for w in range(half):
            outside |= (((found[level, w] >> item) & first_column) * downwards) & ~union[row, w]
        fits = outside == _ZERO
    return fits


@inlined
def _close_with(found, level, feature, table, shape):  # type: ignore[no-untyped-def]
    """Add the pair of a feature to a relation, in place, and close transitively.

    Everything from i upwards comes to stand above everything from j downwards. The product of a word with one
    bit per row and a word of n bits writes those n bits into these rows.
    """
    half, first_column, row_mask, _ = shape
    item = table[feature, ITEM]
    other = found[level, np.int64(table[feature, OTHER_WORD])] >> table[feature, OTHER_SHIFT]
    downwards = other & row_mask
    for w in range(half):
        found[level, w] |= ((found[level, w] >> item) & first_column) * downwards


@compiled
def _settle_ties(found, level, table, half):  # type: ignore[no-untyped-def]
    """Write which pairs are mutual into the second half of the words."""
    for w in range(half):
        ties = _ZERO
        word = found[level, w]
        while word != _ZERO:
            bit = lowest_bit(word)
            feature = 64 * w + bit
            back = found[level, np.int64(table[feature, OTHER_WORD])] >> table[feature, OTHER_SHIFT]
            ties |= ((back >> table[feature, ITEM]) & _ONE) << np.uint64(bit)
            word &= word - _ONE
        found[level, half + w] = ties


@inlined
def _grow(found, level, grown, feature, union, row, table, shape):  # type: ignore[no-untyped-def]
    """Write the smallest relation that holds a fitting feature in row `grown`; say whether its ties fit."""
    half, _, _, ties = shape
    words = found.shape[1]
    for w in range(words):
        found[grown, w] = found[level, w]
    _close_with(found, grown, feature, table, shape)
    outside = _ZERO
    if ties:
        if feature >= 64 * half:
            _close_with(found, grown, np.int64(table[feature, REVERSE]), table, shape)
        _settle_ties(found, grown, table, half)
        for w in range(words):
            outside |= found[grown, w] & ~union[row, w]
    return outside == _ZERO


@inlined
def _is_served(found, level, position, shared_lacks, own):  # type: ignore[no-untyped-def]
    served = _ZERO
    for w in range(found.shape[1]):
        served |= (shared_lacks[position, w] & ~found[level, w]) | (own[position, w] & found[level, w])
    return served != _ZERO


@inlined
def _next_unserved(found, level, size, shared_lacks, own):  # type: ignore[no-untyped-def]
    """Find a member that is not served, one with a single feature if there is any; -1 when all are served."""
    chosen = -1
    for position in range(size):
        if _is_served(found, level, position, shared_lacks, own):
            continue
        chosen = position
        seen = _ZERO
        several = _ZERO
        for w in range(found.shape[1]):
            word = own[position, w]
            several |= word & (word - _ONE)
            if word != _ZERO:
                several |= seen
                seen = word
        if several == _ZERO:
            break
    return chosen


@compiled
def _dive(inter, union, row, size, shared_lacks, own, table, shape, found):  # type: ignore[no-untyped-def]
    """Serve one member after the other without looking back: 1 found, 0 none exists, -1 unknown.

    As long as only one feature fits each time, every witness has all that was added; the last relation of
    which that holds is left in the last row of `found`.
    """
    words = found.shape[1]
    base = found.shape[0] - 1
    for w in range(words):
        found[0, w] = inter[row, w]
    now = 0
    forced = True
    while True:
        position = _next_unserved(found, now, size, shared_lacks, own)
        if position < 0:
            return 1
        fitting = 0
        for w in range(words):
            word = own[position, w] & union[row, w]
            while word != _ZERO and fitting < (2 if forced else 1):
                feature = 64 * w + lowest_bit(word)
                word &= word - _ONE
                if _fits(found, now, union, row, feature, table, shape) and (
                    fitting > 0 or _grow(found, now, 1 - now, feature, union, row, table, shape)
                ):
                    fitting += 1
        if fitting == 0:
            return 0 if forced else -1
        if fitting > 1 and forced:
            forced = False
            for w in range(words):
                found[base, w] = found[now, w]
        now = 1 - now


@compiled
def _dive_in_one_word(matrix, union, size, shared_lacks, own, table, shape, found):  # type: ignore[no-untyped-def]
    """Do what :func:`_dive` does where a relation is one word, without ties: several times faster."""
    _, first_column, row_mask, _ = shape
    forced = True
    # At most 56 features, so at most 56 members.
    unserved = (_ONE << np.uint64(size)) - _ONE
    while True:
        chosen = -1
        left = unserved
        while left != _ZERO:
            position = lowest_bit(left)
            left &= left - _ONE
            mine = own[position, 0]
            if mine & matrix != _ZERO:
                unserved &= ~(_ONE << np.uint64(position))
            elif shared_lacks[position, 0] & ~matrix == _ZERO:
                chosen = position
                if mine & (mine - _ONE) == _ZERO:
                    break
        if chosen < 0:
            return 1
        grown = _ZERO
        several = False
        word = own[chosen, 0] & union
        while word != _ZERO:
            feature = lowest_bit(word)
            word &= word - _ONE
            item = table[feature, ITEM]
            other = matrix >> table[feature, OTHER_SHIFT]
            if (other >> item) & _ONE == _ZERO:
                implied = ((matrix >> item) & first_column) * (other & row_mask)
                if implied & ~union == _ZERO:
                    if grown != _ZERO:
                        several = True
                        break
                    grown = matrix | implied
                    if not forced:
                        break
        if grown == _ZERO:
            return 0 if forced else -1
        if several and forced:
            forced = False
            found[found.shape[0] - 1, 0] = matrix
        matrix = grown


@compiled
def _search_in_one_word(union, size, shared_lacks, own, table, shape, found, fitting, waiting):  # type: ignore[no-untyped-def]
    """Do what :func:`_search` does where a relation is one word, without ties."""
    _, first_column, row_mask, _ = shape
    found[0, 0] = found[found.shape[0] - 1, 0]
    fitting[0, 0] = union
    level = 0
    arriving = True
    while level >= 0:
        matrix = found[level, 0]
        if arriving:
            arriving = False
            fitted = fitting[level, 0]
            choices = _ZERO
            unserved = False
            for position in range(size):
                mine = own[position, 0]
                if mine & matrix == _ZERO and shared_lacks[position, 0] & ~matrix == _ZERO:
                    unserved = True
                    choices = mine & fitted
                    if choices & (choices - _ONE) == _ZERO:
                        break
            if not unserved:
                return True
            waiting[level, 0] = choices
        word = waiting[level, 0]
        if word == _ZERO:
            level -= 1
            continue
        bit = word & (~word + _ONE)
        waiting[level, 0] = word ^ bit
        # Tried in vain or unfit, no witness above this level's relation has the feature.
        fitting[level, 0] &= ~bit
        feature = lowest_bit(bit)
        item = table[feature, ITEM]
        other = matrix >> table[feature, OTHER_SHIFT]
        if (other >> item) & _ONE == _ZERO:
            implied = ((matrix >> item) & first_column) * (other & row_mask)
            if implied & ~union == _ZERO:
                fitting[level + 1, 0] = fitting[level, 0]
                level += 1
                found[level, 0] = matrix | implied
                arriving = True
    return False


@compiled
def _choose(  # type: ignore[no-untyped-def]
    level, union, row, size, shared_lacks, own, table, shape, found, fitting, waiting
):
    """Drop the features that no longer fit; take the unserved member with the fewest as the next to serve.

    Writes its features to `waiting`. Returns how many there are: 0 is a dead end, -1 says that all are served.
    """
    words = found.shape[1]
    for w in range(words):
        word = fitting[level, w] & ~found[level, w]
        while word != _ZERO:
            bit = lowest_bit(word)
            if not _fits(found, level, union, row, 64 * w + bit, table, shape):
                fitting[level, w] &= ~(_ONE << np.uint64(bit))
            word &= word - _ONE
    fewest = -1
    for position in range(size):
        if _is_served(found, level, position, shared_lacks, own):
            continue
        count = 0
        for w in range(words):
            word = own[position, w] & fitting[level, w]
            while word != _ZERO:
                count += 1
                word &= word - _ONE
        if fewest < 0 or count < fewest:
            fewest = count
            for w in range(words):
                waiting[level, w] = own[position, w] & fitting[level, w]
    return fewest


@compiled
def _search(  # type: ignore[no-untyped-def]
    union, row, size, shared_lacks, own, table, shape, found, fitting, waiting
):
    """Look for a witness with backtracking, on an explicit stack, from where the dive was no longer forced."""
    words = found.shape[1]
    for w in range(words):
        found[0, w] = found[found.shape[0] - 1, w]
        fitting[0, w] = _ZERO
        for position in range(size):
            fitting[0, w] |= own[position, w]
    level = 0
    outcome = _choose(0, union, row, size, shared_lacks, own, table, shape, found, fitting, waiting)
    while level >= 0 and outcome >= 0:
        feature = -1
        for w in range(words):
            if waiting[level, w] != _ZERO:
                bit = lowest_bit(waiting[level, w])
                feature = 64 * w + bit
                waiting[level, w] &= waiting[level, w] - _ONE
                # Once tried in vain, no witness above this level's relation has the feature.
                fitting[level, w] &= ~(_ONE << np.uint64(bit))
                break
        if feature < 0:
            level -= 1
        elif _grow(found, level, level + 1, feature, union, row, table, shape):
            level += 1
            for w in range(words):
                fitting[level, w] = fitting[level - 1, w]
            outcome = _choose(level, union, row, size, shared_lacks, own, table, shape, found, fitting, waiting)
    return outcome < 0


@inlined
def has_witness(  # type: ignore[no-untyped-def]
    inter, union, row, size, shared_lacks, own, table, shape, found, fitting, waiting
):
    """Tell whether a relation q between I and U lacks some of A_s or has some of U_s for every member s.

    Starts from I. While a member s is not served, some feature of U_s has to be in q: each that fits is tried
    in turn, and the smallest relation that holds it is the next level of the stack. A dive without looking
    back settles most sets. `found`, `fitting` and `waiting` are working space, one row per level (and one more).
    """
    if found.shape[1] == 1:
        outcome = _dive_in_one_word(inter[row, 0], union[row, 0], size, shared_lacks, own, table, shape, found)
    else:
        outcome = _dive(inter, union, row, size, shared_lacks, own, table, shape, found)
    if outcome < 0 and found.shape[1] == 1:
        outcome = _search_in_one_word(union[row, 0], size, shared_lacks, own, table, shape, found, fitting, waiting)
    elif outcome < 0:
        outcome = _search(union, row, size, shared_lacks, own, table, shape, found, fitting, waiting)
    return outcome == 1
