"""The same answers from worker processes, also when one of them dies in the middle."""

import multiprocessing
import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import dask
import numpy as np
import pandas as pd
import pytest

from tests import asked
from tests.agreement import check_selection, same_frame
from tests.dask.partitioned import cut

distributed = pytest.importorskip("distributed", reason="needs the extra: pip install 'copa_nb[dask]'")
pytest.importorskip("copa_nb.dask", reason="needs the extra: pip install 'copa_nb[dask]'")

OBJECTIVES = {"a": "max", "b": "min", "c": "min"}


@pytest.fixture(scope="module")
def client():
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": "1GiB"}
    # A busy machine may take longer to start a new worker than the cluster waits by default before it gives up.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        distributed.LocalCluster(processes=True, **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def on(client):
    """Let this cluster, and no other scheduler, do the work."""
    with dask.config.set(scheduler=client.get), client.as_current():
        yield


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    return pd.DataFrame(rng.integers(0, 40, (4000, 3)).astype(float), columns=list("abc"))


@pytest.mark.slow
def test_processes_agree(client, table):
    parts = cut(table, [100, 100, 1500, 2600])
    with on(client):
        found = parts.moo(OBJECTIVES).copa(p=2, where="b > 3")
        front = parts.moo(OBJECTIVES).front().compute()
        later = parts.moo(OBJECTIVES).copa().navigate("a", importances=5)
    check_selection(asked.copa(table, objectives=OBJECTIVES, p=2, where="b > 3"), found)
    same_frame(front, asked.front(table, objectives=OBJECTIVES))
    same_frame(later.path, asked.copa(table, objectives=OBJECTIVES).navigate("a", importances=5).path)


@pytest.mark.slow
def test_refusals_travel(client, table):
    broken = table.copy()
    broken.loc[17, "b"] = np.nan
    parts = cut(broken, [100, 2000])
    with on(client), pytest.raises(ValueError, match="'b' in 1 of 4000 rows"):
        parts.moo(OBJECTIVES).copa()


class DieOnce:
    """Kills the process that first looks at one partition."""

    def __init__(self, marker, doomed):
        self.marker, self.doomed = str(marker), doomed

    def __call__(self, part):
        if len(part) and part.index[0] == self.doomed and not os.path.exists(self.marker):
            with open(self.marker, "w") as file:
                file.write(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
        return part


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("doomed", [0, 3000])
def test_a_worker_that_dies_changes_nothing(client, table, tmp_path, doomed):
    marker = tmp_path / "died"
    parts = cut(table, [500, 1000, 2000, 3000]).map_partitions(DieOnce(marker, doomed), meta=table.iloc[:0])
    with on(client):
        found = parts.moo(OBJECTIVES).copa(p=4)
    assert marker.exists()
    check_selection(asked.copa(table, objectives=OBJECTIVES, p=4), found)


@pytest.mark.slow
def test_threads_and_processes_of_one_machine_agree(table):
    parts = cut(table, [700, 3000])
    expected = asked.copa(table, objectives=OBJECTIVES)
    with dask.config.set(scheduler="threads"):
        check_selection(expected, parts.moo(OBJECTIVES).copa())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool, dask.config.set(scheduler="processes", pool=pool):
        check_selection(expected, parts.moo(OBJECTIVES).copa())
