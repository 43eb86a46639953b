"""Verdicts on claims: those of the public verbs, at one error rate."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from scipy import stats

import copa_nb
from copa_nb import datasets, text
from copa_nb.claims.check import _judged
from copa_nb.claims.claims_file import ClaimsFile
from copa_nb.claims.evidence import Reading
from copa_nb.claims.kinds import Claim, Judgment, form_of, kinds
from copa_nb.claims.verdicts import FAILS, HOLDS, OF_FILES, UNDECIDED
from copa_nb.results.sentences import part
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked
from tests.said import sentence

DIRECTIONS = {"accuracy": "max", "cost": "min"}


def answers(seed=0, n=60, skills=(0.6, 0.75, 0.9, 0.92)):
    """Right and wrong answers of systems to the same questions, and noisy costs."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{i}", question, float(rng.random() < skill), i + rng.normal())
        for i, skill in enumerate(skills)
        for question in range(n)
    ]
    return pd.DataFrame(rows, columns=["system", "question", "accuracy", "cost"])


def verdicts(claims, frame=None, *, settle=False, **settings):
    settings = {"objectives": DIRECTIONS, "system": "system", "item": "question"} | settings
    numbered = [{"id": f"c{i}", **claim} for i, claim in enumerate(claims)]
    return copa_nb.check({"claims": numbered, **settings}, answers() if frame is None else frame, settle=settle)


@pytest.mark.parametrize("seed", range(2))
def test_ranks_and_fronts_are_those_of_the_public_verbs(seed):
    frame = answers(seed)
    tiers = asked.board(frame, system="system", item="question", objectives=DIRECTIONS, weights={"cost": 0.3}).table
    front = asked.confident_front(frame, system="system", item="question", objectives=DIRECTIONS).table["verdict"]
    names = list(tiers.index)
    stated = [{"rank": name, "weights": {"cost": 0.3}, "p": "inf"} for name in names[:1]]
    stated += [{"rank": name, "at_most": 2, "weights": {"cost": 0.3}} for name in names]
    stated += [{"rank": name, "may_be": 1, "weights": {"cost": 0.3}} for name in names]
    stated += [{"on_front": name} for name in names]
    stated += [{"rank": name, "tier": k, "weights": {"cost": 0.3}} for name in names for k in (1, 2)]
    found = verdicts(stated, frame).table["verdict"].tolist()

    def three(holds, fails):
        return HOLDS if holds else FAILS if fails else UNDECIDED

    low, high = tiers["low"], tiers["high"]
    expected = [three(high.iloc[0] == 1, low.iloc[0] > 1)]
    expected += [three(high[name] <= 2, low[name] > 2) for name in names]
    expected += [three(low[name] == 1, low[name] > 1) for name in names]
    expected += [three(front[name] == "on the front", front[name] == "dominated") for name in names]
    expected += [HOLDS if tiers.loc[name, "tier"] <= k else FAILS for name in names for k in (1, 2)]
    assert found == expected


def test_a_planned_comparison_of_right_and_wrong_answers_is_mcnemars_exact_test():
    # s2 is right where s0 is wrong in b questions, and the other way round in c.
    for seed in range(6):
        frame = answers(seed, n=12)[["system", "question", "accuracy"]]
        wide = frame.pivot(index="question", columns="system", values="accuracy")
        b, c = int(((wide.s2 == 1) & (wide.s0 == 0)).sum()), int(((wide.s2 == 0) & (wide.s0 == 1)).sum())
        pvalue = stats.binomtest(max(b, c), b + c).pvalue if b + c else 1.0
        claim = {"better": ["s2", "s0"], "planned": True}
        found = verdicts([claim], frame, objectives={"accuracy": "max"}, n_resamples=5000).table.loc["c0", "verdict"]
        assert found == (UNDECIDED if pvalue > 0.05 else HOLDS if b > c else FAILS)


def test_not_worse_is_the_test_of_cheaper_equivalents():
    frame = answers(1, n=80).assign(cost=lambda f: f["system"].str[1:].astype(float))
    for margin in (0.0, 0.05, 0.1, 0.2):
        two = frame[frame["system"].isin(["s2", "s3"])]
        result = asked.cheaper(
            two, "s3", cost="cost", margin={"accuracy": margin}, system="system", item="question", known=["cost"],
            objectives=DIRECTIONS,
        )  # fmt: skip
        claim = {"not_worse": ["s2", "s3"], "margin": {"accuracy": margin}, "cheaper": "cost", "planned": True}
        found = verdicts([claim], frame, known=["cost"]).table.loc["c0", "verdict"]
        assert (found == HOLDS) == bool(result.table["equivalent"].iloc[0])


def test_a_system_that_is_worse_by_more_than_the_margin_fails():
    claims = [{"not_worse": ["s0", "s3"], "margin": {"accuracy": 0.01}, "planned": True}]
    assert verdicts(claims, answers(n=200)).with_verdict(FAILS) == ["c0"]


@pytest.mark.slow
def test_an_undecided_pair_says_how_many_more_items_would_settle_it():
    claim = {"better": ["s3", "s2"], "in": ["accuracy"], "planned": True}
    frame = answers(3)[["system", "question", "accuracy"]]
    row = verdicts([claim], frame, objectives={"accuracy": "max"}, settle=True).table.loc["c0"]
    two = asked.compare(
        frame, new="s3", baseline="s2", system="system", item="question", objectives={"accuracy": "max"}
    )
    assert row["verdict"] == UNDECIDED
    assert f"{row['settle']}." == two.needed(rng=0).hint


def test_an_undecided_rank_says_how_many_more_items_would_settle_it():
    frame = answers(3, n=40, skills=(0.5, 0.75, 0.85))[["system", "question", "accuracy"]]
    settings = {"objectives": {"accuracy": "max"}, "system": "system", "item": "question"}
    board = asked.board(frame, n_resamples=2000, rng=0, **settings)
    second = board.table.index[1]
    row = verdicts([{"rank": second, "at_most": 1}], frame, **settings, settle=True).table.loc["c0"]
    assert row["verdict"] == UNDECIDED
    expected = "16 times as many questions would not settle this in most simulated tables"
    for times in (16, 8, 4, 2):
        low, high = board.forecast(times=times, n_simulations=9, rng=0).ranks.loc[(times, second)]
        if low > 1 or high == 1:
            likely = "holds" if high == 1 else "fails"
            expected = (
                f"About {(times - 1) * 40} more questions would settle this in most simulated tables, where it most "
                f"often {likely}"
            )
    assert row["settle"] == expected
    unsettled = copa_nb.check({"claims": [{"rank": second, "at_most": 1}], **settings}, frame, settle=False)
    assert unsettled.table["settle"].tolist() == [""]


def _more(frame, unit, times, rng):
    """Draw units of every system again, more often, with the public tools of pandas."""
    chosen = rng.choice(frame[unit].unique(), size=times * frame[unit].nunique())
    return pd.DataFrame({unit: chosen, "copy": np.arange(len(chosen))}).merge(frame, on=unit).drop(columns=unit)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "name"), [(0, "s2"), (1, "s1"), (2, "s3")])
def test_an_undecided_front_says_how_many_more_items_would_settle_it(seed, name):
    frame = answers(seed, n=40)
    row = verdicts([{"on_front": name}], frame, settle=True).table.loc["c0"]
    assert row["verdict"] == UNDECIDED
    said = r"About (\d+) more questions would settle this in most simulated tables, where it most often (holds|fails)"
    more, likely = re.fullmatch(said, row["settle"]).groups()
    more = int(more)
    rng = np.random.default_rng(7)

    def decided(times):
        fronts = [
            asked.confident_front(
                _more(frame, "question", times, rng), system="system", item="copy", objectives=DIRECTIONS, rng=0
            ).table["verdict"][name]
            for _ in range(20)
        ]
        on_front = fronts.count("on the front")
        assert (on_front > fronts.count("dominated")) == (likely == "holds")
        return np.mean([one != "undecided" for one in fronts])

    times = more // 40 + 1
    assert decided(times) > 0.3
    assert times == 2 or decided(times // 2) < 0.7


@pytest.mark.slow
def test_undecided_claims_about_runs_and_gaps_say_how_many_more_runs_would_settle_them():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"system": np.repeat(["a", "b"], 6), "run": np.tile(range(6), 2)})
    runs["accuracy"] = runs["run"] + 1.5 * (runs["system"] == "b")
    settings = {"objectives": {"accuracy": "max"}, "system": "system", "repeat": "run", "item": None}
    row = verdicts([{"better": ["b", "a"], "planned": True}], runs, **settings, settle=True).table.loc["c0"]
    assert row["verdict"] == UNDECIDED
    assert re.fullmatch(
        r"About \d+ more runs would settle this in most simulated tables, where it most often holds", row["settle"]
    )
    searches = pd.concat(
        [
            pd.DataFrame(rng.random((8, 2)), columns=["val_a", "val_b"]).assign(
                test_a=lambda f: f["val_a"] - 0.2 * rng.random(8), test_b=lambda f: f["val_b"], seed=seed
            )
            for seed in range(6)
        ]
    )
    directions = {"a": "max", "b": "max"}
    mean = asked.gap(searches, objectives=directions, repeat="seed").table["gap"].mean()
    claims = {"objectives": directions, "repeat": "seed", "claims": [{"gap": round(mean * 1.1, 3)}]}
    row = copa_nb.check(claims, searches).table.iloc[0]
    assert row["verdict"] == UNDECIDED
    assert re.search(r"(About \d+ more|16 times as many) runs would (not )?settle this", row["settle"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim", [{"on_front": "s1", "under": "any_utility"}, {"rank": "s1", "for": "new_item", "at_most": 1}]
)
def test_what_more_items_do_not_settle_or_is_not_estimated_is_said(claim):
    row = verdicts([claim], answers(1, n=20), n_resamples=200, settle=True).table.loc["c0"]
    assert row["verdict"] == UNDECIDED
    assert row["settle"]


@pytest.mark.parametrize(("lead", "is_planned"), [(0.015, False), pytest.param(0.065, True, marks=pytest.mark.slow)])
def test_an_undecided_improvement_says_how_many_runs_would_settle_it_or_that_none_would(lead, is_planned):
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(
        [
            (system, seed, mean + rng.normal() * 0.03, 1 + rng.normal() * 0.1)
            for system, mean in (("new", 0.8 + lead), ("old", 0.8))
            for seed in range(4)
        ],
        columns=["system", "seed", "accuracy", "cost"],
    )
    settings = {"objectives": DIRECTIONS, "system": "system", "repeat": "seed"}
    row = copa_nb.check({"claims": [{"better": ["new", "old"], "in": "hypervolume"}], **settings}, runs).table.iloc[0]
    assert row["verdict"] == UNDECIDED
    test = asked.hv_test(runs, system="system", repeat="seed", objectives=DIRECTIONS, new="new", baseline="old")
    effect = test.per_run.difference / test.per_run.mean_baseline
    needed = test.needed(effect=effect, n_simulations=200, n_resamples=1000)
    assert (needed.n_runs is not None) == is_planned
    if is_planned:
        assert row["settle"].startswith(f"About {needed.n_runs - 4} more runs of each system would settle this")
    else:
        assert f"{row['settle']}." == needed.reason


def test_ranks_on_a_new_item_are_those_that_tiers_predict():
    frame = answers(5, n=400)
    predicted = asked.board(frame, system="system", item="question", objectives=DIRECTIONS).ranks_on_new_item(
        confidence_level=1 - 0.05 / 4
    )
    for name, row in predicted.iterrows():
        for k in range(1, 5):
            found = verdicts([{"rank": name, "for": "new_item", "at_most": k}], frame).table.loc["c0", "verdict"]
            assert found == (HOLDS if row["high"] <= k else FAILS if row["low"] > k else UNDECIDED)


def test_what_more_is_better_of_is_no_cost():
    with pytest.raises(ValueError, match="`cheaper` names 'accuracy'"):
        verdicts([{"not_worse": ["s1", "s2"], "cheaper": "accuracy"}])


def test_a_dearer_system_is_not_cheaper():
    frame = answers().assign(cost=lambda f: f["system"].str[1:].astype(float))
    claim = {"not_worse": ["s3", "s0"], "margin": {"accuracy": 0.5}, "cheaper": "cost"}
    assert verdicts([claim], frame, known=["cost"]).with_verdict(FAILS) == ["c0"]


def test_without_a_sample_the_verdict_is_about_the_values():
    table = pd.DataFrame({"accuracy": [0.8, 0.9, 0.9], "cost": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
    stated = [
        ({"on_front": "a"}, HOLDS), ({"on_front": "c"}, FAILS), ({"better": ["b", "c"], "in": "dominance"}, HOLDS),
        ({"better": ["a", "b"], "in": "dominance"}, FAILS), ({"better": ["b", "a"], "in": ["accuracy"]}, HOLDS),
        ({"not_worse": ["a", "b"], "margin": {"accuracy": 0.2}}, HOLDS),
        ({"not_worse": ["a", "b"], "margin": {"accuracy": 0.05}, "cheaper": "cost"}, FAILS),
        ({"rank": asked.copa(table, objectives=DIRECTIONS).best}, HOLDS),
        ({"where": "cost <= 2", "of": "c"}, FAILS),
        ({"number": {"of": "a", "column": "accuracy"}, "equals": 0.81, "tolerance": 0.01}, HOLDS),
        ({"number": {"of": "a", "column": "accuracy"}, "at_least": {"of": "b", "column": "accuracy"}}, FAILS),
        ({"number": "b - a > 0.05", "numbers": {x: {"of": x, "column": "accuracy"} for x in "ab"}}, HOLDS),
    ]  # fmt: skip
    claims = {"objectives": DIRECTIONS, "claims": [claim for claim, _ in stated]}
    result = copa_nb.check(claims, table)
    assert result.table["verdict"].tolist() == [expected for _, expected in stated]
    assert (result.table["level"] == 0).all()
    assert "noise in them is unknown" in result.explain()


CELLS = pd.DataFrame(
    {
        "accuracy": [0.9, 0.8, 0.7], "recall": [np.nan, 0.5, 0.9], "runs": pd.array([1, None, 3], dtype="Int64"),
        "a b": [1.0, 2.0, np.nan],
    },
    index=list("abc"),
)  # fmt: skip


def judged_on_cells(claim, frame=CELLS, **settings):
    settings = {"objectives": {"accuracy": "max", "recall": "max"}} | settings
    return copa_nb.check({"claims": [{"id": "c", **claim}], **settings}, frame).table.loc["c", ["verdict", "found"]]


@pytest.mark.parametrize("sign", ["!=", "==", "<", ">", "<=", ">="])
def test_of_an_empty_cell_nothing_is_known(sign):
    number = {"of": "a", "column": "recall"}
    claims = [
        {"where": f"recall {sign} 0.9", "of": "a"},
        {"where": f"accuracy > 0.5 and not (`recall` {sign} accuracy)", "of": "a"},
        {"number": f"x {sign} 0.9", "numbers": {"x": number}},
        {"number": f"x - y {sign} 0.1", "numbers": {"x": number, "y": {"of": "b", "column": "recall"}}},
        {"number": number, {"!": "equals", "=": "equals", "<": "at_most", ">": "at_least"}[sign[0]]: 0.9},
    ]
    for claim in claims:
        assert judged_on_cells(claim).tolist() == [UNDECIDED, "recall of a is missing"], claim
    for claim in claims[:3]:  # and of the others, what pandas says
        other = json.loads(json.dumps(claim).replace('"a"', '"b"'))
        holds = bool(CELLS.loc[["b"]].assign(x=CELLS["recall"]).eval(claim.get("where", claim.get("number"))).iloc[0])
        assert judged_on_cells(other)["verdict"] == (HOLDS if holds else FAILS)


def test_empty_cells_of_other_columns_and_kinds_of_claims():
    assert judged_on_cells({"where": "runs > 0", "of": "b"})["found"] == "runs of b is missing"
    assert judged_on_cells({"number": {"of": "b", "column": "runs"}, "at_most": 9})["verdict"] == UNDECIDED
    assert judged_on_cells({"where": "`a b` != 3 or runs == 1", "of": "c"})["found"] == "a b of c is missing"
    assert judged_on_cells({"where": "accuracy > 0.5", "of": "c"})["verdict"] == HOLDS
    for kind, options in (("better", {}), ("better", {"in": "dominance"}), ("not_worse", {})):
        for policy in ("omit", "worst", "bounds"):
            found = judged_on_cells({kind: ["a", "b"], **options}, nan_policy=policy)
            assert found.tolist() == [UNDECIDED, "recall of a is missing"]
        with pytest.raises(ValueError, match=rf"`{kind}` names a, which has no value of recall; fill it in"):
            judged_on_cells({kind: ["a", "b"], **options})
        assert judged_on_cells({kind: ["b", "c"], **options})["verdict"] == FAILS
    for claim in ({"rank": "a"}, {"rank": "a", "at_most": 3}, {"rank": "a", "may_be": 1}, {"on_front": "a"}):
        with pytest.warns(RowsOmittedWarning):
            found = judged_on_cells(claim, nan_policy="omit")
        assert found.tolist() == [UNDECIDED, "recall of a is missing"], claim


def test_means_of_several_rows_of_which_some_are_empty():
    frame = answers(n=10).assign(price=np.where(np.arange(40) % 10 == 3, np.nan, 2.0))
    claim = {"number": {"of": "s1", "column": "price"}, "equals": 2.0}
    found = verdicts([claim], frame).table.iloc[0]
    assert (found["verdict"], found["found"]) == (UNDECIDED, "1 of 10 values of price of s1 are missing")
    assert verdicts([claim], frame, nan_policy="pairwise").counts[HOLDS] == 1


def test_a_front_with_unknown_cells_is_decided_where_no_value_changes_it():
    frame = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7, 0.6], "recall": [np.nan, 0.9, np.nan, 0.4]}, index=list("abcd"))
    policy = {"nan_policy": "bounds"}
    expected = asked.layers(frame, 1, objectives={"accuracy": "max", "recall": "max"}, **policy)
    assert expected.tolist() == [1, pd.NA, pd.NA, 2]
    found = [judged_on_cells({"on_front": one}, frame, **policy).tolist() for one in frame.index]
    assert [verdict for verdict, _ in found] == [HOLDS, UNDECIDED, UNDECIDED, FAILS]
    assert found[1][1] == "whether another row dominates it depends on missing values"
    assert found[2][1] == "recall of c is missing"
    for place in ({}, {"at_most": 3}, {"may_be": 1}):
        with pytest.raises(ValueError, match=r"`nan_policy` is 'bounds', under which systems have no single rank"):
            judged_on_cells({"rank": "b", **place}, frame, **policy)


def test_runs_suites_and_searches():
    runs = pd.DataFrame(
        {
            "system": ["new"] * 8 + ["old"] * 8, "seed": list(range(8)) * 2,
            "accuracy": [0.9 + 0.001 * i for i in range(8)] + [0.7 + 0.001 * i for i in range(8)],
            "cost": [1 + 0.01 * i for i in range(8)] + [2 + 0.01 * i for i in range(8)],
        }
    )  # fmt: skip
    claims = [{"id": "up", "better": ["new", "old"], "in": "hypervolume"}]
    found = copa_nb.check({"claims": claims, "objectives": DIRECTIONS, "system": "system", "repeat": "seed"}, runs)
    assert found.with_verdict(HOLDS) == ["up"]
    suite = datasets.load_deepobs()
    depth = asked.posets(suite, system="optimizer", item="problem").depth().depth
    bounds = [{"id": "deep", "depth": "P1", "at_least": float(depth["P1"]) - 1e-9}]
    settings = {"system": "optimizer", "item": "problem"}
    assert copa_nb.check({"claims": bounds, **settings}, suite).with_verdict(HOLDS) == ["deep"]


def test_gaps_are_bounded_by_their_intervals():
    rng = np.random.default_rng(0)
    size = 60 * 20
    searches = pd.DataFrame({"seed": np.repeat(range(60), 20), "val_a": rng.random(size), "val_b": rng.random(size)})
    searches = searches.assign(test_a=rng.random(size), test_b=rng.random(size))
    directions = {"a": "min", "b": "min"}
    low, high = asked.gap(searches, objectives=directions, repeat="seed").interval("gap")
    assert low > 0
    for bound, expected in ((high + 1e-9, HOLDS), ((low + high) / 2, UNDECIDED), (low - 1e-9, FAILS)):
        claims = {"objectives": directions, "repeat": "seed", "claims": [{"gap": bound}]}
        assert copa_nb.check(claims, searches, settle=False).table["verdict"].tolist() == [expected]
    worst = asked.gap(searches, objectives=directions, repeat="seed").overtuning().final["overtuning"].max()
    claims = {"objectives": directions, "repeat": "seed", "claims": [{"gap": worst, "quantity": "overtuning"}]}
    assert copa_nb.check(claims, searches, settle=False).counts[HOLDS] == 1


class Coin(Claim):
    """A claim whose verdict is decided by its level."""

    def __init__(self, name, test, needed, weight=1.0, after=()):
        self.__dict__.update(id=name, test=test, needed=needed, weight=weight, after=list(after), line=0)

    def says(self):
        return self.id

    def shared_test(self, evidence):
        return self.test

    def judge(self, evidence, alpha):
        return Judgment(HOLDS if alpha >= self.needed else UNDECIDED, part("claims.found.by_the_table"))


def levels(*coins, alpha=0.05):
    found = _judged(ClaimsFile(tuple(coins), Reading(), alpha), None)
    return [(one.verdict, round(level, 6)) for one, level in found]


def test_the_error_rate_is_divided_among_tests_and_passed_on_as_in_holms_procedure():
    rng = np.random.default_rng(0)
    for _ in range(200):
        pvalues = rng.choice([0.001, 0.005, 0.01, 0.012, 0.02, 0.03, 0.2], size=rng.integers(1, 6))
        found = levels(*(Coin(str(i), i, p) for i, p in enumerate(pvalues)))
        order = np.argsort(pvalues, kind="stable")
        holm = np.maximum.accumulate((len(pvalues) - np.arange(len(pvalues))) * pvalues[order])
        expected = np.empty(len(pvalues), dtype=bool)
        expected[order] = holm <= 0.05 + 1e-12
        assert [verdict == HOLDS for verdict, _ in found] == expected.tolist()


def test_claims_of_one_test_share_its_level_and_pass_it_on_only_if_all_hold():
    together = [Coin("a", "t", 0.02), Coin("b", "t", 0.03)]
    assert levels(*together, Coin("c", "u", 0.04)) == [(HOLDS, 0.025), (UNDECIDED, 0.025), (UNDECIDED, 0.025)]
    assert levels(together[0], Coin("c", "u", 0.04)) == [(HOLDS, 0.025), (HOLDS, 0.05)]
    assert levels(Coin("a", "t", 0.03, weight=4), Coin("c", "u", 0.2)) == [(HOLDS, 0.04), (UNDECIDED, 0.05)]


def test_claims_that_come_one_after_the_other_are_tested_in_a_fixed_sequence():
    rng = np.random.default_rng(1)
    for _ in range(100):
        pvalues = rng.choice([0.001, 0.02, 0.049, 0.051, 0.2], size=rng.integers(1, 6))
        chain = [Coin(str(i), i, p, after=[str(i - 1)] if i else []) for i, p in enumerate(pvalues)]
        found = levels(*chain)
        # At the whole error rate, up to the first that is not significant.
        tested = [i == 0 or bool((pvalues[:i] <= 0.05).all()) for i in range(len(pvalues))]
        assert [level == 0.05 for _, level in found] == tested
        assert [verdict == HOLDS for verdict, _ in found] == (np.array(tested) & (pvalues <= 0.05)).tolist()


def test_a_claim_waits_for_all_claims_before_it():
    coins = [Coin("a", 1, 0.001), Coin("b", 2, 0.2), Coin("c", 3, 0.0, after=["a", "b"])]
    assert levels(*coins)[2] == (UNDECIDED, 0)
    assert levels(coins[0], Coin("b", 2, 0.001), coins[2])[2] == (HOLDS, 0.05)
    table = [Coin("a", None, 0.0), Coin("b", None, 0.1), Coin("c", 3, 0.0, after=["b"]), Coin("d", 4, 0.0, after=["a"])]
    # Those that are about the table as it is have no share to pass on, and none is taken from others.
    assert levels(*table) == [(HOLDS, 0), (UNDECIDED, 0), (UNDECIDED, 0), (HOLDS, 0.025)]
    # The share of a test stays with those of its claims that do not hold.
    shared = [Coin("a", 1, 0.001), Coin("b", 1, 0.2), Coin("c", 2, 0.0, after=["a"])]
    assert levels(*shared) == [(HOLDS, 0.05), (UNDECIDED, 0.05), (UNDECIDED, 0)]
    same = [Coin("a", 1, 0.001), Coin("b", 1, 0.2), Coin("c", 1, 0.0, after=["a"]), Coin("d", 1, 0.0, after=["b"])]
    assert levels(*same) == [(HOLDS, 0.05), (UNDECIDED, 0.05), (HOLDS, 0.05), (UNDECIDED, 0)]


@pytest.mark.slow
def test_verdicts_do_not_depend_on_the_order_of_the_claims():
    claims = [
        {"id": "x", "not_worse": ["s2", "s3"], "margin": {"accuracy": 0.1}}, {"id": "y", "on_front": "s0"},
        {"id": "z", "not_worse": ["s1", "s3"], "margin": {"accuracy": 0.2}, "planned": True},
    ]  # fmt: skip
    settings = {"objectives": DIRECTIONS, "system": "system", "item": "question"}
    first = copa_nb.check({"claims": claims, **settings}, answers()).table
    second = copa_nb.check({"claims": claims[::-1], **settings}, answers()).table
    pd.testing.assert_frame_equal(first.sort_index(), second.sort_index())


def test_results_write_the_claims_that_hold_of_them():
    table = pd.DataFrame({"accuracy": [0.8, 0.9, 0.85], "cost": [1.0, 3.0, 1.5]}, index=["a", "b", "c"])
    choice = asked.copa(table, objectives=DIRECTIONS, weights={"cost": 0.7}, p=2)
    import yaml

    claims = {"objectives": DIRECTIONS, "claims": yaml.safe_load(choice.claim())}
    assert copa_nb.check(claims, table).counts == {HOLDS: 1, FAILS: 0, UNDECIDED: 0}
    tiers = asked.board(answers(), system="system", item="question", objectives=DIRECTIONS)
    high = tiers.table["high"]
    claims = [yaml.safe_load(tiers.claim(name, int(high[name])))[0] for name in tiers.table.index]
    assert verdicts(claims).counts[HOLDS] == len(claims)


def test_a_choice_that_claims_cannot_repeat_is_refused():
    table = pd.DataFrame({"accuracy": [0.8, 0.9], "cost": [1.0, 3.0]}, index=["a", "b"])
    with pytest.raises(ValueError, match="where"):
        asked.copa(table, objectives=DIRECTIONS, where="cost <= 2").claim()


def test_outputs_state_every_verdict(tmp_path):
    result = verdicts([{"rank": "s3"}, {"on_front": "s0"}, {"better": ["s0", "s3"], "in": "dominance"}])
    document = json.loads(result.to_json(tmp_path / "now.json"))
    assert document["schema"] == "copa_nb/check/1"
    assert {claim["id"]: claim["verdict"] for claim in document["claims"]} == result.table["verdict"].to_dict()
    suite = ElementTree.fromstring(result.to_junit().encode()).find("testsuite")
    assert int(suite.get("failures")) == result.counts[FAILS] == len(suite.findall("testcase/failure"))
    assert int(suite.get("tests")) == 3
    assert "No verdict has changed." in result.to_markdown(since=tmp_path / "now.json")
    other = next(word for word in OF_FILES if word != document["claims"][0]["verdict"])
    document["claims"][0]["verdict"] = other
    del document["claims"][2]
    (tmp_path / "old.json").write_text(json.dumps(document))
    changes = result.to_markdown(since=tmp_path / "old.json")
    assert f"`c0`: {other} →" in changes
    assert "`c2`: new" in changes
    document["claims"][0]["verdict"] = "<img src=x>"
    for foreign in ("[]", json.dumps(document)):
        (tmp_path / "foreign.json").write_text(foreign)
        with pytest.raises(ValueError, match=r"`since` is .*foreign\.json', which is not a JSON file of verdicts"):
            result.to_markdown(since=tmp_path / "foreign.json")


def test_a_claim_without_a_name_is_written_once_as_it_was_understood():
    table = pd.DataFrame({"accuracy": [0.8, 0.9], "cost": [1.0, 3.0]}, index=["a", "b"])
    claims = [{"where": "cost <= 2", "of": "b"}, {"id": "named", "better": ["b", "a"], "in": ["accuracy"]}]
    result = copa_nb.check({"objectives": DIRECTIONS, "claims": claims}, table)
    assert result.table.index.tolist() == ["b satisfies cost <= 2", "named"]
    assert sentence(result, "claims.reasons.fails") == {"claim": '"b satisfies cost <= 2"', "found": "cost 3"}
    row, named = result.to_markdown().splitlines()[-2:]
    assert row == r"| ❌ | b satisfies cost \<= 2 | cost 3. |"
    assert named.startswith("| ✅ | `named` b is better than a in accuracy |")
    assert 'id="claim-1"' in result.to_html()
    assert 'id="named"' in result.to_html()


@pytest.mark.slow
def test_words_about_the_table_reach_the_verbs():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"system": ["new"] * 8 + ["old"] * 8, "seed": [*range(8)] * 2, "accuracy": rng.random(16)})
    runs["cost"] = np.exp(rng.normal(size=16) + 2 * (runs["system"] == "old"))
    options = {"objectives": DIRECTIONS, "system": "system", "repeat": "seed"}
    for log in (None, ["cost"]):
        file = {"claims": [{"better": ["new", "old"], "in": "hypervolume"}], "log": log, "show": "seed", **options}
        found = copa_nb.check(file, runs).table["found"].iloc[0]
        test = asked.hv_test(runs, new="new", baseline="old", log=log, **options)
        assert f"differ by {text.number(test.per_run.difference, 3)}, {text.pvalue(test.per_run.pvalue)}" in found
    search = pd.DataFrame({"v_a": rng.random(20), "v_b": rng.random(20), "t_a": rng.random(20), "t_b": rng.random(20)})
    search["trial"] = rng.permutation(20)
    words = {"validation": "v_", "test": "t_"}
    ways = {"a": "max", "b": "max"}
    claims = [{"gap": 0.1}, {"gap": 0.1, "quantity": "overtuning"}]
    found = copa_nb.check({"claims": claims, "objectives": ways, "order": "trial", **words}, search).table["found"]
    gap = asked.gap(search, objectives=ways, **words).gap
    lost = asked.gap(search, objectives=ways, order="trial", **words).overtuning().final["overtuning"].max()
    assert found.tolist() == [f"it is {text.number(gap, 3)}", f"the largest is {text.number(lost, 3)}"]


def test_names_mean_nothing_to_markdown(tmp_path):
    name = "<b>a_b|`*c*`\n# d"
    frame = pd.DataFrame({"accuracy": [0.8, 0.9]}, index=[name, "b"])
    claims = [{"id": name, "rank": name}, {"id": "a_b", "rank": "b", "at_most": 2}]
    result = copa_nb.check({"objectives": {"accuracy": "max"}, "claims": claims}, frame)
    document = json.loads(result.to_json())
    document["claims"] = [document["claims"][0] | {"verdict": "undecided"}, document["claims"][0] | {"id": f"{name}2"}]
    (tmp_path / "old.json").write_text(json.dumps(document))
    page = MarkdownIt("commonmark").enable("table").render(result.to_markdown(since=tmp_path / "old.json"))
    read = ElementTree.fromstring(f"<x>{page}</x>")  # which would refuse or keep tags that names had brought
    assert read.find(".//b") is None
    shown = "<b>a_b|'*c*' # d"
    assert ["".join(one.itertext()) for one in read.iter("li")] == [
        f"{shown}: undecided → fails", "a_b: new, holds", f"{shown}2: removed (fails before)"
    ]  # fmt: skip
    assert [one.text for one in read.iterfind(".//td/code")] == [shown, "a_b"]
    assert ["".join(row[1].itertext()) for row in read.iterfind(".//tbody/tr")] == [
        f"{shown} {shown} ranks first", "a_b b ranks among the first 2"
    ]  # fmt: skip


def test_every_form_of_a_kind_has_an_example_that_is_of_this_form():
    assert len(kinds()) <= 10
    for kind, forms in kinds().items():
        for form in forms:
            assert next(iter(form.example)) == kind
            assert form_of(kind, form.example) is form
            claim = form.read(form.example)
            assert claim.id == claim.says()
            assert form.about


@pytest.mark.parametrize("pattern", ["", "*.parquet"])
def test_a_folder_of_files_is_judged_as_its_rows_are(tmp_path, pattern):
    (tmp_path / "log").mkdir()
    for number, rows in answers().groupby("system"):
        rows.to_parquet(tmp_path / "log" / f"{number}.parquet", index=False)
    claims = {
        "table": f"log/{pattern}", "objectives": DIRECTIONS, "system": "system", "item": "question",
        "claims": [{"id": "first", "rank": "s3"}, {"id": "ahead", "not_worse": ["s2", "s0"], "margin": {"cost": 9}}],
    }  # fmt: skip
    (tmp_path / "claims.yaml").write_text(json.dumps(claims), encoding="utf-8")
    found = copa_nb.check(tmp_path / "claims.yaml")
    expected = copa_nb.check({key: value for key, value in claims.items() if key != "table"}, answers())
    pd.testing.assert_frame_equal(found.table.drop(columns="line"), expected.table.drop(columns="line"))


def test_claims_about_many_items_rest_on_sums(monkeypatch):
    """What follows from which system is better is judged from sums; what needs rows is refused."""
    monkeypatch.setattr("copa_nb.streams.items.FEWEST_UNITS", 2)
    frame = answers(n=400)
    table = copa_nb.scan([frame[:500], frame[500:]], DIRECTIONS, rows_in_memory=0)
    claims = [{"rank": "s3", "at_most": 4}, {"on_front": "s0"}]
    for found in (verdicts(claims, frame), verdicts(claims, table)):
        assert found.table["verdict"].tolist() == [HOLDS, HOLDS]
    with pytest.raises(TypeError, match=r"claim 'c0'.*raise `rows_in_memory`"):
        verdicts([{"not_worse": ["s2", "s0"], "margin": {"accuracy": 0.1}}], table)
    planned = [{"better": ["s2", "s0"], "in": ["accuracy"], "planned": True}]
    assert verdicts(planned, table).table["verdict"].tolist() == verdicts(planned, frame).table["verdict"].tolist()
