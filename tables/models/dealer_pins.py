"""How dealers sign: a PIN on the supervisor's screen. Dealers have no sign-in."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class DealerPin(models.Model):
    """A dealer's PIN, hashed; the newest counts."""

    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, related_name="pins")
    sequence = models.PositiveSmallIntegerField()
    hash = models.CharField(max_length=160)
    set_at = models.DateTimeField()
    recorded_at = RecordedAt()
    set_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dealer", "sequence"], name="tables_dealerpin_in_order")]
        ordering = ["dealer", "sequence"]

    def __str__(self) -> str:
        return f"PIN {self.sequence} of {self.dealer}"


class DealerPinFailure(models.Model):
    """A wrong PIN was typed: too many of them lock the dealer's PIN for a while."""

    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, related_name="pin_failures")
    at = models.DateTimeField(help_text=_("by the door's clock, which counts for the lock"))
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+", help_text=_("on whose screen"))

    class Meta:
        indexes = [models.Index(fields=["dealer", "-at"], name="tables_dealerpinfailure_last")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"wrong PIN of {self.dealer}"
