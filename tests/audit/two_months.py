"""A night of March that is signed and sealed, and one of April in which late facts of it were posted; archived by the commands."""

from __future__ import annotations

import io
from datetime import date, time, timedelta
from pathlib import Path

from django.core.management import call_command

from casino.money import Minor
from tables.models import Round, Shift, TableSession
from tables.selectors import last_closer
from tables.services import chips, floor
from tables.services.correction_decisions import approve_proposal
from tables.services.corrections import propose_late_round
from tests.audit.signing import hire, sign_and_seal
from tests.builders import House, end_night, open_table, play, slip
from tests.corrections import correct

APRIL = date(2026, 4, 1)


def fresh(session: TableSession) -> TableSession:
    return TableSession.objects.select_related("shift__property", "table__property", "table__pit").get(pk=session.pk)


def first_of_april(house: House) -> None:
    """Open the swing shift of April 1, with UTH-01 open."""
    house.march, house.evening = house.shift, house.sessions  # type: ignore[attr-defined]
    house.clock += APRIL - house.shift.gaming_day
    shift = floor.open_shift(house.property, APRIL, "swing", starts=time(20), ends=time(4), at=house.tick(), by=house.people["SM-1"])
    house.shift = Shift.objects.select_related("property").get(pk=shift.pk)
    opener = {1: last_closer(house.tables["UTH-01"]).total}
    house.sessions = {"UTH-01": open_table(house.shift, house.tables["UTH-01"], house.people, opener, at=house.tick())}


def add_late(house: House) -> Round:
    """Return a round of March that was never entered, posted in April."""
    session = fresh(house.evening["UTH-01"])  # type: ignore[attr-defined]
    raw = slip(house, occurred_at=(session.shift.starts_at + timedelta(minutes=1)).isoformat())
    proposal = propose_late_round(session, raw, reason="not_entered", by=house.people["PB-1"], at=house.tick())
    made = approve_proposal(proposal, by=house.people["AU-2"], at=house.tick()).made
    assert made is not None
    return made


def two_months(house: House) -> House:
    """Return the house: March 14 signed and sealed, chips issued on March 20; on April 1 a round, and a late one and a late correction of March."""
    wrong = play(house, done={"1": {"ante": {"paid": 1500}}}, mispaid=[{"seat": 1, "wager": "ante", "status": "not_recovered", "note": "he left"}])
    house.kept = play(house, "PAY-01")  # type: ignore[attr-defined]
    end_night(house)
    hire(house, "AU-2", "auditor")
    sign_and_seal(house)
    chips.issue_chips(house.property, Minor(1_000_000), at=house.clock + timedelta(days=6), by=house.people["CG-1"])
    first_of_april(house)
    house.late = add_late(house)  # type: ignore[attr-defined]
    correct(house, wrong, by="PB-1", approver="AU-2", done={}, mispaid=[])
    play(house)
    return house


def close_april(house: House) -> None:
    end_night(house)
    sign_and_seal(house)


def archive(folder: Path, month: str = "2026-03") -> None:
    call_command("archive_month", month, out=folder, stdout=io.StringIO())


def restore(folder: Path, month: str = "2026-03") -> None:
    call_command("restore_month", month, folder=folder, stdout=io.StringIO())
