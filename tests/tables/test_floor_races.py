"""Two people at once: two closings, one fill received twice, a double click, numbers of slips. Each has one effect."""

from __future__ import annotations

import threading
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import connections

from casino.errors import CasinoError
from casino.models import User
from ledger.models import Entry
from tables.models import ChipMovement, ChipSlip, TableSession, TrayCount
from tables.services import chip_slips, chips, floor
from tables.slips import CountSlip
from tests.builders import BANKROLL, House, standing_house, uuid

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*verbs: Callable[[], object]) -> list[str]:
    """Run `verbs` in threads that begin together; return "done" or the code of the refusal, of each."""
    start, ended = threading.Barrier(len(verbs)), [""] * len(verbs)

    def run(place: int, verb: Callable[[], object]) -> None:
        try:
            start.wait(20)
            verb()
            ended[place] = "done"
        except CasinoError as error:
            ended[place] = error.code
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place, verb)) for place, verb in enumerate(verbs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return ended


def people(*numbers: str) -> list[User]:
    return [User.objects.get(username=number) for number in numbers]


def test_two_closings_are_one(house: House) -> None:
    session, (boss, supervisor, manager) = house.sessions["UTH-01"], people("PB-1", "FS-1", "SM-1")
    session = TableSession.objects.select_related("shift", "table__pit", "table__property").get(pk=session.pk)
    at = house.tick()
    ended = at_once(
        lambda: floor.close_session(session, CountSlip(BANKROLL), at=at, by=boss, witness=manager),
        lambda: floor.close_session(session, CountSlip({1: 1}), at=at, by=supervisor, witness=manager),
    )
    assert sorted(ended) == ["done", "session_closed"]
    assert TrayCount.objects.filter(session=session, kind="closer").count() == 1


def test_a_fill_is_received_once(house: House) -> None:
    session, (asks, cage, boss, other) = house.sessions["UTH-01"], people("FS-1", "CG-1", "PB-1", "FS-2")
    slip = chip_slips.request_fill(session, CountSlip({2500: 8}), at=house.tick(), by=asks, uuid=uuid4())
    chip_slips.issue_fill(slip, at=house.tick(), by=cage)
    at = house.tick()
    twins = [ChipSlip.objects.select_related("session__shift", "session__table__property", "session__table__pit").get(pk=slip.pk) for _ in range(3)]
    ended = at_once(*(lambda s=s, by=by: chip_slips.receive_slip(s, at=at, by=by) for s, by in zip(twins, (boss, boss, other), strict=True)))
    assert ended.count("done") in (1, 2)  # the same person twice is done twice, and once in the books
    assert ended.count("done") + ended.count("slip_done") == 3
    assert (ChipMovement.objects.count(), Entry.objects.filter(kind="fill").count()) == (1, 1)


def test_a_double_click_is_one_movement_and_slips_have_no_gaps(house: House) -> None:
    session, (by,) = house.sessions["UTH-01"], people("FS-1")
    at = house.tick()
    ended = at_once(*(lambda: chips.buy_in(session, 10_000, at=at, by=by, uuid=uuid(9)) for _ in range(3)))
    assert ended == ["done"] * 3
    assert ChipMovement.objects.count() == 1
    keys = [uuid(20), uuid(21), uuid(22), uuid(22)]
    ended = at_once(*(lambda key=key: chip_slips.request_fill(session, CountSlip({100: 1}), at=at, by=by, uuid=key) for key in keys))
    assert ended == ["done"] * 4
    assert sorted(ChipSlip.objects.values_list("number", flat=True)) == [1, 2, 3]


def test_two_openings_are_one(house: House) -> None:
    from tests.builders import felt_code

    house = standing_house()
    session, (boss, supervisor, manager) = house.sessions["UTH-01"], people("PB-1", "FS-1", "SM-1")
    floor.close_session(session, CountSlip(BANKROLL), at=house.tick(), by=boss, witness=manager)
    at = house.tick()
    code = felt_code(house.tables["UTH-01"], at)
    ended = at_once(
        *(
            lambda by=by: floor.open_session(house.shift, house.tables["UTH-01"], CountSlip(BANKROLL), felt_code=code, at=at, by=by)
            for by in (boss, supervisor)
        )
    )
    assert sorted(ended) == ["done", "session_open"]
