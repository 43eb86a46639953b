import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from copa_nb.arrays.multiple_testing import benjamini_hochberg, benjamini_yekutieli, holm

PVALUES = st.lists(st.floats(0.0001, 1.0), min_size=1, max_size=20).map(np.array)


def holm_by_steps(pvalues, alpha):
    """Step down: stop at the first hypothesis that is not rejected."""
    rejected = np.zeros(len(pvalues), bool)
    for step, i in enumerate(np.argsort(pvalues, kind="stable")):
        if pvalues[i] > alpha / (len(pvalues) - step):
            break
        rejected[i] = True
    return rejected


@pytest.mark.parametrize("alpha", [0.0512, 0.1003, 0.3001])
@given(PVALUES)
def test_rejections_of_holm_equal_the_step_procedure(alpha, pvalues):
    assert (holm(pvalues) <= alpha).tolist() == holm_by_steps(pvalues, alpha).tolist()


@given(PVALUES)
def test_false_discovery_rates_equal_scipys(pvalues):
    np.testing.assert_allclose(benjamini_hochberg(pvalues), false_discovery_control(pvalues), rtol=1e-12)
    np.testing.assert_allclose(benjamini_yekutieli(pvalues), false_discovery_control(pvalues, method="by"), rtol=1e-12)


@given(PVALUES)
def test_adjusted_values_lie_between_raw_and_bonferroni(pvalues):
    bonferroni = np.minimum(pvalues * len(pvalues), 1)
    assert (pvalues <= benjamini_hochberg(pvalues) + 1e-15).all()
    assert (benjamini_hochberg(pvalues) <= holm(pvalues) + 1e-12).all()
    assert (holm(pvalues) <= bonferroni + 1e-15).all()


def test_no_claims():
    assert len(holm(np.array([]))) == len(benjamini_hochberg(np.array([]))) == 0
