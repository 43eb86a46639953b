"""Options of the commands for the user's own tables: in groups, with rarer parameters set by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from copa_nb.analyses.base import OFFERED, READING, Analysis
from copa_nb.analyses.parameters import Parameter
from copa_nb.analyses.values import converted
from copa_nb.checks import called, listed, nearest
from copa_nb.cli.old_lines import instead_of_option
from copa_nb.cli.running import output_options
from copa_nb.sources.formats import Format
from copa_nb.sources.read import FORMATS

# Objectives by their direction, each way an option of its own.
DIRECTIONS = {"max": "Objectives of which more is better", "min": "Objectives of which less is better"}
DESCRIPTION, QUESTION, SOURCE = "Describe the table", "The question", "Source and output"
_TYPED = "copa_nb.typed"


class GroupedOption(click.Option):
    """An option that is listed in a group of the help."""

    def __init__(self, *arguments: Any, group: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups."""
        for name, rows in self.groups(ctx).items():
            if rows:
                with formatter.section(name):
                    formatter.write_dl(rows)

    def groups(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return what the help lists: options and what they set, by group."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (DESCRIPTION, QUESTION, SOURCE)}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                groups.setdefault(getattr(option, "group", "Help"), []).append(record)
        return groups


class TableCommand(GroupedCommand):
    """A command for own tables; errors quote what was typed.

    Parameters
    ----------
    analysis : Analysis
        What it asks.
    """

    def __init__(self, *arguments: Any, analysis: Analysis, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.analysis = analysis

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options, and say what is written in place of one of earlier versions."""
        ctx.meta[_TYPED] = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if instead := instead_of_option(error.option_name, self.analysis):
                raise click.UsageError(instead, ctx) from error
            raise

    def groups(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return what the help lists, with the keys of ``-p``."""
        rarer = [(one.name, one.shell_help) for one in _rarer(self.analysis)]
        return super().groups(ctx) | {"Further parameters, -p KEY VALUE": rarer}


def typed() -> list[str]:
    """Return the words behind the command, as they were typed."""
    found: list[str] = click.get_current_context().meta[_TYPED]
    return found


def table_options(analysis: Analysis) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds the options of an analysis to a function."""
    declared = analysis.parameters()
    words = [_option(declared[name], DESCRIPTION) for name in OFFERED[1:] if name in declared]
    own = [_option(declared[name], QUESTION) for name in analysis.offered]
    options = [
        *directions(),
        *words,
        *own,
        _further(),
        *read_options(),
        *output_options(cls=GroupedOption, group=SOURCE),
    ]

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def directions() -> list[Callable[..., Any]]:
    """Return the options that name objectives."""
    return [
        click.option(f"--{way}", way, multiple=True, metavar="COL", help=text, cls=GroupedOption, group=DESCRIPTION)
        for way, text in DIRECTIONS.items()
    ]


def _option(declared: Parameter, group: str) -> Callable[..., Any]:
    flag, text = declared.option, declared.shell_help
    grouped: dict[str, Any] = {"cls": GroupedOption, "group": group, "help": text}
    if declared.kind == "bool":
        return click.option(f"{flag}/--no-{flag[2:]}", declared.name, default=None, **grouped)
    if declared.kind in ("list", "dict"):
        return click.option(flag, declared.name, multiple=True, metavar=declared.placeholder, **grouped)
    kind = _type_of(declared)
    metavar = None if isinstance(kind, click.Choice) else declared.placeholder
    return click.option(flag, declared.name, type=kind, metavar=metavar, **grouped)


def _type_of(declared: Parameter) -> Any:
    """Return the type of an option: one of its choices, or a number, whose range the verb knows."""
    if declared.choices:
        return click.Choice(declared.choices)
    return {"int": int, "float": float}.get(declared.kind, str)


def _further() -> Callable[..., Any]:
    return click.option(
        "-p", "further", multiple=True, nargs=2, metavar="KEY VALUE", cls=GroupedOption, group=QUESTION,
        help="Set a further parameter; the keys are listed below.",
    )  # fmt: skip


def read_options() -> list[Callable[..., Any]]:
    """Return the options that say what a table is and how its file is read."""
    keys = "; ".join(f"{name}: {text}" for name, text in READING.items())
    return [
        click.option(
            "--source", metavar="NAME[:STUDY]", cls=GroupedOption, group=SOURCE,
            help=f"What TABLE contains, where it does not show: {', '.join(_names_of_sources())}; optuna:STUDY reads "
            "one of several studies.",
        ),
        click.option(
            "--read", "reading", multiple=True, metavar="KEY=VALUE", cls=GroupedOption, group=SOURCE,
            help=f"How a file is read. Keys are {keys}.",
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ values


def further_values(analysis: Analysis, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the values of ``-p`` by name: those of lists and mappings as texts, or as JSON has them."""
    found: dict[str, Any] = {}
    rarer = {one.name: one for one in _rarer(analysis)}
    for key, text in pairs:
        if key not in rarer:
            raise ValueError(_unknown_key(analysis, key, rarer))
        declared = rarer[key]
        if declared.kind not in ("list", "dict"):
            found[key] = text
        elif text.startswith("[" if declared.kind == "list" else "{"):
            found[key] = converted(text, declared.kind, name=key, default=declared.default)
        else:
            former = found.get(key, ())
            found[key] = (*(former if isinstance(former, tuple) else ()), text)
    return found


def _unknown_key(analysis: Analysis, key: str, rarer: Mapping[str, Parameter]) -> str:
    declared = analysis.parameters().get(key)
    if declared is not None and declared.name not in ("table", "reading"):
        return f"`-p {key}` is written `{declared.option}` here."
    name = analysis.command
    return f"`-p` has the key {key!r}; keys of `copa-nb {name}` are {listed(rarer, 30)}.{nearest(key, rarer)}"


def _rarer(analysis: Analysis) -> list[Parameter]:
    return [one for one in analysis.parameters().values() if not one.is_offered]


def reading_values(texts: Iterable[str]) -> dict[str, Any]:
    """Return what ``--read`` says by key; columns to parse are texts, in which commas may separate names."""
    found: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or key not in READING:
            raise ValueError(
                f"`--read` is {text!r}; it must be KEY=VALUE, where KEY is one of {listed(READING)}."
                f"{nearest(key, READING)}"
            )
        found[key] = (*found.get(key, ()), value) if key == "parse" else value
    return found


def source_named(text: str | None) -> dict[str, str]:
    """Return the format that ``--source`` names with its study; nothing if it was not given.

    Examples
    --------
    >>> source_named("optuna:net"), source_named("lm-eval")
    ({'optuna': 'net'}, {'lm_eval': ''})
    """
    if text is None:
        return {}
    typed_name, sign, study = text.partition(":")
    names = _names_of_sources()
    if typed_name not in names:
        raise ValueError(
            f"{called('format')} is {typed_name!r}; allowed are {listed(names)}.{nearest(typed_name, names)}"
        )
    format = names[typed_name]
    if sign and not (study and format.option):
        raise ValueError(f"{called('format')} is {text!r}; only an Optuna study has a name, e.g. optuna:net.")
    return {format.name: study}


def _names_of_sources() -> dict[str, Format]:
    return {name.replace("_", "-"): one for name, one in FORMATS.items() if one.has_flag}
