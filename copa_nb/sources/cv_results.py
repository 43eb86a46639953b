"""scikit-learn: the candidates of a search over hyper-parameters, and a rule for its ``refit=``."""

from __future__ import annotations

__all__ = ["from_cv_results", "refit"]

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described, given_directions, plain
from copa_nb.sources.formats import source
from copa_nb.tables.description import words_among
from copa_nb.tables.objectives import Objectives, spelled

_MEAN, _NEGATED = "mean_test_", "neg_"
_TIMES = ("mean_score_time", "mean_fit_time")
_OPTIONS = ("p", "weights", "where", "normalize")
_SPLIT = re.compile(r"split(\d+)_test_")


@source("a scikit-learn search", directions="every scorer is maximized", library="sklearn")
@shared_parameters
def from_cv_results(search: Any, *, splits: bool = False, objectives: Mapping[Any, str] | None = None) -> pd.DataFrame:
    """Make a table of a fitted scikit-learn search: one row per candidate, one column per scorer.

    Every scorer is to be maximized: scikit-learn negates losses. Times are columns, but not objectives, because they
    vary from run to run; name them where you want them: ``objectives={"roc_auc": "max", "mean_score_time": "min"}``.

    Parameters
    ----------
    search : fitted search or mapping
        A GridSearchCV, a RandomizedSearchCV, a halving search, or its ``cv_results_``.
    splits : bool
        Whether to make one row per candidate and split, in a column "split", for ``hv_test`` or ``stability``.
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Indexed by the candidate's parameters. The mean score of each scorer bears its name ("score" if there is only
        one); ``mean_score_time``, ``mean_fit_time``, ``std_test_*`` and ``param_*`` are as in ``cv_results_``.
        Candidates whose fits failed are left out, as are the earlier iterations of a halving search, which had fewer
        resources; both are counted in a :class:`~copa_nb.tables.objectives.RowsOmittedWarning` and in
        ``attrs["notes"]``.

    Raises
    ------
    TypeError
        For anything but a fitted search or its ``cv_results_``.

    See Also
    --------
    refit : make the search itself choose by several objectives.

    Examples
    --------
    >>> import copa_nb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 3]}, scoring=["accuracy", "neg_log_loss"], refit=False)
    >>> copa_nb.from_cv_results(search.fit(*load_iris(return_X_y=True)))[["accuracy", "neg_log_loss"]].round(3)
                 accuracy  neg_log_loss
    candidate
    max_depth=1     0.667        -0.462
    max_depth=3     0.960        -0.792
    """
    results = _results(search)
    table, kept, left_out = _candidates(results)
    scorers = [name for name in _scorers(results) if name in table.columns]
    if splits:
        table = _by_split(results, table, kept, scorers)
    return described(
        table,
        dict.fromkeys(scorers, "max"),
        name=f"scikit-learn's {'cv_results_' if isinstance(search, Mapping) else type(search).__name__}",
        left_out=left_out,
        rows="candidates",
        repeated=splits,
        words={"show": "param_"},
        objectives=objectives,
    )


@dataclass(frozen=True)
class Refit:
    """A rule for scikit-learn's ``refit=``: the candidate that COPA selects; made by :func:`refit`.

    Parameters
    ----------
    objectives : dict of column to {"max", "min"}
        Scorers and times; all scorers if empty.
    options : dict
        Of ``df.moo.copa()``, and words of the description, such as ``nan_policy``.
    """

    objectives: dict[Any, str]
    options: dict[str, Any]

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return ``best_index_``."""
        table, kept, _ = _candidates(_results(cv_results))
        scorers = _scorers(cv_results)
        named = {str(name).removeprefix(_MEAN): direction for name, direction in self.objectives.items()}
        columns = [*scorers, *(time for time in _TIMES if time in table.columns)]
        objectives = given_directions(named, {}, columns, source="`cv_results_`", required=False)
        objectives = objectives or dict.fromkeys(scorers, "max")
        # As scikit-learn itself does: a candidate without a score is never the best.
        measured = table[list(objectives)].notna().all(axis="columns").to_numpy()
        if not measured.any():
            raise ValueError("`refit` has no candidate to choose from, because every candidate lacks a score.")
        words, options = words_among(self.options)
        choice = cast(Any, table[measured]).moo(objectives, **words).copa(**options)
        return int(kept[measured][choice.position])


def refit(objectives: Mapping[str, str] | None = None, /, **options: Any) -> Refit:
    """Make a rule for scikit-learn's ``refit=`` that selects by several objectives, with COPA.

    Parameters
    ----------
    objectives : mapping of str to {"max", "min"}, optional
        Scorers, and ``mean_score_time`` or ``mean_fit_time``, for names that are not identifiers. By default all
        scorers.
    **options
        Objectives as keywords, ``roc_auc="max"``, and options of ``df.moo.copa()``:
        ``p``, ``weights``, ``where``, ``normalize``.

    Returns
    -------
    Refit
        To be called with ``cv_results_``; returns ``best_index_``. It can be pickled and copied.

    Raises
    ------
    ValueError
        For an unknown direction, or a negated loss that is to be minimized.

    Notes
    -----
    Halving searches of scikit-learn ignore what ``refit=`` returns: they keep the candidate with the best score.
    Call the rule with their ``cv_results_`` instead: it chooses among the candidates of the last iteration.
    With several scorers and a rule as ``refit=``, scikit-learn cannot tell which of them ``search.score`` means: name
    one where the search itself is scored, ``cross_val_score(search, X, y, scoring="roc_auc")``.

    See Also
    --------
    from_cv_results : the table that the choice is made from.

    Examples
    --------
    >>> import copa_nb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rule = copa_nb.refit(accuracy="max", neg_log_loss="max", weights={"neg_log_loss": 0.3})
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 2, 3]}, scoring=["accuracy", "neg_log_loss"], refit=rule)
    >>> search.fit(*load_iris(return_X_y=True)).best_params_
    {'max_depth': 3}
    """
    given = spelled(objectives, {k: v for k, v in options.items() if k not in _OPTIONS})
    if given:
        given = Objectives.of(given, "refit").to_dict()
    for name, direction in given.items():
        if str(name).removeprefix(_MEAN).startswith(_NEGATED) and direction == "min":
            raise ValueError(f'`{name}` is "min", but scikit-learn negates this loss; use "max".')
    return Refit(given, {name: value for name, value in options.items() if name in _OPTIONS})


def _results(search: Any) -> Mapping[str, Any]:
    results = getattr(search, "cv_results_", search)
    if not isinstance(results, Mapping) or "params" not in results or not _scorers(results):
        unfitted = "; fit it first" if hasattr(search, "fit") else ""
        raise TypeError(
            f"`search` must be a fitted search of scikit-learn or its `cv_results_`, not {type(search).__name__}"
            f"{unfitted}."
        )
    return _checked_lengths(results)


def _checked_lengths(results: Mapping[str, Any]) -> Mapping[str, Any]:
    count = len(results["params"])
    for name in (name for name in results if name in _TIMES or _MEAN in name or _SPLIT.match(name)):
        if len(results[name]) != count or not count:
            raise ValueError(f"`search` has {len(results[name])} values of {name!r} for {count} candidates.")
    return results


def _scorers(results: Mapping[str, Any]) -> list[str]:
    return [name.removeprefix(_MEAN) for name in results if name.startswith(_MEAN)]


def _candidates(results: Mapping[str, Any]) -> tuple[pd.DataFrame, np.ndarray, dict[str, int]]:
    """Return the table, the position of each of its rows in the results, and what was left out."""
    scorers, params = _scorers(results), list(results["params"])
    table = pd.DataFrame({name: np.asarray(results[f"{_MEAN}{name}"], dtype=float) for name in scorers})
    others = [name for name in results if name in _TIMES or name.startswith(("std_test_", "mean_train_"))]
    table = table.assign(**{name: np.asarray(results[name]) for name in others})
    names = dict.fromkeys(name for candidate in params for name in candidate)
    table = table.assign(**{f"param_{name}": [plain(candidate.get(name)) for candidate in params] for name in names})
    table.index = pd.Index([_label(candidate) for candidate in params], name="candidate")
    iteration = np.asarray(results.get("iter", np.zeros(len(table))))
    last = iteration == iteration.max()
    measured = table[scorers].notna().any(axis="columns").to_numpy()
    left_out = {"of earlier iterations": int((~last).sum()), "failed": int((last & ~measured).sum())}
    kept = np.flatnonzero(last & measured)
    return table.iloc[kept], kept, left_out


def _by_split(results: Mapping[str, Any], table: pd.DataFrame, kept: np.ndarray, scorers: list[str]) -> pd.DataFrame:
    numbers = sorted({int(found[1]) for name in results if (found := _SPLIT.match(name))})
    if not numbers:
        raise ValueError("`splits` is True, but `search` has no scores of single splits; use splits=False.")
    settings = table[[name for name in table.columns if str(name).startswith("param_")]]
    parts = [
        settings.assign(
            split=number, **{name: np.asarray(results[f"split{number}_test_{name}"])[kept] for name in scorers}
        )
        for number in numbers
    ]
    return pd.concat(parts)[[*scorers, "split", *settings.columns]]


def _label(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={plain(value)}" for name, value in params.items()) or "default"
