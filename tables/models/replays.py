"""Replays: how far a job that settles rounds again has come, and the wagers that differ. A sandbox: nothing here is of the books."""

from __future__ import annotations

from django.db import models


class ReplayRun(models.Model):
    """A replay's job so far: the rounds up to the key `last` are settled again, `kept` is what came out of them."""

    job = models.OneToOneField("casino.Job", models.PROTECT, related_name="+")
    done = models.PositiveIntegerField(default=0)
    of = models.PositiveIntegerField()
    last = models.BigIntegerField(default=0)
    kept = models.JSONField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return str(self.job)


class ReplayDifference(models.Model):
    """One wager that another version or rule settles otherwise, in minor units from the house's side. Append-only."""

    run = models.ForeignKey(ReplayRun, models.PROTECT, related_name="differences")
    round = models.ForeignKey("tables.Round", models.PROTECT, related_name="+")
    table = models.CharField(max_length=20)
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    bet = models.CharField(max_length=20)
    stake = models.BigIntegerField()
    kept_win = models.BigIntegerField()
    replayed_win = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "round", "seat", "kind"], name="tables_replaydifference_once")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.table} {self.kind} {self.difference}"

    @property
    def difference(self) -> int:
        """Return what the house would have won more."""
        return self.replayed_win - self.kept_win
