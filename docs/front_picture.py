"""Draw ``docs/images/front.png``, the picture of the README and of the first page of the documentation.

``python -m docs.front_picture`` in a clone of the repository; a test compares what is there with what this draws.
"""

import argparse
import io
from pathlib import Path

import matplotlib.pyplot as plt

from copa_nb import datasets, plots
from copa_nb.papers.copa.paths import plot_paths

PATH = Path(__file__).parents[1] / "docs" / "images" / "front.png"
COST, SCORE = "CO₂ (kg)", "average score"
DPI = 170


def front_picture(norm: float | str = "inf") -> bytes:
    """The models that are selected as the cost counts for more, under min-max scaling and under ranks."""
    models = datasets.load_open_llm_leaderboard(headings=True).moo({COST: "min", SCORE: "max"})
    paths = {
        "min-max scaling": models.copa(p=norm, normalize="minmax").navigate(COST),
        "ranks (COPA)": models.copa(p=norm).navigate(COST),
    }
    written = io.BytesIO()
    with plots.report_style():
        figure = plot_paths(paths, log=[COST], at=[0.5], key=True)
        figure.savefig(written, dpi=DPI, metadata={"Software": None})
    plt.close(figure)
    return written.getvalue()


def main() -> None:
    """Write it."""
    argparse.ArgumentParser(prog="python -m docs.front_picture", description=__doc__).parse_args()
    PATH.write_bytes(front_picture())


if __name__ == "__main__":
    main()
