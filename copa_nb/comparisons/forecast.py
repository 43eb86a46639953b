"""What more items would resolve: tables that are several times as large, simulated."""

from __future__ import annotations

__all__ = ["Forecast"]

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, part


@dataclass(frozen=True, repr=False, eq=False)
class Forecast(Worded):
    """How many pairs a larger table would resolve, and how many systems could still rank first.

    Parameters
    ----------
    table : DataFrame
        One row for the measured table (``times`` 1), and one for each simulated size: ``ordered``, pairs of which one
        is significantly ahead, and ``first``, systems that may rank first, as medians over the simulated tables.
    n_pairs : int
        Pairs of systems.
    n_simulations : int
        Simulated tables of each size.
    what : str
        What there would be more of.
    ranks : DataFrame, optional
        By size and system, the ends ``low`` and ``high`` of its rank interval: medians over the simulated tables.
    """

    paper = "mogstad2024ranks"

    table: pd.DataFrame
    n_pairs: int
    n_simulations: int
    what: str
    ranks: pd.DataFrame | None = None

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.table.index))
        return f"<Forecast of {self.n_pairs:,} pairs at {sizes} times the {self.what}>"

    def parts(self) -> list[Part]:
        """What the largest simulated size would resolve, then the others, and what the projection assumes."""
        now, *smaller, last = self.table.reset_index().to_dict("records")
        return [
            part("forecast.headline.more", many=_as_many(last["times"]), what=self.what, ordered=last["ordered"],
                 pairs=self.n_pairs),
            part("forecast.reasons.first", ordered=now["ordered"], now=now["first"], then=last["first"]),
            *(part("forecast.reasons.smaller", many=_as_many(row["times"]), ordered=row["ordered"], first=row["first"])
              for row in smaller),
            part("forecast.certainty.projection", n=self.n_simulations, what=self.what),
        ]  # fmt: skip

    def printed_tables(self) -> list[PrintedTable]:
        """Nothing: its sentences have all numbers."""
        return []

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the share of resolved pairs against the size of the table.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        matplotlib Axes
        """
        from copa_nb.plotting.style import series_color

        shares = self.table["ordered"] / self.n_pairs
        places = np.arange(len(shares))
        ax.plot(places, shares, "o-", color=series_color(0), clip_on=False)
        ax.set_xticks(places, ["now", *(f"{times}×" for times in self.table.index[1:])])
        ax.set(xlabel=f"number of {self.what}", ylabel="share of resolved pairs", ylim=(0, 1))
        return ax


def _as_many(times: int) -> Part:
    return part("forecast.phrases.twice") if times == 2 else part("forecast.phrases.times", times=times)


@describes(Forecast.plot)
def _forecast_in_words(result: Forecast) -> Picture:
    return Picture(
        finding=result.headline,
        caption="Pairs of systems of which one is significantly ahead: now, and in simulated tables with more "
        f"{result.what} (medians).",
        alt=f"Share of resolved pairs against the number of {result.what}.",
        data=result.table,
        height=2.6,
    )
