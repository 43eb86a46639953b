"""What analyses answer where scores are missing, as the verbs do."""

import numpy as np
import pandas as pd
import pytest

from tests.analyses.answering import answered, requests


@pytest.mark.parametrize(
    ("name", "given"), [("front", {}), ("cheaper", {"than": "m0", "margin": {"score": 0.5}}), ("board", {})]
)
def test_missing_scores_are_compared_as_the_verbs_do(name, given):
    kind = requests(name)
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.random((40, 3)) + np.array([0, 0.2, 0.8]), columns=["m0", "m1", "m2"]).rename_axis("item")
    frame = scores.melt(ignore_index=False, var_name="model", value_name="score").reset_index()
    frame["price"] = frame["model"].map({"m0": 3.0, "m1": 1.0, "m2": 2.0})
    frame = frame[rng.random(120) > 0.05]
    asked = {"table": frame, "system": "model", "item": "item", "objectives": {"score": "max", "price": "min"},
             "known": ["price"], **given}  # fmt: skip
    answers = {
        bounds: answered(kind(**asked, nan_policy="bounds", bounds={"score": bounds})).to_answer().to_dict()
        for bounds in ("0:2", "0.9:1")
    }
    assert answers["0:2"] != answers["0.9:1"]
    assert "score between 0 and 2" in " ".join(answers["0:2"]["details"])
    ranged, free = (
        answered(kind(**asked, nan_policy="pairwise", bounds=one)).to_answer() for one in ({"score": "0:2"}, {})
    )
    if name == "cheaper":  # a range of scores by itself
        assert ranged.values["routes"][""]["pvalue"] != free.values["routes"][""]["pvalue"]
    else:  # what a missing score may be matters where all it may be is considered
        assert ranged.to_dict() == free.to_dict()
