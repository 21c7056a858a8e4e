"""`import_paytable FILE --by STAFF_NUMBER [--property CODE] [--propose NOTE]`: a draft from a JSON file, with its edges and warnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.errors import CasinoError
from casino.models import User
from tables.models import PaytableDraft, Property
from tables.services.paytables import import_paytable, look_at, paytable_of, propose


class Command(BaseCommand):
    """Makes a draft, and proposes it where it is told to. Approving is another person's, signed in."""

    help = "Makes a draft of a paytable in a JSON file and prints its edges and warnings; with --propose it waits for an approval."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file and the person."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--by", required=True, metavar="STAFF_NUMBER", help="the games manager who hands it in")
        parser.add_argument("--property", metavar="CODE", help="whose limits it is held against")
        parser.add_argument("--propose", metavar="NOTE", help="propose it, with this note")

    def handle(self, *args: Any, file: str, by: str, **options: Any) -> None:
        """Print one JSON object: the draft, its edges, its warnings."""
        try:
            draft = self._import(file, by, options)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except CasinoError as error:
            raise CommandError("; ".join(f"{fault.where}: {fault.message}" if fault.where else fault.message for fault in error.faults)) from error
        look = look_at(paytable_of(draft), draft.property).as_json()
        self.stdout.write(json.dumps({"draft": str(draft.uuid), **look}, ensure_ascii=False))

    def _import(self, file: str, number: str, options: dict[str, Any]) -> PaytableDraft:
        person = User.objects.filter(username=number).first()
        house = Property.objects.filter(code=options["property"]).first() if options["property"] else None
        if person is None or (options["property"] and house is None):
            raise CommandError(f"There is no {options['property'] if person else number}.")
        draft = import_paytable(Path(file).read_bytes(), by=person, house=house)
        if options["propose"] is not None:
            propose(draft, by=person, note=options["propose"])
        return draft
