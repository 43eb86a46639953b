"""Sphinx configuration: pages run as they are built; the reference comes from docstrings, the ledger from reports."""

import os
import re
import shutil
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

sys.path.insert(0, str(Path(__file__).parent))

os.environ["TQDM_DISABLE"] = "1"  # read when it is imported: no progress bars on pages
# Lines of shell on pages find the command of this installation, whether or not its environment is active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

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
    "sphinx_design",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
# Parts of pages are no pages of their own.
exclude_patterns = ["_build", "joss", "_generated/coverage_*.md", "_generated/ledger_*.md", "_generated/floors.md"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Pages with code cells are executed when they are built, so that each output on the site is the output of this
# version; an error stops the build. The papers' notebooks are shown as they are committed: their outputs are reports.
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / "executed")
nb_execution_excludepatterns = ["_generated/*/*.ipynb"]
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_merge_streams = True
os.environ["COPA_NB_OFFLINE"] = "1"
# A notebook starts with its title; its further headings need not follow one another.
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
templates_path: list[str] = []

html_theme = "furo"
html_title = f"copa_nb {release}"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"


def _inline_math(self, node: nodes.math) -> None:
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _display_math(self, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    self.body.append(f'<div class="math"{anchor}>{number}{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def _add_reports(app, exception: Exception | None) -> None:
    """Put the papers' reports next to the pages whose claims link to them."""
    if exception is None:
        shutil.copytree(generate.REPORTS, Path(app.outdir) / "reports", dirs_exist_ok=True)


def _number_citations(app, doctree: nodes.document) -> None:
    """Write [1] where numpydoc has put a key that is unique on the site."""
    for words in list(doctree.findall(nodes.Text)):
        plain = re.sub(r"\bR[0-9a-f]{12}-(\d+)", r"\1", words)
        if plain != words:
            words.parent.replace(words, nodes.Text(plain))


def setup(app) -> None:
    """Write equations as MathML while the site is built: browsers draw it without a script or a network."""
    app.add_html_math_renderer("mathml", (_inline_math, None), (_display_math, None))
    app.connect("build-finished", _add_reports)
    app.connect("doctree-read", _number_citations, priority=900)  # after numpydoc


generate.everything()
