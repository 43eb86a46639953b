import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import copa_nb
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.results.sentences import say
from copa_nb.tables.objectives import to_minimization
from tests import asked
from tests.path import followed, of_a_verb
from tests.said import said_by, sentence
from tests.strategies import tables, weights

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.85, 0.7, 0.6], "co2": [9.0, 3.0, 2.0, 1.0]}, index=["large", "medium", "small", "tiny"]
)
BOTH = {"acc": "max", "co2": "min"}
VIEW = MODELS.moo(BOTH)
ORDERS = st.sampled_from([1, 1.5, 2, 4, "inf"])


def _costs(frame, directions):
    return np.array([(-1 if d == "max" else 1) * frame[name].to_numpy() for name, d in directions.items()]).T


def _plain_copa(costs, w, p):
    """COPA by its definition, with the tie rule, one row at a time."""
    n = len(costs)
    keys = []
    for row in costs:
        u = [sum(other[k] < row[k] for other in costs) / n for k in range(len(row))]
        terms = [a * b for a, b in zip(u, w, strict=True)]
        norm = max(terms) if p == "inf" else sum(t**p for t in terms) ** (1 / p)
        keys.append((round(norm, 10), round(sum(terms), 10), round(sum(u) * n)))
    return [i for i, key in enumerate(keys) if key == min(keys)]


@given(tables(min_columns=2), ORDERS, st.data())
def test_choice_is_the_definition(table, p, data):
    frame, directions = table
    raw = data.draw(weights(len(directions)))
    selection = asked.copa(frame, objectives=directions, p=p, weights=raw)
    w = np.array(raw) / sum(raw)
    expected = _plain_copa(_costs(frame, directions).tolist(), w.tolist(), p)
    assert selection.tied == [frame.index[i] for i in expected]
    assert selection.best == selection.tied[0]
    assert selection.position == expected[0]


@given(tables(min_columns=2), ORDERS, st.data())
def test_what_is_selected_is_pareto_optimal(table, p, data):
    frame, directions = table
    raw = data.draw(weights(len(directions)))
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(frame), max_size=len(frame))))
    allowed[0] = True
    selection = asked.copa(frame, objectives=directions, p=p, weights=raw, where=allowed)
    costs = _costs(frame, directions)
    chosen = [frame.index.get_loc(label) for label in selection.tied]
    front = np.flatnonzero(allowed)[nondominated(costs[allowed])]
    assert set(chosen) <= set(front.tolist())


@given(tables(min_columns=2), ORDERS)
def test_choice_is_invariant_under_increasing_maps(table, p):
    frame, directions = table
    mapped = frame.copy()
    for k, name in enumerate(mapped.columns):
        ranks = np.unique(frame[name].to_numpy(), return_inverse=True)[1]
        mapped[name] = np.exp(ranks * 0.1) * (k + 1) - 3
    before = asked.copa(frame, objectives=directions, p=p)
    after = asked.copa(mapped, objectives=directions, p=p)
    assert before.tied == after.tied
    np.testing.assert_array_equal(before.normalized, after.normalized)


@given(tables(min_columns=2), ORDERS, st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_changes_nothing(table, p, random):
    frame, directions = table
    rows, columns = list(frame.index), list(frame.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = frame.loc[rows, columns]
    before = asked.copa(frame, objectives=directions, p=p)
    after = asked.copa(shuffled, objectives={name: directions[name] for name in columns}, p=p)
    assert set(before.tied) == set(after.tied)
    np.testing.assert_allclose(after.scores[frame.index], before.scores, rtol=1e-12)


@given(tables(min_columns=2, min_rows=2), st.one_of(ORDERS, st.just(200)), st.data())
def test_a_model_that_is_better_everywhere_ranks_higher(table, p, data):
    frame, directions = table
    raw = data.draw(weights(len(directions)))
    ranks = asked.copa(frame, objectives=directions, p=p, weights=raw).table["rank"]
    costs = _costs(frame, directions)
    for i, y in enumerate(costs):
        for j, z in enumerate(costs):
            if (y <= z).all() and (y < z).any():
                assert ranks[frame.index[i]] < ranks[frame.index[j]]


def test_weights_in_part_share_the_rest():
    three = MODELS.assign(ms=[1.0, 2.0, 3.0, 4.0]).moo(acc="max", co2="min", ms="min")
    assert three.copa(weights={"co2": 0.5}).weights == pytest.approx({"acc": 0.25, "co2": 0.5, "ms": 0.25})
    assert three.copa(weights={"acc": 3, "co2": 2, "ms": 1}).weights == pytest.approx(
        {"acc": 0.5, "co2": 1 / 3, "ms": 1 / 6}
    )
    assert three.copa(weights=[1, 1, 2]).weights["ms"] == 0.5


def test_table_ranks_every_candidate_and_keeps_the_values():
    table = VIEW.copa().table
    assert list(table.columns) == ["rank", "score", "front", "acc", "co2", "u_acc", "u_co2"]
    assert table["rank"].tolist() == [1, 1, 3, 3]
    assert table.loc["medium", ["acc", "co2", "u_acc", "u_co2"]].tolist() == [0.85, 3.0, 0.25, 0.5]
    assert table["front"].all()


def test_an_objective_called_score_keeps_its_column():
    frame = MODELS.rename(columns={"acc": "score", "co2": "rank"})
    table = frame.moo({"score": "max", "rank": "min"}).copa().table
    assert table["score (value)"].loc["medium"] == 0.85
    assert table["rank (value)"].loc["medium"] == 3.0
    assert table["rank"].iloc[0] == 1


def test_constraints_restrict_the_choice_not_the_population():
    for where in ("co2 < 3", MODELS["co2"] < 3, (MODELS["co2"] < 3).to_numpy(), lambda f: f["co2"] < 3):
        selection = VIEW.copa(where=where)
        assert selection.best == "small"
        assert selection.table.loc["small", "u_acc"] == 0.5
        assert len(selection.table) == 2
        assert len(selection.scores) == 4
        assert " among 2 candidates," in repr(selection)
    limited = VIEW.copa(where="co2 < 3")
    assert sentence(limited, "choice.reasons.limit") == {"allowed": 2, "rows": 4}


def test_explanation_says_what_a_decision_maker_asks():
    choice = VIEW.copa(weights={"co2": 0.25})
    assert sentence(choice, "choice.headline.best_and_last") == {"best": "large", "first": ["acc"], "last": ["CO₂"]}
    values = sentence(choice, "choice.reasons.values")["objectives"]
    assert [(one["name"], one["value"], one["place"], one["rows"]) for one in values] == [
        ("acc", 0.9, 1, 4), ("CO₂", 9.0, 4, 4),
    ]  # fmt: skip
    trade = sentence(choice, "choice.details.trade")
    (cost,) = trade["costs"]
    assert (trade["objective"], cost["say"]) == ("acc", "choice.phrases.equal_ranks")
    assert [(one["n"], one["objectives"]) for one in cost["losses"]] == [(pytest.approx(3.0), ["CO₂"])]
    assert sentence(choice, "choice.details.tie_sums") == {"score": 0.1875, "sharing": 2, "rows": "rows"}
    assert choice.explain().startswith(f"{choice.headline}. acc: 0.9 (1st of 4); CO₂: 9 (4th). Against ")


def test_the_worst_of_five_is_not_in_the_top():
    frame = pd.DataFrame({"a": [5.0, 4.0, 3.0, 2.0, 1.0], "b": [1.0, 2.0, 3.0, 4.0, 5.0]})
    choice = frame.moo(a="max", b="max").copa(where=[True, False, False, False, False])
    assert [one["place"] for one in sentence(choice, "choice.reasons.values")["objectives"]] == [1, 5]
    frozen = copa_nb.Reference.fit(frame, objectives={"a": "max", "b": "max"})
    outside = pd.DataFrame({"a": [9.0], "b": [2.5]}, index=["new"])
    behind = sentence(asked.copa(outside, reference=frozen), "choice.reasons.values")["objectives"]
    assert [(one["behind"], one["rows"]) for one in behind] == [(0, 5), (3, 5)]


def test_ties_that_decide_are_said():
    frame = pd.DataFrame({"x": [1.0, 1.0, 0.0, 0.0], "y": [0.0, 1.0, 1.0, 3.0], "z": [1.0, 0.0, 1.0, 0.0]})
    view = frame.moo(x="min", y="min", z="min")
    scores = view.copa().scores
    assert (scores == scores.min()).sum() == 3
    for choice in (view.copa(), view.explore().selection):
        assert sentence(choice, "choice.details.tie_sums")["sharing"] == 3
        assert say(said_by(choice)["choice.details.tie_sums"]) in choice._repr_html_()
    even = pd.DataFrame({"x": [0.0, 0.0, 5.0], "y": [2.0, 1.0, 0.0]}, index=list("abc")).moo(x="min", y="min")
    tie = {"score": 0.0, "sharing": 2, "rows": "rows"}
    assert sentence(even.copa(weights={"x": 1.0}), "choice.details.tie_sums_and_ranks") == tie
    assert sentence(even.copa(weights={"x": 1.0}, p=1), "choice.details.tie_ranks") == tie
    assert not any("tie" in name for name in said_by(VIEW.copa(weights={"co2": 0.26})))


def test_a_light_objective_of_a_large_table_may_stand_at_any_place():
    many = pd.DataFrame({"a": np.arange(1000.0), "b": np.r_[np.arange(998.0, -1, -1), 0.5]})
    choice = many.moo(a="max", b="min").copa(weights={"a": 0.999, "b": 0.001})
    assert [one["place"] for one in sentence(choice, "choice.reasons.values")["objectives"]] == [1, 2]
    trade = sentence(choice, "choice.details.trade")
    assert trade["lost"] == {"say": "choice.phrases.rows_behind", "share": 0.1}
    assert trade["costs"] == [{"say": "choice.phrases.ranking_last", "objectives": ["b"]}]


def test_ties_are_all_listed():
    frame = pd.DataFrame({"x": [1.0, 1.0, 2.0], "y": [1.0, 1.0, 0.5]}, index=["a", "twin", "c"])
    selection = frame.moo(x="min", y="min").copa(weights={"x": 0.9})
    assert selection.tied == ["a", "twin"]
    assert sentence(selection, "choice.details.tied") == {"tied": ["twin"]}
    assert sentence(selection, "choice.headline.tied_two") == {"tied": ["a", "twin"]}
    assert "tied with 1 more" in repr(selection)


def test_duplicate_labels_are_kept_apart():
    frame = MODELS.set_axis(["m", "m", "m", "m"])
    selection = frame.moo(BOTH).copa()
    assert selection.best == "m"
    assert selection.position == 1
    assert selection.table["acc"].iloc[0] == 0.85


def test_groups_are_decided_within():
    frame = MODELS.assign(task=["p", "p", "q", "q"])
    grouped = asked.copa(frame.moo(BOTH), by="task", weights={"co2": 0.9})
    assert grouped.best.to_dict() == {"p": "medium", "q": "tiny"}
    assert grouped["p"].population_size == 2
    assert grouped.table.index.names[0] == "task"


def test_one_row_and_one_objective():
    assert MODELS.iloc[:1].moo(BOTH).copa().best == "large"
    assert MODELS.moo(acc="max").copa(p=2).best == "large"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 0.5}, '`p` is 0.5; it must be a number of at least 1, or "inf"'),
        ({"p": "two"}, "`p` is 'two'"),
        ({"p": math.nan}, "`p` is nan"),
        ({"p": True}, "`p` is True"),
        ({"weights": {"co2": -1}}, "`weights` gives -1 for 'co2'"),
        ({"weights": {"co2": 0, "acc": 0}}, "`weights` are all zero"),
        ({"weights": {"co2": 1.5}}, r"`weights` gives shares that sum to 1.5 and leaves out 'acc'"),
        ({"weights": {"c02": 1}}, r"`weights` names 'c02', which is not an objective.*Did you mean 'co2'"),
        ({"weights": [1, 2, 3]}, "`weights` has 3 numbers for 2 objectives"),
        ({"normalize": "zscore"}, "`normalize` is 'zscore'; allowed are"),
        ({"where": "co2 < 0"}, "`where` 'co2 < 0' excludes all 4 rows"),
        ({"where": "c02 < 3"}, r"`where` names 'c02', which is not a column.*Did you mean 'co2'"),
        ({"where": "__import__('os').system('true')"}, "`where` is .* expressions may contain column names"),
        ({"where": "@pd.io"}, "`where` is '@pd.io', which is not a valid expression"),
        ({"where": "acc.sum() > 0"}, "For anything else, pass a function"),
        ({"where": [True]}, r"`where` has shape \(1,\)"),
        (
            {"reference": "huge"},
            "`reference` names the row 'huge', which only normalize=\"relative\" uses|not in the index",
        ),
        ({"normalize": "relative", "reference": "larg"}, "`reference` is 'larg', which is not in the index.*'large'"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        VIEW.copa(**options)


def test_constant_and_zero_columns_are_named_where_a_scale_fails():
    constant = MODELS.assign(co2=1.0).moo(BOTH)
    assert constant.copa().best == "large"
    with pytest.raises(ValueError, match=r"objective 'co2' has only one value.*cdf"):
        constant.copa(normalize="minmax")
    with pytest.raises(ValueError, match="objective 'co2' has a best value of zero"):
        MODELS.assign(co2=[0.0, 1, 2, 3]).moo(BOTH).copa(normalize="relative")
    with pytest.raises(ValueError, match="objective 'acc' is to be maximized and lies outside"):
        MODELS.assign(acc=[1e3, 2, 3, 4]).moo(BOTH).copa(normalize="none")
    with pytest.raises(ValueError, match="objective 'co2' has infinite values"):
        MODELS.assign(co2=[np.inf, 1, 2, 3]).moo(BOTH).copa(normalize="minmax")


@pytest.mark.parametrize("nan_policy", ["omit", "worst"])
@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_the_costs_of_a_decision_are_read_again_as_they_were(nan_policy):
    frame = MODELS.assign(acc=[0.9, np.nan, 0.7, 0.6])
    chosen = asked.copa(frame.moo(BOTH), nan_policy=nan_policy)
    expected = to_minimization(frame, BOTH, nan_policy=nan_policy)
    np.testing.assert_array_equal(chosen.matrix.values, expected.values)
    np.testing.assert_array_equal(chosen.matrix.positions, expected.positions)
    assert chosen.matrix.index.equals(expected.index)
    assert (chosen.matrix.n_omitted, chosen.matrix.objectives) == (expected.n_omitted, expected.objectives)
    assert chosen.table["front"].tolist() == nondominated(expected.values)[chosen.ordered].tolist()


def test_a_decision_is_about_the_table_as_it_was():
    frame = MODELS.copy(deep=True)
    chosen = frame.moo(BOTH).copa()
    frame.loc["medium", "acc"] = 0.1
    frame["co2"] = 5.0
    pd.testing.assert_frame_equal(chosen.table, MODELS.moo(BOTH).copa().table)
    assert chosen.explain() == MODELS.moo(BOTH).copa().explain()


def test_rows_without_names_keep_their_numbers():
    for frame in (MODELS.reset_index(drop=True).rename_axis("row"), MODELS.set_axis(range(7, 11))):
        chosen = frame.moo(BOTH).copa()
        assert list(chosen.table.index) == list(frame.index[chosen.ordered])
        assert chosen.table.index.name == frame.index.name


def test_a_decision_passes_through_few_files():
    # Three of them read the description; one is what verbs read, one lets tables of other libraries in, one answers for
    # groups, one looks at what rows are, one orders them, one tells whether loops are compiled.
    assert len(set(followed(of_a_verb()["copa().best"]))) <= 19


@pytest.mark.parametrize("verb", ["copa", "navigate", "sensitivity", "stability"])
def test_a_mask_is_cut_to_the_rows_of_each_group_also_where_labels_repeat(verb):
    frame = pd.concat([MODELS.assign(task=task) for task in "vu"])
    mask = np.array([False, True, False, True, True, False, True, True])
    grouped = asked.copa(frame.moo(BOTH), by="task", where=mask)
    grouped = grouped if verb == "copa" else grouped.each(verb)
    for task, rows in (("v", slice(0, len(MODELS))), ("u", slice(len(MODELS), None))):
        alone = frame[rows].moo(BOTH).copa(where=mask[rows])
        alone = alone if verb == "copa" else getattr(alone, verb)()
        if verb != "stability":  # whose groups share one generator
            pd.testing.assert_frame_equal(grouped[task].table, alone.table)
        assert set(grouped[task].table.index) == set(alone.table.index)


def test_a_column_that_one_asks_to_see_is_in_words_of_the_choice():
    models = pd.DataFrame({"acc": [0.9, 0.8], "co2_kg": [9.0, 1.0], "license": ["MIT", "none"]}, index=list("ab"))
    choice = models.moo.define(acc="max", co2_kg="min", show="license").moo.copa(weights={"acc": 0.9})
    assert choice.to_answer().values["parameters"] == {"license": "MIT"}
    assert "MIT" in choice.explain()
