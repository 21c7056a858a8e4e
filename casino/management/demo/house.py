"""The demo's casino: its people with new passwords, two pits, six tables, their paytables and bankrolls."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from casino import people
from casino.models import User
from casino.money import Minor
from tables.engine.game import games
from tables.models import Dealer, Pit, Property, Table
from tables.paytable_files import published
from tables.services import chips, floor, paytables
from tables.services.dealer_pins import set_pin
from tables.services.limits import set_table_limit

ZONE = "America/Los_Angeles"
CHIPS = (500_00, 100_00, 25_00, 5_00, 1_00, 50, 25, 5, 1)
"""Values of chips and coins in cents, larger first."""
BANKROLL = Minor(20_000_00)
TABLES = {
    "UTH-01": ("uth", "P1"),
    "UTH-02": ("uth", "P1"),
    "UTH-03": ("uth", "P1"),
    "UTH-04": ("uth", "P2"),
    "UTH-05": ("uth", "P2"),
    "PAY-01": ("payroll", "P2"),
}
LIMITS = {"uth": {"ante": (10_00, 200_00), "trips": (5_00, 50_00)}}
"""The least and the most on one wager, cents, by game and bet."""
PITS = {"P1": "Main pit", "P2": "North pit"}
DEALERS = ("D-1011", "D-1024", "D-1042", "D-1063", "D-1079", "D-1098", "D-1120", "D-1157", "D-1187")
STAFF: Mapping[str, tuple[str, str, tuple[str, ...] | None]] = {
    "GM-1": ("Games manager", "games_manager", None),
    "SM-1": ("Shift manager", "shift_manager", None),
    "SM-2": ("Shift manager, relief", "shift_manager", None),
    "PB-1": ("Pit boss, main pit", "pit_boss", ("P1",)),
    "PB-2": ("Pit boss, north pit", "pit_boss", ("P2",)),
    "FS-1": ("Floor supervisor, main pit", "supervisor", ("P1",)),
    "FS-2": ("Floor supervisor, north pit", "supervisor", ("P2",)),
    "CG-1": ("Cage", "cage", None),
    "CT-1": ("Count team", "count_team", None),
    "CT-2": ("Count team, second", "count_team", None),
    "SV-1": ("Surveillance", "surveillance", None),
    "AU-2": ("Auditor, second", "auditor", None),
}


@dataclass(frozen=True)
class SignIn:
    """How one person signs in."""

    role: str
    number: str
    password: str


@dataclass(frozen=True)
class Cast:
    """Everyone and everything that the night is played with."""

    house: Property
    people: Mapping[str, User]
    tables: Mapping[str, Table]
    dealers: tuple[Dealer, ...]
    sign_ins: tuple[SignIn, ...]
    pins: Mapping[str, str]

    def boss(self, table: Table) -> User:
        """Return the pit boss of the table's pit."""
        return self.people["PB-1" if table.pit.code == "P1" else "PB-2"]

    def supervisor(self, table: Table) -> User:
        """Return the floor supervisor of the table's pit."""
        return self.people["FS-1" if table.pit.code == "P1" else "FS-2"]


def build(at: datetime) -> Cast:
    """Return the casino, made through the same services as any, with passwords that nobody had before."""
    staff, sign_ins = _hire()
    house = floor.make_property("MERIDIAN", "The Meridian", zone=ZONE, currency="USD", exponent=2, by=staff["GM-1"], chip_values=CHIPS)
    pits = {code: Pit.objects.create(property=house, code=code, name=name) for code, name in PITS.items()}
    dealers = tuple(Dealer.objects.create(property=house, code=code) for code in DEALERS)
    before = at - timedelta(days=3)
    chips.issue_chips(house, Minor(1_000_000_00), at=before, by=staff["CG-1"])
    tables = {code: _table(pits[pit], code, game, staff, before) for code, (game, pit) in TABLES.items()}
    pins = {dealer.code: _set_pin(dealer, staff["SM-1"], before) for dealer in dealers}
    return Cast(house, staff, tables, dealers, sign_ins, pins)


def _set_pin(dealer: Dealer, manager: User, at: datetime) -> str:
    """Return the dealer's new PIN of six digits, which nobody had before."""
    while len(set(pin := f"{secrets.randbelow(10**6):06d}")) == 1 or pin in "0123456789" or pin in "9876543210":
        pass
    set_pin(dealer, pin, at=at, by=manager)
    return pin


def _hire() -> tuple[dict[str, User], tuple[SignIn, ...]]:
    first = {"AD-1": people.new_password(), "AU-1": people.new_password()}
    administrator, auditor = people.set_up(("AD-1", first["AD-1"]), ("AU-1", first["AU-1"]))
    staff = {"AD-1": administrator, "AU-1": auditor}
    sign_ins = [SignIn("administrator", "AD-1", first["AD-1"]), SignIn("auditor", "AU-1", first["AU-1"])]
    for number, (name, role, pits) in STAFF.items():
        password = people.new_password()
        staff[number] = people.hire(number, name, password, by=administrator)
        people.grant_role(staff[number], role, by=administrator, pits=pits)
        if role in {"pit_boss", "shift_manager", "auditor"}:
            people.review_role(staff[number], role, by=auditor)
        sign_ins.append(SignIn(name.lower(), number, password))
    return staff, tuple(sign_ins)


def _table(pit: Pit, code: str, game: str, staff: Mapping[str, User], at: datetime) -> Table:
    table = floor.make_table(pit, code, game, by=staff["GM-1"])
    content = published()[games()[game].default_paytable].content
    version = paytables.publish_paytable(content, proposed_by=staff["GM-1"], approved_by=staff["AU-1"], approval="Opening of the house")
    paytables.put_in_force(table, version, from_at=at, by=staff["GM-1"], approved_by=staff["AU-1"])
    for bet, (least, most) in LIMITS.get(game, {}).items():
        set_table_limit(table, bet, least=least, most=most, from_at=at, by=staff["GM-1"], approved_by=staff["AU-1"])
    chips.stock_tray(table, BANKROLL, at=at, by=staff["CG-1"])
    return table


def in_chips(amount: int) -> dict[int, int]:
    """Return how many pieces of each value make `amount` cents, larger first."""
    pieces = {}
    for value in CHIPS:
        pieces[value], amount = divmod(amount, value)
    return {value: number for value, number in pieces.items() if number}
