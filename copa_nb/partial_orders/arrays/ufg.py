"""Union-free generic depth of partial orders and preorders, exact.

A set S of at least two distinct observed relations is union-free generic iff some relation q lies between the
intersection and the union of S, but, for every s in S, not between those of S without s. The depth of p is
the sum, over the generic S with ∩S ⊆ p ⊆ ∪S, of the product of the members' shares among the observations,
divided by the same sum over all generic S (Blocher, Schollmeyer, Jansen and Nalenz, "Depth functions for
partial orders", ISIPTA 2023, definition 2; Rodemann and Blocher, "Partial Rankings of Optimizers", appendix B).

Relations become rows of bits, one per *feature*. "i stands above j" is a feature of every relation; "i and j
are indifferent" is a further feature of preorders, which the papers do not treat: that a preorder q lies between I
and U when its pairs and its indifferences do is this package's definition. Where no observed relation has ties the
union has no indifference, so only partial orders can lie between, and the depth on preorders is the depth on partial
orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from copa_nb.arrays.compiled import kernels
from copa_nb.arrays.parallel import map_tasks, processors
from copa_nb.partial_orders.arrays.relations import distinct_relations

MOST_ITEMS = 64
# Columns of the layout: item i, word of row j, first bit of row j in it, feature of (j, i).
ITEM, OTHER_WORD, OTHER_SHIFT, REVERSE = 0, 1, 2, 3
_TASKS = 1000
# With fewer branches than this they are short: starting threads takes longer than it saves.
_WORTH_THREADS = 60
# Numpy visits all sets of so many orders in a second at most; the search takes five to be compiled.
_FEW_ORDERS = 14


@dataclass(frozen=True, eq=False)
class Problem:
    """Observed relations and targets in the form that the kernels read.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n_distinct, words)
        Features of the distinct observed relations.
    weights : ndarray of float64, shape (n_distinct,)
        Share of the observations that equal each.
    relevant : ndarray of uint64, shape (words,)
        Features that some but not all observed relations have.
    holders : ndarray of uint64, shape (64 * words, target_words)
        Bit set of the candidates for a depth that have each feature: first the distinct observed relations,
        then the other targets that can have a depth above 0.
    n_candidates : int
        Number of candidates.
    candidate_of : ndarray of int64, shape (n_targets,)
        Candidate that each target equals; -1 where the depth is 0 whatever the generic sets are.
    n_items : int
        Number of items.
    ties : bool
        Whether the features include those of indifference.
    largest : int
        Size that no generic set exceeds.
    one_of_many : bool
        Whether other problems follow, such as resamples, so that it pays to compile the search however few the orders.
    """

    bits: np.ndarray
    weights: np.ndarray
    relevant: np.ndarray
    holders: np.ndarray
    n_candidates: int
    candidate_of: np.ndarray
    n_items: int
    ties: bool
    largest: int
    one_of_many: bool = False

    @property
    def loops(self) -> Any:
        """The search among sets: compiled where that pays."""
        return kernels(__name__, pays=self.one_of_many or self.n_distinct > _FEW_ORDERS)

    @property
    def n_distinct(self) -> int:
        """Number of distinct observed relations."""
        return len(self.bits)

    @property
    def observed(self) -> object:
        """What the kernels need to judge a set; see :mod:`copa_nb.partial_orders.arrays.ufg_kernels`.

        Copied: threads that count references to the same arrays wait for each other.
        """
        everyone = _words(np.ones((1, self.n_candidates), dtype=bool))[0]
        rows = 64 // self.n_items
        first_column = sum(1 << (row * self.n_items) for row in range(rows))
        shape = -(-self.n_items // rows), np.uint64(first_column), np.uint64((1 << self.n_items) - 1), self.ties
        return self.loops.readable(
            (
                self.bits.copy(),
                self.relevant.copy(),
                self.holders.copy(),
                everyone,
                _layout_of_pairs(self.n_items, self.ties),
                shape,
            )
        )

    def space(self, largest: int) -> tuple[np.ndarray, ...]:
        """Arrays for one search among sets of up to `largest` members, described in the same module."""
        words, target_words = self.bits.shape[1], self.holders.shape[1]
        return (
            np.zeros((largest + 1, 4, words), dtype=np.uint64),
            np.zeros((largest, 2, words), dtype=np.uint64),
            np.zeros((largest, target_words), dtype=np.uint64),
            np.zeros((largest, target_words), dtype=np.uint64),
            np.zeros((largest + 1, 3, words), dtype=np.uint64),
        )

    def by_target(self, values: np.ndarray) -> np.ndarray:
        """Values of the candidates as values of the targets, 0 for those that are no candidate."""
        return np.append(values, 0.0)[self.candidate_of]


@dataclass(frozen=True)
class UfgDepth:
    """Depths with their normalizing constant.

    Parameters
    ----------
    depth : ndarray of float64, shape (n_targets,)
        0 for every target when there is no generic set at all.
    generic_counts : ndarray of int64, shape (max_card + 1,)
        Number of distinct generic sets by size.
    generic_weights : ndarray of float64, shape (max_card + 1,)
        Their total weight by size.
    n_visited : int
        Number of sets visited.
    """

    depth: np.ndarray
    generic_counts: np.ndarray
    generic_weights: np.ndarray
    n_visited: int

    @property
    def n_generic(self) -> int:
        """Number of distinct union-free generic sets."""
        return int(self.generic_counts.sum())

    @property
    def constant(self) -> float:
        """Total weight of the generic sets: what the depths are divided by."""
        return float(self.generic_weights.sum())


def encode(relations: np.ndarray, targets: np.ndarray | None = None, *, one_of_many: bool = False) -> Problem:
    """Prepare observed relations, and the relations whose depth is computed, for the kernels.

    Parameters
    ----------
    relations : ndarray of bool, shape (n_observed, n, n)
        Partial orders or preorders; repeats count by their share.
    targets : ndarray of bool, shape (n_targets, n, n), optional
        The observed relations themselves if omitted.
    one_of_many : bool
        Whether other problems follow.

    Returns
    -------
    Problem

    Raises
    ------
    ValueError
        For more than 64 items.
    """
    n_items = relations.shape[1]
    if n_items > MOST_ITEMS:
        raise ValueError(f"`relations` compares {n_items} items; the depth is computed for at most {MOST_ITEMS}.")
    targets = relations if targets is None else targets
    first, which = distinct_relations(relations)
    distinct = relations[first]
    ties = bool(_has_ties(distinct).any())
    bits = _packed(distinct, ties)
    everywhere, somewhere = np.bitwise_and.reduce(bits), np.bitwise_or.reduce(bits)
    relevant = somewhere & ~everywhere

    everything = np.concatenate([distinct, targets])
    first_seen, which_seen = distinct_relations(everything)
    has = _packed(everything[first_seen], ties)
    possible = ((everywhere & ~has) | (has & ~somewhere) == 0).all(axis=1)
    possible &= ties | ~_has_ties(everything[first_seen])
    candidate = np.where(possible, np.cumsum(possible) - 1, -1)
    return Problem(
        bits=bits,
        weights=np.bincount(which) / len(which),
        relevant=relevant,
        holders=_words(_unpacked(has[possible]).T),
        n_candidates=int(possible.sum()),
        candidate_of=candidate[which_seen][len(distinct) :],
        n_items=n_items,
        ties=ties,
        # Every member of a set needs a feature of its own; only in pairs can two share one.
        largest=min(len(distinct), max(2, int(_unpacked(relevant[None]).sum()))),
        one_of_many=one_of_many,
    )


def exact_depth(problem: Problem, *, max_card: int | None = None, progress: bool = False) -> UfgDepth:
    """Enumerate the union-free generic sets and sum their weights.

    Depth-first, with all supersets of a set cut off once one of its members has neither a feature that only
    it lacks nor one that only it has. Branches are shared out among threads; their sums are added in a fixed
    order, so that the result does not depend on the number of cores. Memory does not grow with the number of
    sets. An interrupt stops the kernels within milliseconds.

    Parameters
    ----------
    problem : Problem
    max_card : int, optional
        Leave out larger sets.
    progress : bool
        Show a bar once the run has taken two seconds.

    Returns
    -------
    UfgDepth

    Examples
    --------
    Three orders of three items, each with another item above the two others:

    >>> orders = np.zeros((3, 3, 3), dtype=bool)
    >>> orders[0, 0, [1, 2]] = orders[1, 1, [0, 2]] = orders[2, 2, [0, 1]] = True
    >>> exact_depth(encode(orders)).depth.round(4)
    array([0.6667, 0.6667, 0.6667])
    """
    loops = problem.loops
    card = problem.largest if max_card is None else min(max_card, problem.largest)
    tasks = list(_branches(problem.n_distinct))
    sums = np.zeros((len(tasks), problem.n_candidates))
    counts = np.zeros((len(tasks), card + 1), dtype=np.int64)
    weights = np.zeros((len(tasks), card + 1))
    work = np.zeros((len(tasks), 1), dtype=np.int64)
    stop = np.zeros(1, dtype=np.uint8)

    def run(number: int) -> None:
        loops.enumerate_branch(
            *tasks[number], problem.observed, problem.space(card), problem.weights, card, stop,
            sums[number], counts[number], weights[number], work[number], 0,
        )  # fmt: skip

    if len(tasks) < _WORTH_THREADS:
        for number in range(len(tasks)):
            run(number)
    else:
        # Two threads even on one processor: an interrupt only reaches a main thread that is not in a kernel.
        map_tasks(
            run, range(len(tasks)), n_jobs=max(2, processors()), progress=progress,
            label="branches of generic sets", on_error=lambda: stop.fill(1),
        )  # fmt: skip
    constant = weights.sum()
    return UfgDepth(
        depth=problem.by_target(sums.sum(axis=0) / constant if constant > 0 else sums.sum(axis=0)),
        generic_counts=counts.sum(axis=0),
        generic_weights=weights.sum(axis=0),
        n_visited=int(work[:, 0].sum()),
    )


def _branches(n_distinct: int) -> Iterator[tuple[int, int, int]]:
    chunk = max(1, n_distinct * (n_distinct - 1) // 2 // _TASKS)
    for first in range(n_distinct - 1):
        for start in range(first + 1, n_distinct, chunk):
            yield first, start, min(start + chunk, n_distinct)


def _layout_of_pairs(n_items: int, ties: bool) -> np.ndarray:
    rows = 64 // n_items
    half = -(-n_items // rows)
    word, bit = np.divmod(np.arange(64 * half), 64)
    # Bits beyond the last item are never set: their entries do not matter.
    item = word * rows + bit // n_items
    other = bit % n_items
    table = np.empty((64 * half, 4), dtype=np.uint64)
    table[:, ITEM] = item
    table[:, OTHER_WORD] = other // rows
    table[:, OTHER_SHIFT] = other % rows * n_items
    table[:, REVERSE] = other // rows * 64 + other % rows * n_items + item
    return np.concatenate([table, table]) if ties else table


def _packed(relations: np.ndarray, ties: bool) -> np.ndarray:
    """Relations as rows of words in the layout of the kernels, every item above itself."""
    reflexive = relations | np.eye(relations.shape[1], dtype=bool)
    above = _in_layout(reflexive)
    return np.concatenate([above, _in_layout(reflexive & reflexive.transpose(0, 2, 1))], axis=1) if ties else above


def _in_layout(relations: np.ndarray) -> np.ndarray:
    n_items = relations.shape[1]
    rows = 64 // n_items
    n_words = -(-n_items // rows)
    padded = np.zeros((len(relations), n_words * rows, n_items), dtype=bool)
    padded[:, :n_items] = relations
    return _words(padded.reshape(-1, rows * n_items)).reshape(len(relations), n_words)


def _words(features: np.ndarray) -> np.ndarray:
    """Rows of booleans as rows of 64-bit words, boolean f in word f // 64 at bit f % 64."""
    padded = np.zeros((len(features), 64 * max(1, -(-features.shape[1] // 64))), dtype=bool)
    padded[:, : features.shape[1]] = features
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _unpacked(words: np.ndarray) -> np.ndarray:
    return np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little").astype(bool)


def _has_ties(relations: np.ndarray) -> np.ndarray:
    ties: np.ndarray = (relations & relations.transpose(0, 2, 1)).any(axis=(1, 2))
    return ties
