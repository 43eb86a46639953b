"""Pages of results and tables for papers: what is not the same for all of them, which `tests/contract` holds."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from tests import asked
from tests.contract.results import KINDS, WAYS, Page, models


def test_tables_for_papers_have_spoken_and_escaped_names(tmp_path):
    table = models().rename(columns={"cost_usd": "co2_kg"})
    choice = asked.copa(table, objectives={"recall": "max", "co2_kg": "min"})
    written = choice.to_latex(tmp_path / "table.tex", caption="100% done.", label="tab:x", columns=["recall", "co2_kg"])
    assert (tmp_path / "table.tex").read_text(encoding="utf-8") == written
    assert r"\caption{100\% done.}" in written
    assert r"\label{tab:x}" in written
    assert "& recall & CO$_2$ (kg)" in written
    assert r"C \& co &" in written
    assert "rank" not in written
    with pytest.raises(ValueError, match="`columns` names 'cost'"):
        choice.to_latex(columns=["cost"])
    with pytest.raises(ValueError, match=r"a folder; name a file in it, e\.g\. table\.tex"):
        choice.to_latex(tmp_path)


@pytest.mark.slow
def test_tables_of_all_results_compile(tmp_path):
    engine = next(filter(shutil.which, ("pdflatex", "lualatex", "xelatex", "tectonic")), None)
    if engine is None:
        pytest.skip("no LaTeX is installed (pdflatex, lualatex, xelatex or tectonic): the tables are not compiled")
    tables = "\\clearpage\n".join(make().to_latex(label=f"tab:{n}") for n, make in enumerate(KINDS.values()))
    packages = "\n".join(rf"\usepackage{{{name}}}" for name in ("booktabs", "amsmath", "amssymb"))
    source = f"\\documentclass{{article}}\n{packages}\n\\begin{{document}}\n{tables}\\end{{document}}\n"
    (tmp_path / "tables.tex").write_text(source, encoding="utf-8")
    options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([engine, *options, "tables.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def _drawn_at_once(kinds):
    makers = [KINDS[kind]() for kind in kinds]
    with ThreadPoolExecutor(len(makers)) as pool:
        return list(pool.map(lambda result: result.to_html(), makers))


@pytest.mark.slow
def test_pages_made_in_threads_are_those_made_one_by_one():
    kinds = ["Navigation", "Gap", "Stability", "HypervolumeTest", "Criteria", "Attainment"] * 2
    settings, figures = dict(plt.rcParams), plt.get_fignums()
    alone = [KINDS[kind]().to_html() for kind in kinds]
    assert [a == b for a, b in zip(_drawn_at_once(kinds), alone, strict=True)] == [True] * len(kinds)
    assert dict(plt.rcParams) == settings
    assert plt.get_fignums() == figures


def test_all_rows_are_in_the_page():
    forty = pd.DataFrame({"recall": range(40), "cost_usd": range(40)}, index=[f"model {n}" for n in range(40)])
    page = Page(asked.copa(forty, objectives=WAYS).to_html())
    words = " ".join(page.text)
    assert "Table of all 40 rows" in words
    assert all(f" model {n} " in words for n in range(40))


def test_a_plot_that_cannot_be_drawn_says_why():
    one = pd.DataFrame({"val_recall": [0.5, 0.6], "test_recall": [0.4, 0.7]})
    page = asked.gap(one, objectives={"recall": "max"}).to_html()
    assert "There is no plot: " in page
    assert "objective" in page.split("There is no plot: ")[1]


def test_a_page_is_not_written_over_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"`path` is .*, a folder; name a file in it, e.g. result\.html"):
        KINDS["Hypervolume"]().to_html(tmp_path)
