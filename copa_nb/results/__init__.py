"""What all results share: a table to compute with, a card in a notebook, a page, a guarantee, a citation.

Their classes are found here by name, for annotations and for what starts without a table, such as
``copa_nb.results.Board.read``: they are listed in ``__init__.pyi``, and imported when first used.

``result.py``: the base class; ``guarantee.py``: what is estimated, how surely, and what a table gives to doubt that;
``sentences.py`` and ``sentences.json``: what results say, in words that stand nowhere else; ``values.py``: what other
programs read of a result; ``grouping.py``: one result per group (``by=``); ``offered.py``: methods that higher rooms
supply (plots, explorers, reports); ``html_page.py`` and ``templates.py``: pages that need no network; ``citing.py``:
the paper behind a result; ``note.py``: a sentence where there is nothing to show; ``junit.py``: for continuous
integration; ``explorers.py``: classes of widgets.
"""

from copa_nb import discovery

__getattr__, __dir__, __all__ = discovery.lazily(__name__, __file__)
