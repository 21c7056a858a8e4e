"""Books: every entry is in one, a shift's or (without a shift) a day's. A closed book's totals stand for its transfers. Added to only."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class WholeSum(models.BigIntegerField):
    """A sum of minor units: whole, and with room for more than one amount may be."""

    def db_type(self, connection: Any) -> str:
        """Return PostgreSQL's exact number without decimals."""
        return "numeric(38, 0)"

    def from_db_value(self, value: Any, *_: Any) -> int | None:
        """Return it as a whole number; the driver hands out a decimal."""
        return None if value is None else int(value)


class Book(models.Model):
    """The entries of one shift, or of one day's entries without a shift. The database opens it with its first entry."""

    property = models.UUIDField()
    shift = models.UUIDField(null=True)
    gaming_day = models.DateField()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "gaming_day", "shift"], name="ledger_book_once", nulls_distinct=False)]
        indexes = [models.Index(fields=["shift"], name="ledger_book_shift")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.gaming_day} {self.shift or 'without a shift'}"


class BookClosing(models.Model):
    """A book takes no more entries; `sequence` is the order in which books were closed, without gaps."""

    book = models.OneToOneField(Book, models.PROTECT, related_name="closing")
    sequence = models.PositiveBigIntegerField(unique=True)
    entries = models.PositiveBigIntegerField()
    transfers = models.PositiveBigIntegerField()
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["sequence"]

    def __str__(self) -> str:
        return str(self.book)


class BookTotal(models.Model):
    """What one closed book moved over one account (minor units), and what the account held by all books closed until then."""

    closing = models.ForeignKey(BookClosing, models.PROTECT, related_name="totals")
    account = models.ForeignKey("ledger.Account", models.PROTECT, related_name="totals")
    sequence = models.PositiveBigIntegerField()
    gaming_day = models.DateField()
    arrived = WholeSum()
    left = WholeSum()
    held = WholeSum()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "sequence"], name="ledger_booktotal_once"),
            models.CheckConstraint(condition=Q(arrived__gte=0, left__gte=0), name="ledger_booktotal_no_negatives"),
        ]
        indexes = [models.Index(fields=["account", "gaming_day"], name="ledger_booktotal_day")]
        ordering = ["sequence", "account"]

    def __str__(self) -> str:
        return f"{self.account} {self.closing}"


class Archive(models.Model):
    """A month of one big table was taken out of the database into a file, or brought back from it."""

    class Action(models.TextChoices):
        ARCHIVE = "archive", _("taken out")
        RESTORE = "restore", _("brought back")

    table = models.CharField(max_length=60)
    month = models.DateField(help_text=_("its first day"))
    sequence = models.PositiveSmallIntegerField(help_text=_("1 when it was first taken out, 2 when it was brought back, …"))
    action = models.CharField(max_length=7, choices=Action.choices)
    rows = models.PositiveBigIntegerField()
    file = models.CharField(max_length=200)
    file_sha256 = models.CharField(max_length=64)
    rows_sha256 = models.CharField(max_length=64, help_text=_("of the rows themselves, as COPY writes them in the order of their keys"))
    by = models.CharField(max_length=120, help_text=_("who ran the command"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "month", "sequence"], name="ledger_archive_in_order"),
            models.CheckConstraint(condition=Q(action__in=["archive", "restore"]), name="ledger_archive_known_action"),
            models.CheckConstraint(
                condition=Q(file_sha256__regex="^[0-9a-f]{64}$", rows_sha256__regex="^[0-9a-f]{64}$"), name="ledger_archive_hashes"
            ),
        ]
        ordering = ["month", "table", "sequence"]

    def __str__(self) -> str:
        return f"{self.table} {self.month:%Y-%m} {self.get_action_display()}"
