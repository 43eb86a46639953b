import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from copa_nb import Reference
from tests import asked
from tests.strategies import WITH_INFINITIES, tables

BOTH = {"acc": "max", "co2": "min"}
MODELS = pd.DataFrame({"acc": [0.9, 0.85, 0.7], "co2": [9.0, 3.0, 2.0]}, index=["large", "medium", "small"])


@given(tables(elements=WITH_INFINITIES))
def test_a_frozen_population_gives_its_own_rows_their_own_ranks(table):
    frame, directions = table
    reference = Reference.fit(frame, objectives=directions)
    placed = reference.place(frame)
    pd.testing.assert_frame_equal(placed, asked.normalize(frame, objectives=directions))


def test_adding_a_model_moves_nobody_else():
    reference = Reference.fit(MODELS, objectives=BOTH)
    more = pd.concat([MODELS, pd.DataFrame({"acc": [0.95], "co2": [1.0]}, index=["new"])])
    before = MODELS.moo(BOTH).copa(reference=reference).scores
    after = more.moo(BOTH).copa(reference=reference).scores
    pd.testing.assert_series_equal(after[MODELS.index], before)
    assert more.moo(BOTH).copa(reference=reference).best == "new"
    assert not more.moo(BOTH).copa().scores[MODELS.index].equals(before)


def test_what_ties_against_the_population_is_still_pareto_optimal():
    reference = Reference.fit(MODELS, objectives=BOTH)
    better = pd.DataFrame({"acc": [0.96, 0.97], "co2": [1.0, 0.5]}, index=["good", "dominates it"])
    assert better.moo(BOTH).copa(reference=reference).tied == ["dominates it"]


@pytest.mark.parametrize("weights", [None, {"co2": 0.0}])
def test_a_row_that_is_not_chosen_cannot_flip_the_decision(weights):
    """The third tie key was counted in the current table, where a bystander between two rows moved one of them."""
    frozen = pd.DataFrame({"acc": [0.5, 0.6, 0.7], "co2": [9.0, 8.0, 7.0]})
    reference = Reference.fit(frozen, objectives=BOTH)
    view = pd.DataFrame({"acc": [0.9, 0.8], "co2": [2.0, 1.0]}, index=["first", "second"])
    before = view.moo(BOTH).copa(reference=reference, weights=weights)
    rng = np.random.default_rng(0)
    for _ in range(40):
        # Worse than both in the other objective, between them in one.
        more = pd.DataFrame({"acc": rng.uniform(0.0, 0.8, 5), "co2": rng.uniform(1.0, 3.0, 5)}, index=list("abcde"))
        more = pd.concat([more, pd.DataFrame({"acc": rng.uniform(0.8, 0.9, 5), "co2": 5.0}, index=list("fghij"))])
        after = (
            pd.concat([view, more])
            .moo(BOTH)
            .copa(reference=reference, weights=weights, where=lambda t: t.index.isin(view.index))
        )
        assert after.tied == before.tied
        assert after.sensitivity().selection.best == before.best


def test_ties_beyond_the_population_end_on_the_front_also_with_infinite_values():
    frozen = Reference.fit(pd.DataFrame({"acc": [0.5, 0.6], "co2": [9.0, 8.0]}), objectives=BOTH)
    rows = pd.DataFrame({"acc": [np.inf, np.inf, 0.8], "co2": [-np.inf, 2.0, 1.0]}, index=["x", "y", "z"])
    assert rows.moo(BOTH).copa(reference=frozen).tied == ["x"]


def test_json_round_trip(tmp_path):
    frame = MODELS.assign(co2=[np.inf, 3.0, 2.0])
    reference = Reference.fit(frame, objectives=BOTH, reference_point={"acc": 0, "co2": 10})
    path = reference.save(tmp_path / "reference.json")
    loaded = Reference.load(path)
    assert json.loads(path.read_text())["source"]["sha256"] == reference.source["sha256"]
    np.testing.assert_array_equal(loaded.values, reference.values)
    assert loaded.reference_point == {"acc": 0.0, "co2": 10.0}
    assert loaded.source == reference.source
    assert list(tmp_path.iterdir()) == [path]
    assert MODELS.moo(BOTH).hypervolume(reference=loaded).reference == {"acc": 0.0, "co2": 10.0}


def test_the_hash_follows_the_values():
    one, two = (Reference.fit(f, objectives=BOTH).source["sha256"] for f in (MODELS, MODELS.assign(co2=1.0)))
    assert one != two
    assert one == Reference.fit(MODELS.copy(), objectives=BOTH).source["sha256"]


def test_a_reference_brings_its_objectives_and_refuses_others():
    reference = Reference.fit(MODELS, objectives=BOTH)
    assert asked.copa(MODELS, reference=reference).objectives.to_dict() == BOTH
    with pytest.raises(ValueError, match="`reference` was frozen for"):
        MODELS.moo(acc="min", co2="min").copa(reference=reference)
    reversed_order = MODELS.moo(co2="min", acc="max").normalize(reference=reference)
    pd.testing.assert_frame_equal(reversed_order[["acc", "co2"]], reference.place(MODELS))


def test_a_population_is_shown_by_its_quartiles_in_own_units():
    frame = pd.DataFrame({"acc": [0.5, 0.1, 0.4, 0.2, 0.3], "co2": [10.0, 50.0, 20.0, 40.0, 30.0]})
    shown = Reference.fit(frame, objectives=BOTH)._repr_html_()
    rows = re.findall(r"<tr>" + 3 * r"<td[^>]*>([^<]*)</td>", shown)
    places = ["smallest", "lower quartile", "median", "upper quartile", "largest"]
    assert [(place, float(acc), float(co2)) for place, acc, co2 in rows] == [
        (place, (i + 1) / 10, 10 * (i + 1)) for i, place in enumerate(places)
    ]


def test_frozen_means_read_only():
    reference = Reference.fit(MODELS, objectives=BOTH)
    with pytest.raises(ValueError, match="read-only"):
        reference.values[0] = 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "else"}', "not json"])
def test_files_that_are_not_references_are_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"does not hold a reference written by Reference\.save"):
        Reference.load(path)


def test_objectives_that_json_cannot_name_are_not_saved(tmp_path):
    reference = Reference.fit(MODELS.set_axis([0, 1], axis=1), objectives={0: "max", 1: "min"})
    with pytest.raises(TypeError, match=r"^`save` needs objectives with string labels; 0 is int"):
        reference.save(tmp_path / "reference.json")
    assert not (tmp_path / "reference.json").exists()
