"""Published boards: what is written can be read, validates against the schema, and says what the board says."""

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import jsonschema
import nbformat  # noqa: F401  # which brings jsonschema
import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from copa_nb.results import Board
from tests import asked
from tests.said import sentence

HOSTILE = ["<b>a|b</b>", "m_0 *x* `y`", "[link](x) $z$", "line\nbreak", '"quoted" & co', "plain"]


def _scores(names=HOSTILE, n_items=40, seed=0, apart=0.4):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_items, 1)) + rng.normal(size=(n_items, len(names))) + apart * np.arange(len(names))
    return pd.DataFrame(
        {"model": np.tile(names, n_items), "task": np.repeat(np.arange(n_items), len(names)), "acc": values.ravel()}
    )


def _tiers(frame, **options):
    return asked.board(
        frame, system="model", item="task", objectives={"acc": "max"}, n_resamples=500, **options
    )  # fmt: skip


@pytest.fixture(scope="module")
def board():
    tiers = _tiers(_scores())
    return tiers.published(title="A *board*", date="2026-11-01", forecast=tiers.forecast(n_simulations=3))


def test_json_follows_the_schema_and_is_read_back(board, tmp_path):
    jsonschema.Draft202012Validator.check_schema(Board.schema())
    document = json.loads(board.to_json())
    jsonschema.Draft202012Validator(Board.schema()).validate(document)
    path = tmp_path / "board.json"
    board.to_json(path)
    again = Board.read(path)
    bare = replace(board, inputs=None)
    assert again.to_json() == board.to_json()
    assert again.explain() == bare.explain()
    assert again.to_markdown() == bare.to_markdown()
    assert again.choice.table.equals(board.choice.table.set_axis(again.choice.table.index))
    assert (again.choice.weights, again.choice.p) == (board.choice.weights, board.choice.p)
    assert repr(again) == repr(board)
    again.plot()
    assert Board.read(document).may_be_first == [str(one) for one in board.may_be_first]


def test_weights_and_the_norm_are_read_back(tmp_path):
    rng = np.random.default_rng(0)
    frame = _scores(list("abcd")).assign(cost=rng.random(160))
    told = frame.moo({"acc": "max", "cost": "min"}, system="model", item="task")
    for p in ("inf", 2):
        found = told.board(weights={"cost": 0.3}, p=p, n_resamples=200)
        again = Board.read(json.loads(found.to_json()))
        assert (again.choice.weights, again.choice.p) == (found.choice.weights, found.choice.p)
        pd.testing.assert_frame_equal(again.choice.table, found.choice.table, check_names=False)
        pd.testing.assert_series_equal(again.resolution(), found.resolution())


def test_what_needs_the_scores_says_so_of_a_board_that_was_read(board):
    again = Board.read(json.loads(board.to_json()))
    for ask in (again.forecast, again.with_fewer_systems, again.ranks_on_new_item):
        with pytest.raises(ValueError, match="was read from a file"):
            ask()


def test_two_systems_of_one_name_are_not_published():
    twice = _tiers(_scores(np.array([1, "1"], dtype=object)))
    with pytest.raises(ValueError, match="both called '1' on a board"):
        twice.to_json()


def test_json_says_what_the_tiers_say():
    tiers = _tiers(_scores())
    document = json.loads(tiers.to_json())
    names = [one["system"] for one in document["systems"]]
    assert names == tiers.table.index.tolist()
    assert document["pairs"]["resolved"] == tiers.n_ordered > 0
    assert document["pairs"]["all"] == 15
    for one in document["systems"]:
        row = tiers.table.loc[one["system"]]
        assert (one["low"], one["high"], one["tier"]) == (row["low"], row["high"], row["tier"])
        # The interval follows from who is ahead of whom.
        behind = sum(names.index(one["system"]) in other["ahead_of"] for other in document["systems"])
        assert (one["low"], one["high"]) == (1 + behind, len(names) - len(one["ahead_of"]))
        assert one["may_be_first"] == (one["system"] in tiers.may_be_first)
        assert one["values"]["acc"] == pytest.approx(row["acc"])
    assert document["forecast"] is None


def test_markdown_shows_labels_as_they_are(board):
    html = MarkdownIt("commonmark").enable("table").render(board.to_markdown())
    rows = ElementTree.fromstring(f"<x>{html}</x>").findall(".//tbody/tr")
    shown = ["".join(row[1].itertext()) for row in rows]
    assert sorted(shown) == sorted(" ".join(name.split()) for name in HOSTILE)
    assert all(len(row) == 4 for row in rows)
    heading = ElementTree.fromstring(f"<x>{html}</x>").find("h2")
    assert "".join(heading.itertext()) == "A *board*"
    tiers = [int(row[0].text) for row in rows]
    assert tiers == sorted(tiers)


def test_what_a_file_has_as_its_date_means_nothing_to_markdown(board):
    date = "2026 <img src=x> *y*\n\n# z"
    edited = Board.read({**json.loads(board.to_json()), "date": date})
    page = MarkdownIt("commonmark").enable("table").render(edited.to_markdown())
    read = ElementTree.fromstring(f"<x>{page}</x>")
    assert read.find(".//img") is None
    assert f"State: {' '.join(date.split())}." in "".join(read.itertext())
    assert f"State: {board.date}." in board.to_markdown()


def test_the_badge_is_xml_that_fits_its_text(board):
    svg = ElementTree.fromstring(board.to_svg())
    words = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "rank 1"
    alone = _tiers(_scores(["<&>" * 20, "b"], apart=-9))
    assert len(alone.may_be_first) == 1
    svg = ElementTree.fromstring(alone.to_svg())
    name = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")][1]
    assert name.startswith("<&><&>")
    assert name.endswith("…")
    boxes = [float(one.get("width")) for one in svg.iter("{http://www.w3.org/2000/svg}rect")]
    assert sum(boxes[1:]) == float(svg.get("width"))


def test_write_makes_the_four_files(board, tmp_path):
    written = board.write(tmp_path / "site")
    assert [path.name for path in written] == ["board.json", "board.md", "board.svg", "board.html"]
    assert all(path.read_text(encoding="utf-8") for path in written)


def test_changes_name_what_is_new_gone_and_resolved():
    before = _tiers(_scores(n_items=20).query("model != 'plain'")).published(date="2026-10-01")
    now = _tiers(_scores(n_items=120).query("model != '<b>a|b</b>'")).published(date="2026-11-01")
    changes = now.since(before)
    assert changes.table["change"].loc["plain"] == "new"
    assert changes.table["change"].loc["<b>a|b</b>"] == "gone"
    both = [name for name in now.table.index if name in set(before.table.index)]
    resolved = {
        (a, b)
        for a in both
        for b in both
        if now.ahead.loc[a, b] and not before.ahead.loc[a, b] and not before.ahead.loc[b, a]
    }
    assert set(changes.resolved) == resolved
    assert len(resolved) > 0
    since = sentence(changes, "board_changes.headline.since")
    assert since["date"] == "2026-10-01"
    assert [(one["say"].split(".")[-1], one["n"]) for one in since["changes"]][:3] == [
        ("new", 1), ("gone", 1), ("resolved", len(resolved)),
    ]  # fmt: skip
    assert sentence(changes, "board_changes.reasons.new")["named"] == ["plain"]
    assert all(isinstance(one, dict) for one in sentence(changes, "board_changes.reasons.resolved")["named"])
    same = now.since(now)
    assert (same.resolved, same.unresolved, same.reversed) == ([], [], [])
    assert set(same.table["change"]) == {""}


def test_pairs_that_turn_around_are_reversed():
    frame = _scores(["a", "b"], n_items=200, apart=3)
    turned = frame.assign(acc=-frame["acc"])
    changes = _tiers(turned).since(_tiers(frame))
    assert changes.reversed == [("a", "b")]
    assert changes.resolved == changes.unresolved == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), "is not a board"),
        (lambda d: d.update(version=2), "schema 2, and this version of copa_nb reads schema 1"),
        (lambda d: d.pop("systems"), '"systems" is missing'),
        (lambda d: d["systems"][0].pop("low"), '"low" is missing'),
        (lambda d: d["systems"][0].update(low="1"), "\"low\" is '1', not of type integer"),
        (lambda d: d["systems"][0].update(ahead_of=[99]), "names a system that is not among the 6"),
        (lambda d: d["systems"][0].update(system="plain", values={}), '"systems" has two|"values" of a system'),
        (lambda d: d["systems"][0]["values"].update(cost=1.0), '"values" of a system'),
    ],
)
def test_another_schema_or_a_damaged_board_is_refused(board, tmp_path, change, message):
    document = json.loads(board.to_json())
    change(document)
    path = tmp_path / "last.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        Board.read(path)
    with pytest.raises(ValueError, match=message):
        board.since(path)


def test_what_is_no_board_is_refused(board, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        board.since(tmp_path / "missing.json")
    path = tmp_path / "text.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="is not JSON"):
        Board.read(path)
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a board"):
        Board.read(path)
    other = asked.board(_scores().rename(columns={"acc": "f1"}), system="model", item="task", objectives={"f1": "max"})
    with pytest.raises(ValueError, match="other objectives"):
        board.since(other)
    with pytest.raises(ValueError, match="`date` is 'today'"):
        _tiers(_scores()).published(date="today")
    with pytest.raises(ValueError, match="a folder"):
        board.to_svg(tmp_path)
