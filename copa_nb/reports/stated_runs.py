"""A run as a batch file states it: which report of which table, and what is asked of it.

``{select: models.csv, objectives: {accuracy: max}, p: ["1", "inf"]}``: the first key is the report, its value the
table, and the other keys are the parameters of the report and the words of the table. A list of values makes a run of
each.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from copa_nb.analyses.parameters import Parameter
from copa_nb.reports.catalog import Entry, find
from copa_nb.reports.parameters import CellParameter, parameters_of
from copa_nb.sources.yaml_files import mapping_of

_SETTINGS = ("name", "timeout")
_OLD_KEYS = ("report", "parameters", "vary")
_DIRECTIONS = ("maximize", "minimize")  # of earlier versions
_PATTERN = frozenset("*?[")


@dataclass(frozen=True)
class StatedRun:
    """What a batch file says of one run.

    Parameters
    ----------
    entry : Entry
        The report.
    parameters : dict
        Parameters that have one value.
    varied : dict of name to list
        Parameters that have several values: every combination is a run.
    name : str
        Folder of the report; empty for that of the table.
    timeout : float, optional
        Seconds that it may take.
    """

    entry: Entry
    parameters: dict[str, Any]
    varied: dict[str, list[Any]] = field(default_factory=dict)
    name: str = ""
    timeout: Any = None


def read_run(stated: Any) -> StatedRun:
    """Read one run of a batch file.

    Parameters
    ----------
    stated : mapping or str
        As in the module's first lines; text is a report without a table.

    Raises
    ------
    ValueError, TypeError
        For anything else; for a run as earlier versions wrote it, with the line to write now.

    Examples
    --------
    >>> run = read_run({"select": "models.csv", "objectives": {"accuracy": "max"}, "p": ["1", "inf"]})
    >>> run.parameters, run.varied
    ({'table': 'models.csv', 'objectives': {'accuracy': 'max'}}, {'p': ['1', 'inf']})
    """
    if isinstance(stated, str):
        return StatedRun(find(stated), {})
    if not isinstance(stated, Mapping) or not stated:
        raise TypeError(
            "a run is a report with its table, such as {select: models.csv, objectives: {accuracy: max}}, not "
            f"{reprlib.repr(stated)}."
        )
    _refuse_old_form(stated)
    report, table = next(iter(stated.items()))
    entry = find(str(report))
    known = parameters_of(entry)
    given = {str(key): value for key, value in stated.items() if key not in (report, *_SETTINGS)}
    if table is not None and "table" not in known:
        raise ValueError(f"{report!r} takes no table; write it alone, - {report}, or with nothing behind the colon.")
    given = {**({} if table is None else {"table": table}), **_checked_objectives(given)}
    varied = {name: value for name, value in given.items() if _is_varied(name, value, known)}
    parameters = {name: value for name, value in given.items() if name not in varied}
    return StatedRun(
        entry, parameters, {name: _listed(value) for name, value in varied.items()}, str(stated.get("name") or ""),
        stated.get("timeout"),
    )  # fmt: skip


def write_run(report: str, parameters: Mapping[str, Any], **settings: Any) -> dict[str, Any]:
    """Write a run as a batch file states it.

    Parameters
    ----------
    report : str
        Its name.
    parameters : mapping
        Its parameters, ``table`` among them; those with several values as a list of them.
    **settings
        ``name`` and ``timeout``.

    Examples
    --------
    >>> write_run("select", {"table": "models.csv", "objectives": {"accuracy": "max"}, "p": "2"})
    {'select': 'models.csv', 'objectives': {'accuracy': 'max'}, 'p': '2'}
    """
    others = {name: value for name, value in parameters.items() if name != "table"}
    return {report: parameters.get("table"), **others, **settings}


def _names(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else str(given).split(",")


def _refuse_old_form(stated: Mapping[Any, Any]) -> None:
    """Say how a run of an earlier version is written now: with its report first."""
    import yaml

    if not set(_OLD_KEYS) & stated.keys():
        return
    given = {**mapping_of("parameters", stated.get("parameters")), **mapping_of("vary", stated.get("vary"))}
    settings = {key: value for key, value in stated.items() if key not in _OLD_KEYS}
    report = str(stated.get("report") or "select")
    ways = {name: argument[:3] for argument in _DIRECTIONS for name in _names(given.pop(argument, None))}
    given = {**({"objectives": ways} if ways else {}), **given}
    now = yaml.safe_dump(
        write_run(report, given, **settings), default_flow_style=True, sort_keys=False, allow_unicode=True, width=1e9
    )
    raise ValueError(f"a run names its report first, with the table behind it; it is written - {now.strip()} now.")


def _checked_objectives(given: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse objectives that are no mapping of columns to directions."""
    for argument in _DIRECTIONS:
        if argument in given:
            ways = ", ".join(f"{name}: {argument[:3]}" for name in _names(given[argument]))
            raise ValueError(f"`{argument}` is written `objectives: {{{ways}}}`.")
    objectives = mapping_of("objectives", given.get("objectives"))
    for name, way in objectives.items():
        if way not in ("max", "min"):
            raise ValueError(f"`objectives` gives {way!r} for {name!r}; it must be 'max' or 'min'.")
    return {
        **({"objectives": objectives} if objectives else {}),
        **{name: value for name, value in given.items() if name != "objectives"},
    }


def _is_varied(name: str, value: Any, known: Mapping[str, CellParameter | Parameter]) -> bool:
    """Whether a parameter has several values: a list, of lists where the parameter is itself one; files of a pattern.

    A name that the report does not have is refused later, with its value.
    """
    if name == "table":
        return isinstance(value, list) or (isinstance(value, str) and bool(_PATTERN & set(value)))
    if not isinstance(value, list) or name not in known:
        return False
    return known[name].kind != "list" or (bool(value) and all(isinstance(one, list) for one in value))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
