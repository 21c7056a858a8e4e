"""The audit recomputes most rounds together: it must leave aside no round in which anything is to be found, and take few others."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from audit import selectors
from audit.kept_columns import kept_rounds
from audit.second_opinion import wants_second_opinion
from audit.services import audit_payouts
from audit.sieve import KeptRounds, to_look_at
from tables.engine import batch_uth
from tables.engine.games.ultimate_texas_holdem import GAME
from tables.models import Round, Wager
from tables.paytable_files import published
from tests.builders import House, play, uuid
from tests.engine.test_batch_uth import columns, random_round

pytestmark = pytest.mark.django_db
QUIET = uuid(100 * 7 + 1)
"""A uuid that is not one of the hundred which want a second opinion."""


def kept(house: House, chunk: int = 20_000) -> list[KeptRounds]:
    return list(kept_rounds([house.shift.pk], "uth", batch_uth.KINDS, seats=batch_uth.SEATS, packed=batch_uth.PACKED, chunk=chunk))


def looked_at(house: House) -> set[int]:
    return {key for _, keys in selectors.rounds_to_look_at(house.shift, {}) for key in keys}


def test_rounds_are_read_as_they_were_kept(house: House) -> None:
    dice = random.Random(3)
    played = [play(house, facts=random_round(dice)) for _ in range(12)]
    for chunk in (5, 20_000):
        parts = kept(house, chunk)
        assert sum(len(part.key) for part in parts) == len(played)
        for part in parts:
            for place, key in enumerate(part.key.tolist()):
                check_round(Round.objects.get(pk=key), part, place)


def check_round(played: Round, part: KeptRounds, place: int) -> None:
    stakes, nets = np.zeros((4, 7), np.int64), np.zeros((4, 7), np.int64)
    for wager in Wager.objects.filter(round=played, gaming_day=played.gaming_day):
        at = batch_uth.KINDS.index(wager.kind), wager.seat - 1
        stakes[at], nets[at] = wager.stake, wager.pay - wager.collect
    assert (part.stakes[..., place] == stakes).all()
    assert (part.nets[..., place] == nets).all()
    assert bytes(part.cards[:, place]) == bytes(played.cards)
    assert int(part.uuid[0, place]) << 64 | int(part.uuid[1, place]) == played.uuid.int
    assert (part.paytable[place], part.odd[place]) == (played.paytable_id, False)


def test_a_night_without_errors_is_left_aside_but_for_second_opinions(house: House) -> None:
    dice = random.Random(4)
    played = [play(house, facts=random_round(dice)) for _ in range(30)]
    paytable = published()["uth-seed@1"]
    wanted = set()
    for number, one in enumerate(played):
        dues = GAME.settle(GAME.read(selectors.facts_of(one), paytable), paytable).dues
        if wants_second_opinion(one.uuid, dues):
            wanted.add(one.pk)
        assert number < 30
    assert looked_at(house) == wanted
    assert len(wanted) < 20
    assert audit_payouts(house.shift) == []


@pytest.mark.parametrize(
    "more",
    [
        {"done": {"1": {"ante": {"paid": 2000}}}},
        {"done": {"1": {"trips": {"collected": 0}}}},
        {"done": {"2": {"blind": {"collected": 0}}}},
        {"mispaid": [{"seat": 1, "wager": "ante", "status": "corrected", "first": {"collected": 0, "paid": 1500}, "note": "back"}]},
        {"uuid": str(uuid(100 * 7))},
    ],
)
def test_what_is_off_in_any_way_is_looked_at(house: House, more: dict[str, Any]) -> None:
    quiet = play(house, uuid=str(QUIET))
    off = play(house, **{"uuid": str(uuid(100 * 9 + 2)), **more})
    assert looked_at(house) == {off.pk}
    assert quiet.pk != off.pk


def test_games_without_a_batch_by_cards_are_all_looked_at(house: House) -> None:
    pot = play(house, table="PAY-01")
    play(house, uuid=str(QUIET))
    assert looked_at(house) == {pot.pk}


def test_a_changed_card_stake_or_due_does_not_pass() -> None:
    """Any one figure of a kept round changed: the batch says otherwise, or it is the same round by the rules."""
    dice = random.Random(5)
    paytable = published()["uth-seed@1"]
    deals = [GAME.read(random_round(dice), paytable) for _ in range(200)]
    cards, stakes = columns(deals)
    dues = batch_uth.settle(cards, stakes, paytable)
    nothing = np.zeros(len(deals), np.bool_)
    uuids = np.ones((2, len(deals)), np.uint64)
    rounds = KeptRounds(np.arange(len(deals)), np.full(len(deals), 9), uuids, cards, stakes, dues.pay - dues.collect, nothing)
    plain = to_look_at(rounds, {9: paytable}, batch_uth)
    big = ((stakes > 0) & (dues.pay >= 10 * stakes)).any(axis=(0, 1))
    assert (plain == big).all()
    nets = rounds.nets.copy()
    for place in range(len(deals)):
        there = np.argwhere(stakes[..., place] > 0)
        nets[(*dice.choice(there.tolist()), place)] += dice.choice([-1, 1, 500])
    assert to_look_at(rounds._replace(nets=nets), {9: paytable}, batch_uth).all()
    assert to_look_at(rounds._replace(odd=~nothing), {}, batch_uth).all()


def test_one_in_a_hundred_is_that_of_the_second_opinion() -> None:
    dice = random.Random(6)
    numbers = [dice.getrandbits(128) for _ in range(3000)] + [100 * number for number in range(50)]
    halves = np.array([[number >> 64 for number in numbers], [number & (2**64 - 1) for number in numbers]], np.uint64)
    count = len(numbers)
    nothing = np.zeros((4, 7, count), np.int64)
    cards = np.full((21, count), 255, np.uint8)
    rounds = KeptRounds(np.arange(count), np.ones(count, np.int64), halves, cards, nothing, nothing, np.zeros(count, np.bool_))
    found = to_look_at(rounds, {1: published()["uth-seed@1"]}, batch_uth)
    assert found.tolist() == [wants_second_opinion(uuid(number), ()) for number in numbers]
