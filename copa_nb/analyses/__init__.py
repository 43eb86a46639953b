"""Analyses of a user's own table: a verb with its notebook, asked by the command line, files, the panel and results.

``declared.py`` is the table of them: of each what does not follow from its verb. Their parameters are the words of
``define``, and the options of the verb with the first sentences of its docstring (``parameters.py``). ``base.py`` makes
a request of values, has the verb check it, and hands it to the notebook. ``values.py`` converts what people give,
``tables.py`` reads tables and hands them over, ``again.py`` asks for a result again, ``registry.py`` finds analyses.
In a clone, ``python -m tests.generated`` writes the parameters into the tables of the documentation.
"""
