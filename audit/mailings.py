"""Reports by e-mail: who wants which, when one is due, and sending it. Rights are those of the moment at which it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext

from audit.exports import FORMATS, Format, filename, media_type, render
from audit.models import Mailing
from audit.reports.catalogue import report_for
from audit.reports.scope import read_scope
from casino import roles
from casino.errors import Conflict, InvalidSlip, NotFound, Refused
from casino.gaming_day import gaming_day
from casino.models import User
from casino.transactions import in_transaction
from tables.models import Property

NARROWING = ("pit", "table", "game", "dealer")


@in_transaction
def subscribe(report: str, *, fmt: str, every: str, house: Property, filters: Mapping[str, str], by: User) -> Mailing:
    """Return what sends `report` to `by` from now on. Raises NotFound, Refused, InvalidSlip (`bad_format`, `bad_rhythm`, `no_address`)."""
    report_for(by, report)
    if fmt not in FORMATS:
        raise InvalidSlip(
            "bad_format", gettext("“%(fmt)s” is none of %(formats)s.") % {"fmt": fmt[:10], "formats": ", ".join(FORMATS)}, where="format"
        )
    if every not in Mailing.Every.values:
        raise InvalidSlip(
            "bad_rhythm",
            gettext("“%(every)s” is none of %(values)s.") % {"every": every[:10], "values": ", ".join(Mailing.Every.values)},
            where="every",
        )
    if not by.email:
        raise InvalidSlip("no_address", gettext("%(by)s has no e-mail address.") % {"by": by}, where="email")
    kept = {name: filters[name] for name in NARROWING if filters.get(name)}
    return Mailing.objects.create(report=report, filters=kept, format=fmt, every=every, property=house, user=by)


@in_transaction
def unsubscribe(mailing: UUID, *, by: User, at: datetime) -> Mailing:
    """Return the mailing, ended at `at`; again is once. Raises NotFound (`no_mailing`) for somebody else's."""
    found = Mailing.objects.select_for_update(no_key=True).filter(uuid=mailing, user=by).first()
    if found is None:
        raise NotFound("no_mailing", gettext("There is no such mailing of yours."))
    if found.ended_at is None:
        found.ended_at = at
        found.save(update_fields=["ended_at"])
    return found


def span_due(every: str, today: date) -> tuple[date, date] | None:
    """Return the first and last gaming day of the span that ended before `today`, None where none did."""
    yesterday = today - timedelta(days=1)
    if every == Mailing.Every.DAY:
        return yesterday, yesterday
    if every == Mailing.Every.WEEK:
        return (today - timedelta(days=7), yesterday) if today.weekday() == 0 else None
    return (yesterday.replace(day=1), yesterday) if today.day == 1 else None


def due(mailing: Mailing, at: datetime) -> tuple[date, date] | None:
    """Return the span to send now, None where nothing is due: spans end with the property's gaming day, an hour's grace for what comes in late."""
    house = mailing.property
    today = gaming_day(at - timedelta(hours=1), house.zone, house.rollover)
    begun = mailing.recorded_at.astimezone(ZoneInfo(house.zone)).date()
    span = span_due(mailing.every, today)
    return span if span is not None and span[1] >= begun - timedelta(days=1) else None


def send(mailing: Mailing, first: date, last: date) -> str:
    """Return what became of it: "sent", or why not. Raises what the mail server raises: the job tries again.

    Whoever has left, lost the right or has no address any more gets nothing: rights are checked now, not when it was asked for.
    """
    user = User.objects.get(pk=mailing.user_id)
    if mailing.ended_at is not None:
        return "not wanted any more"
    try:
        roles.require(user, report_for(user, mailing.report).action)
        params: dict[str, Any] = {**mailing.filters, "property": mailing.property.code, "day_from": first.isoformat(), "day_to": last.isoformat()}
        kind = report_for(user, mailing.report)
        report = kind.report(read_scope(params, user, last, kind.action))
    except (Refused, NotFound, Conflict) as error:
        return f"refused: {error.message}"
    if not user.email:
        return "refused: no e-mail address"
    fmt: Format = mailing.format  # type: ignore[assignment]
    message = EmailMessage(
        subject=f"{report.title}: {mailing.property.name}, {first} – {last}",
        body=f"{report.title}\n{report.subtitle}\n\nContent SHA-256 {report.sha256}\n",
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[user.email],
        attachments=[(filename(report, fmt), render(report, fmt), media_type(fmt).partition(";")[0])],
    )
    message.send()
    return "sent"
