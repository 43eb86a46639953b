"""Comparisons of systems by what was measured: which differences are more than noise.

``read_measurements.py`` reads scores on items, repeated runs or standard errors (``given_errors.py``) for all verbs
here; ``measurements.py`` is what they read, and says what a result guarantees. ``nesting.py``: groups of items;
``repetitions.py``; ``more_measurements.py``: larger tables, simulated; ``many_items.py``: sums over items;
``rare_losses.py``: losses that may not have been seen. ``arrays/uncertainty.py`` tests all pairs at once (Romano and
Wolf, Econometrica 2005), ``arrays/incomplete.py`` where scores are missing, ``arrays/moments.py`` from sums.

==============================  =============================  ========================================================
question                        verb                           method
==============================  =============================  ========================================================
who ranks first                 ``board.py``                   simultaneous rank sets, Mogstad, Romano, Shaikh and
                                                               Wilhelm (Review of Economic Studies 2024)
what a leaderboard publishes    ``published_board.py``, ``board_changes.py``, ``forecast.py``
ranks averaged over items       ``mean_ranks.py``              COPA, figure 8; Friedman, Nemenyi: ``friedman.py``
                                                               (Demšar, JMLR 2006)
who is on the front             ``confident_front.py``         step-down max-t, Romano and Wolf 2005
two systems                     ``compare.py``                 McNemar mid-p, Tango 1998: ``arrays/paired.py``; of
                                                               clusters: ``arrays/cluster_robust.py``
how many items                  ``needed.py``                  Connor 1987: ``arrays/planning.py``
cheaper and as good             ``cheaper.py``                 non-inferiority by step-down; scores in a range:
                                                               ``arrays/betting.py``
scores of the chosen system     ``intervals.py``               Berk et al. 2013: ``arrays/after_choice.py``
==============================  =============================  ========================================================
"""
