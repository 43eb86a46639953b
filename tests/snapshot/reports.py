"""Two quick reports, made without public files: what they claim and the tables they carry."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd

import copa_nb
from tests.snapshot.encoding import as_stored, plain

NAMES = ("significance/definition", "copa/section_3_3")


def made(name: str, folder: Path) -> dict[str, Any]:
    """Make a report below a folder and return its claims, tables and captions, as they would be stored."""
    with patch.dict(os.environ):
        os.environ.pop("COPA_NB_DATA", None)
        os.environ |= {"COPA_NB_OFFLINE": "1", "COPA_NB_CACHE": str(folder / "cache")}
        report = copa_nb.report(name, out=folder / "reports", progress=False)
    manifest = json.loads((report.folder / "manifest.json").read_text(encoding="utf-8"))
    files = [path for path in report.tables if path.suffix == ".csv"]
    parts = {
        "title": [report.title, report.status],
        "parameters": manifest["parameters"],
        "claims": {claim["id"]: claim for claim in manifest["claims"]},
        "tables": {path.stem: plain(pd.read_csv(path)) for path in files},
        "captions": {one["name"]: one["caption"] for one in [*manifest["tables"], *manifest["figures"]]},
        "figures": [path.name for path in report.figures],
    }
    stored: dict[str, Any] = as_stored(parts, without=str(folder))
    return stored
