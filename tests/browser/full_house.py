"""A house in which every page has something to show: a swing shift audited and reconciled, a sealed grave, a day shift under way."""

from __future__ import annotations

import json
from datetime import time, timedelta
from typing import Any
from uuid import uuid4

import tables.tasks  # noqa: F401 - the handlers of jobs
from audit import cases
from audit.looking import look
from audit.models import Finding
from casino.alarms import raise_alarm
from casino.api_tokens import make_token
from casino.models import StepUpFailure
from casino.money import Minor
from tables.models import Round, Shift
from tables.paytable_files import published
from tables.services import boxes, chip_slips, chips, counts, floor, paytable_drafts, paytables, placements
from tables.services.import_files import ask_import, run_import
from tables.services.replay import ask_replay
from tables.slips import CountSlip
from tests.audit.signing import hire, reconciled, run_jobs
from tests.builders import BANKROLL, House, end_night, felt_code, fill, play, slip
from tests.corrections import correct, deal, propose, void
from tests.ledger.test_sealing import seal

SECRET = "a long enough one 17"


def full_house(house: House) -> House:
    """Return `house` after one night and into the next; `house.shift` stays the night that ended. All through the services."""
    hire(house, "AU-2", "auditor")
    _swing(house)
    seal(_quiet_grave(house))
    house.running = _running(house)  # type: ignore[attr-defined]
    _workshop(house)
    raise_alarm("job_stuck", "full-house", "Reconciling the swing shift has not moved for an hour.")
    raise_alarm("slip_waits", "full-house-slip", "Fill 2 of UTH-01 waits for 20 minutes.", pit="P1")
    StepUpFailure.objects.create(user=house.people["SM-1"], at=house.clock)
    make_token(house.people["FS-1"], "table system", house.clock.date() + timedelta(days=90), at=house.clock, by=house.people["AD-1"])
    return house


def _swing(house: House) -> None:
    people = house.people
    deal(house, done={"1": {"play": {"paid": 4500}}}, patrons={"1": "P-20931"})
    void(house, deal(house))
    correct(house, deal(house), done={"1": {"ante": {"paid": 1500}}})
    deal(house, irregular={"reason": "2x before the flop"}, done=_nothing())
    play(house, "UTH-02", done={"1": {"trips": {"paid": 2000}}})
    play(house, "PAY-01")
    session = house.sessions["UTH-01"]
    fill(session, CountSlip({500: 100}), at=house.tick(), requested_by=people["FS-1"], issued_by=people["CG-1"], received_by=people["PB-1"])
    chips.buy_in(session, Minor(30_000), at=house.tick(), by=people["FS-1"], patron="P-20931")
    job = ask_import(json.dumps(slip(house)).encode(), name="late.ndjson", by=people["PB-1"])
    run_import(job, lambda *_: None, at=house.clock)
    end_night(house, closers={"UTH-01": -5000}, drops={"PAY-01": 1000})
    reconciled(house)
    counts.propose_recount(house.sessions["PAY-01"], "closer", reason="A stack was counted twice.", at=house.tick(), by=people["SM-1"], uuid=uuid4())
    finding = Finding.objects.filter(round__isnull=False, session__table__pit__code="P1").order_by("pk")[0]
    cases.assign(finding, people["PB-1"], by=people["AU-1"], note="Look at the video of 20:01.")
    look(house.property, house.shift.gaming_day)
    ask_replay(house.shift, by=people["AU-1"], paytable=paytables.read_paytable(_flush("1:1")))
    run_jobs("replay_shift")


def _nothing() -> dict[str, Any]:
    spots = {"1": ("ante", "blind", "trips", "play"), "2": ("ante", "blind")}
    return {seat: {kind: {"collected": 0, "paid": 0} for kind in kinds} for seat, kinds in spots.items()}


def _quiet_grave(house: House) -> Shift:
    """Return the grave shift, in which nothing happened, ended."""
    house.clock = max(house.clock, house.shift.ends_at)
    by, day = house.people["SM-1"], house.shift.gaming_day
    shift = floor.open_shift(house.property, day, "grave", starts=time(4), ends=time(6), at=house.tick(), by=by)
    floor.end_shift(shift, at=house.tick(), by=by)
    return Shift.objects.select_related("property").get(pk=shift.pk)


def _running(house: House) -> Shift:
    """Return the day shift: UTH-01 is played, UTH-02 is closed with its box pulled, PAY-01 is not open yet."""
    people, day = house.people, house.shift.gaming_day + timedelta(days=1)
    house.clock += timedelta(hours=2)
    opened = floor.open_shift(house.property, day, "day", starts=time(6), ends=time(14), at=house.tick(), by=people["SM-1"])
    running = Shift.objects.select_related("property").get(pk=opened.pk)
    for code in ("UTH-01", "UTH-02"):
        boss = people["PB-1" if code == "UTH-01" else "PB-2"]
        count, felt = CountSlip(BANKROLL, note="as counted"), felt_code(house.tables[code], house.clock)
        floor.open_session(running, house.tables[code], count, felt_code=felt, at=house.tick(), by=boss, witness=people["SM-1"])
    sessions = {one.table.code: one for one in running.sessions.select_related("table__property", "table__pit", "shift__property")}
    house.sessions_now = sessions  # type: ignore[attr-defined]
    propose(house, deal(house))
    deal(house, done={"1": {"trips": {"paid": 2000}}})
    chip_slips.request_fill(sessions["UTH-01"], CountSlip({500: 40}), at=house.tick(), by=people["FS-1"], uuid=uuid4())
    marker = {"patron": "P-20931", "instrument": "M-1001", "uuid": uuid4()}
    chips.issue_marker(sessions["UTH-01"], Minor(50_000), at=house.tick(), by=people["FS-1"], **marker)
    chips.cash_out(house.property, Minor(20_000), at=house.tick(), by=people["CG-1"], uuid=uuid4(), patron="P-20931")
    closing = sessions["UTH-02"]
    floor.close_session(closing, CountSlip(BANKROLL), at=house.tick(), by=people["PB-2"], witness=people["SM-1"])
    boxes.pull_box(closing, box="B-9", seal="S-9", at=house.tick(), by=people["PB-2"], carrier=people["CT-1"])
    return running


def _flush(odds: str) -> dict[str, Any]:
    content = json.loads(published()["uth-seed@1"].canonical)
    content["odds"]["blind"]["flush"] = odds
    return {**content, "name": "house", "version": 2}


def _workshop(house: House) -> None:
    manager, auditor = house.people["GM-1"], house.people["AU-1"]
    version = paytables.publish_paytable(_flush("1:1"), proposed_by=manager, approved_by=auditor, approval="GC-2")
    draft = paytable_drafts.draft_paytable({**_flush("2:1"), "version": 3}, by=manager)
    paytables.propose(draft, by=manager)
    placements.propose_in_force(house.tables["UTH-02"], version, from_at=house.clock + timedelta(days=400), at=house.clock, by=manager)


def opened_round(house: House) -> Round:
    """Return the newest round of the shift under way that nobody proposed to change."""
    return Round.objects.filter(session__shift=house.running, proposals__isnull=True).order_by("-pk")[0]  # type: ignore[attr-defined]
