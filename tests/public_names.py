"""What is public, by the stubs, and where it is defined."""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "copa_nb"
# What the stub of a module names, as users write it, is defined below that package.
STUBS = {
    "copa_nb": ("__init__.pyi", "copa_nb"),
    "copa_nb.results": ("results/__init__.pyi", "copa_nb"),
    "copa_nb.results.explorers": ("results/explorers.pyi", "copa_nb"),
    "copa_nb.errors": ("errors.pyi", "copa_nb"),
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


@cache
def functions_as_methods() -> set[str]:
    """Functions that public classes have as methods (``depth = depth_of``), by where they are defined."""
    found = set()
    for defined in public_names():
        module, _, name = defined.rpartition(".")
        file = PACKAGE.parent / f"{module.replace('.', '/')}.py"
        body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in body if isinstance(node, ast.ImportFrom) for alias in node.names
        }  # fmt: skip
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
        values = [one.value for each in classes for one in each.body if isinstance(one, ast.Assign)]
        found |= {imported[value.id] for value in values if isinstance(value, ast.Name) and value.id in imported}
    return found | _offered()


def _offered() -> set[str]:
    """Functions of higher layers that results have as methods (``@offered_by``)."""
    return {
        f"copa_nb.{'.'.join(file.relative_to(PACKAGE).with_suffix('').parts)}.{node.name}"
        for file in PACKAGE.rglob("*.py")
        if "@offered_by(" in (source := file.read_text(encoding="utf-8"))
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "offered_by"
    }


def is_public(name: str) -> bool:
    """Whether a function, class or method, by the module that defines it, is public."""
    owner, _, method = name.rpartition(".")
    return (
        name in functions_as_methods()
        or name in public_names()
        or (owner in public_names() and not method.startswith("_"))
        or (_is_class_of_accessor(owner) and not method.startswith("_"))
    )


def _is_class_of_accessor(name: str) -> bool:
    """Whether a name is that of a class whose methods ``df.moo`` has."""
    return name.startswith("copa_nb.accessor.") and name.rpartition(".")[2][0].isupper()
