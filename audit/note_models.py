"""Notes on a shift: what the next one should know and no figure tells. Append-only, by name."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from casino.append_only import RecordedAt


class ShiftNote(models.Model):
    """One note on a shift. Nothing of it is edited: a second note says what the first one did not."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    shift = models.ForeignKey("tables.Shift", models.PROTECT, related_name="notes")
    text = models.CharField(max_length=1000)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="audit_shiftnote_says_something")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.by} on {self.shift}"
