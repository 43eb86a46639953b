"""Described once, or said for each call: the same answer to every verb, bit for bit, for tables of every library.

Which verbs a table can be asked is what ``df.moo`` prints; each of them is asked, and none is skipped unseen. Where a
table lacks what a verb needs, an objective that is a cost, both ways must refuse in the same words.
"""

import functools
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.accessor import VERBS
from copa_nb.results import Selection
from copa_nb.results.sentences import explained

LIBRARIES = ("pandas", "polars", "duckdb", "pyarrow", "scan")
LONG_DEPTHS = ("bbob", "deepobs", "moea")
# A search in pieces keeps its fronts, which do not say what the others lost from validation to test.
WITHOUT_ROWS = ("gap",)
# What a table in pieces cannot be asked: it needs all rows at once, or means of systems.
NEEDS_ROWS = (
    "layers", "plot", "explore", "cheaper", "mean_ranks", "posets", "gsd_front", "attainment", "audit",
    "pass_k",
)  # fmt: skip
NEEDS_MEANS = ("front", "normalize", "hypervolume", "copa")
# What verbs need besides the description, and fewer draws.
SIDES = ("compare", "hv_test")
OPTIONS = {
    "board": {"n_resamples": 200}, "confident_front": {"n_resamples": 200}, "audit": {"n_resamples": 100},
    "hv_test": {"n_resamples": 100}, "pass_k": {"k": 2},
}  # fmt: skip


def _some(frame, column, n):
    return frame[frame[column].isin(frame[column].unique()[:n])]


def _complete(frame, system, item):
    counts = frame.groupby(item)[system].nunique()
    return frame[frame[item].isin(counts.index[counts == counts.max()])]


def _amlb():
    hour = datasets.load_amlb(problem_type="binary", time_limit="1h")
    some = _complete(_some(hour, "framework", 5), "framework", "task")
    return _some(some, "task", 12)


def _runs_of_a_search():
    runs = datasets.load_german_credit_runs()
    return _some(_some(runs, "seed", 3), "configuration", 40)


def _incomplete_boards():
    return _some(datasets.load_mteb(), "model", 6).moo.define(nan_policy="pairwise")


def _bbob():
    reached = datasets.load_bbob().query("ert < inf")
    return reached.pipe(_some, "optimizer", 4).pipe(_complete, "optimizer", "function")


# Parts of bundled tables: every description that data sets have, and few rows.
DATA = {
    "acs_income": lambda: datasets.load_acs_income().head(30),
    "adult": lambda: datasets.load_adult_fairgrad().head(30),
    "agents": lambda: _some(datasets.load_agents(), "system", 4),
    "amlb": _amlb,
    "bbob": _bbob,
    "deepobs": datasets.load_deepobs,
    "domainbed": datasets.load_domainbed,
    "fairness": lambda: datasets.load_german_credit_fairness().head(30),
    "german_credit": _runs_of_a_search,
    "leaderboard": lambda: datasets.load_open_llm_leaderboard().head(30).moo.define(ifeval="max", co2_kg="min"),
    "moea": lambda: _some(_some(datasets.load_moea(), "algorithm", 3), "problem", 8),
    "mteb": lambda: _some(datasets.load_mteb(complete=True), "model", 5),
    "mteb with gaps": _incomplete_boards,
    "cityscapes": datasets.load_mtl_cityscapes,
    "qm9": lambda: datasets.load_mtl_qm9().moo.define(mu="min", alpha="min", cv="min"),
    "openml": lambda: _some(datasets.load_openml_forest_and_tree(), "row", 10),
    "pmlb": lambda: _some(_some(datasets.load_pmlb_robustness(), "classifier", 3), "dataset", 8),
    "classifiers": lambda: _some(_some(datasets.load_uci_classifiers(), "classifier", 4), "dataset", 10),
}


@functools.cache
def described(name):
    """A table whose rows are numbered, with all that it says of them in its description."""
    table = DATA[name]()
    if table.index.name is None:
        return table.reset_index(drop=True)
    return table.reset_index().moo.define(system=table.index.name)


def plain(name):
    """The same table, which says nothing."""
    table = described(name)
    return pd.DataFrame({column: table[column].to_numpy() for column in table.columns})


def applicable(moo):
    """The verbs that a table can be asked, as it prints them."""
    lines = repr(moo).rstrip(">").partition("\n not here ")[0].splitlines()[2:]
    return [verb for line in lines for verb in re.findall(r"\w+", line) if verb in VERBS]


def ask(moo, verb, systems):
    """Ask a verb; of two systems where it compares such, and of a cost where only one can be lower."""
    sides = systems[:2] if verb in SIDES else ()
    options = OPTIONS.get(verb, {})
    costs = [name for name, way in moo.description["objectives"].items() if way == "min"]
    if verb == "cheaper" and costs:
        options = {"cost": costs[0]}
    with copa_nb.options(progress=False):
        return getattr(moo, verb)(*sides, **options)


def systems_of(name):
    table = described(name)
    system = table.moo.description.get("system")
    return [] if system is None else table[system].unique().tolist()


def said(moo, verb, name, *, briefly=False):
    """Everything that an answer says, as values that can be compared exactly; or why there is none."""
    try:
        answer = ask(moo, verb, systems_of(name))
    except (ValueError, TypeError) as error:
        return f"refused: {error}"
    if briefly and hasattr(answer, "explain"):
        return repr(answer), "" if verb in WITHOUT_ROWS or _simulates(answer) else _of_the_front(answer)
    return shown(answer)


def _of_the_front(answer):
    """What a result says; of a choice without its runner-up, which a table in pieces need not have kept."""
    if not isinstance(answer, Selection):
        return answer.explain()
    return explained(one for one in answer.parts() if not one["say"].startswith("choice.reasons.against"))


def shown(answer):
    """Everything that an answer says, as values that can be compared exactly."""
    if isinstance(answer, plt.Axes):
        drawn = [line.get_xydata() for line in answer.lines]
        drawn += [np.asarray(one.get_offsets()) for one in answer.collections]
        plt.close(answer.figure)
        return [tuple(map(tuple, one)) for one in drawn]
    if hasattr(answer, "export_html"):
        scene = answer.scene
        answer.close()
        return scene
    if hasattr(answer, "explain"):
        return repr(answer), answer.to_json(), "" if _simulates(answer) else answer.explain()
    if hasattr(answer, "items") and not isinstance(answer, pd.DataFrame | pd.Series):
        return [(label, shown(one)) for label, one in answer.items()]
    return values_of(answer)


def _simulates(answer):
    """Whether the words of an answer need simulated tables, which would take most of the time."""
    return isinstance(answer, copa_nb.results.Comparison)


def values_of(table):
    """A table of any library, with its row names as columns."""
    if not isinstance(table, pd.DataFrame | pd.Series):
        table = table.df() if hasattr(table, "df") else table.to_pandas()
    if isinstance(table, pd.Series):  # of other libraries, without names of rows
        return table.tolist()
    flat = table if table.index.name is None else table.reset_index()
    columns = {str(column): flat[column] for column in sorted(flat.columns, key=str)}
    return {name: values.astype(object).where(values.notna(), None).tolist() for name, values in columns.items()}


@functools.cache
def said_once(name, verb, *, briefly=False):
    return said(described(name).moo, verb, name, briefly=briefly)


def said_per_call(name, library, folder):
    """The table that says nothing, in one of the libraries, with all words said where it is asked."""
    table, words = plain(name), dict(described(name).moo.description)
    objectives = words.pop("objectives")
    if library == "scan":
        table.to_parquet(folder / "table.parquet", index=False)
        table = copa_nb.scan(folder / "table.parquet")
    elif library == "polars":
        table = pytest.importorskip("polars").from_pandas(table)
    elif library == "pyarrow":
        table = pytest.importorskip("pyarrow").Table.from_pandas(table, preserve_index=False)
    elif library == "duckdb":
        table = pytest.importorskip("duckdb").from_df(table)
    return copa_nb.moo(table, objectives, **words)


def _cases():
    """All tables of all libraries; each library, and each table but those of long depths, is among the fast tests."""
    for row, name in enumerate(DATA):
        for column, library in enumerate(LIBRARIES):
            is_quick = (row + column) % len(LIBRARIES) == 0 and name not in LONG_DEPTHS
            yield pytest.param(name, library, marks=[] if is_quick else [pytest.mark.slow])


@pytest.mark.parametrize(("name", "library"), list(_cases()))
def test_said_once_and_said_per_call_are_the_same(name, library, tmp_path):
    moo = said_per_call(name, library, tmp_path)
    assert moo.description == described(name).moo.description
    verbs, in_pieces = applicable(described(name).moo), library == "scan"
    # Which cells are missing of a table in pieces, only a pass would show.
    assert {*verbs} <= {*applicable(moo)} if in_pieces else verbs == applicable(moo)
    for verb in verbs:
        # A table in pieces keeps the rows that matter only, and says the same of them.
        found = said(moo, verb, name, briefly=in_pieces)
        if in_pieces and (verb in NEEDS_ROWS or (verb in NEEDS_MEANS and {"item", "repeat"} & moo.description.keys())):
            assert re.search("read in pieces|needs the whole table", str(found)), verb
        else:
            assert found == said_once(name, verb, briefly=in_pieces), verb


@pytest.mark.slow
def test_every_verb_is_asked_of_enough_tables():
    pairs = {(verb, name) for name in DATA for verb in applicable(described(name).moo)}
    answered = {(verb, name) for verb, name in pairs if not str(said_once(name, verb)).startswith("refused")}
    assert len(DATA) >= 15
    assert {verb for verb, _ in answered} == {*VERBS} - {"pass_k"}, "which needs attempts that succeed or fail"
    assert len(pairs) >= 175
    assert {verb for verb, _ in pairs - answered} <= {"cheaper"}, "no objective is a cost"
