"""What more items would resolve: tables that are several times as large, simulated."""

from __future__ import annotations

__all__ = ["Forecast"]

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Result, drawn


@dataclass(frozen=True, repr=False, eq=False)
class Forecast(Result):
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

    def explain(self) -> str:
        """Report what each simulated size would resolve, and how certain this is."""
        return f"{self.outcome} {self.certainty}"

    @property
    def outcome(self) -> str:
        """What each simulated size would resolve, in a sentence each."""
        rows = self.table.to_dict("index")
        now = rows.pop(1)
        return " ".join(
            f"With {_as_many(times)} {self.what}, about {row['ordered']:,} of {self.n_pairs:,} pairs would be resolved "
            f"(now {now['ordered']:,}), and about {row['first']:,} {'system' if row['first'] == 1 else 'systems'} "
            f"could rank first (now {now['first']:,})."
            for times, row in rows.items()
        )

    @property
    def certainty(self) -> str:
        """What the projection assumes."""
        return (
            f"This is a projection, the medians of {self.n_simulations} simulated tables. It assumes that further "
            f"{self.what} resemble those at hand, and no level is stated."
        )

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


def _as_many(times: Any) -> str:
    return "twice as many" if times == 2 else f"{times} times as many"


@describes(Forecast.plot)
def _forecast_in_words(result: Forecast) -> Picture:
    times, last = list(result.table.to_dict("index").items())[-1]
    return Picture(
        finding=f"{_as_many(times).replace('twice', 'Twice')} {result.what} would resolve about {last['ordered']:,} of "
        f"{result.n_pairs:,} pairs",
        caption="Pairs of systems of which one is significantly ahead: now, and in simulated tables with more "
        f"{result.what} (medians).",
        alt=f"Share of resolved pairs against the number of {result.what}.",
        data=result.table,
        height=2.6,
    )
