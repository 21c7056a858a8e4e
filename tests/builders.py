"""Rows for tests, built through the real services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from casino import people
from casino.gaming_day import local_moment
from casino.models import User
from casino.money import Minor
from tables.engine.game import games
from tables.models import ChipMovement, Dealer, DropCount, Pit, Property, Round, Shift, Table, TableSession
from tables.paytable_files import published
from tables.selectors import last_closer, session_state, version_in_force
from tables.services import boxes, chip_slips, chips, counts, floor, paytables
from tables.services.rounds import record_round
from tables.short_code import short_code
from tables.slips import CountSlip, read_round_slip

DAY = date(2026, 3, 14)
ZONE = "America/Los_Angeles"
OPENED = local_moment(DAY, time(20), ZONE, time(6))
BANKROLL = {100_00: 20, 25_00: 80, 5_00: 200, 1_00: 100}
"""5,100.00 in a tray: pieces by value in cents."""

_PEOPLE = {
    "PB-1": ("pit_boss", ["P1"]),
    "PB-2": ("pit_boss", ["P2"]),
    "FS-1": ("supervisor", ["P1"]),
    "FS-2": ("supervisor", ["P1"]),
    "SM-1": ("shift_manager", None),
    "CG-1": ("cage", None),
    "CT-1": ("count_team", None),
    "CT-2": ("count_team", None),
    "SV-1": ("surveillance", None),
    "GM-1": ("games_manager", None),
}


@dataclass
class House:
    """A house with its people, two pits, three tables, an open swing shift and open sessions."""

    property: Property
    people: dict[str, User]
    tables: dict[str, Table]
    dealers: dict[str, Dealer]
    shift: Shift
    sessions: dict[str, TableSession]
    clock: datetime
    labels: Any = field(default_factory=lambda: count(1))

    def tick(self, seconds: int = 60) -> datetime:
        """Return the next moment of this night."""
        self.clock += timedelta(seconds=seconds)
        return self.clock


def make_people() -> dict[str, User]:
    """Return one person a role and more, by staff number, without passwords; the first administrator is AD-1, the first auditor AU-1."""
    administrator, auditor = people.set_up(("AD-1", None), ("AU-1", None))
    staff = {"AD-1": administrator, "AU-1": auditor}
    for number, (role, pits) in _PEOPLE.items():
        person = people.hire(number, f"Person {number}", None, by=administrator)
        people.grant_role(person, role, by=administrator, pits=pits)
        if role in {"pit_boss", "shift_manager"}:
            people.review_role(person, role, by=auditor)
        staff[number] = person
    return staff


def standing_house() -> House:
    """Return the house that stands in every test's database: every table open since 20:00 on DAY, nothing played."""
    staff = {person.username: person for person in User.objects.all()}
    house = Property.objects.get(code="CASINO")
    tables = {table.code: table for table in Table.objects.filter(property=house).select_related("property", "pit")}
    sessions = {
        session.table.code: session
        for session in TableSession.objects.filter(table__property=house).select_related("shift__property", "table__property", "table__pit")
    }
    dealers = {dealer.code: dealer for dealer in Dealer.objects.filter(property=house)}
    return House(house, staff, tables, dealers, Shift.objects.select_related("property").get(property=house, kind="swing"), sessions, OPENED)


def make_house(
    code: str,
    tables: Mapping[str, tuple[str, str]],
    *,
    staff: Mapping[str, User],
    currency: str = "USD",
    exponent: int = 2,
    zone: str = ZONE,
    writes: str = "point",
    day: date = DAY,
) -> House:
    """Return a new house with every table open since 20:00 on `day`. `tables`: game and pit (P1, P2) by code."""
    house = floor.make_property(code, f"Casino {code}", zone=zone, currency=currency, exponent=exponent, writes=writes, by=staff["GM-1"])
    pits = {pit: Pit.objects.create(property=house, code=pit, name=f"Pit {pit}") for pit in ("P1", "P2")}
    dealers = {dealer: Dealer.objects.create(property=house, code=dealer) for dealer in ("D-1187", "D-1042")}
    opened = local_moment(day, time(20), zone, time(6))
    before = opened - timedelta(hours=2)
    chips.issue_chips(house, Minor(100_000_000), at=before, by=staff["CG-1"])
    made = {name: _make_table(house, pits[pit], name, game, staff, before) for name, (game, pit) in tables.items()}
    shift = floor.open_shift(house, day, "swing", starts=time(20), ends=time(4), at=opened, by=staff["SM-1"])
    sessions = {name: open_table(shift, table, staff) for name, table in made.items()}
    return House(house, dict(staff), made, dealers, shift, sessions, opened)


def build_standing_house() -> None:
    """Make the people and the house that every test's database begins with."""
    make_house("CASINO", {"UTH-01": ("uth", "P1"), "UTH-02": ("uth", "P2"), "PAY-01": ("payroll", "P1")}, staff=make_people())


def _make_table(house: Property, pit: Pit, code: str, game: str, staff: Mapping[str, User], at: datetime) -> Table:
    table = floor.make_table(pit, code, game, by=staff["GM-1"])
    content = published()[games()[game].default_paytable].content
    version = paytables.publish_paytable(content, proposed_by=staff["GM-1"], approved_by=staff["AU-1"], approval="TEST-1")
    paytables.put_in_force(table, version, from_at=at, by=staff["GM-1"], approved_by=staff["AU-1"])
    chips.stock_tray(table, CountSlip(BANKROLL).total, at=at, by=staff["CG-1"])
    return table


def open_table(
    shift: Shift, table: Table, staff: Mapping[str, User], opener: Mapping[int, int] | None = None, at: datetime | None = None
) -> TableSession:
    """Return the open session of `table`, its opener counted as the bankroll unless told otherwise."""
    by = staff["PB-1"] if table.pit.code == "P1" else staff["PB-2"]
    as_usual = opener is None and last_closer(table) is None
    count = CountSlip(opener or BANKROLL, note="" if as_usual else "as it was counted")
    at = at or shift.starts_at
    return floor.open_session(shift, table, count, felt_code=felt_code(table, at), at=at, by=by, witness=staff["SM-1"])


def felt_code(table: Table, at: datetime) -> str:
    """Return the short code of the version in force at `table`: what stands on the felt."""
    return short_code(version_in_force(table, at).sha256)


def fill(
    session: TableSession, count: CountSlip, *, at: datetime, requested_by: User, issued_by: User, received_by: User, uuid: UUID | None = None
) -> ChipMovement:
    """Return a fill that three people have signed."""
    slip = chip_slips.request_fill(session, count, at=at, by=requested_by, uuid=uuid or uuid4())
    chip_slips.issue_fill(slip, at=at, by=issued_by)
    return chip_slips.receive_slip(slip, at=at, by=received_by)


def chip_credit(
    session: TableSession, count: CountSlip, *, at: datetime, requested_by: User, sent_by: User, received_by: User, uuid: UUID | None = None
) -> ChipMovement:
    """Return a chip credit that three people have signed."""
    slip = chip_slips.request_chip_credit(session, count, at=at, by=requested_by, uuid=uuid or uuid4())
    chip_slips.send_chip_credit(slip, at=at, by=sent_by)
    return chip_slips.receive_slip(slip, at=at, by=received_by)


def drop(session: TableSession, house: House, count: CountSlip | boxes.DropSlip, *, box: str = "B", seal: str = "S-1", **found: str) -> DropCount:
    """Return the count of the session's box, pulled by a pit boss and the count team; `found`: box or seal as counted."""
    staff = house.people
    by = staff["PB-1"] if session.table.pit.code == "P1" else staff["PB-2"]
    boxes.pull_box(session, box=box, seal=seal, at=house.tick(), by=by, carrier=staff["CT-1"])
    return boxes.count_drop(session, count, **{"box": box, "seal": seal, **found}, at=house.tick(), by=staff["CT-1"], witness=staff["CT-2"])


def recount(house: House, code: str, kind: str, total: int) -> None:
    """Count the opener, closer or drop of the table's session once more: proposed by SM-1, approved by AU-1, counted by two."""
    staff, session = house.people, house.sessions[code]
    reopening = counts.propose_recount(session, kind, reason="counted too fast", at=house.tick(), by=staff["SM-1"], uuid=uuid4())
    counts.approve_recount(reopening, at=house.tick(), by=staff["AU-1"])
    if kind == "drop":
        pull = session.box
        who = {"by": staff["CT-1"], "witness": staff["CT-2"]}
        boxes.count_drop(session, CountSlip({1: total}), box=pull.box, seal=pull.seal, at=house.tick(), **who)
    else:
        counts.recount_tray(reopening, CountSlip({1: total}), at=house.tick(), by=staff["PB-1"], witness=staff["FS-1"])


UTH_ROUND = {
    "community": ["2h", "9s", "9d", "Jc", "Qh"],
    "dealer": ["Kc", "7d"],
    "seats": [
        {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 1000, "trips": 500, "play": 4000, "street": "preflop"},
        {"seat": 2, "ante": 1000, "blind": 1000, "folded": True},
    ],
}
PAYROLL_ROUND = {
    "button": 2,
    "ante": 100,
    "seats": [
        {"seat": 1, "up": "8h", "rolls": [2], "kept": ["8h", "8c", "5d"], "discarded": [], "bet": 500},
        {"seat": 2, "up": "7h", "rolls": [3, 2], "kept": ["7h", "7c", "7d", "7s", "Ah"], "discarded": ["2c"], "bet": 500},
    ],
}


def slip(house: House, table: str = "UTH-01", facts: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a raw slip of a round at `table`; `more` replaces or adds its keys."""
    game = house.tables[table].game
    label = f"{table}-{next(house.labels):06d}"
    default = UTH_ROUND if game == "uth" else PAYROLL_ROUND
    raw = {
        "uuid": str(uuid4()),
        "table": table,
        "occurred_at": house.tick().isoformat(),
        "dealer": "D-1187",
        "round": {"game": game, "id": label, **(facts or default)},
    }
    return {**raw, **more}


def play(house: House, table: str = "UTH-01", facts: Mapping[str, Any] | None = None, **more: Any) -> Round:
    """Return a round recorded by the table's pit boss."""
    by = house.people["PB-1"] if house.tables[table].pit.code == "P1" else house.people["PB-2"]
    raw = slip(house, table, facts, **more)
    return record_round(read_round_slip(raw), by=by, at=house.clock)


def end_night(house: House, *, closers: Mapping[str, int] | None = None, drops: Mapping[str, int] | None = None, seal: str = "S-1") -> None:
    """Close every table with the closer its books expect (plus `closers`' difference), count its box (plus `drops`'), end the shift."""
    from audit.selectors import movements_of_shift, tray_counts

    moved, opened = movements_of_shift(house.shift), tray_counts(house.shift)
    for code, session in house.sessions.items():
        if session_state(session) != "open":
            continue
        by = house.people["PB-1"] if house.tables[code].pit.code == "P1" else house.people["PB-2"]
        sums = moved[session.pk]
        closer = opened[session.pk]["opener"] + sums.tray_change + (closers or {}).get(code, 0)
        floor.close_session(session, CountSlip({1: closer}), at=house.tick(), by=by, witness=house.people["SM-1"])
        drop(session, house, CountSlip({1: sums.expected_drop + (drops or {}).get(code, 0)}), box=f"B-{code}", seal=seal)
    floor.end_shift(house.shift, at=house.tick(), by=house.people["SM-1"])


def utc(text: str) -> datetime:
    """Return the aware moment of ISO `text`, UTC where it names no offset."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def uuid(number: int) -> UUID:
    """Return a UUID that a test can say again."""
    return UUID(int=number)
