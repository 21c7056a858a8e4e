"""`manage.py create_roles`: the owner's and the application's log-in on a PostgreSQL server elsewhere."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
from django.core.management.base import BaseCommand, CommandError
from psycopg.conninfo import make_conninfo

from casino.pg_roles import Login, set_up


class Command(BaseCommand):
    """Needs no database of Django's: it is what makes one."""

    help = (
        "Makes the two log-ins and the database on a server elsewhere, or sets their passwords anew. Reads DATABASE_ADMIN_URL (an administrator), "
        "DATABASE_OWNER_URL (who migrates) and DATABASE_URL (the application, who owns nothing). Safe to repeat."
    )
    requires_system_checks: list[str] = []

    def handle(self, *_: Any, **__: Any) -> None:
        """Make them as the administrator."""
        owner_url, app_url = _url("DATABASE_OWNER_URL"), _url("DATABASE_URL")
        admin_url = _url("DATABASE_ADMIN_URL")
        database = _database(owner_url)
        if database != _database(app_url):
            raise CommandError("DATABASE_OWNER_URL and DATABASE_URL name different databases.")
        owner, app = _login("DATABASE_OWNER_URL", owner_url), _login("DATABASE_URL", app_url)
        if owner.name == app.name:
            raise CommandError("DATABASE_OWNER_URL and DATABASE_URL name the same user; the application must own nothing.")
        try:
            set_up(lambda name: psycopg.connect(make_conninfo(admin_url, dbname=name), autocommit=True), database, owner, app)
        except (psycopg.Error, ValueError) as error:
            raise CommandError(f"The server refused: {error}") from error
        self.stdout.write(f"{owner.name} owns the database {database}; {app.name} may use it.")


def _url(name: str) -> str:
    if not (value := os.environ.get(name)):
        raise CommandError(f"{name} is not set.")
    return value


def _database(url: str) -> str:
    return unquote(urlsplit(url).path.removeprefix("/"))


def _login(variable: str, url: str) -> Login:
    parts = urlsplit(url)
    if not (parts.username and parts.password and _database(url)):
        raise CommandError(f"{variable} must name a user, a password and a database: postgres://USER:PASSWORD@HOST/DATABASE")
    return Login(unquote(parts.username), unquote(parts.password))
