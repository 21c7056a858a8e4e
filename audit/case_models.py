"""What is added to a finding beside its states: evidence and notes, never edited."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class Evidence(models.Model):
    """A note, or where something can be seen: a camera and its time, a slip, a document. Text references; the recordings stay where they are."""

    class Kind(models.TextChoices):
        NOTE = "note"
        VIDEO = "video"
        SLIP = "slip"
        DOCUMENT = "document"
        STATEMENT = "statement"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    finding = models.ForeignKey("audit.Finding", models.PROTECT, related_name="evidence")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    reference = models.CharField(max_length=120, blank=True, help_text=_("a slip's number, a document's name"))
    camera = models.CharField(max_length=40, blank=True)
    from_at = models.DateTimeField(null=True, blank=True)
    until_at = models.DateTimeField(null=True, blank=True)
    text = models.CharField(max_length=2000, blank=True)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["note", "video", "slip", "document", "statement"]), name="audit_evidence_known_kind"),
            models.CheckConstraint(
                condition=(Q(kind="video") & ~Q(camera="") & Q(from_at__isnull=False))
                | (Q(kind__in=["slip", "document"]) & ~Q(reference=""))
                | (Q(kind__in=["note", "statement"]) & ~Q(text="")),
                name="audit_evidence_says_where",
            ),
            models.CheckConstraint(condition=Q(until_at__isnull=True) | Q(until_at__gte=F("from_at")), name="audit_evidence_takes_time"),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.finding}"
