"""Explorers for the notebook: sliders over one analysis each, with a static twin.

An explorer has three parts: a state (a frozen dataclass and plain functions that turn it into numbers, testable
without a browser), named controls tied to that state, and one view that draws it. Nothing is kept outside the
explorer, and ``close()`` frees its widgets.

``explorer.py`` holds what all share (with ``view.js`` and ``view.css``); ``choice.py`` and ``choice_state.py`` explore
the decision of COPA, ``elicitation.py`` its questions, ``gap.py`` the gap of Mind the Gap, ``significance.py`` the
hypervolume test and ``posets.py`` partial orders and their depth.
"""
