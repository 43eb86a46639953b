"""Systems on items, in one pass: rows are held while they are few; of more, sums over the items are.

Rows of one item may be anywhere in a table. So scores are first sorted into temporary files by a hash of their item (or
cluster), each of which then has all rows of its items and is summed on its own.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons import board as pandas_board
from copa_nb.comparisons import compare as pandas_comparison
from copa_nb.comparisons import confident_front as pandas_front
from copa_nb.comparisons.arrays.moments import Totals, moments, reduced, together
from copa_nb.comparisons.arrays.uncertainty import FEWEST_UNITS
from copa_nb.comparisons.many_items import SummedMeasurements, varying
from copa_nb.comparisons.measurements import FEWEST_RESAMPLES, known_objectives, refuse_extremes
from copa_nb.comparisons.nesting import holds_labels
from copa_nb.comparisons.read_measurements import OF_ITEMS, instead_of_raising, several_values
from copa_nb.costs import MOST_SECONDS
from copa_nb.run_options import said
from copa_nb.streams.batches import Batches, Piece, Plan, Table, WholeTableNeededError, ask
from copa_nb.streams.passes import ByGroup, check_all, gather, merge_groups, without_rows
from copa_nb.tables.columns import Labels, as_names, label_order, read_labels
from copa_nb.tables.described_frame import DescribedFrame

_FILES = 64
# Whole numbers that are the same as floating-point numbers.
_EXACT = 2**53


def board(frame: Batches, described: DescribedFrame, **options: Any) -> pandas_board.Board:
    """Form tiers of systems from a table in pieces, in one pass; see ``df.moo.board()``."""
    asked = _checked(options)
    found = read(frame, "board", described)
    if isinstance(found, DescribedFrame):
        return pandas_board.board(found, **options)
    return pandas_board.board_of(
        found, asked["p"], asked["weights"], asked["alpha"], asked["n_resamples"], checks.generator(asked["rng"]),
        max_seconds=said().limit(MOST_SECONDS),
    )  # fmt: skip


def confident_front(frame: Batches, described: DescribedFrame, **options: Any) -> pandas_front.ConfidentFront:
    """Find which systems are significantly on the front, in one pass; see ``df.moo.confident_front()``."""
    asked = _checked(options)
    found = read(frame, "confident_front", described)
    if isinstance(found, DescribedFrame):
        return pandas_front.confident_front(found, **options)
    return pandas_front.front_of(
        found,
        asked["alpha"],
        asked["n_resamples"],
        checks.generator(asked["rng"]),
        max_seconds=said().limit(MOST_SECONDS),
    )


def compare(
    frame: Batches,
    described: DescribedFrame,
    new: Hashable | None = None,
    baseline: Hashable | None = None,
    **options: Any,
) -> pandas_comparison.Comparison:
    """Compare two systems, whose rows alone are held; see ``df.moo.compare()``. Both must be named."""
    for argument, name in (("new", new), ("baseline", baseline)):
        if name is None:
            raise ValueError(f"`{argument}` is left out, but this table is read in pieces; name both systems.")
    checks.fraction("alpha", options["alpha"])
    of_two = partial(_rows_of, system=described.named("system"), pair=(new, baseline))
    table = _question(frame, described)
    found = _pass(table, of_two, partial(_merge, plan=table.plan))
    rows = _few(found, frame, "compare", "take a sample of the items")
    rows = _with_possible_clusters(rows, frame, described, of_two)
    return pandas_comparison.compare(replace(described, frame=rows), new, baseline, **options)


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    """Check options before the table is read."""
    checks.fraction("alpha", options["alpha"])
    n_resamples = checks.integer("n_resamples", options["n_resamples"], least=FEWEST_RESAMPLES)
    return {**options, "n_resamples": n_resamples}


def _question(frame: Batches, described: DescribedFrame, nan_policy: str = "worst") -> Table:
    """Return a question about the columns that are named."""
    names = described.objectives()
    errors, numbers = described.say("standard_error"), described.say("n")
    if isinstance(errors, str):
        errors = [f"{name}{errors}" for name in names if f"{name}{errors}" in frame.empty.columns]
    elif isinstance(errors, Mapping):
        errors = [one for given in errors.values() for one in (given if isinstance(given, tuple | list) else [given])]
    if numbers is not None:
        errors = [*(errors or []), *(numbers.values() if isinstance(numbers, Mapping) else [numbers])]
    labels = {word: described.say(word) for word in ("system", "item", "cluster", "repeat")}
    return ask(frame, described.saying(nan_policy=nan_policy), standard_error=errors, **labels)


def read(frame: Batches, verb: str, described: DescribedFrame) -> DescribedFrame | SummedMeasurements:
    """Return all rows if they are few; else sums over the items.

    Parameters
    ----------
    frame : table in pieces
        One row for each system and item, or as ``df.moo.board()`` takes them.
    verb : str
        What asks, for errors.
    described : DescribedFrame
        What its columns are.

    Raises
    ------
    WholeTableNeededError
        If there are more rows than may be held, and sums do not answer.
    """
    named = described.say("system") is not None and described.say("item") is not None
    summed = named and described.say("repeat") is None and described.policy(*OF_ITEMS) == "raise"
    table = _question(frame, described, "raise" if summed else "worst")
    if not summed:
        found = _pass(table, _whole, partial(_merge, plan=table.plan))
        rows = _few(found, frame, verb, "average repetitions in its engine first, without `repeat`")
        return replace(described, frame=_with_possible_clusters(rows, frame, described, _whole))
    clusters = as_names(described.say("cluster"))
    if len(clusters) > 1:
        raise WholeTableNeededError(
            f"`cluster` names {checks.listed(clusters)}; of a table that is read in pieces, name the outermost alone."
        )
    with _Files(len(table.plan.objectives), clustered=bool(clusters)) as files:
        merge = partial(_merge, plan=table.plan, files=files, most=frame.rows_in_memory)
        found = merge([_pass(table, partial(_scores, described=described, files=files), merge)])
        if not files.rows:
            rows = _few(found, frame, verb, "")
            return replace(described, frame=_with_possible_clusters(rows, frame, described, _whole))
        check_all(found.groups, table.plan, instead=instead_of_raising())
        return _Summing(frame, table, files, described, verb).measurements()


# --------------------------------------------------------------------------------------------------------- the pass


@dataclass(frozen=True, eq=False)
class _Scores:
    """Complete rows of one piece: systems, hashes of items and of what they are drawn in, and costs."""

    systems: Labels
    items: np.ndarray
    units: np.ndarray
    costs: np.ndarray


@dataclass(frozen=True, eq=False)
class _Part:
    """What was found in one or several pieces: counts, rows while they are few, and their scores."""

    groups: ByGroup = field(default_factory=dict)
    frames: list[pd.DataFrame] = field(default_factory=list)
    scores: list[_Scores] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Rows that are held."""
        return sum(map(len, self.frames))


def _pass(table: Table, function: Callable[..., _Part], merge: Callable[[list[_Part]], _Part]) -> _Part:
    # Merged at once: rows that are in files are held no more.
    part: _Part = table.batches.reduce(table, function, table.plan, merge=merge, bulky=True)  # type: ignore[call-arg]
    return part


def _whole(piece: Piece, plan: Plan) -> _Part:
    return _Part(frames=[piece.frame])


def _rows_of(piece: Piece, plan: Plan, *, system: Any, pair: tuple[Hashable, Hashable]) -> _Part:
    """Keep the rows of two systems, and one of each other, which errors list."""
    systems = read_labels(piece.frame, system, "system")
    kept = np.isin(systems.codes, [code for code, label in enumerate(systems.labels) if label in pair])
    kept[np.unique(systems.codes, return_index=True)[1]] = True
    return _Part(frames=[piece.frame[kept]])


def _scores(piece: Piece, plan: Plan, *, described: DescribedFrame, files: _Files) -> _Part:
    """Read the scores of a piece, which is let go of where rows are in files."""
    frame = piece.frame
    groups = without_rows(gather(piece, plan))
    costs, _, complete = plan.read(frame)
    refuse_extremes(costs, plan.objectives)
    kept = frame if complete.all() else frame[complete]
    items = _hashes(read_labels(kept, described.say("item"), "item"))
    cluster = described.say("cluster")
    units = items if cluster is None else _hashes(read_labels(kept, as_names(cluster)[0], "cluster"))
    systems = read_labels(kept, described.say("system"), "system")
    return _Part(groups, [] if files.rows else [frame], [_Scores(systems, items, units, costs[complete])])


def _merge(parts: list[_Part], plan: Plan, files: _Files | None = None, most: int = 0) -> _Part:
    """Put parts together; scores of more rows than may be held go to files."""
    groups = merge_groups([part.groups for part in parts], plan)
    frames, scores = ([one for part in parts for one in getattr(part, name)] for name in ("frames", "scores"))
    merged = _Part(groups, frames, scores)
    if files is None or not (files.rows or merged.n_rows > most):
        return merged
    for one in scores:
        files.write(one)
    return _Part(groups)


def _few(found: _Part, frame: Batches, verb: str, advice: str) -> pd.DataFrame:
    """Return rows that were held; refuse too many."""
    if found.n_rows > frame.rows_in_memory:
        raise WholeTableNeededError(
            f"`{verb}` would hold {found.n_rows:,} rows, and may hold {frame.rows_in_memory:,}; {advice}, or raise "
            "`rows_in_memory` of `scan`."
        )
    rows = pd.concat([one for one in found.frames if len(one)] or [frame.empty])
    rows.attrs = dict(frame.empty.attrs)
    return rows


def _with_possible_clusters(
    rows: pd.DataFrame, frame: Batches, described: DescribedFrame, function: Callable[..., _Part]
) -> pd.DataFrame:
    """Add columns that nothing was said of: items may have been drawn in groups that they name, as is then said.

    They are read once it is known that the rows are few, since texts of all questions may be large.
    """
    if described.say("item") is None or described.say("cluster") is not None or not frame._is_read_again_at_ease:
        return rows
    names = [name for name in frame.empty.columns if name not in rows.columns and holds_labels(frame.empty[name])]
    if not names:
        return rows
    table = ask(frame, described.saying(nan_policy="worst"), system=described.say("system"), others=names)
    found = _pass(table, function, partial(_merge, plan=table.plan))
    others = pd.concat([one for one in found.frames if len(one)])
    together = pd.concat([rows.reset_index(drop=True), others[names].reset_index(drop=True)], axis=1)
    together.index, together.attrs = rows.index, rows.attrs
    return together


def _hashes(labels: Labels) -> np.ndarray:
    """A number of 64 bits for the label of each row, the same in all pieces."""
    index = labels.index
    hashes = pd.util.hash_pandas_object(index, index=False).to_numpy()
    if pd.api.types.is_integer_dtype(index.dtype):
        # In another piece, the same numbers may be floating-point ones.
        values = index.to_numpy(dtype=np.int64)
        hashes = np.where(np.abs(values) <= _EXACT, pd.util.hash_array(values.astype(np.float64)), hashes)
    return np.asarray(hashes[labels.codes], dtype=np.uint64)


class _Files:
    """Temporary files without a name, each with all scores of its items; nothing is left behind."""

    def __init__(self, n_objectives: int, *, clustered: bool) -> None:
        self.dtype = np.dtype(
            [("item", "u8"), *([("unit", "u8")] * clustered), ("system", "i4"), ("costs", "f8", (n_objectives,))]
        )
        self.systems = pd.Index([])
        self.rows = 0
        self._stack = contextlib.ExitStack()
        self._files: list[Any] = []

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *details: object) -> None:
        self._stack.close()

    def write(self, scores: _Scores) -> None:
        """Append scores to the files of their items."""
        if not self._files:
            opened: Iterator[Any] = (tempfile.TemporaryFile() for _ in range(_FILES))  # noqa: SIM115
            self._files = [self._stack.enter_context(file) for file in opened]
        index = scores.systems.index
        self.systems = index if self.rows == 0 else self.systems.append(index).unique()
        rows = np.empty(len(scores.items), dtype=self.dtype)
        rows["item"], rows["costs"] = scores.items, scores.costs
        rows["system"] = self.systems.get_indexer(index)[scores.systems.codes]
        if "unit" in (rows.dtype.names or ()):
            rows["unit"] = scores.units
        place = (scores.units % _FILES).astype(np.uint8)
        rows = rows[np.argsort(place, kind="stable")]
        ends = np.cumsum(np.bincount(place, minlength=_FILES))
        for file, part in zip(self._files, np.split(rows, ends[:-1]), strict=True):
            file.write(part.tobytes())
        self.rows += len(rows)

    def contents(self) -> Iterator[tuple[Any, np.ndarray]]:
        """Give every file that has rows, with these."""
        for file in self._files:
            file.seek(0)
            rows = np.frombuffer(file.read(), dtype=self.dtype)
            if len(rows):
                yield file, rows


# --------------------------------------------------------------------------------------------------------- the sums


@dataclass(frozen=True, eq=False)
class _Summing:
    """What sums over the items of scores in files take."""

    frame: Batches
    table: Table
    files: _Files
    described: DescribedFrame
    verb: str

    def measurements(self) -> SummedMeasurements:
        """Sum the scores of every file, then powers and products of the sums."""
        order = label_order(self.files.systems)
        place = np.argsort(order)
        parts: list[Totals] = []
        blocks: list[Any] = []
        incomplete: list[tuple[int, int]] = []
        items: list[np.ndarray] = []
        for file, rows in self.files.contents():
            scores, units, labels, missing = self._arranged(rows, place)
            items.append(labels)
            incomplete += missing
            if len(scores):
                summed, sizes, totals = reduced(scores, units)
                parts.append(totals)
                blocks.append(file)
                file.seek(0)
                np.save(file, summed)
                np.save(file, sizes)
        n_items = sum(map(len, items))
        cluster = self.described.say("cluster")
        if cluster is not None and len(np.unique(np.concatenate(items))) < n_items:
            raise ValueError(
                f"`cluster` {text.label(cluster)}: some items are in more than one cluster. If items are "
                f"numbered anew in each cluster, name both columns with {checks.called('item')}."
            )
        if incomplete:
            item, system = incomplete[0]
            raise ValueError(
                f"{len(incomplete):,} of {n_items:,} items were not measured for every system, e.g. "
                f"{self._item(item)} for {text.label(self.files.systems[order[system]])}; add these rows, or "
                f"{instead_of_raising()}."
            )
        n_units = sum(totals.n_units for totals in parts)
        if n_units < FEWEST_UNITS:
            raise WholeTableNeededError(
                f"`{self.verb}` sums over items from {FEWEST_UNITS:,} of them on (or clusters), and there are "
                f"{n_units:,} complete ones; raise `rows_in_memory` of `scan` from {self.frame.rows_in_memory:,} to "
                f"{self.files.rows:,}, or average repetitions in its engine first."
            )
        objectives = self.table.plan.objectives
        found = SummedMeasurements(
            self.files.systems[order], objectives, known=known_objectives(self.described.say("known"), objectives),
            item=_name(self.described.say("item")), cluster=_name(self.described.say("cluster")),
            moments=moments(map(_loaded, blocks), together(parts)),
        )  # fmt: skip
        if several := varying(found):
            raise several_values(*several)
        return found

    def _arranged(
        self, rows: np.ndarray, place: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[int, int]]]:
        """Costs of the complete items of a file, their units, all its items, and which lack which system."""
        codes, items = pd.factorize(rows["item"])
        systems = place[rows["system"]]
        n, k = len(place), rows["costs"].shape[1]
        cells = codes * n + systems
        counts = np.bincount(cells, minlength=len(items) * n).reshape(-1, n)
        if (counts > 1).any():
            item, system = divmod(int(np.argmax(counts > 1)), n)
            named = self.files.systems[np.argsort(place)[system]]
            raise ValueError(
                f"`system` {text.label(named)} has {counts.max()} rows for item {self._item(items[item])}; average "
                "them in the engine of the table first."
            )
        complete = (counts > 0).all(axis=1)
        costs = np.full((len(items) * n, k), np.nan)
        costs[cells] = rows["costs"]
        of_items = np.arange(len(items))
        if "unit" in (rows.dtype.names or ()):
            pairs = pd.DataFrame({"item": codes, "unit": rows["unit"]}).drop_duplicates()
            of_items = pairs.drop_duplicates("item").sort_values("item")["unit"].to_numpy()
            items = items[pairs["item"]]  # an item of two clusters counts twice
        missing = [(int(items[one]), int(np.argmin(counts[one]))) for one in np.flatnonzero(~complete)]
        return costs.reshape(-1, n, k)[complete], pd.factorize(of_items[complete])[0], items, missing

    def _item(self, wanted: int) -> str:
        """Name an item by its hash, if the table can be read again."""
        with contextlib.suppress(ValueError):
            for piece in self.frame.pieces(self.table):
                labels = read_labels(piece.frame, self.described.say("item"), "item")
                found = np.flatnonzero(_hashes(labels) == np.uint64(wanted))
                if len(found):
                    return text.label(labels.labels[labels.codes[found[0]]])
        return "one of them"


def _loaded(file: Any) -> tuple[np.ndarray, np.ndarray]:
    file.seek(0)
    return np.load(file), np.load(file)


def _name(given: Any) -> Hashable:
    """What items or clusters are called: the column, or nothing where several make them."""
    names = as_names(given)
    return names[0] if len(names) == 1 else None
