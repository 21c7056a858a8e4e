"""Accounts, entries, transfers; segments and leaves. Added to, never edited: the database refuses the rest (migrations)."""

from __future__ import annotations

import uuid

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import shown
from casino.append_only import MadeIn, RecordedAt
from casino.money import CEILING
from casino.words import word
from ledger.models_books import Archive, Book, BookClosing, BookTotal
from ledger.models_erasure import TextErasure

__all__ = ["Account", "Archive", "Book", "BookClosing", "BookTotal", "Entry", "Leaf", "Segment", "TextErasure", "Transfer"]


class Account(models.Model):
    """A place that holds value: a tray, a drop box, the cage, what patrons hold."""

    class Kind(models.TextChoices):
        ASSET = "asset"
        CONTRA = "contra"
        OUTSIDE = "outside"
        LIABILITY = "liability"
        EXPENSE = "expense"
        VARIANCE = "variance"

    property = models.UUIDField()
    code = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    currency = models.CharField(max_length=3)
    floor = models.BigIntegerField(null=True, blank=True, help_text=_("the balance may not go below this, in minor units"))
    ceiling = models.BigIntegerField(null=True, blank=True, help_text=_("the balance may not go above this, in minor units"))
    opened_at = models.DateTimeField(db_default=models.functions.Now(), editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["property", "code"], name="ledger_account_code_once"),
            models.UniqueConstraint(fields=["id", "currency"], name="ledger_account_currency"),
            models.CheckConstraint(
                condition=Q(kind__in=["asset", "contra", "outside", "liability", "expense", "variance"]), name="ledger_account_known_kind"
            ),
            models.CheckConstraint(condition=Q(currency__regex=r"^[A-Z]{3}$"), name="ledger_account_currency_code"),
        ]
        ordering = ["property", "code"]

    def __str__(self) -> str:
        return self.code


class Entry(models.Model):
    """One event in the books. Property, shift, session and round are plain UUIDs: the ledger knows no tables."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True)
    kind = models.CharField(max_length=20)
    reference = models.CharField(max_length=120, unique=True)
    fingerprint = models.BinaryField(max_length=32)
    reverses = models.OneToOneField("self", models.PROTECT, null=True, related_name="reversed_by")
    property = models.UUIDField()
    shift = models.UUIDField(null=True)
    session = models.UUIDField(null=True)
    round = models.UUIDField(null=True)
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    made_in = MadeIn()
    recorded_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    on_behalf_of = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    witness = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    memo = models.CharField(max_length=300, blank=True)
    late = models.BooleanField(default=False)
    paytable = models.CharField(max_length=80, blank=True)
    paytable_sha256 = models.CharField(max_length=64, blank=True)
    engine_version = models.CharField(max_length=20, blank=True)
    transfer_count = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name_plural = _("entries")
        constraints = [
            models.UniqueConstraint(fields=["id", "gaming_day"], name="ledger_entry_day"),
            models.CheckConstraint(
                condition=(Q(kind="reversal") & Q(reverses__isnull=False)) | (~Q(kind="reversal") & Q(reverses__isnull=True)),
                name="ledger_entry_only_reversals_reverse",
            ),
            models.CheckConstraint(
                condition=Q(transfer_count__gt=0) | Q(kind__in=["round", "void", "reversal"]), name="ledger_entry_moves_something"
            ),
        ]
        indexes = [
            models.Index(fields=["shift", "kind"], name="ledger_entry_shift"),
            models.Index(fields=["session"], name="ledger_entry_session"),
            models.Index(fields=["round"], condition=Q(round__isnull=False), name="ledger_entry_round"),
            models.Index(fields=["property", "gaming_day"], condition=Q(shift__isnull=True), name="ledger_entry_no_shift"),
            BrinIndex(fields=["gaming_day"], name="ledger_entry_gaming_day"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{word(self.kind)} · {shown.utc(self.occurred_at)}"


class Transfer(models.Model):
    """One movement: value leaves `credit_account` and arrives at `debit_account`. Partitioned by month of `gaming_day`."""

    id = models.BigAutoField(primary_key=True)
    gaming_day = models.DateField()
    entry = models.ForeignKey(Entry, models.PROTECT, related_name="transfers", db_constraint=False)
    line = models.PositiveSmallIntegerField()
    credit_account = models.ForeignKey(Account, models.PROTECT, related_name="credits", db_constraint=False)
    debit_account = models.ForeignKey(Account, models.PROTECT, related_name="debits", db_constraint=False)
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entry", "line", "gaming_day"], name="ledger_transfer_line_once"),
            models.CheckConstraint(condition=Q(amount__gt=0, amount__lt=CEILING), name="ledger_transfer_moves_something"),
            models.CheckConstraint(condition=~Q(credit_account=F("debit_account")), name="ledger_transfer_goes_elsewhere"),
        ]
        indexes = [
            models.Index(fields=["credit_account", "gaming_day", "entry"], name="ledger_transfer_credit"),
            models.Index(fields=["debit_account", "gaming_day", "entry"], name="ledger_transfer_debit"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.entry_id}/{self.line}"


class Segment(models.Model):
    """A sealed shift: numbered without gaps, with the root over its leaves. A shift that has one is closed for ever.

    `checkpoint` is the text that is signed, fixed before it is; the signature is a row of its own (`SignedCheckpoint`).
    `marks`: the last row of each kind of evidence when it was sealed; what came later is looked for above the mark before.
    `made_in`: the transaction that made it, which alone adds its leaves and their checks.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    property = models.UUIDField()
    shift = models.UUIDField(unique=True)
    gaming_day = models.DateField()
    leaf_count = models.PositiveIntegerField()
    root = models.BinaryField(max_length=32)
    outer_root = models.BinaryField(max_length=32)
    checkpoint = models.TextField()
    marks = models.JSONField(default=dict)
    recorded_at = RecordedAt()
    made_in = MadeIn()

    class Meta:
        verbose_name = _("sealed shift")
        ordering = ["number"]

    def __str__(self) -> str:
        return gettext("sealed shift %(number)s") % {"number": self.number}


class Leaf(models.Model):
    """The exact bytes of one sealed fact. Partitioned by month of `gaming_day`."""

    id = models.BigAutoField(primary_key=True)
    gaming_day = models.DateField()
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="leaves", db_constraint=False)
    index = models.PositiveIntegerField()
    kind = models.CharField(max_length=40, default="", help_text=_("what it is of: a kind of evidence"))
    row = models.BigIntegerField(null=True, help_text=_("the key of the row that it was made from"))
    content = models.BinaryField()

    class Meta:
        verbose_name_plural = _("leaves")
        constraints = [models.UniqueConstraint(fields=["segment", "index", "gaming_day"], name="ledger_leaf_once")]
        indexes = [models.Index(fields=["kind", "row"], name="ledger_leaf_of_row")]
        ordering = ["segment", "index"]

    def __str__(self) -> str:
        return f"{self.segment_id}/{self.index}"


class SegmentChecks(models.Model):
    """The checks of a segment's leaves as they were sealed (ledger/leaves.py): by them a leaf that was changed since is named with its field.

    Their SHA-256 is in the checkpoint. Segments that were sealed before this table was there have none.
    """

    segment = models.OneToOneField(Segment, models.PROTECT, related_name="checks")
    content = models.BinaryField()
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["segment"]

    def __str__(self) -> str:
        return f"checks {self.segment_id}"


class LeafSalt(models.Model):
    """The salt of one free text in a leaf. It is kept apart so that it can be erased: without it the hash tells nothing, and still proves."""

    segment = models.ForeignKey(Segment, models.PROTECT, related_name="salts")
    index = models.PositiveIntegerField()
    field = models.CharField(max_length=40)
    salt = models.BinaryField(max_length=16)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["segment", "index", "field"], name="ledger_leafsalt_once")]
        ordering = ["segment", "index", "field"]

    def __str__(self) -> str:
        return f"{self.segment_id}/{self.index} {self.field}"


class SealKey(models.Model):
    """A public key by which checkpoints are signed, from `number` on; each but the first is announced in a note that the one before signed."""

    number = models.PositiveIntegerField(primary_key=True)
    origin = models.CharField(max_length=60, help_text=_("the log's name, the first line of every checkpoint"))
    public = models.BinaryField(max_length=32)
    note = models.TextField(blank=True, help_text=_("the signed announcement; the first key has none"))
    by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+", help_text=_("empty where it was made at set-up"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(number=1, note="") | Q(number__gt=1) & ~Q(note=""), name="ledger_sealkey_announced")]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"key {self.number}"


class SignedCheckpoint(models.Model):
    """A segment's checkpoint with its signature. Written after it was published off the database, so what stands here is out."""

    segment = models.OneToOneField(Segment, models.PROTECT, related_name="signed")
    key = models.ForeignKey(SealKey, models.PROTECT, related_name="+")
    note = models.TextField()
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["segment"]

    def __str__(self) -> str:
        return f"checkpoint {self.segment_id}"


class CheckpointAlarm(models.Model):
    """Somebody acknowledged that the books and the file off the database differ. `note` is the checkpoint, or the key's announcement."""

    class Kind(models.TextChoices):
        AHEAD = "ahead", _("published, and not in the books")
        KEY = "key", _("a key that was announced, and is not in the books")
        LOST = "lost", _("in the books, and not in the file")

    kind = models.CharField(max_length=5, choices=Kind.choices, default=Kind.AHEAD)
    note = models.TextField()
    note_sha256 = models.CharField(max_length=64)
    number = models.PositiveBigIntegerField(help_text=_("the checkpoint's, or the key's"))
    adopted = models.BooleanField(help_text=_("whether its segment was taken over without its leaves, or its key, so that the list goes on from it"))
    reason = models.CharField(max_length=300)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "note_sha256"], name="ledger_checkpointalarm_once"),
            models.CheckConstraint(condition=Q(kind__in=["ahead", "key", "lost"]), name="ledger_checkpointalarm_known_kind"),
            models.CheckConstraint(condition=~Q(reason=""), name="ledger_checkpointalarm_reason"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"checkpoint {self.number}"
