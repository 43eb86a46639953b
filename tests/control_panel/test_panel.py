"""The panel as a widget, without a browser: controls, tabs and explorers say the same."""

import tempfile
import types
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import ipywidgets
import nbformat
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.control_panel.panel import Panel, bundled
from copa_nb.control_panel.views import VIEWS
from copa_nb.text import escape
from tests import asked
from tests.over_runs import over_runs

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7, 0.6], "co2_kg": [9.0, 5.0, 2.0, 1.0], "ms": [3.0, 1.0, 4.0, 2.0]},
    index=pd.Index(list("abcd"), name="model"),
)
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "panel.ipynb"
WAYS = {"accuracy": "max", "co2_kg": "min", "ms": "min"}


@pytest.fixture
def opened():
    made = copa_nb.panel(MODELS, objectives=WAYS)
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


def _says(panel, text):
    return any(text in one.value for one in _all_of(panel) if isinstance(getattr(one, "value", None), str))


def _upload(panel, name, content, button="Upload a table"):
    given = {"name": name, "type": "", "size": len(content), "content": content, "last_modified": datetime.now(UTC)}
    _control(panel, button).value = (given,)


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


@pytest.fixture
def empty():
    made = copa_nb.panel()
    yield made
    made.close()


def _open(panel, title):
    tabs = next(one for one in _all_of(panel) if getattr(one, "titles", ()) and "Choose" in one.titles)
    tabs.selected_index = [view.title for view in VIEWS].index(title)


def _choice(**options):
    return asked.copa(MODELS.moo(WAYS), **options)


def test_it_answers_what_the_verb_answers(opened):
    assert isinstance(opened, Panel)
    assert opened.sentences == (_choice().explain(),)


def test_no_box_has_a_tooltip(opened):
    # Jupyter shows "Click to show javascript error." in the place of a box that has one.
    boxes = [one for one in _all_of(opened) if isinstance(one, ipywidgets.Box)]
    assert len(boxes) > 10
    assert [one for one in boxes if one.tooltip is not None] == []
    assert _control(opened, "P").tooltip, "what can be set says what it is"


def test_controls_and_the_explorer_are_linked_both_ways(opened):
    explorer = _explorer(opened)
    explorer.set_weight("co2_kg", 0.8)
    weights = dict(zip(WAYS, explorer.state["weights"], strict=True))
    assert opened.sentences == (_choice(weights=weights).explain(),)
    _open(opened, "How sure")
    assert opened.sentences[0] == _choice(weights=weights).stability().explain()
    _control(opened, "P").value = "1"
    assert opened.sentences[0] == _choice(weights=weights, p=1).stability().explain()
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
    assert _says(opened, "ms at most is &#x27;few&#x27;")
    _control(opened, "ms at most").value = ""
    assert opened.sentences == (_choice().explain(),)
    assert not _says(opened, "few")


def test_rows_that_are_pinned_are_marked_in_other_tabs(opened):
    _explorer(opened).pin("d")
    assert opened.settings.picked == ("d",)
    _open(opened, "Front")
    pictures = next(one.value for one in _all_of(opened) if "<figure" in str(getattr(one, "value", "")))
    assert pictures.count("<figure") == 3


RUNS = pd.DataFrame(
    {
        "val_recall": [0.9, 0.7, 0.5, 0.4, 0.2], "val_precision": [0.2, 0.5, 0.7, 0.6, 0.9],
        "test_recall": [0.8, 0.75, 0.4, 0.5, 0.3], "test_precision": [0.3, 0.55, 0.6, 0.65, 0.8],
    },
    index=pd.Index(list("vwxyz"), name="run"),
)  # fmt: skip


@pytest.fixture
def searched():
    made = copa_nb.panel(RUNS, objectives=dict.fromkeys(RUNS.columns, "max"))
    yield made
    made.close()


def _gap_explorer(panel):
    return next(one for one in _all_of(panel) if getattr(one, "kind", "") == "gap")


def test_a_row_that_is_picked_in_one_tab_is_picked_in_all(searched):
    chosen = _explorer(searched)
    chosen.pin("x")
    _open(searched, "Validation to test")
    followed = _gap_explorer(searched)
    assert followed.picked == ("x",)
    followed.pin("y")
    assert searched.settings.picked == ("x", "y")
    _open(searched, "Choose")
    assert _explorer(searched) is chosen
    assert chosen.picked == ("x", "y")
    chosen.pin("x")
    _open(searched, "Validation to test")
    assert _gap_explorer(searched) is followed
    assert followed.picked == ("y",)


def test_limits_hold_in_all_tabs_and_the_budget_in_its_own(searched):
    _explorer(searched).set_range("val_recall", low=0.45)
    _open(searched, "Validation to test")
    followed = _gap_explorer(searched)
    options = {"objectives": {"recall": "max", "precision": "max"}, "where": "val_recall >= 0.45"}
    assert list(followed.gap.validation_front) == list(asked.gap(RUNS, **options).validation_front) == list("vwx")
    followed.set_budget(2)
    followed.pin("w")
    _control(searched, "val_recall at least").value = "0.3"
    wider = _gap_explorer(searched)
    assert wider is not followed
    assert wider.state["budget"] == 2
    assert wider.picked == ("w",)
    assert "y" in wider.labels


def test_a_row_outside_the_limits_of_one_tab_stays_picked(searched):
    _explorer(searched).pin("z")
    _control(searched, "val_recall at least").value = "0.45"
    _open(searched, "Validation to test")
    followed = _gap_explorer(searched)
    assert followed.picked == ()
    followed.pin("v")
    assert searched.settings.picked == ("z", "v")
    _open(searched, "Choose")
    assert _explorer(searched).picked == ("z", "v")


def test_rows_stay_picked_when_another_column_counts(opened):
    _explorer(opened).pin("d")
    _control(opened, "ms").value = ""
    assert _explorer(opened).picked == ("d",)


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
    assert "table: accuracy ↑, co2_kg ↓, ms ↓" in saved
    assert "frame.moo" not in saved
    assert shown[1]["text/plain"] == shown[1]["text/html"] == ""
    # VS Code and Colab show what has this type, in its second version.
    live = shown[1]["application/vnd.jupyter.widget-view+json"]
    assert (live["model_id"], live["version_major"]) == (opened.model_id, 2)
    assert any(f".copa-nb-static-{opened.twin}" in one.value for one in opened.children if hasattr(one, "value"))
    _open(opened, "Front")
    assert opened.to_saved().count("<figure") == 3
    assert "<iframe" not in opened.to_saved()


def test_what_is_saved_follows_the_panel(opened, monkeypatch):
    later = []
    loop = types.SimpleNamespace(
        call_later=lambda _, act: later.append(act) or types.SimpleNamespace(cancel=later.clear)
    )
    _, updated = _displayed(opened, monkeypatch)
    monkeypatch.setattr("asyncio.get_running_loop", lambda: loop)
    _open(opened, "How sure")
    _control(opened, "ms").value = ""
    (renew,) = later
    renew()
    assert escape(opened.sentences[0]) in updated[0]
    assert "ms ↓" not in updated[0]
    _control(opened, "co2_kg at most").value = "few"
    assert "few" in opened.to_saved(), "errors, too"
    assert len(later) == 2


def test_a_panel_without_a_table_says_what_it_is_for(empty, monkeypatch):
    shown, _ = _displayed(empty, monkeypatch)
    assert "The panel opens here when the notebook runs" in shown[0]["text/html"]
    kind, said = empty._mime_()
    assert kind == "text/html"
    assert "marimo does not support ipywidgets" in said
    assert "opens here" not in said


PRICES = b"""model,score,price,tokens
a,0.9,$0.30,"1,450"
b,0.8,$0.02,"8,192"
c,0.7,$0.10,"4,096"
"""


# In which no column shows what the decimal mark is.
OPEN_PRICES = PRICES.replace(b"0.", b"")


def test_the_decimal_mark_is_chosen_after_the_rest_and_changes_nothing_else(empty):
    _upload(empty, "prices.csv", OPEN_PRICES)
    assert _control(empty, "Names of rows").options[0] == ("detected: model", "")
    for name, way in {"score": "max", "tokens": "max", "price": "min"}.items():
        _control(empty, name).value = way
    assert empty.sentences == ()
    assert _says(empty, "set `Decimal mark of text` to")
    _control(empty, "Names of rows").value = "model"
    _control(empty, "P").value = "1"
    _control(empty, "price at most").value = "20"
    _control(empty, "Decimal mark of text").value = "."
    table = pd.DataFrame(
        {"score": [9, 8, 7], "price": [30, 2, 10], "tokens": [1450, 8192, 4096]},
        index=pd.Index(list("abc"), name="model"),
    )
    choice = table.moo(score="max", tokens="max", price="min").copa(p=1, where="price <= 20")
    assert empty.sentences == (choice.explain(),)
    assert empty.settings.roles == {"names": "model"}


def test_only_an_upload_makes_a_folder_which_goes_with_the_panel(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    panel = copa_nb.panel()
    assert not list(tmp_path.iterdir())
    _upload(panel, "prices.csv", PRICES)
    assert [path.name for path in tmp_path.glob("*/*")] == ["prices.csv"]
    panel.close()
    assert not list(tmp_path.iterdir())


def test_settings_are_loaded_again_and_move_the_controls_of_the_table(empty):
    _upload(empty, "prices.csv", PRICES)
    _control(empty, "Decimal mark of text").value = "."
    _control(empty, "tokens").value = "max"
    _control(empty, "price").value = "min"
    said, stated = empty.sentences, empty.yaml.encode()
    for _ in range(2):  # the same file is a file again
        _upload(empty, "prices.csv", PRICES)
        _control(empty, "Decimal mark of text").value = ""
        assert empty.sentences == ()
        _upload(empty, "settings.yaml", stated, "Load settings")
        assert empty.sentences == said
        assert _control(empty, "Decimal mark of text").value == "."


def test_a_file_that_cannot_be_read_is_named_and_read_once_its_encoding_is_chosen(empty):
    _upload(empty, "settings.yaml", b"runs: []", "Load settings")
    assert _says(empty, "Upload the table first")
    _upload(empty, "names.csv", "Modèle;coût €;score\nÉté;1,5 €;3\nHiver;2,5 €;4\n".encode("cp1252"))
    assert _says(empty, "&#x27;names.csv&#x27;, which is not UTF-8 text")
    assert _says(empty, "set `Encoding of text`")
    _control(empty, "Encoding of text").value = "cp1252"
    assert not _says(empty, "Upload the table first")
    _control(empty, "coût €").value = "min"
    assert "Été" in empty.sentences[0]
    assert 'encoding="cp1252"' in empty.python


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
    panel = copa_nb.panel(agents, objectives=ways)
    _control(panel, "System (model, method)").value = "system"
    _control(panel, "Repetition (seed, fold)").value = "run"
    means = agents.groupby("system")[list(ways)].mean()
    assert _explorer(panel).best == means.moo(ways).copa().best
    _open(panel, "How sure")
    runs = over_runs(agents, objectives=ways, system="system", repeat="run", n_resamples=1000, rng=0)
    assert panel.sentences[0] == runs.explain()
    panel.close()


def test_missing_values_that_are_bounded_are_answered_as_a_whole():
    gaps = MODELS.assign(ms=[3.0, None, 4.0, 2.0])
    panel = copa_nb.panel(gaps, objectives=WAYS)
    assert panel.sentences == ()
    _control(panel, "Nan policy").value = "bounds"
    possible = asked.copa(gaps.moo(WAYS), nan_policy="bounds")
    assert all(str(row) in panel.sentences[0] for row in possible.certain)
    panel.close()
