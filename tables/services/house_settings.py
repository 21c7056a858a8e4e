"""Changing a setting of a property, from a gaming day to come on, by two people. Source: spec/night.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.gaming_day import gaming_day
from casino.models import User
from casino.money import CEILING
from casino.transactions import in_transaction
from casino.words import word
from tables.house_settings import as_held, as_kept, history
from tables.locks import lock_name
from tables.models import Property, PropertySetting, Shift

MOST_VALUES = 20
MOST_NOTE = 300
_NAME = PropertySetting.Name


@in_transaction
def change_setting(
    house: Property, name: str, value: Any, *, from_day: date, at: datetime, by: User, approved_by: User, note: str = ""
) -> PropertySetting:
    """Return the row that says what setting `name` of `house` is from gaming day `from_day` on: `value` as JSON, amounts in minor units.

    Days that have begun at `at`, and days of which a shift is open already, keep what they have. Raises Refused (`not_allowed`,
    `own_approval`), InvalidSlip (`unknown_setting`; `bad_amount`, `bad_type` at `value`; `bad_day` at `from_day`), Conflict (`day_begun`,
    `setting_exists`).
    """
    roles.require(by, "propose_limits")
    roles.require(approved_by, "approve_limits")
    if by == approved_by:
        raise Refused("own_approval", gettext("Nobody approves what they proposed."))
    if name not in _NAME.values:
        raise InvalidSlip("unknown_setting", gettext("A setting is one of %(values)s.") % {"values": ", ".join(_NAME.values)}, where="name")
    if len(note) > MOST_NOTE:
        raise InvalidSlip("bad_type", gettext("That is longer than %(most)s characters.") % {"most": MOST_NOTE}, where="note")
    kept = _CHECKS[name](value)
    lock_name(f"settings:{house.uuid}")
    _day_to_come(house, from_day, at)
    _in_order(house, name, kept, from_day)
    if PropertySetting.objects.filter(property=house, name=name, from_day=from_day).exists():
        raise Conflict("setting_exists", gettext("This setting changes on that gaming day already."), where="from_day")
    return PropertySetting.objects.create(
        property=house, name=name, value=kept, from_day=from_day, note=note.strip(), proposed_by=by, approved_by=approved_by
    )


def _day_to_come(house: Property, from_day: date, at: datetime) -> None:
    today = gaming_day(at, house.zone, house.rollover)
    if from_day <= today:
        raise InvalidSlip(
            "bad_day", gettext("Gaming days that have begun keep their settings: from %(today)s + 1 on.") % {"today": today}, where="from_day"
        )
    opened = Shift.objects.filter(property=house, gaming_day__gte=from_day).order_by("gaming_day").first()
    if opened is not None:
        raise Conflict("day_begun", gettext("The %(opened)s is open already, and keeps its settings.") % {"opened": opened}, where="from_day")


def _in_order(house: Property, name: str, kept: Any, from_day: date) -> None:
    """Refuse tolerances that would not rise: what is reported is explained, what the regulator hears is in the report."""
    then = replace(history(house).on(from_day), **{name: as_held(name, kept)})
    if not then.explain_over <= then.report_over <= then.notify_over:
        raise InvalidSlip("bad_amount", gettext("From explained to reported to notified, tolerances do not fall."), where="value")


def _amount(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < CEILING:
        raise InvalidSlip("bad_amount", gettext("This is a whole number of minor units, more than 0 and below 10^15."), where="value")
    return value


def _one_of(*words: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise InvalidSlip("bad_type", gettext("This is one of %(words)s.") % {"words": ", ".join(words)}, where="value")
        return value

    return check


def _values(value: Any) -> list[int]:
    """Return values of chips or notes, larger first."""
    if not isinstance(value, list) or not 0 < len(value) <= MOST_VALUES:
        raise InvalidSlip("bad_type", gettext("This is a list of 1 to %(most)s values in minor units.") % {"most": MOST_VALUES}, where="value")
    if len(kept := sorted({_amount(one) for one in value}, reverse=True)) != len(value):
        raise InvalidSlip("bad_type", gettext("A value stands there twice."), where="value")
    return kept


def _hours(value: Any) -> dict[str, list[str]]:
    """Return from when until when each shift lasts, as 22:00."""
    if not isinstance(value, Mapping) or set(value) != set(Shift.Kind.values):
        raise InvalidSlip(
            "bad_type", gettext("These are the hours of %(values)s, from and until.") % {"values": ", ".join(Shift.Kind.values)}, where="value"
        )
    kept: dict[str, list[str]] = as_kept({kind: _span(kind, hours) for kind, hours in value.items()})
    return {kind: kept[kind] for kind in Shift.Kind.values}


def _span(kind: str, hours: Any) -> tuple[time, time]:
    if isinstance(hours, list) and len(hours) == 2 and all(isinstance(one, str) for one in hours):
        try:
            begins, ends = (time.fromisoformat(one) for one in hours)
        except ValueError:
            begins = ends = time(0)
        if begins != ends and not begins.tzinfo and not ends.tzinfo:
            return begins, ends
    raise InvalidSlip(
        "bad_type", gettext("The %(kind)s shift lasts from one time to another, as 22:00 and 06:00.") % {"kind": word(kind)}, where="value"
    )


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    _NAME.EXPLAIN_OVER: _amount,
    _NAME.REPORT_OVER: _amount,
    _NAME.NOTIFY_OVER: _amount,
    _NAME.ASK_PATRON_FROM: _amount,
    _NAME.FORM_ABOVE: _amount,
    _NAME.DROP_PER: _one_of(*Property.DropPer.values),
    _NAME.RAKE_TO: _one_of(*Property.RakeTo.values),
    _NAME.CHIP_VALUES: _values,
    _NAME.NOTE_VALUES: _values,
    _NAME.SHIFT_HOURS: _hours,
}
