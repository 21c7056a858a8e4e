"""What the audit found and reconciled: append-only rows of its own."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from audit.case_models import Evidence
from audit.draw_models import Draw, DrawCommitment, DrawnItem, DrawOutcome
from audit.note_models import ShiftNote
from audit.signing_models import Explanation, Signature
from audit.statistic_models import SessionMoments, StatisticResult, StatisticRun
from casino.append_only import RecordedAt
from casino.words import word

__all__ = [
    "Draw",
    "DrawCommitment",
    "DrawOutcome",
    "DrawnItem",
    "Evidence",
    "Explanation",
    "Finding",
    "FindingEvent",
    "ReportFile",
    "SessionMoments",
    "SessionReconciliation",
    "ShiftNote",
    "ShiftReconciliation",
    "Signature",
    "StatisticResult",
    "StatisticRun",
]


class Finding(models.Model):
    """Something the audit noticed: a reason to look. Unique by its key, so that a second look adds none."""

    class Severity(models.TextChoices):
        NOTE = "note"
        MINOR = "minor"
        MAJOR = "major"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.CharField(max_length=160, unique=True, help_text=_("round, seat, wager and kind; or session and kind"))
    kind = models.CharField(max_length=20)
    severity = models.CharField(max_length=5, choices=Severity.choices)
    flag = models.BooleanField(default=False, help_text=_("statistical: a reason to look, never proof"))
    shift = models.ForeignKey("tables.Shift", models.PROTECT, related_name="findings")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, null=True, related_name="findings")
    round = models.ForeignKey("tables.Round", models.PROTECT, null=True, related_name="findings")
    dealer = models.ForeignKey("tables.Dealer", models.PROTECT, null=True, related_name="findings")
    seat = models.PositiveSmallIntegerField(null=True)
    wager = models.CharField(max_length=20, blank=True)
    effect = models.BigIntegerField(help_text=_("minor units from the house's side: an overpayment of 500 is -500"))
    due = models.BigIntegerField(null=True, help_text=_("the patron's net by the rules, or the expected count"))
    done = models.BigIntegerField(null=True, help_text=_("what finally moved, or the counted figure"))
    why = models.TextField(help_text=_("the reason sheet"))
    facts = models.JSONField(default=dict)
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(severity__in=["note", "minor", "major"]), name="audit_finding_known_severity")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return word(self.kind)


class FindingEvent(models.Model):
    """What became of a finding: open, assigned, answered, reviewed, closed. A trigger guards the order and who may take which step.

    `owner` is who is to answer (from `assigned` on); `cause`, `saved` and `lost` (minor units) are said with the answer, and again, where the
    reviewer or whoever closes it knows better: the last ones said count. An event of the state that it has already is a word added.
    """

    class State(models.TextChoices):
        OPEN = "open"
        ASSIGNED = "assigned"
        ANSWERED = "answered"
        REVIEWED = "reviewed"
        CLOSED = "closed"

    finding = models.ForeignKey(Finding, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices)
    by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+", help_text=_("empty where the audit itself opened it"))
    note = models.CharField(max_length=1000, blank=True)
    owner = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    cause = models.CharField(max_length=20, blank=True)
    saved = models.BigIntegerField(null=True, help_text=_("what was recovered or prevented, minor units"))
    lost = models.BigIntegerField(null=True, help_text=_("what stays lost, minor units"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["finding", "sequence"], name="audit_findingevent_in_order"),
            models.CheckConstraint(condition=Q(state__in=["open", "assigned", "answered", "reviewed", "closed"]), name="audit_findingevent_states"),
            models.CheckConstraint(
                condition=(Q(saved__isnull=True) | Q(saved__gte=0)) & (Q(lost__isnull=True) | Q(lost__gte=0)), name="audit_findingevent_sums"
            ),
        ]
        ordering = ["finding", "sequence"]

    def __str__(self) -> str:
        return f"{self.finding} {self.state}"


class ShiftReconciliation(models.Model):
    """A shift put together from its books, rounds and counts. A new one only where a figure changed since the last (`fingerprint`).

    Figures that came back to what they were are a new one too: the newest is what counts.
    """

    class Grade(models.TextChoices):
        ESTIMATE = "estimate"
        COUNTED = "counted"
        FINAL = "final"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    shift = models.ForeignKey("tables.Shift", models.PROTECT, related_name="reconciliations")
    sequence = models.PositiveSmallIntegerField()
    grade = models.CharField(max_length=8, choices=Grade.choices)
    fingerprint = models.BinaryField(max_length=32)
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["shift", "sequence"], name="audit_shiftreconciliation_in_order"),
        ]
        ordering = ["shift", "-sequence"]

    def __str__(self) -> str:
        return f"{self.shift}, reconciliation {self.sequence}"


class SessionReconciliation(models.Model):
    """One session's line: minor units; None where something was not counted yet or cannot be known."""

    reconciliation = models.ForeignKey(ShiftReconciliation, models.PROTECT, related_name="lines")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="reconciliations")
    rounds = models.PositiveIntegerField()
    irregular = models.PositiveIntegerField()
    opener = models.BigIntegerField(null=True)
    closer = models.BigIntegerField(null=True)
    expected_closer = models.BigIntegerField(null=True)
    fills = models.BigIntegerField()
    chip_credits = models.BigIntegerField()
    buy_ins = models.BigIntegerField()
    markers_issued = models.BigIntegerField(default=0)
    markers_redeemed = models.BigIntegerField(default=0, help_text=_("in chips, at the table"))
    cash_collected = models.BigIntegerField(default=0, help_text=_("money plays that were lost: cash into the box"))
    coupons = models.BigIntegerField(default=0, help_text=_("promotional chips and coupons taken into the box, at their face"))
    promo_paid = models.BigIntegerField(default=0, help_text=_("promotional cost: what promotional stakes were paid in chips; in `paid` too"))
    rake_dropped = models.BigIntegerField(default=0)
    expected_drop = models.BigIntegerField(null=True)
    drop = models.BigIntegerField(null=True)
    handle = models.BigIntegerField()
    collected = models.BigIntegerField()
    paid = models.BigIntegerField()
    win_by_play = models.BigIntegerField()
    win_by_count = models.BigIntegerField(null=True)
    tray_variance = models.BigIntegerField(null=True)
    drop_variance = models.BigIntegerField(null=True)
    payout_variance = models.BigIntegerField()
    book_variance = models.BigIntegerField(help_text=_("rounds' win minus the books': zero unless an entry is missing or wrong"))
    rake = models.BigIntegerField()
    theoretical_win = models.BigIntegerField(null=True)
    breakage = models.CharField(max_length=40, blank=True, help_text=_("an exact fraction of a minor unit"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reconciliation", "session"], name="audit_sessionreconciliation_once")]
        ordering = ["reconciliation", "session"]

    def __str__(self) -> str:
        return f"{self.session}"


class TableDayReconciliation(models.Model):
    """One table's gaming day where boxes are pulled once a day: drop, hold and win by count are the day's. Minor units."""

    reconciliation = models.ForeignKey(ShiftReconciliation, models.PROTECT, related_name="days")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="+")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="+", help_text=_("from which the box was pulled"))
    gaming_day = models.DateField()
    drop = models.BigIntegerField(null=True)
    expected_drop = models.BigIntegerField()
    drop_variance = models.BigIntegerField(null=True)
    win_by_play = models.BigIntegerField()
    win_by_count = models.BigIntegerField(null=True)
    tray_variance = models.BigIntegerField(null=True)
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reconciliation", "table"], name="audit_tableday_once")]
        ordering = ["reconciliation", "table"]

    def __str__(self) -> str:
        return f"{self.table}, {self.gaming_day}"


class ReportFile(models.Model):
    """A report that was written: what it covers, its format, bytes' hash and place. `shift` where it is of one; else `filters` as asked for."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    shift = models.ForeignKey("tables.Shift", models.PROTECT, null=True, related_name="report_files")
    report = models.CharField(max_length=40)
    filters = models.JSONField(default=dict)
    format = models.CharField(max_length=4)
    content_sha256 = models.CharField(max_length=64, help_text=_("of the report's content, whatever the format"))
    file_sha256 = models.CharField(max_length=64)
    path = models.CharField(max_length=500)
    size = models.BigIntegerField()
    asked_by = models.ForeignKey("casino.User", models.PROTECT, null=True, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.path


class ReportPrint(models.Model):
    """Somebody had a report put on paper. From the second print of the same content on, paper says that it is one."""

    identity = models.CharField(max_length=200)
    content_sha256 = models.CharField(max_length=64)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        indexes = [models.Index(fields=["content_sha256"], name="audit_reportprint_content")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.identity


class Mailing(models.Model):
    """Somebody wants a report by e-mail: every day, week or month, about the span that has just ended. `ended_at` once it is not wanted any more."""

    class Every(models.TextChoices):
        DAY = "day", _("every day")
        WEEK = "week", _("every Monday")
        MONTH = "month", _("on the first of every month")

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    report = models.CharField(max_length=40)
    filters = models.JSONField(default=dict, help_text=_("pit, table, game, dealer; the days follow from the time it is sent"))
    format = models.CharField(max_length=4)
    every = models.CharField(max_length=5, choices=Every.choices)
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="+")
    user = models.ForeignKey(
        "casino.User", models.PROTECT, related_name="mailings", help_text=_("whose rights count when it is sent, and who gets it")
    )
    recorded_at = RecordedAt()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(every__in=["day", "week", "month"]), name="audit_mailing_known_rhythm")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.report}, {self.get_every_display()}"
