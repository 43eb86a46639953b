"""Sphinx configuration: the API from docstrings, the gallery from the plots, the ledger from a run of the reports."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

import copa_nb

project = "copa_nb"
author = "The copa_nb developers"
copyright = author
version = release = copa_nb.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "generate.py"]
myst_enable_extensions = ["colon_fence", "deflist"]
# Notebooks are shown as they are committed, without outputs; what they make is in the reports.
nb_execution_mode = "off"
# A notebook starts with its title; its further headings need not follow one another.
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
templates_path: list[str] = []

html_theme = "furo"
html_title = "copa_nb"
html_copy_source = False

generate.everything()
