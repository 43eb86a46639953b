"""What to cite: BibTeX of the papers behind a verb or a result, of further methods that it uses, and of this package.

A verb or a result has one paper, by ``of_paper``. What it uses besides names it, in ``keywords`` of its entry.
"""

from __future__ import annotations

__all__ = ["citations"]

import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from copa_nb import checks, text

_PACKAGE = "copa_nb"
# The papers whose methods the package was made for; other methods are cited where they are used.
_PAPERS = (
    "javaloy2025copa",
    "feurer2023gap",
    "boyi2026significance",
    "rodemann2024partial",
    "jansen2024gsd",
)

Function = TypeVar("Function", bound=Callable[..., Any])


def of_paper(key: str) -> Callable[[Function], Function]:
    """Say which paper a function is of, by its key in ``references.bib``; classes have it as their ``paper``.

    Examples
    --------
    >>> @of_paper("javaloy2025copa")
    ... def chosen(frame):
    ...     return frame.index[0]
    >>> chosen.paper
    'javaloy2025copa'
    """

    def mark(function: Function) -> Function:
        function.paper = key  # type: ignore[attr-defined]
        return function

    return mark


def citations(*used: object) -> str:
    r"""BibTeX entries of the papers behind functions or results, and of this package.

    Parameters
    ----------
    *used : str, function or result
        Names of functions (``"copa"``) or of methods, or their results; without any, all papers.

    Returns
    -------
    str
        One entry for each paper and each further method, in the order of their first use, and the package's own at the
        end.

    Raises
    ------
    ValueError
        If a name is not that of a public function of this package.

    Examples
    --------
    >>> import copa_nb
    >>> print(copa_nb.citations("copa", "normalize").split("\n")[0])
    @article{javaloy2025copa,
    >>> copa_nb.citations("copa", "hv_test").count("@")
    3
    """
    keys = dict.fromkeys(key for one in used for key in _keys(one)) if used else dict.fromkeys(_PAPERS)
    return "\n\n".join([*(_entries()[key] for key in keys if key), _own_entry()])


def reference(used: object) -> str:
    """Return authors, year and address of the paper behind a verb or a result; empty if there is none.

    Examples
    --------
    >>> reference("copa"), reference("gap")
    ('Javaloy, Vergari and Valera (2025), arXiv:2503.14321', 'Feurer et al. (2023), doi:10.1007/978-3-031-30047-9_11')
    """
    if not (key := _key(used)):
        return ""
    entry = " ".join(_entries()[key].split())
    fields = dict(re.findall(r"(\w+) = \{(.*?)\}(?=,? \w+ =|,? \}$)", entry))
    names = [name.split(",")[0].strip("{}") for name in fields["author"].split(" and ")]
    who = text.listing(names) if len(names) < 4 else f"{names[0]} et al."
    place = re.search(r"\w+:\d[\w.]*\d", entry)
    where = (
        place[0]
        if place
        else f"doi:{fields['doi']}"
        if "doi" in fields
        else fields.get("journal") or fields["booktitle"]
    )
    return f"{who} ({fields['year']}), {where}"


@lru_cache(maxsize=1)
def _entries() -> dict[str, str]:
    """Return the entries of ``references.bib`` by key."""
    file = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in file.strip().split("\n\n")}


def _keys(used: object) -> list[str]:
    """Return the keys of the paper behind a verb or a result, and of what it uses besides."""
    name = getattr(_public(used), "__name__", "")
    further = [key for key, entry in _entries().items() if name in _keywords(entry)]
    return [_key(used), *further]


def _keywords(entry: str) -> list[str]:
    """Return the verbs and results that a further method is used by."""
    return [name for names in re.findall(r"keywords = \{(.*)\}", entry) for name in names.split()]


def _key(used: object) -> str:
    """Return the key of the paper behind a verb or a result; empty if there is none."""
    key = getattr(_public(used), "paper", "")
    return key if isinstance(key, str) else ""  # a property of that name is something else


def _public(used: object) -> object:
    """Return the function or the class that is meant."""
    if isinstance(used, str):
        ((public, names),) = _LOOKUPS
        checks.one_of("used", used, names)
        used = public(used)
    of = used if inspect.isroutine(used) or isinstance(used, type) else type(used)
    if str(getattr(of, "__module__", "")).partition(".")[0] != _PACKAGE:
        raise ValueError(f"`used` is {used!r}, which is not a verb or result of copa_nb; give a name, e.g. 'copa'.")
    return of


_LOOKUPS: list[tuple[Callable[[str], object], tuple[str, ...]]] = []


def look_up_names_with(public: Callable[[str], object], names: tuple[str, ...]) -> None:
    """Say how a public name becomes what it names, by a function that imports it, and which names there are."""
    _LOOKUPS[:] = [(public, names)]


def _own_entry() -> str:
    return f"""@software{{copa_nb,
  title = {{copa\\_nb: from a table of models and metrics to a defensible decision and a report}},
  author = {{{{The copa\\_nb developers}}}},
  version = {{{version(_PACKAGE)}}}
}}"""
