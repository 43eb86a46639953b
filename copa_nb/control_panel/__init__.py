"""The panel: a table is analyzed and reported on without typing, by controls that the analyses declare.

``settings.py`` is what the controls say and what follows from it: an analysis, code, a batch file. ``views.py`` is what
each tab shows. Both know no control. ``controls.py`` makes a control of a parameter; ``panel.py`` is the widget.
"""
