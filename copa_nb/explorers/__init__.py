"""Explorers for the notebook: one per analysis, each with a static twin.

An explorer has three parts: a state (a frozen dataclass and plain functions that turn it into numbers, testable
without a browser), named ipywidgets controls that change the state, and one view that draws it. Nothing is kept
outside the explorer, and ``close()`` gives everything back.
"""
