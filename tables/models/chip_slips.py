"""Slips of fills and chip credits: a number without gaps, and one event for each person who signed."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt
from casino.money import CEILING

SLIP_KINDS = ("fill", "chip_credit")


class ChipSlip(models.Model):
    """A fill or chip credit that was requested. What became of it is its last event; the chips move when the last of three has signed."""

    class Kind(models.TextChoices):
        FILL = "fill"
        CHIP_CREDIT = "chip_credit", _("chip credit")

    uuid = models.UUIDField(unique=True, help_text=_("made by whoever requests: the idempotency key"))
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="chip_slips")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    number = models.PositiveIntegerField()
    amount = models.BigIntegerField()
    denominations = models.JSONField(help_text=_("how many chips of each value"))
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    requested_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("slip")
        constraints = [
            models.UniqueConstraint(fields=["property", "kind", "number"], name="tables_chipslip_number_once"),
            models.CheckConstraint(condition=Q(kind__in=SLIP_KINDS), name="tables_chipslip_known_kind"),
            models.CheckConstraint(condition=Q(amount__gt=0, amount__lt=CEILING), name="tables_chipslip_amount"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.number}"


class ChipSlipEvent(models.Model):
    """Somebody signed the slip: `requested`, `issued` by the cage or `sent` from the table, `received`; or it was made `void` by two."""

    class State(models.TextChoices):
        REQUESTED = "requested"
        ISSUED = "issued"
        SENT = "sent"
        RECEIVED = "received"
        VOID = "void"

    slip = models.ForeignKey(ChipSlip, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=9, choices=State.choices)
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    dealer = models.ForeignKey(
        "tables.Dealer", models.PROTECT, null=True, related_name="+", help_text=_("who signed with a PIN on the screen of `by`")
    )
    witness = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slip", "sequence"], name="tables_chipslipevent_in_order"),
            models.UniqueConstraint(
                fields=["slip", "by"], condition=Q(dealer__isnull=True) & ~Q(state="void"), name="tables_chipslipevent_three_people"
            ),
            models.CheckConstraint(
                condition=Q(sequence=1, state="requested")
                | Q(sequence=2, state__in=["issued", "sent", "void"])
                | Q(sequence=3, state__in=["received", "void"]),
                name="tables_chipslipevent_states",
            ),
            models.CheckConstraint(
                condition=(Q(state="void") & Q(witness__isnull=False) & ~Q(witness=F("by")) & ~Q(note=""))
                | (~Q(state="void") & Q(witness__isnull=True)),
                name="tables_chipslipevent_void_by_two",
            ),
            models.CheckConstraint(condition=Q(dealer__isnull=True) | Q(state__in=["sent", "received"]), name="tables_chipslipevent_dealer_at_table"),
        ]
        ordering = ["slip", "sequence"]

    def __str__(self) -> str:
        return f"{self.slip} {self.state}"
