"""Rankings with confidence: the published example of another implementation, brute force, and coverage in small."""

import io
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.comparisons.arrays.incomplete import from_incomplete_items
from copa_nb.comparisons.arrays.uncertainty import beaten
from copa_nb.results.sentences import part, say
from tests import asked
from tests.said import said_by, sentence

# Mean scores in mathematics of the OECD countries in PISA 2018 and their standard errors (OECD), as in the published
# example of the R package csranks.
PISA = pd.read_csv(
    io.StringIO("""country,score,se
Australia,491.3600252,1.939833031
Austria,498.9423138,2.970998694
Belgium,508.0703063,2.262662011
Canada,512.0169429,2.357475749
Chile,417.4065563,2.41588757
Colombia,390.9322732,2.989559274
Czech Republic,499.4676508,2.460661531
Denmark,509.3983746,1.735002337
Estonia,523.4145802,1.743602224
Finland,507.3013618,1.967920411
France,495.4075794,2.320214487
Germany,500.0437805,2.647083096
Greece,451.3703438,3.091228197
Hungary,481.0826364,2.319596741
Iceland,495.1873762,1.953082603
Ireland,499.632894,2.198621128
Israel,463.0345488,3.498563228
Italy,486.5898573,2.780045867
Japan,526.9732502,2.471475318
Korea,525.933002,3.121394315
Latvia,496.1263306,1.962766789
Lithuania,481.1911884,1.953282039
Luxembourg,483.421485,1.097632409
Mexico,408.8014734,2.493225544
Netherlands,519.2309824,2.632277885
New Zealand,494.489676,1.705942856
Norway,500.9637885,2.219044878
Poland,515.6478747,2.602085176
Portugal,492.4874062,2.684570081
Slovak Republic,486.1648542,2.555595707
Slovenia,508.8975441,1.363877596
Spain,481.3926126,1.462417763
Sweden,502.3877022,2.654250935
Switzerland,515.3147131,2.908003898
Turkey,453.5077774,2.260406789
United Kingdom,501.7698992,2.564428111
United States,478.2447174,3.235444099"""),
    index_col="country",
)
TOP_FIVE_95 = {
    "Belgium", "Canada", "Denmark", "Estonia", "Finland", "Japan", "Korea", "Netherlands", "Poland", "Slovenia",
    "Sweden", "Switzerland",
}  # fmt: skip

NONE = {"say": "board.phrases.none"}


def ranked(alpha):
    result = asked.board(
        PISA, standard_error={"score": "se"}, objectives={"score": "max"}, alpha=alpha, n_resamples=20_000
    )
    return result.table


@pytest.fixture(scope="module")
def at_95():
    return ranked(0.05)


def test_who_may_be_among_the_top_five_is_as_published(at_95):
    """Vignette of csranks: 12 countries at 95%; without Sweden at 90%."""
    assert set(at_95.index[at_95["low"] <= 5]) == TOP_FIVE_95
    at_90 = ranked(0.1)
    assert set(at_90.index[at_90["low"] <= 5]) == TOP_FIVE_95 - {"Sweden"}


def test_what_the_published_figure_shows(at_95):
    """The three last do not overlap with the others; Germany and Korea share rank 7 at 95%, and no rank at 75%."""
    last = at_95.loc[["Chile", "Mexico", "Colombia"]]
    assert at_95.drop(index=last.index)["high"].max() < last["low"].min()
    assert at_95.loc["Germany", "low"] <= 7 <= at_95.loc["Korea", "high"]
    at_75 = ranked(0.25)
    assert at_75.loc["Korea", "high"] < at_75.loc["Germany", "low"]


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from([1, 2, "inf"]))
def test_without_error_intervals_are_the_ranks_of_copa(seed, n, p):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 5, size=(n, 2)).astype(float), columns=["a", "b"]).assign(none=0.0)
    view = table.moo(a="max", b="min")
    result = asked.board(view, standard_error={"a": "none"}, known="a", p=p, n_resamples=100)
    expected = view.copa(p=p).table["rank"]
    pd.testing.assert_series_equal(result.table["rank"], expected, check_index_type=False)
    assert (result.table["low"] <= result.table["rank"]).all()
    assert (result.table["high"] >= result.table["rank"]).all()
    score = result.table["score"].to_numpy()
    separated = (score[:, None] < score[None, :] - 1e-12).sum(axis=0)
    np.testing.assert_array_less(separated, result.table["low"].to_numpy() + 0.5)


def test_intervals_hold_together_under_a_criterion_of_two_objectives():
    """True ranks of entities with known means, 25 items: no interval misses more often than alpha."""
    rng = np.random.default_rng(8)
    means = rng.normal(0, 0.6, size=(6, 2))
    truth = pd.DataFrame(means, columns=["a", "b"]).moo(a="max", b="max").copa(weights={"a": 0.5}).table["rank"]
    missed = 0
    for _ in range(60):
        scores = means + rng.standard_normal((25, 6, 2))
        frame = pd.DataFrame(scores.reshape(-1, 2), columns=["a", "b"])
        frame["system"], frame["item"] = np.tile(np.arange(6), 25), np.repeat(np.arange(25), 6)
        view = frame.moo(a="max", b="max")
        table = asked.board(view, system="system", item="item", weights={"a": 0.5}, n_resamples=300, rng=rng).table
        rank = truth.reindex(table.index)
        missed += bool(((rank < table["low"]) | (rank > table["high"])).any())
    assert missed <= 8  # binomial: more than 8 of 60 at a rate of .05 has a probability of .002


def test_words():
    result = asked.board(PISA, standard_error={"score": "se"}, objectives={"score": "max"})
    assert sentence(result, "board.headline.tied") | {"by": None} == {
        "n": 4, "rows": 37, "systems": "countries", "by": None,
    }  # fmt: skip
    leads = sentence(result, "board.reasons.best_of_tied")
    assert (leads["best"], leads["others"]) == ("Japan", ["Korea", "Estonia", "Netherlands"])
    assert (leads["leads"]["name"], leads["leads"]["value"]) == ("score", PISA["score"].max())
    assert {"best": "Japan", "low": 1, "high": 6, "rows": 37}.items() <= sentence(result, "board.details.ranks").items()
    alone = asked.board(PISA.tail(2).assign(se=0.1), standard_error={"score": "se"}, objectives={"score": "max"})
    assert sentence(alone, "board.headline.ahead_of_two")["best"] == alone.choice.best
    for one in (result, alone):
        answer = one.to_answer()
        assert one.explain().startswith(f"{answer.headline}. ")
        assert len(answer.headline.split()) <= 14
        assert len(" ".join([*answer.lines, answer.certainty]).split()) <= 70


def test_a_single_system_has_nothing_to_be_ahead_of():
    alone = asked.board(PISA.head(1), standard_error={"score": "se"}, objectives={"score": "max"})
    assert sentence(alone, "board.headline.only") == {"best": PISA.index[0]}
    assert alone.explain().startswith(f"{alone.headline}. ")


def test_systems_that_may_be_first_and_pairs_that_are_ordered(at_95):
    result = asked.board(PISA, standard_error={"score": "se"}, objectives={"score": "max"}, n_resamples=20_000)
    table = result.table
    assert set(result.may_be_first) <= set(table.index[table["low"] == 1])
    five = result.top(5)
    assert set(five.index) == TOP_FIVE_95
    assert (five["certain"] == (five["high"] <= 5)).all()
    # A pair is ordered once as "behind" and once as "ahead".
    assert result.n_ordered == (len(table) - table["high"]).sum()
    assert sentence(result, "board.reasons.resolved") == {"ordered": result.n_ordered, "pairs": 666}
    assert sentence(result, "board.details.top") == {
        "possible": len(result.top(3)), "k": 3, "certain": int(result.top(3)["certain"].sum()) or NONE,
    }  # fmt: skip
    with pytest.raises(ValueError, match="`k`"):
        result.top(0)
    assert result.top(len(table))["certain"].all()


def test_blue_are_those_that_may_rank_first_and_no_others():
    # b is not significantly behind the noisy leader, but behind c: it shares a tier with both and cannot rank first.
    scores = pd.DataFrame({"score": [10.0, 9, 5], "se": [10.0, 0.1, 0.1]}, index=["a", "c", "b"])
    result = asked.board(scores, standard_error={"score": "se"}, objectives={"score": "max"})
    assert result.table["tier"].tolist() == [1, 1, 1]
    assert result.table.loc["b", "low"] > 1
    ax = result.plot()
    drawn = {one.get_label(): len(one.get_segments()) for one in ax.collections}
    assert drawn == {"may rank first": 2, "significantly behind": 1}


def long(scores, clusters=None):
    """A table of scores, shape (items, systems), one row per score; NaN is left out."""
    frame = pd.DataFrame(scores).rename_axis("task").melt(ignore_index=False, var_name="model", value_name="score")
    frame = frame.reset_index().dropna()
    return frame if clusters is None else frame.assign(passage=np.array(clusters)[frame["task"]])


def ranked_on_items(scores, **options):
    return asked.board(
        long(scores, options.pop("clusters", None)), system="model", item="task", objectives={"score": "max"},
        **{"n_resamples": 100, **options},
    )  # fmt: skip


def test_ranks_on_a_new_item_by_trying_every_rank():
    rng = np.random.default_rng(5)
    scores = rng.normal([0.0, 1, 1, 3, 5], size=(30, 5))
    ranks = (-pd.DataFrame(scores)).rank(axis=1).to_numpy()
    found = ranked_on_items(scores).ranks_on_new_item(confidence_level=0.9).sort_index()
    for system, known in enumerate(ranks.T):
        possible = []
        for rank in np.arange(1, 5.5, 0.5):
            every = np.append(known, rank)
            distances = np.abs(every - np.median(every))
            if (distances >= distances[-1]).mean() > 0.1:
                possible.append(rank)
        assert found.loc[system].tolist() == [pytest.approx(known.mean()), min(possible), max(possible)]


def test_few_items_predict_nothing_and_clusters_are_ranked_by_their_means():
    rng = np.random.default_rng(6)
    effects = rng.normal(scale=3, size=(8, 3))
    scores = np.repeat(effects, 5, axis=0) + rng.normal(scale=0.1, size=(40, 3))
    few = ranked_on_items(scores, clusters=np.repeat(np.arange(8), 5), cluster="passage")
    assert few.ranks_on_new_item(confidence_level=0.9)[["low", "high"]].to_numpy().tolist() == [[1, 3]] * 3
    of_passages = (
        ranked_on_items(scores.reshape(8, 5, 3).mean(axis=1)).ranks_on_new_item(confidence_level=0.7).sort_index()
    )
    pd.testing.assert_frame_equal(few.ranks_on_new_item(confidence_level=0.7).sort_index(), of_passages)
    predicted = {"board.details.next_item", "board.details.next_item_between"}
    assert predicted.isdisjoint(said_by(few))
    some, many = (ranked_on_items(np.arange(3.0) + rng.normal(scale=0.1, size=(n, 3))) for n in (58, 59))
    assert predicted.isdisjoint(said_by(some))  # 19 items show 1 in 20, and any of three may be the first
    next_item = sentence(many, "board.details.next_item")
    assert (next_item["unit"], next_item["low"], next_item["level"]) == ("task", 1, 0.95)
    assert next_item["best"].endswith(" 2")


def test_ranks_among_fewer_systems_are_stretched_to_all():
    scores = np.tile(np.arange(4.0), (40, 1))
    scores[::2, :2] = np.nan
    found = ranked_on_items(scores, nan_policy="pairwise").ranks_on_new_item().sort_index()
    assert found.loc[3].tolist() == [1, 1, 1]
    # The first of four where it is measured with all of them, the last of two elsewhere.
    assert found.loc[2].tolist() == [3, 1, 4]


def test_without_items_nothing_is_predicted():
    result = asked.board(PISA, standard_error={"score": "se"}, objectives={"score": "max"})
    with pytest.raises(ValueError, match="`item` was not given"):
        result.ranks_on_new_item()


def test_resolution_of_intervals_that_do_and_do_not_overlap():
    frame = pd.DataFrame({"score": [9.0, 7, 5, 1, 0.9], "se": [1.0, 1, 0.1, 0.1, 0.1]}, index=list("abcde"))
    result = asked.board(frame, standard_error={"score": "se"}, objectives={"score": "max"})
    ahead = result.ahead.to_numpy()
    assert ahead.sum() == result.n_ordered == 7
    found = result.resolution()
    # a and b, c, d and e: {a, b} > {d, e}, a > c, c > {d, e}; b and c are open.
    assert found[["pairs", "ordered", "height", "width", "error"]].tolist() == [10, 7, 3, 2, 0]
    assert found["bits"] == pytest.approx(np.log2(3 * 2))
    assert found["bits_unordered"] == pytest.approx(np.log2(120))
    assert (found["smallest_ordered"], found["largest_open"]) == (4, 2)


def test_pairs_ordered_by_way_of_a_third_are_ordered():
    rng = np.random.default_rng(0)
    scores = rng.normal([0, 1.2, 2.4], size=(400, 3))
    scores[:200, 0], scores[200:, 2] = np.nan, np.nan
    ahead = ranked_on_items(scores, nan_policy="pairwise").ahead
    assert ahead.loc[2, 1]
    assert ahead.loc[1, 0]
    assert ahead.loc[2, 0], "0 and 2 have no item in common"


def test_with_fewer_systems_pairs_are_those_of_their_own_tiers():
    scores = np.random.default_rng(3).normal(np.arange(8) / 3, 1, size=(40, 8))
    result = ranked_on_items(scores)
    found = result.with_fewer_systems(leave_out=0.25, n_resamples=5)
    assert (found["best"] == result.table.index[0]).all()
    assert (found["pairs"] == 15).all()
    assert (found["reversed"] == 0).all()
    assert found["newly_ordered"].sum() > 0, "fewer pairs are adjusted for"
    with pytest.raises(ValueError, match="leaves 1 of 8"):
        result.with_fewer_systems(leave_out=0.9)


@pytest.mark.parametrize("options", [{"repeat": "task"}, {"standard_error": {"score": "se"}}])
def test_systems_are_left_out_of_runs_and_of_errors_too(options):
    frame = long(np.random.default_rng(3).normal(np.arange(5), 1, size=(6, 5)))
    if "standard_error" in options:
        frame = frame.groupby("model", as_index=False)["score"].mean().assign(se=0.1)
    result = asked.board(frame, system="model", objectives={"score": "max"}, n_resamples=100, **options)
    assert (result.with_fewer_systems(leave_out=0.4, n_resamples=3)["pairs"] == 3).all()


# --------------------------------------------------------------------------------------------- who may be first


def graded(seed, n_items, spread=1.0, size=4):
    """Scores of systems that get better from the first to the last, shape (items, systems)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_items, size)) + spread * np.linspace(0, 1, size)


@pytest.mark.parametrize("seed", range(3))
def test_who_may_be_first_is_a_test_of_each_system_against_the_largest_of_its_own_losses(seed):
    """All signs of seven items by definition: the observed loss counts among those under the other signs."""
    scores = graded(seed, 7, spread=1.5)
    signs = np.array(list(itertools.product([1, -1], repeat=7)))
    expected = []
    for one in range(4):
        losses = np.delete(scores, one, axis=1) - scores[:, [one]]
        largest = (np.maximum(signs @ losses, 0) / np.sqrt((losses**2).sum(axis=0))).max(axis=1)
        if (largest >= largest[0] - 1e-12).mean() > 0.05:
            expected.append(one)
    found = ranked_on_items(scores, n_resamples=500)
    assert sorted(found.may_be_first) == expected
    costs, known = -scores[:, :, None], np.zeros(1, dtype=bool)
    in_pairs = from_incomplete_items(costs, known, n_resamples=500, rng=np.random.default_rng(0))
    assert np.flatnonzero(~beaten(in_pairs, alpha=0.05, among=range(4))).tolist() == expected


def test_the_best_may_be_first_and_fewer_than_by_the_intervals_of_ranks():
    """In 60 tables, of clusters as well: the best is there, and the set is smaller than that of the intervals."""
    by_set = by_interval = missed = 0
    for seed in range(60):
        scores = graded(seed, 60, spread=0.7, size=8)
        # A third of the tables in clusters of two.
        clusters = np.arange(60) // 2 if seed % 3 == 0 else None
        found = ranked_on_items(
            scores, clusters=clusters, cluster=None if clusters is None else "passage", n_resamples=200
        )
        missed += 7 not in found.may_be_first
        by_set += len(found.may_be_first)
        by_interval += int((found.table["low"] == 1).sum())
        assert set(found.may_be_first) <= set(found.table.index[found.table["low"] == 1])
    assert missed <= 8  # binomial: more than 8 of 60 at a rate of .05 has a probability of .002
    assert by_set < 0.85 * by_interval
    assert say(part("board.details.first", level=0.95)) in found.guarantee.remarks


def test_with_several_objectives_the_intervals_of_ranks_say_who_may_be_first():
    scores = graded(0, 40, spread=2.0)
    frame = pd.DataFrame({"a": scores.ravel(), "b": scores.ravel(), "item": np.repeat(np.arange(40), 4)})
    frame["system"] = np.tile(np.arange(4), 40)
    found = asked.board(frame, system="system", item="item", objectives={"a": "max", "b": "max"}, n_resamples=200)
    assert found.may_be_first == found.table.index[found.table["low"] == 1].tolist()


def test_a_list_price_says_who_is_first():
    frame = pd.DataFrame({"price": [2.0, 1.0, 1.0] * 8, "system": list("abc") * 8, "item": np.repeat(np.arange(8), 3)})
    found = asked.board(frame, system="system", item="item", objectives={"price": "min"}, known="price")
    assert sorted(found.may_be_first) == ["b", "c"]
