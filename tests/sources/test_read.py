"""One call tells sources apart."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.sources.read import FORMATS, kind_of_file

WRITTEN = Path(__file__).parent / "data" / "results_lm_eval_0.4.13.json"
MODELS = pd.DataFrame({"model": ["a", "b"], "acc": [0.9, 0.8]})


def test_every_source_has_a_format():
    sources = {function for name, function in vars(copa_nb).items() if name.startswith("from_")}
    sources |= {getattr(copa_nb, name) for name in copa_nb.__all__ if name.startswith("from_")}
    assert sources == {one.read for name, one in FORMATS.items() if name not in ("table", "dataset")}


def test_frames():
    pl = pytest.importorskip("polars")
    table = copa_nb.read(pl.from_pandas(MODELS), system="model")
    assert table.moo(acc="max").copa().best == "a"
    assert copa_nb.read(MODELS, system="model").equals(MODELS.set_index("model"))
    same = copa_nb.read(MODELS)
    assert same.equals(MODELS)
    assert same is not MODELS


def test_objects_and_their_files(tmp_path):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    for name in ("one", "two"):
        study = optuna.create_study(storage=f"sqlite:///{tmp_path}/study.db", study_name=name)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    assert copa_nb.read(study).equals(copa_nb.read(tmp_path / "study.db", name="two"))
    (tmp_path / "study.db").rename(tmp_path / "study")
    assert len(copa_nb.read(tmp_path / "study", name="one")) == 3
    with pytest.raises(ValueError, match="contains several studies"):
        copa_nb.read(tmp_path / "study")


def test_documents():
    assert copa_nb.read(WRITTEN).equals(copa_nb.from_lm_eval(WRITTEN))
    assert copa_nb.read(json.loads(WRITTEN.read_text())).equals(copa_nb.from_lm_eval(WRITTEN))
    assert copa_nb.read([WRITTEN, json.loads(WRITTEN.read_text())]).index.tolist() == ["dummy"]
    assert copa_nb.read({"params": [{"a": 1}], "mean_test_score": np.array([1.0])}).index.tolist() == ["a=1"]


def test_formats_are_known_by_what_a_source_has(tmp_path):
    searched = SimpleNamespace(cv_results_={"params": [{"a": 1}, {"a": 2}], "mean_test_score": [0.1, 0.2]})
    assert copa_nb.read(searched).moo.copa().best == "a=2"
    for name in ("sqlite:///x.db", "mysql://x", "postgresql://x", "redis://x", "study.db", "a.sqlite", "b.sqlite3"):
        assert kind_of_file(name) == "optuna"
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.eval").touch()
    (tmp_path / "log.json").write_text('{"status": "success", "eval": {}}')
    for path in (tmp_path / "logs", tmp_path / "logs" / "one.eval", tmp_path / "log.json"):
        assert kind_of_file(str(path)) == "inspect"
    (tmp_path / "log.json").write_text('{"eval": {}}')
    assert kind_of_file(str(tmp_path / "log.json")) == "table"
    assert kind_of_file("none.json") == kind_of_file("none.csv") == "table"


@pytest.mark.parametrize("word", ["mysql", "postgresql", "sqlite", "redis", "mariadb"])
def test_a_name_is_the_url_of_a_database_only_with_its_scheme(word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"{word}_benchmarks.csv"
    MODELS.to_csv(name, index=False)
    assert copa_nb.read(name).equals(MODELS.set_index("model"))
    Path("claims.yaml").write_text(f"table: {name}\nobjectives: {{acc: max}}\nclaims: [{{id: first, rank: a}}]\n")
    assert copa_nb.check("claims.yaml").with_verdict("holds") == ["first"]
    assert kind_of_file(f"{word}://user@host/studies") == kind_of_file(f"{word}+driver://user@host/studies") == "optuna"
    Path(f"{word}_logs").mkdir()
    Path(f"{word}_logs", "one.eval").touch()
    assert kind_of_file(f"{word}_logs") == "inspect"


@pytest.mark.parametrize("thing", [None, 3, {}, [], "x" * 3, np.zeros((2, 2)), [3], lambda: 0])
def test_anything_else_gets_a_sentence(thing, tmp_path):
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=r"`(source|table)`"):
        copa_nb.read(thing)


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match=r"`format` is 'optun'.*Did you mean 'optuna'"):
        copa_nb.read("x", format="optun")
    with pytest.raises(ValueError, match=r"is the folder .* set `format`"):
        copa_nb.read(tmp_path)
    with pytest.raises(ValueError, match="different kinds"):
        copa_nb.read([WRITTEN, MODELS])
    with pytest.raises(ValueError, match="`system` names the rows of files and frames"):
        copa_nb.read(WRITTEN, system="model")
    with pytest.raises(TypeError, match="`name` is not an option for a frame"):
        copa_nb.read(MODELS, name="x")


@pytest.mark.parametrize(
    ("package", "call", "line"),
    [
        ("optuna", "copa_nb.from_optuna('sqlite:///x.db')", "pip install optuna"),
        ("mlflow", "copa_nb.from_mlflow(experiment_names='x', a='max')", "pip install mlflow-skinny"),
        ("inspect_ai", "copa_nb.from_inspect('x', a='max')", "pip install inspect-ai"),
    ],
)
def test_a_missing_package_gives_the_line_for_pip(package, call, line, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.analysis", None)
    with pytest.raises(ImportError, match=line):
        eval(call, {"copa_nb": copa_nb})
