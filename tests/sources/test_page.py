"""The page on loading a table: every reader is in its table of sources. The build of the site runs its cells."""

from pathlib import Path

import pytest

import copa_nb
from docs.tables import sources

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "load_your_table.md"


def test_the_page_includes_the_table_of_sources():
    assert "{include} ../_generated/table_sources.md" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in copa_nb.__all__ if name.startswith("from_")])
def test_every_reader_is_in_the_table(name):
    assert f"{{py:func}}`copa_nb.{name}`" in sources()
