"""The pictures of the gallery: the code of each is run as it is shown."""

from __future__ import annotations

import warnings
from pathlib import Path

SETUP = """
import matplotlib.pyplot as plt
import copa_nb
from copa_nb import datasets, plots
from copa_nb.papers.copa.paths import plot_paths, plot_sweep
models = datasets.load_open_llm_leaderboard(headings=True)
two = models.moo({"CO₂ (kg)": "min", "average score": "max"})
methods = datasets.load_domainbed()
runs = datasets.load_german_credit_runs().query("seed == 1337")
agents = datasets.load_agents("0409")
bench = datasets.load_deepobs()
moea = datasets.load_moea()
classifiers = datasets.load_uci_classifiers()
"""

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
        'first, second = agents["system"].unique()[:2]\n'
        'agents.moo(accuracy="max", cost_usd="min").hv_test(first, second).plot()',
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
        "Which methods are best over a suite, whatever the utility?",
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
]


def draw_all(folder: Path) -> list[tuple[str, str, str, str, str]]:
    """Run every snippet, save its picture and its thumbnail, and return name, question, title, notebook and code.

    A thumbnail is drawn in its own size, as a phone shows the figure: shrunk letters cannot be read.
    """
    import matplotlib.pyplot as plt

    from copa_nb import plots

    names: dict[str, object] = {}
    warnings.simplefilter("ignore")
    exec(compile(SETUP, "gallery.py", "exec"), names)
    shown = []
    for name, question, title, notebook, size, code in PICTURES:
        for narrow, ending, inches in ((False, "", size), (True, "_small", THUMBNAIL)):
            with plots.report_style(narrow=narrow):
                figure = plt.figure(figsize=inches)
                exec(compile(code, f"gallery of {name}", "exec"), names)
                drawn = plt.gcf()
                drawn.savefig(folder / f"gallery_{name}{ending}.png", dpi=110)
            plt.close(figure)
            plt.close(drawn)
        _keep_upper_part(folder / f"gallery_{name}_small.png")
        shown.append((name, question, title, notebook, code))
    return shown


def _keep_upper_part(path: Path) -> None:
    """Cut off what makes a thumbnail of panels below each other taller than the other cards."""
    from PIL import Image

    with Image.open(path) as picture:
        kept = picture.crop((0, 0, picture.width, min(picture.height, round(TALLEST * picture.width))))
    kept.save(path)
