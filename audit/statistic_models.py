"""What the statistics found, with the rule, its threshold and the value: append-only, so that a flag can be understood years later."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import shown
from casino.append_only import RecordedAt


class SessionMoments(models.Model):
    """What a dealer's rounds in one session brought, and what was to be expected of them: exact enough to add up over a year.

    Minor units; `expected` and `variance` to a millionth of one (and of its square). `gaps` between rounds took `seconds`, pauses left out.
    Of the newest reconciliation of a shift they count, of older ones not.
    """

    reconciliation = models.ForeignKey("audit.ShiftReconciliation", models.PROTECT, related_name="moments")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="+")
    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    rounds = models.PositiveIntegerField()
    left_out = models.PositiveIntegerField()
    win = models.BigIntegerField()
    taken_out = models.BigIntegerField()
    expected = models.DecimalField(max_digits=40, decimal_places=6)
    variance = models.DecimalField(max_digits=60, decimal_places=6)
    gaps = models.PositiveIntegerField()
    seconds = models.PositiveIntegerField()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reconciliation", "session", "dealer"], name="audit_sessionmoments_once")]
        indexes = [models.Index(fields=["gaming_day"], name="audit_sessionmoments_day")]
        ordering = ["reconciliation", "session", "dealer"]

    def __str__(self) -> str:
        return f"{self.dealer} at {self.session}"


class StatisticRun(models.Model):
    """One look at everything up to the end of a gaming day: the family within which many comparisons were corrected."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    fingerprint = models.CharField(max_length=64, help_text=_("SHA-256 of the results: the same figures make no second run"))
    correction = models.CharField(max_length=20, help_text=_("how many comparisons were corrected: holm"))
    left_out = models.PositiveIntegerField(help_text=_("rounds left out: irregular, or of a game without odds to expect by"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "gaming_day", "fingerprint"], name="audit_statisticrun_once")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return gettext("statistics to %(gaming_day)s") % {"gaming_day": shown.day(self.gaming_day)}


class StatisticResult(models.Model):
    """One figure of a run: of what (`scope`, `subject`), over which time (`span`), its value against the rule's threshold.

    Amounts are whole minor units, error rates whole millionths of a round's errors, paces hundredths of rounds an hour; `low` and `high` are
    the 95 % interval. `p` and `adjusted` are millionths too: no float is kept.
    """

    class Rule(models.TextChoices):
        WIN = "win", _("win against expectation")
        ERRORS = "errors", _("error rate against the house")
        PACE = "pace", _("rounds an hour")

    run = models.ForeignKey(StatisticRun, models.PROTECT, related_name="results")
    rule = models.CharField(max_length=6, choices=Rule.choices)
    scope = models.CharField(max_length=7, help_text=_("table, game, dealer, shift, house"))
    subject = models.CharField(max_length=60)
    span = models.CharField(max_length=5, help_text=_("shift, day, 7d, 30d, mtd, ytd"))
    rounds = models.PositiveIntegerField()
    value = models.BigIntegerField()
    expected = models.BigIntegerField(null=True)
    low = models.BigIntegerField(null=True)
    high = models.BigIntegerField(null=True)
    taken_out = models.BigIntegerField(default=0, help_text=_("of payouts beyond ten to one: taken out of value and expectation, and listed"))
    p = models.PositiveIntegerField(null=True)
    adjusted = models.PositiveIntegerField(null=True)
    threshold = models.PositiveIntegerField(help_text=_("flagged where the adjusted p is below this, in millionths"))
    flagged = models.BooleanField()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "rule", "scope", "subject", "span"], name="audit_statisticresult_once")]
        ordering = ["run", "rule", "scope", "subject", "span"]

    def __str__(self) -> str:
        return f"{self.rule} of {self.subject}, {self.span}"
