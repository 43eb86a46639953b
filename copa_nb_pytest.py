"""Files of claims as tests of pytest: ``claims.yaml`` and ``*.claims.yaml`` collect as one test per claim.

Outside the package, so that a run of tests without such a file imports nothing of it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_OPTION = "copa_nb_undecided"
_WORDS = ("skip", "fail", "ok")
# A mapping with claims, among files of this name that mean something else.
_CLAIMS = re.compile(r"^claims\s*:", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting for undecided claims."""
    parser.addini(_OPTION, "what undecided claims of copa_nb count as: skip (default), fail or ok", default="skip")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a setting that would let undecided claims pass unnoticed."""
    given = config.getini(_OPTION)
    if given not in _WORDS:
        nearest = difflib.get_close_matches(str(given).lower(), _WORDS, n=1)
        advice = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise pytest.UsageError(
            f"`{_OPTION}` is {given!r}; it must be {', '.join(_WORDS[:-1])} or {_WORDS[-1]}.{advice}"
        )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect files of claims."""
    if file_path.name not in ("claims.yaml", "claims.yml") and not file_path.name.endswith(
        (".claims.yaml", ".claims.yml")
    ):
        return None
    if not _CLAIMS.search(file_path.read_text(encoding="utf-8", errors="replace")):
        return None
    return ClaimsFile.from_parent(parent, path=file_path)


class ClaimsFile(pytest.File):
    """A file of claims, checked when its first test runs."""

    _checked: Any = None

    def collect(self) -> Iterator[pytest.Item]:
        """Return one test per claim."""
        from copa_nb.claims.claims_file import read_claims

        try:
            claims = read_claims(self.path).claims
        except ValueError as error:
            raise self.CollectError(str(error)) from error
        for claim in claims:
            yield ClaimItem.from_parent(self, name=claim.id, line=claim.line)

    def checked(self) -> Any:
        """Return the verdicts."""
        if self._checked is None:
            from copa_nb.claims.check import check

            self._checked = check(self.path)
        return self._checked


class ClaimItem(pytest.Item):
    """A claim as a test: it passes if the claim holds."""

    def __init__(self, *, line: int, **options: Any) -> None:
        super().__init__(**options)
        self._line = line

    def runtest(self) -> None:
        """Fail if the claim fails, and skip it if it is undecided."""
        assert isinstance(self.parent, ClaimsFile)
        row = self.parent.checked().table.loc[self.name]
        self._sentence = f"{row['says']}: {row['found']}"
        undecided = self.config.getini(_OPTION)
        if row["verdict"] == "undecided" and undecided == "skip":
            pytest.skip(f"undecided: {self._sentence}")
        if row["verdict"] == "fails" or (row["verdict"] == "undecided" and undecided == "fail"):
            raise ClaimNotShownError(f"{row['verdict']}: {self._sentence}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Return the sentence of a claim, without a traceback."""
        known = isinstance(excinfo.value, ClaimNotShownError | ValueError | FileNotFoundError)
        return str(excinfo.value) if known else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the claim stands."""
        return self.path, max(self._line - 1, 0), f"claim {self.name}"


class ClaimNotShownError(Exception):
    """A claim fails, or is undecided where that counts as failing."""
