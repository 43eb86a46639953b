"""Options and commands of earlier versions, and what is written now; looked up only where there is none of that name.

No old one works: two ways to say one thing are two things to learn. Until version 1.0 each says what replaced it.
"""

from __future__ import annotations

from collections.abc import Mapping

from copa_nb.analyses.base import Analysis

_OF_RUN = "copa-nb run FILE.yaml"
# Of the commands for own tables. What is a key of `-p` now follows from the analyses.
NOW_TYPED: Mapping[str, str] = {
    "--sep": "--read separator=CHAR",
    "--decimal": "--read decimal=CHAR",
    "--encoding": "--read encoding=NAME",
    "--sheet": "--read sheet=NAME",
    "--parse": "--read parse=COL",
    "--amlb": "--source amlb",
    "--every-eval-ever": "--source every-eval-ever",
    "--inspect": "--source inspect",
    "--ioh": "--source ioh",
    "--lm-eval": "--source lm-eval",
    "--optuna": "--source optuna:NAME",
    "--wandb": "--source wandb",
    "--format": "--pdf",
    "--name": "--out DIR",
    "--jobs": f"{_OF_RUN} --jobs N",
    "--timeout": f"{_OF_RUN} --timeout SECONDS",
    "--force": f"{_OF_RUN} --force",
    "--fail-fast": f"{_OF_RUN} --fail-fast",
    "--junit": f"{_OF_RUN} --junit FILE",
}

# Commands.
NOW_CALLED: Mapping[str, str] = {
    "significance": "audit",
    "gsd": "gsd-front",
    "batch": "run FILE.yaml",
    "paper": "run papers",
    "list": "run --list",
}


def instead_of_command(name: str) -> str:
    """Say, as a sentence, what is written now in place of an old command; nothing if it never was one.

    Examples
    --------
    >>> instead_of_command("paper")
    '`copa-nb paper` is written `copa-nb run papers` now.'
    """
    line = NOW_CALLED.get(name)
    return f"`copa-nb {name}` is written `copa-nb {line}` now." if line else ""


def instead_of_option(option: str, analysis: Analysis) -> str:
    """Say, as a sentence, what is written now in place of an old option; nothing if it never was one.

    Examples
    --------
    >>> from copa_nb.analyses.registry import analyses
    >>> instead_of_option("--n-resamples", analyses()["front"])
    '`--n-resamples` is written `-p n_resamples N` now.'
    """
    line = NOW_TYPED.get(option) or _as_key(analysis).get(option, "")
    return f"`{option}` is written `{line}` now." if line else ""


def _as_key(analysis: Analysis) -> dict[str, str]:
    """Old options that are keys of ``-p`` now."""
    lines: dict[str, str] = {}
    for one in analysis.parameters().values():
        if one.is_offered:
            continue
        words = one.name.replace("_", "-")
        if one.kind == "bool":
            lines |= {f"--{words}": f"{one.option} true", f"--no-{words}": f"{one.option} false"}
        else:
            lines[f"--{words}"] = f"{one.option} {one.placeholder}"
    return lines
