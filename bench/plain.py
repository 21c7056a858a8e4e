"""The page's own yardsticks of writing, measured again: the rows of rounds in plain tables, without a guard, a foreign key or a partition.

How fast cards are evaluated says little of how fast a database writes. So what a recorded round takes is judged at the pace of the page's own
statement, and an import stands beside its bulk_create: design/performance.md, "Writes".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

TABLED_STATEMENT_MS = 0.93
"""One round by one statement, after the lock, in a transaction; p50, as the page has it."""
TABLED_BULK_CREATE = 1_500
"""Rounds a second by Django's bulk_create, as the page has it."""

TABLES = ("tables_round", "tables_wager", "ledger_entry", "ledger_transfer")


KEYS_FROM = 10**12
"""Above those of rows that are copied with their keys."""


def make_plain() -> None:
    """Make the tables of rounds once, in a schema of their own: the same columns and indexes, and nothing that looks at what is written."""
    from django.db import connection, connections

    application = connection.settings_dict["USER"]
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT to_regnamespace('plain') IS NOT NULL")
        if cursor.fetchone()[0]:
            return
        cursor.execute("CREATE SCHEMA plain")
        cursor.execute(f'GRANT USAGE ON SCHEMA plain TO "{application}"')
        for table in TABLES:
            cursor.execute(f"CREATE TABLE plain.{table} (LIKE public.{table} INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING INDEXES)")
            cursor.execute(f"ALTER TABLE plain.{table} ALTER COLUMN id RESTART WITH {KEYS_FROM}")
            cursor.execute(f'GRANT SELECT, INSERT ON plain.{table} TO "{application}"')


@contextmanager
def into_plain() -> Iterator[None]:
    """Have what names no schema read and write the plain tables."""
    from django.db import connection

    make_plain()
    with connection.cursor() as cursor:
        cursor.execute("SET search_path = plain, public")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET search_path")


def copy_round(round: int, entry: int) -> None:
    """Copy a round and its entry, with wagers and transfers, into the plain tables."""
    from django.db import connection

    make_plain()
    with connection.cursor() as cursor:
        for table, column, key in (
            ("tables_round", "id", round),
            ("tables_wager", "round_id", round),
            ("ledger_entry", "id", entry),
            ("ledger_transfer", "entry_id", entry),
        ):
            cursor.execute(f"INSERT INTO plain.{table} OVERRIDING SYSTEM VALUE SELECT * FROM public.{table} WHERE {column} = %s", [key])
