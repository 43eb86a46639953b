"""What the columns of a table are: said once, kept in ``attrs``, read by every verb.

A *description* is a mapping from words to values: the objectives with their directions, and the roles of other columns.
It has the same words in Python, in YAML, on the command line and in the panel.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

import pandas as pd

from copa_nb import checks
from copa_nb.tables import seen
from copa_nb.tables.columns import as_names
from copa_nb.tables.frames import read_frame
from copa_nb.tables.objectives import (
    ATTRS_KEY,
    DIRECTION_WORDS,
    Objectives,
    ObjectivesLike,
    check_columns,
    spelled,
)
from copa_nb.tables.rows import runs_in_words

# Words in the order in which a description is written.
COLUMN_WORDS = ("system", "item", "cluster", "repeat", "order")
OTHER_WORDS = ("validation", "test", "known", "standard_error", "n", "bounds", "log", "show", "nan_policy")
WORDS = (*COLUMN_WORDS, *OTHER_WORDS)
POLICIES = ("raise", "omit", "worst", "pairwise", "bounds")
VALIDATION, TEST = "val_", "test_"
_OUTCOMES = {
    "omit": "they are left out",
    "worst": "a missing value counts as worse than any other",
    "pairwise": "each two systems are compared on what both have",
    "bounds": "the answer holds whatever they are",
}

Column: TypeAlias = "Hashable | list[Hashable] | None"
Kind: TypeAlias = Literal["systems", "items", "runs", "search"]


class _Keep:
    """Stands for a word that stays what it was; None takes a word away."""

    def __repr__(self) -> str:
        return "KEEP"


KEEP: Final[Any] = _Keep()


@dataclass(frozen=True)
class Description:
    """Objectives of a table, and what its other columns are.

    Parameters
    ----------
    objectives : Objectives, optional
        What is good.
    words : dict
        The other words that were said, in the order of ``WORDS``.

    Examples
    --------
    >>> described = Description.of({"objectives": {"accuracy": "max"}, "item": "task", "system": "model"})
    >>> described.to_dict()
    {'objectives': {'accuracy': 'max'}, 'system': 'model', 'item': 'task'}
    >>> described.saying(item=None, repeat="seed").words
    {'system': 'model', 'repeat': 'seed'}
    """

    objectives: Objectives | None
    words: Mapping[str, Any]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Description:
        """Read a description that was written as a mapping."""
        unknown = [word for word in stored if word not in ("objectives", *WORDS)]
        if unknown:
            raise ValueError(
                f"a description has no word {unknown[0]!r}; its words are {checks.listed(('objectives', *WORDS))}."
                f"{checks.nearest(unknown[0], ('objectives', *WORDS))}"
            )
        objectives = Objectives.of(stored["objectives"]) if stored.get("objectives") else None
        return cls(objectives, _in_order(stored))

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> Description:
        """Read what a frame remembers; nothing if it remembers nothing.

        Where rows were averaged, so that there is one for each system, the columns of items and repeats are gone with
        what they said.
        """
        known = cls.of(frame.attrs.get(ATTRS_KEY, {}))
        averaged = [word for word in ("item", "cluster", "repeat", "order") if known.is_gone(word, frame)]
        if averaged and known.names_rows(frame):
            return known.saying(**dict.fromkeys(averaged))
        return known

    def saying(self, objectives: Objectives | None = None, **words: Any) -> Description:
        """The same with other words; KEEP leaves one as it is, None takes it away."""
        said = {word: value for word, value in words.items() if value is not KEEP}
        return Description(objectives or self.objectives, _in_order({**self.words, **said}))

    def to_dict(self) -> dict[str, Any]:
        """The words as YAML has them."""
        written = {} if self.objectives is None else {"objectives": self.objectives.to_dict()}
        return {**written, **self.words}

    def get(self, word: str) -> Any:
        """What a word says; None if it was not said."""
        return self.words.get(word)

    @property
    def columns(self) -> list[Hashable]:
        """Objectives, and columns that have a role."""
        return [*(self.objectives or ()), *(name for _, name in self._named())]

    def kind(self, frame: pd.DataFrame) -> Kind:
        """Which table this is, by its words alone, and by which columns there are."""
        if self.get("order") is not None or self.is_scored_twice(frame):
            return "search"
        if self.get("item") is not None:
            return "items"
        return "runs" if self.get("repeat") is not None else "systems"

    def is_scored_twice(self, frame: pd.DataFrame) -> bool:
        """Whether every objective has a validation and a test score, and no score of its own."""
        names = [] if self.objectives is None else self.objectives.names
        if frame.columns.nlevels > 1:  # one level has the objectives, another one the parts
            levels = range(frame.columns.nlevels)
            labels = {label for level in levels for label in frame.columns.get_level_values(level)}
            return bool(names) and {*names} <= labels
        return bool(names) and all(name not in frame.columns and self._has_both(frame, name) for name in names)

    def scores(self, frame: pd.DataFrame) -> list[Hashable]:
        """Columns of the objectives: of each its own, or that of its validation and that of its test scores."""
        names = [] if self.objectives is None else self.objectives.names
        spelled = [(name, *(one for part in self._parts() for one in spellings(part, name))) for name in names]
        return [one for names in spelled for one in dict.fromkeys(names) if one in frame.columns]

    def is_gone(self, word: str, frame: pd.DataFrame) -> bool:
        """Whether a word names columns and the table has none of them."""
        names = as_names(self.words.get(word))
        return bool(names) and not {*names} & {*frame.columns, *frame.index.names}

    def names_rows(self, frame: pd.DataFrame) -> bool:
        """Whether every row is another system."""
        names = as_names(self.words.get("system"))
        if not names:
            return False
        if list(frame.index.names) == names:
            return bool(frame.index.is_unique)
        return {*names} <= {*frame.columns} and not frame.duplicated(names).any()

    def _has_both(self, frame: pd.DataFrame, name: Hashable) -> bool:
        return all(self._has_part(frame, name, part) for part in self._parts())

    def _parts(self) -> tuple[str, str]:
        return self.words.get("validation", VALIDATION), self.words.get("test", TEST)

    def _has_part(self, frame: pd.DataFrame, name: Hashable, part: str) -> bool:
        return any(label in frame.columns for label in spellings(part, name))

    def _check_both(self, frame: pd.DataFrame) -> None:
        """Refuse an objective that lacks its two scores, or one of them, where columns have such."""
        gone = [] if self.objectives is None else [name for name in self.objectives.names if name not in frame.columns]
        has_scores = bool(gone) and any(map(self._is_score, frame.columns))
        for name in gone:
            lacking = [f"{part}{name}" for part in self._parts() if not self._has_part(frame, name, part)]
            if len(lacking) == 1 or (lacking and has_scores):
                missing = " and ".join(map(repr, lacking))
                raise ValueError(
                    f"{checks.called('objectives')} names {name!r}, of which {missing} "
                    f"{'is' if len(lacking) == 1 else 'are'} missing; columns are {checks.listed(frame.columns)}."
                    f"{checks.nearest(name, frame.columns)}"
                )

    def _is_score(self, column: Hashable) -> bool:
        """Whether a column is called like a score on validation or test data."""
        return any(part and str(column).startswith(part) for part in self._parts())

    def check(self, frame: pd.DataFrame) -> None:
        """Refuse words about columns that the table does not have, and objectives that are no numbers.

        Raises
        ------
        ValueError
            For a column that is not there, or is there twice.
        TypeError
            For an objective that is not numeric.
        """
        self.check_roles(frame)
        if self.objectives is not None and not self.is_scored_twice(frame):
            self._check_both(frame)
            check_columns(frame, self.objectives)

    def check_roles(self, frame: pd.DataFrame) -> None:
        """Refuse words about columns that the table does not have.

        Raises
        ------
        ValueError
            For a column that is not there.
        """
        known = [*frame.columns, *(name for name in frame.index.names if name is not None)]
        for word, name in self._named():
            if name in frame.columns:
                checks.column_position(frame, name, word)
            elif name not in frame.index.names:
                near = checks.nearest(name, known)
                column = near.partition("Did you mean ")[2].rstrip("?") or "..."
                raise ValueError(
                    f"`{word}` names {name!r}, which is not a column of this table; columns are "
                    f"{checks.listed(known)}.{near} Say it anew, df.moo.define({word}={column}), or take the word "
                    f"away, df.moo.define({word}=None)."
                )

    def check_objectives(self, frame: pd.DataFrame) -> None:
        """Refuse directions that were said of columns which have another name since.

        Raises
        ------
        ValueError
            For an objective that is no column, nor has a validation and a test score.
        """
        ways = {} if self.objectives is None or self.is_scored_twice(frame) else self.objectives.to_dict()
        gone = [name for name in ways if name not in frame.columns]
        if gone:
            kept = {name: way for name, way in ways.items() if name not in gone}
            again = f" Without it: df.moo.define({in_call({'objectives': kept})})." if kept else ""
            raise ValueError(
                f"this table is described with {in_call({'objectives': {gone[0]: ways[gone[0]]}})}, which is not a "
                f"column; columns are {checks.listed(frame.columns)}.{checks.nearest(gone[0], frame.columns)} Describe "
                f"a table again after renaming or dropping columns.{again}"
            )

    def _named(self) -> Iterator[tuple[str, Hashable]]:
        """Columns that have a role, each with its word."""
        for word in COLUMN_WORDS:
            for name in as_names(self.words.get(word)):
                yield word, name


def _in_order(words: Mapping[str, Any]) -> dict[str, Any]:
    said = {word: _checked(word, words[word]) for word in WORDS if words.get(word) is not None}
    return {word: value for word, value in said.items() if value is not None}


def _checked(word: str, value: Any) -> Any:
    """A word's value, or an error that says what it may be."""
    if word == "nan_policy":
        checks.one_of("nan_policy", value, POLICIES)
        return None if value == "raise" else value
    if word in ("validation", "test") and not isinstance(value, str):
        raise TypeError(f'`{word}` must be how the columns of these scores begin or end, e.g. "val_"; got {value!r}.')
    if word == "bounds" and not isinstance(value, Mapping):
        raise TypeError(f"`bounds` must map objectives to pairs, e.g. {{'accuracy': (0, 1)}}; got {value!r}.")
    return value


def spellings(part: str, stem: Hashable) -> tuple[Hashable, ...]:
    """How a column of validation or test scores may be called: the part before or behind the objective.

    Examples
    --------
    >>> spellings("val_", "f1")
    ('val_f1', 'f1val_', 'val_f1', 'f1_val')
    """
    if not (core := part.strip("_")):
        return (stem if part == "" else f"{part}{stem}",) * 4
    return f"{part}{stem}", f"{stem}{part}", f"{core}_{stem}", f"{stem}_{core}"


def words_among(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tell the words of a description from other keywords, such as directions or the options of a verb.

    Examples
    --------
    >>> words_among({"item": "task", "accuracy": "max"})
    ({'item': 'task'}, {'accuracy': 'max'})
    """
    words = {word: given[word] for word in WORDS if word in given}
    return words, {name: value for name, value in given.items() if name not in words}


def cautions(frame: pd.DataFrame) -> list[str]:
    """Say what to know of the rows of a described table: how many have missing values, and that rows are runs.

    Examples
    --------
    >>> frame = define(pd.DataFrame({"accuracy": [0.9, None]}), accuracy="max", nan_policy="omit")
    >>> cautions(frame)
    ['Rows with missing values: 1; they are left out.']
    """
    described = Description.of_frame(frame)
    measured = described.scores(frame)
    missing = int(frame[measured].isna().any(axis="columns").sum())
    outcome = _OUTCOMES.get(described.get("nan_policy") or "raise", "they are refused")
    found = [f"Rows with missing values: {missing:,}; {outcome}."] if missing else []
    runs = runs_in_words(frame) if described.kind(frame) == "systems" else ""
    return [*found, runs] if runs else found


def define(
    frame: pd.DataFrame, objectives: Mapping[str, str] | pd.DataFrame | None = None, /, **given: Any
) -> pd.DataFrame:
    """Return a copy of `frame` that remembers what its columns are; see ``PandasMoo.define``."""
    if read_frame(frame) is not None:
        raise TypeError(
            f"`define` stores words in the `attrs` of a pandas DataFrame, which a {type(frame).__name__} of "
            f"{type(frame).__module__.partition('.')[0]} does not have; describe it where it is asked instead, "
            'copa_nb.moo(frame, accuracy="max", system="model").'
        )
    checks.frame(frame)
    words, directions = words_among(given)
    found = described_by(frame, objectives, words, directions, verb="define")
    check_storable(found)
    seen.remember(found.columns)
    defined = frame.copy(deep=False)
    # A fresh dict: a shallow copy shares attrs, and the caller's frame must not change.
    defined.attrs = {**frame.attrs, ATTRS_KEY: found.to_dict()}
    return defined


def described_by(
    frame: pd.DataFrame,
    objectives: ObjectivesLike | pd.DataFrame,
    words: Mapping[str, Any],
    directions: Mapping[str, Any],
    *,
    verb: str = "",
    before: Description | None = None,
) -> Description:
    """Put together what a frame remembers and what is said now, and check it against the table.

    Parameters
    ----------
    frame : DataFrame
        The table.
    objectives : mapping, list of labels, or DataFrame, optional
        Directions; names of some objectives that are described; or a described frame.
    words : mapping
        The other words; KEEP for those that are not said.
    directions : mapping
        Directions as keywords.
    verb : str
        ``define`` if the words are to be remembered.
    before : Description, optional
        What was said before, if not what the frame remembers.
    """
    _refuse_roles_as_directions(frame, words, verb)
    known = before or Description.of_frame(frame)
    if isinstance(objectives, pd.DataFrame):
        known, objectives = _taken_over(objectives), None
    chosen = known.objectives
    if isinstance(objectives, Objectives):
        chosen = objectives
    elif (isinstance(objectives, Mapping) and objectives) or directions:
        if objectives is not None and not isinstance(objectives, Mapping):
            raise TypeError(
                "`objectives` lists columns, whose directions are described before; give a mapping with all "
                "directions, or the list alone."
            )
        chosen = Objectives.of(spelled(cast("Mapping[Any, str] | None", objectives), directions))
    elif objectives is not None and not isinstance(objectives, Mapping):
        chosen = some_of(chosen, objectives)
    found = known.saying(chosen, **words)
    if not found.to_dict() and not any(value is None for value in words.values()):
        raise ValueError(
            'nothing is said; name at least one column with its direction, e.g. df.moo.define(accuracy="max").'
        )
    if chosen is known.objectives:
        found.check_objectives(frame)
    found.check(frame)
    return found


def some_of(known: Objectives | None, names: Any) -> Objectives:
    """Some of the objectives that are described, by their names."""
    if isinstance(names, str) or not isinstance(names, list | tuple):
        raise TypeError(
            f'`objectives` must map columns to directions, e.g. {{"accuracy": "max"}}, or list columns '
            f"whose directions are defined; got {type(names).__name__}."
        )
    remembered = {} if known is None else known.to_dict()
    unknown = [name for name in names if name not in remembered]
    if unknown:
        raise ValueError(
            f"`objectives` lists {checks.listed(unknown)} without a direction; give a mapping, "
            f'e.g. {{{unknown[0]!r}: "max"}}.{checks.nearest(unknown[0], remembered)}'
        )
    return Objectives.of({name: remembered[name] for name in names})


def _taken_over(frame: pd.DataFrame) -> Description:
    known = Description.of_frame(frame)
    if not known.to_dict():
        raise ValueError("`objectives` is a frame that is not described, so that there is nothing to take over.")
    return known


def _refuse_roles_as_directions(frame: pd.DataFrame, words: Mapping[str, Any], verb: str) -> None:
    """Say how to name an objective that is called like a word, such as a metric called "cluster"."""
    for word, value in words.items():
        if isinstance(value, str) and value in DIRECTION_WORDS and value not in frame.columns:
            call = f"df.moo.{verb}" if verb else "df.moo"
            raise ValueError(
                f"`{word}` is {value!r}, which is no column: `{word}` says what a column is. For an objective of that "
                f'name, write {call}({{"{word}": "{value}"}}).'
            )


def with_system(words: Mapping[str, Any], system: Any) -> tuple[dict[str, Any], Any]:
    """Tell whether `system` names the rows, or is one of several columns that say what a row is.

    Returns
    -------
    dict, label
        The words, with `system` among them in the second case; and the column that names the rows, if any.

    Examples
    --------
    >>> with_system({"item": "task"}, "model")
    ({'system': 'model', 'item': 'task'}, None)
    >>> with_system({"known": "price"}, "model")
    ({'known': 'price'}, 'model')
    """
    if system is None or not {"item", "repeat", "order"} & words.keys():
        return dict(words), system
    return {"system": system, **words}, None


def check_storable(described: Description) -> None:
    """Refuse labels that are no text, which attrs cannot keep.

    Raises
    ------
    TypeError
        For such a label.
    """
    for name in described.columns:
        if not isinstance(name, str):
            raise TypeError(
                f"`define` stores a description in `attrs`, which takes string labels only; {name!r} is of type "
                f"{type(name).__name__}. Describe the table for one call instead, df.moo({{{name!r}: ...}})."
            )


def in_call(words: Mapping[str, Any]) -> str:
    """Write words so that they can be pasted into a call.

    Examples
    --------
    >>> in_call({"objectives": {"accuracy": "max", "val/f1": "max"}, "item": "task"})
    '{"accuracy": "max", "val/f1": "max"}, item="task"'
    >>> in_call({"objectives": {"accuracy": "max"}, "item": "task"})
    'accuracy="max", item="task"'
    """
    objectives = dict(words.get("objectives") or {})
    others = [f"{word}={_code(value)}" for word, value in words.items() if word != "objectives"]
    plain = all(
        isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name) and name not in WORDS
        for name in objectives
    )
    if plain:
        return ", ".join([*(f'{name}="{way}"' for name, way in objectives.items()), *others])
    return ", ".join([_code(objectives), *others])


def _code(value: Any) -> str:
    """A value as a call in Python has it, with the quotation marks that are usual."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | list | dict) else repr(value)
