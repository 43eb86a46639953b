"""The site builds without a warning, every code cell on it runs, and nothing typed on it goes unrun."""

import ast
import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from copa_nb.accessor import VERBS, Moo, PandasMoo
from copa_nb.results.offered import Offered
from docs.reference import PAGES as PAGES_OF_VERBS
from docs.reference import Page, results, results_of
from tests.each import hold_for_each
from tests.made_once import made_once
from tests.public_names import is_public

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [path for path in DOCS.rglob("*.md") if not {"_build", "_generated", "joss"} & set(path.parts)]
NOTEBOOKS = sorted((DOCS.parent / "notebooks").glob("*/*.ipynb"))
NEEDED = ("furo", "latex2mathml", "myst_nb", "numpydoc", "optuna", "sklearn", "sphinx_copybutton", "sphinx_design")
# Lines to type before there is a package, or in a clone, which tests of their own run.
SHOWN_ONLY = re.compile(
    r"\$ (pip|conda|make|python (-m )?(benchmarks|tests|venv)|jupyter (lab|nbconvert)|papermill|copa-nb)"
)
STUBS = {
    "copa_nb": "__init__.pyi", "copa_nb.results": "results/__init__.pyi", "copa_nb.plots": "plots.pyi",
    "copa_nb.results.explorers": "results/explorers.pyi", "copa_nb.datasets": "datasets/__init__.pyi",
}  # fmt: skip
METHODS = ("selection", "generalization", "significance", "partial_orders", "stochastic_dominance")
# Their examples would need a cluster, logs of evaluations, or a network.
WITHOUT_EXAMPLE = {"from_swe_bench", "from_inspect", "fetch", "path"}
# What refuses its arguments, apart from `raise` itself.
REFUSES = re.compile(r"\braise [A-Z]|\bchecks\.[a-z_]+\(|to_minimization\(|resolve_objectives\(")


def described() -> Iterator[tuple[str, object]]:
    """Verbs, public functions, and methods of public results that check what they are given, by name."""
    yield from ((f"copa_nb.accessor.Moo.{verb}", getattr(Moo, verb)) for verb in (*VERBS, "by"))
    yield "copa_nb.accessor.PandasMoo.define", PandasMoo.define
    for module, stub in STUBS.items():
        tree = ast.parse((DOCS.parent / "copa_nb" / stub).read_text(encoding="utf-8"))
        for node in (node for node in tree.body if isinstance(node, ast.ImportFrom)):
            for alias in node.names:
                member = getattr(importlib.import_module(module), alias.asname or alias.name)
                if inspect.isclass(member):
                    for name, method in vars(member).items():
                        function = method.__func__ if isinstance(method, classmethod) else method
                        function = getattr(member, name) if isinstance(method, Offered) else function
                        if inspect.isfunction(function) and not name.startswith("_"):
                            yield f"{member.__name__}.{name}", function
                elif callable(member):
                    yield f"{module}.{alias.name}", member


DESCRIBED = dict(described())


def defined_as(function: object) -> str:
    """Name of a function or method by the module that defines it, which is that of its examples."""
    plain = inspect.unwrap(function)
    return f"{plain.__module__}.{plain.__qualname__}"


def lacking(name: str, function: object) -> set[str]:
    """Sections that a docstring should have and has not."""
    plain = inspect.unwrap(function)
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(plain)
    takes = [parameter for parameter in signature.parameters if parameter not in ("self", "cls")]
    needed = set()
    asked = getattr(function, "is_verb", False)
    if "frame" in takes or asked or REFUSES.search(inspect.getsource(plain)):
        needed.add("Raises")
    if name.startswith("copa_nb"):
        yields = str(signature.return_annotation).startswith(("Iterator", "None"))
        needed |= ({"Parameters"} if takes else set()) | (set() if yields else {"Returns"})
        needed |= set() if name.rpartition(".")[2] in WITHOUT_EXAMPLE else {"Examples"}
        # A verb belongs to the room that answers it, whose function it imports when it is asked.
        answers = re.search(r"from copa_nb\.(\w+)", inspect.getsource(plain)) if asked else None
        room = answers[1] if answers else plain.__module__.split(".")[1]
        if room in METHODS and "plots" not in plain.__module__:
            needed |= {"See Also", "References"}
    return {section for section in needed if f"{section}\n{'-' * len(section)}\n" not in text}


def cells_without_output(page: str) -> list[str]:
    """Last lines of shown cells that compute something and show nothing."""
    from bs4 import BeautifulSoup

    found = []
    for cell in BeautifulSoup(page, "html.parser").select("div.cell"):
        typed = cell.select_one("div.cell_input")
        hidden = {"tag_hide-cell", "tag_hide-input"} & set(cell.get("class", []))
        if typed is not None and not hidden and cell.select_one("div.cell_output") is None:
            found.append(typed.get_text().strip().splitlines()[-1])
    return found


def frames_as_text(page: str) -> list[str]:
    """First lines of outputs that write a tuple with a table in it: rows of a label and values, aligned by blanks."""
    from bs4 import BeautifulSoup

    written = [one.get_text().strip() for one in BeautifulSoup(page, "html.parser").select("div.cell_output pre")]
    return [text.splitlines()[0] for text in written if re.search(r"^\(.*\n ?\S+ {2,}\S", text, re.S)]


def test_docstrings_are_whole():
    assert not {name: found for name, one in DESCRIBED.items() if (found := lacking(name, one))}


@pytest.mark.parametrize("verb", VERBS)
def test_options_of_a_verb_are_described(verb):
    text = inspect.getdoc(getattr(Moo, verb))
    assert "%(" not in text
    described = re.search(r"\nParameters\n-+\n(.*?)\n\n\w[\w ]+\n-+\n", text, re.S)
    heads = re.findall(r"^(\S.*?)(?: :.*)?$", described[1], re.M) if described else []
    names = [name.lstrip("*") for head in heads for name in head.split(", ")]
    assert sorted(names) == sorted(name for name in inspect.signature(getattr(Moo, verb)).parameters if name != "self")


@pytest.mark.slow
def test_every_public_example_is_run_with_what_it_imports_alone():
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:randomly", "copa_nb"]
    listed = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True, check=True).stdout
    run = {line.partition("::")[2] for line in listed.splitlines()}
    # Those that have what readers see; whatever decorates a function must not hide them.
    shown = {defined_as(one) for one in DESCRIBED.values() if "\n>>> " in (inspect.getdoc(one) or "")}
    assert len(shown) > 130
    assert shown <= run
    assert all(map(is_public, shown))
    assert not is_public("copa_nb.plotting.axes.lay_out")


def test_a_page_has_one_first_level_heading():
    hold_for_each([*PAGES, *NOTEBOOKS], _has_one_first_level_heading)


def _has_one_first_level_heading(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    # What is included as a whole brings its own heading.
    whole = re.findall(r"^```\{include\} (\.\..*)\n```", text, re.M)
    text += "\n".join((path.parent / name).read_text(encoding="utf-8") for name in whole if "_generated" not in name)
    outside = re.sub(r"^(`{3,}|:{3,}|~{3,}).*?^\1", "", text, flags=re.M | re.S)
    assert len(re.findall(r"^# ", outside, re.M)) == 1


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_of_a_function_names_members_that_its_result_has(verb):
    found = results_of(verb, known := results())
    for member in PAGES_OF_VERBS.get(verb, Page()).first if found else ():
        kind = pkgutil.resolve_name(known[found[0]])
        assert hasattr(kind, member) or member in kind.__dataclass_fields__, member


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed; make .venv/.installed-docs gets what the site needs")
    return made_once(tmp_path_factory, "site", build)


def build(folder):
    """Build the site with one finished report in the place of all, quietly, and return where it is."""
    # All reports take minutes, and tests of their own make them.
    reports, out = folder / "reports", folder / "html"
    (reports / "copa" / "figure_1").mkdir(parents=True, exist_ok=True)
    (reports / "copa" / "figure_1" / "report.html").write_text("<h1>Figure 1</h1>", encoding="utf-8")
    for overview in ("index.html", "ledger.html"):
        (reports / overview).write_text("<h1>All reports</h1>", encoding="utf-8")
    (reports / "ledger.csv").write_text(
        "id,paper,says,found,verdict,note,report\nsome-claim,COPA,a | b,9,reproduced,,copa/figure_1\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "-b", "html", str(DOCS), str(out)]
    environment = {**os.environ, "COPA_NB_REPORTS": str(reports)}
    # Minutes; but it waits forever for a kernel that ended at its start, as where another process took its port.
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    # One printed line among two hundred is read; among none it is seen.
    assert done.stdout + done.stderr == ""
    return out


@pytest.fixture(scope="module")
def pages(site):
    """Pages by name."""
    return {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


@pytest.fixture(scope="module")
def written(pages):
    """Pages of the theme, parsed: neither reports nor the explorers that stand on pages."""
    from bs4 import BeautifulSoup

    return {
        name: BeautifulSoup(page, "html.parser")
        for name, page in pages.items()
        if not name.startswith(("reports/", "explorers/"))
    }


@pytest.mark.slow
def test_cells_show_what_they_compute(pages):
    assert pages["start.html"].count("cell_output") >= 9
    silent = {
        name: cells
        for name, page in pages.items()
        if not name.startswith(("_generated", "reports", "explorers")) and (cells := cells_without_output(page))
    }
    assert not silent
    assert not {name: found for name, page in pages.items() if (found := frames_as_text(page))}
    assert not [name for name, page in pages.items() if "command not found" in page]
    # Warnings would show where the site was built.
    assert not [name for name, page in pages.items() if f"{tempfile.gettempdir()}/" in page]


@pytest.mark.slow
def test_papers_lead_to_functions_and_reports_and_back(site, pages):
    copa = pages["papers/copa.html"]
    assert "<math" in copa
    assert "rank_intervals()" in copa
    link = re.search(r'href="([^"]+)">some-claim', copa)[1]
    assert (site / "papers" / link).is_file()
    assert "papers/copa.html" in pages["_generated/reference/copa.html"]


@pytest.mark.slow
def test_a_page_of_a_function_has_formula_picture_and_result(pages):
    for verb in VERBS:
        page = pages[f"_generated/reference/{verb}.html"]
        assert f"copa_nb.accessor.Moo.{verb}" in page
    for verb in ("copa", "board", "gap", "hv_test", "posets", "gsd_front"):
        page = pages[f"_generated/reference/{verb}.html"]
        assert "<math" in page
        assert re.search(r"gallery_\w+\.png", page)
        # What one needs first stands above what is folded, and leads there.
        assert page.index("What you get") < page.index("<details")
    assert 'href="#copa_nb.results.Selection.stability"' in pages["_generated/reference/copa.html"]
    assert len(re.findall(r"gallery_\w+_small\.png", pages["_generated/gallery.html"])) >= 20


@pytest.mark.slow
def test_internal_links_lead_somewhere(site, written):
    anchors = {name: {tag["id"] for tag in page.select("[id]")} for name, page in written.items()}
    broken = []
    for name, page in written.items():
        for tag in page.select("a[href], img[src], iframe[src], link[href], script[src]"):
            link = tag.get("href") or tag.get("src")
            if re.match(r"[a-z]+:|//", link):
                continue
            path, _, anchor = unquote(link.partition("?")[0]).partition("#")
            target = (site / name).parent / path if path else site / name
            inside = os.path.relpath(target, site)
            if not target.exists() or (anchor and inside in anchors and anchor not in anchors[inside]):
                broken.append((name, link))
    assert not broken


@pytest.mark.slow
def test_pages_are_whole_without_another_host_and_for_everybody(written):
    # The theme's script writes the heading of the search.
    headings = {name: len(page.select("h1")) for name, page in written.items() if name != "search.html"}
    assert set(headings.values()) == {1}, {name: count for name, count in headings.items() if count != 1}
    for name, page in written.items():
        assert not page.select('script[src^="http"]'), name
        assert not page.select("iframe:not([title])"), name
        unsaid = [tag["src"] for tag in page.select("article img") if tag.get("alt", "").endswith((".png", ".svg"))]
        assert not unsaid, name


@pytest.mark.slow
def test_the_sidebar_has_groups_and_where_one_is(written):
    def listed(name):
        return [tag["href"] for tag in written[name].select(".sidebar-tree a")]

    assert not [link for link in listed("index.html") if "reference/" in link]
    captions = written["index.html"].select(".sidebar-tree [role=heading]")
    assert captions
    assert all(caption.get("aria-level") for caption in captions)
    inside = listed("_generated/reference/copa.html")
    assert "choosing.html" in inside
    assert "gap.html" not in inside


def test_counts_of_the_measurements_are_those_of_the_stored_run():
    measured = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    targets = [row for row in measured["figures"] if row["target"] is not None]
    met = sum(row["verdict"] == "reached" for row in targets)
    assert f"{met} of {len(targets)} targets" in page
    assert f"`copa-nb run papers`, {len(measured['reports'])} reports" in page


def test_code_is_in_cells_that_run():
    """Python stands in executed cells; only what makes no output by itself is shown as typed."""
    hold_for_each(PAGES, _has_code_in_cells_that_run)


def _has_code_in_cells_that_run(path):
    text = path.read_text(encoding="utf-8")
    typed = re.findall(r"```python\n(.*?)```", text, re.S)
    assert not typed
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for line in block.splitlines():
            assert not line.startswith("$") or SHOWN_ONLY.match(line), line
