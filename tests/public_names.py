"""What is public, by the stubs, and where it is defined."""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "copa_nb"
# What the stub of a module names, as users write it, is defined below that package.
STUBS = {
    "copa_nb": ("__init__.pyi", "copa_nb"),
    "copa_nb.plots": ("plots.pyi", "copa_nb"),
    "copa_nb.datasets": ("datasets/__init__.pyi", "copa_nb.datasets"),
    "copa_nb.reports": ("reports/__init__.pyi", "copa_nb.reports"),
}


@cache
def public_names() -> dict[str, str]:
    """Public names as users write them, by where they are defined: "copa_nb.pareto.plots.plot_front"."""
    found = {}
    for module, (stub, package) in STUBS.items():
        for node in ast.parse((PACKAGE / stub).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    defined = f"{package}.{node.module}.{alias.name}" if node.module else f"{package}.{alias.name}"
                    found.setdefault(defined, f"{module}.{alias.asname or alias.name}")
    return found


def is_public(name: str) -> bool:
    """Whether a function, class or method, by the module that defines it, is public."""
    owner, _, method = name.rpartition(".")
    return name in public_names() or (owner in public_names() and not method.startswith("_"))
