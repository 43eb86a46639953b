"""``df.moo``: a table with its description, and a method for each question.

No mathematics and no state: pandas builds a new accessor at every access, and every verb imports the function that
answers when it is asked.
"""

from __future__ import annotations

__all__ = ["moo"]

from collections.abc import Hashable, Mapping
from typing import Any, overload

import pandas as pd

from copa_nb import checks
from copa_nb.accessor.asked import Frame, verbs_of
from copa_nb.accessor.benchmarking import Benchmarking
from copa_nb.accessor.certainty import Certainty
from copa_nb.accessor.choosing import Choosing
from copa_nb.accessor.searching import Searching
from copa_nb.tables.description import KEEP, Column, define
from copa_nb.tables.frames import InPieces, is_foreign, is_lazy
from copa_nb.tables.missing_values import Bounds
from copa_nb.tables.objectives import DirectionLike, ObjectivesLike


class Moo(Choosing[Frame], Certainty[Frame], Searching[Frame], Benchmarking[Frame]):
    """What a table can be asked: a method for each question.

    Examples
    --------
    >>> import polars as pl, copa_nb.polars
    >>> models = pl.DataFrame({"model": ["a", "b", "c"], "accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]})
    >>> bound = models.moo(accuracy="max", co2_kg="min", system="model")
    >>> bound.front()["model"].to_list()
    ['a', 'b']
    >>> bound.copa().best
    'b'
    """


VERBS = verbs_of(Moo)


@pd.api.extensions.register_dataframe_accessor("moo")
class PandasMoo(Moo[pd.DataFrame]):
    """What a pandas frame can be asked, and how it is described for good.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> models = models.moo.define(accuracy="max", co2_kg="min")
    >>> models.moo.front()
       accuracy  co2_kg
    a       0.9     3.0
    b       0.8     1.0
    >>> models.moo(accuracy="max").front()
       accuracy  co2_kg
    a       0.9     3.0
    """

    @checks.briefly
    def define(
        self,
        objectives: Mapping[str, str] | pd.DataFrame | None = None,
        /,
        *,
        system: Column = KEEP,
        item: Column = KEEP,
        cluster: Column = KEEP,
        repeat: Column = KEEP,
        order: Hashable | None = KEEP,
        validation: str | None = KEEP,
        test: str | None = KEEP,
        known: Column = KEEP,
        standard_error: Mapping[str, Any] | str | None = KEEP,
        n: Mapping[str, Any] | str | None = KEEP,
        bounds: Bounds = KEEP,
        log: Column = KEEP,
        show: Column = KEEP,
        nan_policy: str | None = KEEP,
        **directions: DirectionLike,
    ) -> pd.DataFrame:
        """Return a copy of the frame that remembers what its columns are.

        Parameters
        ----------
        objectives : mapping of column to {"max", "min"}, or DataFrame, optional
            What is good: columns and directions; also for names that are not Python identifiers. "maximize",
            "maximise" and "higher" are understood as "max"; "minimize", "minimise" and "lower" as "min". Or a frame
            that is described: all its words are taken over.
        system : column or list of columns, optional
            What is compared; by default, the names of the rows. As every word: None takes away what was said before.
        item : column or list of columns, optional
            What it was measured on: tasks, questions, data sets.
        cluster : column or list of columns, optional
            Groups of items that are drawn together, such as the questions on one passage.
        repeat : column or list of columns, optional
            The same measurement again: a seed, an epoch, a fold.
        order : column, optional
            Order of evaluation in a search: rows are its candidates.
        validation, test : str, optional
            How the columns of validation and test scores begin or end, where an objective has two; by default
            ``val_`` and ``test_``.
        known : objective or list of objectives, optional
            Objectives without error, such as a list price.
        standard_error : mapping of objective to column, or str, optional
            Columns of standard errors, or the ending that their names add to the objective's, such as "_stderr".
        n : mapping of objective to column, or str, optional
            Columns of the numbers of items or runs behind means with standard errors.
        bounds : mapping of objective to (low, high), optional
            What a missing value may be.
        log : objective or list of objectives, optional
            Objectives on a logarithmic scale.
        show : column or list of columns, optional
            Columns that are printed beside results, such as a license; a text may be how their names begin.
        nan_policy : {"raise", "omit", "worst", "pairwise", "bounds"}, optional
            What functions do about missing values. They refuse them (default), leave rows out, count them as worse than
            everything, compare two systems on the items that both have, or answer for every value that they may have.
        **directions : {"max", "min"}
            Columns and directions as keywords: ``accuracy="max"``.

        Returns
        -------
        DataFrame
            The same rows, columns and dtypes with ``attrs["moo"]`` set. The frame itself is not changed.

        Raises
        ------
        ValueError
            For an unknown column, an unknown direction, or nothing that is said.
        TypeError
            For an objective that is not numeric, or a label that is not a string (such labels cannot be
            kept in ``attrs``; describe the table for a call instead: ``df.moo({0: "max"})``).

        Notes
        -----
        ``attrs`` survive slicing, ``query``, ``sort_values``, ``assign``, Parquet and pickle. They are lost
        in CSV files and when frames are merged, concatenated or pivoted; ``joined.moo.define(models)`` takes them over
        again.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "co2 kg": [3.0, 1.0]}, index=["a", "b"])
        >>> models = models.moo.define({"accuracy": "max", "co2 kg": "min"}, known="co2 kg")
        >>> models.attrs["moo"]
        {'objectives': {'accuracy': 'max', 'co2 kg': 'min'}, 'known': 'co2 kg'}
        """
        return define(
            self._frame,
            objectives,
            system=system,
            item=item,
            cluster=cluster,
            repeat=repeat,
            order=order,
            validation=validation,
            test=test,
            known=known,
            standard_error=standard_error,
            n=n,
            bounds=bounds,
            log=log,
            show=show,
            nan_policy=nan_policy,
            **directions,
        )


InPieces.moo = property(Moo, doc='The verbs as methods: ``table.moo(accuracy="max").copa()``.')


@overload
def moo(frame: pd.DataFrame, objectives: ObjectivesLike = None, /, **words: Any) -> PandasMoo: ...
@overload
def moo(frame: Frame, objectives: ObjectivesLike = None, /, **words: Any) -> Moo[Frame]: ...
def moo(frame: Any, objectives: ObjectivesLike = None, /, **words: Any) -> Moo[Any]:
    """Return what a table can be asked: ``frame.moo``, for frames of any library, editors and type checkers.

    Parameters
    ----------
    frame : DataFrame, a table of polars, pyarrow or duckdb, or one that is read in pieces
        The table.
    objectives : mapping of column to {"max", "min"}, or list of columns, optional
        Directions, for names that are not Python identifiers; or some of the objectives that are described.
    **words
        Directions as keywords, and what other columns are; see :meth:`define`.

    Returns
    -------
    Moo
        Every function as a method. Tables that it returns are of the library that `frame` is of; those of relations of
        DuckDB are Arrow tables, which ``duckdb.from_arrow`` makes relations of.

    Raises
    ------
    TypeError
        If `frame` is not a table.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> copa_nb.moo(models, accuracy="max", co2_kg="min").copa().best
    'b'
    """
    if not (isinstance(frame, pd.DataFrame) or is_foreign(frame) or is_lazy(frame)):
        checks.frame(frame)
    table = (PandasMoo if isinstance(frame, pd.DataFrame) else Moo)(frame)
    return table(objectives, **words) if objectives is not None or words else table
