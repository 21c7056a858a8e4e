"""Paytables: drafts that change, proposals and their ends that do not, versions, and which of them is in force where, from when.

A draft is a mutable row. Proposing keeps what it says as it is then; approval copies that into a version, for ever.
"""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt
from tables.short_code import short_code


class _Content(models.Model):
    """What a paytable says: `content` is its canonical JSON, `sha256` the identity that the database works out again."""

    game = models.CharField(max_length=20)
    name = models.CharField(max_length=64)
    version = models.PositiveIntegerField()
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def short_code(self) -> str:
        """Return the four characters that people compare: on the sheet at the table, and when a table is opened."""
        return short_code(self.sha256)


class PaytableDraft(_Content):
    """A paytable that is being typed: the one row here that changes. `revision` counts the changes, `typed_by` who made them."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    property = models.ForeignKey("tables.Property", models.PROTECT, null=True, related_name="+", help_text=_("whose limits it is held against"))
    revision = models.PositiveIntegerField(default=1)
    typed_by = ArrayField(models.BigIntegerField(), help_text=_("keys of all who typed in it: none of them approves it"))
    changed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["-changed_at"]


class PaytableProposal(_Content):
    """What somebody proposed, as it was then, with the edges and warnings that were shown. Its state is its last event."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    draft = models.ForeignKey(PaytableDraft, models.PROTECT, related_name="proposals")
    property = models.ForeignKey("tables.Property", models.PROTECT, null=True, related_name="+")
    typed_by = ArrayField(models.BigIntegerField())
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()
    note = models.CharField(max_length=300, blank=True)
    edges = models.JSONField(help_text=_("as shown when it was proposed"))
    warnings = models.JSONField(help_text=_("as shown when it was proposed"))

    class Meta:
        ordering = ["-id"]


class _Ending(models.Model):
    """A proposal's events: `proposed`, then one of the three ends."""

    class State(models.TextChoices):
        PROPOSED = "proposed"
        APPROVED = "approved"
        REFUSED = "refused"
        WITHDRAWN = "withdrawn"

    sequence = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()
    note = models.CharField(max_length=300, blank=True, help_text=_("the approval's reference, or the reason"))

    class Meta:
        abstract = True


def _first_proposed_then_over(name: str) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=Q(sequence=1, state="proposed") | Q(sequence=2, state__in=["approved", "refused", "withdrawn"]), name=name
    )


class PaytableEvent(_Ending):
    """What became of a proposed paytable. Nobody approves or refuses what they proposed or typed: a trigger looks."""

    proposal = models.ForeignKey(PaytableProposal, models.PROTECT, related_name="events")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["proposal", "sequence"], name="tables_paytableevent_in_order"),
            _first_proposed_then_over("tables_paytableevent_states"),
        ]
        ordering = ["proposal", "sequence"]

    def __str__(self) -> str:
        return f"{self.proposal} {self.state}"


class PaytableVersion(_Content):
    """An approved version: immutable, identified by the SHA-256 of its canonical JSON (`content`)."""

    name = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, unique=True)
    proposal = models.OneToOneField(PaytableProposal, models.PROTECT, null=True, related_name="approved")
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approval = models.CharField(max_length=120, help_text=_("the approval's reference"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="tables_paytableversion_once"),
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="tables_paytableversion_two_people"),
        ]
        ordering = ["name", "version"]


class PaytablePlacement(models.Model):
    """Somebody proposed to put a version in force at a table from a moment on. Its state is its last event."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="placements")
    version = models.ForeignKey(PaytableVersion, models.PROTECT, related_name="placements")
    from_at = models.DateTimeField()
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return gettext("%(version)s at %(table)s") % {"version": self.version, "table": self.table}


class PlacementEvent(_Ending):
    """What became of a proposed placement. Nobody approves or refuses their own: a trigger looks."""

    placement = models.ForeignKey(PaytablePlacement, models.PROTECT, related_name="events")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["placement", "sequence"], name="tables_placementevent_in_order"),
            _first_proposed_then_over("tables_placementevent_states"),
        ]
        ordering = ["placement", "sequence"]

    def __str__(self) -> str:
        return f"{self.placement} {self.state}"


class TablePaytable(models.Model):
    """A version is in force at a table from a moment on, until the next row's. `by` proposed it, `approved_by` approved it."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="paytables")
    version = models.ForeignKey(PaytableVersion, models.PROTECT, related_name="in_force")
    from_at = models.DateTimeField()
    recorded_at = RecordedAt()
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    placement = models.OneToOneField(PaytablePlacement, models.PROTECT, null=True, related_name="in_force")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "from_at"], name="tables_tablepaytable_once"),
            models.CheckConstraint(condition=~Q(by=F("approved_by")), name="tables_tablepaytable_two_people"),
        ]
        ordering = ["table", "from_at"]

    def __str__(self) -> str:
        return gettext("%(version)s at %(table)s") % {"version": self.version, "table": self.table}


class EdgeLimit(models.Model):
    """What a property allows as the house's edge on a bet's base stake, in millionths; the last row of a bet counts. No `bet`: every bet."""

    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="edge_limits")
    game = models.CharField(max_length=20)
    bet = models.CharField(max_length=20, blank=True)
    least_ppm = models.IntegerField()
    most_ppm = models.IntegerField()
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="tables_edgelimit_two_people"),
            models.CheckConstraint(
                condition=Q(least_ppm__gte=-1_000_000, most_ppm__lte=1_000_000, least_ppm__lte=F("most_ppm")), name="tables_edgelimit_range"
            ),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.game} {self.bet}".strip()


class PaytableSolve(models.Model):
    """The full solve of a paytable: what a job has so far (`kept`), then the exact `edges`, after which the row does not change."""

    game = models.CharField(max_length=20)
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64, unique=True)
    job = models.OneToOneField("casino.Job", models.PROTECT, related_name="+")
    done = models.PositiveIntegerField(default=0)
    of = models.PositiveIntegerField(default=0)
    kept = models.BinaryField(null=True)
    edges = models.JSONField(null=True)
    fault = models.CharField(max_length=300, blank=True, help_text=_("why it cannot be solved exactly"))

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.sha256[:12]
