"""Figures and moments as people read them on a page. What a figure is an amount of comes from its house. Standard library only."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from casino.money import Notation, format_amount
from casino.words import gettext

NOTHING = "—"
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""As Django's own catalogues know them."""


class House(Protocol):
    """What a page needs to know of a house: how it writes money, and the zone where its clocks hang. A property is one."""

    zone: str

    @property
    def notation(self) -> Notation:
        """Return how it writes money."""


def money(amount: int | None, house: House) -> str:
    """Return `amount` minor units as "1,212.50", "−120.00"; nothing known is "—"."""
    return NOTHING if amount is None else format_amount(amount, house.notation)


def signed(amount: int | None, house: House) -> str:
    """Return `amount` with its sign, "+10.00", "−5.00"; zero has none."""
    return f"+{money(amount, house)}" if amount is not None and amount > 0 else money(amount, house)


def local(moment: datetime, house: House) -> datetime:
    """Return the aware `moment` on the house's wall clock."""
    return moment.astimezone(ZoneInfo(house.zone))


def stamp(moment: datetime | None, house: House) -> str:
    """Return "2026-11-30 21:14:05 CET": the zone's name tells both 01:30s of a repeated hour apart."""
    return NOTHING if moment is None else f"{local(moment, house):%Y-%m-%d %H:%M:%S %Z}"


def clock(moment: datetime | None, house: House) -> str:
    """Return "21:14:05", for lists of one shift."""
    return NOTHING if moment is None else f"{local(moment, house):%H:%M:%S}"


def utc(moment: datetime | None) -> str:
    """Return "2026-11-30 20:14:05 UTC", for what belongs to no one house."""
    return NOTHING if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def day(when: date) -> str:
    """Return "14 March 2026" in the language of whoever reads: "14. März 2026"."""
    return gettext("%(day)s %(month)s %(year)s") % {"day": when.day, "month": gettext(MONTHS[when.month - 1]), "year": when.year}


def age(seconds: float) -> str:
    """Return "17 s", "3 min", "2 h 05": how long ago something was, as one glances at it."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d}"
