import inspect
import itertools
import subprocess
import sys

import pandas as pd
import pytest

import copa_nb
from copa_nb import overview
from copa_nb.accessor import VERBS, ByGroup, Moo
from copa_nb.tables.description import WORDS
from tests import everything

MODELS = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "co2": [3.0, 1.0, 2.0]}, index=list("abc"))
HEAVY = ("seaborn", "matplotlib.pyplot", "papermill", "nbconvert", "ipywidgets", "numba", "scipy.stats", "sklearn")


def test_a_question_is_a_method_and_nothing_else():
    assert len(VERBS) == 19
    for name in VERBS:
        assert name not in copa_nb.__all__
        with pytest.raises(AttributeError, match=rf"ask it of a table, copa_nb\.moo\(frame, \.\.\.\)\.{name}\("):
            getattr(copa_nb, name)


@pytest.mark.parametrize("word", [*WORDS, "objectives", "by"])
def test_words_are_said_of_the_table(word):
    """What is no option of a verb is refused with the line to write."""
    for name in VERBS:
        if name == "plot" or word in inspect.signature(getattr(Moo, name)).parameters:
            continue
        given = {"objectives": {"acc": "max"}}.get(word, "acc")
        with pytest.raises(TypeError, match=rf"said of the table: df\.moo\(.*\)\.{name}|df\.moo\.by\(columns"):
            getattr(MODELS.moo, name)(**{word: given})


def test_groups_are_asked_alike():
    frame = MODELS.assign(kind=list("xxy"))
    groups = frame.moo(acc="max").by("kind")
    assert isinstance(groups, ByGroup)
    assert {*dir(groups)} == {*VERBS}
    assert groups.copa().collect("best").to_dict() == {"x": "a", "y": "c"}
    assert groups.front().index.tolist() == ["a", "c"]


def test_a_column_named_moo_does_not_hide_the_accessor():
    frame = MODELS.assign(moo=1.0)
    assert len(frame.moo(acc="max").front()) == 1


def test_bound_view_leaves_the_frame_alone():
    view = MODELS.moo(acc="max", co2="min")
    assert view.front().index.tolist() == ["a", "b"]
    assert MODELS.attrs == {}
    assert repr(view).startswith("<moo: 3 rows\n acc ↑, co2 ↓\n choose ")
    assert "no objectives defined" in repr(MODELS.moo)


def test_importing_loads_nothing_heavy():
    code = f"import sys, copa_nb; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_public_is_documented():
    for name, member in everything.public().items():
        assert member.__doc__, f"{name} has no docstring"


def test_directions_may_be_bound_in_any_form():
    objectives = copa_nb.results.Objectives.of({"acc": "max"})
    assert MODELS.moo(objectives).front().index.tolist() == ["a"]
    assert MODELS.moo({"acc": "min"}, co2="min").front().index.tolist() == ["b", "c"]
    assert MODELS.moo.define(acc="min").moo().front().index.tolist() == ["c"]
    # What is said last wins.
    assert MODELS.moo(acc="max")(acc="min").front().index.tolist() == ["c"]
    assert MODELS.moo.define(acc="max").moo(acc="min").front().index.tolist() == ["c"]
    with pytest.raises(ValueError, match="nothing is said"):
        MODELS.moo()


def test_the_function_moo_is_the_accessor_of_any_frame():
    assert type(copa_nb.moo(MODELS)) is type(MODELS.moo)
    assert copa_nb.moo(MODELS)(acc="max").front().equals(MODELS.moo(acc="max").front())
    defined = MODELS.moo.define(acc="max", co2="min")
    assert copa_nb.moo(defined).copa().best == defined.moo.copa().best
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"acc": [0.9, 0.8], "co2": [1.0, 2.0]})
    assert copa_nb.moo(table)(acc="max").front().equals(table.slice(0, 1))
    with pytest.raises(TypeError, match=r"`frame` must be a DataFrame .*, not a str; read it first"):
        copa_nb.moo("models.csv")


CHANGED_BY_AN_IMPORT = """
import signal, sys, warnings, logging
import numpy, pandas
signal.signal(signal.SIGINT, signal.default_int_handler)
def state():
    levels = {name: logging.getLogger(name).level for name in list(logging.root.manager.loggerDict)}
    return {
        "signals": [signal.getsignal(number) for number in sorted(signal.valid_signals() - {signal.SIGKILL})],
        "meta_path": list(sys.meta_path), "path": list(sys.path), "path_hooks": list(sys.path_hooks),
        "warnings": list(warnings.filters), "excepthook": sys.excepthook, "switch": sys.getswitchinterval(),
        "levels": {name: level for name, level in levels.items() if level},
    }
before = state()
import copa_nb
print([name for name, value in state().items() if value != before[name]])
"""


@pytest.mark.parametrize("called", ["python", "bin/copa-nb"])
def test_an_import_changes_nothing_of_the_process(called):
    command = [sys.executable, "-c", CHANGED_BY_AN_IMPORT, called]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_table_is_drawn_with_its_front():
    two = MODELS.moo(acc="max", co2="min").plot(title="models", figsize=(4, 3))
    assert (two.get_xlabel(), two.get_ylabel(), two.get_title()) == ("acc ↑", "CO₂ ↓", "models")
    assert MODELS.moo(acc="max", co2="min").plot("co2").get_ylabel() == "acc ↑"
    three = MODELS.assign(ms=[1.0, 2.0, 3.0]).moo(acc="max", co2="min", ms="min").plot()
    assert [tick.get_text() for tick in three.get_xticklabels()] == ["acc", "CO₂", "ms"]
    assert MODELS.moo(acc="max", co2="min").plot(ax=three) is three
    with pytest.raises(ValueError, match="needs two objectives, and 'acc' is the only one"):
        MODELS.moo(acc="max").plot()
    with pytest.raises(TypeError, match="read in pieces here"):
        copa_nb.scan([MODELS], acc="max", co2="min").moo.plot()


def test_what_is_printed_are_methods():
    shelves = [value for value in vars(overview).values() if isinstance(value, tuple)]
    assert len(shelves) == 7
    for verb in itertools.chain(*shelves):
        assert callable(getattr(MODELS.moo, verb))


@pytest.mark.slow
def test_names_are_completed_with_their_types():
    jedi = pytest.importorskip("jedi")
    names = {"df": MODELS.moo.define(acc="max", co2="min")}
    kinds = {one.name: one.type for one in jedi.Interpreter("df.moo.", [names]).complete()}
    assert kinds.pop("description") == "instance"
    assert {"front", "copa", "explore", "board"} < kinds.keys()
    assert set(kinds.values()) == {"function"}
