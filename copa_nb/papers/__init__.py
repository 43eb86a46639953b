"""Five papers, claim by claim: what they say, the functions that check it, their figures and their experiments.

``papers.csv`` says what the papers are, ``claims.csv`` what they claim, where, and what they print; ``errata.csv`` the
errors found. Each paper has a folder named like its notebooks: ``claims.py`` has a function per claim and one per
report that states its answer, ``figures.py`` the pictures that only this paper needs. Nothing of the library imports
this folder; it finds the lists by the entry point group ``copa_nb.papers``.
"""

from pathlib import Path

from copa_nb.claims.collection import Collection

COLLECTION = Collection((Path(__file__).parent,))
