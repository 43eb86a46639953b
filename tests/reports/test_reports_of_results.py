"""``result.report()``: the report on the same table, with the same options."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.analyses.registry import analyses, of_result
from copa_nb.reports.report import handed_over
from copa_nb.reports.report import report as make_report
from copa_nb.text import name_and_unit, with_unit
from tests import asked

MODELS = pd.DataFrame(
    {"accuracy": [0.91, 0.88, 0.86, 0.8, 0.7], "co2 kg": [9.0, 5.0, 3.0, 2.5, 1.0], "size": [7, 3, 3, 1, np.nan]},
    index=pd.Index(["xl", "l", "m", "s", "xs"], name="model"),
)  # fmt: skip
WAYS = {"accuracy": "max", "co2 kg": "min"}


def _runs():
    rows = itertools.product("ABC", [1, 2, 3, 4])
    return pd.DataFrame(
        [
            {
                "agent": agent, "run": run, "accuracy": 0.6 + 0.08 * "ABC".index(agent) + 0.01 * (run * 7 % 5),
                "cost": 3.0 - 0.4 * "ABC".index(agent) + 0.1 * (run * 3 % 5),
            }
            for agent, run in rows
        ]
    )  # fmt: skip


def _scores():
    runs = _runs().set_index(["agent", "run"])
    return pd.concat([runs.add_prefix("val_"), runs[::-1].set_axis(runs.index).add_prefix("test_")], axis=1)


RUNS = {"system": "agent", "repeat": "run", "objectives": {"accuracy": "max", "cost": "min"}}


@pytest.fixture
def captured(monkeypatch):
    calls = []
    monkeypatch.setattr("copa_nb.reports.of_results.report", lambda result, **options: calls.append((result, options)))
    return calls


def asked_again(captured):
    """Return the analysis that a report would run, with a table that went through a file."""
    (result, options), = captured  # fmt: skip
    given = {name: value for name, value in options.items() if name not in ("out", "force")}
    return of_result(result).again_of(result, given)


def answer_of(captured, folder):
    """Check a report as the command does, and return its answer without the notebook."""
    analysis = asked_again(captured)
    parameters = handed_over(analysis, folder / "reports")
    json.dumps(parameters, allow_nan=False)
    analysis.check()
    return analysis.analysis.of(parameters).run()[1].to_answer()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"p": 1.5, "weights": {"co2 kg": 0.9}, "where": "accuracy > 0.75"},
        {"normalize": "minmax", "p": 1},
        {"objectives": {**WAYS, "size": "min"}, "nan_policy": "omit"},
        {"objectives": {**WAYS, "size": "min"}, "nan_policy": "worst", "p": 1},
    ],
)
@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_a_choice_is_reported_with_its_options(options, captured, tmp_path):
    pick = asked.copa(MODELS, **{"objectives": WAYS, **options})
    pick.report(tmp_path / "out", force=True)
    assert captured[0][1]["force"] is True
    said = answer_of(captured, tmp_path)
    assert pick.best in said.headline
    for name, value in pick.values.items():
        called, unit = name_and_unit(name)
        assert re.search(rf"{called}:? {re.escape(with_unit(value, unit))}", " ".join(said.lines))


def test_an_answer_names_columns_as_people_do(captured, tmp_path):
    named = MODELS.rename(columns={"co2 kg": "co2_kg"})
    asked.copa(named, objectives={"accuracy": "max", "co2_kg": "min"}).report(tmp_path / "out")
    said = answer_of(captured, tmp_path)
    assert "CO₂: " in said.lines[0]
    assert "co2_kg" not in said.question + " ".join(said.lines)


def test_a_constraint_that_is_no_text_is_refused_unless_it_is_given_as_text(captured, tmp_path):
    pick = asked.copa(MODELS, objectives=WAYS, where=MODELS["accuracy"] < 0.9)
    with pytest.raises(ValueError, match="`where` is a Series, but a report needs it as text"):
        of_result(pick).again_of(pick, {})
    pick.report(tmp_path, where="accuracy < 0.9")
    assert answer_of(captured, tmp_path).headline.startswith(f"Choose {pick.best}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: asked.copa(MODELS, objectives=WAYS, reference=copa_nb.Reference.fit(MODELS, objectives=WAYS)),
         r"`reference` was given, .* to_html\(\)"),
        (lambda: asked.hv_test(_runs(), new="C", baseline="A", rng=None, **RUNS), r"report\(rng=0\)"),
        (lambda: asked.audit(_runs(), claims=[("C", "A"), ("B", "A")], progress=False, **RUNS),
         r"audit\.tests\[0\]\.report\(\)"),
        (lambda: asked.audit(_runs().query("agent == 'A'"), progress=False, **RUNS), "nothing to report"),
        (lambda: _posets().only([1, 2]).depth(), r"df\.moo\.posets\(\)\.depth\(\)\.report\(\)"),
        (lambda: _posets().depth(max_card=3), "`max_card` was given"),
        (lambda: _posets().depth(method="sample", n_samples=100), r"report\(n_samples=100_000, rng=0\)"),
    ],
)  # fmt: skip
def test_what_a_report_cannot_repeat_is_refused_with_what_to_call_instead(make, message):
    with pytest.raises(ValueError, match=message):
        of_result(result := make()).again_of(result, {})


def _posets():
    return asked.posets(_runs(), system="agent", item="run", objectives=RUNS["objectives"])


def _gap(**options):
    return asked.gap(_scores(), objectives=RUNS["objectives"], reference={"accuracy": 0.5, "cost": 4.0}, **options)


@pytest.mark.parametrize("options", [{}, {"where": lambda rows: rows["val_accuracy"] > 0.65}, {"keep": "first"}])
def test_a_gap_is_reported_under_its_reference_point(options, captured, tmp_path):
    gap = _gap(**options)
    gap.report(tmp_path)
    assert f"{gap.gap:.3g}" in " ".join(answer_of(captured, tmp_path).details)


@pytest.mark.parametrize(("margin", "named"), [(0.1, False), (0.3, True)])
def test_a_reference_point_is_named_unless_a_report_finds_it_by_itself(margin, named, captured, tmp_path):
    asked.gap(_scores(), objectives=RUNS["objectives"], reference_margin=margin).report(tmp_path)
    assert bool(asked_again(captured)["reference"]) == named


def test_multiples_of_the_worst_values_are_reported_as_such(captured, tmp_path):
    asked.gap(_scores(), objectives=RUNS["objectives"], reference="worst_multiple").report(tmp_path)
    assert asked_again(captured)["reference"] == "worst_multiple"
    captured.clear()
    test = asked.hv_test(_runs(), new="B", baseline="A", reference="worst_multiple", reference_margin=0.3, **RUNS)
    test.report(tmp_path)
    given = asked_again(captured)
    assert (given["reference"], given["reference_margin"]) == ("worst_multiple", 0.3)


def test_repeated_gaps_are_reported_by_repetition(captured, tmp_path):
    gaps = _gap(repeat="run")
    gaps.report(tmp_path)
    assert asked_again(captured)["repeat"] == ["repetition"]
    assert f"{gaps.table['gap'].mean():.3g}" in " ".join(answer_of(captured, tmp_path).details)


@pytest.mark.parametrize(
    "options",
    [{}, {"paired": True, "log": ["cost"], "alternative": "greater"}, {"two_sided": "paper"}, {"indicator": "r2"}],
)
def test_a_test_is_reported_with_its_options(options, captured, tmp_path):
    test = asked.hv_test(_runs(), new=["C"], baseline=["A", "B"], n_resamples=200, rng=3, **options, **RUNS)
    test.report(tmp_path)
    given = asked_again(captured)
    assert [given[name] for name in ("new", "baseline", "rng")] == [["C"], ["A", "B"], 3]
    said = answer_of(captured, tmp_path)
    assert f"{test.pvalue:.3g}" in " ".join([said.headline, *said.lines, *said.details])


def test_an_audit_of_all_pairs_and_of_one_claim(captured, tmp_path):
    audit = asked.audit(_runs(), progress=False, **RUNS)
    audit.report(tmp_path)
    assert audit.verdict.split(".")[0] in " ".join(answer_of(captured, tmp_path).lines)
    captured.clear()
    one = asked.audit(_runs(), claims=[("C", "A")], progress=False, **RUNS)
    one.report(tmp_path)
    assert (asked_again(captured)["new"], asked_again(captured)["baseline"]) == (["C"], ["A"])


@pytest.mark.parametrize("levels", [False, True])
def test_depths_are_reported_from_the_table_of_the_orders(levels, captured, tmp_path):
    table = _runs().set_index(["agent", "run"]) if levels else _runs()
    depths = asked.posets(table, system="agent", item="run", objectives=RUNS["objectives"], ties="preorder").depth()
    depths.report(tmp_path)
    assert asked_again(captured)["ties"] == "preorder"
    said = answer_of(captured, tmp_path)
    assert said.headline == depths.headline
    assert all(line.rstrip(".") in depths.explain() for line in said.lines)


@pytest.mark.slow
def test_reports_of_results_run(tmp_path):
    pick = asked.copa(MODELS, objectives=WAYS, where="accuracy > 0.75")
    made = {
        "select": pick.report(tmp_path, progress=False),
        "gap": _gap().report(tmp_path, progress=False),
        "audit": asked.hv_test(_runs(), new="C", baseline="A", **RUNS).report(tmp_path, progress=False),
        "posets": _posets().depth().report(tmp_path, progress=False),
    }
    for command, report in made.items():
        assert report.status == "done"
        assert report.page == tmp_path / analyses()[command].notebook.split("/")[1] / "frame" / "report.html"
        assert report.page.is_file()
    assert pick.best in made["select"].title
    assert make_report is copa_nb.report
