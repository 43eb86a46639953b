"""Tables in the package, and the record of origin in every loaded frame.

``SOURCES.md`` in this folder describes the bundled tables, for people and programs: one section per file of
``tables/``, with one ``- key: value`` line per property.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import pandas as pd

from copa_nb import checks
from copa_nb.datasets.download import sha256_of
from copa_nb.tables.description import define

Kind: TypeAlias = Literal["bundled", "simulated"]

ATTRS_KEY = "source"
FOLDER = Path(__file__).with_name("tables")
SOURCES_FILE = Path(__file__).with_name("SOURCES.md")
_HEADING = re.compile(r"^## (\S+)\s*$")
_TABLE_FILE = re.compile(r"\.csv(\.gz)?$")
_PROPERTY = re.compile(r"^- (kind|what|source|license|kept|made by|objectives|words|index): (.+)$")


@functools.cache
def sources() -> dict[str, dict[str, str]]:
    """Read ``SOURCES.md``: name of a table to its properties."""
    described: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in SOURCES_FILE.read_text(encoding="utf-8").splitlines():
        if heading := _HEADING.match(line):
            current = described.setdefault(heading[1], {})
        elif pair := _PROPERTY.match(line):
            current[pair[1]] = pair[2].strip()
    return described


def load_bundled(name: str) -> pd.DataFrame:
    """Read a table that is part of the package.

    Parameters
    ----------
    name : str
        Name of a file in ``copa_nb/datasets/tables`` without its ending.

    Returns
    -------
    DataFrame
        The table. Index and objectives are those that ``SOURCES.md`` states; ``attrs["source"]`` holds
        the origin, the license and the hash of the file.

    Raises
    ------
    ValueError
        For an unknown name; the message lists the tables.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> datasets.load_bundled("deepobs_optimizers").attrs["moo"]["objectives"]
    {'performance': 'min', 'speed': 'min'}
    """
    checks.one_of("name", name, sorted(_files()))
    properties = sources().get(name, {})
    file = _files()[name]
    frame = pd.read_csv(file)
    if "index" in properties:
        frame = frame.set_index(properties["index"].split(", "))
    objectives = dict(pair.rsplit(" ", 1) for pair in properties.get("objectives", "").split(", ") if pair)
    words = dict(pair.split(" ", 1) for pair in properties.get("words", "").split(", ") if pair)
    return describe(
        frame,
        objectives=objectives,
        words=words,
        name=name,
        kind="bundled",
        origin=properties.get("source", ""),
        license=properties.get("license", ""),
        sha256=sha256_of(file),
    )


def round_means(table: pd.DataFrame) -> pd.DataFrame:
    """Round real numbers to nine significant digits, so equal means do not differ by the order of summation."""
    real = table.select_dtypes("float")
    return table.assign(**real.map(lambda value: float(f"{value:.9g}")))


def list_bundled() -> list[dict[str, object]]:
    """Describe the tables in the package, one mapping per table."""
    return [
        {
            "name": name,
            "kind": properties.get("kind", ""),
            "rows": _count_rows(file),
            "bytes": file.stat().st_size,
            "where": "package",
            "license": properties.get("license", ""),
            "what": properties.get("what", ""),
            "origin": properties.get("source", ""),
        }
        for name, file in sorted(_files().items())
        for properties in [sources().get(name, {})]
    ]


def _files() -> dict[str, Path]:
    return {file.name.partition(".")[0]: file for file in FOLDER.iterdir() if _TABLE_FILE.search(file.name)}


def _count_rows(file: Path) -> int:
    content = file.read_bytes()
    plain = gzip.decompress(content) if file.suffix == ".gz" else content
    return max(plain.count(b"\n") - 1, 0)


def describe(
    frame: pd.DataFrame,
    *,
    objectives: Mapping[str, str],
    name: str,
    kind: Kind,
    origin: str,
    license: str,
    sha256: str | None = None,
    words: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the frame with its objectives and its origin in ``attrs``.

    Parameters
    ----------
    frame : DataFrame
        The table.
    objectives : mapping of str to {"max", "min"}
        Columns that are objectives; empty for a table without.
    name, kind, origin, license : str
        Name of the data; "bundled" (a table in the package) or "simulated"; address or source; license.
    sha256 : str, optional
        Hash of the file; by default that of the frame written as CSV.
    words : mapping of str to column, optional
        What other columns are; see ``df.moo.define()``.

    Returns
    -------
    DataFrame
        Same rows; ``attrs["moo"]`` and ``attrs["source"]`` are set.

    Examples
    --------
    >>> frame = describe(
    ...     pd.DataFrame({"cost": [1.0, 2.0]}),
    ...     objectives={"cost": "min"}, name="mine", kind="simulated", origin="example", license="none",
    ... )
    >>> frame.attrs["source"]["kind"], frame.attrs["moo"]["objectives"]
    ('simulated', {'cost': 'min'})
    """
    described = (
        define(frame, objectives, **cast("dict[str, Any]", words or {})) if objectives else frame.copy(deep=False)
    )
    if sha256 is None:
        sha256 = hashlib.sha256(frame.to_csv(lineterminator="\n").encode()).hexdigest()
    source = {"name": name, "kind": kind, "sha256": sha256, "origin": origin, "license": license}
    described.attrs = {**described.attrs, ATTRS_KEY: source}
    return described
