"""Files of claims: what is wrong in them is refused as a whole, with lines."""

import os
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

import copa_nb
from copa_nb.claims.claims_file import read_claims
from copa_nb.cli.commands import main

TABLE = "model,accuracy,cost\nsmall,0.8,1\nmedium,0.9,2\nlarge,0.91,9\n"
GOOD = """table: runs.csv
objectives: {accuracy: max, cost: min}
claims:
  - {id: cheap, not_worse: [medium, large], margin: {accuracy: 0.02}, cheaper: cost}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "runs.csv").write_text(TABLE)
    (tmp_path / "claims.yaml").write_text(GOOD)
    return tmp_path


def refused(folder, text, *fragments):
    file = folder / "bad.yaml"
    file.write_text(text)
    before = sorted(os.listdir(folder))
    with pytest.raises((ValueError, TypeError, FileNotFoundError)) as caught:
        copa_nb.check(file)
    for fragment in fragments:
        assert fragment in str(caught.value)
    assert sorted(os.listdir(folder)) == before


def test_a_file_names_its_table(folder):
    assert copa_nb.check(folder / "claims.yaml").with_verdict("holds") == ["cheap"]


@pytest.mark.parametrize(
    ("change", "fragments"),
    [
        (("not_worse:", "not_wrose:"), ["line 4", "Did you mean 'not_worse'?"]),
        (("[medium, large]", "[medium]"), ["line 4", "two different systems"]),
        (("[medium, large]", "[medum, large]"), ["line 4", "'medum'", "Did you mean 'medium'?"]),
        (("cheaper: cost", "cheaper: price"), ["line 4", "'price'", "objectives are"]),
        (("margin: {accuracy: 0.02}", "margin: {accuracy: -1}"), ["line 4", "-1"]),
        (("margin:", "margn:"), ["line 4", "Did you mean 'margin'?"]),
        (("accuracy: max", "acuracy: max"), ["acuracy", "accuracy"]),
        (("accuracy: max", "accuracy: up"), ["'up'", "'max' or 'min'"]),
        (("table:", "tabel:"), ["Did you mean 'table'?"]),
        (("runs.csv", "run.csv"), ["run.csv"]),
        (("table: runs.csv", "table: runs.csv\nalpha: 5"), ["`alpha`", "5"]),
        (("table: runs.csv", "table: runs.csv\ntable: runs.csv"), ["twice"]),
        (("claims:", "claims: &a\n  - *a\n  - {rank: small}"), ["bad.yaml"]),
        (("id: cheap", "id: no"), ["line 4", "in quotes"]),
        ((GOOD, "[1, 2]"), ["must be a mapping"]),
        ((GOOD, "claims: []"), ["at least one claim"]),
        (
            (GOOD, "claims: {rank: small}"),
            ["`claims` must be a list of at least one claim, not a mapping", "- rank: medium"],
        ),
        ((GOOD, "claims:\n  cheap:\n    rank: small\n"), ["not a mapping. Write a hyphen before each"]),
        ((GOOD, "claims: !!set {small, large}"), ["at least one claim"]),
        (("id: cheap", "id: [cheap]"), ["line 4", "`id` is ['cheap']; it must be text"]),
        (("table: runs.csv", "table: runs.csv\nitem: {q: 1}"), ["`item` is {'q': 1}; it must be the name of a column"]),
        (("table: runs.csv", "table: runs.csv\nsystem: [model]"), ["`system` is ['model']; it must be the name"]),
        (("id: cheap", "id: cheap, after: [[x]]"), ["line 4", "`after` names \"['x']\""]),
        (("id: cheap", "id: 2024-13-45"), ["bad.yaml has a value that cannot be read", "in quotes"]),
        ((GOOD, GOOD + "  - {id: cheap, rank: small}\n"), ["line 5", "another claim has this id"]),
        ((GOOD, GOOD + "  - {id: x, number: {of: small, column: cost}}\n"), ["line 5", "`equals`"]),
        ((GOOD, GOOD + "  - {id: x, of: small, where: \"__import__('os').system('true')\"}\n"), ["line 5"]),
        ((GOOD, GOOD + "  - {id: x, rank: small, after: cheep}\n"), ["line 5", "`after`", "Did you mean 'cheap'?"]),
        ((GOOD, GOOD + "  - {id: x, rank: small, after: y}\n  - {id: y, rank: small}\n"), ["line 5", "above it"]),
        ((GOOD, GOOD + "  - {id: x, rank: small, weight: 0}\n"), ["line 5", "`weight`"]),
    ],
)
def test_mistakes_are_named_with_their_line_and_the_nearest_name(folder, change, fragments):
    refused(folder, GOOD.replace(*change), *fragments)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rank: small", "rank: large"),
        ("better: [small, large]", "better: [large, small]"),
        ("better: [small, large], in: dominance", "better: [large, small], in: dominance"),
        ("number: {of: small, column: cost}, equals: 1", "number: {of: small, column: cost}, equals: 2"),
    ],
)
def test_claims_of_which_only_one_can_hold_contradict_each_other(folder, one, other):
    text = GOOD + f"  - {{id: x, {one}}}\n  - {{id: y, {other}}}\n"
    refused(folder, text, "'y' (line 6) contradicts 'x' (line 5)")


def test_a_file_that_explodes_is_refused_at_once(folder):
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    refused(folder, bomb, "more than 100,000 values")


@pytest.mark.parametrize(
    ("change", "fragments"),
    [
        (("accuracy", "acc"), ["'accuracy'", "acc"]),
        (("model,", "name,"), ["'model'", "name"]),
        (("medium,0.9", "middle,0.9"), ["line 5", "'medium'"]),
        (("0.9,2", "high,2"), ["accuracy"]),
        (("0.9,2", ",2"), ["accuracy"]),
        ((TABLE, ""), []),
    ],
)
@pytest.mark.filterwarnings("ignore:Column .* is text")
def test_a_table_that_changed_is_refused(folder, change, fragments):
    (folder / "runs.csv").write_text(TABLE.replace(*change))
    refused(folder, GOOD.replace("claims:", "system: model\nclaims:"), *fragments)


def test_nothing_in_a_file_is_executed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for harm in (
        "!!python/object/apply:os.system ['touch harm']",
        "[{id: x, rank: !!python/name:os.system }]",
        "[{id: x, number: \"open('harm', 'w')\", numbers: {a: {of: small, column: cost}}}]",
        '[{id: x, number: "a.__class__", numbers: {a: {of: small, column: cost}}}]',
    ):
        refused(folder, GOOD[: GOOD.index("claims:")] + f"claims: {harm}\n")


def test_all_mistakes_are_reported_at_once(folder):
    text = GOOD + "  - {id: x, rnk: small}\n  - {id: y, rank: ''}\n"
    refused(folder, text, "line 5", "line 6")


def test_a_frame_may_be_handed_over():
    frame = pd.DataFrame({"accuracy": [0.8, 0.9]}, index=["a", "b"])
    claims = {"objectives": {"accuracy": "max"}, "claims": [{"rank": "b"}]}
    assert copa_nb.check(claims, frame).counts["holds"] == 1
    with pytest.raises(ValueError, match="names no table"):
        copa_nb.check(claims)
    assert read_claims(claims).claims[0].id == "b ranks first"


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "copa_nb.cli", "check", *arguments], cwd=folder, capture_output=True, text=True
    )


def test_an_error_of_the_program_is_no_claim_that_fails(folder, monkeypatch):
    def broken(claim, evidence, alpha):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("copa_nb.claims.of_pairs.NotWorse.judge", broken)
    monkeypatch.chdir(folder)
    for traceback in ("", "1"):
        monkeypatch.setenv("COPA_NB_TRACEBACK", traceback)
        result = CliRunner().invoke(main, ["check", "claims.yaml"])
        assert result.exit_code == 70
        assert ("Traceback" in result.stderr) == bool(traceback)
        assert "ZeroDivisionError: a bug. This is a bug" in result.stderr


def test_errors_that_are_not_made_of_a_message_name_their_claim(folder, monkeypatch):
    def unreadable(claim, evidence, alpha):
        return b"\xff".decode("utf-8")

    monkeypatch.setattr("copa_nb.claims.of_pairs.NotWorse.judge", unreadable)
    with pytest.raises(ValueError, match=r"claim 'cheap' \(line 4\): 'utf-8' codec can't decode byte 0xff"):
        copa_nb.check(folder / "claims.yaml")


@pytest.mark.slow
def test_exit_codes_of_the_command(folder):
    (folder / "fails.yaml").write_text(GOOD.replace("0.02", "0.001"))
    rows = "model,q,accuracy\n" + "".join(
        f"{m},{q},{(q + (m == 'a') * (q == 0)) % 2}\n" for m in "ab" for q in range(8)
    )
    (folder / "items.csv").write_text(rows)
    (folder / "open.yaml").write_text(
        "table: items.csv\nobjectives: {accuracy: max}\nsystem: model\nitem: q\nclaims: [{id: x, rank: a}]\n"
    )
    assert run(folder, "claims.yaml", "--json", "now.json", "--junit", "now.xml", "--page", "now.html").returncode == 0
    assert (folder / "now.json").exists()
    assert (folder / "now.xml").exists()
    assert "cheap" in (folder / "now.html").read_text()
    assert run(folder, "fails.yaml").returncode == 1
    (folder / "mapping.yaml").write_text("table: runs.csv\nclaims: {rank: small}\n")
    assert run(folder, "mapping.yaml").returncode == 2
    reader, writer = os.pipe()
    os.close(reader)
    closed = subprocess.run(
        [sys.executable, "-m", "copa_nb.cli", "check", "claims.yaml"], cwd=folder, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert (closed.returncode, closed.stderr) == (141, b"")
    assert run(folder, "open.yaml").returncode == 3
    assert run(folder, "open.yaml", "--undecided", "ok").returncode == 0
    (folder / "bad.yaml").write_text(GOOD.replace("medium", "medum"))
    refused = run(folder, "bad.yaml", "--json", "bad.json")
    assert refused.returncode == 2
    assert "line 4" in refused.stderr
    assert not (folder / "bad.json").exists()


@pytest.mark.slow
def test_a_file_of_claims_collects_as_tests(folder):
    (folder / "claims.yaml").write_text(
        GOOD + "  - {id: wrong, on_front: small}\n  - {id: reversed, better: [small, large], in: [accuracy]}\n"
    )
    (folder / "other").mkdir()
    (folder / "other" / "claims.yaml").write_text("kind: insurance\n")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-q", "."], cwd=folder,
        capture_output=True, text=True,
    )  # fmt: skip
    assert "1 failed, 2 passed" in found.stdout
    assert "claim reversed" in found.stdout


@pytest.mark.parametrize(
    ("word", "advice"), [("fial", " Did you mean 'fail'?"), ("Skip", " Did you mean 'skip'?"), ("error", "")]
)
def test_the_plugin_refuses_an_unknown_word_for_undecided_claims(folder, word, advice):
    (folder / "pytest.ini").write_text(f"[pytest]\ncopa_nb_undecided = {word}\n")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-q", "."], cwd=folder, capture_output=True, text=True
    )
    assert found.returncode == 4  # usage, as pytest has it
    assert f"`copa_nb_undecided` is {word!r}; it must be skip, fail or ok.{advice}" in found.stderr


def test_the_plugin_imports_nothing_of_the_package():
    program = "import sys, copa_nb_pytest; assert 'copa_nb' not in sys.modules and 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
