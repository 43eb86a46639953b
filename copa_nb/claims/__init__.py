"""Claims of the papers, in words and numbers, and the functions that check them.

``claims.csv`` lists what the papers say, where, and what they print; ``errata.csv`` the errors found in them. Each
paper has a file named like its folder of notebooks, or several whose names begin so: a function per claim, and one per
report that states its answer.
"""
