"""Rounds by the thousand: a file of slips, read and ruled as each one by itself would be, and kept in one transaction, whole or not at all.

Source: spec/books.md, "Posting"; spec/rounds.md, "A recorded round". What the console records one by one comes out the same, column for column.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from casino import roles
from casino.bulk import Rows, Write, draw_keys, written_beside
from casino.errors import BrokenBooks, CasinoError, Conflict, Fault, NotFound, Refused
from casino.memory import looking_seldom
from casino.models import User
from casino.transactions import broken_constraint, in_transaction, without_partition
from casino.words import gettext_noop
from ledger.bulk import Posting
from tables import selectors
from tables.engine.game import games
from tables.import_lines import LineFault, Read, ReadLine, read_csv_lines, read_json_lines
from tables.models import Round, RoundImport, Table, TableSession
from tables.posting import round_accounts
from tables.round_fields import TableFacts
from tables.services.bulk_places import Place, places_of
from tables.services.bulk_rows import ROUND_COLUMNS, WAGER_COLUMNS, RowWriter, RuledSlip, rule

BLOCK = 500
"""So many rounds are written at a time."""

MOST_ERRORS = 1000
"""So many errors are listed; all are counted."""

Progress = Callable[[int, int, str], None]


def _quiet(done: int, total: int, what: str = "") -> None:
    """Say nothing."""


@dataclass
class ImportResult:
    """What became of a file: `added` rounds, those that were in `already` (line and uuid), `errors`. With errors nothing was added."""

    name: str
    sha256: str = ""
    lines: int = 0
    added: int = 0
    already: list[tuple[int, UUID]] = field(default_factory=list)
    errors: list[LineFault] = field(default_factory=list)
    dry_run: bool = False
    uuid: UUID | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what every door answers with."""
        return {
            "import": str(self.uuid) if self.uuid else None,
            "name": self.name,
            "sha256": self.sha256,
            "slips": self.lines,
            "added": self.added,
            "dry_run": self.dry_run,
            "already": [{"line": line, "uuid": str(uuid)} for line, uuid in self.already],
            "error_count": len(self.errors),
            "errors": [one.as_json() for one in self.errors[:MOST_ERRORS]],
        }


def import_rounds(
    lines: Iterable[bytes], *, by: User, at: datetime, name: str, csv: bool = False, dry_run: bool = False, progress: Progress = _quiet
) -> ImportResult:
    """Return what became of the slips on `lines`: all of them kept and posted, or none, with every error by line and field.

    A slip that is in already (the same uuid and body) is said, and no error. `dry_run` reads and rules all and keeps nothing. `at` is now, by
    the door's clock. Raises Refused (`not_allowed`), Unavailable; what is wrong with a slip is in the answer.
    """
    roles.require(by, "import")
    result = ImportResult(name[:200] or "slips", dry_run=dry_run)
    with looking_seldom():
        slips = _read(lines, result, csv)
        with suppress(_NotKept):
            _import(slips, result, _Read(tuple(result.errors), tuple(result.already)), by, at, progress)
    return result


@dataclass(frozen=True)
class _Read:
    """What reading alone found: where a transaction is tried again, it begins with that."""

    errors: tuple[LineFault, ...]
    already: tuple[tuple[int, UUID], ...]


class _NotKept(Exception):
    """Rolls back: there are errors, or it was a rehearsal."""


def _read(lines: Iterable[bytes], result: ImportResult, csv: bool) -> list[ReadLine]:
    """Return the slips that can be read, each uuid once; the rest goes to the result."""
    digest = hashlib.sha256()

    def hashed() -> Iterable[bytes]:
        for line in lines:
            digest.update(line if line.endswith(b"\n") else line + b"\n")
            yield line

    read: Iterable[Read] = read_csv_lines(hashed(), table_facts) if csv else read_json_lines(hashed())
    slips: dict[UUID, ReadLine] = {}
    bad_lines = set()
    for one in read:
        if isinstance(one, LineFault):
            result.errors.append(one)
            bad_lines.add(one.line)
        elif (first := slips.setdefault(one.slip.uuid, one)) is not one:
            _twice(one, first, result)
    result.sha256 = digest.hexdigest()
    result.lines = len(slips) + len(bad_lines)
    return list(slips.values())


def _twice(one: ReadLine, first: ReadLine, result: ImportResult) -> None:
    if one.slip.fingerprint == first.slip.fingerprint:
        result.already.append((one.line, one.slip.uuid))
    else:
        result.errors.append(
            LineFault(one.line, Fault("reference_reused", gettext("Another slip of this uuid is on line %(line)s.") % {"line": first.line}, "uuid"))
        )


def table_facts(code: str) -> TableFacts | None:
    """Return what the importer must know of the table of `code`, None where there is none. One query."""
    table = Table.objects.select_related("property").filter(code=code).first()
    return TableFacts(table.code, games()[table.game], table.property.notation, table.property.zone) if table else None


@in_transaction
def _import(slips: Sequence[ReadLine], result: ImportResult, read: _Read, by: User, at: datetime, progress: Progress) -> None:
    result.errors, result.already = list(read.errors), list(read.already)
    with transaction.atomic():
        places = _places(slips, result, by)
        fresh = [one for one in _fresh(slips, result) if one.slip.table in places]
        try:
            work = _Work(fresh, places, result, by, at)
            work.begin()
            with written_beside() as write:
                work.rule_all(write, progress)
        except IntegrityError as error:
            raise _translated(error) from error
        result.errors.sort(key=lambda fault: fault.line)
        result.added = 0 if result.errors else work.kept
        if result.errors or result.dry_run:
            raise _NotKept
        try:
            work.keep(progress)
        except IntegrityError as error:
            raise _translated(error) from error


def _places(slips: Sequence[ReadLine], result: ImportResult, by: User) -> dict[str, Place]:
    """Return the places of the slips' tables by code, locked. A table that will not do is an error."""
    found: list[tuple[Table, TableSession]] = []
    first_line: dict[str, int] = {}
    for one in slips:
        first_line.setdefault(one.slip.table, one.line)
    for code, line in first_line.items():
        try:
            table = selectors.table_of(code)
            roles.require(by, "import", table.pit.code)
            found.append((table, selectors.open_session(table)))
        except CasinoError as error:
            result.errors += [LineFault(line, Fault(fault.code, fault.message, fault.where or "table", fault.facts)) for fault in error.faults]
    return places_of(found, by)


def _fresh(slips: Sequence[ReadLine], result: ImportResult) -> list[ReadLine]:
    """Return the slips whose uuid is not in the books yet. One query."""
    known = dict(Round.objects.filter(uuid__in=[one.slip.uuid for one in slips]).values_list("uuid", "fingerprint"))
    fresh = []
    for one in slips:
        kept = known.get(one.slip.uuid)
        if kept is None:
            fresh.append(one)
        elif bytes(kept) == one.slip.fingerprint:
            result.already.append((one.line, one.slip.uuid))
        else:
            result.errors.append(LineFault(one.line, Fault("reference_reused", gettext("Another slip was handed in under this uuid."), "uuid")))
    return fresh


class _Work:
    """Slips ruled and written, a block at a time: the database writes one while the next is ruled. After the first error nothing more is written."""

    def __init__(self, slips: Sequence[ReadLine], places: Mapping[str, Place], result: ImportResult, by: User, at: datetime) -> None:
        self.slips, self.places, self.result, self.by, self.at = slips, places, result, by, at
        self.kept = 0
        self._rounds: list[bytes] = []
        self._wagers: list[str] = []
        self._imported: list[str] = []
        self._unposted: list[LineFault] = []
        count = 0 if result.dry_run or result.errors else len(slips)
        self._keys = draw_keys("tables_round", count)
        self._source: RoundImport | None = None
        self._source_key = 0
        books: dict[UUID, set[str]] = {}
        for place in places.values():
            accounts = round_accounts(place.table.code, is_pot_game=place.game.is_pot_game)
            books.setdefault(place.table.property.uuid, set()).update(accounts)
        self._posting = Posting(books, count, by=by)
        self._writer = RowWriter(self._posting, by)

    def begin(self) -> None:
        """Say whose import the rounds are, if any may be kept: all are, or nothing of it stays."""
        if self.slips and self._is_written:
            result = self.result
            self._source = RoundImport.objects.create(
                name=result.name, sha256=result.sha256, rounds=len(self.slips), already=len(result.already), by=self.by
            )
            self._source_key = self._source.pk

    def rule_all(self, write: Write, progress: Progress) -> None:
        """Rule every slip, and have written what may be kept; what may not goes to the result's errors. Asks the database nothing."""
        for begun in range(0, len(self.slips), BLOCK):
            block = self.slips[begun : begun + BLOCK]
            for place, one in enumerate(block, start=begun):
                self._rule(place, one)
            if self._is_written:
                write(self._take())
            progress(begun + len(block), len(self.slips), gettext_noop("slips ruled"))
        if not self.result.errors:
            self.result.errors += self._unposted

    @property
    def _is_written(self) -> bool:
        return not (self.result.errors or self._unposted or self.result.dry_run)

    def _rule(self, place: int, one: ReadLine) -> None:
        try:
            ruled = rule(one.slip, self.places[one.slip.table], self.by, self.at)
        except CasinoError as error:
            self.result.errors += [LineFault(one.line, fault) for fault in error.faults]
            return
        self.kept += 1
        if self._is_written:
            self._add(self._keys[place], one.line, ruled)

    def _add(self, key: int, line: int, ruled: RuledSlip) -> None:
        try:
            row = self._writer.write(key, ruled)
        except (Refused, NotFound) as error:
            fault = error.faults[0]
            self._unposted.append(LineFault(line, Fault(fault.code, fault.message, "", fault.facts)))
            return
        self._rounds.append(row)
        head = f"{ruled.place.day}\t{key}\t"
        self._wagers += [f"{head}{number}\t{text}" for number, text in enumerate(ruled.wagers, start=1)]
        self._imported.append(f"{key}\t{self._source_key}\t{line}")

    def _take(self) -> Sequence[Rows]:
        """Return the rows that were made since the last time, in the order in which they are written."""
        imported = Rows("tables_importedround", ("round_id", "source_id", "line"), self._imported)
        rounds, wagers = Rows("tables_round", ROUND_COLUMNS, self._rounds), Rows("tables_wager", WAGER_COLUMNS, self._wagers)
        self._rounds, self._wagers, self._imported = [], [], []
        return [rounds, wagers, *self._posting.take(), imported]

    def keep(self, progress: Progress) -> None:
        """Say that all is kept, and of which import: each block was checked when it was written."""
        if self._source is None:
            return
        progress(1, 2, gettext_noop("rounds kept"))
        self.result.uuid = self._source.uuid
        progress(2, 2, gettext_noop("entries posted"))


def _translated(error: IntegrityError) -> CasinoError:
    """Return what an IntegrityError means: somebody handed one of these slips in meanwhile, the shift was sealed, or the month is not opened."""
    name = broken_constraint(error)
    if (unopened := without_partition(error)) is not None:
        return unopened
    if name.startswith(("tables_round_uuid", "tables_round_number")):
        return Conflict("busy", gettext("Somebody handed in one of these rounds meanwhile. Nothing was kept; import the file again."))
    if name in ("ledger_entry_not_sealed", "ledger_entry_open_book", "tables_round_not_sealed"):
        return Conflict("period_closed", gettext("The shift was sealed meanwhile. Nothing was kept."))
    return BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name)
