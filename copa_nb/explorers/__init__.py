"""Explorers: sliders over one analysis each, in notebooks, in marimo, and in a page without a kernel.

An explorer is one widget whose controls, charts and tables are drawn by the page (``view/``). Where its controls stand
is `state`, a mapping of plain values that Python and the page share. What follows from ranks and costs is computed in
the page, as ``tests/browser`` compares with Python; what is not (tests, depths, questions) comes from the kernel as a
scene, and an exported page holds one scene for every position of the controls.

``widget.py`` holds what all share: the bundle of ``view/`` and export; ``twin.py`` the static twin that a notebook
shows without a kernel; ``constants.py`` the constants that Python and the page share; ``scenes.py`` parts of scenes.
``choice.py`` explores the decision of COPA, ``elicitation.py`` its questions, ``gap.py`` the gap of Mind the Gap,
``significance.py`` the hypervolume test and ``posets.py`` partial orders and their depth.

In ``view/``, ``arithmetic.js`` computes; ``choice.js`` and ``gap.js`` make scenes of it, ``kernel.js`` takes them from
the kernel; ``main.js`` shows them through ``chart.js``, ``parallel.js``, ``controls.js`` and ``table.js``; ``state.js``
keeps the state in step with the kernel or the page's address.
"""
