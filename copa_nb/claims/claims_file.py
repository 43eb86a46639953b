"""Files of claims: YAML, checked as a whole before anything runs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copa_nb.analyses.tables import flat
from copa_nb.checks import fraction, integer, listed, nearest
from copa_nb.claims.evidence import Evidence, Reading
from copa_nb.claims.kinds import Claim, form_of, kinds
from copa_nb.claims.old_claims import instead_of_claim
from copa_nb.comparisons.many_items import SummedMeasurements
from copa_nb.results.guarantee import CAVEATS
from copa_nb.sources.read import read
from copa_nb.sources.table_descriptions import KEYS, words_of
from copa_nb.sources.yaml_files import entries_of, mapping_of, read_mapping
from copa_nb.streams import items
from copa_nb.streams.readers import is_in_pieces
from copa_nb.streams.scan import Scan, scan
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.frames import in_pieces, to_pandas


@dataclass(frozen=True)
class ClaimsFile:
    """Claims about a table.

    Parameters
    ----------
    claims : tuple of Claim
        In the order of the file.
    settings : Reading
        What the columns of the table mean.
    alpha : float
        Error rate of all claims together.
    accept : frozenset of str
        Names of warnings that do not keep a claim undecided.
    table : str
        The table, relative to `folder`; empty if it is handed over.
    reading : dict
        How it is read.
    folder : Path
        What relative paths start from.
    name : str
        The file, for errors and pages.
    """

    claims: tuple[Claim, ...]
    settings: Reading
    alpha: float
    accept: frozenset[str] = frozenset()
    table: str = ""
    reading: Mapping[str, Any] | None = None
    folder: Path = Path()
    name: str = "claims"

    def evidence(self, frame: Any = None) -> Evidence:
        """Return the evidence of a frame of any library, or of the table that the file names."""
        if frame is None:
            if not self.table:
                raise ValueError(
                    f"{self.name} names no table; add `table: results.csv`, or pass a frame: check(claims, frame)."
                )
            path, ways = str(self.folder / self.table), dict(self.settings.objectives) or None
            frame = scan(path, ways) if is_in_pieces(path) else read(path, ways, **dict(self.reading or {}))
        table = in_pieces(frame)
        if isinstance(table, Scan) and self.settings.bounds:
            frame = table.to_pandas()  # sums over items do not say which values are missing
        elif isinstance(table, Scan):
            words = {"nan_policy": self.settings.nan_policy, **self.settings.columns}
            described = DescribedFrame.of(table.empty, dict(self.settings.objectives) or None, **words)
            found = items.read(table, "check", described)
            if isinstance(found, SummedMeasurements):
                return Evidence(table.empty, self.settings, self.folder, found)
            # Claims may be about any of its columns.
            frame = table.to_pandas()
        frame = to_pandas(frame)
        labeled = self.settings.is_sample or self.settings.system is not None
        return Evidence(flat(frame) if labeled else frame, self.settings, self.folder)


def read_claims(source: str | os.PathLike[str] | Mapping[str, Any]) -> ClaimsFile:
    """Read claims from a file or a mapping; every mistake is reported at once, with its line.

    Parameters
    ----------
    source : path or mapping
        YAML with ``claims``, a list of mappings, and what the table's columns mean.

    Returns
    -------
    ClaimsFile

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With everything that is wrong in it.
    """
    lines: list[int] = []
    if isinstance(source, Mapping):
        data, name, folder = dict(source), "`claims`", Path()
    else:
        file = Path(source)
        if not file.is_file():
            raise FileNotFoundError(f"`claims` is {os.fspath(source)!r}, but there is no such file.")
        (data, lines), name, folder = read_mapping(file, "claims"), str(file), file.parent
    problems = [
        f"{key!r} is not a known key.{nearest(key, KEYS)} Known keys are {listed(KEYS, most=30)}."
        for key in data
        if key not in KEYS
    ]
    found: list[Claim] = []
    stated: list[Any] = []
    try:
        stated = entries_of("claims", data.get("claims"), "claim", "rank: medium")
    except ValueError as error:
        problems.append(str(error))
    for number, one in enumerate(stated, start=1):
        line = lines[number - 1] if number <= len(lines) else 0
        try:
            found.append(_claim(one, line))
        except (ValueError, TypeError) as error:
            problems.append(f"{_place(one, number, line)}: {error}")
    problems += _clashes(found) + _out_of_order(found, stated)
    try:
        settings = _settings(data)
        alpha = fraction("alpha", data.get("alpha", 0.05))
        accept = _accepted(data.get("accept"))
        reading = mapping_of("reading", data.get("reading"))
    except (ValueError, TypeError) as error:
        problems.append(str(error))
    if problems:
        raise ValueError(f"{name} cannot be checked:\n" + "\n".join(f"  {problem}" for problem in problems))
    return ClaimsFile(tuple(found), settings, alpha, accept, str(data.get("table") or ""), reading, folder, name)


def place_of(claim: Claim) -> str:
    """Name a claim in an error: its id, and its line in the file."""
    return f"{claim.id!r}" + (f" (line {claim.line})" if claim.line else "")


def _place(one: Any, number: int, line: int) -> str:
    name = one.get("id") if isinstance(one, Mapping) else None
    return f"claim {number}" + (f" ({name})" if name else "") + (f", line {line}" if line else "")


def _claim(one: Any, line: int) -> Claim:
    if not isinstance(one, Mapping):
        raise TypeError(f"a claim is a mapping such as {{rank: medium}}, not {one!r}.")
    if any(isinstance(key, bool) for key in one):
        raise ValueError("it has a key that YAML reads as true or false, such as on and yes; options have other names.")
    options = {str(key): value for key, value in one.items()}
    if instead := instead_of_claim(options):
        raise ValueError(instead[0].lower() + instead[1:])
    id = _id(options.pop("id", ""))
    known = kinds()
    named = [key for key in options if key in known]
    if not named:
        given = next(iter(options), "")
        raise ValueError(f"it has no kind of claim.{nearest(given, known)} Kinds are {listed(known)}.")
    if len(named) > 1:
        raise ValueError(f"it has the kinds {listed(named)}; write a claim for each.")
    return form_of(named[0], options).read(options, id=id, line=line)


def _id(given: Any) -> str:
    """Read the name of a claim; without one, claims are named by what they say."""
    if isinstance(given, bool):
        raise ValueError(f"`id` is {given}, as YAML reads words such as yes and no; write it in quotes.")
    if isinstance(given, list | Mapping):
        raise ValueError(f"`id` is {given!r}; it must be text, e.g. deployed.")
    return "" if given is None else str(given)


def _clashes(claims: Sequence[Claim]) -> list[str]:
    """Claims with the same id, and claims of which only one can hold."""
    problems = []
    ids: dict[str, Claim] = {}
    only: dict[Hashable, Claim] = {}
    for claim in claims:
        if claim.id in ids:
            problems.append(f"{place_of(claim)}: another claim has this id; give each its own `id`.")
        ids.setdefault(claim.id, claim)
        if claim.excludes is None:
            continue
        other = only.setdefault((type(claim), claim.excludes), claim)
        if other.says() != claim.says():
            problems.append(
                f"{place_of(claim)} contradicts {place_of(other)}: {claim.says()}, but {other.says()}; remove one."
            )
    return problems


def _out_of_order(claims: Sequence[Claim], stated: Sequence[Any]) -> list[str]:
    """Claims that wait for one that does not stand above them."""
    problems = []
    above: list[str] = []
    refused = {str(one.get("id")) for one in stated if isinstance(one, Mapping)} - {claim.id for claim in claims}
    for claim in claims:
        for one in claim.after:
            if one not in above and one not in refused:
                problems.append(
                    f"{place_of(claim)}: `after` names {one!r}, which is not the id of a claim above it."
                    f"{nearest(one, above)}"
                )
        above.append(claim.id)
    return problems


def _accepted(given: Any) -> frozenset[str]:
    """Read the names of warnings that a file accepts."""
    names = [given] if isinstance(given, str) else given or []
    if not isinstance(names, list):
        raise TypeError(f"`accept` is {given!r}; it must be a list of warnings, e.g. [skewed].")
    for name in map(str, names):
        if name not in CAVEATS:
            raise ValueError(
                f"`accept` names {name!r}, which is no warning; warnings are {listed(CAVEATS, most=20)}."
                f"{nearest(name, CAVEATS)}"
            )
    return frozenset(map(str, names))


def _settings(data: Mapping[str, Any]) -> Reading:
    given = words_of(data)
    if isinstance(given.get("system"), list):
        raise ValueError(f"`system` is {given['system']!r}; it must be the name of a column.")
    for name, least in (("n_resamples", 100), ("seed", 0)):
        if data.get(name) is not None:
            given[name] = integer(name, data[name], least=least)
    return Reading(**given)
