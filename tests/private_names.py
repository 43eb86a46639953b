"""Print where the package uses what other libraries keep to themselves: ``python -m tests.private_names [FOLDER]``.

Static analysis does not know what kind of object a name stands for. An attribute with a leading underscore counts as
another library's if nothing in the package defines one of that name, or if it is looked up on an imported module.
"""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "copa_nb"
# Protocols: who implements one of these names, or calls it, keeps to what the other library documents.
PROTOCOLS = {"_repr_html_", "_repr_mimebundle_", "_repr_latex_"}
# How a bound method, a function or a loaded module is taken apart.
TAKEN_APART = {"__self__", "__func__", "__closure__", "__code__", "__globals__", "__loader__"}
# What a library leaves to the program that imports it.
PROCESS_WIDE = {
    "gc.disable", "gc.freeze", "gc.set_threshold", "os.dup2", "signal.signal", "sys.meta_path", "sys.orig_argv",
    "sys.path_hooks", "sys.setrecursionlimit", "sys.setswitchinterval",
}  # fmt: skip


def is_private(name: object) -> bool:
    """Whether a name is not for others."""
    text = str(name)
    return text in TAKEN_APART or (text.startswith("_") and not text.endswith("__") and text not in PROTOCOLS)


def defined(tree: ast.AST) -> Iterator[str]:
    """Names that a module defines: functions, classes, fields, attributes of its objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _root(node) in ("self", "cls"):
            yield node.attr


def _others(tree: ast.AST) -> set[str]:
    """Names that stand for modules, classes and functions of other libraries."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] != "copa_nb":
            found |= {alias.asname or alias.name for alias in node.names}
    return found - {"copa_nb"}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def foreign(tree: ast.AST, own: set[str]) -> Iterator[tuple[int, str]]:
    """Lines of a module that reach into another library, and what they reach for."""
    others = _others(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Call | ast.Subscript | ast.ImportFrom) and _reaches(node, own, others):
            yield node.lineno, ast.unparse(node)


def _reaches(node: ast.Attribute | ast.Call | ast.Subscript | ast.ImportFrom, own: set[str], others: set[str]) -> bool:
    if isinstance(node, ast.Attribute):
        theirs = _root(node.value) in others
        changed = theirs and not isinstance(node.ctx, ast.Load)
        return changed or (is_private(node.attr) and (theirs or node.attr not in own))
    if isinstance(node, ast.Call):
        function, named = ast.unparse(node.func), node.args[1] if len(node.args) > 1 else None
        if function not in ("getattr", "hasattr", "setattr", "delattr") or not isinstance(named, ast.Constant):
            return False
        changed = function in ("setattr", "delattr") and _root(node.args[0]) in others
        return changed or (is_private(named.value) and named.value not in own)
    if isinstance(node, ast.Subscript):
        held = ast.unparse(node.value)
        return not isinstance(node.ctx, ast.Load) and (held.startswith("vars(") or held == "sys.modules")
    module = (node.module or "").split(".")
    return module[0] not in ("copa_nb", "__future__") and any(map(is_private, [*module, *(a.name for a in node.names)]))


def process_wide(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines of a module that change or read what belongs to the whole process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in PROCESS_WIDE:
            yield node.lineno, ast.unparse(node)


def uses(package: Path = PACKAGE) -> list[tuple[str, int, str]]:
    """File, line and text of every use in a package."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    own = {name for tree in trees.values() for name in defined(tree)}
    return [
        (path.relative_to(package).as_posix(), line, text)
        for path, tree in trees.items()
        for line, text in sorted(set(foreign(tree, own)))
    ]


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description="Print where a package uses private names of other libraries.")
    parser.add_argument("package", nargs="?", type=Path, default=PACKAGE, help="folder of the package")
    found = uses(parser.parse_args().package)
    for file, line, text in found:
        print(f"{file}:{line}: {text}")
    print(f"{len(found)} in all")


if __name__ == "__main__":
    main()
