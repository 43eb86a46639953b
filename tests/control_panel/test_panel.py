"""The panel as a widget, without a browser: controls, tabs and explorers say the same."""

from dataclasses import replace

import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.control_panel.panel import Panel, bundled
from copa_nb.control_panel.views import VIEWS

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7, 0.6], "co2_kg": [9.0, 5.0, 2.0, 1.0], "ms": [3.0, 1.0, 4.0, 2.0]},
    index=pd.Index(list("abcd"), name="model"),
)
WAYS = {"accuracy": "max", "co2_kg": "min", "ms": "min"}


@pytest.fixture
def opened():
    made = MODELS.moo(WAYS).panel()
    yield made
    made.close()


def _control(panel, title):
    """A control by what its label says, wherever it is."""
    found = [one for one in _all_of(panel) if getattr(one, "description", None) == title]
    assert found, title
    return found[0]


def _all_of(box):
    for child in getattr(box, "children", ()):
        yield child
        yield from _all_of(child)


def _explorer(panel):
    return next(one for one in _all_of(panel) if getattr(one, "kind", "") == "choice")


def _open(panel, title):
    tabs = next(one for one in _all_of(panel) if getattr(one, "titles", ()) and "Choose" in one.titles)
    tabs.selected_index = [view.title for view in VIEWS].index(title)


def _choice(**options):
    return MODELS.moo(WAYS).copa(**options)


def test_it_answers_what_the_verb_answers(opened):
    assert isinstance(opened, Panel)
    assert opened.sentences == (_choice().explain(),)


def test_controls_and_the_explorer_are_linked_both_ways(opened):
    explorer = _explorer(opened)
    explorer.set_weight("co2_kg", 0.8)
    weights = dict(zip(WAYS, explorer.state["weights"], strict=True))
    assert opened.sentences == (_choice(weights=weights).explain(),)
    _open(opened, "How sure")
    assert opened.sentences[0] == _choice(weights=weights).stability(n_resamples=500, rng=0).explain()
    _control(opened, "P").value = "1"
    assert opened.sentences[0] == _choice(weights=weights, p=1).stability(n_resamples=500, rng=0).explain()
    _open(opened, "Choose")
    assert _explorer(opened) is explorer
    assert explorer.state["p"] == 1
    assert opened.sentences == (_choice(weights=weights, p=1).explain(),)


def test_limits_of_the_explorer_are_those_of_the_columns(opened):
    explorer = _explorer(opened)
    explorer.set_range("ms", high=2.5)
    assert _control(opened, "ms at most").value == "2.5"
    assert opened.settings.where == "ms <= 2.5"
    _control(opened, "ms at most").value = ""
    assert explorer.state["ranges"] == [[None, None]] * 3
    _control(opened, "ms at most").value = "few"
    assert opened.sentences == ()
    assert any("ms at most is &#x27;few&#x27;" in getattr(one, "value", "") for one in _all_of(opened) if
               isinstance(getattr(one, "value", ""), str))  # fmt: skip


def test_rows_that_are_pinned_are_marked_in_other_tabs(opened):
    _explorer(opened).pin("d")
    assert opened.settings.picked == ("d",)
    _open(opened, "Front")
    pictures = next(one.value for one in _all_of(opened) if "<figure" in str(getattr(one, "value", "")))
    assert pictures.count("<figure") == 3


def test_a_direction_is_taken_away_and_given_again(opened):
    _control(opened, "ms").value = ""
    two = MODELS.moo(accuracy="max", co2_kg="min").copa()
    assert opened.sentences == (two.explain(),)
    _control(opened, "ms").value = "max"
    other = MODELS.moo(accuracy="max", ms="max", co2_kg="min").copa()
    assert opened.sentences == (other.explain(),)


def test_code_follows_what_is_on_the_screen(opened):
    _control(opened, "Show code").value = True
    _explorer(opened).set_weight("co2_kg", 0.8)
    lines = _control(opened, "Python").value
    names = {"frame": MODELS}
    exec(lines.replace("print(", "said = ("), names)
    assert names["said"] == opened.sentences[0]


def test_a_table_of_the_package_is_opened():
    panel = copa_nb.panel()
    assert panel.sentences == ()
    _control(panel, "or one of the package's").value = "load_domainbed"
    assert panel.sentences == (bundled()["load_domainbed"]().moo.copa().explain(),)
    panel.close()


@pytest.mark.parametrize("name", sorted(bundled()))
def test_every_table_that_is_offered_opens(name):
    panel = copa_nb.panel()
    try:
        _control(panel, "or one of the package's").value = name
        assert panel.settings.source.name == name.removeprefix("load_")
    finally:
        panel.close()


@pytest.mark.slow
def test_a_report_is_written_with_progress(opened, tmp_path):
    _control(opened, "Folder of reports").value = str(tmp_path)
    shares = []
    progress = _control(opened, "Report")
    progress.observe(lambda change: shares.append(change["new"]), names="value")
    _control(opened, "Write the report").click()
    opened._thread.join(120)
    (page,) = tmp_path.rglob("report.html")
    assert _choice().best in page.read_text(encoding="utf-8")
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 4


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="frame"):
        copa_nb.panel(3)
    with pytest.raises(ValueError, match="nothing"):
        copa_nb.panel(MODELS, objectives={"nothing": "max"})


def test_systems_with_runs_are_chosen_by_means_and_resampled_by_runs():
    agents = datasets.load_agents("0409")
    ways = {"accuracy": "max", "cost_usd": "min"}
    panel = agents.moo(ways).panel()
    _control(panel, "System (model, method)").value = "system"
    _control(panel, "Repetition (seed, fold)").value = "run"
    means = agents.groupby("system")[list(ways)].mean()
    assert _explorer(panel).best == means.moo(ways).copa().best
    _open(panel, "How sure")
    runs = copa_nb.stability(agents, objectives=ways, system="system", repeat="run", n_resamples=500, rng=0)
    assert panel.sentences[0] == replace(runs, scores=None).explain()
    panel.close()


def test_missing_values_that_are_bounded_are_answered_as_a_whole():
    gaps = MODELS.assign(ms=[3.0, None, 4.0, 2.0])
    panel = gaps.moo(WAYS).panel()
    assert panel.sentences == ()
    _control(panel, "Nan policy").value = "bounds"
    possible = gaps.moo(WAYS).copa(nan_policy="bounds")
    assert all(str(row) in panel.sentences[0] for row in possible.certain)
    panel.close()
