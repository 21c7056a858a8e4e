"""That a text behind a sealed hash was erased: which one, who, why. The owner's command alone adds to it."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from casino.append_only import RecordedAt


class TextErasure(models.Model):
    """One text of one leaf, erased with its salt: the hash that was sealed stays, and tells nothing any more. Append-only."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    segment = models.ForeignKey("ledger.Segment", models.PROTECT, related_name="erasures")
    index = models.PositiveIntegerField()
    field = models.CharField(max_length=40)
    reason = models.CharField(max_length=300)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["segment", "index", "field"], name="ledger_texterasure_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="ledger_texterasure_reason"),
        ]
        ordering = ["segment", "index", "field"]

    def __str__(self) -> str:
        return f"{self.segment_id}/{self.index} {self.field}"
