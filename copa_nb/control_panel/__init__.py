"""The panel: from a table to a decision and a report without typing.

One way: a control is moved, so there are other settings, so there is another answer. ``settings.py`` is what the
controls say, and the same in code; ``questions.py`` is what has to be said before there is an answer; ``answers.py`` is
what each tab shows. None of them knows a control. ``form.py`` has the controls, and ``panel.py`` puts all together.
"""
