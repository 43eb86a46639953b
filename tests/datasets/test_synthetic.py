import numpy as np
import pytest

from copa_nb.datasets import synthetic_front
from copa_nb.datasets.synthetic import synthetic_curve


def test_curve_has_the_properties_that_the_paper_states():
    y1 = np.linspace(0.02, 0.2, 180_001)
    y2 = synthetic_curve(y1)
    assert (y2.min().round(2), y2.max().round(2)) == (0.93, 3.49)
    rising = y1[:-1][np.diff(y2) > 0]
    bump = rising[rising < 0.15]
    # The paper cuts after three digits.
    assert (np.floor(bump.min() * 1000), np.floor(bump.max() * 1000)) == (83, 91)


def test_dominated_stretches_are_as_documented():
    y1 = np.linspace(0.02, 0.2, 180_001)
    y2 = synthetic_curve(y1)
    dominated = y1[y2 > np.minimum.accumulate(y2)]
    first, last = dominated[dominated < 0.15], dominated[dominated > 0.15]
    np.testing.assert_allclose([first.min(), first.max(), last.min()], [0.0831, 0.0960, 0.1997], atol=1e-4)


def test_points_lie_on_the_curve_sorted():
    front = synthetic_front(500, rng=1)
    assert front.shape == (500, 2)
    assert front["y1"].is_monotonic_increasing
    assert front["y1"].between(0.02, 0.2).all()
    np.testing.assert_array_equal(front["y2"], synthetic_curve(front["y1"].to_numpy()))
    assert front.attrs["source"]["kind"] == "simulated"


def test_seed_decides():
    assert synthetic_front(10, rng=3).equals(synthetic_front(10, rng=3))
    assert not synthetic_front(10, rng=3).equals(synthetic_front(10, rng=4))
    assert synthetic_front(10, rng=np.random.default_rng(3)).equals(synthetic_front(10, rng=3))


@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_bad_size_is_refused(n):
    with pytest.raises(ValueError, match="`n`"):
        synthetic_front(n)
