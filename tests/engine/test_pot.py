"""Layers of a pot: who can win what, what is returned, where the rake is taken."""

from hypothesis import given
from hypothesis import strategies as st

from tables.engine.pot import Holder, pot_layers, settle_pot


def holder(seat, bet, key, antes=100):
    return Holder(seat, antes, bet, key)


def settled(*holders, rake_bps=0, rake_cap=None, unit=1):
    pot = settle_pot(holders, rake_bps=rake_bps, rake_cap=rake_cap, unit=unit)
    won = {one.seat: 0 for one in holders}
    for share in pot.shares:
        won[share.seat] += share.amount
    return pot, won


def test_one_layer_goes_to_the_best_live_hand():
    pot, won = settled(holder(1, 500, 7), holder(2, 500, 9), holder(3, 200, None))
    assert (pot.amount, won) == (1500, {1: 0, 2: 1500, 3: 0})


def test_layers_are_cut_at_live_bets_and_folded_money_fills_them_from_below():
    layers = pot_layers([holder(1, 100, 9), holder(2, 300, 5), holder(3, 300, 4), holder(4, 250, None)])
    assert [layer.amount for layer in layers] == [400 + 400, 200 + 200 + 150]
    assert [[one.seat for one in layer.reaching] for layer in layers] == [[1, 2, 3], [2, 3]]


def test_a_live_bet_of_nothing_makes_a_layer_of_antes():
    pot, won = settled(holder(1, 0, 9), holder(2, 300, 5), holder(3, 300, 4))
    assert [share.amount for share in pot.shares] == [300, 600]
    assert won == {1: 300, 2: 600, 3: 0}


def test_what_nobody_met_is_returned_and_not_raked():
    pot, won = settled(holder(1, 100, 9), holder(2, 500, 5), rake_bps=1000)
    assert (pot.amount, pot.rake) == (800, 40)
    assert won == {1: 360, 2: 400}
    assert [share.returned for share in pot.shares] == [False, True]


def test_folded_money_in_a_layer_makes_it_a_won_one():
    pot, _ = settled(holder(1, 100, 9), holder(2, 500, 5), holder(3, 150, None), rake_bps=1000)
    assert [share.returned for share in pot.shares] == [False, False]
    assert pot.rake == (300 + 300 + 450) * 1000 // 10_000


def test_the_last_hand_takes_all_and_nothing_of_it_is_returned():
    pot, won = settled(holder(1, 500, 3), holder(2, 100, None), rake_bps=500)
    assert (pot.rake, won[1]) == (40, 760)


def test_the_rake_leaves_the_first_layer_first():
    pot, won = settled(holder(1, 0, 9), holder(2, 900, 5), holder(3, 900, 4), rake_bps=2500)
    assert pot.rake == 525
    assert [share.amount for share in pot.shares] == [0, 1575]
    assert won == {1: 0, 2: 1575, 3: 0}


def test_equal_hands_share_every_layer_by_units_from_the_first():
    pot, won = settled(holder(5, 130, 9), holder(1, 130, 9), holder(2, 130, 4), unit=50)
    assert pot.amount == 690
    assert won == {5: 390, 1: 300, 2: 0}


@given(
    st.lists(st.tuples(st.integers(0, 900), st.none() | st.integers(1, 3)), min_size=2, max_size=8).filter(
        lambda seats: any(key is not None for _, key in seats)
    ),
    st.integers(0, 10_000),
    st.none() | st.integers(0, 500),
    st.sampled_from([1, 7, 50]),
)
def test_paid_out_plus_rake_is_paid_in(seats, rake_bps, rake_cap, unit):
    holders = [holder(number, bet, key) for number, (bet, key) in enumerate(seats, start=1)]
    pot, won = settled(*holders, rake_bps=rake_bps, rake_cap=rake_cap, unit=unit)
    assert sum(won.values()) + pot.rake == pot.amount == sum(one.antes + one.bet for one in holders)
    assert pot.rake % unit == 0
    assert all(amount >= 0 for amount in won.values())
    assert all(won[one.seat] == 0 for one in holders if one.key is None)
