"""`python manage.py draw_sample SHIFT`: what the shift's committed seed draws, done again and held against what is kept."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from audit.draw import draw, seed_hash
from audit.draws import population, verify
from audit.models import Draw
from tables.models import Shift


class Command(BaseCommand):
    """Draws again: with the kept seed, or with one that is given."""

    help = "Draw a shift's rounds and sessions again from its revealed seed, and check what is kept. Exit code 2 where something is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("shift", type=UUID, help="the shift's UUID")
        parser.add_argument("--seed", help="64 hex digits; without it the seed that was revealed")
        parser.add_argument("--rounds", type=int, default=20)
        parser.add_argument("--sessions", type=int, default=2)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the draw as JSON."""
        shift = Shift.objects.filter(uuid=options["shift"]).first()
        if shift is None:
            raise CommandError("There is no such shift.")
        kept = Draw.objects.select_related("commitment", "shift").filter(shift=shift).first()
        if kept is None and not options["seed"]:
            raise CommandError("The seed of this shift is not revealed.")
        seed = _seed(options["seed"]) if options["seed"] or kept is None else bytes(kept.seed)
        rounds, sessions = population(shift)
        answer = {
            "shift": str(shift.uuid),
            "seed": seed.hex(),
            "seed_sha256": seed_hash(seed),
            "rounds": [{"place": one.place, "uuid": str(one.thing), "score": one.score} for one in draw(seed, shift.uuid, rounds, options["rounds"])],
            "sessions": [
                {"place": one.place, "uuid": str(one.thing), "score": one.score} for one in draw(seed, shift.uuid, sessions, options["sessions"])
            ],
            "wrong": verify(kept) if kept else [],
        }
        self.stdout.write(json.dumps(answer, indent=2))
        if answer["wrong"]:
            raise CommandError("The kept draw is not what its seed draws.", returncode=2)


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError as error:
        raise CommandError("A seed is 64 hex digits.") from error
    if len(seed) != 32:
        raise CommandError("A seed is 64 hex digits.")
    return seed
