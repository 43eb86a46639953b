"""Where data come from, as a report records and says it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from copa_nb.checks import one_of

KINDS = ("real", "stand-in", "bundled", "simulated", "own")
_SOURCE_KEYS = ("name", "kind", "sha256", "origin")


def described(source: pd.DataFrame | Mapping[str, object]) -> dict[str, str]:
    """Return name, kind, hash and origin of a source, or refuse it."""
    given = source.attrs.get("source") if isinstance(source, pd.DataFrame) else source
    if not isinstance(given, Mapping):
        raise TypeError(
            "`source` must be a frame from copa_nb.datasets, whose attrs['source'] says where it comes "
            "from (merging loses it: record the frame as loaded), or a mapping with name, kind, sha256 "
            f"and origin; came {type(source).__name__}{' without it' if given is None else ''}."
        )
    missing = [key for key in ("name", "kind") if not given.get(key)]
    if missing:
        raise ValueError(f"`source` lacks {missing[0]!r}; it must have name, kind, sha256 and origin.")
    one_of("kind", given["kind"], KINDS)
    return {key: str(given.get(key) or "") for key in _SOURCE_KEYS}


def source_sentence(source: Mapping[str, str]) -> str:
    """Say in one sentence which data was used."""
    meaning = {
        "real": "the public data",
        "stand-in": "a simulated STAND-IN, not the data of the paper",
        "bundled": "bundled with the package",
        "simulated": "simulated as described",
        "own": "your own table",
    }[source["kind"]]
    origin = f" from {source['origin']}" if source.get("origin") else ""
    digest = f" (sha256 {source['sha256'][:12]}…)" if source.get("sha256") else ""
    return f"Data: {source['name']}, {meaning}{origin}{digest}."
