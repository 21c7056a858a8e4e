"""Where and when: properties, pits, tables, dealers; shifts and the sessions of tables within them.

Shifts and sessions are rows that never change; what state they are in is their last event.
"""

from __future__ import annotations

import uuid
from datetime import time
from zoneinfo import available_timezones

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import shown
from casino.append_only import RecordedAt
from casino.money import CEILING, Notation

CODE = RegexValidator(r"\A[A-Z0-9][A-Z0-9-]{0,19}\Z", _("capital letters, digits and hyphens, twenty at most"))


def known_zone(value: str) -> None:
    """Raise ValidationError unless `value` names a time zone."""
    if value not in available_timezones():
        raise ValidationError(gettext("“%(value)s” is no time zone") % {"value": value})


class Property(models.Model):
    """A casino: its zone, currency, rollover, tolerances, and what is counted there."""

    class DropPer(models.TextChoices):
        SHIFT = "shift"
        GAMING_DAY = "gaming_day", _("gaming day")

    class Writes(models.TextChoices):
        """How amounts are written and read: the signs of `notation`, and how a thousand and a half looks."""

        POINT = "point", "1,000.50"
        COMMA = "comma", "1.000,50"
        APOSTROPHE = "apostrophe", "1’000.50"

    class RakeTo(models.TextChoices):
        TRAY = "tray"
        BOX = "box"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    code = models.CharField(max_length=20, unique=True, validators=[CODE])
    name = models.CharField(max_length=120)
    zone = models.CharField(max_length=60, validators=[known_zone])
    currency = models.CharField(max_length=3, validators=[RegexValidator(r"\A[A-Z]{3}\Z")])
    exponent = models.PositiveSmallIntegerField(default=2, help_text=_("decimals of the currency: 2 for dollars, 0 for yen, 3 for dinars"))
    writes = models.CharField(
        max_length=10, choices=Writes.choices, default=Writes.POINT, help_text=_("how amounts are written, and read as they are typed")
    )
    rollover = models.TimeField(default=time(6))
    explain_over = models.BigIntegerField(default=1, help_text=_("a variance of this many minor units or more is explained"))
    report_over = models.BigIntegerField(default=2_500, help_text=_("… is explained in a signed report"))
    notify_over = models.BigIntegerField(default=10_000, help_text=_("… goes to the regulator"))
    drop_per = models.CharField(max_length=10, choices=DropPer.choices, default=DropPer.SHIFT, help_text=_("how often boxes are pulled"))
    rake_to = models.CharField(max_length=4, choices=RakeTo.choices, default=RakeTo.TRAY, help_text=_("where a pot game's rake goes"))
    ask_patron_from = models.BigIntegerField(
        default=300_000, help_text=_("from this many minor units on, a buy-in or cash-out asks who the patron is")
    )
    chip_values = ArrayField(models.BigIntegerField(), default=list, blank=True, help_text=_("values of chips in minor units, larger first"))
    note_values = ArrayField(models.BigIntegerField(), default=list, blank=True, help_text=_("values of notes in minor units, larger first"))

    class Meta:
        verbose_name_plural = _("properties")
        constraints = [
            models.CheckConstraint(condition=Q(exponent__lte=4), name="tables_property_exponent"),
            models.CheckConstraint(condition=Q(drop_per__in=["shift", "gaming_day"]), name="tables_property_drop_per"),
            models.CheckConstraint(condition=Q(rake_to__in=["tray", "box"]), name="tables_property_rake_to"),
            models.CheckConstraint(condition=Q(writes__in=["point", "comma", "apostrophe"]), name="tables_property_writes"),
        ]
        ordering = ["code"]

    def __str__(self) -> str:
        return self.name

    @property
    def notation(self) -> Notation:
        """Return how amounts are written and read here."""
        return Notation(self.exponent, *_SIGNS[self.writes])


_SIGNS = {"point": (".", ","), "comma": (",", "."), "apostrophe": (".", "’")}
"""The decimal sign and the group sign of each way to write."""


class Pit(models.Model):
    """A group of tables under one pit boss. Its code is its own in the whole house: roles are granted for pits by code."""

    property = models.ForeignKey(Property, models.PROTECT, related_name="pits")
    code = models.CharField(max_length=20, validators=[CODE])
    name = models.CharField(max_length=120)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["code"], name="tables_pit_code_once")]
        ordering = ["property", "code"]

    def __str__(self) -> str:
        return self.name


class Table(models.Model):
    """One table: `UTH-01`, a code of its own in the whole house, since a slip names its table by it. `game` is its game's code."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    property = models.ForeignKey(Property, models.PROTECT, related_name="tables")
    pit = models.ForeignKey(Pit, models.PROTECT, related_name="tables")
    code = models.CharField(max_length=20, validators=[CODE])
    game = models.CharField(max_length=20)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["code"], name="tables_table_code_once")]
        ordering = ["property", "code"]

    def __str__(self) -> str:
        return self.code


class TableLimit(models.Model):
    """The least and the most that may be staked on one wager of a bet at a table, from a moment on; the last row of a bet counts.

    `bet` empty: every bet that has no row of its own. Nobody approves the limits that they proposed.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="limits")
    bet = models.CharField(max_length=20, blank=True)
    least = models.BigIntegerField()
    most = models.BigIntegerField()
    from_at = models.DateTimeField()
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "bet", "from_at"], name="tables_tablelimit_once"),
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="tables_tablelimit_two_people"),
            models.CheckConstraint(condition=Q(least__gte=0, most__gte=F("least"), most__lt=CEILING), name="tables_tablelimit_range"),
        ]
        ordering = ["table", "bet", "from_at"]

    def __str__(self) -> str:
        return f"{self.table} {self.bet}".strip()


class Dealer(models.Model):
    """A dealer, by staff number. Dealers have no sign-in."""

    property = models.ForeignKey(Property, models.PROTECT, related_name="dealers")
    code = models.CharField(_("staff number"), max_length=20, validators=[CODE])
    name = models.CharField(max_length=120, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "code"], name="tables_dealer_code_once")]
        ordering = ["property", "code"]

    def __str__(self) -> str:
        return self.code


class Shift(models.Model):
    """One shift of one gaming day."""

    class Kind(models.TextChoices):
        DAY = "day"
        SWING = "swing"
        GRAVE = "grave"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    property = models.ForeignKey(Property, models.PROTECT, related_name="shifts")
    gaming_day = models.DateField()
    kind = models.CharField(max_length=5, choices=Kind.choices)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    recorded_at = RecordedAt()
    opened_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["property", "gaming_day", "kind"], name="tables_shift_once"),
            models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="tables_shift_takes_time"),
        ]
        ordering = ["-gaming_day", "-starts_at"]

    def __str__(self) -> str:
        return gettext("%(kind)s shift, %(day)s") % {"kind": self.get_kind_display(), "day": shown.day(self.gaming_day)}


class _Event(models.Model):
    """A state was reached: who, when, why. The sequence is guarded by the database."""

    sequence = models.PositiveSmallIntegerField()
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        abstract = True


class ShiftEvent(_Event):
    """`open`, then `ended`."""

    class State(models.TextChoices):
        OPEN = "open"
        ENDED = "ended"

    shift = models.ForeignKey(Shift, models.PROTECT, related_name="events")
    state = models.CharField(max_length=10, choices=State.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["shift", "sequence"], name="tables_shiftevent_in_order")]
        ordering = ["shift", "sequence"]

    def __str__(self) -> str:
        return f"{self.shift} {self.state}"


class TableSession(models.Model):
    """One table open within one shift."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    shift = models.ForeignKey(Shift, models.PROTECT, related_name="sessions")
    table = models.ForeignKey(Table, models.PROTECT, related_name="sessions")
    sequence = models.PositiveSmallIntegerField(default=1, help_text=_("1 for the first opening of the table in the shift"))
    felt = models.ForeignKey(
        "tables.PaytableVersion", models.PROTECT, null=True, related_name="+", help_text=_("confirmed by its code at the opening")
    )
    recorded_at = RecordedAt()

    class Meta:
        verbose_name = _("session")
        constraints = [models.UniqueConstraint(fields=["shift", "table", "sequence"], name="tables_tablesession_once")]
        ordering = ["shift", "table", "sequence"]

    def __str__(self) -> str:
        return f"{self.table} · {self.shift}"


class SessionEvent(_Event):
    """`open`, then `closed`."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    session = models.ForeignKey(TableSession, models.PROTECT, related_name="events")
    state = models.CharField(max_length=10, choices=State.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "sequence"], name="tables_sessionevent_in_order")]
        ordering = ["session", "sequence"]

    def __str__(self) -> str:
        return f"{self.session} {self.state}"


class DealerTurn(models.Model):
    """Who deals at the table, from when, until the next turn begins."""

    session = models.ForeignKey(TableSession, models.PROTECT, related_name="turns")
    dealer = models.ForeignKey(Dealer, models.PROTECT, related_name="turns")
    from_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    signed = models.BooleanField(default=False, help_text=_("the dealer signed with a PIN"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "from_at"], name="tables_dealerturn_once")]
        ordering = ["session", "from_at"]

    def __str__(self) -> str:
        return f"{self.dealer} at {self.session}"
