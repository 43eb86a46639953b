"""Draw ``docs/images/barcode.png``, the picture of the README and of the first page of the documentation.

``python -m docs.barcode_picture`` in a clone of the repository; a test compares what is there with what this draws.
"""

import argparse
import io
from pathlib import Path

import matplotlib.pyplot as plt

from copa_nb import datasets, plots
from copa_nb.plotting.pictures import picture_of

PATH = Path(__file__).parents[1] / "docs" / "images" / "barcode.png"
COST, SCORE = "CO₂ (kg)", "average score"
# Inches, and dots in each: letters are read where a phone shows the picture 358 pixels wide, and not too large where a
# page shows all 800 of them.
WIDTH, DPI = 4.6, 174


def barcode_picture(norm: float | str = "inf") -> bytes:
    """The models that are selected as the cost counts for more, under four ways of making objectives comparable."""
    models = datasets.load_open_llm_leaderboard(headings=True).moo({COST: "min", SCORE: "max"})
    path = models.copa(p=norm).navigate(COST)
    described = picture_of(type(path).plot, path)
    assert described is not None
    written = io.BytesIO()
    with plots.report_style():
        figure = plt.figure(figsize=(WIDTH, described.height))
        path.plot(ax=figure.add_subplot())
        figure.savefig(written, dpi=DPI, bbox_inches=None, metadata={"Software": None})
    plt.close(figure)
    return written.getvalue()


def main() -> None:
    """Write it."""
    argparse.ArgumentParser(prog="python -m docs.barcode_picture", description=__doc__).parse_args()
    PATH.write_bytes(barcode_picture())


if __name__ == "__main__":
    main()
