"""Rounds that came in by a file: the file, who handed it in, and which rounds it brought. Added to only."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class RoundImport(models.Model):
    """One file of slips that was imported whole."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, help_text=_("of the slips, a line each, as they were handed in"))
    rounds = models.PositiveIntegerField(help_text=_("how many it brought"))
    already = models.PositiveIntegerField(help_text=_("how many were in before"))
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        verbose_name = _("import of rounds")
        verbose_name_plural = _("imports of rounds")
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class ImportedRound(models.Model):
    """A round that an import brought."""

    round = models.OneToOneField("tables.Round", models.PROTECT, related_name="imported", primary_key=True)
    source = models.ForeignKey(RoundImport, models.PROTECT, related_name="brought")
    line = models.PositiveIntegerField()

    class Meta:
        ordering = ["source", "line"]

    def __str__(self) -> str:
        return f"{self.source} {self.line}"


class ImportFile(models.Model):
    """A file that waits for a worker, or was worked at: what a browser or a program handed in, byte for byte."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=200)
    content = models.BinaryField()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name
