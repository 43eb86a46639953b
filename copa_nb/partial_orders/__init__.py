"""Partial orders of benchmarked systems by several criteria, and which problems are typical.

J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565; the depth is that
of H. Blocher, G. Schollmeyer, C. Jansen and M. Nalenz, "Depth functions for partial orders with a descriptive analysis
of machine learning algorithms", ISIPTA 2023.

=====================================  ===================================================================
what                                   where
=====================================  ===================================================================
one order per problem (section 2)      ``posets``, ``orders``, ``arrays/relations``
union-free generic depth (appendix B)  ``depth``, ``arrays/ufg``, ``arrays/ufg_kernels``
depths estimated from random sets      ``arrays/ufg_sampling``
bootstrap over the problems            ``DepthResult.bootstrap``, ``arrays/ufg_bootstrap``
Borda's and Kemeny's rankings          ``consensus``, ``arrays/consensus``
make-up of a suite of problems         ``suites``
Hasse diagrams (figures 1 to 4)        ``plotting.hasse``, ``plots``
=====================================  ===================================================================
"""
