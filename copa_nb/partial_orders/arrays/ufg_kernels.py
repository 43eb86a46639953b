"""Compiled kernels of the union-free generic depth: which sets of relations are generic, all of them or some at random.

A relation of n items is a row of words in which the pair (i, j) is bit ``(i % rows) * n + j`` of word
``i // rows``, with ``rows = 64 // n``; the pairs (i, i) are set. Where there are ties, as many words again say,
in the same layout, which items are indifferent. A bit is called a feature.

Four such rows describe a set S: its intersection I, its union U, the features that exactly one member has
(ONCE) and those that exactly one member lacks (LACKING). For a member s, ``LACKING & ~s`` are the features that
all others share and s lacks (A_s), and ``ONCE & s`` those that only s has (U_s). S is generic if some relation q
between I and U, its witness, lacks some of A_s or has some of U_s for every s.

The kernels read a tuple, which ``Problem.observed`` makes: the ``bits`` of the relations, the ``relevant`` features
(those that some but not all of them have), the ``holders`` of each feature among the targets (bit sets in which the
observed relations come first), ``everyone`` (the bit set of all targets), the ``layout`` (where the pair of each
feature lies) and the ``shape`` of a relation (words of pairs, first bit of every row in a word, the n bits of a row,
whether ties follow). They work on the arrays of a ``space``, zeros at first, with one row per level of the search: the
``sets`` on the way to the current one, the ``private`` features of its members, the relations that are ``joinable``,
the targets ``inside`` (between I and U), and the ``stack`` of the search for a witness.

Small functions are inlined and take an array with a row number rather than a row: a call that passes arrays counts
references, which costs more than the work done, and two threads that count the same ones wait for each other. For the
same reason an inlined function calls no other that takes arrays within a loop. No function calls itself: a
self-recursive one crashes when it is loaded from numba's cache. Numba does not notice a change of
:mod:`copa_nb.arrays.bit_kernels`: after editing that file, touch this one.
"""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.bit_kernels import lowest_bit
from copa_nb.arrays.compiled import compiled, inlined
from copa_nb.partial_orders.arrays.ufg import ITEM, OTHER_SHIFT, OTHER_WORD, REVERSE

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
# What describes a set, a member of it, and a level of the search for a witness.
_INTERSECTION, _UNION, _LACKING, _ONCE = 0, 1, 2, 3
_LACKED, _OWN = 0, 1
_RELATION, _OPEN, _NEXT = 0, 1, 2
# The search for a witness counts the features that serve a member up to this number: enough to find those with
# few, and cheap where nearly all features serve.
_MOST_COUNTED = 6


def readable(observed):  # type: ignore[no-untyped-def]
    """Relations and targets in the form that the kernels read, which is the one in which they come."""
    return observed


@inlined
def _has_bit(sets, row, bit):  # type: ignore[no-untyped-def]
    return (sets[row, bit >> 6] >> np.uint64(bit & 63)) & _ONE != _ZERO


@inlined
def _set_bits(sets, row, start, stop):  # type: ignore[no-untyped-def]
    for bit in range(start, stop):
        sets[row, bit >> 6] |= _ONE << np.uint64(bit & 63)


@inlined
def _start_set(bits, member, sets):  # type: ignore[no-untyped-def]
    """Describe the set of one member in the first row."""
    for w in range(bits.shape[1]):
        sets[0, _INTERSECTION, w] = bits[member, w]
        sets[0, _UNION, w] = bits[member, w]
        sets[0, _LACKING, w] = ~bits[member, w]
        sets[0, _ONCE, w] = bits[member, w]


@inlined
def _extend_set(bits, member, sets, level):  # type: ignore[no-untyped-def]
    """Describe, in row ``level + 1``, the set of row `level` with one more member."""
    for w in range(bits.shape[1]):
        row, shared, some = bits[member, w], sets[level, _INTERSECTION, w], sets[level, _UNION, w]
        sets[level + 1, _LACKING, w] = (sets[level, _LACKING, w] & row) | (shared & ~row)
        sets[level + 1, _ONCE, w] = (sets[level, _ONCE, w] & ~row) | (row & ~some)
        sets[level + 1, _INTERSECTION, w] = shared & row
        sets[level + 1, _UNION, w] = some | row


@inlined
def _write_private(bits, members, size, sets, private):  # type: ignore[no-untyped-def]
    """Write A_s and U_s of every member of the set of row ``size - 1``; tell whether each has an A_s.

    If so, I itself is a witness.
    """
    all_lack = True
    for position in range(size):
        s = members[position]
        any_lacked = _ZERO
        for w in range(bits.shape[1]):
            lacked = sets[size - 1, _LACKING, w] & ~bits[s, w]
            private[position, _LACKED, w] = lacked
            private[position, _OWN, w] = sets[size - 1, _ONCE, w] & bits[s, w]
            any_lacked |= lacked
        if any_lacked == _ZERO:
            all_lack = False
    return all_lack


@inlined
def _fits(stack, level, union, row, feature, layout, shape):  # type: ignore[no-untyped-def]
    """Tell whether the pair of a feature and all that it implies stay within the union (ties left out)."""
    half, first_column, row_mask, ties = shape
    item = layout[feature, ITEM]
    other = stack[level, _RELATION, np.int64(layout[feature, OTHER_WORD])] >> layout[feature, OTHER_SHIFT]
    fits = ties or (other >> item) & _ONE == _ZERO
    if fits:
        downwards = other & row_mask
        outside = _ZERO
        for w in range(half):
            implied = ((stack[level, _RELATION, w] >> item) & first_column) * downwards
            outside |= implied & ~union[row, _UNION, w]
        fits = outside == _ZERO
    return fits


@inlined
def _close_with(stack, level, feature, layout, shape):  # type: ignore[no-untyped-def]
    """Add the pair (i, j) of a feature to a relation and close transitively.

    Everything from i upwards comes to stand above everything from j downwards. The product of a word with one
    bit per row and a word of n bits writes those n bits into these rows.
    """
    half, first_column, row_mask, _ = shape
    item = layout[feature, ITEM]
    other = stack[level, _RELATION, np.int64(layout[feature, OTHER_WORD])] >> layout[feature, OTHER_SHIFT]
    downwards = other & row_mask
    for w in range(half):
        stack[level, _RELATION, w] |= ((stack[level, _RELATION, w] >> item) & first_column) * downwards


@compiled
def _mark_ties(stack, level, layout, half):  # type: ignore[no-untyped-def]
    """Write which pairs are mutual into the second half of a relation's words."""
    for w in range(half):
        ties = _ZERO
        word = stack[level, _RELATION, w]
        while word != _ZERO:
            bit = lowest_bit(word)
            feature = 64 * w + bit
            back = stack[level, _RELATION, np.int64(layout[feature, OTHER_WORD])] >> layout[feature, OTHER_SHIFT]
            ties |= ((back >> layout[feature, ITEM]) & _ONE) << np.uint64(bit)
            word &= word - _ONE
        stack[level, _RELATION, half + w] = ties


@inlined
def _grow(stack, level, feature, sets, row, layout, shape):  # type: ignore[no-untyped-def]
    """Write the smallest relation that has a fitting feature to the next level; tell whether its ties fit."""
    half, _, _, ties = shape
    words = stack.shape[2]
    for w in range(words):
        stack[level + 1, _RELATION, w] = stack[level, _RELATION, w]
        stack[level + 1, _OPEN, w] = stack[level, _OPEN, w]
    _close_with(stack, level + 1, feature, layout, shape)
    outside = _ZERO
    if ties:
        if feature >= 64 * half:
            _close_with(stack, level + 1, np.int64(layout[feature, REVERSE]), layout, shape)
        _mark_ties(stack, level + 1, layout, half)
        for w in range(words):
            outside |= stack[level + 1, _RELATION, w] & ~sets[row, _UNION, w]
    return outside == _ZERO


@inlined
def _is_served(stack, level, position, private):  # type: ignore[no-untyped-def]
    """Tell whether the relation of a level lacks some of A_s or has some of U_s."""
    served = _ZERO
    for w in range(stack.shape[2]):
        relation = stack[level, _RELATION, w]
        served |= (private[position, _LACKED, w] & ~relation) | (private[position, _OWN, w] & relation)
    return served != _ZERO


@compiled
def _has_witness(sets, row, size, private, stack, layout, shape):  # type: ignore[no-untyped-def]
    """Tell whether a relation between I and U lacks some of A_s or has some of U_s for every member s.

    Depth-first from I, with backtracking: while a member s is not served, some feature of U_s has to be added;
    each that fits is tried in turn. A level serves at least one more member, for good.
    """
    words = stack.shape[2]
    for w in range(words):
        stack[0, _RELATION, w] = sets[row, _INTERSECTION, w]
        stack[0, _OPEN, w] = sets[row, _UNION, w]
    level = 0
    is_new = True
    while level >= 0:
        if is_new:
            is_new = False
            fewest = _MOST_COUNTED + 1
            for position in range(size):
                if _is_served(stack, level, position, private):
                    continue
                count = 0
                for w in range(words):
                    word = private[position, _OWN, w] & stack[level, _OPEN, w]
                    while word != _ZERO and count < fewest and count < _MOST_COUNTED:
                        bit = lowest_bit(word)
                        word &= word - _ONE
                        if _fits(stack, level, sets, row, 64 * w + bit, layout, shape):
                            count += 1
                        else:
                            stack[level, _OPEN, w] &= ~(_ONE << np.uint64(bit))
                if count < fewest:
                    fewest = count
                    for w in range(words):
                        stack[level, _NEXT, w] = private[position, _OWN, w] & stack[level, _OPEN, w]
                    if count < 2:
                        break
            if fewest > _MOST_COUNTED:
                return True
        feature = -1
        for w in range(words):
            word = stack[level, _NEXT, w]
            if word != _ZERO:
                bit = lowest_bit(word)
                feature = 64 * w + bit
                stack[level, _NEXT, w] = word & (word - _ONE)
                # Once tried in vain, no witness above this level's relation has the feature.
                stack[level, _OPEN, w] &= ~(_ONE << np.uint64(bit))
                break
        if feature < 0:
            level -= 1
        elif _fits(stack, level, sets, row, feature, layout, shape) and _grow(
            stack, level, feature, sets, row, layout, shape
        ):
            level += 1
            is_new = True
    return False


@inlined
def _keep_joinable(joinable, row, size, private, holders):  # type: ignore[no-untyped-def]
    """Drop the relations that would leave some member without a feature of A_s or U_s; tell if any is left.

    Hereditary and necessary: a relation leaves s one of A_s by having it, one of U_s by not having it.
    """
    left = _ONE
    for position in range(size):
        if left == _ZERO:
            break
        left = _ZERO
        for v in range(joinable.shape[1]):
            if joinable[row, v] == _ZERO:
                continue
            leaves = _ZERO
            for w in range(private.shape[2]):
                word = private[position, _LACKED, w]
                while word != _ZERO:
                    leaves |= holders[64 * w + lowest_bit(word), v]
                    word &= word - _ONE
                word = private[position, _OWN, w]
                while word != _ZERO:
                    leaves |= ~holders[64 * w + lowest_bit(word), v]
                    word &= word - _ONE
            joinable[row, v] &= leaves
            left |= joinable[row, v]
    return left != _ZERO


@inlined
def _add_joinable(bits, sets, joinable, row):  # type: ignore[no-untyped-def]
    """Write I and U of a set with everything that may join it to the last row.

    Adding members lowers I, raises U and takes features away from A_s and U_s: a witness of any superset would
    do for the present A_s and U_s between this I and U.
    """
    last = sets.shape[0] - 1
    for w in range(bits.shape[1]):
        sets[last, _INTERSECTION, w] = sets[row, _INTERSECTION, w]
        sets[last, _UNION, w] = sets[row, _UNION, w]
    for v in range(joinable.shape[1]):
        word = joinable[row, v]
        while word != _ZERO:
            r = 64 * v + lowest_bit(word)
            word &= word - _ONE
            for w in range(bits.shape[1]):
                sets[last, _INTERSECTION, w] &= bits[r, w]
                sets[last, _UNION, w] |= bits[r, w]


@inlined
def _find_inside(relevant, holders, everyone, sets, inside, row):  # type: ignore[no-untyped-def]
    """Write the bit set of all targets p with I ⊆ p ⊆ U."""
    for v in range(len(everyone)):
        inside[row, v] = everyone[v]
    for w in range(len(relevant)):
        word = sets[row, _INTERSECTION, w] & relevant[w]
        while word != _ZERO:
            feature = 64 * w + lowest_bit(word)
            word &= word - _ONE
            for v in range(len(everyone)):
                inside[row, v] &= holders[feature, v]
        word = relevant[w] & ~sets[row, _UNION, w]
        while word != _ZERO:
            feature = 64 * w + lowest_bit(word)
            word &= word - _ONE
            for v in range(len(everyone)):
                inside[row, v] &= ~holders[feature, v]


@compiled
def enumerate_branch(  # type: ignore[no-untyped-def]
    first, start, stop, observed, space, weights,
    max_card, stop_flag, sums, generic_counts, generic_weights, work, node_limit,
):  # fmt: skip
    """Depth-first over all sets that hold `first` and, next, one of the relations start .. stop - 1.

    A set that is not generic, and of which no superset can be, has its supersets cut off. A target that lies
    between I and U at one set does so at all supersets: its sum gets the weight of the whole subtree once, where
    it first lies between.

    Parameters
    ----------
    first, start, stop : int
        The branch; members of a set ascend.
    observed, space : tuple
        The relations, and arrays to work on, as described at the head of this module. No other thread may use them.
    weights : ndarray of float64, shape (n_distinct,)
        Share of the observations that equal each relation.
    max_card : int
        Largest size of a set.
    stop_flag : ndarray of uint8, shape (1,)
        Set to anything but 0 to stop early.
    sums, generic_counts, generic_weights : ndarray, shape (n_targets,), (max_card + 1,), (max_card + 1,)
        Results, added to.
    work : ndarray of int64, shape (1,)
        Sets visited, added to.
    node_limit : int
        Stop after this many sets (0 for no limit).

    Returns
    -------
    bool
        Whether the branch was finished.
    """
    bits, relevant, holders, everyone, layout, shape = observed
    sets, private, joinable, inside, stack = space
    members = np.zeros(max_card, dtype=np.int64)
    weight = np.zeros(max_card)
    subtotal = np.zeros(max_card)
    members[0] = first
    weight[0] = weights[first]
    _start_set(bits, first, sets)
    _set_bits(joinable, 0, start, stop)
    nodes = 0
    level = 0
    while True:
        added = -1
        if level + 1 < max_card:
            for v in range(joinable.shape[1]):
                if joinable[level, v] != _ZERO:
                    added = 64 * v + lowest_bit(joinable[level, v])
                    joinable[level, v] &= joinable[level, v] - _ONE
                    break
        if added < 0:
            if level == 0:
                break
            if subtotal[level] > 0.0:
                for v in range(joinable.shape[1]):
                    word = inside[level, v] & ~inside[level - 1, v]
                    while word != _ZERO:
                        sums[64 * v + lowest_bit(word)] += subtotal[level]
                        word &= word - _ONE
                subtotal[level - 1] += subtotal[level]
            level -= 1
            continue
        nodes += 1
        if (nodes & 4095 == 0 and stop_flag[0] != 0) or nodes == node_limit:
            work[0] += nodes
            return False

        child = level + 1
        members[child] = added
        weight[child] = weight[level] * weights[added]
        _extend_set(bits, added, sets, level)
        for v in range(joinable.shape[1]):
            joinable[child, v] = joinable[level, v]
        if level == 0:
            _set_bits(joinable, child, stop, len(bits))
        size = child + 1
        generic = _write_private(bits, members, size, sets, private)
        if not generic:
            generic = _has_witness(sets, child, size, private, stack, layout, shape)
        goes_on = size < max_card
        if goes_on:
            goes_on = _keep_joinable(joinable, child, size, private, holders)
        if goes_on and not generic:
            _add_joinable(bits, sets, joinable, child)
            goes_on = _has_witness(sets, max_card, size, private, stack, layout, shape)
        if generic:
            generic_counts[size] += 1
            generic_weights[size] += weight[child]
        if generic or goes_on:
            _find_inside(relevant, holders, everyone, sets, inside, child)
            for v in range(joinable.shape[1]):
                joinable[child, v] = joinable[child, v] & ~inside[child, v] if goes_on else _ZERO
            subtotal[child] = weight[child] if generic else 0.0
            level = child
    work[0] += nodes
    return True


@compiled
def judge_sets(chosen, observed, space, stop_flag, inside_counts):  # type: ignore[no-untyped-def]
    """Count the generic sets among some, and those of them that hold each target between I and U.

    Parameters
    ----------
    chosen : ndarray of int64, shape (n_sets, size)
        Members of each set.
    observed, space, stop_flag
        See :func:`enumerate_branch`.
    inside_counts : ndarray of int64, shape (n_targets,)
        Added to.

    Returns
    -------
    int
        Number of generic sets; -1 when stopped.
    """
    bits, relevant, holders, everyone, layout, shape = observed
    n_sets, size = chosen.shape
    sets, private, _, inside, stack = space
    n_generic = 0
    for number in range(n_sets):
        if number & 1023 == 0 and stop_flag[0] != 0:
            return -1
        members = chosen[number]
        _start_set(bits, members[0], sets)
        for level in range(size - 1):
            _extend_set(bits, members[level + 1], sets, level)
        generic = _write_private(bits, members, size, sets, private)
        if not generic:
            generic = _has_witness(sets, size - 1, size, private, stack, layout, shape)
        if generic:
            n_generic += 1
            _find_inside(relevant, holders, everyone, sets, inside, size - 1)
            for v in range(inside.shape[1]):
                word = inside[size - 1, v]
                while word != _ZERO:
                    inside_counts[64 * v + lowest_bit(word)] += 1
                    word &= word - _ONE
    return n_generic


@compiled
def grow_chain(uniforms, observed, space, choices, visited):  # type: ignore[no-untyped-def]
    """Grow one random set for as long as relations may join; tell which of its sizes the enumeration visits.

    Every set of size k that keeps the hereditary condition is reached in k! orders, so the product of the
    numbers of choices over k! estimates without bias how many there are; averaged over the sets that the
    depth-first search visits, how many it visits.

    Parameters
    ----------
    uniforms : ndarray of float64, shape (max_card,)
        One random number per member.
    observed, space
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
    bits, relevant, holders, everyone, layout, shape = observed
    max_card = len(uniforms)
    sets, private, joinable, inside, stack = space
    n_distinct = len(bits)
    members = np.zeros(max_card, dtype=np.int64)
    # What may join the set, wherever it stands among the members.
    candidates = np.zeros((1, joinable.shape[1]), dtype=np.uint64)
    _set_bits(candidates, 0, 0, n_distinct)
    size = 0
    while size < max_card:
        count = 0
        for r in range(n_distinct):
            count += _has_bit(candidates, 0, r)
        choices[size] = count
        if count == 0:
            break
        rank = min(np.int64(uniforms[size] * count), np.int64(count - 1))
        added = -1
        while rank >= 0:
            added += 1
            rank -= _has_bit(candidates, 0, added)
        candidates[0, added >> 6] &= ~(_ONE << np.uint64(added & 63))
        # The enumeration adds members in ascending order.
        position = size
        while position > 0 and members[position - 1] > added:
            members[position] = members[position - 1]
            position -= 1
        members[position] = added
        size += 1

        _start_set(bits, members[0], sets)
        _set_bits(joinable, 0, 0, n_distinct)
        passes = True
        for level in range(1, size):
            member = members[level]
            passes = passes and _has_bit(joinable, level - 1, member)
            for v in range(joinable.shape[1]):
                joinable[level, v] = joinable[level - 1, v]
            for r in range(member + 1):
                joinable[level, r >> 6] &= ~(_ONE << np.uint64(r & 63))
            _extend_set(bits, member, sets, level - 1)
            if passes and level + 1 < size:
                generic = _write_private(bits, members, level + 1, sets, private)
                passes = _keep_joinable(joinable, level, level + 1, private, holders)
                if passes and not generic:
                    _add_joinable(bits, sets, joinable, level)
                    passes = _has_witness(sets, max_card, level + 1, private, stack, layout, shape)
                _find_inside(relevant, holders, everyone, sets, inside, level)
                for v in range(joinable.shape[1]):
                    joinable[level, v] &= ~inside[level, v]
        visited[size] = passes
        if size > 1:
            _write_private(bits, members, size, sets, private)
            _keep_joinable(candidates, 0, size, private, holders)
            _find_inside(relevant, holders, everyone, sets, inside, size - 1)
            for v in range(joinable.shape[1]):
                candidates[0, v] &= ~inside[size - 1, v]
    return size
