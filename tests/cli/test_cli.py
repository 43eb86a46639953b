"""The command: what it refuses before anything runs, what it prints, how it ends."""

import html
import json
import os
import random
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import CliRunner

import copa_nb as library
from copa_nb.analyses.base import Request
from copa_nb.analyses.registry import commands
from copa_nb.cli import main, pulse
from copa_nb.cli.old_lines import NOW_CALLED, NOW_TYPED
from copa_nb.cli.pulse import lines_while
from copa_nb.cli.running import Display, answer_lines, closing_lines, outcome_line, refusing, run_jobs
from copa_nb.datasets.registry import DataUnavailableError
from copa_nb.reports.catalog import catalog, paper_entries
from copa_nb.reports.export import Exported
from copa_nb.reports.folder import SCHEMA, FolderError
from copa_nb.reports.outcomes import Failure, Outcome, Progress
from copa_nb.reports.pdf import PdfUnavailableError
from docs.tables import options as table_of_options

TABLE = 'model,accuracy,co2 kg\n"<b>x</b>",0.9,3\n=cmd,0.8,1\nplain,0.7,2\n'


@pytest.fixture(autouse=True)
def _models(tmp_path):
    (tmp_path / "models.csv").write_text(TABLE, encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "figur_1"], "Did you mean 'figure_1'"),
        (["run", "copa/figure_1", "-p", "importence", "1"], "Did you mean 'importance'"),
        (["run", "copa/figure_1", "-p", "importances", "many"], "`importances` is 'many'; it must be a whole number"),
        (["run", "copa/figure_1", "--out", "models.csv/x"], "is not writable"),
        (["select", "nowhere.csv", "--max", "accuracy"], "no such file"),
        (["select", "models.csv", "--max", "acuracy"], "Did you mean 'accuracy'"),
        (["select", "models.csv", "--max", "accuracy", "--weight", "co2=1"], "`--weight` names 'co2'"),
        (["select", "models.csv", "--max", "accuracy", "--weight", "accuracy"], "must be COL=VALUE"),
        (["select", "models.csv", "--max", "accuracy", "--where", "__import__('os')"], "`--where`"),
        (["select", "models.csv", "--max", "accuracy", "--system", "modle"], "Did you mean 'model'"),
        (["select", "models.csv", "models.csv", "--max", "accuracy"], "select/models"),
        (["select", "models.csv", "--max", "accuracy", "-p", "bound", "1"], "Did you mean 'bounds'"),
        (
            ["select", "models.csv", "--max", "accuracy", "-p", "weights", "1"],
            "`-p weights` is written `--weight` here",
        ),
        (
            ["select", "models.csv", "--max", "accuracy", "--p", "0.5"],
            "`--p` is '0.5'; it must be a number of at least 1",
        ),
        (
            ["front", "models.csv", "--max", "accuracy", "-p", "n_resamples", "x"],
            "`-p n_resamples` is 'x'; it must be a whole number",
        ),
        (["select", "models.csv", "--max", "accuracy", "--read", "sep=;"], "Did you mean 'separator'"),
        (["select", "models.csv", "--max", "accuracy", "--read", "decimal"], "must be KEY=VALUE"),
        (["select", "models.csv", "--max", "accuracy", "--source", "lm_eval"], "Did you mean 'lm-eval'"),
        (["select", "models.csv", "--max", "accuracy", "--source", "wandb:x"], "only an Optuna study has a name"),
        (["run"], "`copa-nb run --list` lists all reports"),
        (["run", "runs.yaml", "copa/figure_1"], "a YAML file is run by itself"),
        (["run", "runs.yaml", "-p", "alpha", "1"], "runs.yaml states the parameters"),
        (["run", "none.yaml"], "no such file"),
        (["run", "none.yml"], "no such file"),
        (["run", "select", "-p", "table", "3"], "`table` is '3', but there is no such file"),
        (["export", "latex", "--from", "nowhere"], "copa-nb run papers"),
        (["data", "path", "open_llm_leaderbord"], "Did you mean 'open_llm_leaderboard'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(invoke, tmp_path, arguments, message):
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1, "one line, no traceback"
    assert not (tmp_path / "reports").exists()


def test_data_is_listed_and_found(invoke, monkeypatch, tmp_path):
    assert "domainbed_oracle" in invoke("data", "list").output
    monkeypatch.setenv("COPA_NB_DATA", str(tmp_path))
    monkeypatch.setenv("COPA_NB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COPA_NB_OFFLINE", "1")
    result = invoke("data", "path", "bbob")
    assert result.exit_code == 1
    assert "copa-nb data fetch bbob" in result.output
    result = invoke("data", "fetch", "bbob")
    assert result.exit_code == 1
    assert "switched off" in result.output


def test_with_both_sides_an_audit_is_the_test_of_one_claim(invoke, tmp_path):
    draw = random.Random(0)
    rows = [(system, draw.random() + (system == "y")) for system in "xxxxyyyyzzzz"]
    runs = pd.DataFrame(rows, columns=["s", "a"])
    runs.to_csv(tmp_path / "runs.csv", index=False)
    line = ("audit", "runs.csv", "--max", "a", "--system", "s", "--new", "y", "--baseline", "x", "--quick", "--json")
    (answer,) = [one["answer"] for one in json.loads(invoke(*line).stdout)["reports"]]
    (said,) = answer["values"]["tests"]
    test = runs.assign(run=range(12)).moo(a="max", system="s", repeat="run").hv_test("y", "x")
    assert (said["new"], said["baseline"]) == ("y", "x")
    assert (said["pvalue"], said["runs_pvalue"]) == (test.pvalue, test.per_run.pvalue)
    assert answer["headline"].startswith("Take y: ")
    assert "correction" not in answer["headline"]


@pytest.mark.parametrize(
    ("arguments", "headline", "lines"),
    [
        (
            "select models.csv --max accuracy --min co2",
            "Choose either b or b (2): they tie for first place",
            ["The first of them, b, has accuracy 0.8 (2nd of 4)", "One of these 2 is chosen in"],
        ),
        (
            "audit runs.csv --max a --system s --new y --baseline x",
            "Undecided: single runs of y and x do not differ significantly, p = 0.333",
            ["Means of y against x", "Over repeated samples"],
        ),
        (
            "gap scores.csv --max a --min b",
            "On test, expect a 0.5 worse and b the same",
            ["a of the chosen rows: ", "Hypervolume of the front: 1.56 to 2.76 on test, 3.16 promised"],
        ),
        (
            "gap scores.csv --max a --min b --system m",
            "On test, expect a 0.3 (u) and 0.5 (v) worse",
            ["Hypervolume of the front of u: 0.954 on test, 2.14 promised", "Hypervolume of the front of v: "],
        ),
        (
            "posets suite.csv --max a,b --system s --item k",
            "look at k 2 separately",
            ["Each of 6 items", "Most central"],
        ),
    ],
)
def test_a_quick_answer_is_printed_without_a_report(invoke, tmp_path, arguments, headline, lines):
    draw = random.Random(0)
    tables = {
        "models": "model,accuracy,co2\na,0.9,9\nb,0.8,2\nb,0.7,1\nc,0.6,0\n",
        "runs": "s,k,a\nx,0,1\nx,1,2\ny,0,3\ny,1,4\n",
        "suite": "s,k,a,b\n" + "".join(f"{s},{k},{draw.random()},{draw.random()}\n" for k in range(6) for s in "xyzw"),
        "scores": "m,val_a,test_a,val_b,test_b\nu,1,0.9,3,2\nu,2,1.5,4,5\nv,1,1,1,1\nv,3,2,5,4\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    result = invoke(*arguments.split(), "--quick")
    assert result.exit_code == 0, result.output
    first, *rest = result.output.splitlines()
    assert headline in first
    for line in lines:
        assert any(one.startswith(f"  {line}") for one in rest), result.output
    assert not (tmp_path / "reports").exists()
    if arguments.startswith("select"):
        assert sum("numbered, e.g. 'b (2)'" in one for one in rest) == 1, "said once"


def test_labels_cannot_steer_a_terminal():
    lines = answer_lines("m", {"headline": "a\nb\x1b[31m\u202e", "lines": ["c\rd"]})
    assert lines == ["m: a b [31m ", "  c d"]


def test_lines_say_what_happened(tmp_path):
    failed = Outcome("copa/a", "failed", 3.0, Failure("cell 3 of 4 (x)", "ValueError: no"))
    assert outcome_line(failed) == "FAILED     copa/a: cell 3 of 4 (x): ValueError: no"
    lines = closing_lines([Outcome("b", "done", 2), Outcome("c", "unchanged"), failed], tmp_path, 75)
    assert lines[0] == "3 reports in 1 min 15 s: 1 done, 1 unchanged, 1 failed."


def test_what_takes_long_says_so_on_standard_error(monkeypatch, capsys):
    with lines_while("copa-nb x"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(pulse, "SECONDS_BEFORE_PULSE", 0.05)
    with Display(terminal=False) as display, lines_while("copa-nb x: working on 'm.csv'"):
        display(Progress(2, 1, {"a": 0.5}), None)
        time.sleep(0.6)
    lines = capsys.readouterr().err.splitlines()
    assert any(re.fullmatch(r"copa-nb x: working on 'm.csv' \(0\.\d s so far\)", line) for line in lines)
    assert any(re.fullmatch(r"\[1/2\] running    a at 50% \(0\.\d s so far\)", line) for line in lines)
    # After .05, .1, .2 and .4 s: pauses grow, so that hours do not fill a log.
    assert 4 <= len(lines) <= 8


def test_a_slow_table_is_reported_before_its_report_begins(monkeypatch, tmp_path):
    (tmp_path / "m.csv").write_text("model,a,b\nx,1,2\ny,2,1\n")
    monkeypatch.setattr(pulse, "SECONDS_BEFORE_PULSE", 0.05)
    run = Request.run

    def slow(*arguments):
        time.sleep(0.3)
        return run(*arguments)

    monkeypatch.setattr(Request, "run", slow)
    done = CliRunner().invoke(main, ["select", str(tmp_path / "m.csv"), "--max", "a,b", "--quick"])
    assert done.exit_code == 0, done.output
    assert "copa-nb select: working on" in done.stderr
    assert "so far" not in done.stdout


def test_a_terminal_gets_a_bar(capsys):
    with Display(terminal=True) as display:
        display(Progress(2, 0, {"a": 0.5}), None)
        display(Progress(2, 1), Outcome("a", "done", 2))
    drawn = capsys.readouterr().err
    assert "25%" in drawn
    assert "1 of 2" in drawn
    assert "done       a" in drawn


def listen():
    """Give the child the usual answer to Ctrl-C, which it lacks where tests run in the background of a script."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def copa_nb(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "copa_nb_command", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen,
        **options,
    )


@pytest.mark.slow
def test_tables_with_unknown_values_become_a_report(tmp_path):
    """Every cell of the notebooks runs where nothing is resampled, and names what is certain."""
    lines = ["model,accuracy,ms", "a,0.9,9", "b,0.8,5", "c,0.7,4", "d,0.6,"]
    (tmp_path / "gaps.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--max", "accuracy", "--min", "ms", "--nan-policy", "bounds", "-p", "bounds", "ms=0:10"]
    process = copa_nb("select", "gaps.csv", *options, cwd=tmp_path)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    assert "whatever the" in out
    page = (tmp_path / "reports/select/gaps/report.html").read_text(encoding="utf-8")
    assert "whether they are chosen whatever the missing values are" in page


@pytest.mark.slow
def test_own_tables_become_a_whole_escaped_report(invoke, tmp_path):
    process = copa_nb(
        "select", "models.csv", "--max", "accuracy", "--min", "co2 kg", "--weight", "co2 kg=0.5", cwd=tmp_path
    )
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "1 report in" in out
    answer, values, against, firm, where, *_ = out.splitlines()
    assert answer.startswith("select/models: ")
    title = answer.removeprefix("select/models: ")
    assert title.startswith("Choose ")
    assert "best in CO₂ kg" in title
    assert values.startswith("  accuracy: 0.8 (2nd of 3); CO₂ kg: ")
    assert "runner-up" in against
    assert "resamples" in firm
    assert where == "  Page: reports/select/models/report.html"
    quick = invoke("select", "models.csv", "--max", "accuracy", "--min", "co2 kg", "--weight", "co2 kg=0.5", "--quick")
    assert quick.output.splitlines() == [title, values, against, firm], "the same without the notebook"
    assert "Index of all reports: reports" in out
    assert "TCP" not in err
    folder = tmp_path / "reports/select/models"
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["given"]["weights"] == {"co2 kg": 0.5}
    assert manifest["data"][0]["kind"] == "own"
    first = manifest["figures"][0]
    assert (first["name"], first["finding"].split()[0]) == ("decision", "=cmd"), "few marks are left out, never these"
    assert (manifest["title"], manifest["heading"]) == (title, "Choose a model from your own table")
    assert f">{html.escape(title)}</a>" in (tmp_path / "reports/index.html").read_text(encoding="utf-8")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert f"<h1>{html.escape(title)}</h1>" in page
    assert "<b>x</b>" not in page
    assert str(tmp_path) not in page
    assert "'=cmd" in (folder / "tables/ranking.csv").read_text(encoding="utf-8")
    again = copa_nb(
        "select", "models.csv", "--max", "accuracy", "--min", "co2 kg", "--weight", "co2 kg=0.5", cwd=tmp_path
    )
    assert "1 unchanged" in again.communicate(timeout=300)[0]
    exported = invoke("export", "latex", "--from", tmp_path / "reports")
    assert exported.exit_code == 0, exported.output
    text = (tmp_path / "latex/reports.tex").read_text(encoding="utf-8")
    for figure in manifest["figures"]:
        assert (tmp_path / f"latex/figures/select-models-{figure['name']}.pdf").is_file()
        assert f"figures/select-models-{figure['name']}}}" in text
    assert r"\label{tab:select-models-ranking}" in (tmp_path / "latex/tables/select-models-ranking.tex").read_text(
        encoding="utf-8"
    )


def _catches_interrupts(process):
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return bool(int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1)


def _wait_for_the_first_line(process):
    """Until then Python itself is interrupted, and prints where; a start that is busy takes longer."""
    for waiting in (True, False):
        until = time.monotonic() + 10
        while _catches_interrupts(process) != waiting and time.monotonic() < until:
            time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="whether a process catches interrupts is read in /proc"
)
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.2, 0.4])
def test_an_interruption_in_the_first_second_prints_no_traceback(invoke, tmp_path, seconds):
    process = copa_nb("select", "models.csv", "--max", "accuracy", "--min", "co2 kg", cwd=tmp_path)
    _wait_for_the_first_line(process)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert "Traceback" not in err
    assert process.returncode in (130, -signal.SIGINT)
    assert not out


@pytest.mark.parametrize("blocked", ["latex", "latex/figures"])
def test_export_says_that_its_target_is_a_file_and_what_it_leaves_out(invoke, tmp_path, blocked):
    folder = tmp_path / "reports/select/good"
    folder.mkdir(parents=True)
    manifest = {"schema": SCHEMA, "name": "select/good", "title": "good", "paper": None, "parameters": {}}
    empty = {"figures": [], "tables": [], "files": {}}
    (folder / "manifest.json").write_text(json.dumps(manifest | empty), encoding="utf-8")
    for name in ("good", "bad"):
        partial = tmp_path / f"reports/failed/select/{name}.ipynb"
        partial.parent.mkdir(parents=True, exist_ok=True)
        of_run = {"name": f"select/{name}", "failure": {"where": "cell 1", "what": "no"}}
        partial.write_text(json.dumps({"cells": [], "metadata": {"copa_nb": of_run}}), encoding="utf-8")
    result = invoke("export", "done", "--from", tmp_path / "reports")
    assert result.exit_code == 0, result.output
    assert "Skipped select/bad, because its last run failed" in result.output
    assert "Skipped select/good" not in result.output, "its last good report is exported"
    (tmp_path / "done/reports.tex").write_text("mine", encoding="utf-8")
    result = invoke("export", "done", "--from", tmp_path / "reports")
    assert result.exit_code == 2
    assert "done has files that were edited, or not exported: reports.tex; move them" in result.output
    assert (tmp_path / "done/reports.tex").read_text(encoding="utf-8") == "mine"
    (tmp_path / blocked).parent.mkdir(exist_ok=True)
    (tmp_path / blocked).write_text("mine", encoding="utf-8")
    result = invoke("export", "latex", "--from", tmp_path / "reports")
    assert result.exit_code == 2
    assert "latex must be a folder" in result.output
    assert (tmp_path / blocked).read_text(encoding="utf-8") == "mine"
    (tmp_path / "reports/select/good/manifest.json").unlink()
    result = invoke("export", "done", "--from", tmp_path / "reports")
    assert "select/good and select/bad failed" in result.output or "select/bad and select/good failed" in result.output


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_says_how_to_go_on(invoke, tmp_path, number):
    process = copa_nb("select", "models.csv", "--max", "accuracy", "--min", "co2 kg", cwd=tmp_path)
    place = tmp_path / "reports/.copa-nb/select%models.new"
    deadline = time.monotonic() + 600
    while not place.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "rerun the same command to resume" in err
    assert not (tmp_path / "reports/select").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_refused(invoke, tmp_path):
    (tmp_path / "reports").mkdir(mode=0o500)
    result = invoke("select", "models.csv", "--max", "accuracy")
    assert result.exit_code == 2
    assert "Permission denied" in result.output


def test_an_index_that_cannot_be_written_is_said_in_a_line(tmp_path, monkeypatch, capsys):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("copa_nb.reports.batch.write_overview", full)
    with pytest.raises(SystemExit) as ended:
        run_jobs([], out=str(tmp_path), jobs=1, force=False)
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert f"The index of {tmp_path} could not be written: No space left on device." in said
    assert "rerun the same command to resume" in said


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (PermissionError(13, "Permission denied", "models.csv"), 2, "copa-nb: Permission denied (models.csv)."),
        (OSError("the disk is gone"), 2, "copa-nb: the disk is gone."),
        (KeyError("x"), 70, "copa-nb: KeyError: 'x'. This is a bug. Please report it"),
        (RecursionError("too\ndeep"), 70, "copa-nb: RecursionError: too deep. This"),
    ],
)
def test_nothing_ends_in_a_traceback(invoke, monkeypatch, raised, code, said):
    def fail(*arguments, **options):
        raise raised

    monkeypatch.setattr("copa_nb.analyses.base.read", fail)
    monkeypatch.setattr("copa_nb.cli.commands.catalog", fail)
    for arguments in (["select", "models.csv", "--max", "accuracy", "--quick"], ["run", "--list"]):
        result = invoke(*arguments)
        assert result.exit_code == code
        assert result.output.startswith(said)
        assert len(result.output.splitlines()) == 1
    monkeypatch.setenv("COPA_NB_TRACEBACK", "1")
    if code == 70:
        result = invoke("run", "--list")
        assert result.exit_code == 70
        assert result.stderr.startswith("Traceback")
        assert type(raised).__name__ in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["select", "."],
        ["select", "models.csv", "--max"],
        ["select", "models.csv", "--max", ""],
        ["select", "models.csv", "--max", ","],
        ["select", "models.csv", "--max", "accuracy", "--weight", "=1"],
        ["select", "models.csv", "--max", "accuracy", "--read", "decimal=x"],
        ["select", "models.csv", "--max", "accuracy", "--read", "separator="],
        ["select", "models.csv", "--max", "accuracy", "--read", "separator=\x00"],
        ["select", "models.csv", "--max", "accuracy", "--read", "encoding=zip"],
        ["select", "models.csv", "--max", "accuracy", "--out", "models.csv"],
        ["run", "copa/figure_1", "--scheduler", "nonsense"],
        ["select", "bad\udcff.csv", "--max", "accuracy"],
        ["select", "binary.csv", "--max", "accuracy"],
        ["run", "."],
        ["run", "binary.csv"],
        ["export", "models.csv/x"],
        ["export", "\x00"],
        ["run", "", "-p", "x", "y"],
        ["data", "path", "\x00"],
    ],
)
@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_odd_input_is_answered_in_a_few_lines(invoke, tmp_path, arguments):
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 4)
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert "This is a bug" not in result.output
    assert len(result.output.strip().splitlines()) <= 4


def test_the_page_on_the_command_names_every_flag_of_every_command():
    page = (Path(__file__).parents[2] / "docs/command.md").read_text(encoding="utf-8") + table_of_options()
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `--")]
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        flags = {flag for parameter in command.params for flag in parameter.opts if flag.startswith("--")}
        groups = {"all reports"} | ({"all tables"} if "--max" in flags else set())
        told = {
            flag
            for options, of in rows
            if of.strip() in groups or f"`{name}`" in of
            for flag in re.findall(r"`(--[a-z-]+)`", options)
        }
        assert flags <= told, name


@pytest.fixture
def handed_over(monkeypatch):
    """What commands hand over to be run."""
    found = []
    for module in ("commands", "own_tables"):
        monkeypatch.setattr(f"copa_nb.cli.{module}.run_jobs", lambda made, **options: found.append((made, options)))
    return found


def test_the_papers_are_run_with_the_options_given(invoke, handed_over):
    assert invoke("run", "papers", "--pdf", "--timeout", 7, "--force", "--jobs", 3).exit_code == 0
    ((jobs, options),) = handed_over
    assert [job.name for job in jobs] == [entry.name for entry in paper_entries()]
    assert {(job.formats, job.timeout) for job in jobs} == {(("html", "pdf"), 7.0)}
    assert options == {
        "out": None, "jobs": 3, "force": True, "as_json": False, "fail_fast": False, "junit": None,
    }  # fmt: skip


def test_options_of_the_command_line_win_over_a_batch_file(invoke, handed_over, tmp_path):
    runs = "runs: [{copa/figure_1: , timeout: 5}, copa/figure_2]"
    (tmp_path / "runs.yaml").write_text(f"out: there\njobs: 2\nformat: pdf\n{runs}", encoding="utf-8")
    assert invoke("run", "runs.yaml").exit_code == 0
    assert invoke("run", "runs.yaml", "--out", "here", "--jobs", 4, "--timeout", 9, "--pdf").exit_code == 0
    (as_written, written), (as_typed, typed) = handed_over
    assert (written["out"], written["jobs"]) == ("there", 2)
    assert (typed["out"], typed["jobs"]) == ("here", 4)
    assert [job.timeout for job in (*as_written, *as_typed)] == [5, None, 9, 9]
    assert [job.formats for job in (*as_written, *as_typed)] == [("html", "pdf")] * 4
    (tmp_path / "runs.yaml").write_text(runs, encoding="utf-8")
    assert invoke("run", "runs.yaml", "--pdf").exit_code == 0
    assert [job.formats for job in handed_over[-1][0]] == [("html", "pdf")] * 2


def test_a_table_from_standard_input_is_kept_for_its_report(invoke, handed_over, monkeypatch, tmp_path):
    typed = ["select", "-", "--max", "accuracy", "--out", "there"]
    assert CliRunner().invoke(main, typed, input=TABLE.encode()).exit_code == 0
    (((job,), options),) = handed_over
    table = Path(job.parameters["table"])
    assert table.is_relative_to("there/.copa-nb/tables")
    assert table.read_text(encoding="utf-8") == TABLE
    assert options["out"] == "there"


def test_pages_to_send_are_exported_on_request(invoke, monkeypatch):
    calls = []

    def export_pages(reports, target, *, papers_only):
        calls.append((reports, target, papers_only))
        return Exported([Path("a"), Path("b")], [])

    monkeypatch.setattr("copa_nb.cli.commands.export_pages", export_pages)
    assert invoke("export", "sent", "--single-file", "--from", "made").output == "Wrote 2 files to sent.\n"
    assert invoke("export", "sent", "--single-file", "--paper").exit_code == 0
    assert calls == [("made", "sent", False), ("reports", "sent", True)]


def test_the_path_of_a_public_file_is_printed(invoke, monkeypatch):
    monkeypatch.setattr("copa_nb.datasets.path", lambda name: Path("there", name))
    result = invoke("data", "path", "bbob")
    assert (result.exit_code, result.output) == (0, f"{Path('there/bbob')}\n")


def test_a_report_that_is_not_installed_is_said_so(invoke, monkeypatch):
    def lost(name):
        raise FileNotFoundError("the notebooks are not here")

    monkeypatch.setattr("copa_nb.cli.own_tables.find", lost)
    result = invoke("select")
    assert (result.exit_code, result.output) == (2, "copa-nb: the notebooks are not here\n")
    assert "Not available in this installation." in invoke("select", "--help").output
    assert invoke("run", "--list").exit_code == 0


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (None, 0, "1 report in "),
        (KeyboardInterrupt(), 130, "Interrupted; rerun the same command to resume.\n"),
        (FolderError("the folder is locked"), 2, "copa-nb: the folder is locked\n"),
    ],
)
def test_a_batch_ends_with_its_own_code(invoke, monkeypatch, raised, code, said):
    def run_batch(jobs, folder, *, n_jobs, force, watch, **options):
        assert (folder, n_jobs, force) == (Path("there"), 2, False)
        if raised:
            raise raised
        return [Outcome(job.name, "done", 2) for job in jobs]

    monkeypatch.setattr("copa_nb.cli.running.run_batch", run_batch)
    result = invoke("run", "copa/figure_1", "--out", "there", "--jobs", 2)
    assert result.exit_code == code
    assert result.output.startswith(said)
    assert result.output.endswith(f"Index of all reports: {Path('there/index.html')}\n") == (code == 0)


def test_a_failed_report_ends_a_batch_with_1_and_says_how_far_it_got(invoke, monkeypatch, tmp_path):
    failed = Outcome("copa/figure_1", "failed", 3.0, Failure("cell 3 of 4", "ValueError: no"), ["kept a.txt"])
    monkeypatch.setattr("copa_nb.cli.running.run_batch", lambda *jobs, **options: [failed])
    partial = Path("reports/failed/copa/figure_1.ipynb")
    partial.parent.mkdir(parents=True)
    partial.touch()
    result = invoke("run", "copa/figure_1")
    assert result.exit_code == 1
    assert result.output.splitlines()[1:] == [
        "  copa/figure_1: cell 3 of 4: ValueError: no",
        f"    partial notebook: {partial}",
        "  copa/figure_1: kept a.txt",
        f"Index of all reports: {Path('reports/index.html')}",
    ]


def test_printing_is_checked_before_anything_runs(invoke, monkeypatch, tmp_path):
    def lacking():
        raise PdfUnavailableError("nothing to print with")

    monkeypatch.setattr("copa_nb.cli.running.check_pdf", lacking)
    result = invoke("run", "copa/figure_1", "--pdf")
    assert (result.exit_code, result.output) == (2, "copa-nb: nothing to print with\n")
    assert not (tmp_path / "reports").exists()


def test_a_command_that_is_interrupted_or_wrong_ends_without_a_traceback(monkeypatch, capsys):
    def ended(error):
        @refusing
        def command():
            raise error

        with pytest.raises(BaseException) as left:  # noqa: PT011 (which one is asserted)
            command()
        return left.value

    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        assert ended(KeyboardInterrupt()).code == 130
        assert capsys.readouterr().err == "Interrupted before any report was started.\n"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        for error in (click.UsageError("no"), click.Abort(), click.exceptions.Exit(3)):
            assert ended(error) is error
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a script
        ended(click.Abort())
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == ""


def test_plain_lines_are_printed_only_where_something_ended(capsys):
    with Display(terminal=False) as display:
        display(Progress(2, 0, {"a": 0.5}), None)
        display(Progress(2, 1), Outcome("a", "unchanged"))
        display(Progress(2, 2), Outcome("b", "done", 2))
    assert capsys.readouterr().err == "[1/2] unchanged  a\n[2/2] done       b (2.0 s)\n"


def test_the_command_is_called_copa_nb_where_it_is_not_on_the_path(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["x", "--help"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("copa_nb.cli", run_name="__main__")
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("Usage: copa-nb [OPTIONS] COMMAND [ARGS]...\n")


INTERRUPTED_WHILE_IMPORTING = """
import signal, sys
class Interrupted:
    def find_spec(name, path, target=None):
        if name == "pandas":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupted)
"""


def test_while_the_command_starts_an_interruption_ends_it_in_silence():
    program = INTERRUPTED_WHILE_IMPORTING + "import copa_nb_command; copa_nb_command.main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=listen)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
    library = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING + "import copa_nb"],
        capture_output=True,
        text=True,
        preexec_fn=listen,
    )
    assert "KeyboardInterrupt" in library.stderr, "where the package is a library, Python interrupts as usual"


def test_a_script_in_the_background_goes_on_ignoring_interruptions():
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.argv[1:] = ['--version']\n"
        + INTERRUPTED_WHILE_IMPORTING
        + "import copa_nb_command; copa_nb_command.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_typed_becomes_parameters_of_the_notebook(invoke, handed_over, tmp_path):
    (tmp_path / "c.csv").write_text('model;"a,b";cost\nx;1,5;2 $\ny;2,5;1 $\n', encoding="utf-8")
    reading = ["--read", "separator=;", "--read", "decimal=,", "--read", "parse=cost"]
    weights = ["--weight", "a,b=2", "--weight", "cost=1"]
    result = invoke("select", "c.csv", "--max", "a,b", "--min", "cost", *weights, *reading)
    assert result.exit_code == 0, result.output
    (((job,), options),) = handed_over
    assert job.name == "select/c"
    given = {name: job.parameters[name] for name in ("objectives", "weights", "reading", "table")}
    assert given == {
        "objectives": {"a,b": "max", "cost": "min"},
        "weights": {"a,b": 2.0, "cost": 1.0},
        "reading": {"separator": ";", "decimal": ",", "parse": ["cost"]},
        "table": "c.csv",
    }
    assert options == {"out": None, "as_json": False, "refused": {}}
    weights = ["--weight", "accuracy=0.75,co2 kg=0.25"]
    both = invoke("select", "models.csv", "--max", "accuracy", "--min", "co2 kg", *weights)
    assert both.exit_code == 0, both.output
    assert handed_over[-1][0][0].parameters["weights"] == {"accuracy": 0.75, "co2 kg": 0.25}
    assert "reading" not in handed_over[-1][0][0].parameters


@pytest.mark.parametrize(
    ("typed", "fix"),
    [
        (["--max", "accuracy", "co2 kg"], "--max accuracy,co2 kg or --max accuracy --max co2 kg."),
        (["-p", "show", "model", "--max=accuracy", "co2 kg"], "--max accuracy,co2 kg or --max accuracy --max co2 kg."),
        (["co2 kg", "--max", "accuracy"], "--max COL,co2 kg or --max COL --max co2 kg."),
    ],
)
def test_columns_in_the_place_of_tables_are_put_right(invoke, typed, fix):
    result = invoke("select", "models.csv", *typed)
    assert (result.exit_code, result.output) == (
        2,
        "copa-nb: 'co2 kg' is a column of 'models.csv', not a table. To give an option several columns, "
        f"separate them by commas or repeat the option: {fix}\n",
    )


def test_the_help_of_an_option_has_its_default_and_its_kind(invoke):
    assert re.search(
        r"Further parameters, -p KEY VALUE: .* n_resamples Number of resamples.* \[default: 2000\]",
        " ".join(invoke("front", "--help").output.split()),
    )
    shown = " ".join(invoke("select", "--help").output.split())
    assert "-p KEY VALUE Set a further parameter" in shown
    assert "--weight COL=VALUE" in shown
    assert "--nan-policy [raise|omit|worst|bounds]" in shown
    assert "--normalize [cdf|minmax|relative|none]" in shown
    assert "[default: raise]" in shown
    assert "[default: inf]" in shown
    assert "Exit codes" in shown
    assert "--paired / --no-paired" in " ".join(invoke("audit", "--help").output.split())
    assert "--new NAME" in invoke("audit", "--help").output


@pytest.mark.parametrize("old", NOW_TYPED)
def test_an_old_option_says_what_is_written_now(invoke, tmp_path, old):
    for name, analysis in commands().items():
        result = invoke(name, "models.csv", old, "x")
        assert result.exit_code == 2
        assert f"`{old}` is written `{NOW_TYPED[old]}` now." in result.output
        command = main.get_command(click.Context(main), "run" if "copa-nb run" in NOW_TYPED[old] else name)
        (flag,) = re.findall(r"--[a-z-]+", NOW_TYPED[old])
        assert flag in {one for option in command.params for one in option.opts}
        assert old not in {one.option for one in analysis.parameters().values()}


@pytest.mark.parametrize("old", NOW_CALLED)
def test_an_old_command_says_what_is_written_now(invoke, old):
    result = invoke(old, "models.csv", "--max", "accuracy")
    assert result.exit_code == 2
    assert f"`copa-nb {old}` is written `copa-nb {NOW_CALLED[old]}` now." in result.output
    known = main.list_commands(click.Context(main))
    assert NOW_CALLED[old].split()[0] in known
    assert old not in known


def test_a_table_is_described_as_in_a_notebook(invoke, tmp_path):
    (tmp_path / "runs.csv").write_text("agent,task,acc\na,1,0.5\na,2,0.7\nb,1,0.6\n", encoding="utf-8")
    said = invoke("describe", "runs.csv", "--max", "acc", "--system", "agent", "--item", "task")
    assert said.exit_code == 0, said.output
    table = library.read("runs.csv", acc="max", system="agent", item="task")
    shown = said.output.rpartition("\n\n")[0]
    assert shown.splitlines()[0] == "2 agents × 2 tasks (75% of the cells)"
    assert "<moo: " + shown.replace("\n", "\n ") + ">" == repr(table.moo), said.output
    wrong = invoke("describe", "runs.csv", "--max", "acc", "--item", "tusk")
    assert wrong.exit_code == 2
    assert "Did you mean 'task'?" in wrong.output


@pytest.mark.parametrize("name", commands())
def test_options_that_are_rare_now_say_how_they_are_set(invoke, name):
    rarer = [one for one in commands()[name].parameters().values() if not one.is_offered]
    assert rarer
    for one in rarer:
        result = invoke(name, "models.csv", f"--{one.name.replace('_', '-')}", "x")
        assert result.exit_code == 2
        assert f"is written `-p {one.name} " in result.output


def test_the_list_of_reports_is_in_columns(invoke):
    lines = invoke("run", "--list").output.splitlines()
    entries = catalog()
    width = max(len(entry.name) for entry in entries)
    assert lines == [f"{entry.name.ljust(width)}  {entry.title}" for entry in entries]
    detailed = invoke("run", "--list", "select").output.splitlines()
    assert detailed[0].split() in [line.split() for line in lines]
    assert any(re.fullmatch(r"    p: str = 'inf'  \S.*", line) for line in detailed)


def test_what_was_fetched_is_listed_and_what_was_not_is_counted(invoke, monkeypatch):
    def fetch(name):
        if name == "bad":
            raise DataUnavailableError("it is away")
        return Path("there", name)

    monkeypatch.setattr("copa_nb.datasets.fetch", fetch)
    monkeypatch.setattr("copa_nb.datasets.registry.public_files", lambda: {"a": 0, "b": 0})
    result = invoke("data", "fetch")
    assert (result.exit_code, result.output) == (0, f"a: {Path('there/a')}\nb: {Path('there/b')}\n")
    result = invoke("data", "fetch", "a", "bad")
    assert (result.exit_code, result.output) == (1, f"a: {Path('there/a')}\nbad: it is away\n")
