"""``copa_nb.check(...)``: the verdicts on a file of claims, with one error rate for all of them."""

from __future__ import annotations

__all__ = ["Checked", "check"]

import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from copa_nb import text
from copa_nb.claims import outputs
from copa_nb.claims.claims_file import ClaimsFile, place_of, read_claims
from copa_nb.claims.evidence import EmptyCellError, Evidence
from copa_nb.claims.kinds import Claim, Judgment
from copa_nb.claims.levels import Shares
from copa_nb.claims.verdicts import FAILS, HOLDS, OF_FILES, UNDECIDED
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, part, say
from copa_nb.run_options import options

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of a table for which to estimate what would settle undecided claims.
_MOST_ROWS = 200_000
# Claims of a verdict that are named.
_MOST_NAMED = 5
_MARKS = {HOLDS: "o", FAILS: "X", UNDECIDED: "s"}


@dataclass(frozen=True, repr=False, eq=False)
class Checked(Worded):
    """The verdicts on claims.

    Parameters
    ----------
    table : DataFrame
        One row per claim, by its id (what it says, where the file gives none): ``kind``, ``verdict`` ("holds", "fails"
        or "undecided"), ``says`` (the claim as it was understood), ``found``, ``settle`` (what would settle it),
        ``warnings`` (names of those that keep it undecided), ``level`` (the share of `alpha` that it was tested
        at; 0 where the verdict is about the table as it is) and ``line`` in the file.
    alpha : float
        Over new samples, the probability that any claim that is false is said to hold, or any that is true to fail, is
        about this or less.
    name : str
        The file.
    guarantee : Guarantee
        How often no verdict is wrong, and the warnings that the file accepts.
    measured : str
        How the precision is known; empty for a table without a sample.
    """

    table: pd.DataFrame
    alpha: float
    name: str
    guarantee: Guarantee
    measured: str = ""

    def __repr__(self) -> str:
        return f"<Checked {len(self.table)} claims: {text.listing(map(say, self._counts()))}>"

    @property
    def counts(self) -> dict[str, int]:
        """Number of claims by verdict."""
        verdicts = self.table["verdict"].tolist()
        return {verdict: verdicts.count(verdict) for verdict in OF_FILES}

    def with_verdict(self, verdict: str) -> list[str]:
        """Return the ids of the claims with a verdict."""
        found: list[str] = self.table.index[self.table["verdict"] == verdict].tolist()
        return found

    def parts(self) -> list[Part]:
        """How many claims hold, which fail, and which are undecided."""
        said = [part("claims.headline.counts", n=len(self.table), counts=self._counts())]
        for verdict in (FAILS, UNDECIDED):
            for id in self.with_verdict(verdict)[:_MOST_NAMED]:
                row = self.table.loc[id]
                name = f'"{id}"' if id == row["says"] else id
                said.append(part(f"claims.reasons.{verdict}", claim=name, found=row["found"]))
                said += [part("claims.reasons.settle", settle=row["settle"])] * bool(row["settle"])
        return [*said, *self.guarantee.parts()]

    def _counts(self) -> list[Part]:
        return [part(f"claims.phrases.{verdict}", n=n) for verdict, n in self.counts.items()]

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw each claim in the column of its verdict.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        matplotlib Axes
        """
        return _draw_verdicts(self.table["verdict"], ax)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the verdicts as a page, the ledger of the claims, and write it to a file if one is named."""
        return outputs.written(path, outputs.as_page(self))

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the verdicts as JSON (schema ``copa_nb/check/1``), and write them to a file if one is named."""
        return outputs.written(path, outputs.as_json(self))

    def to_junit(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the verdicts as JUnit XML, one test case per claim; undecided claims are skipped."""
        return outputs.written(path, outputs.as_junit(self))

    def to_markdown(
        self, path: str | os.PathLike[str] | None = None, *, since: str | os.PathLike[str] | None = None
    ) -> str:
        """Return the verdicts as Markdown, for a pull request.

        Parameters
        ----------
        path : path, optional
            File to write it to.
        since : path, optional
            An earlier file of :meth:`to_json`: what has changed since comes first.

        Raises
        ------
        ValueError
            If `since` is not such a file.
        """
        return outputs.written(path, outputs.as_markdown(self, since))


def check(claims: str | os.PathLike[str] | Mapping[str, Any], frame: Any = None, *, settle: bool = True) -> Checked:
    """Check claims about a table; one level holds for all of them.

    Parameters
    ----------
    claims : path or mapping
        A YAML file, or what it would contain: ``table`` (any source that :func:`copa_nb.read` takes, or a folder or
        glob of Parquet files of any size), ``objectives``, the columns ``system``, ``item``, ``cluster``, ``repeat``,
        ``standard_error``, ``n``, ``known`` and ``order``, ``validation`` and ``test`` (prefixes), ``nan_policy`` and
        ``bounds`` (with "bounds", what a missing value may be, e.g. ``{accuracy: [0, 1]}``), ``alpha`` (default .05),
        ``accept`` (names of warnings) and ``claims``, a list of mappings: a kind with its subject, options of the kind,
        and ``id``, by default what the claim says.
    frame : DataFrame, optional
        The table, instead of the one that the claims name.
    settle : bool
        Whether to estimate what would settle undecided claims, for tables of up to 200,000 rows.

    Returns
    -------
    Checked

    Raises
    ------
    FileNotFoundError, ValueError
        With everything that is wrong in the file, and its lines; nothing runs then.

    Notes
    -----
    A claim holds or fails if that is significant, and is undecided otherwise. It is undecided, too, if its test carries
    a warning that this table calls for, such as costs that are skewed; ``accept: [skewed]`` in the file accepts that
    warning for all claims. Claims that follow from the same
    simultaneous test share its level: all that follows from which systems are better than which, for any weights.
    `alpha` is divided among the tests in proportion to the largest ``weight`` of their claims; the share of a test
    all of whose claims hold passes to the others, as in Holm's procedure. A claim with ``after: id`` is tested once
    the claim above it with that id holds, and takes over its share (serial gatekeeping) [1]_: in a file in which each
    claim comes after the previous one, all are tested at `alpha`. Tests of two systems allow for their
    having been picked among all systems, unless a claim says ``planned: true``.

    References
    ----------
    .. [1] F. Bretz, W. Maurer, W. Brannath and M. Posch, "A graphical approach to sequentially rejective multiple test
       procedures", Statistics in Medicine 28, 2009.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.90, 0.91], "cost": [1.0, 5.0]}, index=["small", "large"])
    >>> claims = {
    ...     "objectives": {"accuracy": "max", "cost": "min"},
    ...     "claims": [
    ...         {"rank": "small"},
    ...         {"id": "cheap", "not_worse": ["small", "large"], "margin": {"accuracy": 0.02}},
    ...     ],
    ... }
    >>> copa_nb.check(claims, models).table["verdict"].to_dict()
    {'small ranks first': 'holds', 'cheap': 'holds'}
    """
    file = read_claims(claims)
    evidence = file.evidence(frame)
    with options(progress=False):
        judged = _judged(file, evidence)
        rows = [
            {
                "kind": claim.kind, "verdict": found.verdict, "says": claim.says(), "found": say(found.found),
                "settle": _settles(claim, evidence, found, level) if settle else "",
                "warnings": ", ".join(one.name for one in found.doubts), "level": level, "line": claim.line,
            }
            for claim, (found, level) in zip(file.claims, judged, strict=True)
        ]  # fmt: skip
    table = pd.DataFrame(rows, index=pd.Index([claim.id for claim in file.claims], name="id"))
    tested = bool(table["level"].any())
    return Checked(
        table, file.alpha, file.name, _guarantee(file, evidence, table["level"].tolist()),
        evidence.describe() if tested else "",
    )  # fmt: skip


def _guarantee(file: ClaimsFile, evidence: Evidence, levels: list[float]) -> Guarantee:
    """How often no verdict is wrong; accepted warnings are repeated, since they are about this table."""
    if not any(levels):
        return Guarantee(
            estimates="the values in the table",
            sampled="",
            holds="",
            confidence_level=None,
            jointly=False,
            basis="none",
            method="the verdicts are about the values as they are, and the noise in them is unknown",
        )
    doubts = {
        one for claim, level in zip(file.claims, levels, strict=True) if level for one in claim.doubts(evidence, level)
    }
    return Guarantee(
        estimates="what each claim is about",
        sampled=evidence.sampled,
        holds="no verdict is wrong, also where a system was named because it looked best",
        confidence_level=1 - file.alpha,
        jointly=True,
        basis="at least, as far as the tests of the claims reach their levels",
        method="the error rate is divided among the tests",
        warnings=tuple(sorted((one for one in doubts if one.name in file.accept), key=lambda one: one.name)),
        remarks=("Verdicts on numbers and limits are about the table as it is.",),
    )


def _judged(file: ClaimsFile, evidence: Evidence) -> list[tuple[Judgment, float]]:
    """Judge all claims; a claim waits for those before it, and the share of a test whose claims all hold passes on."""
    claims = {claim.id: claim for claim in file.claims}
    tests = {id: claim.shared_test(evidence) for id, claim in claims.items()}
    groups: dict[Hashable, list[str]] = {}
    before: dict[Hashable, set[Hashable]] = {}
    group_of: dict[str, Hashable] = {}
    for id, claim in claims.items():
        # Claims that wait for one of another test have a level of their own.
        others = {group_of[one] for one in claim.after if tests[one] not in (None, tests[id])}
        group_of[id] = (tests[id], frozenset(others))
        if tests[id] is not None:
            groups.setdefault(group_of[id], []).append(id)
            before[group_of[id]] = others
    shares = Shares({group: max(claims[id].weight for id in ids) for group, ids in groups.items()}, before)
    found: dict[str, tuple[Judgment, float]] = {}
    waiting = list(groups)
    while True:
        # What a claim waits for stands above it.
        for id, claim in claims.items():
            if tests[id] is None or group_of[id] in waiting:
                level = file.alpha * shares.of(group_of[id]) if tests[id] is not None else 0.0
                waits = [part("claims.found.waits", claim=one) for one in claim.after if found[one][0].verdict != HOLDS]
                if not waits and tests[id] is not None and level == 0:
                    waits = [part("claims.found.waits_for_tests", claims=claim.after)]
                found[id] = (
                    (Judgment(UNDECIDED, waits[0]), 0.0)
                    if waits
                    else (_judge(claim, evidence, level, file.accept), level)
                )
        rejected = [group for group in waiting if all(found[id][0].verdict == HOLDS for id in groups[group])]
        if not rejected:
            return [found[id] for id in claims]
        for group in rejected:
            shares.pass_on(group)
        waiting = [group for group in waiting if group not in rejected]


def _settles(claim: Claim, evidence: Evidence, found: Judgment, level: float) -> str:
    if found.doubts:
        names = list(dict.fromkeys(one.name for one in found.doubts))
        reasons = " ".join(one.sentence for one in found.doubts)
        return say(part("claims.settle.accept", reasons=reasons, names=names))
    wanted = found.verdict == UNDECIDED and level and evidence.n_rows <= _MOST_ROWS
    return claim.settle(evidence, level) if wanted else ""


def _judge(claim: Claim, evidence: Evidence, level: float, accept: frozenset[str]) -> Judgment:
    """Judge a claim; one whose test carries a warning that the file does not accept is undecided."""
    try:
        found = claim.judge(evidence, level)
        if found.verdict == UNDECIDED or not level:
            return found
        doubts = tuple(one for one in claim.doubts(evidence, level) if one.name not in accept)
        if not doubts:
            return found
        would = "hold" if found.verdict == HOLDS else "fail"
        return Judgment(UNDECIDED, part(f"claims.found.would_{would}", found=found.found), doubts)
    except EmptyCellError as error:
        return Judgment(UNDECIDED, error.found)
    except (ValueError, TypeError, FileNotFoundError) as error:
        # Some of their subclasses, such as those for encodings, are not made of a message alone.
        kind = next(kind for kind in (FileNotFoundError, TypeError, ValueError) if isinstance(error, kind))
        raise kind(f"claim {place_of(claim)}: {error}") from error


def _draw_verdicts(verdicts: pd.Series, ax: Axes) -> Axes:
    from copa_nb.plotting.style import GRAY, series_color, shorten_all

    colors = {HOLDS: series_color(2), FAILS: series_color(3), UNDECIDED: GRAY}
    for verdict, mark in _MARKS.items():
        rows = (verdicts == verdict).to_numpy().nonzero()[0]
        ax.plot([OF_FILES.index(verdict)] * len(rows), rows, mark, color=colors[verdict], markersize=9)
    ax.set_yticks(range(len(verdicts)), shorten_all(verdicts.index, 26))
    ax.set_ylim(max(len(verdicts), 1) - 0.5, -0.5)
    ax.set_xticks(range(len(OF_FILES)), OF_FILES)
    ax.set_xlim(-0.5, len(OF_FILES) - 0.5)
    return ax


@describes(Checked.plot)
def _verdicts_in_words(result: Checked) -> Picture:
    return Picture(
        finding=result.headline,
        caption="Each claim in the column of its verdict.",
        alt=f"Grid of {len(result.table)} claims by verdict.",
        data=result.table[["verdict", "found"]],
        height=1.2 + 0.3 * len(result.table),
    )
