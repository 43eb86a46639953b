"""Programs that made the bundled results, so that anybody can make them again or make them larger.

They need the extra ``[experiments]``: ``pip install "copa_nb[experiments]"``.
"""
