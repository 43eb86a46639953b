"""The program behind the multi-task runs: the same rows again, and its small problems solved."""

import numpy as np
import pytest
from scipy import optimize

from copa_nb import datasets
from tests.experiments import multi_digits

pytest.importorskip("sklearn")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["MGDA-UB", "Nash-MTL"])
def test_rows_of_the_bundled_table_are_made_again(method, monkeypatch):
    monkeypatch.setattr(multi_digits, "EPOCHS", (25,))
    training, test = multi_digits.make_pairs(1, 4)
    ((epochs, found),) = multi_digits.train(multi_digits.METHODS[method], range(5), training, test, 1)
    row = datasets.load_multi_digits_runs().query(f"unit == 4 and epochs == {epochs} and seed == 1").set_index("method")
    # Sums of single precision depend on the machine.
    expected = row.loc[method, list(multi_digits.TASKS)].astype(float)
    assert [found[task] for task in multi_digits.TASKS] == pytest.approx(expected.tolist(), rel=0.1)


def test_training_and_test_share_no_digit():
    training, test = (pairs.images.reshape(-1, 64) for pairs in multi_digits.make_pairs(0, 1))
    assert not {image.tobytes() for image in training} & {image.tobytes() for image in test}


def test_targets_are_those_of_the_images():
    training, _ = multi_digits.make_pairs(0, 4)
    left, right, parity, total, pixels = training.targets
    assert (parity == 1 - (left * right) % 2).all()
    assert (total == left + right).all()
    assert pixels == pytest.approx(4 * (training.images >= 0.5).mean(axis=1), abs=1e-6)


@pytest.fixture(params=range(5))
def gram(request):
    rng = np.random.default_rng(request.param)
    vectors = rng.normal(size=(5, 20)) * 10 ** rng.uniform(-1, 1, (5, 1))
    return vectors @ vectors.T


def test_the_shortest_combination_is_found(gram):
    weights = multi_digits._min_norm(gram)
    best = optimize.minimize(
        lambda w: w @ gram @ w, np.full(5, 0.2), bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1}, tol=1e-12,
    )  # fmt: skip
    assert weights.sum() == pytest.approx(1)
    assert weights @ gram @ weights <= 1.1 * best.fun, "a hundred steps come close"


def test_the_bargain_is_found(gram):
    weights = multi_digits._bargain(gram / np.trace(gram))
    assert (weights > 0).all()
    assert gram / np.trace(gram) @ weights == pytest.approx(1 / weights, rel=1e-5)


def test_gradients_are_those_of_differences():
    rng = np.random.default_rng(2)
    network = multi_digits.Network(rng)
    network.parameters = [one.astype(float) for one in network.parameters]
    batch, _ = multi_digits.make_pairs(0, 1)
    batch = batch.take(np.arange(6))
    batch = multi_digits.Pairs(batch.images.astype(float), batch.targets)
    step = multi_digits.Step(network, batch, range(5))
    gradients = step.of_tasks()
    weights = network.parameters[0]
    position = np.unravel_index(np.abs(gradients[:, : weights.size]).sum(axis=0).argmax(), weights.shape)
    losses = []
    for shift in (1e-5, -1e-5):
        weights[position] += shift
        losses.append(multi_digits.Step(network, batch, range(5)).losses)
        weights[position] -= shift
    slope = (losses[0] - losses[1]) / 2e-5
    assert gradients[:, np.ravel_multi_index(position, weights.shape)] == pytest.approx(slope, rel=1e-3)
