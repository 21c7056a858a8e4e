"""A new key for checkpoints."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.errors import CasinoError
from casino.models import User
from ledger import notes
from ledger.seal_key import rotate_key, signer


class Command(BaseCommand):
    """`manage.py rotate_seal_key --by STAFF`: run where the sealing worker runs."""

    help = "Make a new key that signs checkpoints; the old one announces it in a signed, published note."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the name."""
        parser.add_argument("--by", required=True, metavar="STAFF", help="the auditor's staff number")

    def handle(self, *args: Any, by: str, **options: Any) -> None:
        """Change it and say it."""
        user = User.objects.filter(username=by).first()
        if user is None:
            raise CommandError(f"Nobody has the staff number {by}.")
        try:
            key = rotate_key(by=user, at=timezone.now())
            signer()  # puts the new key's file in the old one's place
        except CasinoError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{notes.verifier_key(key.origin, bytes(key.public))}\nSHA-256 {notes.fingerprint(bytes(key.public))}")
