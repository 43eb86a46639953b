"""Options of computations: they hold within their block only, and bad values are refused by name."""

import pytest

import copa_nb
from copa_nb.run_options import UNSAID, Options, said


def test_what_is_said_holds_within_the_block():
    with copa_nb.options(n_jobs=2, max_seconds=5):
        with copa_nb.options(max_seconds=None):
            assert said() == Options(n_jobs=2, max_seconds=None)
            assert said().limit(30.0) is None
        assert said().limit(30.0) == 5
    assert said() == Options()
    assert said().limit(30.0) == 30.0


def test_an_error_ends_the_block():
    with pytest.raises(ZeroDivisionError), copa_nb.options(n_jobs=2):
        1 / 0  # noqa: B018
    assert said().n_jobs is None
    assert said().max_seconds is UNSAID


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"n_jobs": 0}, "`n_jobs` is 0"),
        ({"scheduler": "thread"}, "`scheduler` is 'thread'; allowed are 'threads'"),
        ({"max_seconds": -1}, "`max_seconds` is -1; it must be a number of at least 0"),
        ({"max_seconds": "long"}, "`max_seconds` is 'long'"),
        ({"max_seconds": float("nan")}, "`max_seconds` is nan"),
    ],
)
def test_a_bad_value_is_refused_by_name(wrong, says):
    with pytest.raises(ValueError, match=says), copa_nb.options(**wrong):
        pass
    assert said() == Options()


@pytest.mark.parametrize("name", ["n_jobs", "progress", "scheduler", "max_seconds"])
def test_what_is_said_of_all_calls_is_no_option_of_one(name):
    runs = copa_nb.datasets.load_agents("0409")
    said = rf"unexpected keyword argument {name!r}\. It is said for all calls .* with copa_nb\.options\({name}=\.\.\.\)"
    for call in (copa_nb.power, runs.moo.audit, copa_nb.datasets.load_deepobs().moo.posets().depth):
        with pytest.raises(TypeError, match=said):
            call(**{name: 2})
