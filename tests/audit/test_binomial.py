"""Exact binomial intervals against published values and against sums of exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.binomial import at_least, beta_cdf, beta_quantile, rate


@pytest.mark.parametrize(
    ("events", "trials", "low", "high"),
    [
        # the rule of three's exact form: 1 - 0.025 ** (1 / n)
        (0, 10, 0.0, 1 - 0.025 ** (1 / 10)),
        (0, 1000, 0.0, 1 - 0.025 ** (1 / 1000)),
        (10, 10, 0.025 ** (1 / 10), 1.0),
        # R: binom.test(1, 10), (5, 10), (81, 263) (Newcombe 1998, method 5), (15, 148)
        (1, 10, 0.0025285785, 0.4450161),
        (5, 10, 0.1870860, 0.8129140),
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
    ],
)
def test_clopper_and_pearson_against_known_values(events: int, trials: int, low: float, high: float) -> None:
    found = rate(events, trials)
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 60), st.data())
def test_tails_are_the_exact_sums(trials: int, data: st.DataObject) -> None:
    events = data.draw(st.integers(0, trials))
    share = Fraction(data.draw(st.integers(1, 99)), 100)
    exact = sum(comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(events, trials + 1))
    assert at_least(events, trials, float(share)) == pytest.approx(float(exact), rel=1e-10, abs=1e-14)


@given(st.floats(0.001, 0.999), st.integers(1, 5000), st.integers(1, 5000))
def test_a_quantile_is_where_the_distribution_has_that_share(share: float, a: int, b: int) -> None:
    assert beta_cdf(beta_quantile(share, a, b), a, b) == pytest.approx(share, rel=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_interval_holds_the_share_and_its_mirror_is_the_mirror(events: int, more: int) -> None:
    one, other = rate(events, events + more), rate(more, events + more)
    assert 0 <= one.low <= one.value <= one.high <= 1
    assert (one.low, one.high) == (pytest.approx(1 - other.high, abs=1e-12), pytest.approx(1 - other.low, abs=1e-12)) or not events + more


@pytest.mark.parametrize(("events", "trials", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 0.0), (1, 3, 1.0)])
def test_what_is_no_share(events: int, trials: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="is no share"):
        rate(events, trials, confidence=confidence)


def test_of_nothing_everything_is_possible() -> None:
    assert (rate(0, 0).low, rate(0, 0).high, rate(0, 0).value) == (0.0, 1.0, 0.0)
    assert (at_least(0, 5, 0.1), at_least(6, 5, 0.9), at_least(1, 5, 0.0), at_least(5, 5, 1.0)) == (1.0, 0.0, 0.0, 1.0)
