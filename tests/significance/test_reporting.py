import numpy as np
import pandas as pd
import pytest

from tests import asked


def make_test(names=("A", "B"), **options):
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(
        {
            "agent": [names[0]] * 5 + [names[1]] * 5,
            "run": [*range(5)] * 2,
            "pass_rate": rng.random(10),
            "cost": 1 + rng.random(10),
        }
    )
    return asked.hv_test(
        runs, system="agent", repeat="run", new=names[0], baseline=names[1],
        objectives={"pass_rate": "max", "cost": "min"}, **options,
    )  # fmt: skip


def test_all_that_the_recommendation_asks_for_is_in_the_paragraph():
    for options, words in [
        ({}, ["all B = 252 permutations were enumerated", "two-sided p-value", "5 runs each"]),
        ({"n_resamples": 100}, ["B = 100 random permutations", "p = (1 + count) / (B + 1)"]),
        ({"paired": True}, ["5 matched runs each", "within matched repeats"]),
        ({"alternative": "greater"}, ["one-sided (new front larger)"]),
        ({"log": ["cost"]}, ["cost (minimized, log scale)"]),
        ({"unit": "mean"}, ["front over the systems' means"]),
    ]:
        test = make_test(**options)
        paragraph = test.reporting().paragraph
        for word in [
            *words,
            f"p-value is {test.pvalue:.3g}",
            "pass rate (maximized)",
            "reference point is (pass rate = ",
        ]:
            assert word in paragraph
        for caveat in test.guarantee.remarks:
            assert caveat in paragraph


def test_files_hold_the_vectors_of_every_run(tmp_path):
    test = make_test()
    paths = test.reporting().save(tmp_path / "deep" / "folder", name="claim")
    assert [path.name for path in paths] == ["claim_vectors.csv", "claim_summary.csv", "claim.txt", "claim.tex"]
    vectors = pd.read_csv(paths[0])
    assert list(vectors.columns) == ["side", "agent", "run", "pass_rate", "cost", "hypervolume"]
    again = asked.hv_test(
        vectors, system="agent", repeat="run", new="A", baseline="B", objectives={"pass_rate": "max", "cost": "min"},
        reference=test.reference,
    )  # fmt: skip
    assert again.pvalue == pytest.approx(test.pvalue, abs=1e-15)
    assert again.statistic == pytest.approx(test.statistic)
    assert pd.read_csv(paths[1])["pvalue"].iloc[0] == pytest.approx(test.pvalue, abs=1e-15)
    assert paths[2].read_text(encoding="utf-8").strip() == test.reporting().paragraph


def test_latex_is_balanced_and_escaped():
    latex = make_test(names=("A_1 & 50%", "{B}#$~^\\")).reporting().latex
    body = latex.replace(r"\textbackslash{}", "").replace(r"\textasciitilde{}", "").replace(r"\textasciicircum{}", "")
    assert body.replace(r"\{", "").replace(r"\}", "").count("{") == body.replace(r"\{", "").replace(r"\}", "").count(
        "}"
    )
    assert r"A\_1 \& 50\%" in latex
    assert r"pass\_rate $\uparrow$" in latex
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {4}
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 2


def test_the_runs_are_in_the_report():
    report = make_test().reporting()
    assert "10 runs" in repr(report)
    assert "What to report" in report._repr_html_()


def test_no_cell_of_a_saved_table_is_a_formula(tmp_path):
    report = make_test(names=("=cmd()", "@B")).reporting()
    vectors, summary, *_ = report.save(tmp_path)
    assert set(pd.read_csv(vectors)["agent"]) == {"'=cmd()", "'@B"}
    assert pd.read_csv(summary)[["new", "baseline"]].iloc[0].tolist() == ["'=cmd()", "'@B"]
    for path in (vectors, summary):
        cells = path.read_text(encoding="utf-8").replace("\n", ",").split(",")
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]
