"""Studies give the same numbers wherever they are computed."""

import pytest

import copa_nb
from tests.dask.partitioned import same_frame
from tests.dask.test_runs import OBJECTIVES, runs, same_audit

distributed = pytest.importorskip("distributed", reason="needs the extra: pip install 'copa_nb[dask]'")
pytest.importorskip("copa_nb.dask", reason="needs the extra: pip install 'copa_nb[dask]'")


@pytest.fixture(scope="module")
def client():
    settings = {"n_workers": 2, "processes": False, "dashboard_address": ":0", "threads_per_worker": 1}
    with (
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def power(**options):
    return copa_nb.power(effect=[0.0, 0.2], seeds=[3, 4], noise=0.05, n_simulations=120, progress=False, **options)


def test_power_and_audit_on_a_cluster(client):
    same_frame(power(scheduler=client).table, power().table)
    address = client.scheduler.address
    frame = runs(seed=4)
    settings = {"system": "system", "seed": "run", "by": "task", "objectives": OBJECTIVES, "n_resamples": 60}
    same_audit(copa_nb.audit(frame, scheduler=address, **settings), copa_nb.audit(frame, **settings))


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_power_in_dask_pools(scheduler):
    same_frame(power(scheduler=scheduler).table, power().table)


def test_search_for_seeds_passes_the_scheduler_on():
    settings = {"effect": 0.3, "noise": 0.05, "n_simulations": 60, "progress": False}
    assert copa_nb.seeds_needed(scheduler="synchronous", **settings).seeds == copa_nb.seeds_needed(**settings).seeds


def test_schedulers_that_cannot_be():
    with pytest.raises(ValueError, match="'thread'; allowed are"):
        power(scheduler="thread")
    with pytest.raises(TypeError, match="give the address"):
        power(scheduler=3)
    with pytest.raises(ValueError, match="no Dask scheduler answers"):
        power(scheduler="nonsense://x")
