"""From a table of models and metrics to a defensible decision and a report.

``import copa_nb`` registers ``df.moo`` on every pandas DataFrame. Everything that is public is
listed in ``__init__.pyi`` and imported when it is first used.
"""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler and any(
    argument.endswith(("copa-nb", "copa-nb.exe", "copa_nb.cli")) for argument in sys.orig_argv[:4]
):
    # The command takes a second to import pandas: until it runs (copa_nb/cli/running.py), Ctrl-C ends it in silence.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

import lazy_loader

from copa_nb import accessor as accessor

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
