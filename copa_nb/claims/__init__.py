"""Claims of the papers, in words and numbers, and the functions that check them.

``papers.csv`` says what the papers are, ``claims.csv`` what they claim, where, and what they print; ``errata.csv`` has
the errors found in them. Each paper has a file named like its folder of notebooks, or several whose names begin so: a
function per claim, and one per report that states its answer. The library finds all this by ``collection.py``.
"""

import sys
from pathlib import Path

from copa_nb.claims.collection import Collection
from copa_nb.discovery import import_all


def _register() -> None:
    import_all(sys.modules[__name__])


COLLECTION = Collection((Path(__file__).parent,), (_register,))
