"""The search of ``ufg_kernels.py`` in Python, for environments without a compiler: each set of bits is one integer.

The steps are those of the compiled search, in the same order, so that all counts and sums are the same numbers. That
module explains them; here a relation, the features of a set, and a set of targets are integers of any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from copa_nb.partial_orders.arrays.ufg import ITEM, OTHER_SHIFT, OTHER_WORD, REVERSE

# The search for a witness counts the features that serve a member up to this number.
_MOST_COUNTED = 6
_NODES_BETWEEN_LOOKS = 64


@dataclass(frozen=True, eq=False)
class _Observed:
    """What is known of the relations and targets; the fields are described in ``ufg_kernels.py``."""

    bits: list[int]
    relevant: int
    holders: list[int]
    everyone: int
    items: list[int]
    rows: list[int]  # first bit of the row of the other item
    reverse: list[int]
    first_column: int
    row_mask: int
    n_pairs: int  # bits that hold pairs; ties follow
    ties: bool

    def implied(self, relation: int, feature: int) -> int:
        """All pairs that closing a relation with the pair of a feature sets."""
        downwards = (relation >> self.rows[feature]) & self.row_mask
        return ((relation >> self.items[feature]) & self.first_column) * downwards

    def fits(self, relation: int, union: int, feature: int) -> bool:
        """Tell whether the pair of a feature and all that it implies stay within the union (ties left out)."""
        if not self.ties and (relation >> self.rows[feature] >> self.items[feature]) & 1:
            return False
        return not self.implied(relation, feature) & ~union

    def grown(self, relation: int, union: int, feature: int) -> int | None:
        """The smallest relation that has a fitting feature, unless its ties do not fit."""
        relation |= self.implied(relation, feature)
        if not self.ties:
            return relation
        if feature >= self.n_pairs:
            relation |= self.implied(relation, self.reverse[feature])
        relation &= (1 << self.n_pairs) - 1
        mutual = sum(1 << bit for bit in _bits(relation) if relation >> self.reverse[bit] & 1)
        relation |= mutual << self.n_pairs
        return None if relation & ~union else relation

    def inside(self, found: _Set) -> int:
        """The bit set of all targets p with I ⊆ p ⊆ U."""
        inside = self.everyone
        for feature in _bits(found.intersection & self.relevant):
            inside &= self.holders[feature]
        for feature in _bits(self.relevant & ~found.union):
            inside &= ~self.holders[feature]
        return inside

    def still_joinable(self, joinable: int, private: list[tuple[int, int]]) -> int:
        """Drop the relations that would leave some member without a feature of A_s or U_s."""
        for lacked, own in private:
            leaves = 0
            for feature in _bits(lacked):
                leaves |= self.holders[feature]
            for feature in _bits(own):
                leaves |= ~self.holders[feature]
            joinable &= leaves
            if not joinable:
                break
        return joinable


class _Set(NamedTuple):
    """A set of relations: its intersection, its union, and the features that one member lacks or has."""

    intersection: int
    union: int
    lacking: int
    once: int

    @classmethod
    def of(cls, relation: int) -> _Set:
        return cls(relation, relation, ~relation, relation)

    def with_member(self, relation: int) -> _Set:
        return _Set(
            self.intersection & relation,
            self.union | relation,
            (self.lacking & relation) | (self.intersection & ~relation),
            (self.once & ~relation) | (relation & ~self.union),
        )

    def private(self, members: Sequence[int], bits: list[int]) -> list[tuple[int, int]]:
        """A_s and U_s of every member."""
        return [(self.lacking & ~bits[s], self.once & bits[s]) for s in members]


def readable(observed: tuple[Any, ...]) -> _Observed:
    """Relations and targets in the form that the search reads."""
    bits, relevant, holders, everyone, layout, (half, first_column, row_mask, ties) = observed
    return _Observed(
        bits=[_integer(row) for row in bits],
        relevant=_integer(relevant),
        holders=[_integer(row) for row in holders],
        everyone=_integer(everyone),
        items=layout[:, ITEM].tolist(),
        rows=(64 * layout[:, OTHER_WORD] + layout[:, OTHER_SHIFT]).tolist(),
        reverse=layout[:, REVERSE].tolist(),
        first_column=sum(int(first_column) << 64 * word for word in range(half)),
        row_mask=int(row_mask),
        n_pairs=64 * half,
        ties=bool(ties),
    )


def enumerate_branch(
    first: int, start: int, stop: int, observed: _Observed, space: object, weights: np.ndarray, max_card: int,
    stop_flag: np.ndarray, sums: np.ndarray, generic_counts: np.ndarray, generic_weights: np.ndarray,
    work: np.ndarray, node_limit: int,
) -> bool:  # fmt: skip
    """Depth-first over all sets that hold `first` and, next, one of the relations start .. stop - 1."""
    bits, shares = observed.bits, weights.tolist()
    members = [first]
    sets, weight, subtotal = [_Set.of(bits[first])], [shares[first]], [0.0]
    joinable, inside = [_range_of_bits(start, stop)], [0]
    nodes = 0
    while True:
        level = len(members) - 1
        if level + 1 >= max_card or not joinable[level]:
            if level == 0:
                work[0] += nodes
                return True
            if subtotal[level] > 0.0:
                for target in _bits(inside[level] & ~inside[level - 1]):
                    sums[target] += subtotal[level]
                subtotal[level - 1] += subtotal[level]
            for stack in (members, sets, weight, subtotal, joinable, inside):
                stack.pop()
            continue
        added = _lowest(joinable[level])
        joinable[level] &= joinable[level] - 1
        nodes += 1
        if (nodes % _NODES_BETWEEN_LOOKS == 0 and stop_flag[0]) or nodes == node_limit:
            work[0] += nodes
            return False

        chosen, found = [*members, added], sets[level].with_member(bits[added])
        may_join = joinable[level] | (_range_of_bits(stop, len(bits)) if level == 0 else 0)
        private = found.private(chosen, bits)
        generic = _is_generic(found, private, observed)
        may_join = observed.still_joinable(may_join, private) if len(chosen) < max_card else 0
        if may_join and not generic and not _has_witness(*_with_all(found, may_join, bits), private, observed):
            may_join = 0
        if generic:
            generic_counts[len(chosen)] += 1
            generic_weights[len(chosen)] += weight[level] * shares[added]
        if generic or may_join:
            within = observed.inside(found)
            members.append(added)
            sets.append(found)
            weight.append(weight[level] * shares[added])
            subtotal.append(weight[-1] if generic else 0.0)
            joinable.append(may_join & ~within)
            inside.append(within)


def judge_sets(
    chosen: np.ndarray, observed: _Observed, space: object, stop_flag: np.ndarray, inside_counts: np.ndarray
) -> int:
    """Count the generic sets among some, and those of them that hold each target between I and U."""
    n_generic = 0
    for number, members in enumerate(chosen.tolist()):
        if number % _NODES_BETWEEN_LOOKS == 0 and stop_flag[0]:
            return -1
        found = _set_of(members, observed.bits)
        if _is_generic(found, found.private(members, observed.bits), observed):
            n_generic += 1
            for target in _bits(observed.inside(found)):
                inside_counts[target] += 1
    return n_generic


def grow_chain(
    uniforms: np.ndarray, observed: _Observed, space: object, choices: np.ndarray, visited: np.ndarray
) -> int:
    """Grow one random set for as long as relations may join; tell which of its sizes the enumeration visits."""
    bits, max_card = observed.bits, len(uniforms)
    members: list[int] = []
    candidates = _range_of_bits(0, len(bits))
    while len(members) < max_card:
        able = list(_bits(candidates))
        choices[len(members)] = len(able)
        if not able:
            break
        members.append(able[min(int(uniforms[len(members)] * len(able)), len(able) - 1)])
        candidates &= ~(1 << members[-1])
        members.sort()  # the enumeration adds members in ascending order
        visited[len(members)] = _is_visited(members, max_card, observed)
        if len(members) > 1:
            found = _set_of(members, bits)
            candidates = observed.still_joinable(candidates, found.private(members, bits))
            candidates &= ~observed.inside(found)
    return len(members)


def _is_visited(members: list[int], max_card: int, observed: _Observed) -> bool:
    """Whether the depth-first search comes to a set."""
    bits = observed.bits
    joinable, found = _range_of_bits(0, len(bits)), _Set.of(bits[members[0]])
    for size, member in enumerate(members[1:], start=2):
        if not joinable >> member & 1:
            return False
        found = found.with_member(bits[member])
        if size == len(members):
            break
        private = found.private(members[:size], bits)
        joinable = observed.still_joinable(joinable & ~_range_of_bits(0, member + 1), private)
        if not joinable:
            return False
        if not all(lacked for lacked, _ in private) and not _has_witness(
            *_with_all(found, joinable, bits), private, observed
        ):
            return False
        joinable &= ~observed.inside(found)
    return True


def _is_generic(found: _Set, private: list[tuple[int, int]], observed: _Observed) -> bool:
    return all(lacked for lacked, _ in private) or _has_witness(found.intersection, found.union, private, observed)


def _has_witness(intersection: int, union: int, private: list[tuple[int, int]], observed: _Observed) -> bool:
    """Tell whether a relation between I and U lacks some of A_s or has some of U_s for every member s."""
    # Relations on the way to the current one, with the features that are open above each, and those to try next.
    relations, open_features = [intersection], [union]
    following: list[int] = []
    while relations:
        level = len(relations) - 1
        relation = relations[level]
        if len(following) == level:
            fewest, upcoming = _MOST_COUNTED + 1, 0
            for lacked, own in private:
                if lacked & ~relation or own & relation:
                    continue
                count = 0
                for feature in _bits(own & open_features[level]):
                    if observed.fits(relation, union, feature):
                        count += 1
                        if count >= min(fewest, _MOST_COUNTED):
                            break
                    else:
                        open_features[level] &= ~(1 << feature)
                if count < fewest:
                    fewest, upcoming = count, own & open_features[level]
                    if count < 2:
                        break
            if fewest > _MOST_COUNTED:
                return True
            following.append(upcoming)
        if not following[level]:
            relations.pop()
            open_features.pop()
            following.pop()
            continue
        feature = _lowest(following[level])
        following[level] &= following[level] - 1
        # Once tried in vain, no witness above this level's relation has the feature.
        open_features[level] &= ~(1 << feature)
        grown = observed.grown(relation, union, feature) if observed.fits(relation, union, feature) else None
        if grown is not None:
            relations.append(grown)
            open_features.append(open_features[level])
    return False


def _with_all(found: _Set, joinable: int, bits: list[int]) -> tuple[int, int]:
    """Intersection and union of a set with everything that may join it."""
    intersection, union = found.intersection, found.union
    for r in _bits(joinable):
        intersection &= bits[r]
        union |= bits[r]
    return intersection, union


def _set_of(members: list[int], bits: list[int]) -> _Set:
    found = _Set.of(bits[members[0]])
    for member in members[1:]:
        found = found.with_member(bits[member])
    return found


def _bits(word: int) -> Iterator[int]:
    """Positions of the bits of a number, ascending."""
    while word:
        lowest = word & -word
        yield lowest.bit_length() - 1
        word ^= lowest


def _lowest(word: int) -> int:
    return (word & -word).bit_length() - 1


def _range_of_bits(start: int, stop: int) -> int:
    return (1 << int(stop)) - (1 << int(start)) if stop > start else 0


def _integer(words: np.ndarray) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")
