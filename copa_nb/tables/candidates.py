"""Which rows may be chosen: ``where=`` as a mask, an expression or a function.

A constraint restricts the choice, never the population that ranks are taken over.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks

Where: TypeAlias = "str | pd.Series | np.ndarray | list[bool] | Callable[[pd.DataFrame], Any] | None"

ONLY_MISSING = "every row that `where` allows has a missing objective; relax it, or fill in the values."
_ALLOWED = (
    ast.Expression, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.List, ast.Tuple,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr,
    ast.unaryop, ast.boolop, ast.cmpop, ast.Load,
)  # fmt: skip
_OPERATORS = {"and", "or", "not", "in"}
_LARGEST_EXPONENT = 100
_ONE_EQUAL = re.compile("(?<![<>=!])=(?!=)")
_EXAMPLE = "write numbers plain and text in quotes, e.g. \"co2_kg <= 2 and model != 'A'\"."
# A string, or a name between backticks; strings come first, as a backtick within one quotes nothing.
_QUOTED = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|`([^`]*)`""")


def candidate_mask(frame: pd.DataFrame, where: Where) -> np.ndarray:
    """Mark the rows that may be chosen.

    Parameters
    ----------
    frame : DataFrame
        The whole table.
    where : str, mask, callable or None
        An expression over columns, as in ``DataFrame.query`` but without function calls, attributes or
        ``@`` names (``"co2_kg <= 2 and `my metric` > 0.5"``); a boolean mask (a Series is aligned by
        label); or a function of the frame that returns a mask. None allows every row.

    Returns
    -------
    ndarray of bool, shape (n,)

    Raises
    ------
    ValueError
        For an expression that is not allowed, a mask that does not fit, or if no row is left.
    TypeError
        For a mask that is not boolean.

    Examples
    --------
    >>> candidate_mask(pd.DataFrame({"co2 kg": [1.0, 3.0]}), "`co2 kg` <= 2")
    array([ True, False])
    """
    allowed = allowed_mask(frame, where)
    if not allowed.any():
        raise ValueError(nothing_allowed(where, len(frame)))
    return allowed


def allowed_mask(frame: pd.DataFrame, where: Where) -> np.ndarray:
    """Like :func:`candidate_mask`, but a piece of a table may have no candidates."""
    if where is None:
        return np.ones(len(frame), dtype=bool)
    if isinstance(where, str):
        mask = _evaluate(frame, where)
    elif callable(where):
        mask = where(frame)
    else:
        mask = where
    return _as_mask(frame, mask)


def limits_of(
    frame: pd.DataFrame, where: Where, names: Sequence[Hashable]
) -> dict[Hashable, list[float | None]] | None:
    """Return a constraint as the lowest and the highest value allowed in some columns; None if it is another one.

    Examples
    --------
    >>> frame = pd.DataFrame({"ms": [10, 50, 90], "license": ["mit", "mit", "other"]})
    >>> limits_of(frame, "10 < ms <= 60", ["ms"]), limits_of(frame, "license == 'mit'", ["ms"])
    ({'ms': [50.0, 60.0]}, None)
    """
    limits: dict[Hashable, list[float | None]] = {}
    if where is None:
        return limits
    if not isinstance(where, str):
        return None
    allowed = allowed_mask(frame, where)
    known = {str(name): name for name in names}
    quoted = {f"_quoted_{place}": name for place, name in enumerate(known)}
    for stand_in, between in quoted.items():
        where = where.replace(f"`{between}`", stand_in)
    for bound in _bounds(where):
        if bound is None or (name := known.get(quoted.get(bound[0], bound[0]))) is None:
            return None
        _, sign, limit = bound
        values = checks.column(frame, name, "where").to_numpy(dtype=float)
        inside = values[values > limit] if sign == ">" else values[values < limit] if sign == "<" else values
        if not len(inside):
            return None
        ends = limits.setdefault(name, [None, None])
        if ">" in sign:
            low = float(inside.min()) if sign == ">" else limit
            ends[0] = low if ends[0] is None else max(ends[0], low)
        else:
            high = float(inside.max()) if sign == "<" else limit
            ends[1] = high if ends[1] is None else min(ends[1], high)
    within = np.ones(len(frame), dtype=bool)
    for limited, (lowest, highest) in limits.items():
        values = checks.column(frame, limited, "where").to_numpy(dtype=float)
        within &= (lowest is None or values >= lowest) & (highest is None or values <= highest)
    return limits if np.array_equal(within, allowed) else None


def _bounds(expression: str) -> Iterator[tuple[str, str, float] | None]:
    """Yield column, sign and number of each comparison of a conjunction, and None for anything else."""
    signs = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    pending: list[ast.AST] = [ast.parse(" ".join(expression.split()), mode="eval").body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            pending += node.values
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            pending += [node.left, node.right]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
                sign, number = signs.get(type(operator)), _number(right)
                if sign and isinstance(left, ast.Name) and number is not None:
                    yield left.id, sign, number
                elif sign and isinstance(right, ast.Name) and (number := _number(left)) is not None:
                    yield right.id, turned[sign], number
                else:
                    yield None
        else:
            yield None


def _number(node: ast.AST) -> float | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def nothing_allowed(where: object, n_rows: int) -> str:
    """Return the error message for a constraint that excludes every row."""
    described = f" {where!r}" if isinstance(where, str) else ""
    return f"{checks.called('where')}{described} excludes all {n_rows} rows; relax it."


def columns_in(frame: pd.DataFrame, expression: str) -> list[Hashable]:
    """Return the columns that an expression is about.

    Examples
    --------
    >>> columns_in(pd.DataFrame(columns=["acc", "co2 kg", "ms"]), "`co2 kg` <= 2 and acc != 0.9")
    ['acc', 'co2 kg']
    """
    named = _parsed(frame, expression).named
    return [name for name in frame.columns if name in named]


class _Parsed(NamedTuple):
    """An expression that may be evaluated, the values that stand for its strings and quoted names, and all names."""

    expression: str
    values: dict[str, Any]
    named: set[Hashable]


def _evaluate(frame: pd.DataFrame, expression: str) -> Any:
    bare, lifted, _ = _parsed(frame, expression)
    try:
        return frame.eval(bare, engine="python", local_dict={}, global_dict={}, resolvers=[lifted])
    except Exception as error:  # pandas' evaluator raises whatever its operators raise
        raise ValueError(
            f"{checks.called('where')} is {expression!r}, which cannot be evaluated on these columns; {_EXAMPLE}"
        ) from error


def _parsed(frame: pd.DataFrame, expression: str) -> _Parsed:
    """Read an expression, or refuse it: what is returned holds nothing that could call or reach into Python."""
    # Columns come last, as they take precedence over the index in DataFrame.eval, too.
    levels = [name for name in frame.index.names if name is not None]
    known = {str(name): name for name in ["index", *levels, *frame.columns]}
    lifted: dict[str, Any] = {}

    def lift(quoted: re.Match[str]) -> str:
        string, name = quoted.groups()
        stand_in = f"_lifted_{len(lifted)}"
        lifted[stand_in] = _named(frame, known[name]) if string is None else ast.literal_eval(string)
        return f" {stand_in} "

    named: set[Hashable] = set()
    for quoted in _QUOTED.finditer(expression):
        if quoted[1] is None and quoted[2] not in known:
            raise ValueError(_unknown(frame, known, quoted[2]))
        named |= {known[quoted[2]]} if quoted[1] is None else set()
    # Strings and quoted names are handed over as values, so that no two readers of the expression can disagree on
    # where a quotation ends: pandas evaluates the very text that is judged here.
    try:
        bare = " ".join(_QUOTED.sub(lift, expression).split())
        if "#" in bare:
            raise SyntaxError("comments are not allowed")
        tree = ast.parse(bare, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # the last two where it is deeply nested
        raise ValueError(
            f"{checks.called('where')} is {expression!r}, which is not a valid expression; "
            + (
                _with_backticks(expression, known)
                or _with_signs(expression)
                or ("use == to test for equality; " if _ONE_EQUAL.search(expression) else "") + _EXAMPLE
            )
        ) from error
    for node in ast.walk(tree):
        word = node.value if isinstance(node, ast.Constant) else 0
        if word is None or (isinstance(word, bool) and str(word) in known):
            raise ValueError(
                f"{checks.called('where')} is {expression!r}; "
                + (
                    _with_backticks(expression, known)
                    or "no value equals None. For missing values, pass a function: "
                    "where=lambda frame: frame['x'].isna()."
                )
            )
        if not isinstance(node, _ALLOWED) or not isinstance(word, int | float):
            raise ValueError(
                f"{checks.called('where')} is {expression!r}; "
                + (
                    _with_backticks(expression, known)
                    or "expressions may contain column names, numbers, strings, comparisons, arithmetic, and, or, not, "
                    "in. For anything else, pass a function: where=lambda frame: ..."
                )
            )
        if isinstance(node, ast.Name) and node.id not in lifted and node.id not in known:
            advice = _with_backticks(expression, known)
            raise ValueError(
                f"{checks.called('where')} is {expression!r}; {advice}" if advice else _unknown(frame, known, node.id)
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not _is_bounded(node):
            raise ValueError(
                f"{checks.called('where')} is {expression!r}; the exponent of a power must be a column or a number "
                f"between -{_LARGEST_EXPONENT} and {_LARGEST_EXPONENT}, and its base a column or a number. Write the "
                "result of the calculation instead."
            )
    named |= {known[node.id] for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in lifted}
    return _Parsed(_lists_lifted(bare, tree, lifted), lifted, named)


def _with_signs(expression: str) -> str:
    """Offer the expression with the signs that Python has for =< and =>, or nothing if it has neither."""
    meant = expression.replace("=<", "<=").replace("=>", ">=")
    return "" if meant == expression else f"did you mean {meant!r}?"


def _is_bounded(power: ast.BinOp) -> bool:
    """Tell whether a power is quick to compute: those of whole numbers, as in 9**9**9, have no bound in Python."""
    base, exponent = power.left, power.right
    number = exponent.operand if isinstance(exponent, ast.UnaryOp) else exponent
    is_small = isinstance(number, ast.Constant) and abs(number.value) <= _LARGEST_EXPONENT  # type: ignore[arg-type]
    return (_has_name(exponent) or is_small) and (_has_name(base) or isinstance(base, ast.Constant))


def _has_name(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) for node in ast.walk(tree))


def _lists_lifted(bare: str, tree: ast.AST, lifted: dict[str, Any]) -> str:
    """Hand lists of values over as values, too: pandas cannot read a list that holds a single name."""
    text = bare.encode()
    lists = [node for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple)]
    # From the last to the first, so that a replacement moves none of those still to come.
    for node in sorted(lists, key=lambda node: node.col_offset, reverse=True):
        stand_in = f"_lifted_{len(lifted)}"
        lifted[stand_in] = [_literal(item, lifted) for item in node.elts]
        text = text[: node.col_offset] + stand_in.encode() + text[node.end_col_offset :]
    return text.decode()


def _literal(item: ast.expr, lifted: dict[str, Any]) -> Any:
    if isinstance(item, ast.Name) and isinstance(lifted.get(item.id), str):
        return lifted[item.id]
    with suppress(ValueError):
        return ast.literal_eval(item)
    raise ValueError(
        f"{checks.called('where')}: a list may hold numbers and strings, not names of columns, calculations or lists."
    )


def _with_backticks(expression: str, known: dict[str, Any]) -> str:
    """Offer the expression with backticks around the names that need them, or nothing if no name needs them."""
    words = set(keyword.kwlist) - _OPERATORS
    unreadable = (name for name in known if name and (not name.isidentifier() or name in words))
    names = sorted(unreadable, key=len, reverse=True)
    if not names:
        return ""
    bare_name = re.compile(rf"{_QUOTED.pattern}|(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)")
    quoted = bare_name.sub(lambda match: f"`{match[3]}`" if match[3] else match[0], expression)
    if quoted == expression:
        return ""
    return f"names with spaces or symbols, and words of Python, need backticks: where={quoted!r}."


def _named(frame: pd.DataFrame, label: Any) -> pd.Series:
    if label in frame.columns:
        return checks.column(frame, label, "where")
    level = frame.index if label not in frame.index.names else frame.index.get_level_values(label)
    return pd.Series(level, index=frame.index)


def _unknown(frame: pd.DataFrame, known: dict[str, Any], name: str) -> str:
    return (
        f"{checks.called('where')} names {name!r}, which is not a column; columns are {checks.listed(frame.columns)}."
        f"{_in_quotes(frame, name) or checks.nearest(name, known)}"
    )


def _in_quotes(frame: pd.DataFrame, name: str) -> str:
    """Say, as a sentence, if a name is a value of a column: text belongs between quotes."""
    for position, column in enumerate(frame.columns):
        values = frame.iloc[:, position]
        if not pd.api.types.is_numeric_dtype(values.dtype) and values.eq(name).any():
            return f" It is a value of {column!r}: write it between quotes, '{name}'."
    return ""


def _as_mask(frame: pd.DataFrame, mask: Any) -> np.ndarray:
    if isinstance(mask, pd.Series):
        if not mask.index.equals(frame.index):
            if not (mask.index.is_unique and frame.index.is_unique and frame.index.isin(mask.index).all()):
                raise ValueError(
                    f"{checks.called('where')} is a Series whose index does not match the frame's; build it from "
                    "the frame."
                )
            mask = mask.reindex(frame.index)
        if pd.api.types.is_bool_dtype(mask.dtype) and mask.isna().any():
            mask = mask.fillna(False)
        mask = mask.to_numpy()
    array = np.asarray(mask)
    if array.dtype != bool:
        raise TypeError(
            f"{checks.called('where')} must give True or False for every row, not {array.dtype}; write a comparison."
        )
    if array.shape != (len(frame),):
        raise ValueError(
            f"{checks.called('where')} has shape {array.shape}; it must give one value for each of the "
            f"{len(frame)} rows."
        )
    return array
