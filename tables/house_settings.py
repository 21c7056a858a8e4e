"""A property's settings as they are on a gaming day: what it was made with, and what two people changed since.

Figures of a day hold what was set on that day, so a change never touches what was counted, signed or reported before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from casino.gaming_day import gaming_day
from tables.models import Property, PropertySetting, Shift

FORM_ABOVE = 10_000
"""Whole units of the currency: more cash than this in or out in a gaming day needs the form."""
SHIFT_LENGTH = timedelta(hours=8)
_ANY_DAY = date(2026, 1, 1)
Hours = Mapping[str, tuple[time, time]]


@dataclass(frozen=True)
class HouseSettings:
    """What holds on one gaming day; amounts in minor units, values larger first. `shift_hours`: from and until, by the house's clock, by kind."""

    explain_over: int
    report_over: int
    notify_over: int
    ask_patron_from: int
    form_above: int
    drop_per: str
    rake_to: str
    chip_values: tuple[int, ...]
    note_values: tuple[int, ...]
    shift_hours: Hours

    @property
    def own_drop(self) -> bool:
        """Return whether a box is pulled after each session, not once a gaming day."""
        return self.drop_per == Property.DropPer.SHIFT

    @property
    def rake_in_box(self) -> bool:
        """Return whether a pot game's rake goes to the box."""
        return self.rake_to == Property.RakeTo.BOX


class History:
    """All that a property ever had set, to be asked for any gaming day: `history(house).on(day)`."""

    def __init__(self, made_with: HouseSettings, changes: Iterable[PropertySetting]) -> None:
        self._made_with = made_with
        self._changes = sorted(changes, key=lambda change: change.from_day)

    def on(self, day: date) -> HouseSettings:
        """Return the settings of gaming day `day`."""
        held = {change.name: as_held(change.name, change.value) for change in self._changes if change.from_day <= day}
        return replace(self._made_with, **held) if held else self._made_with

    def values(self, name: str, first: date, last: date) -> Sequence[Any]:
        """Return what setting `name` was on the gaming days from `first` to `last`, each value once, in their order."""
        days = [first, *(change.from_day for change in self._changes if change.name == name and first < change.from_day <= last)]
        return list(dict.fromkeys(getattr(self.on(day), name) for day in days))


def history(house: Property) -> History:
    """Return the settings of `house` through time. One query."""
    return History(_made_with(house), PropertySetting.objects.filter(property=house))


def settings_on(house: Property, day: date) -> HouseSettings:
    """Return the settings of `house` on gaming day `day`. One query."""
    return history(house).on(day)


def settings_of(shift: Shift) -> HouseSettings:
    """Return the settings by which `shift` is counted, reconciled and signed: those of its gaming day. One query."""
    return settings_on(shift.property, shift.gaming_day)


def settings_now(house: Property, at: datetime) -> HouseSettings:
    """Return the settings of the gaming day that runs at moment `at`. One query."""
    return settings_on(house, gaming_day(at, house.zone, house.rollover))


def _made_with(house: Property) -> HouseSettings:
    return HouseSettings(
        explain_over=house.explain_over,
        report_over=house.report_over,
        notify_over=house.notify_over,
        ask_patron_from=house.ask_patron_from,
        form_above=FORM_ABOVE * 10**house.exponent,
        drop_per=house.drop_per,
        rake_to=house.rake_to,
        chip_values=tuple(house.chip_values),
        note_values=tuple(house.note_values),
        shift_hours=usual_hours(house.rollover),
    )


def usual_hours(rollover: time) -> Hours:
    """Return three shifts of eight hours each, from the rollover on."""
    starts = [(datetime.combine(_ANY_DAY, rollover) + number * SHIFT_LENGTH).time() for number in range(len(Shift.Kind.values) + 1)]
    return {kind: (starts[number], starts[number + 1]) for number, kind in enumerate(Shift.Kind.values)}


def as_held(name: str, value: Any) -> Any:
    """Return the kept JSON `value` of setting `name` as `HouseSettings` holds it."""
    if name in ("chip_values", "note_values"):
        return tuple(value)
    if name == "shift_hours":
        return {kind: (time.fromisoformat(begins), time.fromisoformat(ends)) for kind, (begins, ends) in value.items()}
    return value


def as_kept(value: Any) -> Any:
    """Return a value of `HouseSettings` as JSON."""
    if isinstance(value, Mapping):
        return {kind: [begins.isoformat("minutes"), ends.isoformat("minutes")] for kind, (begins, ends) in value.items()}
    return list(value) if isinstance(value, tuple) else value
