"""What a person types as a time, on the property's wall clock. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from casino.words import gettext


def offset_text(moment: datetime) -> str:
    """Return the offset of the aware `moment` as "+01:00"."""
    return moment.isoformat(timespec="microseconds")[26:]


def read_local(text: str, zone: str, *, offset: str = "") -> datetime:
    """Return the aware moment of "2026-11-30T21:14:05" on the clock of `zone`.

    An hour that comes twice is told apart by `offset` ("+01:00"); without a matching one it is the first. Raises ValueError for what is no
    time, and for one that the clock skipped.
    """
    try:
        naive = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(gettext("A time is written as 2026-11-30 21:14:05")) from None
    if not 1970 < naive.year < 2200:
        raise ValueError(gettext("A time of our days, please: the year is not one of them"))
    clock = ZoneInfo(zone)
    if naive.tzinfo is not None:
        return naive.astimezone(clock)
    meant = [naive.replace(tzinfo=clock, fold=fold) for fold in (0, 1)]
    real = [moment for moment in meant if moment.astimezone(UTC).astimezone(clock).replace(tzinfo=None) == naive]
    if not real:
        raise ValueError(gettext("There is no such time: the clock was put forward over it"))
    return next((moment for moment in real if offset_text(moment) == offset), real[0])


def comes_twice(moment: datetime) -> bool:
    """Return whether the wall clock of the aware `moment` shows the same time twice, with two offsets."""
    return moment.replace(fold=0).utcoffset() != moment.replace(fold=1).utcoffset()
