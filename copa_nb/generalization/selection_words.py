"""How much of the fall from validation to test is due to the choice, in words."""

from __future__ import annotations

import math

import pandas as pd

from copa_nb import text

# What robustness does not see.
ONE_ROW = "A front of a single row has gap 0, however badly it generalizes."
# Of fewer candidates, the average is that of what was chosen.
FEWEST_CANDIDATES = 10


def selection_sentences(falls: pd.DataFrame, candidates: str, *, shares: bool, splits: int = 1) -> list[str]:
    """Say how much of the fall from validation to test is due to the choice.

    Parameters
    ----------
    falls : DataFrame
        Of :meth:`Gap.falls`.
    candidates : str
        What the front was chosen from.
    shares : bool
        Whether a share of a hypervolume means something.
    splits : int
        How many splits the falls are means of.
    """
    average, chosen, curse = falls.iloc[-1][["average", "chosen", "winners_curse"]]
    if math.isnan(curse):
        return []
    fall, usual, excess = text.told_apart(abs(chosen), abs(average), abs(curse))
    share = f", {text.percent(curse / chosen)} of the fall," if shares and min(average, curse) >= 0 < chosen else ""
    start = "Averaged over the repetitions, the" if splits > 1 else "The"
    said = (
        f"{start} hypervolume {'falls' if chosen >= 0 else 'rises'} by {fall} from validation to test; if each row "
        f"moved by the average of all {candidates}, it would {'fall' if average >= 0 else 'rise'} by {usual}."
    )
    if curse <= 0:
        return [f"{said} Selection (winner's curse) costs nothing here."]
    if splits == 1:
        return [
            f"{said} The difference of {excess}{share} is selection (winner's curse); a single split does not tell how "
            "much of it another split would repeat."
        ]
    low, high = falls.iloc[-1][["low", "high"]]
    interval = "" if math.isnan(low) else f" (95% interval {' to '.join(text.told_apart(low, high))})"
    return [f"{said} The difference of {excess}{interval} is selection (winner's curse)."]
