"""Every kind of result, made of small tables whose labels hold markup, dollar signs and quotes."""

import functools
import html.parser
import itertools

import pandas as pd

import copa_nb
from copa_nb.accessor import VERBS as ALL_VERBS
from copa_nb.results.result import Result
from tests import asked, simplest
from tests.asked import scores_after_choice

WAYS = {"recall": "max", "cost_usd": "min"}
# Labels are data: markup, dollar signs and quotes are to be read, not obeyed.
NAMES = ["<b>A</b>", 'B "$x$"', "C & co", "D"]


def runs():
    rows = itertools.product(NAMES, range(5))
    return pd.DataFrame(
        [
            {
                "system": name, "seed": seed, "recall": 0.5 + 0.1 * NAMES.index(name) + 0.013 * (seed * 7 % 5),
                "cost_usd": 3.0 - 0.5 * NAMES.index(name) + 0.11 * (seed * 3 % 5),
            }
            for name, seed in rows
        ]
    )  # fmt: skip


def models():
    return runs().groupby("system", sort=False)[[*WAYS]].mean()


def paired():
    scored = runs()
    return pd.concat([scored.add_prefix("val_"), scored[::-1].reset_index(drop=True).add_prefix("test_")], axis=1)


def _gap(**options):
    return asked.gap(paired(), objectives=WAYS, **options)


def _test():
    return asked.hv_test(runs(), system="system", repeat="seed", new="D", baseline=NAMES[0], objectives=WAYS)


def _posets():
    return asked.posets(runs(), system="system", item="seed", objectives=WAYS)


def _gsd_front():
    return asked.gsd_front(
        runs(), system="system", item="seed", ordinal="recall", objectives=WAYS, nan_policy="worst", progress=False
    )


KINDS = {
    "Selection": lambda: asked.copa(models(), objectives=WAYS),
    "Selection of one objective": lambda: asked.copa(models(), objectives={"recall": "max"}),
    "PossibleChoices": lambda: asked.copa(
        models().mask(models() == models().max()), objectives=WAYS, nan_policy="bounds"
    ),
    "Grouped": lambda: asked.copa(runs(), objectives=WAYS, by="seed"),
    "Navigation": lambda: asked.copa(models(), objectives=WAYS).navigate("recall"),
    "Criteria": lambda: asked.copa(models(), objectives=WAYS).criteria(["mean", "inf"]),
    "Stability": lambda: asked.copa(models(), objectives=WAYS).stability(n_resamples=20),
    "Sensitivity": lambda: asked.copa(models(), objectives=WAYS).sensitivity(),
    "MeanRanks": lambda: asked.mean_ranks(
        runs(), system="system", item="seed", objectives={"recall": "max"}, baseline=NAMES[0]
    ),
    "FriedmanTest": lambda: KINDS["MeanRanks"]().friedman(),
    "Preferences": lambda: copa_nb.results.Preferences.from_statements(WAYS, "recall counts 2x cost_usd"),
    "Hypervolume": lambda: asked.hypervolume(models(), objectives=WAYS),
    "Gap": _gap,
    "Gap of repetitions": lambda: _gap(repeat="val_seed"),
    "Gap of ties": lambda: _gap(keep="bounds"),
    "Gap of groups": lambda: asked.gap(paired().reset_index(), objectives=WAYS, by="val_seed"),
    "GapComparison": lambda: _gap().compare(_gap(), names=(NAMES[0], NAMES[1])),
    "RepeatedComparison": lambda: _gap(repeat="val_seed").compare(_gap(repeat="val_seed")),
    "GapBudgets": lambda: asked.gap(paired(), objectives=WAYS).budgets((2, 5)),
    "HypervolumeTest": _test,
    "Reporting": lambda: _test().reporting(),
    "Audit": lambda: asked.audit(runs(), system="system", repeat="seed", objectives=WAYS, progress=False),
    "Power": lambda: _test().power(n_runs=(2, 3), n_simulations=20),
    "GsdFront": _gsd_front,
    "GsdTest": lambda: _gsd_front().test("D", n_resamples=20),
    "PosetSample": _posets,
    "DepthResult": lambda: _posets().depth(),
    "Agreement": lambda: _posets().depth().agreement(2),
    "Consensus": lambda: _posets().consensus(),
    "SuiteReview": lambda: _posets().review(),
    "ConfidentFront": lambda: asked.confident_front(runs(), system="system", repeat="seed", objectives=WAYS),
    "Needed": lambda: asked.compare(
        runs(), new="D", baseline="C & co", system="system", item="seed", objectives=WAYS
    ).needed(),
    "Intervals": lambda: scores_after_choice(runs(), system="system", item="seed", objectives=WAYS),
    "Comparison": lambda: asked.compare(
        runs(), new="D", baseline=NAMES[0], system="system", item="seed", objectives=WAYS, margin={"recall": 0.01}
    ),
    "Board": lambda: asked.board(runs(), system="system", repeat="seed", objectives=WAYS),
    "Forecast": lambda: KINDS["Board"]().forecast(n_simulations=3),
    "BoardChanges": lambda: KINDS["Board"]().since(KINDS["Board"]()),
    "Cheaper": lambda: asked.cheaper(models(), NAMES[0], cost="cost_usd", objectives=WAYS),
    "Attainment": lambda: asked.attainment(runs(), system="system", repeat="seed", objectives=WAYS),
    "Indicators": lambda: asked.attainment(runs(), repeat="system", objectives=WAYS).indicators(),
    "Overtuning": lambda: asked.gap(paired(), objectives=WAYS).overtuning(),
    "HypervolumeTest by R2": lambda: asked.hv_test(
        runs(), system="system", repeat="seed", new="D", baseline=NAMES[0], objectives=WAYS, indicator="r2"
    ),
    "RunsNeeded": lambda: copa_nb.power(solve="runs", effect=0.3, noise=0.05, n_simulations=40),
    "Elicitation": lambda: asked.copa(models(), objectives=WAYS).elicit().elicitation,
    "Checked": lambda: copa_nb.check({"objectives": WAYS, "claims": [{"rank": NAMES[0]}]}, models()),
    "SuiteComparison": lambda: _posets().compare(_posets()),
}
# What the other verbs return, from the simplest call that their signatures allow.
KINDS |= {
    kind: functools.partial(simplest.call, verb, runs(), WAYS)
    for verb in ALL_VERBS
    if simplest.can_be_called(verb)
    for kind in simplest.returned(verb) - KINDS.keys()
    if issubclass(getattr(copa_nb.results, kind), Result)
}


class Page(html.parser.HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]
