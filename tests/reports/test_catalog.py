"""The catalog says what there is, in reading order, from the notebooks themselves."""

import pytest

from copa_nb.reports.catalog import catalog, find, heading, paper_entries, plain
from copa_nb.results.templates import shipped_folder


@pytest.fixture
def entries(tmp_path, notebook):
    for name in ("copa/figure_10", "copa/figure_2", "gap/figure_2", "yours/select", "significance/audit"):
        notebook(tmp_path / f"{name}.ipynb")
    return catalog(tmp_path)


def test_numbers_count_as_numbers_and_papers_come_first(entries):
    names = [entry.name for entry in entries]
    assert names == ["copa/figure_2", "copa/figure_10", "gap/figure_2", "significance/audit", "yours/select"]
    assert [entry.paper for entry in entries] == ["COPA", "COPA", "Mind the Gap", "HV test", None]
    assert [entry.name for entry in paper_entries(entries)] == names[:4]


def test_short_names_serve_where_they_are_unambiguous(entries):
    assert find("figure_10", entries).name == "copa/figure_10"
    assert find("gap/figure_2.ipynb", entries).name == "gap/figure_2"
    with pytest.raises(ValueError, match="which matches several reports"):
        find("figure_2", entries)


def test_a_broken_notebook_is_named(tmp_path):
    (tmp_path / "copa").mkdir()
    (tmp_path / "copa" / "bad.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.ipynb"):
        catalog(tmp_path)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("a *b* **c** `d`", "a b c d"),
        ("see [here](http://x)", "see here"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("2 * 3 * 4", "2 * 3 * 4"),
    ],
)
def test_marks_are_taken_out_of_markdown(markdown, text):
    assert plain(markdown) == text


def test_what_ships_is_found():
    assert (shipped_folder("templates") / "copa_report" / "index.html.j2").is_file()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        shipped_folder("nowhere")


def marked(*sources, tags=()):
    return [{"cell_type": "markdown", "source": source, "metadata": {"tags": list(tags)}} for source in sources]


@pytest.mark.parametrize(
    ("cells", "title", "sentence"),
    [
        (marked("# A *b*\n\nOne, e.g. two. Three."), "A b", "One, e.g. two."),
        (marked(["# A\n", "\n", "Of 3.5 and\nmore! 4 follow.\n\nSecond."]), "A", "Of 3.5 and more!"),
        (marked("failed", tags=["papermill-error-cell-tag"]) + marked("# B"), "B", ""),
        ([{"cell_type": "code", "source": "# C", "metadata": {}}], "", ""),
        (marked("D", "# E"), "D", ""),
    ],
)
def test_the_first_cell_of_words_has_title_and_sentence(cells, title, sentence):
    assert heading({"cells": cells}) == (title, sentence)


def test_hidden_files_and_areas_of_ones_own(tmp_path, notebook):
    for name in ("mine/a10", "mine/a9", "mine/.hidden", "copa/x", "also/b"):
        notebook(tmp_path / f"{name}.ipynb")
    assert [entry.name for entry in catalog(tmp_path)] == ["copa/x", "also/b", "mine/a9", "mine/a10"]
    with pytest.raises(
        ValueError,
        match=r"^`name` is 'mine/a1', but there is no such report\. Did you mean 'mine/a10'\? `copa-nb run --list`",
    ):
        find("mine/a1", catalog(tmp_path))
