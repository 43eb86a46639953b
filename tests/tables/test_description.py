"""Words that travel with a table: what they say, what pandas keeps of them, what verbs make of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.tables.description import WORDS, Description

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.8, 0.7, 0.85], "kg": [3.0, 1.0, 2.0, 1.5], "license": list("xyxy")}, index=list("abcd")
)
SAID = MODELS.moo.define(acc="max", kg="min", known="kg", show="license")


def _scores(n_items: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cells = itertools.product(["small", "medium", "large"], range(n_items))
    rows = pd.DataFrame(cells, columns=["model", "task"])
    rows["acc"] = rng.normal(size=len(rows)) + rows["model"].map({"small": 0.0, "medium": 1.0, "large": 1.2})
    rows["usd"] = rows["model"].map({"small": 1.0, "medium": 2.0, "large": 9.0})
    return rows


SCORES = _scores()
ROLES = {"system": "model", "item": "task", "known": "usd"}
DESCRIBED = SCORES.moo.define(acc="max", usd="min", **ROLES)


def test_a_description_is_flat_plain_and_in_order():
    described = SCORES.moo.define(usd="min", acc="max", item="task", known="usd", system="model")
    assert described.attrs["moo"] == {
        "objectives": {"usd": "min", "acc": "max"}, "system": "model", "item": "task", "known": "usd",
    }  # fmt: skip
    assert list(described.attrs["moo"]) == ["objectives", *(word for word in WORDS if word in ROLES)]
    assert described.moo.description == described.attrs["moo"]
    assert SCORES.attrs == {}, "the caller's frame is as it was"


def test_words_are_kept_changed_and_taken_away():
    again = DESCRIBED.moo.define(item=None, repeat="task").moo.description
    assert again == {"objectives": {"acc": "max", "usd": "min"}, "system": "model", "repeat": "task", "known": "usd"}
    assert DESCRIBED.moo(["acc"]).description["objectives"] == {"acc": "max"}
    assert DESCRIBED.moo(acc="min").description == {**DESCRIBED.attrs["moo"], "objectives": {"acc": "min"}}
    assert DESCRIBED.moo(item=None)(item="task").description["item"] == "task"


KEEPING = {
    "query": lambda frame: frame.query("acc > 0"),
    "assign": lambda frame: frame.assign(more=1),
    "reset_index": lambda frame: frame.reset_index(),
    "concat of frames that say the same": lambda frame: pd.concat([frame[:2], frame[2:]]),
}


@pytest.mark.parametrize("operation", KEEPING)
def test_what_pandas_keeps(operation):
    assert KEEPING[operation](SAID).moo.description == SAID.attrs["moo"]


def test_a_lost_description_is_taken_over_from_the_frame_that_has_it():
    models = MODELS.moo.define(acc="max", kg="min")
    joined = models.merge(pd.DataFrame({"license": ["x", "y"], "fee": [1, 2]}))
    with pytest.raises(ValueError, match=r"was described before.*joined\.moo\.define\(models\)"):
        joined.moo.front()
    assert joined.moo.define(models).moo.description == models.attrs["moo"]
    with pytest.raises(ValueError, match="nothing to take over"):
        joined.moo.define(MODELS)
    unlike = pd.DataFrame({"unlike anything": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"no objectives are defined") as error:
        unlike.moo.front()
    assert "described before" not in str(error.value)


def test_a_parquet_file_keeps_the_words(tmp_path):
    pytest.importorskip("pyarrow")
    DESCRIBED.to_parquet(tmp_path / "scores.parquet")
    assert pd.read_parquet(tmp_path / "scores.parquet").moo.description == DESCRIBED.attrs["moo"]


REFUSALS = [
    ({"item": "tsk"}, r"`item` names 'tsk', which is not a column.*Did you mean 'task'.*define\(item='task'\)"),
    ({"cluster": "max"}, r'`cluster` is \'max\', which is no column.*write df\.moo\.define\(\{"cluster": "max"\}\)'),
    ({"nan_policy": "drop"}, "`nan_policy` is 'drop'"),
    ({"bounds": (0, 1)}, "`bounds` must map objectives to pairs"),
    ({"validation": 1}, "`validation` must be how the columns"),
    ({"acc": "up"}, "gives 'up' as the direction of 'acc'"),
    ({}, "nothing is said"),
]


@pytest.mark.parametrize(("words", "message"), REFUSALS)
def test_what_is_no_description_is_refused(words, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SCORES.moo.define(**words)


def test_stale_words_are_named_with_the_line_that_says_them_anew():
    with pytest.raises(ValueError, match=r"`item` names 'task', which is not a column"):
        DESCRIBED.rename(columns={"task": "problem"}).moo.copa()
    with pytest.raises(ValueError, match=r'described with usd="min".*Without it: df\.moo\.define\(acc="max"\)'):
        DESCRIBED.drop(columns="usd").moo(known=None).front()
    with pytest.raises(ValueError, match="has no word 'objective'"):
        Description.of({"objective": {"acc": "max"}})


def test_verbs_on_rows_answer_for_systems():
    means = SCORES.groupby("model")[["acc", "usd"]].mean()
    chosen = DESCRIBED.moo.copa()
    assert len(chosen.table) == 3
    assert chosen.best == means.moo(acc="max", usd="min").copa().best
    front = DESCRIBED.moo.front()
    assert sorted(front.index) == sorted(means.moo(acc="max", usd="min").front().index)
    assert "Means over 12 tasks." in front.attrs["notes"]
    runs = SCORES.moo.define(acc="max", usd="min", system="model", repeat="task")
    pd.testing.assert_frame_equal(runs.moo.copa().table, chosen.table)


def test_a_table_that_was_averaged_is_one_of_systems():
    means = DESCRIBED.groupby("model")[["acc", "usd"]].mean()
    pd.testing.assert_frame_equal(means.moo.copa().table, DESCRIBED.moo.copa().table, check_like=True)
    flat = DESCRIBED.groupby("model", as_index=False)[["acc", "usd"]].mean()
    assert flat.moo.copa().best == means.moo.copa().best
    assert "item" not in flat.moo.description
    with pytest.raises(ValueError, match="`item` names 'task'"):
        DESCRIBED.drop(columns="task").moo.copa()


def test_means_keep_what_a_system_has_one_value_of():
    licensed = DESCRIBED.assign(size=DESCRIBED["model"].map({"small": 1, "medium": 7, "large": 70}))
    assert licensed.moo.copa(where="size <= 7").best in ("small", "medium")
    with pytest.raises(ValueError, match="'task'"):
        licensed.moo.copa(where="task < 3")


def test_means_of_unlike_items_are_refused():
    with pytest.raises(ValueError, match=r"1 of 36 cells .* have no row.*leave out the systems that lack items"):
        DESCRIBED.drop(index=5).moo.copa()
    nameless = SCORES.moo.define(acc="max", usd="min", item="task")
    with pytest.raises(ValueError, match=r'df\.moo\.define\(system="\.\.\."\)'):
        nameless.moo.copa()


def test_groups_are_asked_one_by_one():
    table = DESCRIBED.assign(half=(DESCRIBED["task"] >= 6).map({False: "first", True: "second"}))
    found = table.moo.by("half").copa()
    assert list(found) == ["first", "second"]
    for half, choice in found.items():
        assert choice.table.equals(table[table["half"] == half].moo.copa().table)
    assert MODELS.moo(acc="max").by("license").front().index.tolist() == ["a", "d"]
    with pytest.raises(ValueError, match="'hlaf'"):
        table.moo.by("hlaf")


@pytest.mark.parametrize(("words", "kind"), [
    ({}, "systems"), ({"system": "model"}, "systems"), ({"system": "model", "item": "task"}, "items"),
    ({"system": "model", "repeat": "task"}, "runs"), ({"order": "task"}, "search"),
    ({"item": "task", "repeat": "model"}, "items"),
])  # fmt: skip
def test_which_table_it_is_depends_on_words_alone(words, kind):
    assert Description.of({"objectives": {"acc": "max"}, **words}).kind(SCORES) == kind


def test_scores_on_validation_and_test_make_a_search():
    runs = pd.DataFrame({"val_f1": [0.5, 0.6], "test_f1": [0.4, 0.5]}).moo.define(f1="max")
    assert "search   gap" in repr(runs.moo)
    assert "every objective has a validation and a test score" in repr(runs.moo)
    with pytest.raises(ValueError, match="'f1'"):
        runs.moo.front()


def test_what_is_printed_names_the_table_and_what_it_can_be_asked():
    assert repr(DESCRIBED.moo).startswith("<moo: 3 models × 12 tasks\n acc ↑, usd ↓\n choose ")
    assert "how sure compare · board" in repr(DESCRIBED.moo)
    assert "× 12 tasks (97% of the cells)" in repr(DESCRIBED.drop(index=5).moo)
    alone = repr(DESCRIBED.moo(["acc"], known=None))
    assert "choose   front · layers · copa · normalize · hypervolume\n" in alone
    assert "plot, explore: one objective" in alone
    assert "Say what is good" in repr(SCORES.moo)


@pytest.mark.parametrize(
    "gaps", [DESCRIBED.drop(index=5), DESCRIBED.assign(acc=DESCRIBED["acc"].mask(SCORES.index == 5))]
)
def test_of_a_table_with_gaps_it_prints_what_they_allow_and_how_to_treat_them(gaps):
    untreated, in_pairs, left_out = (repr(gaps.moo(nan_policy=policy)) for policy in (None, "pairwise", "omit"))
    assert "hypervolume: cells are missing, and means over unlike items cannot be compared" in untreated
    assert (
        'board, confident_front, cheaper: cells are missing; say what they are worth, df.moo.define(nan_policy="pair'
        in untreated
    )
    assert "how sure compare · board · confident_front · cheaper\n" in in_pairs
    assert "ranks    mean_ranks · posets · gsd_front\n" in left_out
    with pytest.raises(ValueError, match=r"missing|have no row"):
        gaps.moo.copa()


def test_files_are_described_where_they_are_opened(tmp_path):
    pytest.importorskip("pyarrow")
    DESCRIBED.to_parquet(tmp_path / "scores.parquet")
    scanned = copa_nb.scan(tmp_path / "scores.parquet")
    assert scanned.moo.description == DESCRIBED.moo.description, "as pandas wrote it into the schema"
    assert scanned.moo.board().table.equals(DESCRIBED.moo.board().table)
    SCORES.to_parquet(tmp_path / "plain.parquet")
    said = copa_nb.scan(tmp_path / "plain.parquet", acc="max", usd="min", **ROLES)
    assert said.moo.description == DESCRIBED.moo.description
    with pytest.raises(TypeError, match="read in pieces, where systems are not averaged"):
        said.moo.copa()
