"""Explanations of what counting found, and the two signatures under a reconciliation: append-only. Source: spec/night.md, "Life of a table", 7."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class Explanation(models.Model):
    """Why one variance of one session is as it is. The newest of an amount counts; another amount wants another explanation."""

    class Variance(models.TextChoices):
        TRAY = "tray"
        DROP = "drop"
        BOOKS = "books"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    reconciliation = models.ForeignKey("audit.ShiftReconciliation", models.PROTECT, related_name="explanations")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="explanations")
    variance = models.CharField(max_length=5, choices=Variance.choices)
    amount = models.BigIntegerField(help_text=_("the variance that is explained, minor units"))
    text = models.CharField(max_length=1000)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(variance__in=["tray", "drop", "books"]), name="audit_explanation_known_variance"),
            models.CheckConstraint(condition=~Q(text=""), name="audit_explanation_says_something"),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.variance} of {self.session}"


class Signature(models.Model):
    """One of the two signatures under a reconciliation, of exactly these figures (`fingerprint`). `is_final`: the second one, for ever.

    A trigger looks that the figures are the newest, that they are two people of the two roles, and that neither entered what they sign.
    `shift_uuid` is the shift's, so that the books can ask with one look into an index whether a shift is signed.
    """

    class Role(models.TextChoices):
        SHIFT_MANAGER = "shift_manager", _("shift manager")
        AUDITOR = "auditor", _("auditor")

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    reconciliation = models.ForeignKey("audit.ShiftReconciliation", models.PROTECT, related_name="signatures")
    shift_uuid = models.UUIDField()
    role = models.CharField(max_length=13, choices=Role.choices)
    fingerprint = models.BinaryField(max_length=32)
    is_final = models.BooleanField()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reconciliation", "role"], name="audit_signature_once_a_role"),
            models.UniqueConstraint(fields=["reconciliation", "by"], name="audit_signature_two_people"),
            models.UniqueConstraint(fields=["shift_uuid"], condition=Q(is_final=True), name="audit_signature_final_once"),
            models.CheckConstraint(condition=Q(role__in=["shift_manager", "auditor"]), name="audit_signature_known_role"),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.by} for {self.reconciliation}"
