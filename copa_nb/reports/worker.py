"""One process of a batch: takes jobs as JSON lines on standard input, tells what happens on standard output.

It ends when its input does, so that nothing outlives the run that started it, however that ends.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from copa_nb.reports.fingerprint import Inputs, is_current
from copa_nb.reports.jobs import DONE, FAILED, UNCHANGED, Failure, Job, Outcome
from copa_nb.reports.store import Store


def produce(
    job: Job,
    store: Store,
    *,
    inputs: Inputs,
    force: bool = False,
    on_cell: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Make one report, whole or not at all, unless the same one stands already.

    Parameters
    ----------
    job : Job
        What to make.
    store : Store
        The prepared output folder.
    inputs : Inputs
        What it would be made of now.
    force : bool
        Make it again in any case.
    on_cell : callable, optional
        Told about progress.

    Returns
    -------
    Outcome
    """
    began = time.monotonic()
    with store.lock(job.name):
        store.recover(job.name)
        # Another run may have made it while this one waited for the lock.
        if not force and standing(job, store, inputs):
            return Outcome(job.name, UNCHANGED)
        try:
            return _produce(job, store, inputs, on_cell, began)
        except OSError as error:
            shutil.rmtree(store.left_behind(job.name), ignore_errors=True)
            failure = Failure("writing the report", f"{error.strerror or error} ({store.place_of(job.name)})")
            return Outcome(job.name, FAILED, round(time.monotonic() - began, 2), failure)


def _produce(
    job: Job,
    store: Store,
    inputs: Inputs,
    on_cell: Callable[[int, int], None] | None,
    began: float,
) -> Outcome:
    from copa_nb.reports.assembly import NOTEBOOK, assemble
    from copa_nb.reports.execution import execute

    staged = store.staging(job.name)
    execution = execute(job, staged / NOTEBOOK, on_cell=on_cell)
    manifest = assemble(
        job,
        staged,
        inputs=inputs,
        failure=execution.failure,
        phases=execution.phases,
        cut_short=execution.cut_short,
    )
    store.place(staged, job.name)
    seconds = round(time.monotonic() - began, 2)
    status = FAILED if execution.failure else DONE
    return Outcome(job.name, status, seconds, execution.failure, manifest["run"]["phases"])


def standing(job: Job, store: Store, inputs: Inputs) -> bool:
    """Tell whether the report of a job stands already, complete and made of the same inputs."""
    from copa_nb.reports.assembly import read_manifest

    folder = store.place_of(job.name)
    manifest = read_manifest(folder)
    return manifest is not None and is_current(manifest, folder, inputs)


def salvage(job: Job, store: Store, *, inputs: Inputs, failure: Failure) -> Outcome:
    """Make a failed report of what a worker left behind that was killed or could not go on.

    Parameters
    ----------
    job, store, inputs
        As for :func:`produce`.
    failure : Failure
        Why it ended.

    Returns
    -------
    Outcome
    """
    from copa_nb.reports.assembly import NOTEBOOK, assemble

    with store.lock(job.name), contextlib.suppress(OSError, ValueError, KeyError):
        staged = store.left_behind(job.name)
        if not (staged / NOTEBOOK).is_file():
            staged.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(job.notebook, staged / NOTEBOOK)
        # Print is left out: it may be what could not be done.
        page_only = replace(job, formats=("html",))
        assemble(page_only, staged, inputs=inputs, failure=failure, phases={})
        store.place(staged, job.name)
    return Outcome(job.name, FAILED, 0.0, failure)


def main() -> None:
    """Serve jobs until standard input ends."""
    from copa_nb.reports.execution import STEADY_ENVIRONMENT

    # What kernels and libraries print must not get between the lines that the parent reads.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    for name, value in STEADY_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    orders: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    _warm_up()
    while True:
        _serve(json.loads(orders.get()), answers)


def _listen(orders: queue.Queue[str]) -> None:
    for line in sys.stdin:
        orders.put(line)
    # The parent is gone, or has no more work; kernels notice within a second that this process is gone.
    from copa_nb.reports.execution import remove_sockets

    remove_sockets()
    os._exit(0)


def _warm_up() -> None:
    """Import what every job needs while the first order is still on its way."""
    # jsonschema would build a grammar for addresses, which notebooks do not have; it takes longer than
    # all the rest together, and jsonschema does without it where it is not installed.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    for name in ("papermill", "nbconvert"):
        importlib.import_module(name)


def _serve(order: dict[str, Any], answers: TextIO) -> None:
    def tell(**event: Any) -> None:
        answers.write(json.dumps(event) + "\n")

    job = Job.from_json(order["job"])
    store, inputs = Store(Path(order["root"])), Inputs(**order["inputs"])
    tell(event="begun", name=job.name)
    try:
        outcome = produce(
            job,
            store,
            inputs=inputs,
            force=order["force"],
            on_cell=lambda cell, total: tell(event="cell", name=job.name, cell=cell, total=total),
        )
    except Exception as error:
        import traceback

        failure = Failure("making the report", f"{type(error).__name__}: {error}", traceback.format_exc())
        outcome = salvage(job, store, inputs=inputs, failure=failure)
    tell(event="ended", name=job.name, outcome=outcome.to_json())


if __name__ == "__main__":
    main()
