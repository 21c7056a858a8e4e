"""One swing shift, played through the same services as a person's entry, with ten faults planted from a stated seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from casino.gaming_day import gaming_day
from casino.management.demo.corrections import MISTYPED, TWICE, enter_twice, mistype
from casino.management.demo.faults import PAYROLL_FAULTS, UTH_FAULTS, Fault, deal_for, deal_payroll_for, fault_in
from casino.management.demo.house import BANKROLL, Cast, in_chips
from casino.management.demo.players import Bettor, deal_payroll, deal_uth
from casino.money import Minor
from tables.engine.paytable import Paytable
from tables.models import Shift, Table, TableSession, Wager
from tables.paytable_files import published
from tables.selectors import version_in_force
from tables.services import boxes, chip_slips, chips, floor
from tables.services.boxes import DropSlip
from tables.services.rounds import record_round
from tables.short_code import short_code
from tables.slips import CountSlip, read_round_slip

SCHEDULE = {"day": (time(6), time(14)), "swing": (time(14), time(22)), "grave": (time(22), time(6))}
TURN = timedelta(minutes=40)
SHORT_TRAY = ("UTH-03", -50_00)
WRONG_BOX = ("UTH-05", 100_00)
LOW_TRAY, FILL = 5_000_00, 5_000_00

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Planted:
    """A fault of the night and the key of the finding that the audit must make of it."""

    words: str
    key: str


@dataclass
class Patron:
    """Somebody at a seat, with what lies before him in cents."""

    number: str
    ante: int
    trips: int
    discipline: float
    stack: int = 0


@dataclass
class Night:
    """What is known while it is played."""

    cast: Cast
    shift: Shift
    rng: random.Random
    planted: list[Planted] = field(default_factory=list)
    patrons: Iterator[int] = field(default_factory=lambda: iter(range(20_001, 30_000)))


def play_night(cast: Cast, *, seed: int, rounds: int, now: datetime, tell: Tell) -> Night:
    """Return the last whole swing shift before `now`, played, counted and ended: `rounds` at each hold'em table, half as many at Payroll."""
    house = cast.house
    day = gaming_day(now, house.zone, house.rollover) - timedelta(days=1)
    shift = _open_shift(cast, day, "swing", now)
    night = Night(cast, shift, random.Random(seed))
    chances = _chances(night.rng, cast, rounds)
    sessions = []
    for table in cast.tables.values():
        number = rounds if table.game == "uth" else rounds // 2
        sessions.append(_TableNight(night, table, number, chances.get(table.code, {})).play(tell))
    for session, tray, drop in sessions:
        _close(night, session, tray, drop)
    floor.end_shift(shift, at=shift.ends_at, by=cast.people["SM-1"])
    return night


def _open_shift(cast: Cast, day: date, kind: str, now: datetime) -> Shift:
    starts, ends = SCHEDULE[kind]
    shift = floor.open_shift(cast.house, day, kind, starts=starts, ends=ends, at=now, by=cast.people["SM-1"])
    return Shift.objects.select_related("property").get(pk=shift.pk)


def _chances(rng: random.Random, cast: Cast, rounds: int) -> dict[str, dict[int, str]]:
    """Return which error is planted in which round of which table: by table code, then round index."""
    uth = [code for code, table in cast.tables.items() if table.game == "uth"]
    pot = [code for code, table in cast.tables.items() if table.game != "uth"]
    chances: dict[str, dict[int, str]] = {code: {} for code in cast.tables}
    for place, name in enumerate(UTH_FAULTS):
        at_table = chances[uth[place % len(uth)]]
        at_table[rng.choice([index for index in range(rounds) if index not in at_table])] = name
    for name in PAYROLL_FAULTS:
        chances[pot[0]][rng.randrange(rounds // 2)] = name
    return chances


class _TableNight:
    """One table through the shift."""

    def __init__(self, night: Night, table: Table, rounds: int, chances: dict[int, str]) -> None:
        self.night, self.table, self.rounds, self.chances = night, table, rounds, chances
        self.rng, self.cast = night.rng, night.cast
        self.seats: dict[int, Patron] = {}
        self.tray, self.drop, self.slips = int(BANKROLL), 0, 0
        self.places = tuple(self.cast.tables).index(table.code)

    def play(self, tell: Tell) -> tuple[TableSession, int, int]:
        """Return the session, and what its tray and its box hold in cents, after the last round."""
        shift = self.night.shift
        self.session = floor.open_session(
            shift,
            self.table,
            CountSlip(in_chips(BANKROLL)),
            felt_code=felt_code(self.table, shift.starts_at),
            at=shift.starts_at,
            by=self.cast.boss(self.table),
            witness=self.cast.people["SM-1"],
        )
        step = (shift.ends_at - shift.starts_at - timedelta(minutes=20)) / self.rounds
        for index in range(self.rounds):
            at = shift.starts_at + timedelta(minutes=6) + step * index + timedelta(seconds=self.rng.randrange(20))
            self._between(at - timedelta(seconds=40), index)
            self._round(at, index)
            tell(self.table.code, index + 1, self.rounds)
        return self.session, self.tray, self.drop

    def _between(self, at: datetime, index: int) -> None:
        """Let patrons come, buy and go; bring chips where the tray is low."""
        wanted = 3 if self.table.game == "uth" else 4
        for seat in [seat for seat in self.seats if self.rng.random() < 0.02]:
            del self.seats[seat]
        while len(self.seats) < wanted or (len(self.seats) < 6 and self.rng.random() < 0.05):
            seat = self.rng.choice([seat for seat in range(1, 7) if seat not in self.seats])
            self.seats[seat] = self._patron()
        for patron in self.seats.values():
            if patron.stack < self._needs(patron):
                self._buy_in(patron, at)
        if self.tray < LOW_TRAY or (self.table.code == "UTH-01" and index == self.rounds // 2):
            self._fill(at)
        if self.table.code == "UTH-04" and index == self.rounds // 2:
            self._chip_credit(at)

    def _patron(self) -> Patron:
        ante = self.rng.choice((10_00, 10_00, 15_00, 25_00, 50_00))
        trips = self.rng.choice((0, 5_00, 5_00, 10_00))
        return Patron(f"P-{next(self.night.patrons)}", ante, trips, self.rng.uniform(0.9, 1.0))

    def _needs(self, patron: Patron) -> int:
        return 6 * patron.ante + patron.trips if self.table.game == "uth" else 40_00

    def _buy_in(self, patron: Patron, at: datetime) -> None:
        amount = self.rng.choice((2, 3, 5)) * 100_00 if self.table.game == "uth" else 100_00
        amount = max(amount, -(-(self._needs(patron) - patron.stack) // 100_00) * 100_00)
        chips.buy_in(self.session, Minor(amount), at=at, by=self.cast.supervisor(self.table), patron=patron.number)
        patron.stack += amount
        self.tray -= amount
        self.drop += amount

    def _fill(self, at: datetime) -> None:
        supervisor, boss = self.cast.supervisor(self.table), self.cast.boss(self.table)
        slip = chip_slips.request_fill(self.session, CountSlip(in_chips(FILL)), at=at, by=supervisor, uuid=self._uuid())
        chip_slips.issue_fill(slip, at=at + timedelta(seconds=10), by=self.cast.people["CG-1"])
        chip_slips.receive_slip(slip, at=at + timedelta(seconds=20), by=boss)
        self.tray += FILL

    def _chip_credit(self, at: datetime) -> None:
        amount = 1_000_00
        supervisor, boss = self.cast.supervisor(self.table), self.cast.boss(self.table)
        slip = chip_slips.request_chip_credit(self.session, CountSlip(in_chips(amount)), at=at, by=supervisor, uuid=self._uuid())
        chip_slips.send_chip_credit(slip, at=at + timedelta(seconds=10), by=boss)
        chip_slips.receive_slip(slip, at=at + timedelta(seconds=20), by=self.cast.people["CG-1"])
        self.tray -= amount

    def _uuid(self) -> UUID:
        """Return a uuid that leaves the night's chances as they are."""
        self.slips += 1
        return uuid5(self.session.uuid, f"slip {self.slips}")

    def _round(self, at: datetime, index: int) -> None:
        """Deal one round, plant what is to be planted in it, hand its slip in and move the chips."""
        name = self.chances.get(index)
        label = f"{self.table.code}-{index + 1:04d}"
        raw = self._deal(label, name)
        fault = fault_in(name, raw, self._paytable) if name else None
        slip = {
            "uuid": str(UUID(int=self.rng.getrandbits(128), version=4)),
            "table": self.table.code,
            "occurred_at": at.isoformat(),
            "dealer": self._dealer(at),
            "round": raw,
            "done": fault.done if fault else {},
            "patrons": {str(seat["seat"]): self.seats[seat["seat"]].number for seat in raw["seats"]},
        }
        is_last = index == self.rounds - 1
        if is_last and self.table.code == MISTYPED:
            played = mistype(self.cast, self.table, slip, at)
        else:
            played = record_round(read_round_slip(slip), by=self.cast.supervisor(self.table), at=at)
        if is_last and self.table.code == TWICE:
            enter_twice(self.cast, self.table, slip, at)
        for wager in Wager.objects.filter(round=played, gaming_day=played.gaming_day):
            self.seats[wager.seat].stack += wager.paid - wager.collected
        self.tray += played.collected - played.paid
        if fault:
            self._remember(fault, played.uuid, played.number)

    @property
    def _paytable(self) -> Paytable:
        return published()[f"{self.table.game}-seed@1"]

    def _deal(self, label: str, name: str | None) -> dict[str, Any]:
        if self.table.game == "uth":
            bettors = [
                Bettor(seat, patron.ante, patron.trips or (5_00 if name else 0), patron.discipline) for seat, patron in sorted(self.seats.items())
            ]
            return deal_for(name, self.rng, bettors, label, self._paytable) if name else deal_uth(self.rng, bettors, label)
        seats = sorted(self.seats)
        button = seats[self.rng.randrange(len(seats))]
        if name:
            return deal_payroll_for(name, self.rng, seats, button, label, self._paytable)
        return deal_payroll(self.rng, seats, button, self._paytable.rules["ante"], label)

    def _dealer(self, at: datetime) -> str:
        """Return who deals at `at`; a turn begins every forty minutes, and the line moves on by one table."""
        turn = (at - self.night.shift.starts_at) // TURN
        dealer = self.cast.dealers[(self.places + turn) % len(self.cast.dealers)]
        if getattr(self, "_turn", None) != turn:
            self._turn = turn
            begins = self.night.shift.starts_at + turn * TURN
            floor.begin_turn(self.session, dealer, from_at=begins, by=self.cast.boss(self.table))
        return dealer.code

    def _remember(self, fault: Fault, uuid: UUID, number: int) -> None:
        key = ":".join([f"round:{uuid}", str(fault.seat or ""), fault.wager, fault.finding_kind])
        seat = f", seat {fault.seat}" if fault.seat else ""
        words = f"{fault.name.replace('_', ' ')}: {self.table.code} round {number}{seat}, {fault.wager}"
        self.night.planted.append(Planted(words, key))


def _close(night: Night, session: TableSession, tray: int, drop: int) -> None:
    """Count a table's tray and box, one of them wrong where that is planted."""
    cast, code, at = night.cast, session.table.code, night.shift.ends_at
    short = SHORT_TRAY[1] if code == SHORT_TRAY[0] else 0
    wrong = WRONG_BOX[1] if code == WRONG_BOX[0] else 0
    closer = CountSlip(in_chips(tray + short))
    floor.close_session(session, closer, at=at, by=cast.boss(session.table), witness=cast.people["SM-1"])
    sealed = {"box": f"B-{code}", "seal": f"{417_000 + session.pk}"}
    boxes.pull_box(session, **sealed, at=at + timedelta(minutes=5), by=cast.supervisor(session.table), carrier=cast.people["CT-1"])
    boxes.count_drop(
        session,
        DropSlip(CountSlip({100_00: (drop + wrong) // 100_00})),
        **sealed,
        at=at + timedelta(minutes=25),
        by=cast.people["CT-1"],
        witness=cast.people["CT-2"],
    )
    if short:
        night.planted.append(Planted(f"tray counted short: {code}", f"session:{session.uuid}::tray:count_variance"))
    if wrong:
        night.planted.append(Planted(f"box counted wrong: {code}", f"session:{session.uuid}::drop:count_variance"))


def open_tables_now(cast: Cast, *, now: datetime) -> Shift:
    """Return the shift that runs `now`, with every table open from its last closer, so that rounds can be entered."""
    house = cast.house
    shift = _open_shift(cast, gaming_day(now, house.zone, house.rollover), _running(now.astimezone(ZoneInfo(house.zone)).time()), now)
    for place, table in enumerate(cast.tables.values()):
        closer = table.sessions.order_by("-pk").first().tray_counts.get(kind="closer")  # type: ignore[union-attr]
        opener = CountSlip({int(value): pieces for value, pieces in closer.denominations.items()})
        code = felt_code(table, now)
        session = floor.open_session(shift, table, opener, felt_code=code, at=now, by=cast.boss(table), witness=cast.people["SM-1"])
        floor.begin_turn(session, cast.dealers[place], from_at=now, by=cast.boss(table))
    return shift


def felt_code(table: Table, at: datetime) -> str:
    """Return the code that stands on the felt: that of the version in force."""
    return short_code(version_in_force(table, at).sha256)


def _running(clock: time) -> str:
    """Return the kind of the shift that `clock` falls into."""
    return "day" if time(6) <= clock < time(14) else "swing" if time(14) <= clock < time(22) else "grave"
