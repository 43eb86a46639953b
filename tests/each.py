"""Many cases in one test: all of those that fail are told, each with its name.

A test of its own for each of thousands of cases costs more to collect and to report than the cases take.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def hold_for_each(cases: Iterable[Any], check: Callable[[Any], None]) -> None:
    """Check every case, and fail with all failures at once.

    Examples
    --------
    >>> def is_even(number):
    ...     assert number % 2 == 0, f"{number} is odd"
    >>> hold_for_each([2, 4], is_even)
    >>> hold_for_each([2, 3, 5], is_even)
    Traceback (most recent call last):
    ExceptionGroup: 2 of 3 cases fail (2 sub-exceptions)
    """
    failures: list[BaseException] = []
    n_cases = 0
    for case in cases:
        n_cases += 1
        try:
            check(case)
        # What `pytest.fail` and `pytest.raises` throw is no Exception.
        except (Exception, pytest.fail.Exception) as failure:
            failure.add_note(f"in the case {case!r}")
            failures.append(failure)
    assert n_cases, "there is no case to check"
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {n_cases} cases fail", failures)
