"""Where the rows of a frame come from, kept with the frame."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from typing import Literal, TypeAlias

import pandas as pd

from copa_nb import checks
from copa_nb.objectives import define

Kind: TypeAlias = Literal["real", "stand-in", "bundled", "simulated"]

ATTRS_KEY = "source"


class FallbackWarning(UserWarning):
    """Says that other data took the place of a public file that could not be had."""


class StandInWarning(FallbackWarning):
    """Says that simulated data took the place of a public file that could not be had."""


def describe(
    frame: pd.DataFrame,
    *,
    objectives: Mapping[str, str],
    name: str,
    kind: Kind,
    origin: str,
    licence: str,
    sha256: str | None = None,
) -> pd.DataFrame:
    """Return the frame with its objectives and its origin in ``attrs``.

    Parameters
    ----------
    frame : DataFrame
        The table.
    objectives : mapping of str to {"max", "min"}
        Columns that are objectives; empty for a table without.
    name, kind, origin, licence : str
        What the data are called; "real" (a public file), "bundled" (a table in the package),
        "stand-in" (simulated in the place of a public file) or "simulated"; address or source; licence.
    sha256 : str, optional
        Hash of the file; by default that of the frame written as CSV.

    Returns
    -------
    DataFrame
        Same rows; ``attrs["moo"]`` and ``attrs["source"]`` are set.

    Examples
    --------
    >>> frame = describe(
    ...     pd.DataFrame({"cost": [1.0, 2.0]}),
    ...     objectives={"cost": "min"}, name="mine", kind="simulated", origin="example", licence="none",
    ... )
    >>> frame.attrs["source"]["kind"], frame.attrs["moo"]["objectives"]
    ('simulated', {'cost': 'min'})
    """
    described = define(frame, objectives) if objectives else frame.copy(deep=False)
    if sha256 is None:
        sha256 = hashlib.sha256(frame.to_csv(lineterminator="\n").encode()).hexdigest()
    source = {"name": name, "kind": kind, "sha256": sha256, "origin": origin, "licence": licence}
    described.attrs = {**described.attrs, ATTRS_KEY: source}
    return described


def stand_in_for(source: str, what: str, error: OSError) -> None:
    """Warn that a stand-in is used, or raise `error` again where real data were insisted on.

    Parameters
    ----------
    source : str
        What the user asked for; "real" raises.
    what : str
        The data that are missing.
    error : OSError
        Why they are missing.
    """
    if source == "real":
        raise error
    # The reader needs the line that called the loader: two frames up.
    warnings.warn(f"a simulated stand-in takes the place of {what}: {error}", StandInWarning, stacklevel=3)


def check_source(source: object, *allowed: str) -> None:
    """Refuse a `source` that a loader does not have."""
    checks.one_of("source", source, allowed)
