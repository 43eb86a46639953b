"""The panel as a widget, without a browser: controls, tabs and explorers say the same."""

import asyncio
import re
import tempfile
import types
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import ipywidgets
import nbformat
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.control_panel.uploads import DropZone
from copa_nb.explorers import twin
from copa_nb.text import escape
from tests import asked
from tests.event_loop import run_cells
from tests.over_runs import over_runs

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7, 0.6], "co2_kg": [9.0, 5.0, 2.0, 1.0], "ms": [3.0, 1.0, 4.0, 2.0]},
    index=pd.Index(list("abcd"), name="model"),
)
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "panel.ipynb"
WAYS = {"accuracy": "max", "co2_kg": "min", "ms": "min"}
# In which no column shows what the decimal mark is, and a value is missing.
PRICES = b"""model,score,price,tokens
a,9,$30,"1,450"
b,8,$2,"8,192"
c,7,$10,"4,096"
d,6,,"2,048"
"""


@pytest.fixture
def opened():
    with closing(copa_nb.panel(MODELS, objectives=WAYS)) as made:
        yield made


@pytest.fixture
def empty():
    with closing(copa_nb.panel()) as made:
        yield made


def _all_of(box):
    for child in getattr(box, "children", ()):
        yield child
        yield from _all_of(child)


def _control(panel, title):
    """A control by what its label says, wherever it is."""
    found = [one for one in _all_of(panel) if getattr(one, "description", None) == title]
    assert found, title
    return found[0]


def _explorer(panel, kind="choice"):
    return next(one for one in _all_of(panel) if getattr(one, "kind", "") == kind)


def _says(panel, text):
    return any(text in one.value for one in _all_of(panel) if isinstance(getattr(one, "value", None), str))


def _open(panel, title):
    tabs = next(one for one in _all_of(panel) if isinstance(one, ipywidgets.Tab))
    tabs.selected_index = tabs.titles.index(title)


def _drop(panel, name, content):
    """Drop a file, as the page hands it in: in parts."""
    zone = next(one for one in _all_of(panel) if isinstance(one, DropZone))
    half = len(content) // 2
    zone.received(name, content[:half], True, False)
    zone.received(name, content[half:], False, True)


def _choice(**options):
    return asked.copa(MODELS.moo(WAYS), **options)


@pytest.mark.parametrize("given", [True, False])
def test_its_notebook_begins_with_the_table_that_it_is_given(given, tmp_path):
    MODELS.to_csv(tmp_path / "models.csv")
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    parameters, code = (cell for cell in cells if cell.cell_type == "code")
    assert parameters.metadata.tags == ["parameters"]
    variables = {}
    exec(parameters.source, variables)
    if given:
        variables["table"] = str(tmp_path / "models.csv")
    *lines, last = code.source.splitlines()
    exec("\n".join(lines), variables)
    with closing(eval(last, variables)) as made:
        assert ("co2_kg" in [getattr(one, "description", "") for one in _all_of(made)]) is given


def test_no_box_has_a_tooltip(opened):
    # Jupyter shows "Click to show javascript error." in the place of a box that has one.
    boxes = [one for one in _all_of(opened) if isinstance(one, ipywidgets.Box)]
    assert len(boxes) > 10
    assert [one for one in boxes if one.tooltip is not None] == []


def test_from_a_file_to_an_answer_by_what_is_offered(empty):
    _drop(empty, "prices.csv", PRICES)
    assert empty.sentences == ()
    assert _control(empty, "model").value == "", "nothing is taken unasked"
    _control(empty, "price").value = "min"
    _control(empty, "tokens").value = "max"
    _control(empty, "1,450 is 1450").click()
    assert _says(empty, "d lacks a value")
    _control(empty, "Leave this row out").click()
    read = pd.DataFrame({"price": [30, 2, 10], "tokens": [1450, 8192, 4096]}, index=pd.Index(list("abc"), name="model"))
    assert empty.sentences == (asked.copa(read.moo(tokens="max", price="min")).explain(),)
    assert _says(empty, "read as 1450, 8192, 4096")


def test_weights_and_limits_hold_in_all_tabs_and_move_the_explorer(opened):
    explorer = _explorer(opened)
    _control(opened, "Weight of co2_kg").value = 100
    weights = {"accuracy": 0.25, "co2_kg": 0.5, "ms": 0.25}
    assert opened.sentences == (_choice(weights=weights).explain(),)
    assert explorer.state["weights"] == [0.25, 0.5, 0.25]
    _control(opened, "ms at most").value = "3,5"
    _open(opened, "How sure")
    assert opened.sentences[0] == _choice(weights=weights, where="ms <= 3.5").stability().explain()
    _control(opened, "What decides").value = "1"
    _open(opened, "Choose")
    assert _explorer(opened) is explorer, "an explorer of the same table moves"
    assert explorer.state["p"] == 1
    assert explorer.state["ranges"] == [[None, None], [None, None], [None, 3.5]]
    assert opened.sentences == (_choice(weights=weights, p=1, where="ms <= 3.5").explain(),)


def test_what_is_no_number_is_said_in_place_until_it_is_mended(opened):
    _control(opened, "ms at most").value = "few"
    assert opened.sentences == ()
    assert _says(opened, "ms at most is &#x27;few&#x27;")
    _control(opened, "ms at most").value = ""
    assert opened.sentences == (_choice().explain(),)
    assert not _says(opened, "few")


def test_a_direction_is_taken_away_and_given_again(opened):
    _explorer(opened).pin("d")
    _control(opened, "ms").value = ""
    two = MODELS.moo(accuracy="max", co2_kg="min").copa()
    assert opened.sentences == (two.explain(),)
    assert _explorer(opened).picked == ("d",), "rows stay picked"
    _control(opened, "ms").value = "max"
    assert opened.sentences == (MODELS.moo(accuracy="max", ms="max", co2_kg="min").copa().explain(),)


def test_an_explorer_that_was_closed_is_not_shown_again(opened):
    explorer = _explorer(opened)
    before = opened.settings
    opened.settings = replace(before, missing=("bounds",)).with_options(normalize="minmax")
    assert opened.sentences == ()
    assert _says(opened, "role='alert'"), "unknown values need ranks"
    opened.settings = before
    assert opened.sentences == (_choice().explain(),)
    assert _explorer(opened) is not explorer
    _control(opened, "Weight of co2_kg").value = 100
    assert _explorer(opened).state["weights"] == [0.25, 0.5, 0.25]


def test_a_gap_has_the_limits_and_keeps_picked_rows():
    runs = pd.DataFrame(
        {
            "val_recall": [0.9, 0.7, 0.5, 0.4, 0.2], "val_precision": [0.2, 0.5, 0.7, 0.6, 0.9],
            "test_recall": [0.8, 0.75, 0.4, 0.5, 0.3], "test_precision": [0.3, 0.55, 0.6, 0.65, 0.8],
        },
        index=pd.Index(list("vwxyz"), name="run"),
    )  # fmt: skip
    with closing(copa_nb.panel(runs, objectives=dict.fromkeys(runs.columns, "max"))) as made:
        _explorer(made, "gap").pin("x")
        _control(made, "val_recall at least").value = "0.45"
        limited = _explorer(made, "gap")
        assert limited.picked == ("x",)
        options = {"objectives": {"recall": "max", "precision": "max"}, "where": "val_recall >= 0.45"}
        assert list(limited.gap.validation_front) == list(asked.gap(runs, **options).validation_front) == list("vwx")


def test_two_are_chosen_in_their_tab():
    scores = datasets.load_deepobs()
    with closing(copa_nb.panel(scores)) as made:
        _open(made, "Compare two")
        assert made.sentences == ()
        _control(made, "Is").value = "Adam"
        _control(made, "better than").value = "SGD"
        found = scores.moo.compare("Adam", "SGD").to_answer()
        assert made.sentences[0] == f"{found.headline}."
        assert "--new Adam" in made.code["Shell"]


def test_systems_with_runs_are_chosen_by_means_and_resampled_by_runs():
    agents = datasets.load_agents("0409")
    ways = {"accuracy": "max", "cost_usd": "min"}
    with closing(copa_nb.panel(agents, objectives=ways)) as made:
        means = agents.groupby("system")[list(ways)].mean()
        assert _explorer(made).best == means.moo(ways).copa().best
        _open(made, "How sure")
        runs = over_runs(agents, objectives=ways, system="system", repeat="run", n_resamples=1000, rng=0)
        assert made.sentences[0] == runs.explain()


def test_missing_values_that_are_bounded_are_answered_as_a_whole():
    gaps = MODELS.assign(ms=[3.0, None, 4.0, 2.0])
    with closing(copa_nb.panel(gaps, objectives=WAYS)) as made:
        assert _says(made, "b lacks a value")
        _control(made, "Say what holds whatever they are").click()
        possible = asked.copa(gaps.moo(WAYS), nan_policy="bounds")
        assert made.sentences[0] == possible.explain()


def test_code_follows_what_is_on_the_screen(opened):
    _control(opened, "The same in code").value = True
    _control(opened, "Weight of co2_kg").value = 100
    names = {"frame": MODELS}
    exec(opened.code["Python"].replace("print(", "said = ("), names)
    assert names["said"] == opened.sentences[0]
    for lines in opened.code.values():
        assert _says(opened, escape(lines))


def _displayed(panel, monkeypatch):
    """What a notebook receives, and what renews it."""
    shown, updated = [], []

    def show(bundle, **options):
        shown.append(bundle)
        return types.SimpleNamespace(update=lambda later, raw: updated.append(later["text/html"]))

    monkeypatch.setattr("IPython.display.display", show)
    panel._ipython_display_()
    return shown, updated


def test_a_saved_notebook_shows_the_answer_of_the_open_tab(opened, monkeypatch):
    shown, _ = _displayed(opened, monkeypatch)
    saved = shown[0]["text/html"]
    assert "as it was saved" in saved
    assert escape(_choice().explain()) in saved
    assert "<iframe" in saved, "the explorer, which answers without a kernel"
    assert 'src="data:image/png' in saved, "its picture, where scripts do not run"
    assert shown[1]["text/plain"] == shown[1]["text/html"] == ""
    # VS Code and Colab show what has this type, in its second version.
    live = shown[1]["application/vnd.jupyter.widget-view+json"]
    assert (live["model_id"], live["version_major"]) == (opened.model_id, 2)
    assert any(f".copa-nb-static-{opened.twin}" in one.value for one in opened.children if hasattr(one, "value"))
    _open(opened, "How sure")
    assert opened.to_saved().count("<figure") == 3
    assert "<iframe" not in opened.to_saved()


def test_what_is_saved_follows_the_panel(opened, monkeypatch):
    monkeypatch.setattr(twin, "_TWIN_AFTER", 0.05)

    async def cells():
        _, updated = _displayed(opened, monkeypatch)
        _open(opened, "How sure")
        _control(opened, "ms").value = ""
        while not updated:
            await asyncio.sleep(0.02)
        return updated

    saved = run_cells(cells())
    assert escape(opened.sentences[0]) in saved[0]
    _control(opened, "co2_kg at most").value = "few"
    assert "few" in opened.to_saved(), "errors, too"


def test_a_panel_without_a_table_says_what_it_is_for(empty, monkeypatch):
    shown, _ = _displayed(empty, monkeypatch)
    assert "The panel opens here when the notebook runs" in shown[0]["text/html"]
    kind, said = empty._mime_()
    assert kind == "text/html"
    assert "marimo does not support ipywidgets" in said
    assert "opens here" not in said


def test_only_a_file_makes_a_folder_which_goes_with_the_panel(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    panel = copa_nb.panel()
    assert not list(tmp_path.iterdir())
    _drop(panel, "prices.csv", PRICES)
    assert [path.name for path in tmp_path.glob("*/*")] == ["prices.csv"]
    panel.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("served", [True, False])
def test_a_report_is_written_with_progress(served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with closing(copa_nb.panel(MODELS, objectives=WAYS, served=served)) as made:
        said = []
        made._outcome.observe(lambda change: said.append(change["new"]), names="value")
        _control(made, "Save the report").click()
        assert _control(made, "Save the report").disabled
        made._thread.join(120)
        assert not _control(made, "Save the report").disabled
        (page,) = tmp_path.rglob("report.html")
        assert (tmp_path / "reports" in page.parents) is not served
        assert _choice().best in page.read_text(encoding="utf-8")
        shares = [float(share) for one in said for share in re.findall("<progress value='(.*?)'", one)]
        assert shares == sorted(shares)
        assert len(shares) > 4
        assert "<progress" not in said[-1], "there is nothing in progress any more"
    assert page.exists() is not served, "what is served goes with the panel"


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="frame"):
        copa_nb.panel(3)
    with pytest.raises(ValueError, match="nothing"):
        copa_nb.panel(MODELS, objectives={"nothing": "max"})
