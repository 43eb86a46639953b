"""What users can call, read and type stays: nothing public goes or changes without being stored anew.

Additions pass: a new name, attribute, command or report, and a new parameter with a default that leaves the order of
the others alone. See `tests.snapshot.interface` for what is public, `tests.snapshot.make` for storing it.
"""

from copy import deepcopy

import pytest

from tests.snapshot.interface import DASK, USED, dask_is_here, interface, losses
from tests.snapshot.make import RENEW, stored_interface


@pytest.fixture(scope="module")
def before():
    stored = stored_interface()
    return stored if dask_is_here() else {section: names for section, names in stored.items() if section not in DASK}


@pytest.fixture(scope="module")
def now(before):
    return interface(before[USED])


def test_nothing_public_went_or_changed(before, now):
    lines = losses(before, now)
    assert not lines, "\n".join([f"{len(lines)} losses; {RENEW} api", *lines])


def test_every_section_holds_something(before):
    assert all(before.values())
    assert len(before["copa_nb"]) > 20
    assert len(before["accessor"]) > 20
    assert len(before["copa_nb.results"]) > 35
    assert len(before["reports"]) > 35
    assert {"copa-nb select", "copa-nb data fetch"} <= set(before["command"])


def _without(names, name):
    del names[name]


PLANTED = {
    "a name": (lambda api: _without(api["copa_nb"], "read"), "copa_nb: read went"),
    "a section": (lambda api: _without(api, "accessor"), "accessor: went"),
    "a parameter": (
        lambda api: _without(api["accessor"]["copa"]["parameters"], "where"),
        "accessor: copa: parameter `where` (keyword = None) went",
    ),
    "a default": (
        lambda api: api["accessor"]["hv_test"]["parameters"].update(n_resamples="keyword = 1000"),
        "accessor: hv_test: parameter `n_resamples` was keyword = 5000, is keyword = 1000",
    ),
    "a kind of parameter": (
        lambda api: api["copa_nb"]["report"]["parameters"].update(name="keyword"),
        "copa_nb: report: parameter `name` was positional, is keyword",
    ),
    "a parameter that must be given": (
        lambda api: api["copa_nb.plots"]["plot_front"]["parameters"].update(color="keyword"),
        "copa_nb.plots: plot_front: new parameter `color` has no default",
    ),
    "an order": (
        lambda api: api["copa_nb"]["check"].update(
            parameters={"first": "positional = 0", **api["copa_nb"]["check"]["parameters"]}
        ),
        "copa_nb: check: by position ['claims', 'frame'] were taken, now ['first', 'claims', 'frame']",
    ),
    "an attribute": (
        lambda api: _without(api["copa_nb.results"]["Selection"]["members"], "best"),
        "copa_nb.results: Selection: best went",
    ),
    "a method's parameter": (
        lambda api: _without(api["copa_nb.results"]["Gap"]["members"]["interval"], "confidence_level"),
        "copa_nb.results: Gap.interval: parameter `confidence_level` (keyword = 0.95) went",
    ),
    "a method": (
        lambda api: api["copa_nb.results"]["Selection"]["members"].update(explain="attribute"),
        "copa_nb.results: Selection: explain was a method, is an attribute",
    ),
    "what it is": (
        lambda api: api["copa_nb.errors"]["ConflictError"].update({"is a": ["Exception", "BaseException"]}),
        "copa_nb.errors: ConflictError lost ValueError (is a)",
    ),
    "what it can": (
        lambda api: api["copa_nb.results"]["Hypervolume"].update(special=[]),
        "copa_nb.results: Hypervolume lost __float__, _repr_html_ (special)",
    ),
    "a constant": (
        lambda api: api["copa_nb.plots"]["MARKERS"].update(value="'o'"),
        "copa_nb.plots: MARKERS: value was ['o', 's', '^', 'D', 'v', 'P', 'X', '*'], is 'o'",
    ),
    "an option": (lambda api: _without(api["command"]["copa-nb run"]["options"], "--out"), "--out went"),
    "a report": (lambda api: _without(api["reports"], "gap/table_1"), "reports: gap/table_1 went"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_is_taken_is_named(before, what):
    change, said = PLANTED[what]
    changed = deepcopy(before)
    change(changed)
    lines = losses(before, changed)
    assert len(lines) <= 2
    assert any(line.endswith(said) for line in lines), lines


def test_additions_pass(before):
    more = deepcopy(before)
    more["copa_nb"]["new_verb"] = {"kind": "function", "parameters": {}}
    more["accessor"]["copa"]["parameters"]["color"] = "keyword = None"
    more["accessor"]["front"]["parameters"]["others"] = "any by name"
    more["copa_nb.results"]["Selection"]["members"]["second"] = "attribute"
    more["copa_nb.errors"]["ConflictError"]["is a"].append("LookupError")
    more["command"]["copa-nb run"]["options"]["--quiet"] = "option, boolean, flag, default False"
    more["new section"] = {}
    assert losses(before, more) == []
