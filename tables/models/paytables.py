"""Paytable versions and which of them is in force where, from when."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from casino.append_only import RecordedAt


class PaytableVersion(models.Model):
    """An approved version: immutable, identified by the SHA-256 of its canonical JSON (`content`)."""

    game = models.CharField(max_length=20)
    name = models.CharField(max_length=60)
    version = models.PositiveIntegerField()
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64, unique=True)
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approval = models.CharField(max_length=120, help_text="the approval's reference")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="tables_paytableversion_once"),
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="tables_paytableversion_two_people"),
        ]
        ordering = ["name", "version"]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


class TablePaytable(models.Model):
    """A version is in force at a table from a moment on, until the next row's."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="paytables")
    version = models.ForeignKey(PaytableVersion, models.PROTECT, related_name="in_force")
    from_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "from_at"], name="tables_tablepaytable_once")]
        ordering = ["table", "from_at"]

    def __str__(self) -> str:
        return f"{self.version} at {self.table}"
