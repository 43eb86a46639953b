r"""Is a better front better than noise? The hypervolume permutation test over runs, audits of claims, and power.

boyi, "Statistical Significance of Pareto Front Improvements in Multi-Objective Benchmarks", 2026, clawrxiv:2604.01959.

- ``arrays/permutation.py``: the statistic, its permutations, and p = (1 + #{|D_b| >= |D|}) / (B + 1) (section 3.2);
- ``arrays/per_run.py``: the comparison of the hypervolumes of single runs (ours);
- ``runs.py``: the runs of a long table, which all verbs here read;
- ``hv_test.py``: the verb, from a table of runs to a test of one claim, and the caveats that hold for it;
- ``result.py``: the result of a test, and what the paper recommends to report with a claim;
- ``audit.py``: many claims against one reference point (section 4), adjusted by :mod:`copa_nb.arrays.multiple_testing`;
- ``power.py``: how likely a real improvement is detected (section 4.1), under the noise of ``noise.py``;
- ``runs_needed.py``: the smallest number of runs that reaches a power;
- ``plots.py``: null distribution, audit and power curves.

Hypervolumes come from :mod:`copa_nb.pareto.arrays.hypervolume`. Two systems on the same items are compared in
:mod:`copa_nb.comparisons`.
"""
