"""Sphinx configuration: pages run as they are built; the reference comes from docstrings, the ledger from reports."""

import logging
import os
import re
import shutil
import sys
from pathlib import Path

from docutils import nodes
from furo.navigation import get_navigation_tree
from latex2mathml.converter import convert

sys.path.insert(0, str(Path(__file__).parent))

os.environ["TQDM_DISABLE"] = "1"  # read when it is imported: no progress bars on pages
# Lines of shell on pages find the command of this installation, whether or not its environment is active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

import generate

import copa_nb
from copa_nb.results.result import Result

# Only faults are printed: kernels do not warn of their transport, nor nbclient of every page that it runs.
os.environ["IPYTHONDIR"] = str(Path(__file__).parent / "_build" / "ipython")
_profile = Path(os.environ["IPYTHONDIR"], "profile_default")
_profile.mkdir(parents=True, exist_ok=True)
(_profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n", encoding="utf-8")
logging.getLogger("traitlets").setLevel(logging.ERROR)

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
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
# Parts of pages are no pages of their own.
exclude_patterns = ["_build", "joss", "_generated/extra"]
exclude_patterns += [f"_generated/{part}*.md" for part in ("coverage_", "ledger_", "levels_", "table_", "leaderboard_")]
exclude_patterns += ["_generated/floors.md", "_generated/verdicts.md"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Pages with code cells are executed when they are built, so that each output on the site is the output of this
# version; an error stops the build.
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / "executed")
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_merge_streams = True
# Explorers stand on pages as pages of their own, so that no script comes from another host.
nb_ipywidgets_js: dict[str, object] = {}
os.environ["COPA_NB_OFFLINE"] = "1"
# A page starts with its title; its further headings need not follow one another.
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
html_js_files = ["site.js"]
html_favicon = "static/favicon.svg"
html_extra_path = ["_generated/extra"]
_SENTENCE = (
    "Compare models on several metrics, choose one, and show how sure you are: from a table to a decision, in Python."
)
myst_html_meta = {"description": _SENTENCE, "property=og:description": _SENTENCE, "property=og:title": "copa_nb"}
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


def _narrow_sidebar(app, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Show in the sidebar the pages of each group, and of the reference only where one is."""
    if "toctree" in context:
        tree = context["toctree"](collapse=True, titles_only=True, maxdepth=3, includehidden=True)
        # Sphinx makes headings of captions, and says of no heading how deep it is.
        leveled = tree.replace('role="heading"', 'role="heading" aria-level="2"')
        context["furo_navigation_tree"] = get_navigation_tree(leveled)


def _without_constructor(app, what: str, name: str, obj, options, signature, return_annotation):
    """Results are answers: nobody calls their class, so its page does not begin with how that is done."""
    if what == "class" and issubclass(obj, Result):
        return "", None
    return None


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
    app.connect("html-page-context", _narrow_sidebar, priority=900)  # after the theme
    app.connect("autodoc-process-signature", _without_constructor)
    app.connect("doctree-read", _number_citations, priority=900)  # after numpydoc


generate.everything()
