"""Draw all pictures, or those of some groups, to look at: ``python -m tests.snapshot.figures folder [group ...]``."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from tests.snapshot.figures import FIGURES
from tests.snapshot.figures.registry import figure_of

if __name__ == "__main__":
    folder, groups = Path(sys.argv[1]), sys.argv[2:] or FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    for group in groups:
        for name, draw in FIGURES[group]().items():
            figure_of(name, draw).savefig(folder / f"{group}, {name}.png", dpi=60)
            plt.close("all")
