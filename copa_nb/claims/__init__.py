"""Claims of the papers, in words and numbers, and the functions that check them.

``papers.csv`` says what the papers are, ``claims.csv`` what they claim, where, and what they print; ``errata.csv`` has
the errors found in them. Each paper has a file named like its folder of notebooks, or several whose names begin so: a
function per claim, and one per report that states its answer; notebooks call them. The library finds the lists by
``collection.py``.
"""

from pathlib import Path

from copa_nb.claims.collection import Collection

COLLECTION = Collection((Path(__file__).parent,))
