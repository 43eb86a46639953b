"""One concept, one name: in public signatures, on the command line, in notebooks and in batch files."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import copa_nb
from copa_nb import datasets, plots
from copa_nb.analyses.registry import analyses
from copa_nb.reports.catalog import catalog
from copa_nb.reports.parameters import declared

# Concept: its name, and other words for it, which no parameter may have.
VOCABULARY = {
    "what is compared: models, agents, methods": ("system", ["model", "models", "index", "label", "entity"]),
    "what it is measured on: questions, tasks, problems, data sets": ("item", ["problem", "question"]),
    "items that are drawn together: questions of a passage": ("cluster", ["clusters"]),
    "one measurement again: seed, run, fold, split": ("repeat", ["run", "fold", "split", "repetition", "seeds"]),
    "groups analyzed one by one": ("by", ["group", "groups"]),
    "seed or generator of random numbers, in Python": ("rng", ["random_state", "generator", "seed_rng"]),
    "level of intervals": ("confidence_level", ["level", "confidence", "certainty"]),
    "level of tests": ("alpha", ["significance_level"]),
    "weight of the objective that a path follows": ("importance", ["alphas"]),
    "normalization": ("normalize", ["how", "scale", "normalise", "normalization"]),
    "objectives on a logarithmic scale": ("log", ["log_scale"]),
    "columns of standard errors": ("standard_error", ["errors", "se"]),
    "what is good, and in which direction": ("objectives", ["maximize", "minimize", "maximise", "minimise"]),
    "resamples, permutations, draws": ("n_resamples", ["resamples", "n_permutations"]),
    "simulated data sets": ("n_simulations", ["simulations"]),
}
REPLACED = {word: name for name, words in VOCABULARY.values() for word in words}
# Another concept that has this word in its field.
OWN_MEANING = {
    "Attainment.surface": {"level"},
    "ChoiceExplorer.pin": {"label"},
    "Elicitation.answer": {"question"},
    "Preferences.from_statements": {"groups"},
}
# A margin is one of equivalence here, and nowhere else.
OF_EQUIVALENCE = {
    "Cheaper", "cheaper", "Comparison", "compare",
    "needed",
}  # fmt: skip
# Noise is simulated here; measured errors are standard errors.
SIMULATED = {"Power", "power", "HypervolumeTest.power", "HypervolumeTest.needed"}


def public() -> Iterator[tuple[str, list[str]]]:
    """Yield every public function, class and method with the names of its parameters."""
    for module in (copa_nb, copa_nb.results, plots, datasets):
        for name in sorted(module.__all__):
            owner = getattr(module, name)
            if callable(owner):
                yield name, _parameters(owner)
            if inspect.isclass(owner):
                for method, function in vars(owner).items():
                    if not method.startswith("_"):
                        yield f"{name}.{method}", _parameters(getattr(function, "__func__", function))


def _parameters(function: object) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # of C
        return []


SIGNATURES = dict(public())
NOTEBOOKS = {entry.name: list(declared(entry.path)) for entry in catalog()}


def test_parameters_of_public_functions_have_the_names_of_their_concepts():
    assert len(SIGNATURES) > 200
    wrong = {
        where: found
        for where, names in SIGNATURES.items()
        if (found := (REPLACED.keys() | {"seed"}) & set(names) - OWN_MEANING.get(where, set()))
    }
    assert not wrong
    assert {where for where, names in SIGNATURES.items() if "margin" in names} <= OF_EQUIVALENCE
    assert {where for where, names in SIGNATURES.items() if "noise" in names} <= SIMULATED


def test_parameters_of_notebooks_have_them():
    assert {"yours/select", "copa/figure_1"} <= set(NOTEBOOKS)
    assert not {name: found for name, names in NOTEBOOKS.items() if (found := (REPLACED.keys() | {"rng"}) & set(names))}


def test_options_of_commands_have_them():
    for name, analysis in analyses().items():
        flags = {flag.split()[-1].removeprefix("--").replace("-", "_") for flag in analysis.flags().values()}
        assert not REPLACED.keys() & (flags | set(analysis.parameters())), name
