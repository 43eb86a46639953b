"""The page on sources: every cell runs, in order, and each decision takes at most three lines."""

import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import copa_nb
from copa_nb.tables.objectives import RowsOmittedWarning

PAGE = Path(__file__).parents[2] / "docs" / "sources.md"
CELLS = re.findall(
    r"^```\{code-cell\}\n((?::tags: [^\n]*\n)?)(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL
)


def test_a_decision_takes_at_most_three_lines():
    decisions = [code for tags, code in CELLS if "decision" in tags]
    assert len(decisions) >= 13
    for code in decisions:
        lines = [line for line in code.splitlines() if line.strip() and not line.startswith("import ")]
        assert len(lines) <= 3, code


def test_every_source_is_on_the_page():
    for name in [name for name in copa_nb.__all__ if name.startswith("from_")]:
        assert f"copa_nb.{name}(" in PAGE.read_text(), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_page_runs(monkeypatch):
    for package in ("optuna", "sklearn", "mlflow", "inspect_ai", "ioh", "pymoo", "polars", "duckdb"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip(package)
    names = {"__name__": "page"}

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RowsOmittedWarning)
            for _, code in CELLS:
                if "from_optuna(study)" in code or "from_wandb(" in code:
                    with pytest.warns(RowsOmittedWarning, match="are left out"):
                        exec(code, names)
                else:
                    exec(code, names)

    # In a thread of its own: tests in a browser leave a running event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()
    assert names["trials"].moo.front().index.tolist() == [trial.number for trial in names["study"].best_trials]
    assert names["models"].front().columns == ["model", "accuracy", "latency"]
