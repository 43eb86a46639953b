"""Python and the page say the same: they fill templates alike, and decide alike which sentences a choice needs."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from copa_nb.results.sentences import _GAP, SENTENCES, say, template
from copa_nb.tables.objectives import row_in_words
from tests import asked
from tests.explorers.node import find_node, module_of, run

NODE = find_node()
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; pip install pyright[nodejs] brings it")
NUMBERS = [0, 1, 2, 3, 11, 22, 113, 1234, 0.5, 0.004, 0.9962, 0.0004, 2.3333, 61.6043, 123456.7, -0.25, -4.5, 1e-7, 0.4]
SHARES = [number for number in NUMBERS if 0 <= number <= 1] + [0.125, 0.675, 0.995]


def _names(found=SENTENCES, before=""):
    for name, value in found.items():
        yield from [f"{before}{name}"] if isinstance(value, str) else _names(value, f"{before}{name}.")


def _filled(sentence, rng):
    """A part with values of the kinds that its template names."""
    part = {"say": sentence, "unit": str(rng.choice(["", "kg", "$", "%", "points"])), "digits": int(rng.integers(3, 5))}
    nested = {"say": "phrases.more", "n": int(rng.integers(1, 4))}
    for name, kind, single, _ in _GAP.findall(template(sentence)):
        if kind in ("and", "or") or kind.startswith((",", ";")):
            part[name] = [*map(str, rng.choice(["a", "b & c", "CO₂"], rng.integers(1, 4))), nested]
        elif kind == "place":
            part[name] = int(rng.integers(1, 1200))
        elif kind or single:
            part[name] = float(rng.choice(SHARES if kind in ("p", "percent") else NUMBERS))
        elif name not in part:
            part[name] = rng.choice(["model x", "{n}", nested, *NUMBERS])
    return part


def test_every_sentence_is_filled_alike(tmp_path):
    rng = np.random.default_rng(0)
    parts = [_filled(name, rng) for name in _names() for _ in range(8)]
    shared = f"const SENTENCES = {json.dumps(SENTENCES)};\n"
    written = run(NODE, f"{module_of(['text'], shared)}\nconst answer = given.map(say);", parts, tmp_path)
    assert written == [say(part) for part in parts]


def test_a_sentence_that_lacks_a_fact_fails_in_both(tmp_path):
    part = {"say": "choice.reasons.limit", "allowed": 3}
    with pytest.raises(KeyError):
        say(part)
    script = f"{module_of(['text'])}\nlet answer; try {{ say(given); }} catch (error) {{ answer = error.message; }}"
    assert run(NODE, script, part, tmp_path) == "choice.reasons.limit needs rows"


_DECIDE = """
const answer = given.map((one) => {
  const bytes = Buffer.from(one.values, "base64");
  const table = new Table(floats(new Uint8Array(bytes)), one.size, one.maximized, one.scales);
  const order = one.p === "inf" ? Infinity : one.p;
  const decision = new Decision(table, table.within(one.ranges), one.weights, order, one.how);
  const parts = choiceParts(decision, one.how, one.names, (row) => one.rows[row]);
  return { parts, said: parts.map(say) };
});
"""


def _state(rng):
    """An explorer of a random table with ties, at random positions of its controls."""
    n, k = int(rng.choice([1, 2, 3, 5, 12, 140])), int(rng.integers(2, 5))
    values = (
        rng.integers(0, rng.integers(1, 9), (n, k)).astype(float) if rng.random() < 0.7 else rng.normal(size=(n, k))
    )
    directions = {name: str(rng.choice(["max", "min"])) for name in ["acc", "co2_kg", "Cost ($)", "time_s"][:k]}
    frame = pd.DataFrame(values, columns=list(directions))
    if rng.random() < 0.5:
        frame.index = pd.Index([f"m{i}" for i in range(n)])
    weights = rng.choice([rng.dirichlet(np.ones(k)), np.full(k, 1 / k), rng.multinomial(4, np.full(k, 1 / k)) / 4])
    p = float(rng.choice([1, 2, 8, np.inf]))
    explorer = asked.explore(frame, objectives=directions, p=p, weights=weights.tolist())
    if rng.random() < 0.4:
        explorer.set_range("acc", low=float(np.median(values[:, 0])))
    if rng.random() < 0.2 and "error" not in explorer.data["scales"]["minmax"]:
        explorer.move(normalize="minmax")
    return explorer


def test_the_page_decides_as_python_does(tmp_path):
    rng = np.random.default_rng(1)
    given, expected = [], []
    for _ in range(150):
        with _state(rng) as explorer:
            data, state = explorer.data, explorer.state
            choice = explorer.selection
            given.append({
                "values": base64.b64encode(data["values"]).decode(), "size": len(data["labels"]),
                "maximized": [one["direction"] == "max" for one in data["objectives"]], "scales": data["scales"],
                "ranges": state["ranges"], "weights": state["weights"], "how": state["normalize"], "p": state["p"],
                "names": [one["called"] for one in data["objectives"]],
                "rows": [row_in_words(explorer.frame, row) for row in explorer.labels],
            })  # fmt: skip
            expected.append([one for one in choice.parts() if one["say"].startswith("choice.details.")
                             or one["say"] == "choice.reasons.limit"])  # fmt: skip
    modules = ["text", "arithmetic", "choice_words"]
    found = run(NODE, module_of(modules) + _DECIDE, given, tmp_path)
    for one, wanted in zip(found, expected, strict=True):
        assert one["said"] == [say(part) for part in wanted]
        _assert_same(one["parts"], wanted)
    said = {part["say"] for wanted in expected for part in wanted}
    assert {"choice.reasons.limit", "choice.details.trade", "choice.details.tied", "choice.details.scaled",
            "choice.details.tie_sums", "choice.details.tie_ranks", "choice.details.ignored"} <= said  # fmt: skip


def _assert_same(found, wanted):
    """Equal, numbers to the precision of sums taken in another order."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            _assert_same(found[name], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, value in zip(found, wanted, strict=True):
            _assert_same(one, value)
    elif isinstance(wanted, str):
        assert found == wanted
    else:
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)
