"""BibTeX: an entry for each method, and the one place where references are typed twice agrees with itself."""

import re
from pathlib import Path

import pytest

import copa_nb
from copa_nb import citations, datasets

CITATION = (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")


def test_a_verb_a_function_and_a_result_give_the_same_entry():
    pick = datasets.load_domainbed().moo.copa()
    assert citations("copa") == citations(copa_nb.copa) == citations(pick)
    assert "2503.14321" in citations(pick)


def test_every_verb_can_be_cited():
    for name in copa_nb.__all__:
        assert "@software{copa_nb" in citations(name)


def test_what_is_used_twice_is_cited_once():
    assert citations("copa", "navigate", "gap").count("@") == 3


def test_entries_say_what_the_citation_file_says():
    titles = [re.sub(r"[{}]", "", title) for title in re.findall(r"title = \{(.*)\},", citations())]
    for title in titles:
        assert title.replace("\\_", "_") in CITATION


def test_braces_close():
    assert citations().count("{") == citations().count("}")


@pytest.mark.parametrize("wrong", ["cop", 3, print])
def test_what_is_not_ours_is_refused(wrong):
    with pytest.raises(ValueError, match="`used`"):
        citations(wrong)
