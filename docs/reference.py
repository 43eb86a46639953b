"""Pages of the reference: one for each function that a table can be asked, one for each group of the others.

What a page says of options, results and errors is what the docstrings say. Here stand what a docstring cannot have: the
formula, typeset; the picture; and which members of a result one needs first.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from copa_nb.accessor import Moo, PandasMoo
from copa_nb.accessor.asked import verbs_of

ROOT = Path(__file__).parents[1]
# Members of any result that one needs first, as far as it has them.
FIRST = ("explain", "table", "plot", "to_latex", "report")


@dataclasses.dataclass(frozen=True)
class Page:
    """What the page of a function shows beside its docstring.

    Parameters
    ----------
    formula : str
        In LaTeX, followed by what its letters mean.
    picture : str
        Name of the picture in the gallery.
    first : tuple of str
        Members of the result that one needs first, in that order.
    explained : str
        Page of the paper that defines it.
    """

    formula: str = ""
    picture: str = ""
    first: tuple[str, ...] = FIRST
    explained: str = ""


COSTS = "$y_{ik}$ is the cost of row $i$ in objective $k$: the value, with its sign changed if more is better."
PAGES = {
    "front": Page(
        r"F = \{\, i : \text{no } j \text{ has } y_{jk} \le y_{ik} \text{ for all } k \text{ and } y_{jk} < y_{ik} "
        r"\text{ for some } k \,\}|" + COSTS,
        "plot",
    ),
    "layers": Page(
        r"F_1 = F, \qquad F_l = F \text{ of the rows without } F_1, \dots, F_{l-1}|$F$ is the front.", "plot"
    ),
    "plot": Page(picture="plot"),
    "normalize": Page(
        r"u_{ik} = \frac{1}{N} \, \#\{ j : y_{jk} < y_{ik} \}|The share of the $N$ rows that is strictly better in "
        "objective $k$; 0 is best.",
        "ecdf",
        explained="copa",
    ),
    "hypervolume": Page(
        r"\mathrm{HV} = \mathrm{volume} \left( \bigcup_{i} [ y_i, r ] \right)|$r$ is the reference point; every "
        "row fills the box between itself and $r$.",
        "hypervolume",
        ("value", "reference", "explain", "plot", "n_beyond"),
    ),
    "copa": Page(
        r"s_i = \left( \sum_k (w_k u_{ik})^p \right)^{1/p}, \qquad s_i = \max_k w_k u_{ik} \text{ for } p = \infty|"
        "$u_{ik}$ is the share of rows that is better than row $i$ in objective $k$, and $w_k$ the weight of the "
        "objective. The smallest $s_i$ is chosen.",
        "front",
        ("best", "explain", "table", "plot", "stability"),
        "copa",
    ),
    "cheaper": Page(
        r"H_0 : \ \text{some } \mu_{ik} \ge \mu_{0k} + \delta_k \ \text{ or } \ c_i \ge c_0, \qquad "
        r"p_i = \max\,(p_{\text{cost}}, p_{1}, \dots, p_{K})|$\mu_{ik}$ is the mean cost of system $i$ in objective "
        r"$k$, $c_i$ its price, 0 the system compared with, and $\delta_k$ the margin.",
        "cheaper",
        ("best", "explain", "table", "plot", "routes"),
    ),
    "explore": Page(picture="front", first=("selection", "code", "export_html", "pinned", "selected")),
    "compare": Page(
        r"\bar d_k \pm c \cdot \mathrm{se}(\bar d_k)|$\bar d_k$ is the mean difference in objective $k$ over the items "
        r"that both systems have. One $c$ serves all objectives, so that the intervals hold together.",
        "differences",
        ("verdict", "explain", "table", "plot", "needed"),
    ),
    "board": Page(
        r"\mathrm{rank}_i \in \left[ 1 + \#\{ j \text{ significantly ahead of } i \}, \ "
        r"S - \#\{ j \text{ significantly behind } i \} \right]|$S$ is the number of systems. The intervals of all "
        "systems hold together.",
        "board",
        ("table", "explain", "plot", "forecast", "write"),
    ),
    "confident_front": Page(
        r"i \text{ is off the front if some } j \text{ has } \mu_{jk} \le \mu_{ik} \text{ for all } k, "
        r"\text{ significantly}|$\mu_{ik}$ is the mean cost of system $i$ in objective $k$. The verdicts on all "
        "systems hold together.",
        "confident_front",
        ("table", "explain", "plot", "central", "guarantee"),
    ),
    "gap": Page(
        r"\mathrm{gap} = \mathrm{HV}(F_{\text{optimistic}}) - \mathrm{HV}(F_{\text{pessimistic}})|Of the validation "
        "front, on test data: the members that no other dominates, and those that dominate no other.",
        "gap",
        ("explain", "plot", "bootstrap", "budgets", "compare"),
        "mind_the_gap",
    ),
    "hv_test": Page(
        r"\Delta = \mathrm{HV}(Y_A) - \mathrm{HV}(Y_B), \qquad "
        r"p = \frac{1 + \#\{ b : \lvert \Delta_b \rvert \ge \lvert \Delta \rvert \}}{B + 1}|$Y_A$ and $Y_B$ are the "
        r"runs of the two systems, and $\Delta_b$ the difference after permuting which run is whose.",
        "null",
        ("significant", "explain", "table", "plot", "needed"),
        "significance",
    ),
    "audit": Page(
        r"p_{(i)}^{\text{Holm}} = \max_{j \le i} \ (m - j + 1) \, p_{(j)}|$p_{(1)} \le p_{(2)} \le \dots$ are the "
        "p-values of the claims, and $m$ is the number of pairs of systems, from which the data suggested them.",
        "audit",
        ("significant", "explain", "table", "plot", "not_distinguishable"),
        "significance",
    ),
    "attainment": Page(
        r"\hat\alpha(z) = \frac{1}{n} \, \#\{ r : \text{run } r \text{ has a row at least as good as } z \}|The median "
        r"surface is where $\hat\alpha = 1/2$.",
        "attainment",
        ("plot", "explain", "surface", "indicators", "differences"),
    ),
    "mean_ranks": Page(
        r"\bar r_i = \frac{1}{T} \sum_{t=1}^{T} r_{it}|$r_{it}$ is the rank of system $i$ on item $t$.",
        "mean_ranks",
        ("table", "explain", "plot", "friedman", "board"),
        "copa",
    ),
    "posets": Page(
        r"i \succeq_t j \iff y_{tik} \le y_{tjk} \ \text{ for all criteria } k|One partial order for each item $t$: "
        "where criteria disagree, two systems stay incomparable.",
        "posets",
        ("depth", "consensus", "review", "plot", "explain"),
        "partial_rankings",
    ),
    "gsd_front": Page(
        r"\mathrm{E}\, u(X_j) \ge \mathrm{E}\, u(X_i) \ \text{ for every utility } u|$X_i$ are the metrics of system "
        "$i$ on an item drawn from the suite. The front has the systems that no $j$ beats under every utility.",
        "gsd",
        ("front", "explain", "table", "plot", "test"),
        "stochastic_dominance",
    ),
    "pass_k": Page(
        r"\widehat{\mathrm{pass}}^k = \binom{c}{k} / \binom{n}{k}|$c$ of the $n$ attempts at an item succeeded. "
        "The estimate of the chance that $k$ attempts all succeed is unbiased.",
    ),
}

# Groups of functions of the package and its modules: file, title, sentence, and the modules whose names belong to it.
GROUPS = (
    (
        "describing",
        "Describe a table",
        "What the columns are is said once. Every function then knows it.",
        ("accessor", "tables", "ranking", "run_options", "results"),
    ),
    ("reading", "Read tables", "From files and from the results of other tools.", ("sources", "streams")),
    (
        "reporting",
        "Reports, claims and panels",
        "Answers as pages, as gates of a build, and without code.",
        ("reports", "control_panel", "claims", "copa_nb.reports"),
    ),
    ("planning", "Plan an experiment", "How many runs are needed, before they are made.", ("significance",)),
    ("plotting", "Plots", "Every result has `plot()`. These functions draw beside it.", ("copa_nb.plots",)),
    ("data_sets", "Data sets", "Tables that come with the package. No loader needs a network.", ("copa_nb.datasets",)),
    (
        "errors",
        "Errors and warnings",
        "Their sentences name the argument, what came, and the line to write.",
        ("copa_nb.errors",),
    ),
)
# Results that no annotation leads to, and the verb or the group of names with which they are described.
WITH = {
    "BoardChanges": "board", "Elicitation": "copa", "PossibleChoices": "copa", "Preferences": "copa",
    "ElicitationExplorer": "copa", "GapComparison": "gap", "RepeatedComparison": "gap", "GapExplorer": "gap",
    "HypervolumeTestExplorer": "hv_test", "PosetExplorer": "posets", "Panel": "control_panel", "Scan": "streams",
    "Power": "significance", "Checked": "claims",
}  # fmt: skip
TITLES = {
    "Choosing": "Choose",
    "Certainty": "How sure is it?",
    "Searching": "Searches and runs",
    "Benchmarking": "Benchmarks and suites",
}


def public_names(stub: Path) -> dict[str, list[str]]:
    """Read a stub of lazy imports: module to the names that it gives."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found[node.module] += [alias.asname or alias.name for alias in node.names]
    return dict(found)


def results() -> dict[str, str]:
    """Public classes of results and explorers: name to the place where users find it."""
    found = {}
    for space, stub in (
        ("copa_nb.results", "results/__init__.pyi"), ("copa_nb.results.explorers", "results/explorers.pyi"),
    ):  # fmt: skip
        for names in public_names(ROOT / "copa_nb" / stub).values():
            found.update({name: f"{space}.{name}" for name in names})
    return found


def given_by(function: object, known: dict[str, str]) -> list[str]:
    """Public classes of results that a function returns, by its annotation, main one first."""
    try:
        annotation = str(inspect.signature(inspect.unwrap(function)).return_annotation)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return []
    return [name for name in re.findall(r"\w+", annotation) if name in known]


def results_of(verb: str, known: dict[str, str]) -> list[str]:
    """Results that a verb gives, the first, and then those that the methods of these give, nearest first."""
    found = given_by(getattr(Moo, verb), known)
    for name in found:  # grows as it goes
        kind = pkgutil.resolve_name(known[name])
        for member in vars(kind).values():
            member = getattr(member, "__func__", member)
            found += [one for one in given_by(member, known) if one not in found]
    return found


def write(folder: Path, pictures: set[str]) -> None:
    """Write all pages into a folder, and the list of functions by topic beside it."""
    folder.mkdir()
    known = results()
    lines = [
        "# Functions by topic",
        "",
        "Functions of a table are methods of `df.moo`, and of `copa_nb.moo(frame, ...)`",
    ]
    lines += ["for tables of every library.", ""]
    pages: list[str] = []
    left = dict(known)
    for kind in Moo.__bases__:
        group, title = kind.__name__.lower(), TITLES[kind.__name__]
        verbs = list(verbs_of(kind))
        described = {}
        for verb in verbs:
            # A result that two verbs give is described with the first.
            found = [name for name in results_of(verb, known) if WITH.get(name, verb) == verb]
            found += [name for name, place in WITH.items() if place == verb and name in known and name not in found]
            given = [name for name in found if left.pop(name, "")]
            described[verb] = _page_of_verb(verb, given, known, pictures)
        rows = [f"| [`{verb}`]({{}}{verb}.md) | {_summary(getattr(Moo, verb))} |" for verb in verbs]
        sentence = (inspect.getdoc(kind) or "").splitlines()[0]
        _write_group(folder, group, title, sentence, rows, verbs)
        for verb, text in described.items():
            (folder / f"{verb}.md").write_text(text, encoding="utf-8")
        lines += [f"## [{title}](reference/{group}.md)", "", *_table(rows, "reference/")]
        pages.append(group)
    for (group, title, sentence, _), names in _others(left):
        (folder / f"{group}.md").write_text(_page_of_group(title, sentence, names), encoding="utf-8")
        rows = [f"| {{py:obj}}`{_spoken(name)} <{name}>` | {_summary(_member(name))} |" for name in names]
        lines += [f"## [{title}](reference/{group}.md)", "", *_table(rows)]
        pages.append(group)
    lines += ["```{toctree}", ":hidden:", "", *(f"reference/{group}" for group in pages), "```", ""]
    (folder.parent / "functions.md").write_text("\n".join(lines), encoding="utf-8")


def _others(left: dict[str, str]) -> Iterator[tuple[tuple[str, str, str, tuple[str, ...]], list[str]]]:
    """Groups of what is no verb, with its names; each name is in one group."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for module, names in public_names(ROOT / "copa_nb" / "__init__.pyi").items():
        rooms[module.split(".")[0]] += [f"copa_nb.{name}" for name in names]
    place = f"{PandasMoo.__module__.rpartition('.')[0]}."
    rooms["accessor"] += [f"{place}{PandasMoo.__name__}.define", f"{place}{Moo.__name__}.by"]
    for name, room in WITH.items():
        if name in left:
            rooms[room].append(left.pop(name))
    refused = {name for names in public_names(ROOT / "copa_nb" / "errors.pyi").values() for name in names}
    for module, stub in (
        ("plots", "plots.pyi"), ("datasets", "datasets/__init__.pyi"), ("reports", "reports/__init__.pyi"),
        ("errors", "errors.pyi"),
    ):  # fmt: skip
        listed = [name for names in public_names(ROOT / "copa_nb" / stub).values() for name in names]
        # An error that another module names, too, is described with the errors.
        names = listed if module == "errors" else [name for name in listed if name not in refused]
        rooms[f"copa_nb.{module}"] += [f"copa_nb.{module}.{name}" for name in names]
    rooms["results"] += left.values()
    where = {room: group for group in GROUPS for room in group[-1]}
    unknown = set(rooms) - set(where)
    if unknown:
        raise ValueError(f"docs/reference.py: say in GROUPS where the public names of {sorted(unknown)} belong")
    for group in GROUPS:
        names = [name for room in group[-1] for name in rooms[room]]
        yield group, sorted(dict.fromkeys(names), key=lambda name: (inspect.isclass(_member(name)), name.lower()))


def _write_group(folder: Path, group: str, title: str, sentence: str, rows: list[str], verbs: list[str]) -> None:
    lines = [f"# {title}", "", sentence, "", *_table(rows)]
    lines += ["```{toctree}", ":hidden:", "", *verbs, "```", ""]
    (folder / f"{group}.md").write_text("\n".join(lines), encoding="utf-8")


def _table(rows: list[str], prefix: str = "") -> list[str]:
    return ["| name | what it is |", "|---|---|", *(row.replace("]({}", f"]({prefix}") for row in rows), ""]


def _page_of_verb(verb: str, given: list[str], known: dict[str, str], pictures: set[str]) -> str:
    page = PAGES.get(verb, Page())
    lines = [f"# df.moo.{verb}", ""]
    if page.formula:
        formula, _, letters = page.formula.partition("|")
        lines += ["$$", formula, "$$", "", letters, ""]
    if page.explained:
        lines += [f"{{doc}}`Definition, assumptions and evidence </papers/{page.explained}>`", ""]
    if page.picture:
        if page.picture not in pictures:
            raise ValueError(
                f"docs/reference.py: the page of {verb} shows {page.picture!r}, which is not in the gallery"
            )
        for width, ending in (("wide", ""), ("narrow", "_small")):  # letters of a picture that is shrunk are not read
            lines += [f"```{{image}} ../gallery_{page.picture}{ending}.png", f":alt: {_alternative(verb)}"]
            lines += [f":class: only-{width}", "```", ""]
        lines += [f"{{ref}}`The code that draws it <gallery-{page.picture}>`", ""]
    lines += ["```{eval-rst}", f".. automethod:: {_place(Moo)}.{verb}", "```", ""]
    for number, name in enumerate(given):
        kind = _member(known[name])
        title = f"What you get: `{name}`" if number == 0 else f"`{name}`"
        if number == 1:
            lines += ["## What its methods give", ""]
        lines += [f"{'##' if number == 0 else '###'} {title}", "", _summary(kind), ""]
        if number == 0:
            rows = [f"| {_link(kind, known[name], member)} | {_described(kind, member)} |" for member in page.first]
            lines += _table(rows)
        lines += [f":::{{dropdown}} All of `{name}`", "", "```{eval-rst}"]
        lines += [f".. autoclass:: {known[name]}", "   :members:", "```", ":::", ""]
    return "\n".join(lines)


def _alternative(verb: str) -> str:
    return re.sub(r"[`\[\]]", "", f"What df.moo.{verb} draws: {_summary(getattr(Moo, verb))}")


def _link(kind: type, place: str, member: str) -> str:
    """A member of a result, leading to its own description, or to that of the class, which describes its fields."""
    if not hasattr(kind, member) and member not in {field.name for field in dataclasses.fields(kind)}:
        raise ValueError(f"docs/reference.py: {kind.__name__} has no {member!r}; name another member to be shown first")
    spoken = f".{member}()" if callable(getattr(kind, member, None)) else f".{member}"
    has_own = member in vars(kind) and inspect.getdoc(inspect.getattr_static(kind, member))
    is_field = member in {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else False
    return f"{{py:obj}}`{spoken} <{place}.{member}>`" if has_own and not is_field else f"{{py:obj}}`{spoken} <{place}>`"


def _described(kind: type, member: str) -> str:
    """Say what a member is: by its own docstring, or by the words that the class has for it."""
    found = inspect.getattr_static(kind, member, None)
    documented = getattr(kind, member, None) if callable(getattr(kind, member, None)) else found
    inherited = type(documented).__doc__ if documented is not None else ""
    own = inspect.getdoc(documented) or ""
    if documented is not None and own and own != inspect.cleandoc(inherited or ""):
        return _first_sentence(own)
    text = inspect.getdoc(kind) or ""
    named = re.search(rf"^{member} : .*\n((?:    .*\n?|\n)+)", text, re.M)
    return _first_sentence(inspect.cleandoc(named[1])) if named else ""


def _page_of_group(title: str, sentence: str, names: list[str]) -> str:
    lines = [f"# {title}", "", sentence, ""]
    for name in names:
        member = _member(name)
        kind = "autoclass" if inspect.isclass(member) else "autofunction" if callable(member) else "autodata"
        kind = "automethod" if name.startswith("copa_nb.accessor.") else kind
        block = ["```{eval-rst}", f".. {kind}:: {name}", *["   :members:"] * (kind == "autoclass"), "```"]
        lines += [f"## {_spoken(name)}", ""]
        if kind == "autoclass" and not issubclass(member, Exception):  # type: ignore[arg-type]
            block = [f":::{{dropdown}} All of `{_spoken(name)}`", "", *block, ":::"]
            lines += [_summary(member), ""]
        lines += [*block, ""]
    return "\n".join(lines)


def _member(name: str) -> object:
    return pkgutil.resolve_name(name)


def _place(kind: type) -> str:
    """Where the pages of a class of the accessor find it."""
    return f"copa_nb.accessor.{kind.__name__}"


def _spoken(name: str) -> str:
    """Name of a member as users write it, without the package."""
    plain = re.sub(r"^copa_nb\.accessor\.(\w+\.)?\w+\.", "df.moo.", name)
    return plain.removeprefix("copa_nb.").removeprefix("results.")


def _summary(member: object) -> str:
    """Return the first sentence of a docstring."""
    if not (callable(member) or inspect.isclass(member)):
        return ""
    return _first_sentence(inspect.getdoc(member) or "")


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    plain = re.sub(r"(:\w+:)(?=`)| \[\d+\]_", "", paragraph)  # roles and citations
    return plain.replace("``", "`").replace("|", "\\|")
