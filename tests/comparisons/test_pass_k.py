"""`pass_k`: C(c, k) / C(n, k) of each item, as an objective that every verb on items takes."""

import itertools
from math import comb

import numpy as np
import pandas as pd
import pytest

import copa_nb

RNG = np.random.default_rng(0)
ROWS = pd.MultiIndex.from_product([["a", "b"], range(20), range(5)], names=["agent", "task", "run"])
LOG = pd.DataFrame(
    {"success": (RNG.random(len(ROWS)) < np.where(ROWS.get_level_values(0) == "a", 0.8, 0.6)).astype(float),
     "usd": RNG.random(len(ROWS))},
    index=ROWS,
).reset_index().moo.define(success="max", usd="min", system="agent", item="task", repeat="run")  # fmt: skip


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("of", ["all", "any"])
def test_it_is_the_share_of_all_choices_of_k_attempts(k, of):
    table = LOG.moo.pass_k(k, of=of)
    name = f"success_pass_{k}" if of == "all" else f"success_pass_at_{k}"
    holds = all if of == "all" else any
    for _, row in table.iterrows():
        tries = LOG.query("agent == @row.agent and task == @row.task")
        choices = [holds(chosen) for chosen in itertools.combinations(tries["success"], k)]
        assert row[name] == pytest.approx(np.mean(choices))
        assert row["usd"] == pytest.approx(tries["usd"].mean())


def test_items_may_have_different_numbers_of_attempts():
    fewer = LOG.drop(index=[0, 1, 7])
    found = fewer.moo.pass_k(3).set_index(["agent", "task"])["success_pass_3"]
    for cell, tries in fewer.groupby(["agent", "task"])["success"]:
        assert found[cell] == pytest.approx(comb(int(tries.sum()), 3) / comb(len(tries), 3))
    with pytest.raises(ValueError, match=r"`k` is 4, and 1 of 40 systems on items .*; k may be at most 3"):
        fewer.moo.pass_k(4)


def test_the_table_is_described_and_verbs_on_items_take_it():
    table = LOG.moo.pass_k(3)
    assert table.moo.description == {
        "objectives": {"success_pass_3": "max", "usd": "min"}, "system": "agent", "item": "task",
    }  # fmt: skip
    found = table.moo.compare("a", "b")
    means = table.groupby("agent")["success_pass_3"].mean()
    assert found.table.loc["success_pass_3", "difference"] == pytest.approx(means["a"] - means["b"])
    assert table.moo.board().table.index.tolist() == ["a", "b"]
    polars = pytest.importorskip("polars")
    roles = {"system": "agent", "item": "task", "repeat": "run"}
    foreign = copa_nb.moo(polars.from_pandas(LOG), success="max", usd="min", **roles).pass_k(3)
    assert foreign["success_pass_3"].to_list() == table["success_pass_3"].tolist()


def test_what_is_no_success_is_refused():
    with pytest.raises(ValueError, match=r"`objective` is 'usd'; it must be maximized, and 0 or 1 in each attempt"):
        LOG.moo.pass_k(2, objective="usd")
    with pytest.raises(ValueError, match=r"`objective` is needed .* such objectives are none"):
        LOG.assign(success=LOG["success"] / 2).moo.pass_k(2)
    two = LOG.assign(safe=1.0).moo.define(success="max", safe="max")
    with pytest.raises(ValueError, match="such objectives are 'success', 'safe'"):
        two.moo.pass_k(2)
    assert "safe_pass_2" in two.moo.pass_k(2, objective="safe").columns
    gaps = LOG.assign(success=LOG["success"].mask(LOG.index == 3))
    with pytest.raises(ValueError, match="and 1 values are missing"):
        gaps.moo.pass_k(2, objective="success")
    free = LOG.assign(usd=LOG["usd"].mask(LOG.index == 3))
    with pytest.raises(ValueError, match=r"in objective 'usd' .* leave out the attempts that lack a value"):
        free.moo.pass_k(2)
    with pytest.raises(ValueError, match="`item` is needed"):
        LOG.moo.define(item=None).moo.pass_k(2)
    with pytest.raises(ValueError, match=r"`k` is 0; it must be a whole number"):
        LOG.moo.pass_k(0)


def test_it_is_offered_where_attempts_are_right_or_wrong():
    assert " attempts pass_k\n" in repr(LOG.moo)
    assert "pass_k" not in repr(LOG.moo.define(repeat=None).moo)
    assert "pass_k" not in repr(LOG.assign(success=LOG["success"] / 2).moo)
