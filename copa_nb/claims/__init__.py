"""Claims and what becomes of them: statements, findings, verdicts, and the ledger that lists them.

A *claim* is a statement that can be judged: ``kinds.py`` says what one is; the kinds themselves are in ``of_ranks.py``
(``rank``), ``of_fronts.py`` (``on_front``), ``of_pairs.py`` (``better``, ``not_worse``), ``of_numbers.py`` (``number``,
``where``), ``of_searches.py`` (``gap``) and ``of_items.py`` (``depth``, the one to copy), each a class that is found by
being there; ``old_claims.py`` says what replaced those of earlier versions. Those of a user stand in a file
(``claims_file.py``) about a table (``evidence.py``, which runs each test once); ``check.py`` divides the error rate
among them (``levels.py``) and has the verb :func:`copa_nb.check`; ``outputs.py`` writes JSON, JUnit and Markdown.

Those of papers are rows of a list, which ``collection.py`` finds; a function states the *finding* (``findings.py``).
Either way the *verdict* is one of ``verdicts.py``. The entry of the *ledger* is ``ledger.py``, its page
``ledger_page.py``.
"""
