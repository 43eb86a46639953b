"""Run in every kernel of a measured run (as ``PYTHONSTARTUP``): notes what imports and pictures take.

After each outermost import and each picture, the sums so far are written to a file of the folder that
``COPA_NB_PROBE`` names: kernels are ended at once, so nothing could be written at their end.
"""

import builtins
import importlib
import json
import os
import sys
import time
from pathlib import Path

from IPython import get_ipython

_notes = {"imports": 0.0, "pictures": 0.0, "paper": None, "item": None}
_file = Path(os.environ["COPA_NB_PROBE"]) / f"{os.getpid()}.json"
_watched = set()
_depth = 0


def _timed(function, name):
    def call(*args, **kwargs):
        global _depth
        _depth += 1
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            _depth -= 1
            # What an import or a picture imports in its turn is part of it.
            if _depth == 0:
                _watch()
            if _depth == 0 and (spent := time.perf_counter() - start) > 1e-4:
                _notes[name] += spent
                _file.write_text(json.dumps(_notes), encoding="utf-8")

    return call


def _watch():
    """Watch who records what, and its pictures, as soon as the modules are there."""
    record = sys.modules.get("copa_nb.reports.record")
    if hasattr(record, "Record") and "record" not in _watched:
        _watched.add("record")
        begin = record.Record.__init__

        def noted(self, *, paper=None, item=""):
            begin(self, paper=paper, item=item)
            _notes.update(paper=paper, item=item)

        record.Record.__init__ = noted
    figures = sys.modules.get("copa_nb.reports.figures")
    if hasattr(figures, "render") and "figures" not in _watched:
        _watched.add("figures")
        figures.render = _timed(figures.render, "pictures")


def _begin(info):
    """Forget what was imported before the first cell: that is part of the start of the kernel."""
    if info.store_history:  # not the lines that the kernel runs while it starts
        _notes["imports"] = 0.0
        _kernel.events.unregister("pre_run_cell", _begin)


if _kernel := get_ipython():
    _kernel.events.register("pre_run_cell", _begin)
builtins.__import__ = _timed(builtins.__import__, "imports")
importlib.import_module = _timed(importlib.import_module, "imports")
