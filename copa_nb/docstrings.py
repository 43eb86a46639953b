"""Descriptions of parameters: those that many verbs share, written once, and what a docstring says of each.

A verb writes ``%(objectives)s`` on a line of its own in place of the description, and is decorated with
:func:`shared_parameters`. What is asked on the command line, in files and in the panel follows from :func:`entries_of`.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_HEAD = re.compile(r"^(?P<names>\*{0,2}\w+(?:, *\*{0,2}\w+)*)(?: ?: ?(?P<kind>.*))?$")
_ROLE = re.compile(r":\w+(?::\w+)*:`~?([^`<]*?)(?: *<[^`]*>)?`")
# A point that ends a sentence: not that of an abbreviation.
_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)\.(?=\s|$)")
Documented = TypeVar("Documented", bound=Callable[..., Any])


def _shared() -> None:
    r"""Descriptions of parameters that verbs share, and the papers that they cite.

    frame:
        frame : DataFrame
            One row per model, one column per metric.
    runs:
        frame : DataFrame
            One row per run.
    objectives:
        objectives : mapping of column to {"max", "min"}, optional
            Overrides what ``define`` has set.
    own_objectives:
        objectives : mapping of column to {"max", "min"}, optional
            Directions that replace those of the source; any numeric column of the table can be an objective.
    p:
        p : float or "inf"
            Order of the norm, from 1 (strengths offset weaknesses) to infinity (the worst weighted rank
            decides).
    weights:
        weights : mapping of objective to share, or sequence, optional
            Importance of each objective; those left out share the remaining weight evenly.
    where:
        where : str, mask or callable, optional
            Rows that may be chosen, e.g. ``"latency_ms <= 50"``. Shares are still taken over all rows.
    population:
        reference : Reference or row label, optional
            Frozen population that shares are taken over; or the baseline row for "relative".
    reference_point:
        reference : "worst", "worst_multiple", mapping of objective to value, or Reference
            Reference point of the hypervolume, in the objectives' own units. "worst" is the worst value of each
            objective, moved outwards by `reference_margin` of its range; "worst_multiple" moves it by that share of
            the worst value itself.
    reference_margin:
        reference_margin : float
            Share of each objective's range by which "worst" is moved outwards, or of the worst value by which
            "worst_multiple" is.
    by:
        by : label or list of labels, optional
            Columns, or names of index levels: one result per group.
    nan_policy:
        nan_policy : {"raise", "omit", "worst"}
            Missing values: raise an error, leave those rows out, or count them as infinitely bad.
    nan_policy_bounds:
        nan_policy : {"raise", "omit", "worst", "bounds"}
            Missing values: raise an error, leave those rows out, count them as infinitely bad, or state what holds
            whatever they are.
    nan_policy_cells:
        nan_policy : {"raise", "pairwise", "bounds", "omit"}
            Of scores on items: raise an error for missing values and incomplete items, or compare each two systems on
            the items that both have. "pairwise" assumes that values are missing at random; pairs with too few common
            items stay undecided. "bounds" assumes nothing: it compares each system at its worst with each other one
            at its best. Of runs and of means with standard errors: raise an error, or leave out rows ("omit").
    bounds_cells:
        bounds : mapping of objective to (low, high), optional
            With ``nan_policy="bounds"``, what a missing value may be, e.g. ``{"accuracy": (0, 1)}``, with None for
            an open end; from the smallest to the largest value observed by default. It may be worse than what was
            observed: ``{"seconds": (60, 600)}`` of runs that were stopped after 60 s.
    bounds:
        bounds : mapping of objective to (low, high), optional
            With ``nan_policy="bounds"``, what a missing value may be, e.g.
            ``{"accuracy": (0, 1), "co2_kg": (0, None)}``, with None for an open end. Anything by default.
    gate_errors:
        ValueError
            If directions are not defined, a column is missing or duplicated, the table is empty, values are missing
            under ``nan_policy="raise"``, or an option is not one of those listed.
        TypeError
            If `frame` is not a table, or an objective is not numeric.
    rng:
        rng : int, Generator or None
            Seed or generator of the random draws. The default is reproducible; None draws a new seed each time.
    copa_paper:
        .. [1] A. Javaloy, A. Vergari and I. Valera, COPA: Comparing the incomparable in multi-objective model
           evaluation, arXiv:2503.14321, 2025.
    n:
        n : label, or mapping of objective to label, optional
            Columns of the numbers of items or runs behind means with standard errors. With them, shares of right
            answers (from 0 to 1, or to 100) are treated as such, also near 0 and 1 and where all answers are right,
            and other means after Student; without them, errors count as normal.
    system:
        system : label or list of labels
            Columns, or index levels, that name the system; with several, a tuple of their values names it.
    repeat:
        repeat : label or list of labels, optional
            Columns, or index levels, that distinguish a system's runs (seeds, folds, splits). Without it every row is a
            run of its own.
    progress:
        progress : bool
            Whether to show a progress bar.
    tasks_of_items:
        tasks : list of str, optional
            With `items`: the tasks, or groups of tasks, to read; by default all.
    cluster_of_items:
        cluster : str, optional
            With `items`: "task", "group", or a field of the items, such as the number of a passage. Its values are in
            the column "cluster"; items without one are clusters of their own.
    damaged:
        damaged : {"raise", "skip"}
            Files that cannot be read: raise an error, or leave them out and report them.
    significance_paper:
        .. [1] boyi, "Statistical Significance of Pareto Front Improvements in Multi-Objective Benchmarks",
           clawrxiv:2604.01959, 2026.
    palette:
        palette : str or sequence of color, optional
            Colors of the series: a list, or the name of a palette of seaborn or of a colormap of matplotlib.
    ax:
        ax : matplotlib Axes, optional
            Where to draw; the current Axes if omitted.
    """


def _entries(docstring: str) -> dict[str, str]:
    """Read descriptions by name: a name with a colon on a line of its own, its description indented below."""
    blocks = re.split(r"^(\w+):\n", inspect.cleandoc(docstring), flags=re.MULTILINE)[1:]
    return {name: textwrap.dedent(text).rstrip() for name, text in zip(blocks[::2], blocks[1::2], strict=True)}


# What a package adds to the above, because it is made from a list there.
_ADDED: dict[str, str] = {}


def add_shared(name: str, head: str, description: str) -> None:
    """Add a description for :func:`shared_parameters`, before the verbs that use it are defined.

    Parameters
    ----------
    name : str
        Name in the placeholder.
    head : str
        Name and type of the parameter.
    description : str
        What it means, in one paragraph.
    """
    _ADDED[name] = f"{head}\n{textwrap.fill(description, 100, initial_indent=_INDENT, subsequent_indent=_INDENT)}"


_INDENT = 4 * " "
# A placeholder alone on its line.
_PLACE = re.compile(r"^( *)%\((\w+)\)s$", re.MULTILINE)


def shared_parameters(function: Documented) -> Documented:
    """Put the shared descriptions into a docstring.

    Examples
    --------
    >>> @shared_parameters
    ... def front(frame):
    ...     '''Find the front.
    ...
    ...     Parameters
    ...     ----------
    ...     %(frame)s
    ...     '''
    >>> print(front.__doc__.splitlines()[4].strip())
    frame : DataFrame
    """
    if function.__doc__ and _shared.__doc__:  # which python -OO leaves out
        shared = {**_entries(_shared.__doc__), **_ADDED}
        function.__doc__ = _PLACE.sub(lambda place: textwrap.indent(shared[place[2]], place[1]), function.__doc__)
    return function


@dataclass(frozen=True)
class ParameterEntry:
    """What is said of a parameter.

    Parameters
    ----------
    kind : str
        Its type, as the docstring has it.
    text : str
        Its description, in one line.
    """

    kind: str
    text: str

    @property
    def first_sentence(self) -> str:
        """The first sentence of the description, without its period and without markup.

        Examples
        --------
        >>> ParameterEntry("str", 'Rows that may be chosen, e.g. ``"ms <= 50"``. Ranks are of all.').first_sentence
        'Rows that may be chosen, e.g. "ms <= 50"'
        """
        end = _END.search(self.text)
        return plain(self.text[: end.start()] if end else self.text)


def plain(text: str) -> str:
    """Take the markup out of a text.

    Examples
    --------
    >>> plain("see :meth:`normalize` and ``p`` [1]_")
    'see normalize and p'
    """
    text = _ROLE.sub(lambda found: found[1].rpartition(".")[2], text)
    return re.sub(r" ?\[\d+\]_", "", text).replace("`", "").strip()


def entries_of(function: Callable[..., Any]) -> dict[str, ParameterEntry]:
    """Return what the docstring of a function says of its parameters, by name; nothing where it has none.

    Examples
    --------
    >>> def draw(n, low=0, high=1):
    ...     '''Draw numbers.
    ...
    ...     Parameters
    ...     ----------
    ...     n : int
    ...         How many.
    ...     low, high : float
    ...         Where they begin and end. The end is left out.
    ...     '''
    >>> found = entries_of(draw)
    >>> [*found], found["n"].kind, found["high"].first_sentence
    (['n', 'low', 'high'], 'int', 'Where they begin and end')
    """
    found: dict[str, ParameterEntry] = {}
    names: list[str] = []
    kind, lines = "", list[str]()
    for line in [*_section(function), "end"]:
        if line.startswith(" ") or not line:
            lines.append(line.strip())
            continue
        found |= dict.fromkeys(names, ParameterEntry(kind, " ".join(filter(None, lines))))
        head = _HEAD.match(line)
        names = [name.strip().lstrip("*") for name in head["names"].split(",")] if head else []
        kind, lines = (head["kind"] or "") if head else "", []
    return found


def _section(function: Callable[..., Any]) -> list[str]:
    """The lines of the section on parameters."""
    lines = (inspect.getdoc(function) or "").splitlines()
    starts = [
        place for place, line in enumerate(lines[:-1]) if line == "Parameters" and lines[place + 1].startswith("---")
    ]
    if not starts:
        return []
    rest = lines[starts[0] + 2 :]
    end = next((place for place, line in enumerate(rest) if line.startswith("---")), len(rest) + 1)
    return rest[: end - 1]
