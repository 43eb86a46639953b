"""Print how large the package is: modules, and lines of code without docstrings, comments and blanks.

``make size`` prints the totals, a line for each package, the files that are longest, and how long the tests are.
"""

import argparse
import ast
import collections
import io
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "copa_nb"
TESTS = PACKAGE.parent / "tests"
STORED = {".json", ".jsonl", ".csv"}
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def modules():
    """All Python files of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def lines_of(path):
    """All lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def lines_of_code(path):
    """Lines that hold code."""
    source = path.read_text(encoding="utf-8")
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstrings.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    code = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - docstrings)


def main():
    """Print it."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    sizes = {path.relative_to(PACKAGE): lines_of_code(path) for path in modules()}
    print(f"{len(sizes)} modules, {sum(sizes.values()):,} lines of code")
    packages = collections.Counter()
    files = collections.Counter()
    for path, lines in sizes.items():
        package = path.parts[0] if len(path.parts) > 1 else "(base layer)"
        packages[package] += lines
        files[package] += 1
    for package, lines in packages.most_common():
        print(f"{lines:6,}  {files[package]:3} files  {package}")
    for path, lines in sorted(sizes.items(), key=lambda item: -item[1])[:12]:
        print(f"{lines:6,}  {path}")
    tests = sorted(TESTS.rglob("*.py"))
    stored = [path for path in TESTS.rglob("*") if path.suffix in STORED]
    print(
        f"tests: {len(tests)} files, {sum(map(lines_of, tests)):,} lines; {sum(map(lines_of, stored)):,} of stored data"
    )


if __name__ == "__main__":
    main()
