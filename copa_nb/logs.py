"""Log messages of other libraries: fewer while we use them, and afterwards as many as before."""

import contextlib
import logging
from collections.abc import Iterator


@contextlib.contextmanager
def at_level(level: int, *loggers: logging.Logger) -> Iterator[None]:
    """Set the level of some loggers, and restore what each had.

    Examples
    --------
    >>> theirs = logging.getLogger("weasyprint")
    >>> with at_level(logging.ERROR, theirs):
    ...     theirs.level == logging.ERROR
    True
    >>> theirs.level == logging.NOTSET
    True
    """
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(level)
    try:
        yield
    finally:
        for logger, own in zip(loggers, before, strict=True):
            logger.setLevel(own)
