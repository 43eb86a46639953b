"""Damaged files, by groups of formats: each is read, or refused in a sentence that names it; no file is written to.

``python -m tests.fuzz.files --count 300`` runs all groups.
"""

import argparse
import copy
import functools
import hashlib
import json
import random
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

import copa_nb
from tests.sources.test_malformed import DOCUMENTS, OTHER_VALUES

TABLE = pd.DataFrame({"model": ["A", "B", "C"], "recall": [0.5, 0.7, 0.6], "cost": [3, 1, 2], "note": ["x", "é", ""]})
SAMPLES = Path(__file__).parents[1] / "sources" / "data"
LONGEST_SECONDS = 20.0
INSERTED = [b"\0", b"[" * 5000, b"9" * 400, b",", b'"', b"\xff\xfe", b"NaN"]


def _document(kind):
    return lambda folder: _written(folder / "results_1.json", json.dumps(DOCUMENTS[kind]).encode())


def _lines(file, log):
    return lambda folder: _written(folder / file, (SAMPLES / log).read_bytes())


def _written(file, content):
    file.write_bytes(content)
    return file


def _saved(name, save):
    def make(folder):
        save(folder / name)
        return folder / name

    return make


def _study(file):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(directions=["maximize", "minimize"], storage=f"sqlite:///{file}", study_name="s")
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.suggest_int("k", 1, 3)), n_trials=4)


def _inspect_log(ending, folder):
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes

    answers = [ModelOutput.from_content("mockllm/m", answer) for answer in ("yes", "no")]
    for answer in answers:  # otherwise Inspect counts tokens, with a vocabulary from the network
        answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    task = Task(dataset=[Sample(input=f"q{k}", target="yes") for k in range(2)], scorer=includes(), name="t")
    options = {"log_dir": str(folder), "log_format": ending, "display": "none"}
    # In a thread of its own: Inspect starts an event loop.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(eval, task, model=get_model("mockllm/m", custom_outputs=answers), **options).result()
    return next(folder.glob(f"*.{ending}"))


# How a file is made, and how it is read.
GROUPS = {
    "csv": (_saved("table.csv", functools.partial(TABLE.to_csv, index=False)), copa_nb.read),
    "csv.gz": (_saved("table.csv.gz", functools.partial(TABLE.to_csv, index=False)), copa_nb.read),
    "json": (_saved("table.json", functools.partial(TABLE.to_json, orient="records")), copa_nb.read),
    "xlsx": (_saved("table.xlsx", functools.partial(TABLE.to_excel, index=False)), copa_nb.read),
    "parquet": (_saved("table.parquet", TABLE.to_parquet), copa_nb.read),
    "lm_eval": (_document("lm_eval"), copa_nb.from_lm_eval),
    "every_eval_ever": (_document("every_eval_ever"), copa_nb.from_every_eval_ever),
    "ioh": (_document("ioh"), copa_nb.from_ioh),
    "lm_eval samples": (
        _lines("samples_judged.jsonl", next((SAMPLES / "lm_eval_samples/new").rglob("samples_judged*"))),
        functools.partial(copa_nb.from_lm_eval, items=True),
    ),
    "every_eval_ever samples": (
        _lines("judged.jsonl", "every_eval_ever_samples/new/judged_samples.jsonl"),
        functools.partial(copa_nb.from_every_eval_ever, items=True),
    ),
    "optuna": (_saved("study.db", _study), copa_nb.from_optuna),
    "inspect.eval": (functools.partial(_inspect_log, "eval"), lambda file: copa_nb.from_inspect(str(file), t="max")),
    "inspect.json": (functools.partial(_inspect_log, "json"), lambda file: copa_nb.from_inspect(str(file), t="max")),
}
# Seconds to make the first file, and to read one.
SLOW = ("optuna", "inspect.eval", "inspect.json")


def damage(content, rng):
    """Change a file in one of several ways: cut, overwritten, shifted, repeated; JSON also in its parts."""
    if rng.random() < 0.6:
        try:
            return _other_part(json.loads(content), rng)
        except ValueError:
            pass
    start = rng.randrange(len(content))
    stop = min(len(content), start + rng.choice([1, 2, 8, 64, 512]))
    noise = rng.randbytes(stop - start)
    return rng.choice(
        [
            content[:start],
            content[start:],
            content[:start] + content[stop:],
            content[:start] + noise + content[stop:],
            content[:start] + noise + content[start:],
            content[:start] + content[start:stop] * 3 + content[stop:],
            content[:start] + rng.choice(INSERTED) + content[start:],
        ]
    )


def _other_part(document, rng):
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        part = document
        while True:
            keys = list(part) if isinstance(part, dict) else range(len(part))
            if not keys:
                break
            key = rng.choice(list(keys))
            if not isinstance(part[key], dict | list) or not part[key] or rng.random() < 0.25:
                if rng.random() < 0.3:
                    del part[key]
                else:
                    part[key] = rng.choice([*OTHER_VALUES, "NaN", 1e308, part[key]])
                break
            part = part[key]
    return json.dumps(document).encode()


def faults(group, count, seed):
    """Damaged files of a group that were neither read nor refused well: what happened, and the file's content."""
    make, read = GROUPS[group]
    found = []
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = make(Path(name))
        content = whole.read_bytes()
        assert isinstance(read(whole), pd.DataFrame), "the whole file is read"
        for number in range(count):
            damaged = damage(content, random.Random(f"{group} {seed} {number}"))
            # A file of its own: libraries remember what they read.
            file = whole.with_name(f"{number}-{whole.name}")
            file.write_bytes(damaged)
            if fault := _fault(read, file):
                found.append((number, fault, damaged))
            file.unlink()
    return found


def _fault(read, file):
    before, begin = hashlib.sha256(file.read_bytes()).digest(), time.monotonic()
    try:
        outcome = read(file)
    except (ValueError, TypeError) as error:
        said = str(error)
        # A source without a single score or run is refused as a whole.
        named = file.name in said or "has no models" in said or "has no rows" in said or "single run" in said
        fault = None if named else f"without the file: {type(error).__name__}: {said}"
    except Exception as error:  # which would be reported as a fault of the package
        fault = f"{type(error).__name__}: {error}"
    else:
        fault = None if isinstance(outcome, pd.DataFrame) else f"a {type(outcome).__name__}"
    if hashlib.sha256(file.read_bytes()).digest() != before:
        return "the file was written to"
    return fault or (f"took {time.monotonic() - begin:.0f} s" if time.monotonic() - begin > LONGEST_SECONDS else None)


def main():
    """Damage files of every group."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.files", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="files per group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("groups", nargs="*", default=list(GROUPS))
    options = parser.parse_args()
    total = 0
    for group in options.groups:
        found = faults(group, options.count, options.seed)
        total += len(found)
        print(f"{group}: {options.count} damaged files, {len(found)} faults", flush=True)
        for number, fault, _ in found[:10]:
            print(f"  {number}: {fault[:300]}", flush=True)
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
