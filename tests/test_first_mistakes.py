"""What goes wrong first with a table of one's own: every error says what came and what to write instead."""

import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest
from click.testing import CliRunner
from pymoo.core.population import Population

import copa_nb
from copa_nb import datasets, plots
from copa_nb.cli import main as command_line
from copa_nb.plotting.pictures import picture_of
from copa_nb.sources import formats
from copa_nb.tables.objectives import RunsWarning
from tests import asked
from tests.said import sentence

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0], "license": ["mit", "mit", "other"]}, index=list("abc")
).moo.define(accuracy="max", co2_kg="min")


# ------------------------------------------------------------------------------------------------- arguments


def test_one_margin_for_all_objectives_is_refused_with_one_that_has_a_unit():
    with pytest.raises(TypeError, match=r"`margin` is 0\.05; .*margin=\{'accuracy': 0\.05\}"):
        MODELS.moo.cheaper("a", cost="co2_kg", margin=0.05)


def test_columns_of_standard_errors_can_be_given_by_their_ending():
    runs = MODELS.assign(accuracy_stderr=[0.01, 0.02, 0.01])
    given = asked.board(runs, standard_error={"accuracy": "accuracy_stderr"}, known="co2_kg")
    assert asked.board(runs, standard_error="_stderr", known="co2_kg").table.equals(given.table)
    front = asked.confident_front(runs, standard_error="_stderr", known="co2_kg")
    assert front.table.equals(
        asked.confident_front(runs, standard_error={"accuracy": "accuracy_stderr"}, known="co2_kg").table
    )
    with pytest.raises(ValueError, match=r"there is no column 'accuracy_se'; columns are .*'accuracy_stderr'"):
        asked.board(runs, standard_error="_se")
    with pytest.raises(TypeError, match=r"`standard_error` is 0\.1; it must map objectives to columns"):
        asked.board(runs, standard_error=0.1)


def test_standard_errors_of_the_harness_are_found_by_their_ending():
    results = [
        {
            "model_name": model,
            "higher_is_better": {"arc": {"acc": True}, "piqa": {"acc": True}},
            "results": {
                "arc": {"acc,none": acc, "acc_stderr,none": 0.01},
                "piqa": {"acc,none": 1 - acc, "acc_stderr,none": 0.02},
            },
        }
        for model, acc in (("small", 0.5), ("large", 0.8))
    ]
    front = asked.confident_front(copa_nb.from_lm_eval(results), standard_error="_stderr")
    assert set(front.table.index) == {"small", "large"}
    with pytest.raises(TypeError, match=r"said of the table: df\.moo\(standard_error=\"_stderr\"\)\.confident_front"):
        copa_nb.from_lm_eval(results).moo.confident_front(standard_error="_stderr")
    with pytest.raises(TypeError, match=r"'seed'\. Did you mean 'rng'\?"):
        MODELS.moo.board(seed=1)


def test_columns_to_parse_are_named(tmp_path):
    (tmp_path / "models.csv").write_text("model,price\na,$1\n")
    with pytest.raises(TypeError, match=r"`parse` is True; list the columns to parse"):
        copa_nb.read(tmp_path / "models.csv", parse=True)


def test_a_name_is_not_offered_for_itself():
    said = r"'val_accuracy', 'test_accuracy' are missing.*`validation` and `test`"
    with pytest.raises(ValueError, match=said) as error:
        MODELS.moo.gap().budgets()
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: pd.DataFrame({"a": [1]}).moo.define(),
            r"nothing is said; name at least one column .* df\.moo\.define\(accuracy=\"max\"\)",
        ),
        (lambda: MODELS.moo.copa().stability(over="runs"), "`over` is 'runs', which needs `repeat`"),
        (lambda: MODELS.moo(validation="cv_").gap(), "needs the columns 'cv_accuracy' and 'test_accuracy'"),
    ],
)
def test_what_is_missing_or_misspelled_is_said_with_what_is_there(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


def test_text_in_a_condition_belongs_between_quotes():
    with pytest.raises(ValueError, match=r"names 'mit', which is not a column.*value of 'license'.*'mit'\."):
        MODELS.moo.copa(where="license == mit")
    assert MODELS.moo.copa(where="license == 'mit'").counts() == (2, 3)


def test_directions_of_columns_that_were_renamed_are_named():
    with pytest.raises(
        ValueError,
        match=r'with accuracy="max", which is not a .*Without it: df.moo.define\(co2_kg="min"\)',
    ):
        MODELS.rename(columns={"accuracy": "score"}).moo.copa()
    with pytest.raises(ValueError, match=r'described with accuracy="max", .*; columns are .license.'):
        MODELS[["license"]].moo.front()


# ----------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("values", "decimal", "numbers"),
    [
        (["$0.0100", "$0.02"], None, [0.01, 0.02]),
        (["1,450", "980"], ".", [1450, 980]),
        (["12 ms", "9 ms"], None, [12, 9]),
        (["1.299,50 €", "80 €"], None, [1299.5, 80]),
    ],
)
def test_the_reader_of_numbers_with_units_is_named(values, decimal, numbers):
    table = pd.DataFrame({"a cost": values, "other": 1.0})
    with pytest.raises(TypeError) as error:
        table.moo.define({"a cost": "min"})
    assert "copa_nb.parse_numbers(frame, ['a cost'])" in str(error.value)
    assert "leave it out" not in str(error.value)
    assert "coerce" not in str(error.value)
    assert copa_nb.parse_numbers(table, ["a cost"], decimal=decimal)["a cost"].tolist() == numbers


# ----------------------------------------------------------------------------------------------------- runs


def _runs():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"model": np.repeat(list("ABCDEF"), 5), "seed": [*range(5)] * 6, "acc": rng.random(30), "cost": rng.random(30)}
    )


CALLS = {
    "copa": lambda table: table.moo(acc="max", cost="min").copa(),
    "front": lambda table: table.moo(acc="max", cost="min").front(),
    "navigate": lambda table: table.moo(acc="max", cost="min").copa().navigate("acc"),
    "compare": lambda table: table.moo(acc="max", cost="min").copa().criteria([1, "inf"]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_runs_are_not_taken_for_systems_without_a_word(call):
    runs = _runs()
    with pytest.warns(
        RunsWarning, match=r"the same label: 30 rows, 6 systems.*define\(system='model', repeat='seed'\)"
    ) as caught:
        call(runs.set_index("model"))
    assert caught[0].filename == __file__
    assert len(caught) == 1
    with pytest.warns(RunsWarning, match=r"'model' and 'seed' number runs.*define\(system='model', repeat='seed'\)"):
        call(runs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(runs.groupby("model").mean(numeric_only=True))
        call(runs.set_index("model").groupby(level=0).mean(numeric_only=True))
        call(runs[runs["model"] == "A"])
        call(runs[runs["seed"] == 0].set_index("model"))
        call(runs.drop(columns="model"))
        call(runs.drop(columns="seed"))


def _scores(*, repeats=1, gaps=False):
    rng = np.random.default_rng(8)
    rows = pd.MultiIndex.from_product([list("ABC"), range(9), range(repeats)], names=["model", "task", "seed"])
    frame = pd.DataFrame({"acc": rng.random(len(rows)), "cost": rng.random(len(rows))}, index=rows).reset_index()
    frame = frame if repeats > 1 else frame.drop(columns="seed")
    return frame.drop(index=[0, 5]) if gaps else frame


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_scores_on_items_are_not_taken_for_systems_without_a_word(call):
    with pytest.warns(RunsWarning, match="scores of systems on items: 27 rows, 3 systems, 9 items") as caught:
        call(_scores())
    assert caught[0].filename == __file__
    assert len(caught) == 1
    with pytest.warns(RunsWarning, match="scores of systems on items"):
        call(_scores().set_index("model"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(_scores().groupby("model").mean(numeric_only=True))
        call(_scores()[lambda table: table["task"] == 3])
        call(_scores()[lambda table: table["model"] == "A"])
        call(_scores().rename(columns={"task": "size"}))
        call(_scores().assign(model=lambda table: table["model"] + table["task"].map(str)))


@pytest.mark.parametrize("scores", [_scores(), _scores(repeats=3), _scores(gaps=True)])
def test_the_lines_in_the_warning_about_items_run(scores):
    frame = scores.moo.define(acc="max", cost="min")
    with pytest.warns(RunsWarning) as caught:
        frame.moo.copa()
    said = str(caught[0].message)
    defined = eval(re.search(r"frame = (frame\.moo\.define\(.*?\))\.", said)[1], {"frame": frame})
    standing = eval(re.search(r"Which systems differ: (.*)\.$", said)[1], {"frame": defined})
    assert standing.table.index.sort_values().tolist() == ["A", "B", "C"]
    if "nan_policy" in said:  # some scores are missing, and means over unlike items are refused
        with pytest.raises(ValueError, match="leave out the systems that lack items"):
            defined.moo.copa()
    else:
        assert defined.moo.copa().best in "ABC"


def test_a_described_suite_is_answered_for_systems_and_another_one_warns():
    suite = datasets.load_uci_classifiers()
    assert repr(suite.moo.copa()).startswith("<Selection 'GBM' among 8 candidates")
    with pytest.warns(RunsWarning, match="128 rows, 8 systems, 16 items"):
        suite.moo.define(system=None, item=None).moo.copa()


def test_lists_in_a_column_are_no_names_of_systems():
    runs = _runs().assign(model=[["a"], {}] * 15)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(runs.moo(acc="max", cost="min").copa().table) == len(runs)


@pytest.mark.parametrize("arrange", [lambda runs: runs, lambda runs: runs.set_index("model")])
def test_the_warning_prints_the_call_that_answers_it(arrange):
    frame = arrange(_runs()).moo.define(acc="max", cost="min")
    with pytest.warns(RunsWarning) as caught:
        frame.moo.copa()
    call = re.search(r"frame\.moo\(.*\)\.copa\(\)\.stability\(\)", str(caught[0].message))[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = eval(call, {"frame": frame})
    assert answer.over == "runs"
    means = frame.groupby("model")[["acc", "cost"]].mean()
    assert answer.best == means.moo(acc="max", cost="min").copa().best


# ----------------------------------------------------------------------------------------------- names of rows


def test_rows_that_are_numbers_are_called_by_what_they_number():
    table = pd.DataFrame({"acc": [0.1, 0.9, 0.8], "cost": [3.0, 1.0, 2.0]})
    choice = table.moo(acc="max", cost="min").copa()
    assert choice.best == 1
    assert repr(choice).startswith("<Selection row 1 among 3 candidates")
    assert "row 1" in choice.headline
    trials = table.set_axis(pd.Index([44, 45, 46], name="trial")).moo(acc="max", cost="min").copa()
    assert repr(trials).startswith("<Selection trial 45 among 3 candidates")
    assert "trial 45" in trials._repr_html_()


NUMBERED = pd.DataFrame(
    {"acc": [0.1, 0.9, 0.8], "cost": [1.0, 3.0, 2.0]}, index=pd.Index([44, 45, 46], name="trial")
).moo.define(acc="max", cost="min")
SENTENCES = {
    "copa": (lambda: NUMBERED.moo.copa(), "Choose trial 46"),
    "navigate": (lambda: NUMBERED.moo.copa().navigate("cost"), "trial 45 from 0 to 0.33, trial 46 from 0.34"),
    "stability": (lambda: NUMBERED.moo.copa().stability(n_resamples=20), "The choice of trial 46"),
    "sensitivity": (lambda: NUMBERED.moo.copa().sensitivity(), "of all weights choose trial 46."),
    "compare": (lambda: NUMBERED.moo.copa().criteria([1, "inf"]), "trial 46 is chosen by"),
    "bounds": (lambda: asked.copa(NUMBERED, nan_policy="bounds"), "Choose trial 46"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_every_sentence_names_numbered_rows_by_what_they_number(name):
    call, words = SENTENCES[name]
    assert words in call().explain()


def test_counted_rows_are_called_as_the_first_column_of_unique_text_calls_them():
    table = pd.DataFrame({"license": ["mit", "mit", "bsd"], "model": ["<small>", "large", "tiny"],
                          "acc": [0.7, 0.9, 0.8], "cost": [1.0, 3.0, 2.0]})  # fmt: skip
    choice = table.moo(acc="max", cost="min").copa()
    assert choice.best == 2, "a label of the table, for table.loc"
    assert repr(choice).startswith("<Selection tiny among 3")
    assert choice.headline.startswith("Choose tiny")
    assert choice.sensitivity().headline.endswith("of all weights choose tiny")
    assert "tiny is chosen by" in table.moo(acc="max", cost="min").copa().criteria([1, "inf"]).explain()
    small = table.moo(acc="max", cost="min").copa(weights={"cost": 0.9})
    assert "Choose &lt;small&gt;" in small._repr_html_()
    assert table.drop(columns="model").moo(acc="max", cost="min").copa().explain().startswith("Choose row 2")


def test_pictures_of_counted_rows_have_their_names():
    table = pd.DataFrame({"license": ["mit", "mit", "bsd"], "model": ["small", "large", "tiny"],
                          "acc": [0.7, 0.9, 0.8], "kg": [1.0, 3.0, 2.0], "ms": [1.0, 2.0, 3.0]})  # fmt: skip
    named = table.set_index("model")

    def written(ax):
        legend = ax.get_legend()
        return [text.get_text() for text in [*ax.texts, *(legend.get_texts() if legend else ())]]

    for ways in ({"acc": "max", "kg": "min"}, {"acc": "max", "kg": "min", "ms": "min"}):
        of_numbers, of_names = table.moo(ways).copa(), named.moo(ways).copa()
        assert written(of_numbers.plot()) == written(of_names.plot())
        assert written(table.moo(ways).copa().navigate("kg").plot()) == written(
            named.moo(ways).copa().navigate("kg").plot()
        )
        assert of_names.best in " ".join(written(of_names.plot()))
        with table.moo(ways).explore() as explorer, named.moo(ways).explore() as other:
            assert explorer.data["labels"] == other.data["labels"]
            assert table.loc[explorer.best, "model"] == other.best
        assert f">{of_names.best}<" in of_numbers._repr_html_()
    found = picture_of(plots.plot_front, table.moo(acc="max", kg="min").copa()).finding
    assert found.startswith(named.moo(acc="max", kg="min").copa().best)


def test_the_column_that_names_rows_is_given_alike_for_all_libraries():
    table = MODELS.reset_index(names="model")
    assert table.moo(accuracy="max", co2_kg="min", system="model").copa().best == MODELS.moo.copa().best
    assert table.moo({"accuracy": "max"}, system="model").front().index.tolist() == ["a"]
    with pytest.raises(ValueError, match=r"`system` names 'modell', which is not a column.*Did you mean 'model'"):
        table.moo(accuracy="max", system="modell")
    odd = pd.DataFrame({"system": [1.0, 2.0]}, index=list("ab"))
    with pytest.raises(ValueError, match=r'`system` says what a column is.*write df.moo\(\{"system": "max"\}\)'):
        odd.moo(system="max")
    assert odd.moo({"system": "max"}).front().index.tolist() == ["b"]


def test_files_name_their_rows_as_on_the_command_line(tmp_path):
    (tmp_path / "models.csv").write_text("model,accuracy\na,0.9\nb,0.8\n")
    assert copa_nb.read(tmp_path / "models.csv").index.tolist() == ["a", "b"]
    (tmp_path / "plain.csv").write_text("accuracy,cost\n0.9,3\n0.8,1\n")
    assert copa_nb.read(tmp_path / "plain.csv").index.tolist() == ["row 1", "row 2"]
    assert copa_nb.read(tmp_path / "models.csv", system="accuracy").index.tolist() == [0.9, 0.8]


# ---------------------------------------------------------------------------------------------------- sources


def test_an_export_of_wandb_is_recognized(tmp_path):
    file = tmp_path / "export.csv"
    file.write_text('"Name","State","acc","cost"\n"a","finished",0.7,1\n"b","running",0.9,2\n"c","crashed",0.99,3\n')
    with pytest.warns(UserWarning, match="2 of 3 runs are left out: 1 running, 1 crashed"):
        table = copa_nb.read(file, {"acc": "max", "cost": "min"})
    assert table.moo.copa().best == "a"
    with pytest.raises(ValueError, match="W&B does not state whether more or less is better"):
        copa_nb.read(file)
    assert copa_nb.read(file, format="table").index.tolist() == ["a", "b", "c"]


def test_a_table_of_states_is_no_export_of_wandb(tmp_path):
    (tmp_path / "states.csv").write_text("Name,State,gdp\na,Texas,1\nb,Ohio,2\n")
    assert copa_nb.read(tmp_path / "states.csv")["State"].tolist() == ["Texas", "Ohio"]


def test_a_store_of_mlflow_is_named(tmp_path):
    (tmp_path / "mlruns" / "0").mkdir(parents=True)
    (tmp_path / "mlruns" / "0" / "meta.yaml").write_text("experiment_id: '0'\n")
    with pytest.raises(ValueError, match=r"a store of MLflow.*from_mlflow\(mlflow\.search_runs"):
        copa_nb.read(tmp_path / "mlruns")


# ------------------------------------------------------------------------------------------------ command line


def _printed(*arguments):
    done = CliRunner().invoke(command_line, [*arguments, "--max", "acc", "--min", "cost", "--quick"])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_line_says_that_rows_are_runs(tmp_path):
    _runs().to_csv(tmp_path / "runs.csv", index=False)
    assert "Columns 'model' and 'seed' number runs: 30 rows, 6 systems." in _printed(
        "select", str(tmp_path / "runs.csv")
    )
    _runs().groupby("model").mean(numeric_only=True).to_csv(tmp_path / "means.csv")
    assert "number runs" not in _printed("select", str(tmp_path / "means.csv"))


@pytest.mark.parametrize(("policy", "said"), [("omit", "they are left out"), ("worst", "worse than")])
def test_the_command_line_says_what_becomes_of_missing_values(tmp_path, policy, said):
    table = pd.DataFrame({"model": list("abc"), "acc": [0.9, None, 0.7], "cost": [3.0, 2.0, 1.0]})
    table.to_csv(tmp_path / "models.csv", index=False)
    printed = _printed("select", str(tmp_path / "models.csv"), "--nan-policy", policy)
    assert "Rows with missing values: 1; " in printed
    assert said in printed


def test_fewer_resamples_of_a_large_table_are_said(monkeypatch, tmp_path):
    monkeypatch.setattr("copa_nb.selection.copa._MOST_RESAMPLED", 90)
    _runs().groupby("model").mean(numeric_only=True).iloc[:3].to_csv(tmp_path / "means.csv")
    assert "30 resamples of the population" in _printed("select", str(tmp_path / "means.csv"))


def test_tables_of_results_show_no_missing_name_as_a_number():
    table = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 2, 1], "c": [1.0, 3, 2]}, index=list("xyz"))
    sensitivity = table.moo(a="max", b="min", c="max").copa().sensitivity()
    assert sensitivity.table["below"].isna().all(), "the choice holds down to the weight 0"
    page = sensitivity._repr_html_()
    assert ">–</td>" in page
    assert ">nan<" not in page
    assert ">None<" not in page


# -------------------------------------------------------------------------------------------------- the selected row


def test_places_under_a_limit_are_those_among_all_rows():
    answer = MODELS.moo.copa(where="accuracy < 0.85").to_answer()
    assert "(2nd of 3)" in " ".join(answer.lines)


def test_the_answer_has_the_values_of_the_selected_row():
    choice = MODELS.moo.copa(weights={"co2_kg": 0.8})
    assert choice.values == {"accuracy": 0.8, "co2_kg": 1.0}
    values = sentence(choice, "choice.reasons.values")["objectives"]
    assert [(one["name"], one["value"], one["unit"]) for one in values] == [("accuracy", 0.8, ""), ("CO₂", 1.0, "kg")]
    assert choice.parameters == {}
    missing = MODELS.assign(accuracy=[None, 0.8, 0.7])
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        assert asked.copa(missing, nan_policy="omit").values == {"accuracy": 0.8, "co2_kg": 1.0}


def test_the_answer_has_the_parameters_of_the_selected_trial():
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(directions=["maximize", "minimize"])
    spread = {
        "lr": optuna.distributions.FloatDistribution(0, 1),
        "kind": optuna.distributions.CategoricalDistribution("ab"),
    }
    for lr, values in ((0.1, [0.7, 3.0]), (0.3, [0.9, 1.0]), (0.5, [0.8, 2.0])):
        trial = optuna.trial.create_trial(params={"lr": lr, "kind": "a"}, distributions=spread, values=values)
        study.add_trial(trial)
    choice = copa_nb.from_optuna(study).moo.copa()
    assert choice.parameters == study.trials[choice.best].params == {"lr": 0.3, "kind": "a"}
    assert sentence(choice, "choice.reasons.settings") == {"settings": ["lr 0.3", "kind a"]}


def test_the_answer_has_the_parameters_of_the_selected_candidate():
    results = {
        "params": [{"C": 1, "kernel": "rbf"}, {"C": 10, "kernel": "rbf"}, {"C": 5}],
        "mean_test_acc": [0.8, 0.9, 0.7],
        "mean_test_f1": [0.7, 0.9, 0.8],
    }
    choice = copa_nb.from_cv_results(results).moo.copa()
    assert choice.parameters == results["params"][1]
    assert "Its parameters" not in choice.explain(), "its name has them"
    absent = copa_nb.from_cv_results(results).moo.copa(where="acc < 0.75")
    assert absent.parameters == results["params"][2]


# -------------------------------------------------------------------------------------------------------- directions

TABLE = pd.DataFrame({"val/acc": [0.7, 0.9], "cost": [1.0, 2.0]}, index=["a", "b"])
RUNS = pd.DataFrame(
    {"run_id": ["a", "b"], "status": "FINISHED", "metrics.val/acc": [0.7, 0.9], "metrics.cost": [1.0, 2.0]}
)
LONG = pd.DataFrame({"system": list("aabb"), "metric": ["val/acc", "cost"] * 2, "value": [0.7, 1.0, 0.9, 2.0]})
EXPORT = pd.DataFrame({"Name": list("ab"), "State": "finished", "val/acc": [0.7, 0.9], "cost": [1.0, 2.0]})
READERS = {
    "define": lambda *given, **words: TABLE.moo.define(*given, **words).moo.description["objectives"],
    "moo": lambda *given, **words: TABLE.moo(*given, **words).description["objectives"],
    "read": lambda *given, **words: copa_nb.read(TABLE, *given, **words).moo.description["objectives"],
    "from_mlflow": lambda *given, **words: copa_nb.from_mlflow(RUNS, *given, **words).moo.description["objectives"],
    "from_wandb": lambda *given, **words: copa_nb.from_wandb(EXPORT, *given, **words).moo.description["objectives"],
    "from_long": lambda *given, **words: copa_nb.from_long(
        LONG, *given, system="system", metric="metric", value="value", **words
    ).moo.description["objectives"],
}
SPELLINGS = {
    "mapping": lambda reader: reader({"val/acc": "max", "cost": "min"}),
    "objectives": lambda reader: reader(objectives={"val/acc": "max", "cost": "min"}),
    "keyword": lambda reader: reader({"val/acc": "max"}, cost="min"),
    "max and min": lambda reader: reader(max="val/acc", min=["cost"]),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_directions_are_given_alike_to_all_readers(reader, spelling):
    assert spelling(reader) == {"val/acc": "max", "cost": "min"}


_DATA = Path(__file__).parent / "sources" / "data"


def _submissions() -> Path:
    folder = Path(tempfile.mkdtemp())
    for name in "ab":
        (folder / name / "results").mkdir(parents=True)
        (folder / name / "results" / "results.json").write_text('{"resolved": ["x", "y"]}')
    return folder


def _own_directions() -> dict:
    """A source of each kind that knows its directions, and columns of it that can be objectives."""
    search = {"params": [{"C": 1}, {"C": 2}], "mean_test_acc": [0.8, 0.9], "mean_fit_time": [1.0, 2.0]}
    folds = pd.DataFrame(
        {"task": list("xyxy"), "framework": list("aabb"), "fold": 0, "result": [0.9, 0.5, 0.8, 0.6]},
    )
    harness = {
        "model_name": "a", "higher_is_better": {"arc": {"acc": True, "f1": True}},
        "results": {"arc": {"acc,none": 0.5, "f1,none": 0.4}},
    }  # fmt: skip
    record = {
        "model_info": {"id": "a"},
        "evaluation_results": [
            {"evaluation_name": name, "metric_config": {"lower_is_better": False}, "score_details": {"score": 0.5}}
            for name in ("mmlu", "gpqa")
        ],
    }
    experiment = {
        "function_id": 1, "function_name": "Sphere", "maximization": False, "algorithm": {"name": "a"},
        "scenarios": [{"dimension": 5, "path": "data_f1/f1_DIM5.dat",
                       "runs": [{"instance": 1, "evals": 9, "best": {"evals": 9, "y": 1.0}}]}],
    }  # fmt: skip
    study = optuna.create_study(directions=["maximize"])
    layers = {"layers": optuna.distributions.IntDistribution(1, 9)}
    study.add_trial(optuna.trial.create_trial(params={"layers": 3}, distributions=layers, values=[0.7]))
    population = Population.new(F=np.array([[1.0, 2.0]]), X=np.array([[3.0]]))
    return {
        "amlb": (folds, {"y": "min"}),
        "cv_results": (search, {"mean_fit_time": "min"}),
        "every_eval_ever": (record, {"gpqa": "min"}),
        "ioh": ([experiment], {"evaluations": "max"}),
        "lm_eval": (harness, {"arc/f1": "max"}),
        "optuna": (study, {"params_layers": "min", "value": "max"}),
        "pymoo": (population, {"f0": "max", "x0": "min"}),
        "promptfoo": (_DATA / "promptfoo.json", {"right": "max", "tokens": "min"}),
        "deepeval": (_DATA / "deepeval_run.json", {"Exact": "max"}),
        "swe_bench": (_submissions(), {"resolved": "min"}),
    }


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, one in formats.SOURCES.items()
        if one.directions != formats.UNKNOWN_DIRECTIONS and name != "dataset"
    ],
)
def test_readers_that_know_their_directions_take_others(name):
    source, asked = _own_directions()[name]
    reader = formats.SOURCES[name].read
    assert reader(source).moo.description["objectives"] != asked
    assert reader(source, objectives=asked).moo.description["objectives"] == asked
    assert copa_nb.read(source, asked, format=name).moo.description["objectives"] == asked
    with pytest.raises(ValueError, match="`nothing` is not a column"):
        reader(source, objectives={"nothing": "max"})
    with pytest.raises(TypeError, match="`objectives` must map columns to directions"):
        reader(source, objectives=[*asked])


def test_columns_that_are_called_max_and_min_are_objectives():
    table = pd.DataFrame({"max": [1.0, 2.0], "min": [1.0, 2.0]})
    assert table.moo(max="min", min="max").description["objectives"] == {"max": "min", "min": "max"}


def test_a_rule_for_searches_takes_directions_alike():
    rules = [
        copa_nb.refit({"acc": "max", "mean_fit_time": "min"}),
        copa_nb.refit(objectives={"acc": "max", "mean_fit_time": "min"}),
        copa_nb.refit(max="acc", min="mean_fit_time"),
        copa_nb.refit(acc="max", mean_fit_time="min", p=2),
    ]
    assert [rule.objectives for rule in rules] == [{"acc": "max", "mean_fit_time": "min"}] * 4


@pytest.mark.parametrize("call", [lambda: TABLE.moo.copa(), lambda: copa_nb.from_mlflow(RUNS)])
def test_hints_can_be_pasted_for_columns_of_the_table(call):
    with pytest.raises(ValueError, match="direction") as error:
        call()
    assert '{"val/acc": "max"' in str(error.value)
    assert "accuracy" not in str(error.value)
    named = TABLE.rename(columns={"val/acc": "f1"})
    with pytest.raises(ValueError, match=r'df\.moo\.define\(f1="max", cost="min"\)'):
        named.moo.copa()


# -------------------------------------------------------------------------------------------------- in a notebook


def test_directions_among_the_options_of_a_verb_are_put_where_they_belong():
    table = MODELS.reset_index(names="model")
    for call in (
        lambda **given: asked.copa(table, **given),
        lambda **given: asked.explore(table, **given),
        lambda **given: asked.front(table, **given),
    ):
        with pytest.raises(TypeError, match="Directions belong to the table") as error:
            call(max="accuracy", min=["co2_kg"])
        assert 'df.moo(accuracy="max", co2_kg="min").' in str(error.value)
    with pytest.raises(TypeError, match="keyword argument 'accuracy'") as error:
        table.moo.copa(accuracy="max", co2_kg="min", p=1)
    assert str(error.value).endswith('df.moo(accuracy="max", co2_kg="min").copa(...).')
    pasted = re.search(r"df\.moo\(.*?\)", str(error.value))[0]
    assert eval(pasted, {"df": table}).copa(p=1).best == table.moo(max="accuracy", min="co2_kg").copa(p=1).best


def _printed_by_ipython(code, **names):
    """What a notebook prints for a cell that fails."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell()
    shell.run_line_magic("colors", "nocolor")
    shell.push(names)
    with capture_output() as printed:
        assert not shell.run_cell(code).success
    return printed.stdout + printed.stderr


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("table.moo.copa(max='accuracy')", "Directions belong to the table"),
        ("table.moo(max='acuracy', min='co2_kg')", "Did you mean 'accuracy'?"),
        ("models.moo.by('licence').front()", "Did you mean 'license'?"),
        ("models.moo.copa().plot(ax=[1, 2])", "`ax` is several Axes"),
        ("copa_nb.read('no-such-file.csv')", "there is no such file"),
    ],
)
def test_tracebacks_in_notebooks_show_the_cell_and_the_reason(code, said):
    printed = _printed_by_ipython(code, models=MODELS, table=MODELS.reset_index(names="model"), copa_nb=copa_nb)
    assert said in printed
    assert code.split("(")[0] in printed
    assert len(re.findall(r"^File ", printed, re.M)) <= 2, "the cell, and the line that raises"
    assert len(printed.splitlines()) < 30


@pytest.mark.slow
def test_tracebacks_of_what_other_libraries_raise_are_whole():
    def broken(frame):
        raise ValueError("broken")

    assert "skipping hidden" not in _printed_by_ipython("models.moo.copa(where=f)", models=MODELS, f=broken)


def test_a_value_without_a_name_is_refused_with_the_names_of_the_options():
    with pytest.raises(TypeError, match="takes options by name, and 'accuracy' has none; its options are 'weights'"):
        MODELS.moo.copa("accuracy")


def test_two_directions_of_one_column_are_refused():
    with pytest.raises(ValueError, match="gives 'accuracy' two directions, 'max' and 'min'"):
        MODELS.moo(max="accuracy", min=["co2_kg", "accuracy"])
    with pytest.raises(ValueError, match="two directions"):
        MODELS.moo.define({"accuracy": "max"}, accuracy="min")


def test_names_that_are_not_there_are_answered_by_those_that_are():
    with pytest.raises(AttributeError, match="Did you mean 'normalize'"):
        MODELS.moo.normalise  # noqa: B018
    with pytest.raises(AttributeError, match=r"no method 'pareto'\. Most used are front\(\)"):
        MODELS.moo.pareto()
    assert not hasattr(MODELS.moo, "pareto")
    with pytest.raises(AttributeError, match=r"copa_nb has no 'citation'\. Did you mean 'citations'"):
        copa_nb.citation  # noqa: B018
    assert copa_nb.plots is plots
    assert callable(copa_nb.datasets.load_open_llm_leaderboard)


def test_a_report_of_a_table_is_answered_by_the_call_for_it():
    with pytest.raises(TypeError, match=r'copa_nb\.report\("select", table=\.\.\., objectives='):
        copa_nb.report(MODELS)
    with pytest.raises(ValueError, match=r'is written objectives=\{"accuracy": "max"\}'):
        copa_nb.report("select", table=MODELS, maximize="accuracy")
    with pytest.raises(ValueError, match=r"those of your own table are .*'select'"):
        copa_nb.report("copa", table=MODELS)


def test_a_missing_file_is_answered_by_the_one_that_is_there(tmp_path):
    (tmp_path / "runs.csv").write_text("model,acc\na,1\n")
    with pytest.raises(FileNotFoundError, match=r"no such file\. Did you mean 'runs\.csv'"):
        copa_nb.read(tmp_path / "run.csv")
    with pytest.raises(FileNotFoundError, match="Names are relative to"):
        copa_nb.read("nowhere/at-all.csv")


def test_means_with_deviations_are_read_as_the_hint_says():
    table = pd.DataFrame({"acc": ["80.9 ± 0.3", "81 ±1"], "cost": [1.0, 2.0]})
    with pytest.raises(TypeError, match="Convert it first") as error:
        table.moo(acc="max", cost="min").copa()
    code = str(error.value).partition("frame['acc'] = ")[2].rstrip(".")
    assert eval(code, {"frame": table}).tolist() == [80.9, 81.0]
