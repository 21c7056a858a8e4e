"""The check of the live books: sealed bytes, roots, signatures, the file off the database, live rows, the database's own guards.

Source: spec/books.md, "The stranger's check". Exit codes are the stranger's: 0 clean, 2 tampered, 3 incomplete, 1 could not run.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from audit.bundles import contents, kept_checks
from audit.evidence import KINDS
from audit.second_opinion import settlers
from ledger import guards, leaves, merkle, notes, published, recompute, seal_key, sealing
from ledger.archived import TRANSFERS, WAGERS, archived_now
from ledger.models import Account, Archive, CheckpointAlarm, Segment
from ledger.stranger import facts, work
from ledger.stranger.outcome import CLEAN, INCOMPLETE, TAMPERED
from ledger.strays import strays
from ledger.totals import wrong_totals
from tables.models import PaytableVersion

LISTED = {"entry": (TRANSFERS, ("transfers",)), "round": (WAGERS, ("wagers", "wager_notes"))}
"""The kinds whose leaves list rows of a table of which months are archived, and the fields that do: those rows are in a file then."""
Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Problem:
    """What is wrong: the exit code that it calls for, and where and what in words."""

    code: int
    words: str


@dataclass(frozen=True)
class Answer:
    """What came of a check."""

    problems: tuple[Problem, ...]
    segments: int
    leaves: int
    waiting: int
    notes: tuple[str, ...] = ()
    """What is to be known, and wrong in nothing: months that are archived, with the hashes of their files."""

    @property
    def code(self) -> int:
        """Return the exit code: tampering before gaps."""
        codes = {problem.code for problem in self.problems}
        return TAMPERED if TAMPERED in codes else INCOMPLETE if INCOMPLETE in codes else CLEAN


def check_books(*, tell: Tell = lambda *_: None) -> Answer:
    """Return what is wrong with the live books, the first in their order first. Reads everything; flat memory."""
    lend_settlers()
    problems: list[Problem] = []
    put_in: dict[str, set[int]] = defaultdict(set)
    held = counted = 0
    tree = merkle.Tree()
    out = archived_now()
    segments = list(Segment.objects.select_related("signed__key").order_by("number"))
    for done, segment in enumerate(segments, start=1):
        problems += _order(segment, done, tree)
        found, count = leaves_and_rows(segment, out)
        problems += found
        if count == segment.leaf_count:
            for stray in strays(segment, KINDS):
                put_in[stray.kind].add(stray.row)
                problems.append(Problem(TAMPERED, f"{_place(segment)}: {stray}"))
        held += 1
        counted += count
        tell(done, len(segments), f"shifts; {counted} leaves")
    problems += _file(segments)
    problems += [Problem(TAMPERED, str(problem)) for problem in guards.problems()]
    problems += [Problem(TAMPERED, str(wrong)) for wrong in wrong_totals()]
    waiting = sum(
        rows.exclude(pk__in=put_in[kind.name]).count()
        for property in {segment.property for segment in segments}
        for kind in KINDS
        for rows in sealing.late_rows(kind, property)
    )
    told = tuple(f"{one.table} of {one.month:%Y-%m} is archived: {one.file}, SHA-256 {one.file_sha256}" for one in out)
    return Answer(tuple(problems), held, counted, waiting, told)


def leaves_and_rows(segment: Segment, out: Sequence[Archive]) -> tuple[list[Problem], int]:
    """Return what is wrong with a segment's leaves and with the live rows that they were made from, and how many leaves it has.

    `out`: the archived months, of which rows that are in files are not compared. To be called after `lend_settlers`.
    """
    problems, count = _leaves(segment)
    away = {kind: recompute.Away(fields, frozenset(one.month for one in out if one.table == table)) for kind, (table, fields) in LISTED.items()}
    problems += [Problem(TAMPERED, str(difference)) for difference in recompute.differences(segment, KINDS, away=away)]
    return problems, count


def lend_settlers() -> None:
    """Have the checker settle by the reference settlers, as the stranger's does."""
    for code, module in settlers().items():
        facts.SETTLERS[code] = (module.settle_reference, module.rake_reference)
    currencies = {f"{account.property} {account.code}": account.currency for account in Account.objects.all()}
    work.begin_worker(currencies, {version.sha256: json.loads(bytes(version.content)) for version in PaytableVersion.objects.all()})


def _place(segment: Segment) -> str:
    return f"segment {segment.number}, shift {segment.shift} of {segment.gaming_day}"


def _order(segment: Segment, expected: int, tree: merkle.Tree) -> Iterator[Problem]:
    """Yield what is wrong with a segment's place, text, outer root and signature; its leaf goes into `tree`."""
    place = _place(segment)
    if segment.number != expected:
        yield Problem(INCOMPLETE, f"segment {expected} is missing before {place}")
    try:
        size, outer_root, sealed = notes.read_checkpoint(segment.checkpoint)
    except ValueError as error:
        yield Problem(TAMPERED, f"{place}: its checkpoint cannot be read ({error})")
        return
    tree.add(merkle.leaf_hash(sealing.outer_leaf(sealed)))
    said = (sealed.number, sealed.property, sealed.shift, sealed.gaming_day, sealed.leaves, sealed.root)
    if said != (segment.number, segment.property, segment.shift, segment.gaming_day, segment.leaf_count, bytes(segment.root)):
        yield Problem(TAMPERED, f"{place}: its row is not what its checkpoint says")
    if size != segment.number or outer_root != tree.root() or outer_root != bytes(segment.outer_root):
        yield Problem(TAMPERED, f"{place}: its outer root is not over the shifts before it")
    if not hasattr(segment, "signed"):
        yield Problem(INCOMPLETE, f"{place}: it is not signed yet")
    elif segment.signed.note.partition("\n\n")[0] + "\n" != segment.checkpoint or not seal_key.is_signed(segment.signed.note, segment.signed.key):
        yield Problem(TAMPERED, f"{place}: its signature does not fit its checkpoint")


def _leaves(segment: Segment) -> tuple[list[Problem], int]:
    """Return what is wrong with a segment's stored bytes, each fact for itself and all under the root; and how many there are."""
    place, tree, checks = _place(segment), merkle.Tree(), hashlib.sha256()
    problems: list[Problem] = []
    checks_of, signed = _checks(segment), _signed_checks(segment)
    for expected, (index, content) in enumerate(contents(segment)):
        if index != expected:
            problems.append(Problem(INCOMPLETE, f"{place}, leaf {expected}: is missing"))
        hashed = merkle.leaf_hash(content)
        tree.add(hashed)
        try:
            kind, parts = leaves.read(content)
            checks.update(leaves.check_of(hashed, parts))
            words = checks_of.check([kind.encode(), *parts])
        except (ValueError, KeyError, TypeError, IndexError) as error:
            kind, words = "?", f"bytes: no fact can be read ({error})"
        if words:
            field, _, what = words.partition(": ")
            problems.append(Problem(TAMPERED, f"{place}, leaf {index}: {kind}, field {field}: {what}"))
    if tree.size < segment.leaf_count:
        adopted = CheckpointAlarm.objects.filter(kind=CheckpointAlarm.Kind.AHEAD, number=segment.number).select_related("by").last()
        why = f" (acknowledged by {adopted.by}: {adopted.reason})" if adopted else ""
        problems.append(Problem(INCOMPLETE, f"{place}: {tree.size} of {segment.leaf_count} leaves are here{why}"))
    elif tree.root() != bytes(segment.root):
        problems.append(Problem(TAMPERED, f"{place}: the stored leaves are not under its root"))
    elif checks.digest() != signed:
        problems.append(Problem(TAMPERED, f"{place}: the leaves' checks are not the signed ones"))
    kept = kept_checks(segment)
    if kept is not None and hashlib.sha256(kept).digest() != signed:
        problems.append(Problem(TAMPERED, f"{place}: the kept checks of its leaves are not the signed ones"))
    return problems, tree.size


def _signed_checks(segment: Segment) -> bytes:
    """Return the SHA-256 of a segment's checks as its checkpoint says it, nothing where that cannot be read, which `_order` tells."""
    try:
        return notes.read_checkpoint(segment.checkpoint)[2].checks
    except ValueError:
        return b""


def _checks(segment: Segment) -> work.Facts:
    """Return the stranger's checks of a segment's facts; where its head cannot be read, those that take none for readable."""
    found = work.Found(segment.number)
    try:
        return work.Facts(recompute.schema_of(segment), found)
    except (ValueError, KeyError, TypeError, AttributeError):
        return work.Facts({}, found)


def _file(segments: list[Segment]) -> Iterator[Problem]:
    """Yield where the file off the database and the books differ."""
    out = {line.number: line for line in published.read()}
    for segment in segments:
        line = out.pop(segment.number, None)
        if not hasattr(segment, "signed"):
            continue
        if line is None:
            yield Problem(INCOMPLETE, f"{_place(segment)}: its checkpoint is not in the file of published ones")
        elif line.note != segment.signed.note:
            yield Problem(TAMPERED, f"{_place(segment)}: another checkpoint was published")
    for number in sorted(out):
        yield Problem(INCOMPLETE, f"segment {number}: its checkpoint was published, and the books do not hold it")
