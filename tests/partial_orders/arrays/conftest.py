"""The compiled search meets the definition here; `tests/arrays/test_compiled.py` compares it with numpy's."""

import pytest

from copa_nb.partial_orders.arrays import ufg


@pytest.fixture(autouse=True)
def _few_orders_are_compiled_too(monkeypatch):
    monkeypatch.setattr(ufg, "_FEW_ORDERS", 0)
