"""Chips and cash that moved at a table, and what was counted."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt
from casino.money import CEILING
from tables.models.chip_slips import SLIP_KINDS


class ChipMovement(models.Model):
    """Chips moved at a table: a buy-in, a marker issued or redeemed in chips, a fill or chip credit (whose `number` is its slip's)."""

    class Kind(models.TextChoices):
        BUY_IN = "buy_in", _("buy-in")
        FILL = "fill"
        CHIP_CREDIT = "chip_credit", _("chip credit")
        MARKER = "marker"
        REDEMPTION = "redemption", _("marker redeemed")

    uuid = models.UUIDField(default=uuid.uuid4, unique=True)
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="movements")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    number = models.PositiveIntegerField(null=True)
    amount = models.BigIntegerField()
    denominations = models.JSONField(null=True, help_text=_("how many chips of each value, where they were counted out"))
    patron = models.CharField(max_length=40, blank=True)
    declined = models.BooleanField(default=False, help_text=_("the patron was asked for and did not say"))
    instrument = models.CharField(max_length=40, blank=True, help_text=_("a marker's number"))
    redeems = models.ForeignKey("self", models.PROTECT, null=True, related_name="redemptions", help_text=_("the marker that was redeemed"))
    slip = models.OneToOneField("tables.ChipSlip", models.PROTECT, null=True, related_name="movement")
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    requested_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    issued_by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    received_by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, null=True, related_name="+", help_text=_("who signed at the table with a PIN"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["property", "kind", "number"], name="tables_chipmovement_number_once"),
            models.CheckConstraint(condition=Q(kind__in=("buy_in", "marker", "redemption", *SLIP_KINDS)), name="tables_chipmovement_known_kind"),
            models.CheckConstraint(condition=Q(amount__gt=0, amount__lt=CEILING), name="tables_chipmovement_amount"),
            models.CheckConstraint(
                condition=(Q(kind__in=SLIP_KINDS) & Q(number__isnull=False)) | (~Q(kind__in=SLIP_KINDS) & Q(number__isnull=True)),
                name="tables_chipmovement_numbered",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=SLIP_KINDS)
                | (
                    ~Q(requested_by=F("issued_by"))
                    & ~Q(issued_by=F("received_by"))
                    & ~Q(requested_by=F("received_by"))
                    & (Q(issued_by__isnull=False) | Q(kind="chip_credit", dealer__isnull=False))
                    & (Q(received_by__isnull=False) | Q(kind="fill", dealer__isnull=False))
                ),
                name="tables_chipmovement_three_people",
            ),
            models.CheckConstraint(condition=Q(declined=False) | Q(patron=""), name="tables_chipmovement_declined_or_named"),
            models.CheckConstraint(condition=~Q(kind="marker") | (~Q(patron="") & ~Q(instrument="")), name="tables_chipmovement_marker_of_whom"),
            models.CheckConstraint(
                condition=(Q(kind="redemption") & Q(redeems__isnull=False)) | (~Q(kind="redemption") & Q(redeems__isnull=True)),
                name="tables_chipmovement_redeems_a_marker",
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
    """What was counted in a tray: the opener or the closer, by denomination. A closer is signed by two: `counted_by`, and a witness or a dealer.

    An opener is made from the table's last closer (`made_from`), and each closer opens a table once.
    """

    class Kind(models.TextChoices):
        OPENER = "opener"
        CLOSER = "closer"

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="tray_counts")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    sequence = models.PositiveSmallIntegerField(default=1)
    total = models.BigIntegerField()
    denominations = models.JSONField(help_text=_("how many chips of each value, in minor units"))
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    counted_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    witness = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, null=True, related_name="+", help_text=_("who signed with a PIN"))
    made_from = models.OneToOneField("self", models.PROTECT, null=True, related_name="opened")
    reopening = models.OneToOneField("tables.CountReopening", models.PROTECT, null=True, related_name="tray_count")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "kind", "sequence"], name="tables_traycount_once"),
            models.CheckConstraint(condition=Q(total__gte=0, total__lt=CEILING), name="tables_traycount_total"),
            models.CheckConstraint(condition=~Q(counted_by=F("witness")), name="tables_traycount_two_people"),
            models.CheckConstraint(
                condition=(Q(kind="closer") & (Q(witness__isnull=False) | Q(dealer__isnull=False)))
                | (Q(kind="opener") & (Q(sequence=1) | Q(witness__isnull=False) | Q(dealer__isnull=False))),
                name="tables_traycount_signed_by_two",
            ),
            models.CheckConstraint(condition=Q(made_from__isnull=True) | Q(kind="opener"), name="tables_traycount_openers_are_made"),
            models.CheckConstraint(condition=Q(sequence=1) | Q(reopening__isnull=False), name="tables_traycount_again_if_reopened"),
        ]
        ordering = ["session", "kind", "sequence"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.session}"
