"""Generalized stochastic dominance: which systems are not dominated over a suite of problems.

C. Jansen, G. Schollmeyer, J. Rodemann, H. Blocher and T. Augustin, "Statistical Multicriteria Benchmarking via the
GSD-Front", NeurIPS 2024, arXiv:2406.03924; the test of a pair and its regularized form are from C. Jansen,
G. Schollmeyer, H. Blocher, J. Rodemann and T. Augustin, "Robust Statistical Comparison of Random Variables with
Locally Varying Scale of Measurement", UAI 2023.

======================================================  ==========================================
what                                                    where
======================================================  ==========================================
R1 and R2 (eq. 1), their covers                         ``arrays/preferences`` and its kernels
d(C, C') and ξ (definitions 5 and 8): linear programs   ``arrays/programs``, ``arrays/solvers``
resampling (appendix A.2)                               ``arrays/resampling``
ε-empirical front (definition 6)                        ``dominance``, ``gsd_front``
static and dynamic test, contamination (section 4)      ``gsd_test``
Hasse diagram, null distributions, contamination        ``plots``
======================================================  ==========================================
"""
