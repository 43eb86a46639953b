"""Documents and files in which one part is of another kind: read, or refused in a sentence that names the file."""

import copy
import json
import re
import warnings

import pytest

import copa_nb

OTHER_VALUES = [None, 5, -1.5, True, "x", [], {}, [1], {"a": 1}, 10**400, [[]]]
DOCUMENTS = {
    "lm_eval": {
        "model_name": "m", "date": 1.5, "config": {"model": "hf", "model_args": "pretrained=a"},
        "configs": {"task": {"metric_list": [{"metric": "acc", "higher_is_better": True}]}},
        "higher_is_better": {"arc": {"acc": True}}, "groups": {"both": {}}, "group_subtasks": {"both": ["arc"]},
        "results": {
            "arc": {"acc,none": 0.6, "acc_stderr,none": 0.1}, "task": {"acc,none": 0.3}, "both": {"acc,none": 0.5},
        },
    },
    "every_eval_ever": {
        "retrieved_timestamp": "1", "model_info": {"id": "m", "name": "n"},
        "evaluation_results": [{
            "evaluation_name": "g",
            "metric_config": {"lower_is_better": False, "metric_name": "a", "has_unknown_level": True},
            "score_details": {"score": 0.5, "uncertainty": {"standard_error": {"value": 0.1}, "num_samples": 4}},
        }],
    },
    "ioh": {
        "function_id": 1, "function_name": "S", "maximization": False, "algorithm": {"name": "A"},
        "scenarios": [{"dimension": 5, "path": "p", "runs": [{"instance": 1, "evals": 5, "best": {"y": 1.0}}]}],
    },
}  # fmt: skip


def _places(part, place=()):
    yield place
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        yield from _places(value, (*place, key))


def _with(document, place, value):
    if not place:
        return value
    changed = copy.deepcopy(document)
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return changed


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_part_of_another_kind_is_refused_in_a_sentence(tmp_path, kind):
    read, file = getattr(copa_nb, f"from_{kind}"), tmp_path / "results_1.json"
    refused = []
    for place in _places(DOCUMENTS[kind]):
        for value in OTHER_VALUES:
            file.write_text(json.dumps(_with(DOCUMENTS[kind], place, value)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    read(file)
                except ValueError as error:
                    refused.append(str(error))
    assert len(refused) > 20
    # A source without a single score or run is refused as a whole.
    assert [said for said in refused if not re.search(r"results_1\.json|contains no|has no|without runs", said)] == []


@pytest.mark.parametrize("read", [copa_nb.from_lm_eval, copa_nb.from_every_eval_ever, copa_nb.from_ioh, copa_nb.read])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"results": ' + "9" * 5000 + "}", '{"results": ', "\x00"])
def test_text_that_is_no_document(tmp_path, read, text):
    file = tmp_path / "results_1.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"results_1\.json'"):
        read(file)
