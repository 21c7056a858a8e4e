"""Every step of a table's night, tried in every state that the night goes through: done where it is its turn, refused with its reason where not.

A refusal leaves the books and every row as they were. Source: spec/night.md, "Life of a table".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import time
from typing import Any
from uuid import uuid4

import pytest

from audit.models import Explanation, Finding, ShiftReconciliation, Signature
from audit.selectors import latest_reconciliation
from audit.services import audit_payouts, reconcile_shift
from audit.signing import explain, sign
from casino.errors import CasinoError
from casino.money import Minor
from ledger.models import Entry
from tables.models import BoxPull, ChipMovement, ChipSlip, CountReopening, DealerTurn, DropCount, Round, RoundProposal, Shift, TableSession, TrayCount
from tables.services import boxes, chip_slips, chips, counts, floor
from tables.services.corrections import propose_void
from tables.services.rounds import record_round
from tables.slips import CountSlip, read_round_slip
from tests.audit.signing import hire, print_of
from tests.builders import BANKROLL, House, felt_code, play, slip

pytestmark = pytest.mark.django_db
KEPT = (
    BoxPull, ChipMovement, ChipSlip, CountReopening, DealerTurn, DropCount, Round, RoundProposal, Shift, TableSession, TrayCount, Entry,
    Explanation, Finding, ShiftReconciliation, Signature,
)  # fmt: skip
STATES = ("open", "closed", "pulled", "counted", "ended", "reconciled", "signed once", "signed")
"""The states of a night, each reached from the one before: of UTH-01, then of the shift."""
SHORT = 500
"""The tray is so many minor units short, so there is something to explain."""


def reach(house: House, state: str) -> None:
    """Take the night to `state`, through the real services."""
    hire(house, "SM-2", "shift_manager")
    play(house)
    ways = (_close, _pull, _count, _end, _reconcile, _sign_once, _sign_again)
    for way, _ in zip(ways, STATES[1 : STATES.index(state) + 1], strict=False):
        way(house)


def _close(house: House) -> None:
    for code, session in house.sessions.items():
        by = house.people["PB-2" if code == "UTH-02" else "PB-1"]
        total = 510_000 - (2_500 + SHORT if code == "UTH-01" else 0)
        floor.close_session(session, CountSlip({1: total}), at=house.tick(), by=by, witness=house.people["SM-1"])


def _pull(house: House) -> None:
    for code, session in house.sessions.items():
        by = house.people["PB-2" if code == "UTH-02" else "PB-1"]
        boxes.pull_box(session, box=f"B-{code}", seal="S", at=house.tick(), by=by, carrier=house.people["CT-1"])


def _count(house: House) -> None:
    for code, session in house.sessions.items():
        who = {"by": house.people["CT-1"], "witness": house.people["CT-2"]}
        boxes.count_drop(session, CountSlip({}), box=f"B-{code}", seal="S", at=house.tick(), **who)


def _end(house: House) -> None:
    floor.end_shift(house.shift, at=house.tick(), by=house.people["SM-1"])


def _reconcile(house: House) -> None:
    from casino.models import Job

    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    Job.objects.update(state=Job.State.DONE)


def _sign_once(house: House) -> None:
    _explain(house)
    _sign(house, "SM-2")


def _sign_again(house: House) -> None:
    _sign(house, "AU-1")


# ---- the steps ----


def _record(house: House) -> Any:
    return record_round(read_round_slip(slip(house)), by=house.people["PB-1"], at=house.clock)


def _buy_in(house: House) -> Any:
    return chips.buy_in(house.sessions["UTH-01"], Minor(1_000), at=house.tick(), by=house.people["FS-1"])


def _request(house: House) -> Any:
    return chip_slips.request_fill(house.sessions["UTH-01"], CountSlip({500: 1}), at=house.tick(), by=house.people["FS-1"], uuid=uuid4())


def _turn(house: House) -> Any:
    return floor.begin_turn(house.sessions["UTH-01"], house.dealers["D-1042"], from_at=house.tick(), by=house.people["FS-1"])


def _close_it(house: House) -> Any:
    who = {"by": house.people["PB-1"], "witness": house.people["SM-1"]}
    return floor.close_session(house.sessions["UTH-01"], CountSlip({1: 507_000}), at=house.tick(), **who)


def _open_again(house: House) -> Any:
    table, at = house.tables["UTH-01"], house.tick()
    opener = CountSlip(BANKROLL, note="as it lies there")
    return floor.open_session(house.shift, table, opener, felt_code=felt_code(table, at), at=at, by=house.people["FS-1"])


def _pull_it(house: House) -> Any:
    people = house.people
    return boxes.pull_box(house.sessions["UTH-01"], box="B-9", seal="S", at=house.tick(), by=people["FS-1"], carrier=people["CT-2"])


def _count_it(house: House) -> Any:
    who = {"by": house.people["CT-1"], "witness": house.people["CT-2"]}
    return boxes.count_drop(house.sessions["UTH-01"], CountSlip({}), box="B-UTH-01", seal="S", at=house.tick(), **who)


def _recount(house: House) -> Any:
    session, by = house.sessions["UTH-01"], house.people["SM-1"]
    return counts.propose_recount(session, "closer", reason="counted too fast", at=house.tick(), by=by, uuid=uuid4())


def _void(house: House) -> Any:
    played = Round.objects.order_by("pk")[0]
    return propose_void(played, reason="misdeal", chips_returned=True, by=house.people["FS-1"], at=house.tick(), uuid=uuid4())


def _end_it(house: House) -> Any:
    return floor.end_shift(house.shift, at=house.tick(), by=house.people["SM-1"])


def _reconcile_it(house: House) -> Any:
    return reconcile_shift(house.shift)


def _explain(house: House) -> Any:
    kept = latest_reconciliation(house.shift)
    shown = print_of(kept) if kept else ""
    return explain(house.shift, house.sessions["UTH-01"], "tray", "It was counted twice.", fingerprint=shown, by=house.people["PB-1"])


def _sign(house: House, who: str = "SM-2") -> Any:
    kept = latest_reconciliation(house.shift)
    return sign(house.shift, fingerprint=print_of(kept) if kept else "", by=house.people[who], at=house.tick())


def _next_shift(house: House) -> Any:
    day, by = house.shift.gaming_day, house.people["SM-1"]
    return floor.open_shift(house.property, day, "swing", starts=time(20), ends=time(4), at=house.tick(), by=by)


STEPS: Mapping[str, Callable[[House], Any]] = {
    "record a round": _record,
    "buy in": _buy_in,
    "request a fill": _request,
    "begin a turn": _turn,
    "close the table": _close_it,
    "open the table": _open_again,
    "pull the box": _pull_it,
    "count the box": _count_it,
    "reopen a count": _recount,
    "void a round": _void,
    "end the shift": _end_it,
    "reconcile": _reconcile_it,
    "explain": _explain,
    "sign": _sign,
    "open the same shift": _next_shift,
}
DONE = ""
_CLOSED, _NO_FIGURES, _ENDED = "session_closed", "not_reconciled", "shift_ended"
TURNS: Mapping[str, list[str]] = {
    "record a round": [DONE, *[_CLOSED] * 7],
    "buy in": [DONE, *[_CLOSED] * 7],
    "request a fill": [DONE, *[_CLOSED] * 7],
    "begin a turn": [DONE, *[_CLOSED] * 7],
    "close the table": [DONE, *[_CLOSED] * 7],
    "open the table": ["session_open", DONE, DONE, DONE, *[_ENDED] * 4],
    "pull the box": ["session_open", DONE, *["pulled"] * 6],
    "count the box": ["session_open", "not_pulled", DONE, *["counted"] * 4, "period_closed"],
    "reopen a count": ["not_counted", *[DONE] * 6, "period_closed"],
    "void a round": [DONE, *["not_allowed"] * 7],
    "end the shift": ["sessions_open", DONE, DONE, DONE, *[_ENDED] * 4],
    "reconcile": [*["shift_open"] * 4, *[DONE] * 4],
    "explain": [*[_NO_FIGURES] * 5, DONE, DONE, "signed"],
    "sign": [*[_NO_FIGURES] * 5, "sign_blocked", "signed_already", "signed"],
    "open the same shift": ["shift_exists"] * 8,
}
"""What each state answers to each step: "" where it is done, else the code of the refusal."""


def rows() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in KEPT}


def test_every_step_has_an_answer_for_every_state() -> None:
    assert set(TURNS) == set(STEPS)
    assert {len(turns) for turns in TURNS.values()} == {len(STATES)}


@pytest.mark.parametrize("state", STATES)
def test_each_step_in_each_state(house: House, state: str) -> None:
    from django.db import transaction

    reach(house, state)
    answers = {}
    for name, step in STEPS.items():
        before = rows()
        try:
            with transaction.atomic():
                step(house)
                transaction.set_rollback(True)
            answers[name] = DONE
        except CasinoError as error:
            answers[name] = error.code
            assert error.message and error.status in (400, 403, 409, 412), name
        assert rows() == before, name
    assert answers == {name: turns[STATES.index(state)] for name, turns in TURNS.items()}
