"""Every name of an earlier version raises an error with the line to write now."""

import re

import pandas as pd
import pytest

import copa_nb
from copa_nb.old_names import NOW_WRITTEN
from tests.each import hold_for_each

MODELS = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "co2": [3.0, 1.0, 2.0]}, index=list("abc"))
OF_TABLES = [name for name in NOW_WRITTEN if "." not in name]
OF_PLOTS = [name.removeprefix("plots.") for name in NOW_WRITTEN if name.startswith("plots.")]


def test_an_old_name_says_what_is_written_now():
    hold_for_each(OF_TABLES, _says_what_is_written_now)


def _says_what_is_written_now(name):
    for owner in (copa_nb, MODELS.moo, copa_nb.moo(MODELS)):
        with pytest.raises(AttributeError, match=re.escape(NOW_WRITTEN[name])):
            getattr(owner, name)


@pytest.mark.parametrize("name", [name for name in NOW_WRITTEN if name.startswith("moo.")])
def test_what_is_no_method_of_a_table_says_where_it_is(name):
    for accessor in (MODELS.moo, copa_nb.moo(MODELS)):
        with pytest.raises(AttributeError, match=re.escape(NOW_WRITTEN[name])):
            getattr(accessor, name.removeprefix("moo."))


def test_an_old_plot_says_which_result_draws_it():
    hold_for_each(OF_PLOTS, _says_which_result_draws_it)


def _says_which_result_draws_it(name):
    with pytest.raises(AttributeError, match=re.escape(NOW_WRITTEN[f"plots.{name}"])):
        getattr(copa_nb.plots, name)


def test_a_plot_that_never_was_there_offers_the_nearest():
    with pytest.raises(AttributeError, match="Did you mean 'plot_front'"):
        _ = copa_nb.plots.plot_frnt


def test_a_name_that_never_was_there_offers_the_nearest():
    with pytest.raises(AttributeError, match="Did you mean 'front'"):
        _ = MODELS.moo.frnt
    choice = MODELS.moo(acc="max", co2="min").copa()
    with pytest.raises(AttributeError, match="A Selection has no 'winner'"):
        _ = choice.winner
    assert not hasattr(choice, "winner")


def test_every_result_says_what_became_of_a_name_that_all_had():
    choice = MODELS.moo(acc="max", co2="min").copa()
    for result in (choice, choice.navigate(), choice.criteria()):
        with pytest.raises(AttributeError, match=re.escape("It is written `result.table` now.")):
            _ = result.to_frame
