"""The public interface as lines of text: one for each public name, with its signature.

Public is what `copa_nb`, `copa_nb.plots`, `copa_nb.datasets`, `copa_nb.reports` and `copa_nb.dask` list, the objects
that users get from it, and what the accessor and the command offer. Where in the package something is kept is not
part of it, nor are annotations. Tables of the documentation list reports and their parameters.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import click

from copa_nb.cli import main
from copa_nb.generalization.arrays.fronts import Fronts
from copa_nb.generalization.comparison import Verdict
from copa_nb.generalization.scores import PairedScores
from copa_nb.partial_orders.arrays.ufg_sampling import Effort
from copa_nb.results.result import Grouped, Result
from copa_nb.selection.elicitation import Question, Reply
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions
from copa_nb.tables.objectives import ObjectiveMatrix
from tests.snapshot import tables

MODULES = (
    "copa_nb", "copa_nb.results", "copa_nb.results.explorers", "copa_nb.errors", "copa_nb.plots", "copa_nb.datasets",
    "copa_nb.reports",
)  # fmt: skip
# What every result has, and objects that users read but never name.
UNNAMED = (
    Result, Grouped, ObjectiveMatrix, Question, Reply, Verdict, PairedScores, Fronts, Effort, HypervolumeTestOptions,
)  # fmt: skip
_SPECIAL = ("__call__", "__contains__", "__float__", "__getitem__", "__iter__", "__len__", "_repr_html_")


def interface() -> str:
    """Describe the public interface as it is now."""
    modules = [importlib.import_module(name) for name in MODULES]
    dask = importlib.import_module("copa_nb.dask")
    listed = [name for name, thing in vars(dask).items() if name[0] != "_" and not isinstance(thing, ModuleType)]
    accessor = tables.models().moo
    sections = [
        *(_named(module.__name__, module, module.__all__) for module in modules),
        _section("objects without a public name", (line for kind in UNNAMED for line in _lines(kind.__name__, kind))),
        _named("copa_nb.dask", dask, listed),
        _named("df.moo", accessor, [name for name in dir(accessor) if hasattr(accessor, name)]),
        _section("copa-nb", _commands(main, "copa-nb")),
    ]
    return "\n".join(sections)


def _section(title: str, lines: Iterable[str]) -> str:
    return f"# {title}\n" + "\n".join(lines) + "\n"


def _named(title: str, owner: object, names: Iterable[str]) -> str:
    return _section(title, (line for name in sorted(names) for line in _lines(name, getattr(owner, name))))


def _lines(name: str, thing: object) -> Iterator[str]:
    """A function is a line; a class is one for its attributes and one for each method that it does not inherit."""
    if inspect.isclass(thing):
        yield from _class(name, thing)
    elif callable(thing):
        yield name + _signature(thing)
    else:
        yield name if isinstance(thing, ModuleType) else f"{name} = {thing!r}"


def _class(name: str, kind: type) -> Iterator[str]:
    made = "" if issubclass(kind, Result) else _signature(kind)
    inherited = [base.__name__ for base in kind.__mro__[1:] if base is not object and not _is_described_here(base)]
    yield f"class {name}{made}" + (f" is a {', '.join(inherited)}" if inherited else "")
    attributes, methods = [], []
    for member in sorted(_members(kind)):
        static = inspect.getattr_static(kind, member, None)
        found = getattr(kind, member, None)
        if isinstance(static, property) or not callable(found):
            attributes.append(member)
        else:
            methods.append(member + _signature(found, bound=isinstance(static, classmethod | staticmethod)))
    yield from textwrap.wrap(", ".join(attributes), 116, initial_indent="    ", subsequent_indent="    ")
    yield from (f"    {method}" for method in methods)


def _is_described_here(base: type) -> bool:
    """Whether members of a class of ours are listed with those of the classes derived from it."""
    return base.__module__.startswith("copa_nb") and base is not Result


def _members(kind: type) -> set[str]:
    owners = [kind, *filter(_is_described_here, kind.__mro__[1:])]
    own = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    written = own | {name for owner in owners for name in vars(owner)}
    return {name for name in written if not name.startswith("_") or name in _SPECIAL}


def _signature(function: Callable[..., Any], *, bound: bool = True) -> str:
    """Parameters of a function in their order, with defaults and without annotations."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # exceptions without a constructor of their own
        return ""
    taken = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    plain = signature.replace(parameters=taken if bound else taken[1:], return_annotation=inspect.Signature.empty)
    return str(plain)


def _commands(command: click.Command, name: str) -> Iterator[str]:
    yield " ".join([name, *sorted(map(_option, command.params))])
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _commands(found, f"{name} {inner}")


def _option(option: click.Parameter) -> str:
    if not isinstance(option, click.Option):
        return str(option.name).upper() + ("..." if option.nargs < 0 else "")
    told = "/".join([*option.opts, *option.secondary_opts])
    if not option.is_flag:
        # What stands for "no default" has another name in every other release of click.
        told += (
            f"={option.default}" if isinstance(option.default, str | int | float) else f"={option.type.name.upper()}"
        )
    told += "..." if option.multiple else ""
    return told if option.required else f"[{told}]"
