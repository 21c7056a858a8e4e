"""Exact binomial probabilities and intervals, without tables and without scipy. Pure, standard library.

The regularized incomplete beta function is summed as a continued fraction; its inverse is found by bisection. Source: Clopper and Pearson,
Biometrika 26 (1934); Press et al., Numerical Recipes, 6.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, log1p

CONFIDENCE = 0.95
_TINY = 1e-300
_STEPS = 1000
_HALVINGS = 200


@dataclass(frozen=True)
class Rate:
    """`events` in `trials`, as a share with its exact interval `low` to `high`."""

    events: int
    trials: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """Return the share itself, 0 of nothing."""
        return self.events / self.trials if self.trials else 0.0


def rate(events: int, trials: int, *, confidence: float = CONFIDENCE) -> Rate:
    """Return the share with its Clopper-Pearson interval, which holds the true one at least as often as it says; of nothing it is 0 to 1.

    Raises ValueError unless 0 <= events <= trials and 0 < confidence < 1.
    """
    if not 0 <= events <= trials or not 0 < confidence < 1:
        raise ValueError(f"{events} of {trials} at {confidence} is no share")
    tail = (1 - confidence) / 2
    low = beta_quantile(tail, events, trials - events + 1) if events else 0.0
    high = beta_quantile(1 - tail, events + 1, trials - events) if events < trials else 1.0
    return Rate(events, trials, low, high)


def at_least(events: int, trials: int, share: float) -> float:
    """Return the probability of `events` or more in `trials`, where each happens with probability `share`."""
    if events <= 0:
        return 1.0
    if events > trials or share <= 0:
        return 0.0
    return 1.0 if share >= 1 else beta_cdf(share, events, trials - events + 1)


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b), a and b above 0."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, _STEPS):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            total *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return total


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return the x at which I_x(a, b) is `share`, by bisection, to the last digits of a float."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if beta_cdf(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2
