"""The alarm that a published checkpoint is ahead of the books, acknowledged by name."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.errors import CasinoError
from casino.models import User
from ledger.alarms import acknowledge
from ledger.models import CheckpointAlarm

KIND = CheckpointAlarm.Kind
NAMES: dict[str, str] = {KIND.AHEAD: "Checkpoint", KIND.KEY: "Key", KIND.LOST: "Checkpoint"}
HOW: dict[tuple[str, bool], str] = {
    (KIND.AHEAD, True): "taken over without its leaves",
    (KIND.AHEAD, False): "not taken over: it does not continue the books",
    (KIND.KEY, True): "taken over",
    (KIND.KEY, False): "not taken over: the books' newest key did not announce it",
    (KIND.LOST, False): "published again with the next seal",
}


class Command(BaseCommand):
    """`manage.py acknowledge_checkpoint --by STAFF --reason TEXT`."""

    help = "Acknowledge that books and file of checkpoints differ (a restored backup, a lost file), so that posting and sealing go on."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who and why."""
        parser.add_argument("--by", required=True, metavar="STAFF", help="a shift manager's or auditor's staff number")
        parser.add_argument("--reason", required=True, help="which backup was restored, and why")

    def handle(self, *args: Any, by: str, reason: str, **options: Any) -> None:
        """Acknowledge, and say what was taken over."""
        user = User.objects.filter(username=by).first()
        if user is None:
            raise CommandError(f"Nobody has the staff number {by}.")
        try:
            done = acknowledge(reason=reason, by=user)
        except CasinoError as error:
            raise CommandError(error.message) from error
        for alarm in done:
            self.stdout.write(f"{NAMES[alarm.kind]} {alarm.number}: acknowledged by {user}, {HOW[alarm.kind, alarm.adopted]}.")
        if not done:
            self.stdout.write("What was acknowledged before is taken over now.")
