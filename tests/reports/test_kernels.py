"""Kernels of reports: they are waited for until they answer, and no longer than they live."""

import asyncio
from queue import Empty

import pytest

from copa_nb.reports.kernels import _Client


class Client(_Client):
    """A client whose kernel answers a request after so many, or is dead after so many looks."""

    def __init__(self, *, answers_after=10**6, dies_after=10**6):
        super().__init__()
        self.asked, self.looks, self.heard = 0, 0, []
        self.answers_after, self.dies_after = answers_after, dies_after

    def kernel_info(self):
        self.asked += 1

    async def get_shell_msg(self, timeout):
        await asyncio.sleep(0)
        if self.asked < self.answers_after:
            raise Empty
        self.heard.append("shell")

    async def get_iopub_msg(self, timeout):
        self.heard.append("iopub")

    async def is_alive(self):
        self.looks += 1
        return self.looks < self.dies_after


def test_a_kernel_is_asked_until_it_answers():
    client = Client(answers_after=3)
    asyncio.run(client.wait_for_ready(timeout=60))
    assert client.asked == 3
    assert client.heard == ["shell", "iopub"], "it is ready once its outputs arrive, too"


def test_a_dead_kernel_is_not_waited_for():
    with pytest.raises(RuntimeError, match="Kernel died before replying to kernel_info"):
        asyncio.run(Client(dies_after=2).wait_for_ready(timeout=60))


def test_a_kernel_that_never_answers_is_given_up():
    with pytest.raises(TimeoutError):
        asyncio.run(Client().wait_for_ready(timeout=0.05))
