"""Drop boxes: pulled from the table by two carriers under a seal, and what the count team found in them."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt
from casino.money import CEILING


class BoxPull(models.Model):
    """A box was taken from its table: its number, its seal, two carriers. `per_day`: one box a table and gaming day, else one a session."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    session = models.OneToOneField("tables.TableSession", models.PROTECT, related_name="box")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="boxes")
    gaming_day = models.DateField()
    per_day = models.BooleanField()
    box = models.CharField(max_length=20)
    seal = models.CharField(max_length=20)
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    carried_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    carried_with = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("box")
        verbose_name_plural = _("boxes")
        constraints = [
            models.UniqueConstraint(fields=["table", "gaming_day"], condition=Q(per_day=True), name="tables_boxpull_once_a_day"),
            models.CheckConstraint(condition=~Q(carried_by=F("carried_with")), name="tables_boxpull_two_carriers"),
            models.CheckConstraint(condition=~Q(box="") & ~Q(seal=""), name="tables_boxpull_says_which"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return gettext("box %(box)s · %(session)s") % {"box": self.box, "session": self.session}


class DropCount(models.Model):
    """What was counted in a drop box, by two people of the count team: `total` is currency, instruments, tickets and coupons together."""

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="drop_counts")
    pull = models.ForeignKey(BoxPull, models.PROTECT, null=True, related_name="counts")
    sequence = models.PositiveSmallIntegerField(default=1)
    box = models.CharField(max_length=20)
    seal = models.CharField(max_length=20, help_text=_("as it was found on the box"))
    total = models.BigIntegerField()
    denominations = models.JSONField(help_text=_("how many notes of each value, in minor units"))
    instruments = models.BigIntegerField(default=0, help_text=_("markers, in minor units"))
    tickets = models.BigIntegerField(default=0)
    coupons = models.BigIntegerField(default=0, help_text=_("promotional chips and coupons at their face, in minor units"))
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    counted_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    witness = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    reopening = models.OneToOneField("tables.CountReopening", models.PROTECT, null=True, related_name="drop_count")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "sequence"], name="tables_dropcount_once"),
            models.CheckConstraint(condition=Q(total__gte=0, total__lt=CEILING), name="tables_dropcount_total"),
            models.CheckConstraint(condition=~Q(counted_by=F("witness")), name="tables_dropcount_two_people"),
            models.CheckConstraint(condition=Q(instruments__gte=0, tickets__gte=0, coupons__gte=0), name="tables_dropcount_no_negatives"),
            models.CheckConstraint(condition=Q(sequence=1) | Q(reopening__isnull=False), name="tables_dropcount_again_if_reopened"),
        ]
        ordering = ["session", "sequence"]

    def __str__(self) -> str:
        return gettext("box %(box)s · %(session)s") % {"box": self.box, "session": self.session}
