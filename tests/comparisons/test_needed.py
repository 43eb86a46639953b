"""The number of items that settles a comparison, compared with simulations of the comparison itself."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.comparisons.arrays.planning import fewest
from tests import asked
from tests.said import said_by, sentence

SIDES = {"new": "B", "baseline": "A", "system": "agent", "item": "task"}


def answers(rng, n, repeats=1, shares=(0.70, 0.78)):
    """Right or wrong answers; half of the tasks are alike for both agents."""
    alike = rng.random(n) < 0.5
    common, own = rng.random((n, repeats)), rng.random((2, n, repeats))
    right = np.where(alike[:, None], common, own) < np.array(shares)[:, None, None]
    agent, task, repeat = np.indices(right.shape).reshape(3, -1)
    return pd.DataFrame(
        {"agent": np.array(["A", "B"])[agent], "task": task, "epoch": repeat, "right": right.ravel() * 1.0}
    )


def attempts(rng, n, repeats):
    """Attempts with a number of their own: no two tasks share one."""
    frame = answers(rng, n, repeats)
    return frame.assign(epoch=frame["task"] * repeats + frame["epoch"])


def costs(rng, n):
    frame = answers(rng, n)
    level = rng.normal(size=n)
    return frame.assign(
        cost=np.where(frame["agent"] == "A", 5.0, 4.9) + level[frame["task"]] + rng.normal(size=2 * n) * 0.5
    )


def settled(draw, n, rng, n_simulations, **options):
    decided = [asked.compare(draw(rng, n), **SIDES, **options).decided for _ in range(n_simulations)]
    return np.mean(decided)


SETTINGS = {
    "one objective": (answers, {"objectives": {"right": "max"}}, {"right": 0.08}),
    "two objectives and a margin": (
        costs, {"objectives": {"right": "max", "cost": "min"}, "margin": {"right": 0.03}}, {"right": 0.08, "cost": -0.1}
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_number_is_within_a_tenth_of_what_simulation_says(setting):
    """The power that is promised lies between those of a tenth fewer and a tenth more items."""
    draw, options, effect = SETTINGS[setting]
    rng = np.random.default_rng(5)
    plan = asked.compare(draw(rng, 20_000), **SIDES, **options).needed(effect=effect)
    n = 150
    fewer, more = (settled(draw, round(share * plan.n_items), rng, n, **options) for share in (0.9, 1.1))
    error = np.sqrt(0.8 * 0.2 / n)
    assert fewer < 0.8 + 2.5 * error
    assert more > 0.8 - 2.5 * error


def test_one_continuous_objective_needs_what_noncentral_t_says():
    rng = np.random.default_rng(0)
    gains = rng.normal(size=400)
    gains = 0.2 + (gains - gains.mean()) / gains.std(ddof=1)
    frame = pd.DataFrame(
        {"agent": ["A"] * 400 + ["B"] * 400, "task": [*range(400)] * 2, "score": [*np.zeros(400), *gains]}
    )
    plan = asked.compare(frame, **SIDES, objectives={"score": "max"}).needed()
    spread = np.sqrt(399 / stats.chi2.ppf(0.2, 399))  # upper 80% limit of a standard deviation of 1

    def power(n):
        limit = stats.t.ppf(0.975, n - 1)
        center = 0.2 / spread * np.sqrt(n)
        return stats.nct.sf(limit, n - 1, center) + stats.nct.cdf(-limit, n - 1, center)

    exact = fewest(lambda n: power(n) >= 0.8, least=2, most=10_000)
    assert exact == 211
    assert plan.n_items == pytest.approx(exact, rel=0.03)
    at = plan.table.set_index("n_items")["power"]
    assert at.to_numpy() == pytest.approx([power(n) for n in at.index], abs=0.02)


def test_right_answers_need_what_connors_formula_says():
    rng = np.random.default_rng(1)
    frame = answers(rng, 300)
    plan = asked.compare(frame, **SIDES, objectives={"right": "max"}).needed()
    gains = frame[frame.agent == "B"]["right"].to_numpy() - frame[frame.agent == "A"]["right"].to_numpy()
    differing, difference = int(np.abs(gains).sum()), gains.mean()
    discordant = stats.beta.ppf(0.8, differing + 1, 300 - differing)
    z, w = stats.norm.ppf([0.975, 0.8])
    formula = ((z * np.sqrt(discordant) + w * np.sqrt(discordant - difference**2)) / difference) ** 2
    assert plan.n_items == pytest.approx(formula, rel=0.05)


def alike(rng, n, shared=0.9):
    """Two agents that are right equally often, and give the same answer to most tasks."""
    same = rng.random(n) < shared
    right = np.where(same, rng.random(n) < 0.8, rng.random((2, n)) < 0.8)
    return pd.DataFrame({"agent": ["A"] * n + ["B"] * n, "task": [*range(n)] * 2, "right": right.ravel() * 1.0})


@pytest.mark.slow
def test_equivalence_of_right_answers_is_planned_with_the_test_that_is_run():
    """With 18 tasks that nobody differs on, Tango's interval still reaches beyond the margin of .1."""
    rng = np.random.default_rng(0)
    options = {**SIDES, "objectives": {"right": "max"}, "margin": {"right": 0.1}}
    plan = asked.compare(alike(rng, 20_000), **options).needed(effect={"right": 0.0}, verdict="equivalent")

    def found(n):
        return np.mean([asked.compare(alike(rng, n), **options).verdict == "equivalent" for _ in range(150)])

    assert found(18) == 0
    assert found(plan.n_items) > 0.8 - 2.5 * np.sqrt(0.8 * 0.2 / 150)
    assert found(round(0.75 * plan.n_items)) < 0.8 + 2.5 * np.sqrt(0.8 * 0.2 / 150)
    pilot = asked.compare(alike(rng, 60), **options).needed(effect={"right": 0.0}, verdict="equivalent")
    assert pilot.n_items > plan.n_items


def test_power_of_mcnemars_test_is_that_of_enumeration():
    frame = answers(np.random.default_rng(2), 40, shares=(0.6, 0.8))
    plan = asked.compare(frame, **SIDES, objectives={"right": "max"}).needed()
    gains = frame[frame.agent == "B"]["right"].to_numpy() - frame[frame.agent == "A"]["right"].to_numpy()
    differing = int(np.abs(gains).sum())
    share = stats.beta.ppf(0.8, differing + 1, 40 - differing)
    n = int(plan.table["n_items"].iloc[12])
    power = 0.0
    for m in range(n + 1):
        wins = np.arange(m + 1)
        of_wins = stats.binom.pmf(wins, m, (1 + gains.mean() / share) / 2)
        fewer = np.minimum(wins, m - wins)
        mid_p = 2 * stats.binom.cdf(fewer, m, 0.5) - stats.binom.pmf(fewer, m, 0.5)
        significant = (mid_p <= 0.05) & (2 * wins != m) & (np.abs(2 * wins - m) > 1.96 * np.sqrt(m))
        power += stats.binom.pmf(m, n, share) * of_wins[significant].sum()
    assert plan.table["power"].iloc[12] == pytest.approx(power, abs=0.02)


def test_declared_ranges_are_planned_with_bets():
    rng = np.random.default_rng(0)

    def draw(n):
        level = rng.uniform(0.2, 0.8, n)
        scores = [*(level + rng.uniform(-0.2, 0.2, n)), *(level + rng.uniform(-0.2, 0.2, n))]
        return pd.DataFrame({"agent": ["A"] * n + ["B"] * n, "task": [*range(n)] * 2, "score": scores})

    options = {**SIDES, "objectives": {"score": "max"}, "margin": {"score": 0.05}, "bounds": {"score": (0, 1)}}
    plan = asked.compare(draw(5000), **options).needed(effect={"score": 0.0}, verdict="equivalent")

    def found(n):
        return np.mean([asked.compare(draw(n), **options).verdict == "equivalent" for _ in range(40)])

    assert found(plan.n_items) > 0.8 - 2.5 * np.sqrt(0.8 * 0.2 / 40)
    assert found(round(0.6 * plan.n_items)) < 0.8


@pytest.mark.slow
def test_each_number_names_its_objective_and_what_would_be_found():
    rng = np.random.default_rng(6)
    frame = answers(rng, 100, shares=(0.7, 0.72))
    level = rng.normal(size=100)
    frame["cost"] = np.where(frame["agent"] == "A", 5.0, 4.0) + level[frame["task"]] + rng.normal(size=200) * 0.1
    found = asked.compare(frame, **SIDES, objectives={"right": "max", "cost": "min"})
    plan = found.needed()
    assert plan.objectives["verdict"].tolist() == ["undecided", "better"]
    assert plan.objectives.loc["cost", "n_items"] == 100
    assert plan.objectives.loc["right", "n_items"] > 100
    (number,) = said_by(plan)["needed.reasons.more"]["numbers"]
    assert (number["objective"], number["items"]) == ("right", "tasks")
    assert "cost" not in plan.hint
    assert plan.hint_about(["cost"]) == ""
    assert sentence(plan, "needed.reasons.decided") == {"objectives": ["cost"]}


def test_repetitions_help_as_far_as_items_do_not_differ():
    rng = np.random.default_rng(2)
    pilot = attempts(rng, 4000, repeats=2)
    options = {"objectives": {"right": "max"}, "repeat": "epoch"}
    plan = asked.compare(pilot, **SIDES, **options).needed(effect={"right": 0.012})
    assert plan.n_items > 4000
    variances = []
    for repeats in (2, plan.n_repeats):
        found = asked.compare(
            attempts(rng, 4000, repeats), **SIDES, objectives={"right": "max"}, repeat="epoch"
        ).table.loc["right", "standard_error"]
        variances.append(found**2)
    assert variances[1] / variances[0] == pytest.approx(4000 / plan.n_items, rel=0.12)
    assert sentence(plan, "needed.reasons.repeats") == {"n": plan.n_repeats, "measured": 4000, "items": "tasks"}


def test_more_items_do_not_make_up_for_few_seeds():
    """What seeds add to the variance does not fall with items, but with seeds."""
    rng = np.random.default_rng(3)
    effects = rng.normal(size=(2, 5)) * 0.5
    effects -= effects.mean(axis=1, keepdims=True)
    frame = answers(rng, 200, repeats=5)
    agent = frame["agent"].eq("B").astype(int)
    frame = frame.assign(right=rng.normal(size=len(frame)) + effects[agent, frame["epoch"]])
    options = {"objectives": {"right": "max"}, "repeat": "epoch"}
    plan = asked.compare(frame, **SIDES, **options).needed(effect={"right": 0.4})
    assert plan.n_items is None
    assert "needed.headline.none" in said_by(plan)


def test_seeds_alone_need_what_noncentral_t_says():
    """Where only seeds vary, more items change nothing, and seeds are few for their variance to be known well."""
    differences, effect = np.array([-0.3, -0.1, 0.0, 0.1, 0.3]), 0.4
    frame = answers(np.random.default_rng(3), 50, repeats=5)
    gain = np.where(frame["agent"] == "B", 0.2 + differences[frame["epoch"]], 0.0)
    frame = frame.assign(score=gain + frame["task"] / 50)
    options = {"objectives": {"score": "max"}, "repeat": "epoch"}
    powers = asked.compare(frame, **SIDES, **options).needed(effect={"score": effect}).table["power"]
    upper_limit = differences.var(ddof=1) / 5 * 4 / stats.chi2.ppf(0.2, 4)
    least = stats.t.ppf(0.975, 4)
    expected = stats.nct.sf(least, 4, effect / np.sqrt(upper_limit))
    assert powers.tail(5).to_numpy() == pytest.approx(expected, abs=0.02)


def test_what_is_known_decides_itself():
    frame = answers(np.random.default_rng(1), 150)
    alone = asked.compare(frame, **SIDES, objectives={"right": "max"}).needed(effect={"right": 0.08})
    both = {"objectives": {"right": "max", "price": "min"}, "known": "price"}
    for price, verdict in ((1.5, "dominates"), (2.5, "trade-off")):
        priced = frame.assign(price=np.where(frame["agent"] == "B", price, 2.0))
        plan = asked.compare(priced, **SIDES, **both).needed(effect={"right": 0.08}, verdict=verdict)
        assert plan.n_items == alone.n_items


def test_clusters_are_counted_in_clusters():
    rng = np.random.default_rng(3)
    frame = answers(rng, 60).assign(passage=lambda table: table["task"] // 3)
    plan = asked.compare(frame, **SIDES, cluster="passage", objectives={"right": "max"}).needed()
    assert plan.n_clusters == -(-plan.n_items // 3)
    (number,) = plan.parts_about(["right"])[0]["numbers"]
    assert (number["say"], number["cluster"]) == ("needed.phrases.clusters", "passages")
    assert plan.table.columns.tolist() == ["n_items", "n_clusters", "power"]


@pytest.mark.slow
def test_undecided_comparisons_say_how_many_items_are_missing():
    frame = answers(np.random.default_rng(6), 100, shares=(0.7, 0.72))
    found = asked.compare(frame, **SIDES, objectives={"right": "max"})
    assert not found.decided
    plan = found.needed()
    assert said_by(found)["needed.reasons.more"] == plan.parts_about(["right"])[0]
    assert plan.more == plan.n_items - 100
    assert plan.n_items == asked.compare(frame, **SIDES, objectives={"right": "max"}).needed().n_items
    decided = asked.compare(
        frame.assign(right=frame["agent"].eq("B") * 1.0 * (frame["task"] > 3)), **SIDES, objectives={"right": "max"}
    )
    assert "needed.reasons.more" not in said_by(decided)


@pytest.mark.slow
def test_equal_systems_are_never_told_apart():
    frame = answers(np.random.default_rng(4), 50)
    plan = asked.compare(frame, **SIDES, objectives={"right": "max"}).needed(effect={"right": 0.0})
    assert (plan.n_items, plan.more, plan.n_repeats) == (None, None, None)
    assert "needed.headline.none" in said_by(plan)
    assert plan.parts_about(["right"])[0]["objectives"] == ["right"]
    within = asked.compare(frame, **SIDES, objectives={"right": "max"}, margin={"right": 0.05}).needed(
        effect={"right": 0.0}
    )
    assert within.n_items > 500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 1.5}, "`power` is 1.5"),
        ({"verdict": "wins"}, "`verdict` is 'wins'"),
        ({"effect": {"cost": 1}}, "`effect` names 'cost', which is not an objective"),
        ({"effect": {"right": np.inf}}, "`effect` of 'right' is inf"),
    ],
)
def test_mistakes_are_named(options, message):
    frame = answers(np.random.default_rng(4), 50)
    with pytest.raises(ValueError, match=message):
        asked.compare(frame, **SIDES, objectives={"right": "max"}).needed(**options)
    with pytest.raises(TypeError, match="`effect` is 3; give each objective"):
        asked.compare(frame, **SIDES, objectives={"right": "max"}).needed(effect=3)
