"""Draw all pictures to look at: ``python -m tests.snapshot.figures folder [group ...]``."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from tests.snapshot.figures import FIGURES
from tests.snapshot.figures.registry import figure_of

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for group in sys.argv[2:] or FIGURES:
    for name, draw in FIGURES[group]().items():
        figure_of(name, draw).savefig(folder / f"{group}, {name}.png".replace("/", "-"), dpi=60)
        plt.close("all")
