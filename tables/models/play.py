"""Rounds as dealers dealt them, and every wager: what was due, and what the dealer did."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import MadeIn, RecordedAt
from casino.money import CEILING


class Round(models.Model):
    """One round. `deal`: canonical JSON of the cards and wagers; `cards`: the game's fixed-width form, one byte a card.

    Sums are minor units, over the round's wagers; of promotional ones they have what was paid, not the stake.
    Due is unknown (null) where the round was irregular.
    """

    known_before = False
    """Whether the service that gave this instance found the round instead of making it. No column."""
    just_kept: Any = None
    """What the service that made the round by this instance knows of it (`tables.round_answer.JustKept`), None where it was read. No column."""

    uuid = models.UUIDField(unique=True, help_text=_("made by whoever handed the slip in: the idempotency key"))
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=64)
    game = models.CharField(max_length=20)
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    made_in = MadeIn()
    recorded_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, related_name="rounds")
    paytable = models.ForeignKey("tables.PaytableVersion", models.PROTECT, related_name="rounds")
    engine_version = models.CharField(max_length=20)
    deal = models.BinaryField()
    cards = models.BinaryField()
    settlement = models.TextField(help_text=_("the answer that was given, as JSON"))
    fingerprint = models.BinaryField(max_length=32)
    irregular = models.CharField(max_length=300, blank=True, help_text=_("the reason, where what happened was against the rules"))
    late = models.BooleanField(default=False)
    replaces = models.OneToOneField("self", models.PROTECT, null=True, related_name="replaced_by")
    wager_count = models.PositiveSmallIntegerField()
    handle = models.BigIntegerField()
    collect = models.BigIntegerField(null=True)
    pay = models.BigIntegerField(null=True)
    rake = models.BigIntegerField(default=0)
    collected = models.BigIntegerField()
    paid = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="tables_round_number_once"),
            models.UniqueConstraint(fields=["id", "gaming_day"], name="tables_round_day"),
            models.CheckConstraint(
                condition=(Q(irregular="") & Q(collect__isnull=False) & Q(pay__isnull=False))
                | (~Q(irregular="") & Q(collect__isnull=True) & Q(pay__isnull=True)),
                name="tables_round_due_unless_irregular",
            ),
            models.CheckConstraint(condition=Q(collected__gte=0, paid__gte=0, handle__gte=0), name="tables_round_no_negatives"),
        ]
        indexes = [
            models.Index(fields=["gaming_day", "id"], name="tables_round_gaming_day"),
            models.Index(fields=["label"], name="tables_round_label"),
            models.Index(fields=["-id"], condition=~Q(irregular=""), name="tables_round_irregular"),
            models.Index(fields=["-id"], condition=Q(irregular="") & ~Q(collected=F("collect"), paid=F("pay")), name="tables_round_off"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.label}"

    @property
    def house_net(self) -> int:
        """Return what the round brought the house: collected - paid."""
        return self.collected - self.paid

    @property
    def payout_variance(self) -> int | None:
        """Return (collected - paid) - (collect - pay), from the house's side; None where due is unknown."""
        if self.collect is None or self.pay is None:
            return None
        return (self.collected - self.paid) - (self.collect - self.pay)


class Wager(models.Model):
    """One wager: stake, what was due (collect, pay) and what was done (collected, paid). Partitioned by month of `gaming_day`."""

    class Mispaid(models.TextChoices):
        CORRECTED = "corrected", _("corrected at the table")
        NOT_RECOVERED = "not_recovered", _("not recovered")

    class Fund(models.TextChoices):
        CHIPS = "chips"
        CASH = "cash", _("cash (money plays)")
        PROMO = "promo", _("promotional chips or coupon")

    id = models.BigAutoField(primary_key=True)
    gaming_day = models.DateField()
    round = models.ForeignKey(Round, models.PROTECT, related_name="wagers", db_constraint=False)
    line = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    patron = models.CharField(max_length=40, blank=True)
    stake = models.BigIntegerField()
    collect = models.BigIntegerField(null=True)
    pay = models.BigIntegerField(null=True)
    row = models.CharField(max_length=20, blank=True, help_text=_("the paytable row that decided"))
    breakage = models.CharField(max_length=40, blank=True, help_text=_("what rounding took, an exact fraction of a minor unit"))
    uncapped = models.BigIntegerField(null=True, help_text=_("the patron's net without caps, where one cut it"))
    collected = models.BigIntegerField()
    paid = models.BigIntegerField()
    mispaid = models.CharField(max_length=14, blank=True, choices=Mispaid.choices)
    first_collected = models.BigIntegerField(null=True)
    first_paid = models.BigIntegerField(null=True)
    note = models.CharField(max_length=300, blank=True)
    fund = models.CharField(max_length=5, choices=Fund.choices, default=Fund.CHIPS, db_default="chips", help_text=_("what was put down"))
    for_dealer = models.BooleanField(default=False, db_default=False, help_text=_("a patron's wager for the dealer"))

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(fund__in=["chips", "cash", "promo"]), name="tables_wager_known_fund"),
            models.UniqueConstraint(fields=["round", "line", "gaming_day"], name="tables_wager_line_once"),
            models.UniqueConstraint(fields=["round", "seat", "kind", "gaming_day"], name="tables_wager_once"),
            models.CheckConstraint(condition=Q(stake__gte=0, stake__lt=CEILING), name="tables_wager_stake"),
            models.CheckConstraint(condition=Q(collected__gte=0) & Q(collected__lte=F("stake")), name="tables_wager_collected"),
            models.CheckConstraint(condition=Q(paid__gte=0, paid__lt=CEILING), name="tables_wager_paid"),
            models.CheckConstraint(
                condition=(Q(collect__isnull=True) & Q(pay__isnull=True)) | Q(collect__gte=0, collect__lte=F("stake"), pay__gte=0, pay__lt=CEILING),
                name="tables_wager_due",
            ),
        ]
        ordering = ["round", "line"]

    def __str__(self) -> str:
        return f"seat {self.seat} {self.kind}"

    @property
    def payout_variance(self) -> int | None:
        """Return (collected - paid) - (collect - pay), from the house's side; None where due is unknown."""
        if self.collect is None or self.pay is None:
            return None
        return (self.collected - self.paid) - (self.collect - self.pay)
