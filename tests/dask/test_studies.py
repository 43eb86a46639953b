"""Studies give the same numbers wherever they are computed."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import dask
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.agreement import same_frame
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


def power(scheduler=None, **options):
    with copa_nb.options(scheduler=scheduler):
        return copa_nb.power(effect=[0.0, 0.2], n_runs=[3, 4], noise=0.05, n_simulations=120, **options)


def test_power_and_audit_on_a_cluster(client):
    same_frame(power(scheduler=client).table, power().table)
    address = client.scheduler.address
    frame = runs(seed=4)
    settings = {"system": "system", "repeat": "run", "by": "task", "objectives": OBJECTIVES, "n_resamples": 60}
    with copa_nb.options(scheduler=address):
        found = asked.audit(frame, **settings)
    same_audit(found, asked.audit(frame, **settings))


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_power_in_dask_pools(scheduler):
    same_frame(power(scheduler=scheduler).table, power().table)


def test_search_for_seeds_passes_the_scheduler_on():
    settings = {"solve": "runs", "effect": 0.3, "noise": 0.05, "n_simulations": 60}
    with copa_nb.options(scheduler="synchronous", progress=False):
        found = copa_nb.power(**settings)
    assert found.n_runs == copa_nb.power(**settings).n_runs


def many_orders():
    rng = np.random.default_rng(3)
    names = pd.MultiIndex.from_product([range(40), list("abcde")], names=["problem", "method"])
    table = pd.DataFrame(rng.random((200, 2)), index=names, columns=["loss", "time"]).reset_index()
    return asked.posets(table, system="method", item="problem", objectives={"loss": "min", "time": "min"})


def same_depths(found, expected):
    pd.testing.assert_frame_equal(found.table, expected.table, check_exact=True)
    assert (found.n_generic, found.constant, found.method) == (expected.n_generic, expected.constant, "sample")


def sampled(scheduler=None):
    with copa_nb.options(scheduler=scheduler):
        return many_orders().depth(method="sample", n_samples=30_000, rng=7)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_sampled_depths_in_dask_pools(scheduler):
    same_depths(sampled(scheduler=scheduler), sampled())


def test_sampled_depths_on_a_cluster(client):
    same_depths(sampled(scheduler=client), sampled())
    same_depths(sampled(scheduler=client.scheduler.address), sampled())


@pytest.mark.slow
def test_sampled_depths_in_processes_of_their_own():
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": "1GiB"}
    with (
        distributed.LocalCluster(processes=True, **settings) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        same_depths(sampled(scheduler=client), sampled())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool, dask.config.set(pool=pool):
        same_depths(sampled(scheduler="processes"), sampled())


def test_exact_depths_use_this_machine_whatever_the_scheduler():
    with copa_nb.options(scheduler="nonsense://x"):
        assert asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").depth().method == "exact"


def test_schedulers_that_cannot_be():
    with pytest.raises(TypeError, match="give the address"):
        power(scheduler=3)
    with pytest.raises(ValueError, match="no Dask scheduler answers"):
        power(scheduler="nonsense://x")
