"""The sentences of results: templates in ``sentences.json``, filled with what a result found.

The file is ordered by result, by where a sentence is printed, and by what it reports: ``choice.reasons.limit`` is the
template that a choice prints among its reasons where a constraint limits it. Templates have no logic. A result decides
in one function, its ``parts()``, which sentences it prints: each part is a mapping of plain values that names its
sentence by ``say``, and :func:`say` writes it. The page of an explorer reads the same file, and writes sentences in the
same way (``explorers/view/text.js``).

What may stand in a template:

- ``{name}``: a text; a whole number with commas; any other number with three significant digits; another part, which
  is written by its own template;
- ``{name:percent}``, ``{name:place}`` (2nd), ``{name:p}`` (a p-value), ``{name:2}`` (significant digits);
- ``{name:digits}``: a number with as many significant digits as the part has as its ``digits``; ``{name:unit}``: the
  same, with its ``unit``;
- ``{names:and}``, ``{names:or}``: a list, of texts or parts, as a sentence has it; ``{names:; }``, ``{names:, or }``:
  with what stands between its members, which begins with a comma or a semicolon;
- ``{n|one rank|# ranks}``: the first of these for one, the other for any other number, which takes the place of ``#``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

import numpy as np

from copa_nb import text

Part = Mapping[str, Any]

SENTENCES: dict[str, Any] = json.loads(files("copa_nb.results").joinpath("sentences.json").read_text(encoding="utf-8"))
# Where sentences are printed: the title of a page, its card, and what folds away behind it.
HEADLINE, REASONS, CERTAINTY, CARD, DETAILS = "headline", "reasons", "certainty", "card", "details"
_GAP = re.compile(r"\{(\w+)(?::([^|{}]+)|\|([^|{}]*)\|([^|{}]*))?\}")
_DIGITS = 3
# Words of a headline.
_MOST_WORDS = 14


def part(sentence: str, /, **found: Any) -> dict[str, Any]:
    """Name a sentence, and what it is filled with, as plain values of JSON.

    Examples
    --------
    >>> part("choice.reasons.limit", allowed=3, rows=np.int64(1400))
    {'say': 'choice.reasons.limit', 'allowed': 3, 'rows': 1400}
    """
    return {"say": sentence, **{name: _plain(value) for name, value in found.items()}}


def say(one: Part) -> str:
    """Write a part as its sentence.

    Raises
    ------
    KeyError
        For a sentence that is not in the file, or one that names what the part does not have.

    Examples
    --------
    >>> say(part("choice.reasons.limit", allowed=3, rows=1400))
    'The constraint allows 3 of 1,400 rows; ranks are taken over all rows.'
    """

    def filled(gap: re.Match[str]) -> str:
        name, kind, single, several = gap.groups()
        value = one[name]
        if single is not None:
            return single if value == 1 else several.replace("#", _written(value, "", one))
        return _written(value, kind or "", one)

    return _GAP.sub(filled, template(one["say"]))


def said(parts: Iterable[Part], place: str = "") -> list[str]:
    """Write parts, or those that are printed in one place."""
    return [say(one) for one in parts if not place or one["say"].split(".")[1] == place]


def explained(parts: Iterable[Part]) -> list[str]:
    """Write parts one after the other, the headline as a sentence, without what only the card prints."""
    places = {HEADLINE: "{}.", CARD: ""}
    written = ((say(one), places.get(one["say"].split(".")[1], "{}")) for one in parts)
    return [form.format(sentence) for sentence, form in written if form]


def template(sentence: str) -> str:
    """Return a template of the file by its name."""
    found: Any = SENTENCES
    for name in sentence.split("."):
        found = found[name]
    return str(found)


def briefest(headlines: Iterable[Part]) -> Part:
    """Return the first of some headlines that is short enough for a card; the last one if none is.

    Examples
    --------
    >>> name = "a model with a name of a great many words, more than any headline has"
    >>> say(briefest(part("choice.headline.chosen", best=best) for best in (name, "it")))
    'Choose it'
    """
    *longer, shortest = headlines
    return next((one for one in longer if len(say(one).split()) <= _MOST_WORDS), shortest)


def behind_the_card(one: Part) -> dict[str, Any]:
    """Print a sentence among the details, because the card has no room for it."""
    return part("behind_the_card.details.whole", sentence=one)


def as_reason(headline: Part) -> dict[str, Any]:
    """Print the headline of one result among the reasons of another."""
    return part("as_reason.reasons.headline", sentence=headline)


def shortened(names: Iterable[object], most: int = 3) -> list[str | Part]:
    """Keep a list of names, or of parts, short: the first few, and how many more.

    Examples
    --------
    >>> shortened("abcd", most=4), shortened("abcde")
    (['a', 'b', 'c', 'd'], ['a', 'b', {'say': 'phrases.more', 'n': 3}])
    """
    listed: list[str | Part] = [name if isinstance(name, Mapping) else str(name) for name in names]
    return listed if len(listed) <= most else [*listed[: most - 1], part("phrases.more", n=len(listed) - most + 1)]


def amount(share: float, total: int) -> Part:
    """Write a share of a number of things: as a count where these are fewer than 20, as a percentage otherwise.

    Examples
    --------
    >>> say(amount(0.7, 10)), say(amount(1.0, 10)), say(amount(0.44, 500))
    ('7 of 10', 'all 10', '44% of 500')
    """
    count = round(share * total)
    kind = "all_of" if count == total > 1 else "count_of"
    kind = "share_of" if total >= text.FEWEST_FOR_PERCENT else kind
    return part(f"phrases.{kind}", share=share, n=total, count=count)


def measured(name: object, value: float, *others: float) -> dict[str, Any]:
    """Return what a sentence needs of a value in an objective: its name, its unit, and digits that tell it from others.

    Examples
    --------
    >>> measured("co2_kg", 3.1)
    {'name': 'CO₂', 'unit': 'kg', 'value': 3.1, 'digits': 3}
    """
    called, unit = text.name_and_unit(name)
    return {"name": called, "unit": unit, "value": float(value), "digits": text.digits_apart(value, *others)}


def apart(name: object, difference: float, *others: float) -> dict[str, Any]:
    """Return the same of a difference, without its sign: percentages differ by points.

    Examples
    --------
    >>> apart("Accuracy (%)", -3.8)
    {'name': 'Accuracy', 'unit': 'points', 'value': 3.8, 'digits': 3}
    """
    found = measured(name, abs(difference), *others)
    return {**found, "unit": "points" if found["unit"] == "%" else found["unit"]}


def _written(value: Any, kind: str, one: Part) -> str:
    if isinstance(value, list):
        written = [_written(item, "", one) for item in value]
        return kind.join(written) if kind[0] in ",;" else text.listing(written, kind)
    if isinstance(value, Mapping):
        return say(value)
    if isinstance(value, str):
        return value
    writers = {
        "": lambda: f"{value:,.0f}" if abs(value) < 1e9 and value == round(value) else text.number(value, _DIGITS),
        "percent": lambda: text.percent(value),
        "place": lambda: text.ordinal(int(value)),
        "p": lambda: text.pvalue(value),
        "unit": lambda: text.with_unit(value, one["unit"], one["digits"]),
        "digits": lambda: text.number(float(value), one["digits"]),
    }
    return writers[kind]() if kind in writers else text.number(float(value), int(kind))


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value
