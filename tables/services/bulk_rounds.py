"""Rounds by the thousand: a file of slips, read and ruled as each one by itself would be, and kept in one transaction, whole or not at all.

Source: spec/books.md, "Posting"; spec/rounds.md, "A recorded round". What the console records one by one comes out the same, column for column.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext

from casino import roles
from casino.append_only import make_partitions
from casino.bulk import copy_lines, copy_rows, copy_text, draw_keys
from casino.errors import BrokenBooks, CasinoError, Conflict, Fault, NotFound, Refused
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from casino.words import gettext_noop
from ledger.bulk import post_many
from ledger.services import lock_shift
from tables import selectors
from tables.engine.game import games
from tables.import_lines import LineFault, Read, ReadLine, read_csv_lines, read_json_lines
from tables.locks import lock_session
from tables.models import Dealer, PaytableVersion, Round, RoundImport, Table, TablePaytable, TableSession
from tables.round_fields import TableFacts
from tables.services.round_rows import WAGER_COLUMNS, wager_values
from tables.services.rounds import Ruled, check_slip, round_columns, round_draft, rule_by
from tables.slips import RoundSlip

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
    the door's clock. Partitions are made first. Raises Refused (`not_allowed`), Unavailable; what is wrong with a slip is in the answer.
    """
    roles.require(by, "import")
    result = ImportResult(name[:200] or "slips", dry_run=dry_run)
    slips = _read(lines, result, csv)
    for month in _months(slips):
        make_partitions("default", [0], of=month)
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


def _months(slips: Iterable[ReadLine]) -> list[date]:
    """Return the first days of the months in which the tables' open shifts are."""
    codes = {one.slip.table for one in slips}
    days = selectors.open_sessions().filter(table__code__in=codes).values_list("shift__gaming_day", flat=True)
    return sorted({day.replace(day=1) for day in days})


@dataclass
class _Place:
    """A table's open session, and all that its slips are checked against: read once."""

    table: Table
    session: TableSession
    now: selectors.SessionNow
    dealers: dict[str, int]
    versions: list[tuple[datetime, PaytableVersion]]
    numbers: set[int]
    top: int

    def version(self, at: datetime) -> PaytableVersion:
        """Return the version in force at `at`. Raises Conflict (`no_paytable`)."""
        for begun, version in self.versions:
            if begun <= at:
                return version
        raise Conflict("no_paytable", gettext("No paytable version was in force at %(table)s then.") % {"table": self.table}, where="occurred_at")

    def number(self, slip: RoundSlip) -> int:
        """Return the number that the slip's round gets. Raises Conflict (`number_taken`)."""
        number = slip.number or self.top + 1
        if number in self.numbers:
            raise Conflict(
                "number_taken", gettext("Round %(number)s of this session is recorded already.") % {"number": number}, where="number", number=number
            )
        self.numbers.add(number)
        self.top = max(self.top, number)
        return number


@dataclass(frozen=True)
class _New:
    """A round to be kept."""

    line: int
    slip: RoundSlip
    place: _Place
    ruled: Ruled
    columns: dict[str, Any]


@in_transaction
def _import(slips: Sequence[ReadLine], result: ImportResult, read: _Read, by: User, at: datetime, progress: Progress) -> None:
    result.errors, result.already = list(read.errors), list(read.already)
    with transaction.atomic():
        places = _places(slips, result, by)
        fresh = _fresh(slips, result)
        new = _rule_all(fresh, places, result, by, at, progress)
        if result.errors or result.dry_run:
            result.added = 0 if result.errors else len(new)
            raise _NotKept
        try:
            _keep_all(new, result, by, progress)
        except IntegrityError as error:
            raise _translated(error) from error
        except (Refused, NotFound) as error:
            fault = error.faults[0]
            place = fault.facts["draft"]
            result.errors.append(LineFault(new[place].line, Fault(fault.code, fault.message, "", {"account": fault.facts["account"]})))
            raise _NotKept from error


def _places(slips: Sequence[ReadLine], result: ImportResult, by: User) -> dict[str, _Place]:
    """Return the places of the slips' tables by code, locked in one order: shifts, then sessions. A table that will not do is an error."""
    found: dict[str, tuple[Table, TableSession]] = {}
    first_line: dict[str, int] = {}
    for one in slips:
        first_line.setdefault(one.slip.table, one.line)
    for code, line in first_line.items():
        try:
            table = selectors.table_of(code)
            roles.require(by, "import", table.pit.code)
            found[code] = (table, selectors.open_session(table))
        except CasinoError as error:
            result.errors += [LineFault(line, Fault(fault.code, fault.message, fault.where or "table", fault.facts)) for fault in error.faults]
    for shift in sorted({session.shift.uuid for _, session in found.values()}):
        lock_shift(shift)
    for session in sorted(session.uuid for _, session in found.values()):
        lock_session(session)
    return {code: _place(table, session) for code, (table, session) in found.items()}


def _place(table: Table, session: TableSession) -> _Place:
    """Return what the session's slips are checked against, asked after the lock was waited for. Four queries."""
    now = selectors.session_now(session, "")
    dealers = dict(Dealer.objects.filter(property=table.property_id).values_list("code", "pk"))
    rows = TablePaytable.objects.filter(table=table).select_related("version").order_by("-from_at")
    numbers = set(Round.objects.filter(session=session).values_list("number", flat=True))
    return _Place(table, session, now, dealers, [(row.from_at, row.version) for row in rows], numbers, now.next_number - 1)


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


def _rule_all(slips: Sequence[ReadLine], places: dict[str, _Place], result: ImportResult, by: User, at: datetime, progress: Progress) -> list[_New]:
    new = []
    for done, one in enumerate(slips, start=1):
        place = places.get(one.slip.table)
        if place is None:
            continue
        try:
            new.append(_rule(one, place, by, at))
        except CasinoError as error:
            result.errors += [LineFault(one.line, fault) for fault in error.faults]
        if done % 500 == 0:
            progress(done, len(slips), gettext_noop("slips ruled"))
    result.errors.sort(key=lambda fault: fault.line)
    return new


def _rule(one: ReadLine, place: _Place, by: User, at: datetime) -> _New:
    slip, now = one.slip, place.now
    if slip.replaces is not None:
        raise Refused("needs_approval", gettext("A round is replaced by a correction that another person approves."), where="replaces")
    dealer = place.dealers.get(slip.dealer)
    check_slip(slip, place.table, selectors.SessionNow(now.state, now.opened_at, now.next_number, dealer), at)
    if slip.irregular and not roles.may(by.roles, "record_irregular", place.table.pit.code):
        raise Refused("not_allowed", gettext("%(by)s may not record an irregular round.") % {"by": by}, where="irregular")
    ruled = rule_by(slip, place.table, place.version(slip.occurred_at))
    columns = round_columns(slip, place.session, dealer, place.number(slip), ruled, by)
    return _New(one.line, slip, place, ruled, columns)


def _keep_all(new: Sequence[_New], result: ImportResult, by: User, progress: Progress) -> None:
    """Write rounds, wagers, entries, transfers, and whose import they are; have the database check all before it is over."""
    if not new:
        return
    keys = draw_keys("tables_round", len(new))
    copy_rows("tables_round", ["id", *new[0].columns], ([key, *one.columns.values()] for key, one in zip(keys, new, strict=True)))
    copy_lines("tables_wager", WAGER_COLUMNS, _wagers(keys, new))
    progress(1, 3, gettext_noop("rounds kept"))
    post_many([round_draft(one.slip.uuid, one.slip.occurred_at, one.place.session, one.place.table, one.ruled) for one in new], by=by)
    progress(2, 3, gettext_noop("entries posted"))
    kept = RoundImport.objects.create(name=result.name, sha256=result.sha256, rounds=len(new), already=len(result.already), by=by)
    copy_rows("tables_importedround", ("round_id", "source_id", "line"), ((key, kept.pk, one.line) for key, one in zip(keys, new, strict=True)))
    _check_all()
    result.added, result.uuid = len(new), kept.uuid
    progress(3, 3, "checked")


def _check_all() -> None:
    """Have the database check what is deferred, round by round and entry by entry.

    The guards' plans may be of a time when there were few rows, and read all of them for each round: they are made anew, by index.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan; DISCARD PLANS; SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def _wagers(keys: Sequence[int], new: Sequence[_New]) -> Iterable[str]:
    for key, one in zip(keys, new, strict=True):
        head = f"{one.columns['gaming_day']}\t{key}\t"
        for line, wager in enumerate(one.ruled.wagers, start=1):
            yield f"{head}{line}\t{_wager_text(wager_values(wager))}"


_wager_text = lru_cache(maxsize=4096)(copy_text)
"""Seats, stakes and what they win come again and again."""


def _translated(error: IntegrityError) -> CasinoError:
    """Return what an IntegrityError means: somebody handed one of these slips in meanwhile, or the shift was sealed."""
    name = broken_constraint(error)
    if name.startswith(("tables_round_uuid", "tables_round_number")):
        return Conflict("busy", gettext("Somebody handed in one of these rounds meanwhile. Nothing was kept; import the file again."))
    if name in ("ledger_entry_not_sealed", "ledger_entry_open_book"):
        return Conflict("period_closed", gettext("The shift was sealed meanwhile. Nothing was kept."))
    return BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name)
