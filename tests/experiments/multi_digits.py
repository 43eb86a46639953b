"""Make the bundled multi-task runs again: five tasks on pairs of handwritten digits, 14 methods, two units of one task.

    python -m tests.experiments.multi_digits --out FOLDER

In the shape of the multi-SVHN experiment of COPA (section 5.3), whose results are not public. Each image is a pair of
the 8 × 8 digits that scikit-learn ships; the tasks are the left digit, the right digit, whether their product is even,
their sum, and the share of active pixels. A network of 128, 96 and 48 units is shared by all tasks, and each has a
linear head. Test pairs are made of digits that no training pair holds. Needs the extra ``[experiments]``.

What is tested was fixed before anything was run: whether the average relative performance Δ to single-task training
orders the methods as the error in the pixels does, as in the paper; which method is last for COPA; and where
single-task training stands. The target of the pixels is a share in one half of the runs and four times that in the
other half, because what Δ follows may be a matter of scale.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

SEEDS = (0, 1, 2)
# Factor of the share of active pixels that is the target.
UNITS = (1, 4)
EPOCHS = (25, 50, 100)
TASKS = ("left", "right", "parity", "sum", "pixels")
N_TRAINING, N_TEST, BATCH, RATE = 2000, 1000, 128, 1e-3
_SIZES, _CLASSES, _OUTPUTS = (128, 96, 48), (10, 10, 2), (10, 10, 2, 1, 1)
_ACTIVE = 8 / 16  # from this intensity on, a pixel is active


# Data


@dataclass(frozen=True)
class Pairs:
    """Images of two digits with the targets of the five tasks, an array each."""

    images: np.ndarray
    targets: tuple[np.ndarray, ...]

    def take(self, rows: np.ndarray) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.images[rows], tuple(target[rows] for target in self.targets))


def make_pairs(seed: int, unit: float) -> tuple[Pairs, Pairs]:
    """Draw training and test pairs, from digits that are in one of the two parts only."""
    from sklearn.datasets import load_digits

    digits, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    order, half = rng.permutation(len(digits)), len(digits) // 2
    parts = ((order[:half], N_TRAINING), (order[half:], N_TEST))
    return tuple(_pairs(digits / 16, labels, rng.choice(rows, (n, 2)), unit) for rows, n in parts)


def _pairs(digits: np.ndarray, labels: np.ndarray, chosen: np.ndarray, unit: float) -> Pairs:
    images = digits[chosen].reshape(len(chosen), -1).astype(np.float32)
    left, right = labels[chosen].T
    active = (images >= _ACTIVE).mean(axis=1)
    even = (left * right) % 2 == 0
    numbers = [(left + right).astype(np.float32), (unit * active).astype(np.float32)]
    return Pairs(images, (left, right, even.astype(int), *numbers))


# Network


class Network:
    """A shared network of two layers with a linear head for each task, and its gradients."""

    def __init__(self, rng: np.random.Generator) -> None:
        layers = [*pairwise(_SIZES), *((_SIZES[-1], outputs) for outputs in _OUTPUTS)]
        self.parameters = []
        for inputs, outputs in layers:
            weights = rng.normal(0, np.sqrt(2 / inputs), (inputs, outputs))
            self.parameters += [weights.astype(np.float32), np.zeros(outputs, dtype=np.float32)]

    def features(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the activations of both shared layers."""
        first_weights, first_bias, second_weights, second_bias = self.parameters[:4]
        first = np.maximum(images @ first_weights + first_bias, 0)
        return first, np.maximum(first @ second_weights + second_bias, 0)

    def head(self, task: int) -> list[np.ndarray]:
        """Return the weights and the bias of a task."""
        return self.parameters[4 + 2 * task : 6 + 2 * task]

    def output(self, task: int, features: np.ndarray) -> np.ndarray:
        """Return what the head of a task makes of features."""
        weights, bias = self.head(task)
        return features @ weights + bias


def loss_of(task: int, output: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean loss (cross-entropy, or squared error) and its gradient in the output."""
    n = len(target)
    if task >= len(_CLASSES):
        residual = output[:, 0] - target
        return float((residual**2).mean()), 2 * residual[:, None] / n
    shifted = output - output.max(axis=1, keepdims=True)
    log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    gradient = np.exp(log_shares)
    gradient[np.arange(n), target] -= 1
    return float(-log_shares[np.arange(n), target].mean()), gradient / n


@dataclass
class Step:
    """What one batch gives: losses, gradients of all heads, and those of each task in the shared layers."""

    network: Network
    batch: Pairs
    tasks: Sequence[int]
    losses: np.ndarray = field(init=False)
    in_features: np.ndarray = field(init=False)
    heads: dict[int, list[np.ndarray]] = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.second = self.network.features(self.batch.images)
        losses, in_features, self.heads = [], [], {}
        for task in self.tasks:
            loss, gradient = loss_of(task, self.network.output(task, self.second), self.batch.targets[task])
            losses.append(loss)
            in_features.append(gradient @ self.network.head(task)[0].T)
            self.heads[task] = [self.second.T @ gradient, gradient.sum(axis=0)]
        self.losses, self.in_features = np.array(losses), np.array(in_features)

    def shared(self, in_features: np.ndarray) -> np.ndarray:
        """Carry gradients in the features, shape (..., batch, 48), back to the shared parameters, flattened."""
        second = in_features * (self.second > 0)
        first = (second @ self.network.parameters[2].T) * (self.first > 0)
        parts = (self.batch.images.T @ first, first.sum(axis=-2), self.first.T @ second, second.sum(axis=-2))
        leading = in_features.shape[:-2]
        return np.concatenate([part.reshape(*leading, -1) for part in parts], axis=-1)

    def of_tasks(self) -> np.ndarray:
        """Gradients of each task in the shared parameters: shape (tasks, parameters)."""
        return self.shared(self.in_features)


# Methods: each takes a step and what it remembers, and returns the gradient of the shared parameters. Where the loss
# itself is weighted, heads are weighted, too.


def _weighted(step: Step, weights: np.ndarray, *, heads: bool = False) -> np.ndarray:
    if heads:
        for task, weight in zip(step.tasks, weights, strict=True):
            step.heads[task] = [weight * gradient for gradient in step.heads[task]]
    return step.shared(np.tensordot(weights.astype(np.float32), step.in_features, axes=1))


def uniform(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Sum of all losses."""
    return _weighted(step, np.ones(len(step.tasks)))


def uncertainty(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Weights that are learned as precisions (Kendall et al. 2018), by gradient descent on their logarithms."""
    log_variances = memory.setdefault("log_variances", np.zeros(len(step.tasks)))
    precisions = np.exp(-log_variances)
    memory["log_variances"] = log_variances - 0.01 * (1 - precisions * step.losses)
    return _weighted(step, precisions, heads=True)


def dynamic_average(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Weights by how slowly losses fall from epoch to epoch (Liu et al. 2019)."""
    memory.setdefault("epoch", []).append(step.losses)
    if len(memory["epoch"]) == N_TRAINING // BATCH:
        memory["before"], memory["last"] = memory.get("last"), np.mean(memory.pop("epoch"), axis=0)
    if memory.get("before") is None:
        return _weighted(step, np.ones(len(step.tasks)))
    rates = np.exp(memory["last"] / memory["before"] / 2)
    return _weighted(step, len(rates) * rates / rates.sum(), heads=True)


def random_weights(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Weights drawn anew at every step (Lin et al. 2022)."""
    shares = np.exp(rng.normal(size=len(step.tasks)))
    return _weighted(step, len(shares) * shares / shares.sum(), heads=True)


def grad_norm(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Weights that bring gradient norms together, more for tasks that train slowly (Chen et al. 2018)."""
    weights, first = memory.setdefault("weights", np.ones(len(step.tasks))), memory.setdefault("first", step.losses)
    norms = np.linalg.norm(step.of_tasks(), axis=1)
    ratio = step.losses / first
    wanted = (weights * norms).mean() * (ratio / ratio.mean()) ** 1.5
    moved = np.maximum(weights - 0.025 * np.sign(weights * norms - wanted) * norms / norms.max(), 1e-3)
    memory["weights"] = len(moved) * moved / moved.sum()
    return _weighted(step, weights)


def _min_norm(gram: np.ndarray) -> np.ndarray:
    """Weights of the shortest convex combination of vectors, from their inner products (Frank and Wolfe)."""
    weights = np.full(len(gram), 1 / len(gram))
    for _ in range(100):
        products = gram @ weights
        best = int(products.argmin())
        now, moved = weights @ products, products[best]
        span = now - 2 * moved + gram[best, best]
        if span <= 0 or now - moved < 1e-9 * abs(now):
            break
        share = min(max((now - moved) / span, 0.0), 1.0)
        weights = (1 - share) * weights
        weights[best] += share
    return weights


def mgda_ub(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Shortest combination of the gradients in the features (Sener and Koltun 2018)."""
    flat = step.in_features.reshape(len(step.tasks), -1)
    return _weighted(step, _min_norm(flat @ flat.T))


def mgda(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Shortest combination of the gradients in the shared parameters (Désidéri 2012)."""
    gradients = step.of_tasks()
    return _min_norm(gradients @ gradients.T) @ gradients


def pc_grad(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Sum of gradients without their parts against each other (Yu et al. 2020)."""
    gradients = step.of_tasks()
    moved = gradients.copy()
    for task in range(len(gradients)):
        for other in rng.permutation(len(gradients)):
            product = moved[task] @ gradients[other]
            if product < 0:
                moved[task] -= product / (gradients[other] @ gradients[other]) * gradients[other]
    return moved.sum(axis=0)


def grad_vac(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Sum of gradients that are turned towards a running mean of their cosines (Wang et al. 2021)."""
    gradients = step.of_tasks()
    n, norms = len(gradients), np.linalg.norm(gradients, axis=1)
    aims = memory.setdefault("aims", np.zeros((n, n)))
    moved = gradients.copy()
    for task in range(n):
        for other in rng.permutation(n):
            if other == task:
                continue
            size = np.linalg.norm(moved[task])
            cosine, aim = moved[task] @ gradients[other] / (size * norms[other]), aims[task, other]
            if cosine < aim:
                length = size * (aim * np.sqrt(1 - cosine**2) - cosine * np.sqrt(1 - aim**2))
                moved[task] += length / (norms[other] * np.sqrt(1 - aim**2)) * gradients[other]
            aims[task, other] = 0.99 * aim + 0.01 * cosine
    return moved.sum(axis=0)


def grad_drop(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Gradients in the features of one sign, drawn by how much of it there is (Chen et al. 2020)."""
    by_sign = step.in_features * np.sign(step.second)
    size = np.abs(by_sign).sum(axis=0)
    positive = 0.5 * (1 + np.divide(by_sign.sum(axis=0), size, out=np.zeros_like(size), where=size > 0))
    keep = np.where(positive > rng.random(positive.shape), by_sign > 0, by_sign < 0)
    return step.shared((step.in_features * keep).sum(axis=0))


def imtl_g(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """The combination with equal projections on all gradients (Liu et al. 2021)."""
    gradients = step.of_tasks()
    units = gradients / np.linalg.norm(gradients, axis=1, keepdims=True)
    apart, units_apart = gradients[:1] - gradients[1:], units[:1] - units[1:]
    others = gradients[0] @ units_apart.T @ np.linalg.pinv(apart @ units_apart.T)
    return np.array([1 - others.sum(), *others]) @ gradients


def ca_grad(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """The direction near the mean that helps the worst task most (Liu et al. 2021), by projected descent."""
    gradients = step.of_tasks()
    gram = gradients @ gradients.T
    n = len(gram)
    mean = np.full(n, 1 / n)
    radius = 0.5 * np.sqrt(mean @ gram @ mean)
    scaled, shares = gram / np.trace(gram), mean.copy()
    radius_scaled = radius / np.sqrt(np.trace(gram))
    for _ in range(40):
        size = np.sqrt(max(shares @ scaled @ shares, 1e-12))
        shares = shares * np.exp(-5 * (scaled @ mean + radius_scaled * (scaled @ shares) / size))
        shares /= shares.sum()
    size = np.sqrt(max(shares @ gram @ shares, 1e-24))
    return n * (mean + radius / size * shares) @ gradients


def nash(step: Step, memory: dict, rng: np.random.Generator) -> np.ndarray:
    """Weights that solve the bargaining of the tasks (Navon et al. 2022)."""
    gradients = step.of_tasks()
    gram = gradients @ gradients.T
    weights = _bargain(gram / (np.trace(gram) / len(gram)))
    return weights * np.sqrt(len(gram)) / np.linalg.norm(weights) @ gradients


def _bargain(gram: np.ndarray) -> np.ndarray:
    """Positive weights w with gram @ w = 1 / w: the minimum of w' gram w / 2 - sum(log w), by damped Newton steps."""
    weights = np.ones(len(gram))

    def value(at: np.ndarray) -> float:
        return float(at @ gram @ at / 2 - np.log(at).sum()) if (at > 0).all() else np.inf

    for _ in range(50):
        gradient = gram @ weights - 1 / weights
        if np.abs(gradient * weights).max() < 1e-6:
            break
        move = np.linalg.solve(gram + np.diag(weights**-2), -gradient)
        size, now = 1.0, value(weights)
        while value(weights + size * move) > now + 0.1 * size * (gradient @ move) and size > 1e-9:
            size /= 2
        weights = weights + size * move
    return weights


Method = Callable[[Step, dict, np.random.Generator], np.ndarray]
METHODS: dict[str, Method] = {
    "Uniform": uniform,
    "Uncertainty": uncertainty,
    "DWA": dynamic_average,
    "RLW": random_weights,
    "GradNorm": grad_norm,
    "MGDA-UB": mgda_ub,
    "MGDA": mgda,
    "PCGrad": pc_grad,
    "GradVac": grad_vac,
    "GradDrop": grad_drop,
    "IMTL-G": imtl_g,
    "CAGrad": ca_grad,
    "Nash-MTL": nash,
}


# Training


class Adam:
    """Adam with the usual constants."""

    def __init__(self, parameters: Sequence[np.ndarray]) -> None:
        self.means = [np.zeros_like(one) for one in parameters]
        self.squares = [np.zeros_like(one) for one in parameters]
        self.steps = 0

    def move(self, parameters: Sequence[np.ndarray], gradients: Sequence[np.ndarray | None]) -> None:
        """Move the parameters that have a gradient, in place."""
        self.steps += 1
        rate = RATE * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for one, gradient, mean, square in zip(parameters, gradients, self.means, self.squares, strict=True):
            if gradient is None:
                continue
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            one -= rate * mean / (np.sqrt(square) + 1e-8)


def train(
    method: Method, tasks: Sequence[int], training: Pairs, test: Pairs, seed: int
) -> Iterator[tuple[int, dict[str, float]]]:
    """Train one network on some of the tasks, and score it on test after each number of epochs."""
    rng = np.random.default_rng([seed, 1])
    network, memory = Network(rng), {}
    optimizer = Adam(network.parameters)
    for epoch in range(1, max(EPOCHS) + 1):
        order = rng.permutation(len(training.images))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            step = Step(network, training.take(order[start : start + BATCH]), tasks)
            shared = method(step, memory, rng)
            sizes = [one.size for one in network.parameters[:4]]
            parts = np.split(shared, np.cumsum(sizes)[:-1])
            gradients: list[np.ndarray | None] = [
                part.reshape(one.shape) for part, one in zip(parts, network.parameters[:4], strict=True)
            ]
            for task in range(len(TASKS)):
                gradients += step.heads.get(task, [None, None])
            optimizer.move(network.parameters, gradients)
        if epoch in EPOCHS:
            yield epoch, score(network, tasks, test)


def score(network: Network, tasks: Sequence[int], test: Pairs) -> dict[str, float]:
    """Accuracy of the first three tasks in percent, and mean squared error of the others, on test pairs."""
    features = network.features(test.images)[1]
    found = {}
    for task in tasks:
        output, target = network.output(task, features), test.targets[task]
        if task < len(_CLASSES):
            found[TASKS[task]] = float(100 * (output.argmax(axis=1) == target).mean())
        else:
            found[TASKS[task]] = float(((output[:, 0] - target) ** 2).mean())
    return found


def run(seeds: Sequence[int] = SEEDS, units: Sequence[float] = UNITS) -> pd.DataFrame:
    """Train all methods, and single-task networks, for every seed and unit.

    Returns
    -------
    DataFrame
        One row for each unit, seed, method and number of epochs, with the scores of the five tasks.
    """
    rows = []
    for unit in units:
        for seed in seeds:
            training, test = make_pairs(seed, unit)
            fit = partial(train, training=training, test=test, seed=seed)
            single: dict[int, dict[str, float]] = {}
            for task in range(len(TASKS)):
                for epochs, found in fit(uniform, [task]):
                    single.setdefault(epochs, {}).update(found)
            runs = {"Single": single.items()}
            runs |= {name: fit(method, range(len(TASKS))) for name, method in METHODS.items()}
            for name, scored in runs.items():
                for epochs, found in scored:
                    rows.append({"unit": unit, "epochs": epochs, "method": name, "seed": seed} | found)
                print(unit, seed, rows[-1], flush=True)
    table = pd.DataFrame(rows).sort_values(["unit", "epochs"], kind="stable", ignore_index=True)
    digits = {"left": 1, "right": 1, "parity": 1, "sum": 5, "pixels": 8}
    return table.round(digits)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiment and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the table")
    options = parser.parse_args(arguments)
    run(options.seeds).to_csv(options.out / "multi_digits_runs.csv", index=False)


if __name__ == "__main__":
    main()
