"""What all results share: a table to compute with, a card in a notebook, a page, a guarantee, a citation.

``result.py``: the base class; ``guarantee.py``: what is estimated, how surely, and what a table gives to doubt that;
``grouping.py``: one result per group (``by=``); ``offered.py``: methods that higher rooms supply (plots, explorers,
reports); ``html_page.py`` and ``templates.py``: pages that need no network; ``citing.py``: the paper behind a result;
``junit.py``: for continuous integration.
"""
