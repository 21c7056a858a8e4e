"""The database engine `casino.pg`: an alias with OPTIONS["EMBEDDED_STATE"] has its server running whenever it connects.

So a command that needs no database starts none, and one that needs it starts it by itself. EMBEDDED_DURABLE (True when missing)
is `ensure`'s `durable`. Without EMBEDDED_STATE this is Django's own backend.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.client import DatabaseClient as PostgresClient
from django.db.utils import OperationalError

from casino.embedded import EmbeddedError, ensure
from casino.embedded_host import find_programs


def _ensure(settings: dict[str, Any]) -> None:
    """Have the alias's embedded server running; raise OperationalError, which callers expect of a database, when it is not to be had."""
    state = settings["OPTIONS"].get("EMBEDDED_STATE")
    if state is not None:
        try:
            ensure(Path(state), durable=settings["OPTIONS"].get("EMBEDDED_DURABLE", True))
        except EmbeddedError as error:
            raise OperationalError(str(error)) from error


class DatabaseClient(PostgresClient):
    """`manage.py dbshell`, with the server running, and with the wheel's psql where the machine has none."""

    @classmethod
    def settings_to_cmd_args_env(cls, settings_dict: dict[str, Any], parameters: Iterable[str]) -> tuple[list[str], dict[str, str] | None]:
        """Return psql's arguments and environment."""
        args, env = super().settings_to_cmd_args_env(settings_dict, parameters)
        if "EMBEDDED_STATE" in settings_dict["OPTIONS"] and shutil.which(args[0]) is None:
            args[0] = str(find_programs().postgres.with_name("psql"))
        return args, env

    def runshell(self, parameters: Iterable[str]) -> None:
        """Open psql."""
        _ensure(self.connection.settings_dict)
        super().runshell(parameters)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection to PostgreSQL."""

    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        """Return psycopg's arguments, without what is ours; the server runs by then."""
        _ensure(self.settings_dict)
        params: dict[str, Any] = super().get_connection_params()
        for ours in ("EMBEDDED_STATE", "EMBEDDED_DURABLE"):
            params.pop(ours, None)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection. A pool makes its own with the parameters of its first hour: so the server is asked for here too."""
        _ensure(self.settings_dict)
        return super().get_new_connection(conn_params)
