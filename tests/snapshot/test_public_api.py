"""What users can call, read and type is what is stored: a change of it is seen, and meant."""

from difflib import unified_diff

import pytest

from tests.snapshot.make import API, RENEW


def test_the_public_interface_is_as_stored():
    pytest.importorskip("dask.distributed")
    from tests.snapshot.interface import interface

    stored, now = API.read_text(encoding="utf-8"), interface()
    changes = unified_diff(stored.splitlines(), now.splitlines(), "stored", "now", n=0, lineterm="")
    assert stored == now, "\n".join([f"{RENEW} api", *changes])
