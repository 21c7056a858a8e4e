"""A text behind a sealed hash, erased: as the law may ask, without breaking a proof."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.bundles import texts_of
from audit.evidence import KINDS
from casino.errors import CasinoError
from casino.models import User
from ledger.erasing import erase_text
from ledger.models import Segment


class Command(BaseCommand):
    """`manage.py erase_text SEGMENT INDEX FIELD --by STAFF --reason TEXT`."""

    help = "Erase the text of a sealed leaf, with its salt. Segment, index and field stand in the names.ndjson of a bundle made --with-names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which text, who and why."""
        parser.add_argument("segment", type=int, help="the sealed shift's number")
        parser.add_argument("index", type=int, help="the leaf's place in it")
        parser.add_argument("field", help="the text's field, such as note or wager_notes")
        parser.add_argument("--by", required=True, metavar="STAFF", help="an auditor's staff number")
        parser.add_argument("--reason", required=True, help="why, without repeating the text: it is kept for ever")

    def handle(self, *args: Any, segment: int, index: int, field: str, by: str, reason: str, **options: Any) -> None:
        """Erase it, and say what is left to do."""
        user = User.objects.filter(username=by).first()
        if user is None:
            raise CommandError(f"Nobody has the staff number {by}.")
        words = _words(segment, index, field)
        try:
            erase_text(segment, index, field, kinds=KINDS, by=user, reason=reason)
        except CasinoError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"Erased: {field} of leaf {index} in segment {segment}, by {user}. That it was is sealed with the next shift.")
        for other in _with(words):
            self.stdout.write(f"The same words stand in segment {other['segment']}, leaf {other['index']}, {other['field']}.")
        self.stdout.write("Backups, bundles and reports that were made before still have it.")


def _words(segment: int, index: int, field: str) -> list[str]:
    """Return the words of a text, each of a list for itself."""
    if not Segment.objects.filter(number=segment).exists():
        return []
    texts = [one["text"] for one in texts_of([segment]) if (one["index"], one["field"]) == (index, field) and "text" in one]
    try:
        return [str(note) for text in texts for _, note in json.loads(text)]
    except (ValueError, TypeError):
        return texts


def _with(words: list[str]) -> Iterator[dict[str, Any]]:
    """Yield every other text of the sealed shifts in which one of `words` stands."""
    for one in texts_of(list(Segment.objects.order_by("number").values_list("number", flat=True))) if words else ():
        if any(word in one.get("text", "") for word in words):
            yield one
