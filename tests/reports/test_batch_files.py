"""Batches in YAML are checked wholly before anything runs."""

import pytest
import yaml

from copa_nb.reports.batch import run_batch
from copa_nb.reports.batch_file import read_plan
from copa_nb.reports.inputs import fingerprint
from copa_nb.reports.places import checked_folder, slug
from copa_nb.reports.stated_runs import write_run


@pytest.fixture
def plan_file(tmp_path):
    (tmp_path / "models.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    (tmp_path / "more.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")

    def write(text):
        path = tmp_path / "runs.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("use", ["runs: *i", "runs: [*i]", "runs: [{select: a.csv, weights: *i}]", "runs: &r [*r]"])
def test_a_bomb_of_aliases_is_refused_at_once_and_briefly(tmp_path, use):
    file = tmp_path / "runs.yaml"
    file.write_text(BOMB + use, encoding="utf-8")
    with pytest.raises(ValueError, match="more than 100,000 values") as caught:
        read_plan(file)
    assert len(str(caught.value)) < 500


@pytest.mark.slow
def test_a_long_value_is_quoted_briefly(tmp_path):
    file = tmp_path / "runs.yaml"
    file.write_text(f"runs:\n- {['x'] * 50_000}\n- {{select: a.csv, weights: {['x'] * 9000}}}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="run 2") as caught:
        read_plan(file)
    assert len(str(caught.value)) < 1000


def test_every_combination_is_a_run_in_a_folder_of_its_own(plan_file):
    plan = read_plan(
        plan_file("""
out: results
jobs: 2
timeout: 60
format: pdf
runs:
- {select: [models.csv, more.csv], objectives: {a: max, b: min}, p: ["1", inf]}
- select: models.csv
  objectives: {a: max}
  name: mine/first
  timeout: 5
- {select: models.csv, objectives: {a: max}, name: shown, show: [[a], [a, b]]}
- copa/figure_1
""")
    )
    assert [job.name for job in plan.jobs] == [
        "select/models-p-1",
        "select/models-p-inf",
        "select/more-p-1",
        "select/more-p-inf",
        "mine/first",
        "shown-show-a",
        "shown-show-a-b",
        "copa/figure_1",
    ]
    assert plan.jobs[1].parameters == {"table": "models.csv", "objectives": {"a": "max", "b": "min"}, "p": "inf"}
    assert [job.timeout for job in plan.jobs] == [60, 60, 60, 60, 5, 60, 60, 60]
    assert all(job.formats == ("html", "pdf") for job in plan.jobs)
    assert plan.jobs[6].parameters["show"] == ["a", "b"]
    assert plan.n_jobs == 2
    assert plan.out.endswith("results")


def test_every_mistake_is_said_at_once(plan_file):
    with pytest.raises(ValueError, match="cannot be run") as caught:
        read_plan(
            plan_file("""
job: 2
jobs: many
runs:
- {selekt: models.csv}
- {select: models.csv, wheights: {}}
- {select: models.csv, maximize: [a, b]}
- {select: models.csv, objectives: {a: up}}
- {select: nowhere.csv}
- {board: models.csv, n_resamples: several}
- {select: models.csv, p: []}
- {select: models.csv, name: ../outside}
- {copa/figure_1: models.csv}
- just text
- [select, models.csv]
- {select: models.csv, objectives: {a: max}}
- {select: models.csv, objectives: {a: max}}
- {select: models.csv, timeout: -1}
""")
        )
    text = str(caught.value)
    for expected in (
        "'job' is not a known key. Did you mean 'jobs'?",
        "`jobs` is 'many'",
        "Did you mean 'select'?",
        "Did you mean 'weights'?",
        "`maximize` is written `objectives: {a: max, b: max}`",
        "`objectives` gives 'up' for 'a'",
        "no such file",
        "`n_resamples` is 'several'; it must be a whole number",
        "`p` is an empty list",
        "'copa/figure_1' takes no table",
        "'../outside'",
        "'just text'",
        "a run is a report with its table, such as {select: models.csv",
        "several runs would write to the folder 'select/models'",
        "`timeout` is -1",
    ):
        assert expected in text, text


@pytest.mark.parametrize(
    "text",
    ["", "[1, 2]", "runs: {", "runs: []", "runs: 3", "runs: {select: a.csv}", "!!python/object/apply:os.abort []"],
)
def test_what_is_no_plan_is_refused(plan_file, text):
    with pytest.raises(ValueError, match=r"runs\.yaml"):
        read_plan(plan_file(text))


def test_a_missing_plan(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_plan(tmp_path / "none.yaml")


@pytest.mark.parametrize("name", ["", "/abs", "a/../b", "a//b", ".hidden", "a/", "a\\b", "-x", "a b"])
def test_folders_stay_below_the_output_folder(name):
    with pytest.raises(ValueError, match="`name`"):
        checked_folder(name)


def test_any_text_becomes_a_folder_name():
    assert checked_folder(slug("../../etc/passwd ∞")) == "etc-passwd"
    assert checked_folder(slug("∞")) == "x"


@pytest.mark.parametrize("n_jobs", [0, -1, 1.5, "2", True])
def test_the_number_of_processes_is_checked(tmp_path, n_jobs):
    with pytest.raises(ValueError, match="`n_jobs`"):
        run_batch([], tmp_path, n_jobs=n_jobs)


def test_nothing_to_run_leaves_an_overview(tmp_path):
    assert run_batch([], tmp_path) == []
    assert (tmp_path / "index.html").is_file()


@pytest.mark.parametrize("reference", ["<<: [{}]", "a: [{}]"])
def test_a_bomb_of_merge_keys_is_refused_before_it_is_made(tmp_path, reference):
    lines = ["l0: &l0 {p: 2}"]
    for level in range(1, 30):
        lines += [f"l{level}: &l{level}", "  " + reference.format(", ".join([f"*l{level - 1}"] * 9))]
    file = tmp_path / "bomb.yaml"
    file.write_text("\n".join(lines))
    assert file.stat().st_size < 3000
    with pytest.raises(ValueError, match=r"bomb\.yaml contains more than 100,000 values"):
        read_plan(file)


def test_merge_keys_that_repeat_little_are_read(tmp_path):
    (tmp_path / "models.csv").write_text("model,recall,ms\nA,0.5,1\nB,0.7,2\n")
    file = tmp_path / "runs.yaml"
    file.write_text(
        "runs:\n- &first {select: models.csv, objectives: {recall: max, ms: min}}\n- {<<: *first, name: other, p: 2}\n"
    )
    assert [job.parameters.get("p") for job in read_plan(file).jobs] == [None, "2"]


def test_deeply_nested_lists_are_refused(tmp_path):
    file = tmp_path / "deep.yaml"
    file.write_text("[" * 5000)
    with pytest.raises(ValueError, match=r"deep\.yaml cannot be read: .* nested too deeply"):
        read_plan(file)


def test_combinations_are_counted_before_they_are_made(tmp_path):
    file = tmp_path / "runs.yaml"
    values = list(range(1000))
    file.write_text(f"runs:\n- {{select: a.csv, where: {values}, p: {values}}}\n")
    with pytest.raises(ValueError, match=r"run 1 \(select\): its lists have 1,000,000 combinations; at most 10,000"):
        read_plan(file)


# ------------------------------------------------------------------------------------------- tables that are broken


@pytest.fixture
def nights(tmp_path):
    """Four tables of one night, of which two are broken, and a batch of all of them."""
    for number in range(4):
        rows = "".join(f"m{row},{0.5 + row / 10},{row + number}\n" for row in range(4))
        (tmp_path / f"table_{number}.csv").write_text(f"model,accuracy,co2\n{rows}", encoding="utf-8")
    (tmp_path / "table_1.csv").write_text("model,accuracy,co2\na,0.5,1\nb,0.6,2,3,4\n", encoding="utf-8")
    (tmp_path / "table_3.csv").write_text("model,accuracy,co2\na,0.5,1\nb,oops,2\n", encoding="utf-8")
    (tmp_path / "runs.yaml").write_text('runs:\n- {select: "table_*.csv", objectives: {accuracy: max, co2: min}}\n')
    return tmp_path


def test_tables_are_found_by_a_pattern_and_broken_ones_named(nights):
    plan = read_plan(nights / "runs.yaml")
    assert [job.name for job in plan.jobs] == [f"select/table_{number}" for number in range(4)]
    assert list(plan.refused) == ["select/table_1", "select/table_3"]
    first, second = map(str, plan.refused.values())
    assert first.startswith("table_1.csv: `table` is ")
    assert "line 3" in first
    assert second.startswith("table_3.csv: `objectives` names 'accuracy'")
    assert "'oops' in row 2" in second


def test_a_pattern_without_a_file_is_refused(nights):
    file = nights / "runs.yaml"
    file.write_text(file.read_text().replace("table_*", "night_*"))
    with pytest.raises(ValueError, match=r"its table is 'night_\*\.csv', which matches no file in"):
        read_plan(file)


def test_a_batch_of_broken_tables_alone_is_refused(nights):
    file = nights / "runs.yaml"
    file.write_text(file.read_text().replace("accuracy:", "acuracy:"))
    with pytest.raises(ValueError, match="cannot be run") as error:
        read_plan(file)
    assert str(error.value).count("Did you mean 'accuracy'") == 3


# ------------------------------------------------------------------------------------------------ the form of a run


@pytest.mark.parametrize(
    ("old", "now"),
    [
        (
            '{report: select, parameters: {table: a.csv, maximize: [acc, f1], minimize: ms}, vary: {p: ["1", inf]}}',
            "{select: a.csv, objectives: {acc: max, f1: max, ms: min}, p: ['1', inf]}",
        ),
        ('{report: board, name: x, vary: {table: "n/*.csv"}}', "{board: n/*.csv, name: x}"),
        ("{report: copa/figure_1, parameters: {alpha: 0.7}}", "{copa/figure_1: null, alpha: 0.7}"),
    ],
)
def test_a_run_of_an_earlier_version_is_refused_with_the_line_to_write(plan_file, old, now):
    with pytest.raises(ValueError, match="cannot be run") as caught:
        read_plan(plan_file(f"runs:\n- {old}\n"))
    assert f"it is written - {now} now." in str(caught.value)


def test_the_line_to_write_is_read(plan_file):
    parameters = {"table": "models.csv", "objectives": {"a": "max", "b": "min"}, "weights": {"a": 0.5}, "show": ["a"]}
    stated = write_run("select", parameters, name="mine")
    (job,) = read_plan(plan_file(yaml.safe_dump({"runs": [stated]}, sort_keys=False))).jobs
    assert (job.name, job.parameters) == ("mine", parameters)


def test_a_file_that_describes_a_table_is_a_table(plan_file, tmp_path):
    (tmp_path / "bench.yaml").write_text("table: models.csv\nobjectives: {a: max, b: min}\n", encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("tabel: models.csv\n", encoding="utf-8")
    plan = read_plan(plan_file("runs:\n- {select: [bench.yaml, broken.yaml], p: 2}\n"))
    assert [job.name for job in plan.jobs] == ["select/bench", "select/broken"]
    assert "Did you mean 'table'?" in str(plan.refused["select/broken"])
    before = fingerprint(plan.jobs[0])
    assert fingerprint(plan.jobs[0]) == before
    (tmp_path / "models.csv").write_text("a,b\n1,2\n3,5\n", encoding="utf-8")
    assert fingerprint(plan.jobs[0]) != before, "the table that it describes is another one"
