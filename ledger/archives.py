"""Months taken out of the database into files, and brought back: the owner's verbs. No guard is weakened on the way.

A month goes only when every shift of it is sealed, and the caller's check of what was sealed finds nothing wrong. Balances stay right: they
come from the totals that were kept when its books were closed.
Source: spec/books.md, "Size".
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from django.db import connections, transaction
from django.utils.translation import gettext
from psycopg import sql

from casino.append_only import OWNER_ALIAS, app_role
from casino.errors import BrokenBooks, Conflict, NotFound
from ledger.archived import TABLES, archived
from ledger.models import Archive, Book, Segment
from ledger.months import after
from ledger.totals import keep_day_totals, keep_totals


@dataclass(frozen=True)
class Taken:
    """A table's month in a file."""

    table: str
    rows: int
    file: str
    file_sha256: str
    rows_sha256: str


def archive_month(month: date, folder: Path, *, verify: Callable[[date], None], by: str, today: date) -> list[Taken]:
    """Return what was taken out of `month` (its first day) into `folder`, table by table; [] where nothing is left to take.

    `verify` raises where the month's rows are not what was sealed and signed; it is asked when its books are closed, so that none comes after it.
    Each table in a transaction of its own: its rows are written, read back and compared before the partition goes, and the record of it goes
    with it. Raises Conflict (`month_runs`, `not_sealed`, `month_in_use`), BrokenBooks (`file_differs`), and as `verify`.
    """
    _check_over(month, today)
    _close_books(month)
    verified = {table: _count(_partition(table, month)) for table in TABLES if _exists(_partition(table, month))}
    verify(month)
    folder.mkdir(parents=True, exist_ok=True)
    return [_take_out(table, month, folder, by, rows) for table, rows in verified.items()]


def restore_month(month: date, folder: Path, *, by: str) -> list[Taken]:
    """Return what was brought back of `month` from the files in `folder`, each the very bytes that were taken out.

    Raises NotFound (`not_archived`, `no_file`), BrokenBooks (`file_differs`).
    """
    out = archived(month)
    if not out:
        raise NotFound("not_archived", gettext("Nothing of %(month)s is archived.") % {"month": f"{month:%Y-%m}"})
    for one in out:
        _check_file(folder / one.file, one.file_sha256)
    return [_bring_back(one, folder, by) for one in out]


def _check_over(month: date, today: date) -> None:
    if month.day != 1 or after(month) > today.replace(day=1):
        raise Conflict("month_runs", gettext("%(month)s is not over yet.") % {"month": f"{month:%Y-%m}"})


def _partition(table: str, month: date) -> str:
    return f"{table}_{month:%Y%m}"


def _close_books(month: date) -> None:
    """Close what is not closed yet of the month's books: days without a shift, and sealed shifts whose totals were not kept."""
    books = list(Book.objects.filter(gaming_day__gte=month, gaming_day__lt=after(month)).order_by("gaming_day", "id"))
    shifts = {book.shift for book in books if book.shift is not None}
    sealed = set(Segment.objects.filter(shift__in=shifts).values_list("shift", flat=True))
    if open_shifts := shifts - sealed:
        days = sorted({str(book.gaming_day) for book in books if book.shift in open_shifts})
        raise Conflict(
            "not_sealed",
            gettext("%(open_shifts)s shifts are not sealed, of %(days)s.") % {"open_shifts": len(open_shifts), "days": ", ".join(days)},
            shifts=sorted(map(str, open_shifts)),
        )
    for book in books:
        if book.shift is None:
            keep_day_totals(book.property, book.gaming_day)
        else:
            keep_totals(book.shift)


def _exists(table: str) -> bool:
    with connections[OWNER_ALIAS].cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"public.{table}"])
        found: bool = cursor.fetchone()[0]
        return found


def _count(child: str) -> int:
    with connections[OWNER_ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {child}")  # noqa: S608 - our own table
        found: int = cursor.fetchone()[0]
        return found


def _take_out(table: str, month: date, folder: Path, by: str, verified: int) -> Taken:
    """Take one table's month out; `verified`: how many rows it had when it was verified, and nobody may have added any since: a late round's."""
    child = _partition(table, month)
    with transaction.atomic(using=OWNER_ALIAS), connections[OWNER_ALIAS].cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '5s'")
        cursor.execute(f"LOCK TABLE {child} IN SHARE MODE")
        if _count(child) != verified:
            raise Conflict("month_in_use", gettext("Rows came to %(child)s while it was verified: run it again.") % {"child": child})
        path = folder / f"{child}.copy.gz"
        rows, digest = _write(cursor, child, path)
        file_sha256 = _sha256(path)
        if _unpacked_sha256(path) != digest:
            raise BrokenBooks("file_differs", f"{path.name} does not hold the rows of {child}.")
        taken = Taken(table, rows, path.name, file_sha256, digest)
        cursor.execute(f"ALTER TABLE {table} DETACH PARTITION {child}")
        _record(taken, month, Archive.Action.ARCHIVE, by)
        cursor.execute(f"DROP TABLE {child}")
    return taken


def _write(cursor: Any, child: str, path: Path) -> tuple[int, str]:
    """Write the rows of `child` to `path`, whole or not at all, and return how many and the SHA-256 of their text."""
    digest, rows, beside = hashlib.sha256(), 0, path.with_name(f".{path.name}.new")
    with beside.open("wb") as raw:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
            for block in _rows(cursor, child):
                digest.update(block)
                rows += block.count(b"\n")
                packed.write(block)
        raw.flush()
        os.fsync(raw.fileno())
    beside.replace(path)
    return rows, digest.hexdigest()


def _rows(cursor: Any, child: str) -> Iterator[bytes]:
    """Yield the rows of `child` as COPY writes them, in the order of their keys."""
    with cursor.copy(sql.SQL("COPY (SELECT * FROM {} ORDER BY id) TO STDOUT").format(sql.Identifier(child))) as copy:
        for block in copy:
            yield bytes(block)


def _check_file(path: Path, expected: str) -> None:
    if not path.is_file():
        raise NotFound("no_file", gettext("%(path)s is not there.") % {"path": path})
    if _sha256(path) != expected:
        raise BrokenBooks("file_differs", f"{path.name} is not the file that was written: its SHA-256 should be {expected}.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpacked_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with gzip.open(path, "rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()


def _bring_back(kept: Archive, folder: Path, by: str) -> Taken:
    """Fill a partition from its file beside the live table, compare, and only then attach it, with the guards of every other partition."""
    table, child = kept.table, _partition(kept.table, kept.month)
    with transaction.atomic(using=OWNER_ALIAS), connections[OWNER_ALIAS].cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '5s'")
        _drop_empty(cursor, table, child)
        cursor.execute(f"CREATE TABLE {child} (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
        cursor.execute(f"REVOKE ALL ON {child} FROM PUBLIC, {app_role()}")
        with gzip.open(folder / kept.file, "rb") as file, cursor.copy(f"COPY {child} FROM STDIN") as copy:
            while block := file.read(2**20):
                copy.write(block)
        digest = hashlib.sha256()
        for block in _rows(cursor, child):
            digest.update(block)
        if digest.hexdigest() != kept.rows_sha256:
            raise BrokenBooks("file_differs", f"{kept.file} does not hold the rows that were taken out.")
        attach = "ALTER TABLE {} ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})"
        names = sql.Identifier(table), sql.Identifier(child), sql.Literal(kept.month), sql.Literal(after(kept.month))
        cursor.execute(sql.SQL(attach).format(*names))
        cursor.execute(f"CREATE TRIGGER {child}_no_truncate BEFORE TRUNCATE ON {child} FOR EACH STATEMENT EXECUTE FUNCTION pitbook_refuse()")
        cursor.execute(f"ALTER TABLE {child} ENABLE ALWAYS TRIGGER {child}_no_truncate")
        taken = Taken(table, kept.rows, kept.file, kept.file_sha256, kept.rows_sha256)
        _record(taken, kept.month, Archive.Action.RESTORE, by)
    return taken


def _drop_empty(cursor: Any, table: str, child: str) -> None:
    """Take away the empty partition that was made anew meanwhile, if there is one."""
    if not _exists(child):
        return
    cursor.execute(f"LOCK TABLE {child} IN SHARE MODE")
    cursor.execute(f"SELECT EXISTS (SELECT FROM {child})")  # noqa: S608 - our own table
    if cursor.fetchone()[0]:
        raise Conflict("month_in_use", gettext("%(child)s has rows already.") % {"child": child})
    cursor.execute(f"ALTER TABLE {table} DETACH PARTITION {child}")
    cursor.execute(f"DROP TABLE {child}")


def _record(taken: Taken, month: date, action: Archive.Action, by: str) -> None:
    before = Archive.objects.using(OWNER_ALIAS).filter(table=taken.table, month=month).count()
    Archive.objects.using(OWNER_ALIAS).create(
        table=taken.table,
        month=month,
        sequence=before + 1,
        action=action,
        rows=taken.rows,
        file=taken.file,
        file_sha256=taken.file_sha256,
        rows_sha256=taken.rows_sha256,
        by=by[:120],
    )
