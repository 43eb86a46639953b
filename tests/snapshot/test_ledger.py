"""Comparing a ledger with the stored one names every claim that is not as it was."""

import pytest

from tests.snapshot.make import LEDGER, compare_ledger


def _changed(tmp_path, *replacements):
    text = LEDGER.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "ledger.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_same_ledger_differs_in_nothing(tmp_path):
    assert compare_ledger(LEDGER) == []
    assert compare_ledger(_changed(tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("18.2% of the models", "18.3% of the models", ["copa-fig1-half: numbers of `found`: 18.2 became 18.3"]),
        ("gap-verdicts,", "gap-words,", ["gap-verdicts: went", "gap-words: is new"]),
        (
            "409 of the 2,148 models",
            "409 of the 3,148 models",
            ["copa-front-size: numbers of `found`: 2,148 became 3,148"],
        ),
        ("hv-size,HV test", "hv-size,COPA", ["hv-size: paper was 'HV test', is 'COPA'"]),
        ("; evolutionary algorithms: 0.0063 s", "; evolutionary algorithms: 0.0061 s", []),
    ],
)
def test_what_changed_is_named(tmp_path, old, new, said):
    assert compare_ledger(_changed(tmp_path, (old, new))) == said


def test_a_verdict_is_named(tmp_path):
    path = _changed(tmp_path, ('y₂ = 1.95",reproduced', 'y₂ = 1.95",differs'))
    assert compare_ledger(path) == ["copa-fig2-flat: verdict was 'reproduced', is 'differs'"]
