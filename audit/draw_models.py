"""The committed draw: a seed's hash before the shift, the seed and what it drew after it, and what the video showed. Append-only."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt
from tables.models import Shift


class DrawCommitment(models.Model):
    """The SHA-256 of the seed of a shift to come, kept before it begins; `sealed_seed` is the seed, encrypted under the house's secret."""

    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    kind = models.CharField(max_length=5, choices=Shift.Kind.choices)
    seed_sha256 = models.CharField(max_length=64)
    sealed_seed = models.BinaryField()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "gaming_day", "kind"], name="audit_drawcommitment_once")]
        ordering = ["-gaming_day", "kind"]

    def __str__(self) -> str:
        return f"seed of the {self.kind} shift, {self.gaming_day}"


class Draw(models.Model):
    """The revealed seed of an ended shift and how much was drawn with it. A trigger holds seed, commitment and shift against each other.

    `population_sha256` is the hash of what was drawn from: a round that was added later is seen.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    commitment = models.OneToOneField(DrawCommitment, models.PROTECT, related_name="draw")
    shift = models.OneToOneField("tables.Shift", models.PROTECT, related_name="draw")
    seed = models.BinaryField(max_length=32)
    rounds = models.PositiveIntegerField(help_text=_("how many rounds were drawn from"))
    sessions = models.PositiveIntegerField()
    population_sha256 = models.CharField(max_length=64)
    by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"draw of the {self.shift}"


class DrawnItem(models.Model):
    """One round or session to be checked against video; `score` is the HMAC that chose it."""

    draw = models.ForeignKey(Draw, models.PROTECT, related_name="items")
    place = models.PositiveSmallIntegerField()
    round = models.ForeignKey("tables.Round", models.PROTECT, null=True, related_name="+")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, null=True, related_name="+")
    score = models.CharField(max_length=64)
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draw", "round"], name="audit_drawnitem_round_once"),
            models.UniqueConstraint(fields=["draw", "session"], name="audit_drawnitem_session_once"),
            models.CheckConstraint(
                condition=Q(round__isnull=False, session__isnull=True) | Q(round__isnull=True, session__isnull=False),
                name="audit_drawnitem_one_thing",
            ),
        ]
        ordering = ["draw", "place"]

    def __str__(self) -> str:
        return f"{self.draw}: {self.place}"


class DrawOutcome(models.Model):
    """What the video showed of a drawn thing. Added, never edited; the newest counts."""

    class Outcome(models.TextChoices):
        AS_RECORDED = "as_recorded", _("as recorded")
        DIFFERS = "differs"
        NO_VIDEO = "no_video", _("no video")

    item = models.ForeignKey(DrawnItem, models.PROTECT, related_name="outcomes")
    outcome = models.CharField(max_length=11, choices=Outcome.choices)
    camera = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=["as_recorded", "differs", "no_video"]), name="audit_drawoutcome_known"),
            models.CheckConstraint(condition=Q(outcome="as_recorded") | ~Q(note=""), name="audit_drawoutcome_says_why"),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.item}: {self.outcome}"
