"""Chips that patrons changed into cash at the cage."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import shown
from casino.append_only import RecordedAt
from casino.money import CEILING


class CashOut(models.Model):
    """Chips came to the cage and cash left it: an event of its own, at no table."""

    uuid = models.UUIDField(unique=True, help_text=_("made by whoever hands it in: the idempotency key"))
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="cash_outs")
    amount = models.BigIntegerField()
    patron = models.CharField(max_length=40, blank=True)
    declined = models.BooleanField(default=False, help_text=_("the patron was asked for and did not say"))
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("cash-out")
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0, amount__lt=CEILING), name="tables_cashout_amount"),
            models.CheckConstraint(condition=Q(declined=False) | Q(patron=""), name="tables_cashout_declined_or_named"),
        ]
        indexes = [models.Index(fields=["property", "gaming_day"], name="tables_cashout_day")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return gettext("cash-out %(at)s") % {"at": shown.stamp(self.occurred_at, self.property)}
