"""What counting found, posted when a shift is signed, so that books and trays agree again. Source: spec/books.md, "Signing, late facts"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from casino.models import User
from casino.transactions import in_transaction
from ledger.drafts import EntryDraft
from ledger.models import Entry
from ledger.selectors import Moved, amount_of, moved_in_shift
from ledger.services import post_entry
from tables.models import BoxPull, SessionEvent, Shift, TableSession, TrayCount
from tables.posting import drop_box, transfers_for_variances, tray
from tables.services.chips import bankroll

KIND = "variance"


@dataclass(frozen=True)
class CountedSession:
    """A session as it was signed: what its opener, closer and box were counted at, minor units.

    `drop`: None where the box stays for a later shift of the gaming day. `box_of`: the other shifts whose money is in it, where it was
    pulled for the day.
    """

    session: TableSession
    opener: int
    closer: int
    drop: int | None
    box_of: tuple[Shift, ...] = ()


@in_transaction
def post_variances(shift: Shift, counted: Sequence[CountedSession], *, at: datetime, by: User, witness: User) -> list[Entry]:
    """Return the entries, one a session in which something moves, after which the tray holds the counted closer and the box nothing.

    What was to be expected is what the books have, whatever moved: closer - (opener + what came and went). Where the counted opener was not
    the last counted closer, that gap is posted as well: with the closer's alone the tray would stay wrong by it. The same session twice is
    the same entry. Raises as `post_entry`.
    """
    moves = [move for move in moved_in_shift(shift.uuid) if move.kind != KIND]
    return [entry for one in counted if (entry := _post(shift, one, moves, at, by, witness)) is not None]


def _post(shift: Shift, one: CountedSession, moves: Sequence[Moved], at: datetime, by: User, witness: User) -> Entry | None:
    session = one.session
    house, table = session.table.property, session.table.code
    box = _in_the_box(one, moves)
    transfers = transfers_for_variances(
        table,
        opener=one.opener - tray_before(session),
        closer=one.closer - one.opener - _brought(moves, session, tray(table)),
        expected_drop=box,
        drop=box if one.drop is None else one.drop,
    )
    if not transfers:
        return None
    draft = EntryDraft(
        kind=KIND,
        reference=f"{KIND}:{session.uuid}",
        property=house.uuid,
        currency=house.currency,
        gaming_day=shift.gaming_day,
        occurred_at=at,
        transfers=transfers,
        shift=shift.uuid,
        session=session.uuid,
        witness=witness.pk,
    )
    return post_entry(draft, by=by)


def _in_the_box(one: CountedSession, moves: Sequence[Moved]) -> int:
    """Return what the books have in the box: of this session, or of its table's gaming day; nothing where it stays for a later shift."""
    if one.drop is None:
        return 0
    account = drop_box(one.session.table.code)
    if not BoxPull.objects.filter(session=one.session, per_day=True).exists():
        return _brought(moves, one.session, account)
    table = {session.uuid for session in TableSession.objects.filter(table=one.session.table_id, shift__gaming_day=one.session.shift.gaming_day)}
    day = [*moves, *(move for shift in one.box_of for move in moved_in_shift(shift.uuid))]
    return sum(move.arrived - move.left for move in day if move.session in table and move.account == account)


def _brought(moves: Sequence[Moved], session: TableSession, account: str) -> int:
    """Return what the session's entries brought to `account`, less what they took from it."""
    return sum(move.arrived - move.left for move in moves if move.session == session.uuid and move.account == account)


def tray_before(session: TableSession) -> int:
    """Return what the tray held before the session: the last counted closer, or the bankroll for a table's first session. Three queries at most.

    Not always the books' figure: the session before may have been signed since, or not be signed yet. By the order of sessions, not by a
    clock: one that was put back would have this session recorded before the one it followed.
    """
    before = (
        TableSession.objects.filter(table=session.table_id, events__state=SessionEvent.State.CLOSED, pk__lt=session.pk)
        .order_by("-pk")
        .values_list("pk", flat=True)[:1]
    )
    closer = (
        TrayCount.objects.filter(session__in=list(before), kind=TrayCount.Kind.CLOSER).order_by("-sequence").values_list("total", flat=True).first()
    )
    if closer is not None:
        return closer
    return amount_of(bankroll(session.table)) or 0
