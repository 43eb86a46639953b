"""All public functions and classes, where users find them."""

from types import ModuleType
from typing import Any

import copa_nb
from copa_nb.accessor import VERBS, PandasMoo
from copa_nb.results import explorers

SPACES: tuple[ModuleType, ...] = (copa_nb, copa_nb.results, explorers)


def public() -> dict[str, Any]:
    """Verbs, functions, classes of results and classes of widgets, by their names."""
    verbs = {name: getattr(PandasMoo, name) for name in VERBS}
    return verbs | {name: getattr(space, name) for space in SPACES for name in space.__all__}
