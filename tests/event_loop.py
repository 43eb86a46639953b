"""Cells of a notebook, in a thread that has an event loop as kernels have one."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_cells(cells):
    """Run the coroutine; the thread of the tests may have a loop already, where a browser is open."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, cells).result()
