"""The key that signs checkpoints, at set-up."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from casino.errors import CasinoError
from ledger import notes
from ledger.seal_key import make_key


class Command(BaseCommand):
    """`manage.py make_seal_key`: run where the sealing worker runs; the same key again where there is one."""

    help = "Make the key that signs checkpoints (PITBOOK_SEAL_KEY), unless there is one, and print its public half."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it and say it."""
        try:
            key = make_key()
        except CasinoError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{notes.verifier_key(key.origin, bytes(key.public))}\nSHA-256 {notes.fingerprint(bytes(key.public))}")
        self.stdout.write(f"Private key: {settings.SEAL_KEY}. Checkpoints go to {settings.CHECKPOINTS}.")
