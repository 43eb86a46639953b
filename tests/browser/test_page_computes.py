"""What the page computes is what Python computes: choices, rankings, paths and fronts, in a real browser."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from copa_nb import text
from copa_nb.explorers.widget import Explorer
from copa_nb.generalization.arrays import fronts
from copa_nb.ranking.arrays import criterion
from copa_nb.ranking.normalize import fit_normalizer
from copa_nb.tables.objectives import to_minimization
from tests import asked
from tests.each import hold_for_each

CASES = 1_000
PATH_EVERY = 10
ORDERS = [1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 32.0, np.inf]
_JUDGE = """cases => JSON.stringify(JSON.parse(cases).map((one) => {
  const { values, size, maximized, scales, how, weights, locked, moved, p, ranges } = one;
  const { Table, Decision, navigate } = window.arithmetic;
  const bytes = Uint8Array.from(atob(values), (letter) => letter.charCodeAt(0));
  const table = new Table(new Float64Array(bytes.buffer), size, maximized, scales);
  const rows = table.within(ranges);
  if (!rows.length) return null;
  const order = p === "inf" ? Infinity : p;
  const decision = new Decision(table, rows, weights, order, how);
  return { tied: decision.tied, ranking: decision.first(5).map(({ row, rank }) => [row, rank]),
           all: decision.first(Infinity).map(({ row, rank }) => [row, rank]),
           standing: Array.from(rows, (row) => decision.standing(row).rank),
           path: moved === null ? null : navigate(table, rows, weights, locked, moved, order, how) };
}))"""


@pytest.fixture
def page(browser):
    opened = browser.new_page()
    script = Explorer._esm.default_value
    names = "Table, Decision, navigate, tieKey, frontHistory, splitFront, number, Store"
    opened.add_script_tag(content=f"{script}\nwindow.arithmetic = {{ {names} }};", type="module")
    opened.wait_for_function("() => window.arithmetic")
    return opened


def _judge(page, cases):
    # As text: handing over nested lists takes longer than judging them.
    return json.loads(page.evaluate(_JUDGE, json.dumps(cases)))


_MOVE = """async (isClosed) => {
  const handlers = {};
  const sent = [];
  const model = {
    get: () => ({ weight: 0 }), set: (name, value) => sent.push(value.weight), save_changes: () => {},
    on: (event, handler) => (handlers[event] = handler), off: () => {},
  };
  const settled = new Promise((resolve) => setTimeout(resolve, 400));
  const store = new window.arithmetic.Store(model, (state) => state, () => {}, () => {}, new AbortController().signal);
  store.set({ weight: 1 });
  if (isClosed) handlers.destroy();
  await settled;
  return sent;
}"""


def a_move_is_sent_unless_the_kernel_closes_the_explorer_first(page):
    assert page.evaluate(_MOVE, False) == [1]
    assert page.evaluate(_MOVE, True) == []


def _draw(rng):
    """A table with ties and infinities, weights some of which are zero, an order, limits, and the moved weight."""
    n, k = int(rng.integers(1, 30)), int(rng.integers(2, 6))
    kind = rng.integers(4)
    table = rng.normal(size=(n, k)) if kind == 0 else rng.integers(0, rng.integers(2, 9), size=(n, k)).astype(float)
    if kind == 2:
        table[rng.random((n, k)) < 0.1] = rng.choice([np.inf, -np.inf, np.nan])
    if kind == 3 and k > 1:
        table[:, 1] = rng.permutation(table[:, 0])
    weights = rng.choice([rng.dirichlet(np.ones(k)), np.full(k, 1 / k), rng.multinomial(4, np.full(k, 1 / k)) / 4])
    p = float(rng.choice(ORDERS)) if rng.random() < 0.8 else float(rng.uniform(1, 40))
    ranges = [[None, None]] * k
    if rng.random() < 0.4:
        finite = table[np.isfinite(table)]
        limits = sorted(rng.choice(finite, 2).tolist()) if len(finite) else [0.0, 1.0]
        ranges[int(rng.integers(k))] = [limits[0], None] if rng.random() < 0.5 else [None, limits[1]]
    directions = {f"c{j}": str(rng.choice(["max", "min"])) for j in range(k)}
    how = str(rng.choice(["cdf", "cdf", "minmax"]))
    return pd.DataFrame(table, columns=list(directions)), directions, weights, p, ranges, how, int(rng.integers(k))


def _copa(frame, directions, weights, p, ranges, how):
    """What copa says within the limits; None where no row is."""
    where = np.ones(len(frame), dtype=bool)
    for name, (low, high) in zip(frame, ranges, strict=True):
        where &= (low is None or frame[name] >= low) & (high is None or frame[name] <= high)
    if not where.any():
        return None
    options = {"objectives": directions, "weights": list(weights), "p": p, "normalize": how, "nan_policy": "worst"}
    return asked.copa(frame, where=where, **options)


def _cases(count, seed):
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        frame, directions, weights, p, ranges, how, moved = _draw(rng)
        scales = {}
        if how == "minmax":
            try:
                scale = fit_normalizer(to_minimization(frame, directions, nan_policy="worst"), how)
            except ValueError:
                how = "cdf"
            else:
                scales = {how: {"origin": scale.origin.tolist(), "unit": scale.unit.tolist()}}
        locked = [bool(rng.random() < 0.15 and j != moved) for j in range(len(directions))]
        plain = {
            "values": base64.b64encode(np.ascontiguousarray(frame.to_numpy().T).tobytes()).decode(), "size": len(frame),
            "maximized": [d == "max" for d in directions.values()], "scales": scales, "how": how,
            "weights": weights.tolist(), "p": "inf" if np.isinf(p) else p, "ranges": ranges, "locked": locked,
            "moved": moved if len(found) % PATH_EVERY == 0 else None,
        }  # fmt: skip
        found.append((plain, frame, directions, weights, p, ranges, how))
    return found


def choices_rankings_and_paths_are_those_of_copa(page):
    cases = _cases(CASES, 0)
    ties = constrained = steps = 0
    for start in range(0, len(cases), 500):
        part = cases[start : start + 500]
        answers = _judge(page, [plain for plain, *_ in part])
        for (plain, frame, directions, weights, *settings), answer in zip(part, answers, strict=True):
            case = json.dumps(plain)
            direct = _copa(frame, directions, weights, *settings)
            if direct is None or answer is None:
                assert direct is answer, case
                continue
            ranks = direct.table["rank"]
            ranking = [list(pair) for pair in ranks.items()]
            assert answer["tied"] == sorted(direct.tied), case
            assert answer["all"] == ranking, case
            assert answer["ranking"] == ranking[:5], case
            assert answer["standing"] == ranks.sort_index().tolist(), case
            ties += (ranks == 1).sum() > 1
            constrained += len(ranks) < len(frame)
            if answer["path"]:
                steps += len(answer["path"]) > 1
                for row, moved in _ends(plain, answer["path"]):
                    assert row in _copa(frame, directions, moved, *settings).tied, case
    # The cases do hold what they are meant to.
    assert min(ties, constrained, PATH_EVERY * steps) > CASES / 20


def _ends(plain, path):
    """Rows that the path names, and weights at both ends of the stretches in which copa must choose them."""
    weights, free = np.array(plain["weights"]), ~np.array(plain["locked"])
    locked = weights[~free].sum()
    free[plain["moved"]] = False
    for stretch in path[:: max(1, len(path) // 3)]:
        for value in (stretch["low"], stretch["high"]):
            moved = weights.copy()
            moved[plain["moved"]] = value
            if free.any():
                share = weights[free] / weights[free].sum() if weights[free].sum() else 1 / free.sum()
                moved[free] = (max(1 - locked, 0) - value) * share
            if moved.sum() > 0:
                yield stretch["row"], moved / moved.sum()


def digits_that_decide_are_rounded_alike(page):
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(size=2000), 10.0 ** rng.uniform(-300, 300, 500), [0.0, np.nextafter(1, 2)]])
    rounded = page.evaluate("values => values.map(window.arithmetic.tieKey)", values.tolist())
    assert np.array_equal(np.array(rounded, dtype=float), criterion.tie_key(values))


def numbers_are_written_alike(page):
    rng = np.random.default_rng(4)
    drawn = rng.normal(size=500) * 10.0 ** rng.uniform(-9, 12, 500)
    values = [*drawn.tolist(), 1450.0, 9999.4, 9999.5, 32768.0, 128000.0, 10000.5, 12345678.9, 1e9, -54321.0]
    for digits in (3, 4):
        written = page.evaluate("([values, digits]) => values.map((one) => arithmetic.number(one, digits))",
                                [values, digits])  # fmt: skip
        assert written == [text.number(value, digits) for value in values]


def fronts_are_those_of_python_at_every_budget(page):
    rng = np.random.default_rng(3)
    for keep in ["all", "first"] * 40:
        validation, test = rng.integers(0, 6, size=(2, 25, int(rng.integers(2, 4)))).astype(float)
        found = page.evaluate(
            """([validation, test, first]) => {
              const { frontHistory, splitFront } = window.arithmetic;
              const history = frontHistory(validation, validation[0].length, first);
              return validation[0].map((_, b) => {
                const front = history.filter(({ row, leaves }) => row <= b && leaves > b).map(({ row }) => row);
                return [front, splitFront(test, front, first)];
              });
            }""",
            [validation.T.tolist(), test.T.tolist(), keep == "first"],
        )
        for budget, (front, split) in enumerate(found, start=1):
            expected = fronts.fronts(validation[:budget], test[:budget], keep=keep)
            assert front == np.flatnonzero(expected.validation).tolist()
            assert split["optimistic"] == np.flatnonzero(expected.optimistic).tolist()
            assert split["pessimistic"] == np.flatnonzero(expected.pessimistic).tolist()


WALKS = [
    a_move_is_sent_unless_the_kernel_closes_the_explorer_first, choices_rankings_and_paths_are_those_of_copa,
    digits_that_decide_are_rounded_alike, numbers_are_written_alike, fronts_are_those_of_python_at_every_budget,
]  # fmt: skip


@pytest.mark.slow
def test_what_the_page_computes_is_what_python_computes(page):
    hold_for_each(WALKS, lambda walk: walk(page))
