"""Generalization of Pareto fronts: what a front chosen on validation data is worth on test data.

Implements Feurer, Eggensperger, Bergman, Pfisterer, Bischl and Hutter, "Mind the Gap: Measuring Generalization
Performance Across Multiple Objectives" (IDA 2023, LNCS 13876), https://doi.org/10.1007/978-3-031-30047-9_11,
https://arxiv.org/abs/2212.04183.

=========================================  =================================================
Section 4, equation 1: optimistic front    ``arrays/fronts.py``: ``split_front``
Section 4, equation 2: pessimistic front   ``arrays/fronts.py``: ``split_front``
Section 3: approximation gap               ``gap.py``: the verb ``gap``
Section 4: three criteria for two methods  ``comparison.py``: ``Gap.compare``
Section 5.2, Table 1: gap over budgets     ``budgets.py``: ``Gap.budgets``
=========================================  =================================================

``result.py`` says what every gap answers; ``one_search.py`` has the numbers of one search, ``repeats.py`` those of
repetitions and resamples, ``ties.py`` those of all ways to keep one of equal rows, and ``groups.py`` several systems.

Beyond the paper: repetitions, resampling of the test set (``bootstrap.py``), and overtuning (Schneider, Bischl and
Feurer, AutoML 2025) of one objective and of fronts (``overtuning.py``). ``scores.py`` reads the scores of ``gap``, and
``searches.py`` keeps the evaluations for what is asked further. ``plots/`` draws fronts (``fronts.py``), searches
(``searches.py``) and repetitions (``repeats.py``).
"""
