"""Chips and cash that moved at a table, and what was counted."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q

from casino.append_only import RecordedAt
from casino.money import CEILING


class ChipMovement(models.Model):
    """A buy-in, fill or chip credit. `number` is the slip's, gap-free per property and kind; a buy-in has none."""

    class Kind(models.TextChoices):
        BUY_IN = "buy_in", "buy-in"
        FILL = "fill"
        CHIP_CREDIT = "chip_credit", "chip credit"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True)
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="movements")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    number = models.PositiveIntegerField(null=True)
    amount = models.BigIntegerField()
    denominations = models.JSONField(null=True, help_text="how many chips of each value, where they were counted out")
    patron = models.CharField(max_length=40, blank=True)
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    requested_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    issued_by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    received_by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["property", "kind", "number"], name="tables_chipmovement_number_once"),
            models.CheckConstraint(condition=Q(amount__gt=0, amount__lt=CEILING), name="tables_chipmovement_amount"),
            models.CheckConstraint(
                condition=Q(kind="buy_in", number__isnull=True) | (~Q(kind="buy_in") & Q(number__isnull=False)),
                name="tables_chipmovement_numbered",
            ),
            models.CheckConstraint(
                condition=Q(kind="buy_in")
                | (
                    ~Q(requested_by=F("issued_by"))
                    & ~Q(issued_by=F("received_by"))
                    & ~Q(requested_by=F("received_by"))
                    & Q(issued_by__isnull=False)
                    & Q(received_by__isnull=False)
                ),
                name="tables_chipmovement_three_people",
            ),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.number or ''}".strip()


class SlipCounter(models.Model):
    """The last slip number of a kind at a property: row-locked, so that numbers have no gaps."""

    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12)
    last = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "kind"], name="tables_slipcounter_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.last}"


class TrayCount(models.Model):
    """What was counted in a tray: the opener or the closer, by denomination."""

    class Kind(models.TextChoices):
        OPENER = "opener"
        CLOSER = "closer"

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="tray_counts")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    sequence = models.PositiveSmallIntegerField(default=1)
    total = models.BigIntegerField()
    denominations = models.JSONField(help_text="how many chips of each value, in minor units")
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    counted_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    witness = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "kind", "sequence"], name="tables_traycount_once"),
            models.CheckConstraint(condition=Q(total__gte=0, total__lt=CEILING), name="tables_traycount_total"),
            models.CheckConstraint(condition=~Q(counted_by=F("witness")), name="tables_traycount_two_people"),
        ]
        ordering = ["session", "kind", "sequence"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.session}"


class DropCount(models.Model):
    """What was counted in a drop box, by two people of the count team."""

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="drop_counts")
    sequence = models.PositiveSmallIntegerField(default=1)
    box = models.CharField(max_length=20)
    seal = models.CharField(max_length=20)
    total = models.BigIntegerField()
    denominations = models.JSONField(help_text="how many notes of each value, in minor units")
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    counted_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    witness = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "sequence"], name="tables_dropcount_once"),
            models.CheckConstraint(condition=Q(total__gte=0, total__lt=CEILING), name="tables_dropcount_total"),
            models.CheckConstraint(condition=~Q(counted_by=F("witness")), name="tables_dropcount_two_people"),
        ]
        ordering = ["session", "sequence"]

    def __str__(self) -> str:
        return f"box {self.box} of {self.session}"
