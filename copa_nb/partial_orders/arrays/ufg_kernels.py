"""Compiled kernels of the union-free generic depth: which sets are generic, all of them or some at random.

The representation of relations and sets is that of :mod:`copa_nb.partial_orders.arrays.witness_kernels`. Numba does not
see that a function it inlined from there, or from :mod:`copa_nb.bit_kernels`, has changed: after an edit, touch this
file as well.
"""

from __future__ import annotations

import numpy as np

from copa_nb.bit_kernels import lowest_bit
from copa_nb.compiled import compiled, inlined
from copa_nb.partial_orders.arrays.witness_kernels import extend_set, has_witness, private_features, start_set

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@inlined
def _keep_joinable(joinable, level, size, shared_lacks, own, holders):  # type: ignore[no-untyped-def]
    """Drop the relations that would leave some member without a feature of A_s or U_s; say if any is left.

    Hereditary and necessary: a relation leaves s one of A_s by having it, one of U_s by not having it.
    """
    left = _ONE
    for position in range(size):
        if left == _ZERO:
            break
        left = _ZERO
        for v in range(joinable.shape[1]):
            if joinable[level, v] == _ZERO:
                continue
            leaves = _ZERO
            for w in range(own.shape[1]):
                word = shared_lacks[position, w]
                while word != _ZERO:
                    leaves |= holders[64 * w + lowest_bit(word), v]
                    word &= word - _ONE
                word = own[position, w]
                while word != _ZERO:
                    leaves |= ~holders[64 * w + lowest_bit(word), v]
                    word &= word - _ONE
            joinable[level, v] &= leaves
            left |= joinable[level, v]
    return left != _ZERO


@inlined
def _some_superset_may_be(  # type: ignore[no-untyped-def]
    bits, joinable, level, spare, inter, union, size, shared_lacks, own, table, shape, found, fitting, waiting
):  # fmt: skip
    """Tell whether adding relations that may join can still make the set of row `level` generic.

    Adding members lowers I, raises U and takes features away from A_s and U_s: a witness of any superset would
    do for the present A_s and U_s between the I and the U of everything that may join, which are written to
    row `spare`.
    """
    for w in range(bits.shape[1]):
        inter[spare, w] = inter[level, w]
        union[spare, w] = union[level, w]
    for v in range(joinable.shape[1]):
        word = joinable[level, v]
        while word != _ZERO:
            r = 64 * v + lowest_bit(word)
            word &= word - _ONE
            for w in range(bits.shape[1]):
                inter[spare, w] &= bits[r, w]
                union[spare, w] |= bits[r, w]
    return has_witness(inter, union, spare, size, shared_lacks, own, table, shape, found, fitting, waiting)


@inlined
def _lying_between(inter, union, row, relevant, holders, everyone, inside):  # type: ignore[no-untyped-def]
    """Write, in row `row`, the bit set of all targets p with I ⊆ p ⊆ U."""
    words = inside.shape[1]
    for v in range(words):
        inside[row, v] = everyone[v]
    for w in range(inter.shape[1]):
        word = inter[row, w] & relevant[w]
        while word != _ZERO:
            feature = 64 * w + lowest_bit(word)
            word &= word - _ONE
            for v in range(words):
                inside[row, v] &= holders[feature, v]
        word = relevant[w] & ~union[row, w]
        while word != _ZERO:
            feature = 64 * w + lowest_bit(word)
            word &= word - _ONE
            for v in range(words):
                inside[row, v] &= ~holders[feature, v]


@compiled
def enumerate_branch(  # type: ignore[no-untyped-def]
    first, start, stop, observed_bits, weights, relevant, all_holders, everyone, all_places, shape, max_card,
    stop_flag, sums, generic_counts, generic_weights, work, node_limit
):  # fmt: skip
    """Depth-first over all sets that hold `first` and, next, one of the relations start .. stop - 1.

    A set that is not generic, and of which no superset can be, has its supersets cut off.

    A target that lies between I and U at one set does so at all supersets: its sum gets the weight of the
    whole subtree once, where it first lies between.

    Parameters
    ----------
    first, start, stop : int
        The branch; members of a set ascend.
    observed_bits : ndarray of uint64, shape (n_distinct, words)
        The distinct observed relations.
    weights : ndarray of float64, shape (n_distinct,)
        Share of the observations that equal each.
    relevant : ndarray of uint64, shape (words,)
        Features that some but not all observed relations have.
    all_holders : ndarray of uint64, shape (n_features, target_words)
        Bit set of the targets that have each feature; the observed relations are the first targets.
    everyone : ndarray of uint64, shape (target_words,)
        Bit set of all targets.
    all_places : ndarray of uint64, shape (n_features, 4)
        Where the pair of each feature lies, see :mod:`copa_nb.partial_orders.arrays.witness_kernels`.
    shape : tuple of (int, uint64, uint64, bool)
        Words of pairs, first bit of every row in a word, the n bits of a row, whether ties follow.
    max_card : int
        Largest size of a set.
    stop_flag : ndarray of uint8, shape (1,)
        Set to anything but 0 to stop early.
    sums, generic_counts, generic_weights : ndarray, shape (n_targets,), (max_card + 1,), (max_card + 1,)
        Results, added to.
    work : ndarray of int64, shape (1,)
        Sets visited, added to.
    node_limit : int
        Stop after so many sets (0 for no limit).

    Returns
    -------
    bool
        Whether the branch was finished.
    """
    # Copies of one's own: threads that count references to the same array wait for each other.
    bits, holders, table = observed_bits.copy(), all_holders.copy(), all_places.copy()
    n_distinct, words = bits.shape
    target_words = len(everyone)
    inter = np.zeros((max_card + 1, words), dtype=np.uint64)
    union = np.zeros((max_card + 1, words), dtype=np.uint64)
    lacking = np.zeros((max_card, words), dtype=np.uint64)
    once = np.zeros((max_card, words), dtype=np.uint64)
    shared_lacks = np.zeros((max_card, words), dtype=np.uint64)
    own = np.zeros((max_card, words), dtype=np.uint64)
    members = np.zeros(max_card, dtype=np.int64)
    weight = np.zeros(max_card)
    subtotal = np.zeros(max_card)
    joinable = np.zeros((max_card, target_words), dtype=np.uint64)
    inside = np.zeros((max_card, target_words), dtype=np.uint64)
    found = np.zeros((max_card + 3, words), dtype=np.uint64)
    fitting = np.zeros((max_card + 2, words), dtype=np.uint64)
    waiting = np.zeros((max_card + 2, words), dtype=np.uint64)

    members[0] = first
    weight[0] = weights[first]
    start_set(bits, first, 0, inter, union, lacking, once)
    for r in range(start, stop):
        joinable[0, r >> 6] |= _ONE << np.uint64(r & 63)

    nodes = 0
    level = 0
    while True:
        added = -1
        if level + 1 < max_card:
            for v in range(target_words):
                if joinable[level, v] != _ZERO:
                    added = 64 * v + lowest_bit(joinable[level, v])
                    joinable[level, v] &= joinable[level, v] - _ONE
                    break
        if added < 0:
            if level == 0:
                break
            amount = subtotal[level]
            if amount > 0.0:
                for v in range(target_words):
                    word = inside[level, v] & ~inside[level - 1, v]
                    while word != _ZERO:
                        sums[64 * v + lowest_bit(word)] += amount
                        word &= word - _ONE
                subtotal[level - 1] += amount
            level -= 1
            continue
        nodes += 1
        if (nodes & 4095 == 0 and stop_flag[0] != 0) or nodes == node_limit:
            work[0] += nodes
            return False

        child = level + 1
        size = child + 1
        members[child] = added
        weight[child] = weight[level] * weights[added]
        extend_set(bits, added, level, child, inter, union, lacking, once)
        generic = private_features(bits, members, size, child, lacking, once, shared_lacks, own) == 0
        # With an A_s for every member, I itself is a witness.
        if not generic:
            generic = has_witness(inter, union, child, size, shared_lacks, own, table, shape, found, fitting, waiting)
        if generic:
            generic_counts[size] += 1
            generic_weights[size] += weight[child]
        goes_on = size < max_card
        if goes_on:
            for v in range(target_words):
                joinable[child, v] = joinable[level, v]
            if level == 0:
                for r in range(stop, n_distinct):
                    joinable[child, r >> 6] |= _ONE << np.uint64(r & 63)
            goes_on = _keep_joinable(joinable, child, size, shared_lacks, own, holders)
        if goes_on and not generic:
            goes_on = _some_superset_may_be(
                bits, joinable, child, max_card, inter, union, size, shared_lacks, own, table, shape,
                found, fitting, waiting
            )  # fmt: skip
        if not goes_on and not generic:
            continue
        _lying_between(inter, union, child, relevant, holders, everyone, inside)
        subtotal[child] = weight[child] if generic else 0.0
        for v in range(target_words):
            joinable[child, v] = joinable[child, v] & ~inside[child, v] if goes_on else _ZERO
        level = child
    work[0] += nodes
    return True


@compiled
def judge_sets(  # type: ignore[no-untyped-def]
    chosen, observed_bits, relevant, all_holders, everyone, all_places, shape, stop_flag, inside_counts
):  # fmt: skip
    """Say how many of the given sets are generic, and how many of those hold each target between I and U.

    Parameters
    ----------
    chosen : ndarray of int64, shape (n_sets, size)
        Members of each set.
    observed_bits, relevant, all_holders, everyone, all_places, shape, stop_flag
        See :func:`enumerate_branch`.
    inside_counts : ndarray of int64, shape (n_targets,)
        Added to.

    Returns
    -------
    int
        Number of generic sets; -1 when stopped.
    """
    bits, holders, table = observed_bits.copy(), all_holders.copy(), all_places.copy()
    n_sets, size = chosen.shape
    words = bits.shape[1]
    inter = np.zeros((2, words), dtype=np.uint64)
    union = np.zeros((2, words), dtype=np.uint64)
    lacking = np.zeros((2, words), dtype=np.uint64)
    once = np.zeros((2, words), dtype=np.uint64)
    shared_lacks = np.zeros((size, words), dtype=np.uint64)
    own = np.zeros((size, words), dtype=np.uint64)
    found = np.zeros((size + 3, words), dtype=np.uint64)
    fitting = np.zeros((size + 2, words), dtype=np.uint64)
    waiting = np.zeros((size + 2, words), dtype=np.uint64)
    inside = np.zeros((2, len(everyone)), dtype=np.uint64)
    n_generic = 0
    for number in range(n_sets):
        if number & 1023 == 0 and stop_flag[0] != 0:
            return -1
        members = chosen[number]
        now = 0
        start_set(bits, members[0], now, inter, union, lacking, once)
        for position in range(1, size):
            extend_set(bits, members[position], now, 1 - now, inter, union, lacking, once)
            now = 1 - now
        generic = private_features(bits, members, size, now, lacking, once, shared_lacks, own) == 0
        if not generic:
            generic = has_witness(inter, union, now, size, shared_lacks, own, table, shape, found, fitting, waiting)
        if generic:
            n_generic += 1
            _lying_between(inter, union, now, relevant, holders, everyone, inside)
            for v in range(len(everyone)):
                word = inside[now, v]
                while word != _ZERO:
                    inside_counts[64 * v + lowest_bit(word)] += 1
                    word &= word - _ONE
    return n_generic


@compiled
def grow_chain(  # type: ignore[no-untyped-def]
    uniforms, observed_bits, relevant, all_holders, everyone, all_places, shape, choices, visited
):  # fmt: skip
    """Grow one random set for as long as relations may join; say which of its sizes the enumeration visits.

    Every set of size k that keeps the hereditary condition is reached in k! orders, so the product of the
    numbers of choices over k! estimates without bias how many there are; averaged where the depth-first search
    would come by, how many it visits.

    Parameters
    ----------
    uniforms : ndarray of float64, shape (max_card,)
        One random number per member.
    observed_bits, relevant, all_holders, everyone, all_places, shape
        See :func:`enumerate_branch`.
    choices : ndarray of int64, shape (max_card,)
        Written: how many relations could be the first, second, ... member.
    visited : ndarray of bool, shape (max_card + 1,)
        Written: whether the set of each size is visited.

    Returns
    -------
    int
        Size reached.
    """
    bits, holders, table = observed_bits.copy(), all_holders.copy(), all_places.copy()
    max_card = len(uniforms)
    n_distinct, words = bits.shape
    target_words = len(everyone)
    inter = np.zeros((max_card + 2, words), dtype=np.uint64)
    union = np.zeros((max_card + 2, words), dtype=np.uint64)
    lacking = np.zeros((max_card + 1, words), dtype=np.uint64)
    once = np.zeros((max_card + 1, words), dtype=np.uint64)
    shared_lacks = np.zeros((max_card, words), dtype=np.uint64)
    own = np.zeros((max_card, words), dtype=np.uint64)
    found = np.zeros((max_card + 3, words), dtype=np.uint64)
    fitting = np.zeros((max_card + 2, words), dtype=np.uint64)
    waiting = np.zeros((max_card + 2, words), dtype=np.uint64)
    members = np.zeros(max_card, dtype=np.int64)
    joinable = np.zeros((max_card + 1, target_words), dtype=np.uint64)
    anything = max_card  # row of what may join the set, wherever it lies in the order
    inside = np.zeros((max_card + 2, target_words), dtype=np.uint64)
    for r in range(n_distinct):
        joinable[anything, r >> 6] |= _ONE << np.uint64(r & 63)
    size = 0
    while size < max_card:
        count = 0
        for r in range(n_distinct):
            count += np.int64((joinable[anything, r >> 6] >> np.uint64(r & 63)) & _ONE)
        choices[size] = count
        if count == 0:
            break
        rank = min(np.int64(uniforms[size] * count), count - 1)
        added = -1
        while rank >= 0:
            added += 1
            rank -= np.int64((joinable[anything, added >> 6] >> np.uint64(added & 63)) & _ONE)
        joinable[anything, added >> 6] &= ~(_ONE << np.uint64(added & 63))
        # Members in the order of the enumeration.
        place = size
        while place > 0 and members[place - 1] > added:
            members[place] = members[place - 1]
            place -= 1
        members[place] = added
        size += 1

        # The path of the enumeration from the first member to this set.
        start_set(bits, members[0], 0, inter, union, lacking, once)
        for r in range(n_distinct):
            joinable[0, r >> 6] |= _ONE << np.uint64(r & 63)
        passes = True
        for level in range(1, size):
            member = members[level]
            passes = passes and (joinable[level - 1, member >> 6] >> np.uint64(member & 63)) & _ONE != _ZERO
            for v in range(target_words):
                joinable[level, v] = joinable[level - 1, v]
            for r in range(member + 1):
                joinable[level, r >> 6] &= ~(_ONE << np.uint64(r & 63))
            extend_set(bits, member, level - 1, level, inter, union, lacking, once)
            if passes and level + 1 < size:
                needy = private_features(bits, members, level + 1, level, lacking, once, shared_lacks, own)
                passes = _keep_joinable(joinable, level, level + 1, shared_lacks, own, holders)
                if passes and needy > 0:
                    passes = _some_superset_may_be(
                        bits, joinable, level, max_card, inter, union, level + 1, shared_lacks, own, table, shape,
                        found, fitting, waiting
                    )  # fmt: skip
                _lying_between(inter, union, level, relevant, holders, everyone, inside)
                for v in range(target_words):
                    joinable[level, v] &= ~inside[level, v]
        visited[size] = passes
        if size > 1:
            private_features(bits, members, size, size - 1, lacking, once, shared_lacks, own)
            _keep_joinable(joinable, anything, size, shared_lacks, own, holders)
            _lying_between(inter, union, size - 1, relevant, holders, everyone, inside)
            for v in range(target_words):
                joinable[anything, v] &= ~inside[size - 1, v]
    return size
