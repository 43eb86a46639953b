"""What to cite: BibTeX of the papers behind a verb or a result, and of this package."""

from __future__ import annotations

from copa_nb import checks

_PACKAGE = "copa_nb"
# The paper of each room, and of verbs that stand on another one than their room's.
_PAPER_OF_ROOM = {
    "selection": "javaloy2025copa",
    "generalization": "feurer2023gap",
    "significance": "boyi2026significance",
    "partial_orders": "rodemann2024partial",
    "stochastic_dominance": "jansen2024gsd",
}
_ENTRIES = {
    "javaloy2025copa": """@article{javaloy2025copa,
  title = {{COPA}: Comparing the incomparable in multi-objective model evaluation},
  author = {Javaloy, Adri{\\'a}n and Vergari, Antonio and Valera, Isabel},
  journal = {arXiv preprint arXiv:2503.14321},
  year = {2025}
}""",
    "feurer2023gap": """@inproceedings{feurer2023gap,
  title = {Mind the Gap: Measuring Generalization Performance Across Multiple Objectives},
  author = {Feurer, Matthias and Eggensperger, Katharina and Bergman, Edward and Pfisterer, Florian and Bischl, Bernd
    and Hutter, Frank},
  booktitle = {Advances in Intelligent Data Analysis XXI},
  year = {2023},
  doi = {10.1007/978-3-031-30047-9_11}
}""",
    "boyi2026significance": """@misc{boyi2026significance,
  title = {Statistical Significance of {Pareto} Front Improvements in Multi-Objective Benchmarks},
  author = {{boyi}},
  howpublished = {clawrxiv:2604.01959},
  year = {2026}
}""",
    "rodemann2024partial": """@inproceedings{rodemann2024partial,
  title = {Partial Rankings of Optimizers},
  author = {Rodemann, Julian and Blocher, Hannah},
  booktitle = {International Conference on Learning Representations, Tiny Papers Track},
  year = {2024},
  note = {arXiv:2402.16565}
}""",
    "jansen2024gsd": """@inproceedings{jansen2024gsd,
  title = {Statistical Multicriteria Benchmarking via the {GSD}-Front},
  author = {Jansen, Christoph and Schollmeyer, Georg and Blocher, Hannah and Rodemann, Julian and Augustin, Thomas},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2024},
  note = {arXiv:2406.03924}
}""",
}


def citations(*used: object) -> str:
    r"""BibTeX entries of the papers behind verbs or results, and of this package.

    Parameters
    ----------
    *used : str, function or result
        Names of verbs (``"copa"``), public functions, or their results; without any, all papers.

    Returns
    -------
    str
        One entry for each paper, in the order of their first use, and the package's own at the end.

    Raises
    ------
    ValueError
        If a name is not that of a public function of this package.

    Examples
    --------
    >>> print(citations("copa", "navigate").split("\n")[0])
    @article{javaloy2025copa,
    >>> citations("copa", "hv_test").count("@")
    3
    """
    rooms = [_room(one) for one in used] if used else list(_PAPER_OF_ROOM)
    keys = dict.fromkeys(_PAPER_OF_ROOM[room] for room in rooms if room in _PAPER_OF_ROOM)
    return "\n\n".join([*(_ENTRIES[key] for key in keys), _own_entry()])


def _room(used: object) -> str:
    """Return the room that a verb or a result stands in."""
    import copa_nb

    if isinstance(used, str):
        checks.one_of("used", used, tuple(dir(copa_nb)))
        used = getattr(copa_nb, used)
    module = getattr(used, "__module__", type(used).__module__)
    package, _, rest = module.partition(".")
    if package != _PACKAGE:
        raise ValueError(f"`used` is {used!r}, which is no verb or result of copa_nb; give a name, e.g. 'copa'.")
    return rest.partition(".")[0]


def _own_entry() -> str:
    from copa_nb import __version__

    return f"""@software{{copa_nb,
  title = {{copa\\_nb: from a table of models and metrics to a defensible decision and a report}},
  author = {{{{The copa\\_nb developers}}}},
  version = {{{__version__}}}
}}"""
