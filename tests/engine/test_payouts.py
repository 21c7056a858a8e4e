"""The one place that pays: odds, units, rounding, caps, shares, rake."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.payouts import NOTHING, Payout, Unpayable, cap, pay, rake, share

FLUSH = Fraction(3, 2)


@pytest.mark.parametrize(
    ("stake", "odds", "unit", "rounding", "paid"),
    [
        (1000, FLUSH, 1, "down", Payout(1500)),
        (501, FLUSH, 1, "down", Payout(751, Fraction(1, 2))),
        (501, FLUSH, 1, "up", Payout(752, Fraction(-1, 2))),
        (501, Fraction(1), 50, "down", Payout(500, Fraction(1))),
        (501, Fraction(1), 50, "up", Payout(550, Fraction(-49))),
        (333, Fraction(1), 100, "down", Payout(300, Fraction(33))),
        (1, Fraction(6, 5), 1, "down", Payout(1, Fraction(1, 5))),
        (49, Fraction(1), 50, "down", Payout(0, Fraction(49))),
        (500, Fraction(0), 50, "down", Payout(0)),
        (1000, FLUSH, 500, "exact_only", Payout(1500)),
    ],
)
def test_pay(stake, odds, unit, rounding, paid):
    assert pay(stake, odds, unit=unit, rounding=rounding) == paid


def test_exact_only_refuses_and_says_what_it_would_be():
    with pytest.raises(Unpayable) as refused:
        pay(501, FLUSH, unit=1, rounding="exact_only")
    assert (refused.value.code, refused.value.exact) == ("inexact_payout", Fraction(1503, 2))


def test_a_payout_of_ten_to_the_fifteenth_is_refused_and_one_less_is_not():
    with pytest.raises(Unpayable) as refused:
        pay(2 * 10**12, Fraction(500), unit=1, rounding="down")
    assert refused.value.code == "bad_amount"
    assert pay(10**15 - 1, Fraction(1), unit=1, rounding="down") == Payout(10**15 - 1)


@given(st.integers(1, 10**12), st.fractions(0, 500, max_denominator=10), st.sampled_from([1, 5, 50, 100]), st.sampled_from(["down", "up"]))
def test_rounding_moves_a_payout_by_less_than_a_unit_and_says_by_how_much(stake, odds, unit, rounding):
    paid = pay(stake, odds, unit=unit, rounding=rounding)
    breakage = paid.breakage or 0
    assert paid.pay + breakage == stake * odds
    assert paid.pay % unit == 0
    assert 0 <= (breakage if rounding == "down" else -breakage) < unit
    assert paid.breakage != 0


# ---- caps ----

KINDS = ("ante", "blind", "play", "trips")


def capped(payouts, unit=1, seat=None, **wager):
    found = cap([Payout(amount) for amount in payouts], KINDS[: len(payouts)], {"wager": wager, "seat": seat}, unit=unit)
    return [(payout.pay, payout.uncapped) for payout in found]


@pytest.mark.parametrize(
    ("payouts", "bounds", "left"),
    [
        ([100, 500], {"blind": 300}, [(100, None), (300, 500)]),
        ([100, 500], {"blind": 500, "seat": 600}, [(100, None), (500, None)]),
        ([100, 500], {"seat": 400}, [(100, None), (300, 500)]),
        ([100, 500], {"seat": 60}, [(60, 100), (0, 500)]),
        ([400, 400, 400], {"seat": 1000}, [(200, 400), (400, None), (400, None)]),
        ([400, 500, 500], {"seat": 1000}, [(400, None), (100, 500), (500, None)]),
        ([100, 5000], {"blind": 90, "seat": 150}, [(60, 100), (90, 5000)]),
        ([0, 700], {"seat": 0}, [(0, None), (0, 700)]),
    ],
    ids=["a wager's own", "just reached", "the largest first", "then the next", "of equal ones the first", "of equal largest the first",
         "a wager's own goes first, then counts as cut", "nothing may be won"],
)  # fmt: skip
def test_caps(payouts, bounds, left):
    assert capped(payouts, **bounds) == left


def test_a_cut_payout_is_rounded_down_to_a_unit_and_forgets_its_breakage():
    assert capped([1000, 500], unit=50, seat=730) == [(200, 1000), (500, None)]
    assert capped([1000], unit=50, ante=999) == [(950, 1000)]
    [left] = cap([Payout(550, Fraction(-49))], ["ante"], {"wager": {"ante": 520}, "seat": None}, unit=50)
    assert left == Payout(500, None, 550)
    assert cap([NOTHING], ["ante"], {"wager": {}, "seat": 5}, unit=50)[0] is NOTHING


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=4), st.sampled_from([1, 7, 50]), st.integers(0, 12_000), st.integers(0, 9000))
def test_caps_are_kept_and_never_cut_more_than_they_must(amounts, unit, seat, ante):
    payouts = [amount // unit * unit for amount in amounts]
    left = [pay for pay, _ in capped(payouts, unit=unit, seat=seat, ante=ante)]
    assert sum(left) <= seat
    assert left[0] <= ante
    assert all(0 <= now <= before and now % unit == 0 for now, before in zip(left, payouts, strict=True))
    if sum(left) < min(seat, sum(payouts)) - unit + 1:
        assert left[0] == ante // unit * unit, "only the ante's own cap may leave room below the seat's"


# ---- pots ----


@pytest.mark.parametrize(
    ("amount", "shares", "unit", "parts"),
    [
        (30_300, 3, 1, [10_100, 10_100, 10_100]),
        (1000, 3, 1, [334, 333, 333]),
        (1000, 3, 100, [400, 300, 300]),
        (1070, 3, 100, [470, 300, 300]),
        (1170, 3, 100, [470, 400, 300]),
        (70, 2, 100, [70, 0]),
        (0, 2, 1, [0, 0]),
        (1234, 1, 100, [1234]),
    ],
)
def test_share(amount, shares, unit, parts):
    assert share(amount, shares, unit=unit) == parts


def test_shares_add_up_always():
    for amount, shares, unit in product(range(60), range(1, 6), (1, 2, 7, 10)):
        parts = share(amount, shares, unit=unit)
        assert sum(parts) == amount
        assert parts == sorted(parts, reverse=True)


@pytest.mark.parametrize(
    ("amount", "basis_points", "most", "unit", "taken"),
    [(3000, 500, None, 1, 150), (3000, 500, 100, 1, 100), (3999, 250, None, 1, 99), (3999, 250, None, 50, 50), (10, 10_000, None, 1, 10)],
)
def test_rake(amount, basis_points, most, unit, taken):
    assert rake(amount, basis_points=basis_points, most=most, unit=unit) == taken
