"""What authors should report with a claimed improvement: vectors per seed, reference point, p and B."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from copa_nb import text
from copa_nb.significance.hv_test import HypervolumeTest
from copa_nb.significance.runs import system_name

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "Δ": r"$\Delta$",
        "α": r"$\alpha$",
    }
)


@dataclass(frozen=True, repr=False, eq=False)
class RecommendedReport:
    """The four things to report, as files, as a paragraph and as a LaTeX table.

    Parameters
    ----------
    vectors : DataFrame
        One row per run: side, system, seed, objectives in own units, hypervolume of the run alone.
    summary : DataFrame
        One row: hypervolumes, difference, p, whether exact, B, reference point.
    paragraph : str
        Text for a paper.
    latex : str
        A booktabs table for a paper.
    """

    vectors: pd.DataFrame = field(repr=False)
    summary: pd.DataFrame = field(repr=False)
    paragraph: str
    latex: str

    def save(self, folder: str | os.PathLike[str], *, name: str = "hv_test") -> list[Path]:
        """Write ``<name>_vectors.csv``, ``<name>_summary.csv``, ``<name>.txt`` and ``<name>.tex``.

        Parameters
        ----------
        folder : path
            Is made if it does not exist.
        name : str
            Beginning of the files' names.

        Returns
        -------
        list of Path
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        contents = {
            f"{name}_vectors.csv": self.vectors.to_csv(index=False),
            f"{name}_summary.csv": self.summary.to_csv(index=False),
            f"{name}.txt": self.paragraph + "\n",
            f"{name}.tex": self.latex,
        }
        for file, content in contents.items():
            (target / file).write_text(content, encoding="utf-8")
        return [target / file for file in contents]

    def __repr__(self) -> str:
        return f"<RecommendedReport of {len(self.vectors)} runs: vectors, summary, paragraph, latex>"

    def _repr_html_(self) -> str:
        shown = self.vectors.set_axis([""] * len(self.vectors))
        return text.card("What to report", [self.paragraph], text.html_table(shown, caption="Runs.", most=30))


def recommended_report(test: HypervolumeTest) -> RecommendedReport:
    """Put together what a paper should state about a claimed improvement.

    Parameters
    ----------
    test : HypervolumeTest
        Outcome of :func:`copa_nb.hv_test`.

    Returns
    -------
    RecommendedReport

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> test = copa_nb.hv_test(runs, system="agent", seed="run", new="A", baseline="B",
    ...                        objectives={"accuracy": "max", "cost": "min"})
    >>> print(copa_nb.recommended_report(test).paragraph)
    We compare A with B over accuracy (maximised) and cost (minimised) by the hypervolume permutation test...
    """
    if not isinstance(test, HypervolumeTest):
        raise TypeError(f"`test` must be a HypervolumeTest, as hv_test returns it, not {type(test).__name__}.")
    return RecommendedReport(test.runs.copy(), test.table, _paragraph(test), _latex_table(test))


def _paragraph(test: HypervolumeTest) -> str:
    number = text.number
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    objectives = text.listing(
        f"{name} ({'maximised' if test.objectives.direction(name) == 'max' else 'minimised'}"
        f"{', log scale' if name in test.scale else ''})"
        for name in test.objectives
    )
    point = ", ".join(f"{name} = {number(value, 6)}" for name, value in test.reference.items())
    matched = " matched" if test.options.paired else ""
    fronts = "all runs" if test.options.level == "seeds" else "the systems' means"
    exchanged = "within matched seeds" if test.options.paired else "over the union of the runs"
    relabellings = (
        f"all B = {test.n_relabellings:,} relabellings were enumerated, so p is exact"
        if test.exact
        else f"B = {test.n_resamples:,} random relabellings, p = (1 + count) / (B + 1)"
    )
    tail = {
        "two-sided": "two-sided",
        "greater": "one-sided (new front larger)",
        "less": "one-sided (new front smaller)",
    }
    share = f" ({100 * test.relative:+.3g} %)" if test.relative == test.relative else ""
    sentences = [
        f"We compare {new} with {baseline} over {objectives} by the hypervolume permutation test, with "
        f"{test.n_new} and {test.n_baseline}{matched} runs.",
        f"The reference point is ({point}); it is the same for both fronts and for every relabelling.",
        f"The front over {fronts} has hypervolume {number(test.hypervolume_new, 5)} for {new} and "
        f"{number(test.hypervolume_baseline, 5)} for {baseline}: a difference of {number(test.statistic, 4)}{share}.",
        f"Labels were exchanged {exchanged} ({relabellings}); the {tail[test.options.alternative]} p-value is "
        f"{number(test.pvalue, 3)}, with a smallest attainable value of {number(test.smallest_pvalue, 3)}.",
        "The result vectors of every run accompany this paper.",
    ]
    return " ".join([*sentences, *test.caveats])


def _latex_table(test: HypervolumeTest) -> str:
    labels = [
        f"{label}{' (log)' if name in test.scale else ''}"
        for name, label in zip(test.objectives, test.objectives.labels, strict=True)
    ]
    columns = "ll" + "r" * len(labels) + "r"
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{_escape(_caption(test))}}}",
        r"  \label{tab:hv-test}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(map(_escape, ["side", "systems", *labels, "hypervolume"])) + r" \\",
        r"    \midrule",
    ]
    sides = {"new": (test.new, test.hypervolume_new), "baseline": (test.baseline, test.hypervolume_baseline)}
    for side, (systems, volume) in sides.items():
        part = test.runs.loc[test.runs["side"] == side]
        cells = [_mean_and_spread(part[name]) for name in test.objectives]
        names = _escape(text.listing(map(system_name, systems)))
        lines.append("    " + " & ".join([side, names, *cells, text.number(volume, 5)]) + r" \\")
    point = [text.number(test.reference[name], 5) for name in test.objectives]
    lines += [
        r"    \midrule",
        "    " + " & ".join(["reference", "", *point, ""]) + r" \\",
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(test: HypervolumeTest) -> str:
    kind = "exact" if test.exact else "Monte Carlo"
    return (
        f"Hypervolume permutation test: Δ = {text.number(test.statistic, 4)}, "
        f"p = {text.number(test.pvalue, 3)} ({kind}, B = {test.n_resamples:,}), "
        f"{test.n_new} and {test.n_baseline} runs. Means and standard deviations over runs."
    )


def _mean_and_spread(values: pd.Series) -> str:
    if len(values) < 2:
        return text.number(float(values.mean()), 4)
    return f"${text.number(float(values.mean()), 4)} \\pm {text.number(float(values.std()), 2)}$"


def _escape(text: str) -> str:
    return text.translate(_LATEX)
