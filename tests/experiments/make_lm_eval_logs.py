"""Make the logs of lm-evaluation-harness that tests and the documentation read: a model that adds, and adds wrongly.

``python -m tests.experiments.make_lm_eval_logs tests/sources/data/lm_eval_samples``, with ``lm-eval`` 0.4.13 and
``torch`` installed. The harness runs as it is; only the model and the questions are made up.
"""

import argparse
import json
import os
import random
import re
import shutil
from pathlib import Path

_KINDS = {"add": "+", "subtract": "-", "multiply": "x"}
_CHOICE = """\
task: sums_{kind}
dataset_path: json
dataset_kwargs: {{data_files: {{test: sums_{kind}.jsonl}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}} ="
doc_to_choice: "{{{{choices}}}}"
doc_to_target: "{{{{gold}}}}"
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
  - {{metric: acc_norm, aggregation: mean, higher_is_better: true}}
metadata: {{version: 1.0}}
"""
_GROUP = """\
group: sums
task: [sums_add, sums_subtract, sums_multiply]
aggregate_metric_list:
  - {metric: acc, aggregation: mean, weight_by_size: true}
  - {metric: acc_norm, aggregation: mean, weight_by_size: true}
metadata: {version: 1.0}
"""
_WRITTEN = """\
task: written
dataset_path: json
dataset_kwargs: {data_files: {test: written.jsonl}}
test_split: test
output_type: generate_until
generation_kwargs: {until: ["\\n"]}
doc_to_text: "{{question}} ="
doc_to_target: "{{answer}}"
filter_list:
  - {name: strict, filter: [{function: regex, regex_pattern: "^(\\\\d+)$"}, {function: take_first}]}
  - {name: flexible, filter: [{function: regex, regex_pattern: "(\\\\d+)"}, {function: take_first}]}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
"""
_TEXT = """\
task: text
dataset_path: json
dataset_kwargs: {data_files: {test: text.jsonl}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{text}}"
metric_list: [{metric: word_perplexity}, {metric: bits_per_byte}]
metadata: {version: 1.0}
"""
_JUDGED = """\
task: judged
dataset_path: json
dataset_kwargs: {data_files: {test: judged.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}?"
doc_to_choice: ["no", "yes"]
doc_to_target: "{{gold}}"
metric_list:
  - {metric: mcc}
  - {metric: acc, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
"""


def _questions(kind: str, number: int) -> list[tuple[str, int]]:
    rng = random.Random(kind)
    pairs = [(rng.randrange(2, 60), rng.randrange(2, 60)) for _ in range(number)]
    value = {"add": lambda a, b: a + b, "subtract": lambda a, b: a + b - b, "multiply": lambda a, b: a * b}[kind]
    return [(f"{a + b if kind == 'subtract' else a} {_KINDS[kind]} {b}", value(a, b)) for a, b in pairs]


def write_tasks(folder: Path) -> None:
    """Write the questions and the configurations of the tasks."""
    rng = random.Random(0)
    files: dict[str, list[dict]] = {"written": [], "text": [], "judged": []}
    for kind in _KINDS:
        files[f"sums_{kind}"] = []
        for number, (question, answer) in enumerate(_questions(kind, 40)):
            gold = rng.randrange(2)
            choices = [str(answer + (0 if place == gold else rng.choice([-10, -1, 1, 10]))) for place in range(2)]
            row = {"question": question, "choices": choices, "gold": gold, "sheet": number // 5}
            files[f"sums_{kind}"].append(row)
        (folder / f"sums_{kind}.yaml").write_text(_CHOICE.format(kind=kind))
    files["written"] = [
        {"question": question, "answer": str(answer)} for question, answer in _questions("add", 60)[40:]
    ]
    files["text"] = [{"text": " ".join(f"{q} = {a}." for q, a in _questions(kind, 9))} for kind in _KINDS]
    for question, answer in _questions("multiply", 52)[40:]:
        gold = rng.randrange(2)
        files["judged"].append({"question": f"{question} = {answer if gold else answer + 1}", "gold": gold})
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, text in {"sums": _GROUP, "written": _WRITTEN, "text": _TEXT, "judged": _JUDGED}.items():
        (folder / f"{name}.yaml").write_text(text)


def _register() -> None:
    from lm_eval.api.model import LM
    from lm_eval.api.registry import register_model

    @register_model("arithmetic")
    class Arithmetic(LM):
        """Knows an answer with a probability that falls with its digits; guesses otherwise."""

        def __init__(self, pretrained: str, skill: float = 0.5, **_: object) -> None:
            super().__init__()
            self.skill = float(skill)

        def _knows(self, question: str) -> bool:
            # How hard a question is does not depend on the model; so the results of two models are correlated.
            hard = random.Random(question).random()
            luck = random.Random(f"{question} {self.skill}").random()
            return 0.6 * hard + 0.4 * luck < self.skill

        def _answer(self, context: str) -> str:
            a, sign, b = re.findall(r"(\d+) ([-+x]) (\d+)", context)[-1]
            right = {"+": int(a) + int(b), "-": int(a) - int(b), "x": int(a) * int(b)}[sign]
            return str(right if self._knows(f"{a} {sign} {b}") else right + random.Random(context).choice([-1, 1, 10]))

        def loglikelihood(self, requests, disable_tqdm=False):
            found = []
            for request in requests:
                context, continuation = request.args
                answer = self._answer(context)
                if continuation.strip() in ("yes", "no"):
                    answer = "yes" if context.rstrip("?").endswith(f" {answer}") else "no"
                same = continuation.strip() == answer
                length = len(continuation)
                found.append((-0.5 - 0.1 * length if same else -1.0 - 0.4 * length, same))
            return found

        def generate_until(self, requests, disable_tqdm=False):
            words = ["", "The answer is "]
            return [random.Random(one.args[0]).choice(words) + self._answer(one.args[0]) for one in requests]

        def loglikelihood_rolling(self, requests, disable_tqdm=False):
            return [-len(one.args[0]) * (2 - self.skill) / 2 for one in requests]


def main() -> None:
    """Evaluate two models, and one of them again with other settings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the logs are written")
    folder = parser.parse_args().folder.resolve()
    work = folder.with_name(folder.name + "_tasks")
    work.mkdir(parents=True)
    write_tasks(work)
    os.chdir(work)
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    _register()
    everything = ["sums", "written", "text", "judged"]
    runs = {"baseline": (1, 0.55, everything, {}), "new": (2, 0.7, everything, {})}
    runs["limited"] = (2, 0.7, ["sums"], {"num_fewshot": 2, "limit": 10})
    for name, (version, skill, tasks, options) in runs.items():
        tracker = EvaluationTracker(output_path=str(folder / name))
        results = simple_evaluate(
            model="arithmetic",
            model_args={"pretrained": f"acme/agent-{version}", "skill": skill},
            tasks=tasks,
            task_manager=TaskManager(include_path=str(work)),
            log_samples=True,
            evaluation_tracker=tracker,
            bootstrap_iters=2,
            **options,
        )
        samples = results.pop("samples")
        tracker.save_results_aggregated(results=results, samples=samples)
        for task, of_task in samples.items():
            tracker.save_results_samples(task_name=task, samples=of_task)
    shutil.rmtree(work)
    for file in folder.rglob("results_*.json"):
        document = json.loads(file.read_text())
        # What says on which machine it was made.
        document |= dict.fromkeys(("git_hash", "upper_git_hash", "pretty_env_info"))
        for config in document["configs"].values():
            config["metadata"].pop("config_source", None)
        file.write_text(json.dumps(document, indent=1).replace(str(work) + "/", ""))


if __name__ == "__main__":
    main()
