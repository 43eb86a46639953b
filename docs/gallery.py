"""The pictures of the gallery: the code of each is run as it is shown."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

# What a snippet may name, and the line that makes it: each snippet is shown and run with the lines that it needs.
MAKES = {
    "datasets": "from copa_nb import datasets",
    "plots": "from copa_nb import plots",
    "plot_paths": "from copa_nb.papers.copa.paths import plot_paths",
    "plot_sweep": "from copa_nb.papers.copa.paths import plot_sweep",
    "models": "models = datasets.load_open_llm_leaderboard(headings=True)",
    "two": 'two = models.moo({"CO₂ (kg)": "min", "average score": "max"})',
    "methods": "methods = datasets.load_domainbed()",
    "runs": 'runs = datasets.load_german_credit_runs().query("seed == 1337")',
    "agents": 'agents = datasets.load_agents("0409").moo(accuracy="max", cost_usd="min")',
    "bench": "bench = datasets.load_deepobs()",
    "moea": "moea = datasets.load_moea()",
    "classifiers": "classifiers = datasets.load_uci_classifiers()",
    "frameworks": 'frameworks = datasets.load_amlb(problem_type="binary", time_limit="1h")',
}

THUMBNAIL, TALLEST = (3.7, 3.2), 1.1  # inches, as wide as a phone and a card of the page; height / width at most
# name, question, title, notebook that has such a picture, width and height in inches, code; the last line draws.
PICTURES = [
    (
        "front",
        "Which models are Pareto-optimal, and which one is chosen?",
        "Front with a selected model",
        "yours/select",
        (6.4, 4),
        'two.copa().plot(log=["CO₂ (kg)"])',
    ),
    (
        "path",
        "Which models are chosen as one weight changes?",
        "Selected models along α",
        "copa/figure_4",
        (6.85, 3.9),
        'plots.plot_front(two.copa().navigate("CO₂ (kg)"), log=["CO₂ (kg)"])',
    ),
    (
        "differences",
        "Is the new system better, and in which objective?",
        "Differences between two systems",
        "yours/compare",
        (6.4, 3.2),
        'classifiers.moo.compare("rf", "CART").plot()',
    ),
    (
        "barcode",
        "Does a weight do anything, and on which scale?",
        "The barcode of a path",
        "copa/figure_1",
        (6.85, 2.9),
        'two.copa().navigate("CO₂ (kg)").plot()',
    ),
    (
        "weights",
        "How wrong may my weights be?",
        "What other weights would choose",
        "yours/select",
        (6.85, 2.9),
        "methods.moo.copa().sensitivity().plot()",
    ),
    (
        "sweep",
        "Does one weight reach the whole front?",
        "How evenly a weight covers the front",
        "copa/figure_2",
        (6.85, 4),
        'plot_sweep({p: two.copa(p=p).navigate("CO₂ (kg)") for p in (1, 2, "inf")})',
    ),
    (
        "paths",
        "Would another norm choose other models?",
        "Paths side by side",
        "copa/figure_1",
        (6.85, 4),
        'paths = {f"p = {p}": two.copa(p=p).navigate("CO₂ (kg)") for p in (1, 2, 8, "inf")}\n'
        'plot_paths(paths, log=["CO₂ (kg)"], at=[0.5], key=True)',
    ),
    (
        "selection",
        "How does the chosen model rank in each objective?",
        "Ranks of the chosen model",
        "yours/select",
        (6.85, 3),
        "methods.moo.copa().plot()",
    ),
    (
        "ecdf",
        "How do values become ranks?",
        "Distribution of each objective",
        "yours/select",
        (6.85, 3),
        'methods.moo.copa().plot("distributions")',
    ),
    (
        "pairs",
        "How do the objectives go together, and where is the front?",
        "Pairs of objectives",
        "yours/select",
        (6.85, 4),
        'methods.moo.copa().plot("pairs")',
    ),
    (
        "bump",
        "Would another criterion choose differently?",
        "Ranks under several criteria",
        "copa/figure_7",
        (6.85, 4.2),
        "methods.moo.copa().criteria().plot()",
    ),
    (
        "agreement",
        "Which criteria rank alike?",
        "Agreement of criteria",
        "yours/select",
        (6.4, 3.4),
        'methods.moo.copa().criteria().plot("agreement")',
    ),
    (
        "parallel",
        "How do the best models trade off many objectives?",
        "Parallel coordinates",
        "yours/select",
        (6.85, 4),
        "plots.plot_parallel(models.moo.copa())",
    ),
    (
        "stability",
        "How stable is the choice?",
        "Selection frequencies",
        "copa/how_sure",
        (6.85, 3),
        "methods.moo.copa().stability(rng=0).plot()",
    ),
    (
        "hypervolume",
        "How good is a whole front, in one number?",
        "The hypervolume of a front",
        "significance/definition",
        (6.4, 3.6),
        'two.hypervolume(reference={"CO₂ (kg)": 40, "average score": 0}).plot()',
    ),
    (
        "gap",
        "Does a validation front hold on test data?",
        "From validation to test data",
        "gap/figure_3",
        (6.4, 4.6),
        "forest = runs.query(\"model == 'random forest'\")\n"
        'gap = forest.moo.gap(reference={"precision": 0, "recall": 0})\n'
        "gap.plot().axis([0, 1, 0, 1])",
    ),
    (
        "overtuning",
        "Did the search go on for too long?",
        "Loss on test data",
        "yours/gap",
        (6.4, 4),
        "forest = runs.query(\"model == 'random forest'\")\n"
        'forest.moo(["precision"]).gap().overtuning().plot().set_ylim(0, 1)',
    ),
    (
        "null",
        "Is the new front better by more than seed noise?",
        "The null distribution of a test",
        "significance/agents",
        (6.4, 3.6),
        'agents.hv_test("simple: gpt-4-turbo-2024-04-09", "simple: gpt-3.5-turbo-0125").plot()',
    ),
    (
        "posets",
        "Which method beats which, problem by problem?",
        "Partial orders",
        "partial_orders/figure_1",
        (6.4, 4),
        "bench.moo.posets().plot()",
    ),
    (
        "depth",
        "Which problems of a benchmark are typical?",
        "Depth of a benchmark's problems",
        "partial_orders/figure_4",
        (6.4, 4),
        "moea.moo.posets().depth().plot()",
    ),
    (
        "gsd",
        "Which methods are best over a suite, under every utility?",
        "The stochastic dominance front",
        "stochastic_dominance/pmlb",
        (6.4, 3.4),
        'methods_over_data = classifiers.moo.gsd_front(ordinal=["auc", "brier_score"], bins=4)\n'
        "methods_over_data.plot()",
    ),
    (
        "gsd_test",
        "Is the front significant?",
        "Tests of one method on the front",
        "stochastic_dominance/openml",
        (6.4, 3.6),
        'methods_over_data = classifiers.moo.gsd_front(ordinal=["auc", "brier_score"], bins=4)\n'
        'methods_over_data.test("rf", n_resamples=200).plot()',
    ),
    (
        "gsd_robustness",
        "What if some data sets do not belong to the suite?",
        "Robustness to contamination",
        "stochastic_dominance/openml",
        (6.4, 3.6),
        'pair = datasets.load_openml_forest_and_tree().moo.gsd_front(ordinal="cpu_s", bins=10)\n'
        'pair.test("classification tree", n_resamples=200).plot("robustness")',
    ),
    (
        "plot",
        "Which rows are worth looking at?",
        "A table and its front",
        "copa/figure_1",
        (6.4, 4),
        'two.plot(log=["CO₂ (kg)"])',
    ),
    (
        "board",
        "Which places of a ranking are certain?",
        "Intervals of ranks",
        "copa/embedding_models",
        (6.4, 4),
        "agents.board().plot()",
    ),
    (
        "confident_front",
        "Which systems are on the front, beyond noise?",
        "The front with its uncertainty",
        "significance/confident_front",
        (6.4, 4),
        'agents.confident_front().plot(x="cost_usd", y="accuracy", log=["cost_usd"])',
    ),
    (
        "cheaper",
        "Which system is as good and costs less?",
        "Cheaper and not worse",
        "yours/cheaper",
        (6.4, 3.6),
        'agents.cheaper("lats: gpt-4-turbo-2024-04-09", cost="cost_usd", margin={"accuracy": 0.02}).plot()',
    ),
    (
        "audit",
        "Which of many claims are significant?",
        "An audit of all improvements",
        "significance/agents",
        (6.4, 4),
        "agents.audit(n_resamples=1000).plot()",
    ),
    (
        "attainment",
        "Which points does each search reach, and how often?",
        "Median attainment surfaces",
        "gap/figure_3",
        (6.4, 4),
        'datasets.load_german_credit_runs().moo(test_precision="max", test_recall="max").attainment().plot()',
    ),
    (
        "mean_ranks",
        "Which framework ranks best over many tasks?",
        "Ranks over the tasks of a suite",
        "copa/figure_8",
        (6.4, 4),
        "frameworks.moo.mean_ranks().plot()",
    ),
]


def whole(code: str) -> str:
    """A snippet with the lines that make what it names, in the order in which they must run.

    Examples
    --------
    >>> print(whole("plots.plot_parallel(models.moo.copa())"))
    from copa_nb import datasets, plots
    <BLANKLINE>
    models = datasets.load_open_llm_leaderboard(headings=True)
    plots.plot_parallel(models.moo.copa())
    """
    needed: set[str] = set()
    waiting = [code]
    while waiting:
        named = set(re.findall(r"[A-Za-z_]\w*", waiting.pop())) & set(MAKES)
        waiting += [MAKES[name] for name in named - needed]
        needed |= named
    lines = [line for name, line in MAKES.items() if name in needed]
    start = "from copa_nb import "
    ours = [line.removeprefix(start) for line in lines if line.startswith(start)]
    others = [line for line in lines if line.startswith("from ") and not line.startswith(start)]
    made = [line for line in lines if not line.startswith("from ")]
    return "\n".join([start + ", ".join(ours), *others, "", *made, code])


def draw_all(folder: Path) -> list[tuple[str, str, str, str, str]]:
    """Run every snippet, save its picture and its thumbnail, and return name, question, title, notebook and code.

    A thumbnail is drawn in its own size, as a phone shows the figure: shrunk letters cannot be read.
    """
    import matplotlib.pyplot as plt

    from copa_nb import plots

    warnings.simplefilter("ignore")
    shown = []
    for name, question, title, notebook, size, code in PICTURES:
        names: dict[str, object] = {}
        first, last = whole(code).rpartition(code)[:2]
        exec(compile(first, f"gallery of {name}", "exec"), names)
        for narrow, ending, inches in ((False, "", size), (True, "_small", THUMBNAIL)):
            with plots.report_style(narrow=narrow):
                figure = plt.figure(figsize=inches)
                exec(compile(last, f"gallery of {name}", "exec"), names)
                drawn = plt.gcf()
                drawn.savefig(folder / f"gallery_{name}{ending}.png", dpi=110)
            plt.close(figure)
            plt.close(drawn)
        _keep_upper_part(folder / f"gallery_{name}_small.png")
        shown.append((name, question, title, notebook, whole(code)))
    return shown


def _keep_upper_part(path: Path) -> None:
    """Cut off what makes a thumbnail of panels below each other taller than the other cards."""
    from PIL import Image

    with Image.open(path) as picture:
        kept = picture.crop((0, 0, picture.width, min(picture.height, round(TALLEST * picture.width))))
    kept.save(path)
