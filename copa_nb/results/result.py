"""What all results share: a table, a card in a notebook, groups, and the plot that draws them."""

from __future__ import annotations

import base64
import contextlib
import functools
import html
import io
import os
import re
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

import pandas as pd

from copa_nb import checks, old_names, text
from copa_nb.results import citing, html_page, sentences, values
from copa_nb.results.answer import Answer
from copa_nb.results.note import Note, NothingToShowError
from copa_nb.results.printed import PrintedTable

# On a page: rows of a table and groups that are written out, and the largest picture that is kept as SVG.
_MOST_ROWS, _MOST_GROUPS, _LARGEST_SVG = 1000, 20, 2_000_000
_PHONE = 600  # pixels
# Of any result: what it was computed from, under which settings, and what other programs read.
_NOT_OFFERED = frozenset(
    (
        "alpha", "by", "confidence_level", "exact", "facts", "frame", "guarantee", "headline", "inputs", "item", "keep",
        "kind", "matrix", "measured", "method", "n_comparisons", "n_groups", "n_items", "n_omitted", "n_ordered",
        "n_pairs", "n_resamples", "normalize", "notes", "objectives", "options", "p", "paired", "paper", "parts",
        "population_size", "printed_tables", "rng", "system", "to_answer", "to_json", "to_markdown", "tolerance",
        "where",
    )
)  # fmt: skip
_PAGE_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em;"
    "overflow-wrap:anywhere}h1{font-size:1.35em}h2{font-size:1.1em;margin-top:2em}"
    "table{display:block;overflow-x:auto;overflow-wrap:normal}img{max-width:100%;background:#fff;border-radius:4px}"
    "figure{margin:1em 0}figcaption{max-width:44em;font-size:.9em}figcaption strong{display:block}"
    "summary{cursor:pointer;margin:.6em 0}"
    "@media print{body{margin:0;max-width:none}}"
)


_DRAWN = """

Parameters
----------
ax : matplotlib Axes, optional
    Where to draw; a new figure if omitted.
figsize : tuple of two float, optional
    Width and height of a new figure, in inches.
title : str or False, optional
    Title of the Axes; False for none.
palette : str or sequence of color, optional
    Colors of the series, or the name of a colormap.

Returns
-------
matplotlib Axes
"""


_RECORDERS: list[Callable[[Callable[..., Any], Any, dict[str, Any]], None]] = []


def record_drawings(recorder: Callable[[Callable[..., Any], Any, dict[str, Any]], None]) -> None:
    """Let something else have what results are asked to draw into new figures, as reports of plain notebooks do.

    Parameters
    ----------
    recorder : callable
        Takes the function that draws, the result, and the options.
    """
    _RECORDERS.append(recorder)


def drawn(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method that draws on `ax` draw as pandas does: into a new figure unless Axes are given.

    Methods then also take ``figsize``, ``title`` and ``palette``. One that takes nothing else needs no more than a
    sentence as its docstring: its parameters are described here.

    Parameters
    ----------
    function : callable
        Takes a result first, then `ax` and options.
    """

    @checks.briefly
    @functools.wraps(function)
    def method(result: object, ax: Any = None, *, title: str | bool | None = None, **options: Any) -> Any:
        if _RECORDERS and ax is None:
            return _RECORDERS[-1](method, result, {**options, **({} if title is None else {"title": title})})
        looks = {name: options.pop(name, None) for name in ("figsize", "palette")}
        checks.options(function, options)
        try:
            if ax is None and looks["figsize"] is None:
                looks["figsize"] = _size_of(function, result, options)
            with _new_axes(ax, **looks) as axes:
                answer = function(result, ax=axes, **options)
                if title is not None and title is not True:
                    axes.set_title(title or "")
                return answer
        except NothingToShowError as error:
            if ax is not None:
                raise
            return Note(error)

    if method.__doc__ and "\n" not in method.__doc__:
        method.__doc__ += _DRAWN
    return method


def drawn_as_figure(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let reports of plain notebooks have what a method draws that makes a figure of its own.

    Parameters
    ----------
    function : callable
        Takes a result first, then options, and returns a figure.
    """

    @functools.wraps(function)
    def method(result: object, *args: Any, **options: Any) -> Any:
        if _RECORDERS and not args:
            return _RECORDERS[-1](function, result, options)
        return function(result, *args, **options)

    return method


@contextlib.contextmanager
def _new_axes(ax: Any, figsize: Any, palette: Any) -> Iterator[Any]:
    """Give the Axes that a result is drawn into: a figure of its own if none are given, closed again on an error.

    The functions of ``copa_nb.plots`` draw into the current Axes, as pyplot does; several results that are drawn in
    one cell would end up on top of each other.
    """
    from copa_nb.plotting import style

    with style.series_in(palette):
        if ax is not None:
            if figsize is not None:
                raise ValueError("`figsize` is for a new figure, and `ax` is one that is there; leave either out.")
            yield style.current_axes(ax)
            return
        import matplotlib.pyplot as plt

        with style.plain_style():
            figure, axes = plt.subplots(figsize=figsize, layout="constrained")
            style.keep_ticks(axes)
            try:
                yield axes
            except BaseException:
                plt.close(figure)
                raise


def _size_of(function: Callable[..., Any], result: object, options: dict[str, Any]) -> tuple[float, float] | None:
    """Return the size that a picture has in reports, unless the user has set one for all figures."""
    import matplotlib as mpl

    from copa_nb.plotting.pictures import picture_of
    from copa_nb.plotting.style import PAGE_WIDTH

    if list(mpl.rcParams["figure.figsize"]) != list(mpl.rcParamsDefault["figure.figsize"]):
        return None
    picture = picture_of(function, result, **options)
    return None if picture is None else (PAGE_WIDTH, picture.height)


class Result:
    """What all results share: a table to compute with, a card in a notebook.

    A result is a frozen dataclass with a ``table``; ``explain()`` describes it in words, ``plot()`` draws it, and its
    ``repr`` is one line.
    """

    table: Any
    # Key of the paper behind the result in ``references.bib``.
    paper: ClassVar[str] = ""
    # What plots, explorers and reports read: it can be used, but is not offered when a name is completed. Fifteen names
    # are left at most.
    _internals: ClassVar[frozenset[str]] = frozenset()
    # Under which words those of the result fold away on a page, to be copied from there; empty if they are read there.
    _to_copy: ClassVar[str] = ""
    # What can be asked of the results of all groups together: functions of their :class:`Grouped`, by name.
    _of_all_groups: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def __dir__(self) -> list[str]:
        hidden = _NOT_OFFERED | self._internals
        return [name for name in super().__dir__() if name not in hidden]

    if not TYPE_CHECKING:  # which would take every name for one that is there

        def __getattr__(self, name: str) -> Any:
            kinds = [kind.__name__ for kind in type(self).__mro__]
            now = next(filter(None, (old_names.instead_of(name, kind) for kind in kinds)), "")
            raise AttributeError(f"A {kinds[0]} has no {name!r}.{now}")

    def _repr_html_(self) -> str:
        paper = citing.reference(self)
        return self._card() + (
            f"<p style='opacity:.75'>Method: {text.escape(paper)}; copa_nb.citations() gives BibTeX.</p>"
            if paper
            else ""
        )

    def _card(self) -> str:
        explain: Callable[[], str] | None = getattr(self, "explain", None)
        sentences = [] if explain is None else [explain()]
        return text.card(repr(self)[1:-1], sentences, text.html_table(self.table))

    def to_latex(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        columns: Sequence[Hashable] | None = None,
        caption: str | None = None,
        label: str | None = None,
        digits: int = 3,
        decimals: int | None = None,
    ) -> str:
        r"""Write the table for a paper: booktabs, with escaped names, units and the columns' names as people say them.

        Parameters
        ----------
        path : path, optional
            File to write the table to.
        columns : list of labels, optional
            Columns to write; by default all.
        caption : str, optional
            What the table contains; by default, what the result is.
        label : str, optional
            For ``\ref``; by default that of its kind, such as "tab:selection".
        digits : int
            Significant digits at most; a column has the same number of decimals where it can.
        decimals : int, optional
            Decimals of every number that is not an integer, instead of `digits`.

        Returns
        -------
        str
            A ``table`` environment, which needs the package booktabs.

        Examples
        --------
        >>> import pandas as pd
        >>> models = pd.DataFrame({"acc_%": [91.0, 84.5], "co2_kg": [9.0, 1.5]}, index=["A & B", "C"])
        >>> choice = models.moo({"acc_%": "max", "co2_kg": "min"}).copa()
        >>> print(choice.to_latex(caption="Which model?"))  # doctest: +ELLIPSIS
        % needs \usepackage{booktabs}
        ...
        A \& B & ...
        """
        table, kind = _some_columns(self.table, columns), type(self).__name__.lower()
        return _write_latex(path, table, caption or repr(self)[1:-1], label or f"tab:{kind}", digits, decimals)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the result as one page that needs no other file and no network: words, plot and table.

        Parameters
        ----------
        path : path, optional
            File to write the page to.

        Returns
        -------
        str
            The page.

        Raises
        ------
        ValueError
            If `path` is a folder.
        """
        return _write_page(path, _page(repr(self)[1:-1], *_sections(self)))

    def to_answer(self) -> Answer:
        """Return what a report opens with: headline, reasons, and how certain they are."""
        explain: Callable[[], str] | None = getattr(self, "explain", None)
        return Answer(repr(self)[1:-1], [] if explain is None else [explain()])

    def printed_tables(self) -> list[PrintedTable]:
        """Return the tables that a report prints with this result, each with its caption."""
        kind = type(self).__name__
        return [PrintedTable(frame=self.table, name=kind.lower(), caption=f"{kind}.")]

    def facts(self) -> dict[str, Any]:
        """Return what the headline is made of, as values of JSON: kind, numbers, summary and guarantee.

        Returns
        -------
        dict
            Missing numbers are None, and infinite ones "inf" or "-inf". Tables with a row for each system or item are
            in :meth:`to_json`.

        Examples
        --------
        >>> import pandas as pd
        >>> models = pd.DataFrame({"acc": [0.9, 0.8], "co2_kg": [3.0, 1.0]}, index=["a", "b"])
        >>> facts = models.moo(acc="max", co2_kg="min").hypervolume(reference={"acc": 0, "co2_kg": 5}).facts()
        >>> facts["result"], round(facts["value"], 2)
        ('Hypervolume', 3.4)
        """
        return values.facts_of(self)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write :meth:`facts` and the table as JSON.

        Parameters
        ----------
        path : path, optional
            File to write to.

        Returns
        -------
        str
        """
        return write_file(path, values.json_text(self), "result.json")

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the result as Markdown for a README or an issue: what it is, in words, and its table.

        Parameters
        ----------
        path : path, optional
            File to write to.

        Returns
        -------
        str
        """
        explain: Callable[[], str] | None = getattr(self, "explain", None)
        words = "" if explain is None else explain()
        return write_file(path, values.markdown_text(repr(self)[1:-1], words, self.table), "result.md")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the table to polars, DuckDB and others that read Arrow: ``polars.DataFrame(result)``."""
        return values.arrow_stream(self.table, requested_schema)


class Worded(Result):
    """A result whose sentences are in ``sentences.json``: :meth:`parts` decides which of them, all else prints them."""

    def parts(self) -> list[sentences.Part]:
        """Which sentences the result says, the headline first, each with what it is filled with."""
        raise NotImplementedError

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return sentences.say(self.parts()[0])

    def explain(self) -> str:
        """Say the headline, the reasons, how certain they are, and the details."""
        return " ".join(sentences.explained(self.parts()))

    def to_answer(self) -> Answer:
        """Return what a report opens with: headline, reasons, and how certain they are."""
        return Answer.of(self.parts())

    def facts(self) -> dict[str, Any]:
        """Return what the sentences are made of, as values of JSON; see :meth:`Result.facts`.

        ``said`` lists the sentences by their names, each with its numbers.
        """
        return {**super().facts(), "said": values.json_value(self.parts())}


def claim_line(**stated: Any) -> str:
    """Write a claim as a line for a file of claims; what is empty is left out.

    Examples
    --------
    >>> claim_line(id="", rank="medium")
    '- rank: medium'
    >>> claim_line(id="deployed", rank="medium", weights={"cost_usd": 0.5}, p=None)
    '- {id: deployed, rank: medium, weights: {cost_usd: 0.5}}'
    """
    import yaml

    given = {name: value for name, value in stated.items() if value not in (None, "", {}, [])}
    line: str = yaml.safe_dump(given, default_flow_style=True, sort_keys=False, width=10_000, allow_unicode=True)
    line = line.strip()
    return f"- {line[1:-1] if len(given) == 1 else line}"


def _sections(result: Any) -> list[str]:
    """Card, further words, picture and all rows of a result, as HTML."""
    card: str = result._repr_html_()
    blocks = [card]
    said = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", card)).split())
    explain: Callable[[], str] | None = getattr(result, "explain", None)
    if explain is not None and " ".join((words := explain()).split()) not in said:
        blocks.append(f"<p>{text.escape(words)}</p>")
    blocks.append(picture_html(result))
    if "<table" not in card:
        blocks.append(text.html_table(result.table, most=_MOST_ROWS))
    elif "First " in said:
        table = text.html_table(result.table, most=_MOST_ROWS)
        blocks.append(f"<details><summary>Table of all {len(result.table):,} rows</summary>{table}</details>")
    return blocks


def picture_html(result: Any) -> str:
    """Draw a result within the page, for a screen and for a phone, with its caption; nothing if it has no plot.

    If it cannot be drawn, the reason is written instead.
    """
    if not hasattr(result, "plot"):
        return ""
    from copa_nb.plotting.pictures import picture_of

    words = picture_of(type(result).plot, result)
    height = None if words is None else words.height
    try:
        wide = _image(result, height)
    except (ValueError, TypeError) as error:
        return f"<p>There is no plot: {text.escape(error)}</p>"
    try:
        narrow = _image(result, height if words is None else words.narrow_height or height, narrow=True)
    except UserWarning:  # names leave no room for the axes
        narrow = wide
    alt, caption = f"Plot of {repr(result)[1:-1]}", ""
    if words is not None:
        alt = words.alt
        caption = (
            f"<figcaption><strong>{text.escape(words.finding)}.</strong> {text.escape(words.caption)}</figcaption>"
        )
    return (
        f'<figure><picture><source media="(max-width:{_PHONE}px)" srcset="{narrow}">'
        f'<img alt="{text.attribute(alt)}" src="{wide}"></picture>{caption}</figure>'
    )


def _image(result: Any, height: float | None, *, narrow: bool = False) -> str:
    """Draw a result as the address of an image."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from copa_nb.plotting.style import report_style

    buffer, kind = io.BytesIO(), "svg+xml"
    with report_style(narrow=narrow, own_colors=True), mpl.rc_context({"svg.hashsalt": "copa_nb"}):
        warnings.filterwarnings("error" if narrow else "ignore", message="constrained_layout not applied")
        # Not by pyplot, whose current figure is shared by all threads.
        width, usual = mpl.rcParams["figure.figsize"]
        figure = Figure((width, height or usual), layout="constrained")
        result.plot(ax=figure.subplots())
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        if buffer.tell() > _LARGEST_SVG:
            buffer, kind = io.BytesIO(), "png"
            figure.savefig(buffer, format="png")
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def _page(title: str, *blocks: str) -> str:
    """Wrap blocks of HTML into one page that needs no other file, no script and no network."""
    start = html_page.head(title, _PAGE_STYLE)
    return f"{start}<body><h1>{text.escape(title)}</h1>{''.join(blocks)}</body></html>"


def _some_columns(table: pd.DataFrame, columns: Sequence[Hashable] | None) -> pd.DataFrame:
    if columns is None:
        return table
    return table.iloc[:, [checks.column_position(table, name, "columns") for name in columns]]


def _write_latex(
    path: str | os.PathLike[str] | None,
    table: pd.DataFrame,
    caption: str,
    label: str,
    digits: int,
    decimals: int | None,
) -> str:
    flat = text.with_index(text.spoken_index(table))
    named = flat.set_axis(text.spoken_columns(flat), axis="columns")
    written = text.latex_text(named, caption=caption, label=label, digits=digits, decimals=decimals)
    return write_file(path, written, "table.tex")


def _write_page(path: str | os.PathLike[str] | None, page: str) -> str:
    return write_file(path, page, "result.html")


def write_file(path: str | os.PathLike[str] | None, written: str, example: str) -> str:
    """Write a text to a file, if there is one to write to, and return it.

    Raises
    ------
    ValueError
        For a folder, with an `example` of a file in it.
    """
    if path is not None:
        if Path(path).is_dir():
            raise ValueError(f"`path` is {os.fspath(path)!r}, a folder; name a file in it, e.g. {example}.")
        Path(path).write_text(written, encoding="utf-8", newline="\n")
    return written


OneResult = TypeVar("OneResult")
Part = TypeVar("Part")


@dataclass(frozen=True, repr=False)
class Grouped(Mapping[Hashable, OneResult], Generic[OneResult]):
    """One result per group, in order of first appearance; a read-only mapping.

    Parameters
    ----------
    results : dict of group label to result
        The results.
    by : label or list of labels
        The columns that made the groups.
    """

    results: dict[Hashable, OneResult]
    by: Any

    def __dir__(self) -> list[str]:
        return [*(name for name in super().__dir__() if name not in _NOT_OFFERED), *self._together()]

    def _together(self) -> Mapping[str, Callable[[Any], Any]]:
        """What results of this kind answer for all groups together."""
        first = next(iter(self.results.values()), None)
        return first._of_all_groups if isinstance(first, Result) else {}

    if not TYPE_CHECKING:  # which would take every name for one that is there

        def __getattr__(self, name: str) -> Any:
            # While one is copied or unpickled, it has no results yet.
            if "results" in vars(self) and name in (together := self._together()):
                return functools.partial(together[name], self)
            inherited = getattr(super(), "__getattr__", None)
            if inherited is not None:
                return inherited(name)
            raise AttributeError(f"A Grouped has no {name!r}; what its results have is had by `collect` and `each`.")

    def __getitem__(self, group: Hashable) -> OneResult:
        return self.results[group]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        kind = type(next(iter(self.results.values()))).__name__
        return f"<{len(self)} × {kind} by {self.by!r}>"

    def _repr_html_(self) -> str:
        shown = self.collect(repr).to_frame("result")
        return text.html_table(shown, caption=f"One result per {self.by}.")

    def to_answer(self) -> Answer:
        """Return what a report opens with; see :meth:`Result.to_answer`."""
        of_all = self._together().get("to_answer")
        explained = (f"{text.label(name)}: {repr(one)[1:-1]}." for name, one in self.results.items())
        return Answer(repr(self)[1:-1], list(explained)) if of_all is None else of_all(self)

    def printed_tables(self) -> list[PrintedTable]:
        """Return the tables that a report prints; see :meth:`Result.printed_tables`."""
        of_all = self._together().get("printed_tables")
        by = text.listing(map(text.label, self.by if isinstance(self.by, list) else [self.by]))
        return [PrintedTable(frame=self.table, name="groups", caption=f"By {by}.")] if of_all is None else of_all(self)

    def to_latex(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        columns: Sequence[Hashable] | None = None,
        caption: str | None = None,
        label: str | None = None,
        digits: int = 3,
        decimals: int | None = None,
    ) -> str:
        """Write the tables of all groups as one for a paper; see :meth:`Result.to_latex`."""
        table = _some_columns(self.table, columns)
        return _write_latex(path, table, caption or repr(self)[1:-1], label or "tab:groups", digits, decimals)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the results of all groups as one page; see :meth:`Result.to_html`."""
        explain: Callable[[], str] | None = getattr(self, "explain", None)
        blocks = [self._repr_html_(), *([f"<p>{text.escape(explain())}</p>"] if explain is not None else [])]
        for group, result in list(self.results.items())[:_MOST_GROUPS]:
            blocks += [f"<h2>{text.escape(text.label(group))}</h2>", *_sections(result)]
        if len(self) > _MOST_GROUPS:
            blocks.append(f"<p>First {_MOST_GROUPS} of {len(self):,} groups.</p>")
        return _write_page(path, _page(repr(self)[1:-1], *blocks))

    def facts(self) -> dict[str, Any]:
        """Return the facts of every group; see :meth:`Result.facts`."""
        by = [text.label(name) for name in (self.by if isinstance(self.by, list) else [self.by])]
        groups = {text.label(name): result.facts() for name, result in self.results.items()}  # type: ignore[attr-defined]
        return {"result": type(self).__name__, "by": by, "groups": groups}

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the facts of every group and all tables as JSON; see :meth:`Result.to_json`."""
        return write_file(path, values.json_text(self), "result.json")

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the tables of all groups as Markdown; see :meth:`Result.to_markdown`."""
        return write_file(path, values.markdown_text(repr(self)[1:-1], "", self.table), "result.md")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the tables of all groups to libraries that read Arrow."""
        return values.arrow_stream(self.table, requested_schema)

    def collect(self, what: str | Callable[[OneResult], Any]) -> pd.Series:
        """Gather an attribute, or what a function makes of each result, as a Series by group."""
        get = what if callable(what) else lambda result: getattr(result, what)
        values = [get(result) for result in self.results.values()]
        return pd.Series(values, index=self._index(), name=what if isinstance(what, str) else None)

    def each(self, method: str, *args: Any, **options: Any) -> Grouped[Any]:
        """Call a method of every result; the answers are grouped as the results are.

        Parameters
        ----------
        method : str
            Name of the method.
        *args, **options
            What it takes.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> scores = pd.DataFrame({"acc": [0.9, 0.8, 0.7, 0.8], "cost": [2, 1, 1, 2], "task": list("ppqq")})
        >>> choices = scores.moo(acc="max", cost="min").by("task").copa()
        >>> choices.each("navigate", "cost").collect("n_distinct").to_dict()
        {'p': 2, 'q': 2}
        """
        return of_groups(self.results, self.by, lambda result: getattr(result, method)(*args, **options))

    @property
    def best(self) -> pd.Series:
        """The chosen row of each group."""
        return self.collect("best")

    @property
    def summary(self) -> pd.DataFrame:
        """The summaries of all groups, one line per group; of repetitions, one table below the other."""
        parts = list(self.collect("summary"))
        if isinstance(parts[0], pd.DataFrame):
            return pd.concat(parts, keys=self._index())
        return pd.DataFrame([part.to_dict() for part in parts], index=self._index())

    @property
    def table(self) -> pd.DataFrame:
        """The tables of all groups, one below the other, under the group's label."""
        tables: list[Any] = [result.table for result in self.results.values()]  # type: ignore[attr-defined]
        if not any(isinstance(table, pd.DataFrame | pd.Series) for table in tables):
            return tables[0]  # a note, which is the same for all groups
        labels = self._index()
        if isinstance(labels, pd.MultiIndex) or not any(isinstance(label, tuple) for label in labels):
            return pd.concat(tables, keys=labels)
        # As keys, labels that are tuples would become several levels.
        table = pd.concat(tables, keys=pd.RangeIndex(len(labels), name=labels.name))
        table.index = cast(pd.MultiIndex, table.index).set_levels([labels], level=[0])  # type: ignore[list-item]
        return table

    def _index(self) -> pd.Index:
        labels = list(self.results)
        if isinstance(self.by, list) and len(self.by) > 1:
            return pd.MultiIndex.from_tuples(cast(list[tuple[Hashable, ...]], labels), names=self.by)
        name = self.by[0] if isinstance(self.by, list) else self.by
        return pd.Index(labels, name=name, tupleize_cols=False)


def of_groups(
    groups: Mapping[Hashable, Part], by: Any, verb: Callable[[Part], OneResult], argument: str = "by"
) -> Grouped[OneResult]:
    """Run a verb on what there is of every group; an error names the group in which it occurred."""
    results: dict[Hashable, OneResult] = {}
    for label, part in groups.items():
        try:
            results[label] = verb(part)
        except (ValueError, TypeError) as error:
            raise type(error)(f"in group {label!r} of `{argument}`={by!r}: {error}") from error
    return Grouped(results, by)
