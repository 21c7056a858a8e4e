"""What counting found, posted when a shift is signed, so that books and trays agree again. Source: spec/books.md, "Signing, late facts"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from casino.models import User
from casino.transactions import in_transaction
from ledger.drafts import EntryDraft
from ledger.models import Entry
from ledger.selectors import held_before
from ledger.services import post_entry
from tables.models import SessionEvent, TableSession, TrayCount
from tables.posting import transfers_for_variances, tray


@dataclass(frozen=True)
class CountedSession:
    """A session as it was signed, minor units: what the opener and closer were counted at, and what was to be expected of tray and box."""

    session: TableSession
    opener: int
    expected_closer: int
    closer: int
    expected_drop: int
    drop: int


@in_transaction
def post_variances(counted: Sequence[CountedSession], *, at: datetime, by: User, witness: User) -> list[Entry]:
    """Return the entries, one a session in which something moves, after which the tray holds the counted closer and the box nothing.

    The same session twice is the same entry. Where the counted opener was not the last counted closer, that gap is posted as well: with the
    closer's alone the tray would stay wrong by it. Raises as `post_entry`.
    """
    return [entry for one in counted if (entry := _post(one, at, by, witness)) is not None]


def _post(one: CountedSession, at: datetime, by: User, witness: User) -> Entry | None:
    session, shift = one.session, one.session.shift
    house = session.table.property
    transfers = transfers_for_variances(
        session.table.code,
        opener=one.opener - tray_before(session),
        closer=one.closer - one.expected_closer,
        expected_drop=one.expected_drop,
        drop=one.drop,
    )
    if not transfers:
        return None
    draft = EntryDraft(
        kind="variance",
        reference=f"variance:{session.uuid}",
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


def tray_before(session: TableSession) -> int:
    """Return what the tray held before the session: the last counted closer, or the books' figure for a table's first session. Two queries at most.

    Not always the books' figure: the session before may have been signed since, or not be signed yet.
    """
    before = (
        TableSession.objects.filter(
            table=session.table_id, events__state=SessionEvent.State.CLOSED, pk__lt=session.pk, recorded_at__lt=session.recorded_at
        )
        .order_by("-pk")
        .values_list("pk", flat=True)[:1]
    )
    closer = (
        TrayCount.objects.filter(session__in=list(before), kind=TrayCount.Kind.CLOSER).order_by("-sequence").values_list("total", flat=True).first()
    )
    if closer is not None:
        return closer
    return held_before(session.table.property.uuid, tray(session.table.code), session.recorded_at)
