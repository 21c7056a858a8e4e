"""Django's migrate, as the owner of the tables unless told otherwise."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as Migrate

from casino.append_only import OWNER_ALIAS


class Command(Migrate):
    """Migrate as the owner: the application owns nothing and cannot."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Make the owner's alias the default."""
        super().add_arguments(parser)
        parser.set_defaults(database=OWNER_ALIAS)
