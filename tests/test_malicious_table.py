"""A table made to attack, from the command line to files of reports: labels stay text, and nothing runs."""

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

import copa_nb
from copa_nb.datasets.registry import public_files
from copa_nb.tables.candidates import candidate_mask
from tests.malicious import files

ATTACKS = [
    "__import__('os').system('touch pwned')",
    "@pd.io.common.os.system('touch pwned')",
    "`x`.__class__",
    "x.__class__.__mro__",
    "(lambda: 1)()",
    "[y for y in (1,)]",
    "x if True else x",
    "x[0] > 1",
    "(y := 1) > 0",
    "f'{x}' > 'a'",
    "x > 0; import os",
    "x > 0\nimport os",
]


@pytest.mark.slow
def test_csv_cells_are_no_formulas(malicious_reports):
    for file in files(malicious_reports, ".csv"):
        for row in csv.reader(file.read_text(encoding="utf-8").splitlines(keepends=True)):
            for cell in row:
                numeric = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|-inf", cell)
                assert numeric or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), (file.name, cell)


@pytest.mark.slow
def test_latex_holds_no_foreign_command(malicious_reports):
    for file in files(malicious_reports, ".tex"):
        source = file.read_text(encoding="utf-8")
        for command in (r"\input", r"\write", r"\LaTeX", r"\include", r"\def"):
            assert command not in source, file.name
        commands = set(re.findall(r"\\([A-Za-z]+)", source))
        known = "begin end centering caption label toprule midrule bottomrule usepackage textbackslash textless "
        known += "textgreater textasciitilde textasciicircum uparrow downarrow alpha ldots infty hat times leq geq "
        known += "shortstack"
        assert commands <= set(known.split()), commands - set(known.split())
        assert source.count("{") - source.count(r"\{") == source.count("}") - source.count(r"\}")


@pytest.mark.slow
def test_svg_holds_text_only(malicious_reports):
    for file in files(malicious_reports, ".svg"):
        for element in ElementTree.parse(file).iter():
            tag = element.tag.split("}")[-1].lower()
            assert tag not in ("script", "foreignobject", "a"), file.name
            links = [value for name, value in element.attrib.items() if name.split("}")[-1] == "href"]
            assert all(link.startswith(("data:image/png", "#")) for link in links), file.name
            assert not [name for name in element.attrib if name.lower().startswith("on")]


@pytest.mark.slow
def test_parameters_inject_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    column = 'c"]\n__import__("pathlib").Path("pwned").touch()\n["'
    frame = pd.DataFrame({"name": list("abcd"), "a": [1, 2, 3, 4], "b": [4, 1, 3, 2]})
    frame.to_csv(tmp_path / "own.csv", index=False)
    copa_nb.report("yours/select", out=tmp_path / "out", table="own.csv", objectives={"a": "max", "b": "min"})
    for given in ({"p": f'inf"\n{column}'}, {"objectives": {column: "max"}}, {"normalize": '"; 1/0 #'}):
        options = {"table": "own.csv", "objectives": {"a": "max", "b": "min"}} | given
        try:
            copa_nb.report("yours/select", out=tmp_path / "bad", **options)
        except (ValueError, TypeError, RuntimeError, OSError):
            continue  # refused, or the report failed; what counts is that nothing of it was run
    assert not list(tmp_path.rglob("pwned"))
    executed = next((tmp_path / "out").rglob("report.ipynb"))
    assert json.loads(executed.read_text(encoding="utf-8"))["nbformat"] == 4


@pytest.mark.parametrize("expression", ATTACKS)
def test_constraints_reach_no_python(expression, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="`where`"):
        candidate_mask(pd.DataFrame({"x": [1.0, 2.0]}), expression)
    assert not list(tmp_path.iterdir())


def test_downloads_are_encrypted_and_checked():
    for entry in public_files().values():
        assert entry.url.startswith("https://"), entry.name
        assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256), entry.name


def test_the_package_reads_no_pickles_and_evaluates_no_text():
    source = Path(copa_nb.__file__).parent
    forbidden = re.compile(
        r"\b(pickle|marshal|shelve|dill)\.(load|Unpickler|open)|(?<![.\w])(eval|exec)\(|yaml\.(load|unsafe_load)\(|shell=True|os\.system|read_pickle|allow_pickle=True"
    )
    found = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if forbidden.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
