"""The public interface as data, and what was taken from it between two states.

Public is what `copa_nb`, `copa_nb.plots`, `copa_nb.datasets`, `copa_nb.reports` and `copa_nb.dask` list, what the
accessors and the command offer, and what notebooks and documentation import besides. Where in the package something
is kept is not part of it, nor are annotations.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.testing import CliRunner

import copa_nb
from copa_nb.cli import main
from copa_nb.reports.catalog import catalog
from tests import asked
from tests.snapshot import tables

ROOT = Path(__file__).parents[2]
MODULES = (
    "copa_nb", "copa_nb.results", "copa_nb.results.explorers", "copa_nb.errors", "copa_nb.plots", "copa_nb.datasets",
    "copa_nb.reports",
)  # fmt: skip
USED = "used by notebooks and documentation"
DASK = ("copa_nb.dask", "accessor on dask")
_SPECIAL = ("__call__", "__contains__", "__float__", "__getitem__", "__iter__", "__len__", "_repr_html_")

Described = dict[str, Any]
Interface = dict[str, dict[str, Described]]


def interface(used: Mapping[str, Any] | None = None) -> Interface:
    """Describe the public interface as it is now.

    Parameters
    ----------
    used : mapping of dotted name, optional
        What notebooks and documentation import; by default, read from them.

    Returns
    -------
    dict
        Section to name to description.
    """
    found: Interface = {name: _module(importlib.import_module(name)) for name in MODULES}
    found[USED] = {name: described for name in used or names_in_use() if (described := _at(name)) is not None}
    found["results without a public name"] = {name: describe(kind) for name, kind in _kinds_of_results().items()}
    found["accessor"] = _accessor(tables.models().moo)
    found["accessor, bound"] = _accessor(tables.models().moo(accuracy="max"))
    found["command"] = _commands(main, "copa-nb")
    found["reports"] = reports()
    if dask_is_here():
        found |= _on_dask()
    return found


def dask_is_here() -> bool:
    """Whether the extra ``copa_nb[dask]`` is installed."""
    return find_spec("dask") is not None and find_spec("distributed") is not None


def describe(thing: Any) -> Described:
    """Describe a class, a function or a constant."""
    if inspect.isclass(thing):
        return _class(thing)
    if isinstance(thing, ModuleType):
        return {"kind": "module"}
    if callable(thing):
        return {"kind": "function", "parameters": parameters(thing)}
    return {"kind": "value", "value": repr(thing)}


def parameters(function: Callable[..., Any]) -> dict[str, str]:
    """Describe the parameters of a function, in their order, without annotations."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # exceptions without a constructor of their own
        return {}
    return {name: _parameter(parameter) for name, parameter in signature.parameters.items()}


def reports() -> dict[str, Described]:
    """Read from the command which reports there are, with their parameters."""
    names = [entry.name for entry in catalog()]
    printed = CliRunner().invoke(main, ["run", "--list", *names], catch_exceptions=False).output
    found: dict[str, Described] = {}
    current: dict[str, str] = {}
    for line in printed.splitlines():
        if parameter := re.fullmatch(r"    (\w+): (\w+) = (.*?)(  .*)?", line):
            current[parameter[1]] = f"{parameter[2]} = {parameter[3]}"
        elif name := re.match(r"\S+/\S+", line):
            current = {}
            found[name[0]] = {"kind": "report", "parameters": current}
    return found


def names_in_use() -> list[str]:
    """Find what notebooks and documentation import from other places than those that list what is public."""
    names: set[str] = set()
    for text in _texts():
        for module, listed in re.findall(r"from (copa_nb[\w.]*) import ([\w, ]+)", text):
            for name in re.findall(r"\w+", listed.split(" as ")[0]):
                names |= _used(f"{module}.{name}", name, text)
    return sorted(names)


def losses(before: Mapping[str, Mapping[str, Described]], now: Mapping[str, Mapping[str, Described]]) -> list[str]:
    """List what went or changed; additions are none of it, unless they ask more of a caller.

    Parameters
    ----------
    before, now : mapping of section to name to description
        From :func:`interface`.
    """
    lines = []
    for section, names in before.items():
        if section not in now:
            lines.append(f"{section}: went")
            continue
        for name, described in names.items():
            here = f"{section}: {name}"
            found = now[section].get(name)
            lines += [f"{here} went"] if found is None else _changes(here, described, found)
    return lines


def _changes(place: str, before: Described, now: Described) -> Iterator[str]:
    for key, told in before.items():
        found = now.get(key)
        if key in ("parameters", "call"):
            yield from _parameter_changes(place if key == "parameters" else f"{place}, when made", told, found)
        elif key in ("members", "options"):
            yield from _member_changes(place, told, found or {})
        elif key in ("is a", "special"):
            gone = [name for name in told if name not in (found or [])]
            if gone:
                yield f"{place} lost {', '.join(gone)} ({key})"
        elif told != found:
            yield f"{place}: {key} was {told}, is {found}"


def _member_changes(place: str, before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name, told in before.items():
        found = now.get(name)
        if found is None:
            yield f"{place}: {name} went"
        elif isinstance(told, dict) and isinstance(found, dict):
            yield from _parameter_changes(f"{place}.{name}", told, found)
        elif told != found:
            yield f"{place}: {name} was {_kind(told)}, is {_kind(found)}"


def _parameter_changes(place: str, before: dict[str, str], now: dict[str, str] | None) -> Iterator[str]:
    if now is None:
        yield f"{place}: can no longer be called"
        return
    for name, told in before.items():
        if name not in now:
            yield f"{place}: parameter `{name}` ({told}) went"
        elif told != now[name]:
            yield f"{place}: parameter `{name}` was {told}, is {now[name]}"
    placed_before, placed_now = (
        [n for n, told in each.items() if told.startswith("positional")] for each in (before, now)
    )
    if placed_now[: len(placed_before)] != placed_before and set(placed_before) <= set(placed_now):
        yield f"{place}: by position {placed_before} were taken, now {placed_now}"
    for name, told in now.items():
        if name not in before and " = " not in told and not told.startswith("any"):
            yield f"{place}: new parameter `{name}` has no default"


def _kind(described: Any) -> str:
    return "a method" if isinstance(described, dict) else f"an {described}"


def _module(module: ModuleType) -> dict[str, Described]:
    return {name: describe(getattr(module, name)) for name in sorted(module.__all__)}


def _class(kind: type) -> Described:
    named = {field.name for field in fields(kind) if not field.name.startswith("_")} if is_dataclass(kind) else set()
    owners = [owner for owner in kind.__mro__ if owner.__module__.split(".")[0] == "copa_nb"]
    written = {name for owner in owners for name in vars(owner) if not name.startswith("_")}
    members = {name: _member(kind, name) for name in sorted(named | written)}
    others = [owner.__name__ for owner in kind.__mro__[1:] if owner not in owners and owner is not object]
    special = [name for name in _SPECIAL if any(name in vars(owner) for owner in owners)]
    return {"kind": "class", "is a": others, "call": parameters(kind), "members": members, "special": special}


def _member(kind: type, name: str) -> Any:
    """Parameters of a method; "attribute" for what is read, be it a field, a property or a constant."""
    static = inspect.getattr_static(kind, name, None)
    if isinstance(static, property) or not callable(getattr(kind, name, None)):
        return "attribute"
    made = parameters(getattr(kind, name))
    if not isinstance(static, classmethod | staticmethod):
        made.pop(next(iter(made)))
    return made


def _accessor(accessor: Any) -> dict[str, Described]:
    # A verb whose function is gone is listed still, but not there.
    verbs = {name: getattr(accessor, name) for name in dir(accessor) if hasattr(accessor, name)}
    own = {"calling it": describe(accessor.__call__)} if callable(accessor) else {}
    return own | {name: describe(verb) for name, verb in verbs.items()}


def _on_dask() -> Interface:
    import dask.dataframe as dd

    module = importlib.import_module("copa_nb.dask")
    listed = {
        name: describe(thing)
        for name, thing in vars(module).items()
        if not name.startswith("_") and not isinstance(thing, ModuleType)
    }
    accessor = dd.from_pandas(tables.models(), npartitions=2).moo
    return dict(zip(DASK, (dict(sorted(listed.items())), _accessor(accessor)), strict=True))


def _parameter(parameter: inspect.Parameter) -> str:
    kind = {
        inspect.Parameter.POSITIONAL_ONLY: "positional only",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
        inspect.Parameter.VAR_POSITIONAL: "any by position",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_KEYWORD: "any by name",
    }[parameter.kind]
    return kind if parameter.default is inspect.Parameter.empty else f"{kind} = {parameter.default!r}"


def _commands(command: click.Command, name: str) -> dict[str, Described]:
    found: dict[str, Described] = {name: {"kind": "command", "options": dict(map(_option, command.params))}}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            made = command.get_command(context, inner)
            assert made is not None
            found |= _commands(made, f"{name} {inner}")
    return found


def _option(option: click.Parameter) -> tuple[str, str]:
    told = [option.param_type_name, option.type.name]
    told += [word for word, holds in (("required", option.required), ("multiple", option.nargs != 1)) if holds]
    if isinstance(option, click.Option):
        told += [word for word, holds in (("repeated", option.multiple), ("flag", option.is_flag)) if holds]
        # What stands for "no default" has another name in every other release of click.
        told += [f"default {option.default!r}"] if isinstance(option.default, str | int | float) else []
        return ", ".join([*option.opts, *option.secondary_opts]), ", ".join(told)
    return str(option.name), ", ".join(told)


def _kinds_of_results() -> dict[str, type]:
    """Kinds of objects that users get from results and read, but never make."""
    grouped = asked.copa(tables.models(), objectives=tables.TWO, by="family")
    start = copa_nb.results.Elicitation.of(asked.copa(tables.models(), objectives=tables.TWO), n_draws=50)
    runs = tables.searches(rows=10)
    gaps = asked.gap(runs, objectives={"precision": "max", "recall": "max"}, by="method")
    verdict = next(iter(gaps.compare().values())).hypervolume
    sides = {"system": "system", "new": "new", "baseline": "old"}
    test = asked.hv_test(tables.system_runs(seeds=2), objectives=tables.costs(2), n_resamples=10, **sides)
    sample = asked.posets(
        tables.benchmark(problems=3), system="optimiser", item="problem", objectives={"error": "min", "steps": "min"}
    )
    chosen, gap = (next(iter(results.values())) for results in (grouped, gaps))
    results = {
        "what by= returns": grouped,
        "question of an elicitation": start.ask(),
        "answer of an elicitation": start.answer("first").answers[0],
        "verdict of a comparison": verdict,
        "options of a test": test.options,
        "matrix of a selection": chosen.matrix,
        "scores of a gap": gap.scores,
        "fronts of a gap": gap.fronts,
        "forecast of a depth": sample.forecast(),
    }
    return {name: type(result) for name, result in results.items()}


def _texts() -> Iterator[str]:
    """Code cells of the notebooks, and pages of the documentation."""
    for path in sorted((ROOT / "notebooks").glob("*/*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield path.read_text(encoding="utf-8")


def _used(name: str, alias: str, text: str) -> set[str]:
    """Names that a text takes from an import: the thing itself, or what it takes from a module."""
    if name in MODULES or (name.rpartition(".")[0] in MODULES and _is_listed(name)):
        return set()
    thing = _imported(name)
    if not isinstance(thing, ModuleType):
        return {name}
    return {f"{name}.{part}" for part in re.findall(rf"\b{alias}\.([a-zA-Z]\w*)", text) if hasattr(thing, part)}


def _is_listed(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return last in importlib.import_module(module).__all__


def _at(name: str) -> Described | None:
    """Describe what is under a dotted name; None if nothing is."""
    try:
        return describe(_imported(name))
    except ImportError:
        return None


def _imported(name: str) -> Any:
    """Import ``module.thing``, or a module."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except AttributeError:
        return importlib.import_module(name)
