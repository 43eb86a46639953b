"""JUnit XML, as systems for continuous integration read it: of reports and of files of claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test case; it passed unless it failed or was skipped.

    Parameters
    ----------
    name, group : str
        What was tested, and what it belongs to.
    failure, skipped : str
        Why it failed, or was skipped; empty if it did not, or was not.
    output : str
        What it said.
    seconds : float, optional
        How long it took.
    """

    name: str
    group: str
    failure: str = ""
    skipped: str = ""
    output: str = ""
    seconds: float | None = None


def junit(name: str, cases: Sequence[Case]) -> str:
    """Write test cases as JUnit XML.

    Examples
    --------
    >>> junit("claims", [Case(name="pick", group="best", failure="no")]).count("<failure")
    1
    """
    totals = {
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failure) for case in cases)),
        "skipped": str(sum(bool(case.skipped) for case in cases)),
    }
    root = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _printable(name), **totals})
    for case in cases:
        given = {"classname": _printable(case.group), "name": _printable(case.name)}
        if case.seconds is not None:
            given["time"] = f"{case.seconds:.2f}"
        element = ElementTree.SubElement(suite, "testcase", given)
        for tag, message in (("failure", case.failure), ("skipped", case.skipped)):
            if message:
                ElementTree.SubElement(element, tag, message=_printable(message)).text = _printable(message)
        if case.output:
            ElementTree.SubElement(element, "system-out").text = _printable(case.output)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _printable(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
