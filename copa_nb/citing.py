"""What to cite: BibTeX of the papers behind a verb or a result, and of this package."""

from __future__ import annotations

__all__ = ["citations"]

import re
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from copa_nb import checks, text

_PACKAGE = "copa_nb"
# The paper of each package, and of modules that implement another one than their package's.
_PAPER_OF_PACKAGE = {
    "selection": "javaloy2025copa",
    "generalization": "feurer2023gap",
    "significance": "boyi2026significance",
    "partial_orders": "rodemann2024partial",
    "stochastic_dominance": "jansen2024gsd",
}
_PAPER_OF_MODULE = {
    "significance.compare_systems": "tango1998equivalence",
    "significance.confident_front": "romano2005stepdown",
    "selection.equivalents": "romano2005stepdown",
    "selection.friedman": "demsar2006comparisons",
    "selection.card": "mogstad2024ranks",
    "selection.forecast": "mogstad2024ranks",
    "selection.tiers": "mogstad2024ranks",
    "generalization.overtuning": "schneider2025overtuning",
    "pareto.attainment": "grunert2001attainment",
}


def citations(*used: object) -> str:
    r"""BibTeX entries of the papers behind verbs or results, and of this package.

    Parameters
    ----------
    *used : str, function or result
        Names of verbs (``"copa"``), public functions, or their results; without any, all papers.

    Returns
    -------
    str
        One entry for each paper, in the order of their first use, and the package's own at the end.

    Raises
    ------
    ValueError
        If a name is not that of a public function of this package.

    Examples
    --------
    >>> import copa_nb
    >>> print(copa_nb.citations("copa", "navigate").split("\n")[0])
    @article{javaloy2025copa,
    >>> copa_nb.citations("copa", "hv_test").count("@")
    3
    """
    keys = dict.fromkeys(map(_key, used) if used else _PAPER_OF_PACKAGE.values())
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


def _key(used: object) -> str:
    """Return the key of the paper behind a verb or a result; empty if there is none."""
    if isinstance(used, str):
        checks.one_of("used", used, _public_names())
        (public,) = _LOOKUPS
        used = public(used)
    module = getattr(used, "__module__", type(used).__module__)
    package, _, rest = module.partition(".")
    if package != _PACKAGE:
        raise ValueError(f"`used` is {used!r}, which is not a verb or result of copa_nb; give a name, e.g. 'copa'.")
    return _PAPER_OF_MODULE.get(rest) or _PAPER_OF_PACKAGE.get(rest.partition(".")[0], "")


_LOOKUPS: list[Callable[[str], object]] = []


def look_up_names_with(public: Callable[[str], object]) -> None:
    """Say how a public name becomes what it names: by a function of the top level, which imports it."""
    _LOOKUPS[:] = [public]


@lru_cache(maxsize=1)
def _public_names() -> tuple[str, ...]:
    """Return the names that the package lists."""
    listed = files(_PACKAGE).joinpath("__init__.pyi").read_text(encoding="utf-8")
    return tuple(re.findall(r"^from \S+ import \w+ as (\w+)$", listed, flags=re.MULTILINE))


def _own_entry() -> str:
    return f"""@software{{copa_nb,
  title = {{copa\\_nb: from a table of models and metrics to a defensible decision and a report}},
  author = {{{{The copa\\_nb developers}}}},
  version = {{{version(_PACKAGE)}}}
}}"""
