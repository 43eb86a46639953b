import subprocess
import sys

import pandas as pd
import pytest

import copa_nb
from copa_nb.accessor import MooVerbs, Verb, _OncePolarsComes

MODELS = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "co2": [3.0, 1.0, 2.0]}, index=list("abc"))
HEAVY = ("seaborn", "matplotlib.pyplot", "papermill", "nbconvert", "ipywidgets", "numba", "scipy.stats", "sklearn")
VERBS = [name for name, value in vars(MooVerbs).items() if isinstance(value, Verb)]


def test_every_verb_is_a_function_too():
    for name in VERBS:
        assert callable(getattr(copa_nb, name))
        assert name in copa_nb.__all__


@pytest.mark.parametrize("name", VERBS)
def test_methods_have_the_functions_documentation(name):
    function, method = getattr(copa_nb, name), getattr(MODELS.moo, name)
    assert method.__doc__ == function.__doc__
    assert "Examples" in (function.__doc__ or "")


def test_a_column_named_moo_does_not_hide_the_accessor():
    frame = MODELS.assign(moo=1.0)
    assert len(frame.moo(acc="max").front()) == 1


def test_bound_view_leaves_the_frame_alone():
    view = MODELS.moo(acc="max", co2="min")
    assert view.front().index.tolist() == ["a", "b"]
    assert MODELS.attrs == {}
    assert "3 rows × 2 objectives (acc ↑, co2 ↓)" in repr(view)
    assert "no objectives defined" in repr(MODELS.moo)


def test_importing_loads_nothing_heavy():
    code = f"import sys, copa_nb; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_public_is_documented():
    for name in copa_nb.__all__:
        member = getattr(copa_nb, name)
        assert member.__doc__, f"{name} has no docstring"


def test_directions_may_be_bound_in_any_form():
    objectives = copa_nb.Objectives.of({"acc": "max"})
    assert MODELS.moo(objectives).front().index.tolist() == ["a"]
    assert MODELS.moo({"acc": "min"}, co2="min").front().index.tolist() == ["b", "c"]
    assert MODELS.moo.define(acc="min").moo().front().index.tolist() == ["c"]
    with pytest.raises(ValueError, match="no objectives are defined"):
        MODELS.moo()


def test_what_is_not_installed_is_not_registered_with(monkeypatch):
    finder = _OncePolarsComes()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert finder.find_spec("pandas", None) is None
    assert finder in sys.meta_path
    assert finder.find_spec("polars", None) is None
    assert finder not in sys.meta_path, "asked once"
    assert finder.find_spec("polars", None) is None


def test_what_is_offered_are_the_verbs():
    offered = set(dir(MODELS.moo))
    assert {*VERBS, "objectives"} <= offered
    assert not [name for name in offered if name.startswith("_")]


def test_objectives_of_one_call_win_over_those_that_are_bound():
    bound = MODELS.moo(acc="max")
    assert bound.front().index.tolist() == ["a"]
    assert bound.front(objectives={"acc": "min"}).index.tolist() == ["c"]
    assert MODELS.moo.front(objectives={"acc": "min"}).index.tolist() == ["c"]
    parsed = MODELS.assign(acc=["90 %", "80 %", "70 %"]).moo.parse_numbers("acc")
    assert parsed["acc"].tolist() == [90, 80, 70], "a verb that takes no objectives gets none"
