"""The page on a public leaderboard: its ranking as it is usual, and the same runs with ties, costs and a forecast."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pandas as pd
from levels import levels

from copa_nb import datasets
from copa_nb.results import Board

MARGIN = 0.02
# What the authors of the runs call the strategies (Kapoor et al., 2024), and models as people say them.
STRATEGIES = {
    "ldb": "LDB", "lats": "LATS", "reflexion": "Reflexion", "simple": "Zero-shot", "simple_incr_temp": "Warming",
    "simple_repeat": "Retry", "simple_boosting": "Escalation",
}  # fmt: skip
MODELS = {
    "gpt-4-turbo-2024-04-09": "GPT-4", "gpt-3.5-turbo-0125": "GPT-3.5", "reflexion": "Reflexion",
    "gpt-4-turbo-0409-5step": "GPT-4", "gpt-4-turbo-0409-5repeats-no-temp-incr": "GPT-4",
    "l3_8b-gpt35-l3_70b-gpt4-0409": "to GPT-4",
}  # fmt: skip


def runs() -> pd.DataFrame:
    """Five runs of each of 13 coding agents on HumanEval, with names as people say them."""
    table = datasets.load_agents()
    models = [" + ".join(dict.fromkeys(MODELS[part] for part in each.split("+"))) for each in table["models"]]
    named = [f"{STRATEGIES[strategy]} ({model})" for strategy, model in zip(table["strategy"], models, strict=True)]
    return table.assign(agent=named)[["agent", "run", "accuracy", "cost_usd"]].moo.define(
        accuracy="max", cost_usd="min", system="agent", repeat="run"
    )


def substitutes(table: pd.DataFrame, agents: list[str]) -> dict[str, tuple[str, float]]:
    """For each agent, the one that saves most among those shown to be not worse by more than the margin."""
    found = {}
    for agent in agents:
        answer = table.moo.cheaper(agent, cost="cost_usd", margin={"accuracy": MARGIN})
        if answer.best is not None:
            found[agent] = (str(answer.best), float(answer.table.loc[answer.best, "saving"]))
    return found


def side_by_side(table: pd.DataFrame, board: Board) -> str:
    """Both readings of the table, the usual one on the left."""
    cost = table.groupby("agent")["cost_usd"].mean()
    usual = "".join(
        f"<tr><td>{place}</td><td>{escape(agent)}</td><td>{row['accuracy']:.1%}</td></tr>"
        for place, (agent, row) in enumerate(board.table.iterrows(), 1)
    )
    instead = substitutes(table, list(board.table.index))
    ours, last = [], 0
    for agent, row in board.table.iterrows():
        first = row["tier"] != last
        last = row["tier"]
        members = int((board.table["tier"] == last).sum())
        tier = f'<td rowspan="{members}" class="tier">{last}</td>' if first else ""
        other, saving = instead.get(agent, ("", 0.0))
        said = f"{escape(other)} <b>−{saving:.0%}</b>" if other else ""
        ours.append(
            f"<tr{' class=first' * first}>{tier}<td>{escape(str(agent))}</td>"
            f"<td>{_places(row)}</td><td>${cost[agent]:.2f}</td><td>{said}</td></tr>"
        )
    return (
        '<div class="twice" tabindex="0" role="region" aria-label="The leaderboard, read twice"><div><p>As usual</p>'
        '<table class="board"><thead><tr><th>#</th><th>agent</th><th>accuracy</th></tr></thead>'
        f"<tbody>{usual}</tbody></table></div><div><p>With ties, costs and what is certain</p>"
        '<table class="board"><thead><tr><th>tier</th><th>agent</th><th>place</th>'
        "<th>cost</th><th>not worse, and costs less</th></tr></thead>"
        f"<tbody>{''.join(ours)}</tbody></table></div></div>"
    )


def _places(row: pd.Series) -> str:
    return str(row["low"]) if row["low"] == row["high"] else f"{row['low']} – {row['high']}"


def in_words(board: Board) -> str:
    """What the right table says, and what twice the runs would settle."""
    tiers = board.table["tier"].nunique()
    forecast = board.forecast().table
    now, twice = forecast.loc[1], forecast.loc[2]
    pairs = len(board.table) * (len(board.table) - 1) // 2
    return (
        f"**{len(board.table)} places are {tiers} tiers.** A test of the first place alone, sharper than one of all "
        f"places, leaves {len(board.may_be_first)} agents that may be the best. "
        f"Five runs each settle {now['ordered']:.0f} of {pairs} pairs; **twice as many runs would settle about "
        f"{twice['ordered']:.0f}**, and leave about {twice['first']:.0f} agents for the first place."
    )


def trust() -> str:
    """How often such intervals of ranks were wrong, in simulations."""
    (level,) = [one for one in levels() if (one.function, one.statement) == ("board", "intervals of all ranks")]
    return (
        f"The true places of all agents together are promised to be wrong in at most {level.promised:.0%} of boards. "
        f"In {len(level.errors)} kinds of simulated boards they were wrong in {level.typical:.1%} of them (median)."
    )


def write(folder: Path, extra: Path) -> None:
    """Write the parts of the page, and its explorer as a page of its own that needs no kernel and no network."""
    table = runs()
    board = table.moo(["accuracy"]).board()
    (folder / "leaderboard.html").write_text(side_by_side(table, board), encoding="utf-8")
    (folder / "leaderboard_words.md").write_text(in_words(board) + "\n", encoding="utf-8")
    (folder / "leaderboard_trust.md").write_text(trust() + "\n", encoding="utf-8")
    means = table.groupby("agent")[["accuracy", "cost_usd"]].mean()
    (extra / "explorers").mkdir()
    with means.moo(accuracy="max", cost_usd="min").explore() as explorer:
        explorer.export_html(extra / "explorers" / "agents.html")
