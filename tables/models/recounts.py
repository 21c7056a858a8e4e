"""A count is taken once more: a shift manager proposes it, an auditor approves it, and the new count stands beside the old one."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class CountReopening(models.Model):
    """A shift manager wants a count of `session` to be taken once more, and says why."""

    class Count(models.TextChoices):
        OPENER = "opener"
        CLOSER = "closer"
        DROP = "drop"

    uuid = models.UUIDField(unique=True, help_text=_("made by whoever proposes: the idempotency key"))
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="reopenings")
    count = models.CharField(max_length=6, choices=Count.choices)
    reason = models.CharField(max_length=300)
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("reopened count")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="tables_countreopening_says_why"),
            models.CheckConstraint(condition=Q(count__in=["opener", "closer", "drop"]), name="tables_countreopening_known_count"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return gettext("%(count)s once more · %(session)s") % {"count": self.get_count_display(), "session": self.session}


class CountReopeningEvent(models.Model):
    """`proposed`; then `approved`, `refused` or `withdrawn`; an approved one is `counted` when the new count is in."""

    class State(models.TextChoices):
        PROPOSED = "proposed"
        APPROVED = "approved"
        REFUSED = "refused"
        WITHDRAWN = "withdrawn"
        COUNTED = "counted"

    reopening = models.ForeignKey(CountReopening, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=9, choices=State.choices)
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reopening", "sequence"], name="tables_countreopeningevent_in_order"),
            models.CheckConstraint(
                condition=Q(sequence=1, state="proposed")
                | Q(sequence=2, state__in=["approved", "refused", "withdrawn"])
                | Q(sequence=3, state="counted"),
                name="tables_countreopeningevent_states",
            ),
        ]
        ordering = ["reopening", "sequence"]

    def __str__(self) -> str:
        return f"{self.reopening} {self.state}"
