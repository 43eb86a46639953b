"""Every verb, every explorer and every plot, called on a table drawn at random, with its results looked at."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import copa_nb
from copa_nb import plots, text
from copa_nb.results.note import Note
from tests import asked
from tests.fuzz import truth
from tests.fuzz.draw import Table, draw_table
from tests.fuzz.verbs import scored_twice
from tests.over_runs import over_runs
from tests.plot_functions import plot_functions

_PACKAGE = str(Path(copa_nb.__file__).parent)
_FEWEST_LETTERS = 20
PLOTS = plot_functions()


def _looked_at(result: Any) -> Any:
    """Look at a result in all ways that a notebook and a report do."""
    repr(result)
    if hasattr(result, "explain"):
        assert isinstance(result.explain(), str)
    if hasattr(result, "_repr_html_"):
        assert "<script>" not in result._repr_html_()
    if isinstance(result, pd.Series) or hasattr(result, "table"):
        shown = text.as_frame(result, "result")
        text.csv_text(shown)
        text.latex_text(shown, caption="caption", label="label")
        text.html_table(shown)
    return result


def _drawn(draw: Callable[[], Any]) -> Any:
    try:
        drawn = draw()
        plt.gcf().canvas.draw()
        return drawn
    finally:
        plt.close("all")


def _of_paths(result: Any, draw: Callable[[Any], Any]) -> Any:
    """Draw paths; with one objective there is none, but a note."""
    first = next(iter(result.values())) if isinstance(result, Mapping) else result
    return result if isinstance(first, Note) else draw(result)


def _plotted(name: str, make: Callable[[Table], Any]) -> Callable[[Table], Any]:
    """A call of the plot by this name, of what is made of the table."""
    return lambda t: _drawn(lambda: _of_paths(make(t), PLOTS[name]))


def _paged(result: Any) -> Any:
    page = result.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    plt.close("all")
    return result


def _in_threads(call: Callable[[Table], Any], t: Table) -> Any:
    """What a call answers in four threads at once, which must be what it answers alone."""
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(call, t) for _ in range(4)]
    alone = call(t)
    for answer in waiting:
        assert _content(answer.result()) == _content(alone)
    return alone


def _content(answer: Any) -> list[str]:
    """What a result says and holds; a page is compared as it is."""
    if isinstance(answer, str):
        return [answer]
    return [repr(answer), answer.explain(), text.csv_text(answer.table)]


def _explored(explorer: Any) -> Any:
    if isinstance(explorer, Note):  # with one objective there is nothing to explore
        return explorer
    with explorer:
        assert "<script>" not in explorer.to_html()
    plt.close("all")
    return explorer


def _closed(panel: Any) -> Any:
    assert panel.settings.source.frame is not None
    panel.close()
    return panel


def _first_two(t: Table) -> list[Any]:
    """Two systems of the table, if it has as many."""
    try:
        values = t.frame[t.system] if t.system in t.frame.columns else t.frame.index.get_level_values(t.system)
        return [*dict.fromkeys(values.tolist()), "A", "B"][:2]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):  # pandas cannot look the name up either
        return ["A", "B"]


def _test(t: Table, **options: Any) -> Any:
    new, baseline = _first_two(t)
    settings = {"n_resamples": 30, "objectives": t.objectives, "nan_policy": t.nan_policy} | options
    return asked.hv_test(t.frame, system=t.system, repeat=t.seed, new=new, baseline=baseline, **settings)


def _audit(t: Table, **options: Any) -> Any:
    return asked.audit(
        t.frame, system=t.system, repeat=t.seed, objectives=t.objectives, n_resamples=20, progress=False, **options
    )


def _gsd_front(t: Table) -> Any:
    return asked.gsd_front(
        t.frame, system=t.system, item=t.seed, objectives=t.objectives, ordinal=list(t.objectives or ())[1:],
        nan_policy=t.nan_policy, progress=False,
    )  # fmt: skip


def _gsd_test(t: Table) -> Any:
    front = _gsd_front(t)
    return front.test(front.systems[0], n_resamples=10)


def _posets(t: Table) -> Any:
    return asked.posets(t.frame, system=t.seed, item=t.system, objectives=t.objectives, nan_policy=t.nan_policy)


def _gap(t: Table, **options: Any) -> Any:
    return asked.gap(t.paired, objectives=t.stems, nan_policy=t.nan_policy, **options)


def _copa(t: Table, **options: Any) -> Any:
    return asked.copa(t.frame, objectives=t.objectives, **({"nan_policy": t.nan_policy} | options))


def _navigate(t: Table) -> Any:
    return _copa(t).navigate(next(iter(t.objectives)), importances=4)


def _navigate_groups(t: Table) -> Any:
    return _copa(t, by=t.system).each("navigate", next(iter(t.objectives)), importances=4)


def _compare(t: Table) -> Any:
    return asked.copa(t.frame, objectives=t.objectives).criteria(["mean", 1, "inf", "minmax"])


def _mean_ranks(t: Table, **options: Any) -> Any:
    return asked.mean_ranks(
        t.frame, system=t.seed, item=t.system, objectives=t.objectives, nan_policy=t.nan_policy, **options
    )


def _power(t: Table) -> Any:
    return _test(t).power(n_runs=(2, 3), n_simulations=20)


def _both(a: Any) -> Any:
    return a.compare(a)


CALLS: dict[str, Callable[[Table], Any]] = {
    "define": lambda t: t.frame.moo.define(t.objectives).moo.front(),
    "front": lambda t: asked.front(t.frame, objectives=t.objectives),
    "front, first": lambda t: asked.front(t.frame, objectives=t.objectives, keep="first", nan_policy=t.nan_policy),
    "front, policy": lambda t: asked.front(t.frame, objectives=t.objectives, nan_policy=t.nan_policy),
    "front, bound": lambda t: asked.front(t.frame.moo(t.objectives), nan_policy=t.nan_policy),
    "layers(1)": lambda t: asked.layers(t.frame, 1, objectives=t.objectives),
    "layers": lambda t: asked.layers(t.frame, objectives=t.objectives, nan_policy=t.nan_policy),
    "front, by": lambda t: asked.front(t.frame, objectives=t.objectives, by=t.system, nan_policy=t.nan_policy),
    **{
        f"normalize, {how}": lambda t, how=how: asked.normalize(
            t.frame, objectives=t.objectives, method=how, nan_policy=t.nan_policy
        )
        for how in ("cdf", "minmax", "relative", "none")
    },
    "hypervolume": lambda t: _looked_at(asked.hypervolume(t.frame, objectives=t.objectives, nan_policy=t.nan_policy)),
    "hypervolume, by": lambda t: _looked_at(asked.hypervolume(t.frame, objectives=t.objectives, by=t.system)),
    "copa": lambda t: _looked_at(_copa(t)),
    "copa, p = 2": lambda t: _looked_at(_copa(t, p=2, nan_policy="worst")),
    "copa, p = 1, min-max": lambda t: _looked_at(_copa(t, p=1, normalize="minmax")),
    "copa, weighted": lambda t: _looked_at(_copa(t, weights={next(iter(t.objectives)): 0.7})),
    "copa, by": lambda t: _looked_at(_copa(t, by=t.system)),
    "copa, by two": lambda t: _looked_at(_copa(t, by=[t.system, t.seed])),
    "copa, where": lambda t: _looked_at(_copa(t, where=np.arange(len(t.frame)) % 2 == 0)),
    "copa, where in words": lambda t: _looked_at(_copa(t, where=f"`{next(iter(t.objectives))}` >= 1")),
    "copa, frozen": lambda t: _looked_at(
        _copa(t, reference=copa_nb.Reference.fit(t.frame, objectives=t.objectives, nan_policy="worst"))
    ),
    "navigate": lambda t: _looked_at(_navigate(t)),
    "navigate, by": lambda t: _looked_at(_navigate_groups(t)),
    "compare": lambda t: _looked_at(_compare(t)),
    "stability": lambda t: _looked_at(_copa(t).stability(n_resamples=5)),
    "stability of seeds": lambda t: _looked_at(
        over_runs(
            t.frame, objectives=t.objectives, nan_policy=t.nan_policy, system=t.system, repeat=t.seed, n_resamples=5
        )
    ),
    "sensitivity": lambda t: _looked_at(_copa(t).sensitivity(n_weights=50)),
    "rank_intervals": lambda t: _copa(t).rank_intervals(),
    "Reference": lambda t: _looked_at(copa_nb.Reference.fit(t.frame, objectives=t.objectives)).place(t.frame),
    "preferences": lambda t: _looked_at(
        copa_nb.results.Preferences.from_statements(
            copa_nb.moo(t.frame, t.objectives).description["objectives"],
            " counts 3x ".join(map(str, [*t.objectives, *t.objectives][:2])),
        )
    ),
    "mean_ranks": lambda t: _looked_at(_mean_ranks(t)),
    "gap": lambda t: _looked_at(_gap(t)),
    "gap, test": lambda t: _looked_at(copa_nb.moo(scored_twice(t.frame), t.objectives).gap()),
    "gap, by": lambda t: _looked_at(_gap(t, by=t.system)),
    "gap, repeats": lambda t: _looked_at(_gap(t, repeat=t.seed)),
    "gap_budgets": lambda t: _looked_at(asked.gap(t.paired, objectives=t.stems).budgets((1, 2, 5))),
    "gap_budgets, policy": lambda t: _looked_at(
        asked.gap(t.paired, objectives=t.stems, order=t.seed, nan_policy=t.nan_policy).budgets((1, 3))
    ),
    "overtuning": lambda t: _drawn(lambda: _looked_at(asked.gap(t.paired, objectives=t.stems).overtuning()).plot()),
    "compare_gaps": lambda t: _looked_at(_both(_gap(t))),
    "compare_gaps, repeats": lambda t: _looked_at(_both(_gap(t, repeat=t.seed))),
    "hv_test": lambda t: _looked_at(_test(t)),
    "hv_test, paired": lambda t: _looked_at(_test(t, paired=True)),
    "hv_test, means": lambda t: _looked_at(_test(t, unit="mean")),
    "recommended_report": lambda t: _looked_at(_test(t).reporting()),
    "audit": lambda t: _looked_at(_audit(t)),
    "power": lambda t: _looked_at(_power(t)),
    "gsd_front": lambda t: _looked_at(_gsd_front(t)),
    "gsd_test": lambda t: _looked_at(_gsd_test(t)),
    "posets": lambda t: _looked_at(_posets(t)),
    "depth": lambda t: _looked_at(_posets(t).depth()),
    "consensus": lambda t: _looked_at(_posets(t).consensus()),
    "review_suite": lambda t: _looked_at(_posets(t).review()),
    "explore": lambda t: _explored(asked.explore(t.frame, objectives=t.objectives, nan_policy=t.nan_policy)),
    "panel": lambda t: _closed(copa_nb.panel(t.frame, objectives=t.objectives)),
    "elicit": lambda t: _explored(asked.copa(t.frame, objectives=t.objectives, nan_policy=t.nan_policy).elicit()),
    "explore_gap": lambda t: _explored(asked.gap(t.paired, objectives=t.stems, nan_policy=t.nan_policy).explore()),
    "explore_posets": lambda t: _explored(_posets(t).explore()),
    "explore_test": lambda t: _explored(_test(t).explore()),
    "page of a choice": lambda t: _paged(_copa(t)),
    "page of choices by group": lambda t: _paged(_copa(t, by=t.system)),
    "page of a path": lambda t: _of_paths(_navigate(t), _paged),
    "page of a gap": lambda t: _paged(_gap(t)),
    "page of a test": lambda t: _paged(_test(t)),
    "page of an audit": lambda t: _paged(_audit(t)),
    "page of depths": lambda t: _paged(_posets(t).depth()),
    "choices in threads": lambda t: _in_threads(_copa, t),
    "pages in threads": lambda t: _in_threads(lambda u: _copa(u).to_html(), t),
    "gaps in threads": lambda t: _in_threads(_gap, t),
    "audits in threads": lambda t: _in_threads(_audit, t),
    "depths in threads": lambda t: _in_threads(lambda u: _posets(u).depth(), t),
    "plot_front": lambda t: _drawn(lambda: plots.plot_front(t.frame, objectives=t.objectives)),
    "plot_parallel": lambda t: _drawn(lambda: plots.plot_parallel(t.frame, objectives=t.objectives)),
    "plot_ecdf": lambda t: _drawn(lambda: PLOTS["plot_ecdf"](t.frame, objectives=t.objectives)),
    "plot_ecdf_figure": lambda t: _drawn(lambda: PLOTS["plot_ecdf_figure"](t.frame, objectives=t.objectives)),
    "plot_pairs": lambda t: _drawn(lambda: PLOTS["plot_pairs"](t.frame, objectives=t.objectives)),
    "plot_paths": lambda t: _drawn(
        lambda: _of_paths(_navigate_groups(t), lambda paths: PLOTS["plot_paths"](paths, at=[0.5], key=True))
    ),
    "plot_front of a path": _plotted("plot_front", _navigate),
    "plot_hypervolume": _plotted("plot_hypervolume", lambda t: asked.hypervolume(t.frame, objectives=t.objectives)),
    "plot_selection": _plotted("plot_selection", _copa),
    "plot_stability": _plotted("plot_stability", lambda t: _copa(t).stability(n_resamples=5)),
    "plot_weights": _plotted("plot_weights", lambda t: _copa(t).sensitivity(n_weights=50)),
    "plot_barcode": _plotted("plot_barcode", _navigate),
    "plot_sweep": _plotted("plot_sweep", _navigate_groups),
    "plot_agreement": _plotted("plot_agreement", _compare),
    "plot_bump": _plotted("plot_bump", _compare),
    "plot_ccdf": _plotted("plot_ccdf", _mean_ranks),
    "plot_critical_difference": _plotted("plot_critical_difference", lambda t: _mean_ranks(t).friedman()),
    "plot_scaled_performance": _plotted("plot_scaled_performance", lambda t: _mean_ranks(t, baseline=0)),
    "plot_gap": _plotted("plot_gap", _gap),
    "plot_gap_budget": _plotted(
        "plot_gap_budget", lambda t: asked.gap(t.paired, objectives=t.stems).budgets((1, 2, 5))
    ),
    "plot_gap_repeats": _plotted("plot_gap_repeats", lambda t: _gap(t, repeat=t.seed)),
    "plot_gap_comparison": _plotted("plot_gap_comparison", lambda t: _both(_gap(t))),
    "plot_verdicts": _plotted("plot_verdicts", lambda t: _both(_gap(t, repeat=t.seed))),
    "plot_null_distribution": _plotted("plot_null_distribution", _test),
    "plot_audit": _plotted("plot_audit", _audit),
    "plot_power": _plotted("plot_power", _power),
    "plot_gsd_front": _plotted("plot_gsd_front", _gsd_front),
    "plot_gsd_test": _plotted("plot_gsd_test", _gsd_test),
    "plot_gsd_robustness": _plotted("plot_gsd_robustness", _gsd_test),
    "plot_depth": _plotted("plot_depth", lambda t: _posets(t).depth()),
    "plot_pair_counts": _plotted("plot_pair_counts", _posets),
    "plot_hasse": _plotted("plot_hasse", lambda t: _posets(t).intersection),
    "plot_hasse_figure": _plotted("plot_hasse_figure", _posets),
}


# A page, or four threads, cost as much as dozens of other calls; they are drawn less often than those.
_WEIGHTS = np.array([0.25 if re.match("page of|explore|elicit|.* in threads", name) else 1.0 for name in CALLS])


def fault(seed: int, number: int) -> tuple[str, Table, str | None]:
    """Make one call: its name, its table, and what was wrong with it, or None.

    A call may answer or refuse: with a ``ValueError`` or ``TypeError`` that the package itself raised and that names
    an argument. Its input may not change, no warning of other packages may be seen, and fronts have to be those of the
    definition.
    """
    rng = np.random.default_rng([seed, number])
    name = str(rng.choice([*CALLS], p=_WEIGHTS / _WEIGHTS.sum()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = draw_table(rng)
    before = table.frame.copy(deep=True), table.paired.copy(deep=True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        # A label without a glyph in the font is drawn as a box; that is the font's matter.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        try:
            answer = CALLS[name](table)
            wrong = _wrong(name, answer, table)
        except (ValueError, TypeError) as refusal:
            wrong = _unclear(refusal)
        except Exception:
            wrong = traceback.format_exc(limit=-6)
        finally:
            plt.close("all")
    foreign = [w for w in warned if not w.category.__module__.startswith("copa_nb")]
    if wrong is None and foreign:
        wrong = (
            f"warns: {foreign[0].category.__name__}: {foreign[0].message} ({foreign[0].filename}:{foreign[0].lineno})"
        )
    if wrong is None and not all(
        old.equals(new) and old.index.equals(new.index) and (old.dtypes == new.dtypes).all()
        for old, new in zip(before, (table.frame, table.paired), strict=True)
    ):
        wrong = "the table was changed"
    return name, table, wrong


def _unclear(refusal: Exception) -> str | None:
    frames = traceback.extract_tb(refusal.__traceback__)
    trace = "".join(traceback.format_exception(refusal, limit=-6))
    if not frames[-1].filename.startswith(_PACKAGE):
        return f"not raised by the package: {trace}"
    said = str(refusal)
    if len(said) < _FEWEST_LETTERS or not re.search(r"`|objective|\w=", said):
        return f"unclear: {trace}"
    return None


def _wrong(name: str, answer: Any, table: Table) -> str | None:
    """Hold a front against the definition, pair by pair and exact, where the table has an order."""
    if name not in ("front", "layers(1)", "layers", "define", "front, bound"):
        return None
    meant = {column: "max" if way in ("max", "maximize", "maximize", "higher") else "min"
             for column, way in table.objectives.items()}  # fmt: skip
    fronts = truth.fronts(table.frame, meant)
    if not fronts:
        return None
    if name in ("layers", "layers(1)"):
        marked = [bool(layer == 1) if not pd.isna(layer) else False for layer in answer.tolist()]
    else:
        counts = [sum(front) for front in fronts]
        return None if len(answer) in counts else f"the front has {len(answer)} rows, by definition {counts}"
    return None if marked in fronts else f"the front is {marked}, by definition {fronts}"
