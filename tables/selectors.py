"""Reading the floor, in a known number of queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext

from casino import roles
from casino.bulk import array_text
from casino.errors import Conflict, NotFound
from casino.gaming_day import gaming_day
from casino.models import User
from casino.prepared import ask
from ledger.selectors import is_sealed, limited_sql
from tables.corrections import Phase, phase_of
from tables.engine.game import games
from tables.models import (
    ChipSlip,
    ChipSlipEvent,
    CountReopening,
    CountReopeningEvent,
    Dealer,
    DealerTurn,
    PaytableVersion,
    Pit,
    Property,
    Round,
    RoundProposal,
    RoundProposalEvent,
    SessionEvent,
    Shift,
    ShiftEvent,
    Table,
    TablePaytable,
    TableSession,
    TrayCount,
)
from tables.posting import round_accounts


def standing(path: str = "") -> Q:
    """Return the condition that a round still stands: it was neither voided nor replaced. `path` leads to the round ("round__")."""
    return Q(**{f"{path}reversal__isnull": True})


def counted(path: str = "") -> Q:
    """Return the condition that a round is in the figures of its own session: neither late, nor voided or replaced before its shift was sealed.

    What was reversed later stays in the sealed figures, which are frozen, and is shown beside them. `path` leads to the round ("round__").
    """
    return Q(**{f"{path}late": False}) & (standing(path) | Q(**{f"{path}reversal__late": True}))


def with_state(shifts: QuerySet[Shift]) -> QuerySet[Shift]:
    """Return `shifts` with `state`, the state of each one's last event. No query of its own."""
    last = ShiftEvent.objects.filter(shift=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return shifts.annotate(state=Subquery(last))


def sessions_with_state(sessions: QuerySet[TableSession]) -> QuerySet[TableSession]:
    """Return `sessions` with `state`, the state of each one's last event. No query of its own."""
    last = SessionEvent.objects.filter(session=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return sessions.annotate(state=Subquery(last))


def shifts_in(state: str, shifts: QuerySet[Shift]) -> QuerySet[Shift]:
    """Return those of `shifts` whose last event says `state`. No query of its own."""
    return with_state(shifts).filter(state=state)  # type: ignore[misc]


def sessions_in(state: str, sessions: QuerySet[TableSession]) -> QuerySet[TableSession]:
    """Return those of `sessions` whose last event says `state`. No query of its own."""
    return sessions_with_state(sessions).filter(state=state)  # type: ignore[misc]


def shift_state(shift: Shift) -> str:
    """Return the state of `shift`. One query."""
    return ShiftEvent.objects.filter(shift=shift).order_by("-sequence").values_list("state", flat=True).first() or ""


def session_state(session: TableSession) -> str:
    """Return the state of `session`. One query."""
    return SessionEvent.objects.filter(session=session).order_by("-sequence").values_list("state", flat=True).first() or ""


def table_of(code: str) -> Table:
    """Return the table of `code` with its pit and property. One query. Raises NotFound (`no_table`)."""
    table = Table.objects.select_related("property", "pit").filter(code=code).first()
    if table is None:
        raise NotFound("no_table", gettext("There is no table %(code)s.") % {"code": code}, where="table")
    return table


def open_sessions() -> QuerySet[TableSession]:
    """Return every open session with table, pit, property and shift, by table."""
    sessions = TableSession.objects.select_related("shift", "table__property", "table__pit")
    return sessions_in(SessionEvent.State.OPEN, sessions).order_by("table__code")


def open_sessions_for(user: User, action: str) -> QuerySet[TableSession]:
    """Return the open sessions of the pits where `user` may do `action`, as `open_sessions`."""
    pits = roles.pits_for(user, action)
    return open_sessions() if pits is None else open_sessions().filter(table__pit__code__in=pits)


def open_session(table: Table) -> TableSession:
    """Return the table's open session. One query. Raises Conflict (`session_closed`)."""
    session = (
        sessions_in(SessionEvent.State.OPEN, TableSession.objects.filter(table=table))
        .select_related("shift", "table__property", "table__pit")
        .order_by("-pk")
        .first()
    )
    if session is None:
        raise Conflict("session_closed", gettext("%(table)s is not open.") % {"table": table}, where="table")
    return session


_TO_DEAL = (TableSession, Shift, Table, Pit, Property)
_TO_DEAL_SQL = """
SELECT {columns} FROM tables_table JOIN tables_tablesession ON tables_tablesession.table_id = tables_table.id
JOIN tables_shift ON tables_shift.id = tables_tablesession.shift_id JOIN tables_pit ON tables_pit.id = tables_table.pit_id
JOIN tables_property ON tables_property.id = tables_table.property_id
WHERE tables_table.code = $1 AND (
    SELECT e.state FROM tables_sessionevent e WHERE e.session_id = tables_tablesession.id ORDER BY e.sequence DESC LIMIT 1
) = 'open'
ORDER BY tables_tablesession.id DESC LIMIT 1
"""


@cache
def _to_deal_sql() -> str:
    columns = [f'{model._meta.db_table}."{field.column}"' for model in _TO_DEAL for field in model._meta.concrete_fields]
    return _TO_DEAL_SQL.format(columns=", ".join(columns))


def _next_row(model: type[Model], values: Iterator[Any]) -> Any:
    """Return a row of `model` made of the next values, as many as it has columns."""
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db(connection.alias, names, [next(values) for _ in names])


@lru_cache(maxsize=256)
def _session_of(row: tuple[Any, ...]) -> TableSession:
    """Return what `row` says: made once as long as it says the same, since five models take longer to make than to read."""
    values = iter([list(value) if type(value) is tuple else value for value in row])
    session, shift, table, pit, house = (_next_row(model, values) for model in _TO_DEAL)
    table.pit, table.property, session.table, session.shift = pit, house, table, shift
    found: TableSession = session
    return found


def session_to_deal(code: str) -> TableSession:
    """Return the open session of the table of `code`, with shift, table, pit and property. One query, two where there is none.

    Written out, because every recorded round begins with it and the ORM takes longer over such a query than PostgreSQL. Who asks again gets
    the same objects as long as the rows are the same: they are to be read.
    Raises NotFound (`no_table`), Conflict (`session_closed`).
    """
    row = ask(_to_deal_sql(), [code])
    if row is None:
        return open_session(table_of(code))
    return _session_of(tuple([tuple(value) if type(value) is list else value for value in row]))


@dataclass(frozen=True)
class SessionNow:
    """What a session is at the moment: its state, when it was opened (as claimed), the number that its next round gets, a dealer's key.

    `version`: key and SHA-256 of the paytable version in force at the moment that was asked about, None where none was. `limited`: an account
    that its rounds move over has a floor or a ceiling. `known`: the uuid that was asked about is a round's already.
    """

    state: str
    opened_at: datetime
    next_number: int
    dealer: int | None
    version: tuple[int, str] | None = None
    limited: bool = False
    known: bool = False


_NOW = f"""
SELECT (SELECT state FROM tables_sessionevent WHERE session_id = $1 ORDER BY sequence DESC LIMIT 1),
       (SELECT occurred_at FROM tables_sessionevent WHERE session_id = $1 AND sequence = 1),
       (SELECT coalesce(max(number), 0)::bigint + 1 FROM tables_round WHERE session_id = $1),
       (SELECT id FROM tables_dealer WHERE property_id = $2 AND code = $3),
       v.id, v.sha256, {limited_sql("$6", "$7")}, EXISTS (SELECT FROM tables_round WHERE uuid = $8)
FROM (SELECT) AS once LEFT JOIN LATERAL (
    SELECT version.id, version.sha256 FROM tables_tablepaytable placed JOIN tables_paytableversion version ON version.id = placed.version_id
    WHERE placed.table_id = $4 AND placed.from_at <= $5 ORDER BY placed.from_at DESC LIMIT 1
) v ON true
"""  # noqa: S608 - our own words


def session_now(session: TableSession, dealer: str, at: datetime | None = None, uuid: UUID | None = None) -> SessionNow:
    """Return what `session` is now, who `dealer` is, which version was in force at `at`, whether `uuid` is a round's. One query.

    Asked after the lock was waited for, since the session may be closed by now.
    """
    table = session.table
    house, accounts = table.property, _accounts(table.code, table.game)
    row = ask(_NOW, [session.pk, house.pk, dealer, table.pk, at, house.uuid, accounts, uuid])
    state, opened_at, next_number, dealer_key, version, sha256, limited, known = row
    return SessionNow(state, opened_at, next_number, dealer_key, None if version is None else (version, sha256), limited, known)


@lru_cache(maxsize=256)
def _accounts(table: str, game: str) -> str:
    """Return the accounts that a round at `table` may move over, as the literal of an array."""
    return array_text(sorted(round_accounts(table, is_pot_game=games()[game].is_pot_game)))


@lru_cache(maxsize=256)
def version_kept(key: int, sha256: str) -> PaytableVersion:
    """Return the paytable version of `key`, read once per process: what is under its SHA-256 never changes. One query at most."""
    return PaytableVersion.objects.get(pk=key, sha256=sha256)


def version_in_force(table: Table, at: datetime) -> PaytableVersion:
    """Return the paytable version in force at `table` at moment `at`. One query. Raises Conflict (`no_paytable`)."""
    row = TablePaytable.objects.filter(table=table, from_at__lte=at).select_related("version").order_by("-from_at").first()
    if row is None:
        raise no_paytable(table)
    return row.version


def no_paytable(table: Table) -> Conflict:
    """Return what is said where no paytable version was in force at `table`."""
    return Conflict("no_paytable", gettext("No paytable version was in force at %(table)s then.") % {"table": table}, where="occurred_at")


def dealer_now(session: TableSession) -> Dealer | None:
    """Return who deals at the session's table now, None where nobody was entered. One query."""
    turn = DealerTurn.objects.filter(session=session).select_related("dealer").order_by("-from_at").first()
    return turn.dealer if turn else None


def rounds_for(user: User) -> QuerySet[Round]:
    """Return the rounds that `user` may read: those of their pits."""
    rounds = Round.objects.select_related(
        "session__table__property", "session__table__pit", "session__shift", "dealer", "paytable", "recorded_by", "reversal"
    )
    pits = roles.pits_for(user, "read_rounds")
    return rounds if pits is None else rounds.filter(session__table__pit__code__in=pits)


def round_for(user: User, uuid: UUID) -> Round:
    """Return the round of `uuid` that `user` may read. Raises NotFound (`no_round`): what is not theirs is not there."""
    played = rounds_for(user).filter(uuid=uuid).first()
    if played is None:
        raise NotFound("no_round", gettext("There is no such round."))
    return played


def shifts_for(user: User) -> QuerySet[Shift]:
    """Return the shifts that have a table in a pit of `user`'s, with their state."""
    shifts = with_state(Shift.objects.select_related("property"))
    pits = roles.pits_for(user, "read_reports")
    return shifts if pits is None else shifts.filter(property__pits__code__in=pits).distinct()


def phase_now(session: TableSession) -> Phase:
    """Return whether `session` is open, closed (or its shift ended), or sealed. Three queries; asked after the shift's lock was waited for."""
    return phase_of(session_state(session), shift_state(session.shift), sealed=is_sealed(session.shift.uuid))


def open_shift_of(house: Property) -> Shift:
    """Return the open shift of `house`, the newest one. One query. Raises Conflict (`no_open_shift`)."""
    shift = shifts_in(ShiftEvent.State.OPEN, Shift.objects.filter(property=house)).order_by("-pk").first()
    if shift is None:
        raise Conflict(
            "no_open_shift", gettext("No shift of %(house)s is open: what comes late is posted in the open shift. Open one first.") % {"house": house}
        )
    return shift


def proposals_with_state(proposals: QuerySet[RoundProposal]) -> QuerySet[RoundProposal]:
    """Return `proposals` with `state`, the state of each one's last event. No query of its own."""
    last = RoundProposalEvent.objects.filter(proposal=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return proposals.annotate(state=Subquery(last))


def open_proposals(**which: object) -> QuerySet[RoundProposal]:
    """Return the proposals of `which` (fields of RoundProposal) that nobody decided of yet. No query of its own."""
    return proposals_with_state(RoundProposal.objects.filter(**which)).filter(state=RoundProposalEvent.State.PROPOSED)  # type: ignore[misc]


def proposals_for(user: User) -> QuerySet[RoundProposal]:
    """Return the proposals for rounds of `user`'s pits with `state`, the state of each one's last event. No query of its own."""
    proposals = proposals_with_state(
        RoundProposal.objects.select_related(
            "session__table__property", "session__table__pit", "session__shift", "round__dealer", "proposed_by", "change__made"
        )
    )
    pits = roles.pits_for(user, "read_rounds")
    return proposals if pits is None else proposals.filter(session__table__pit__code__in=pits)


def proposal_for(user: User, uuid: UUID) -> RoundProposal:
    """Return the proposal of `uuid` that `user` may read. Raises NotFound (`no_proposal`): what is not theirs is not there."""
    proposal = proposals_for(user).filter(uuid=uuid).first()
    if proposal is None:
        raise NotFound("no_proposal", gettext("There is no such proposal."))
    return proposal


# ---- counts and slips ----


def last_closer(table: Table) -> TrayCount | None:
    """Return the table's last counted closer, which its next opener is made from; None where it never closed. One query."""
    return TrayCount.objects.filter(session__table=table, kind=TrayCount.Kind.CLOSER).order_by("-pk").first()


def last_count(session: TableSession, kind: str) -> TrayCount | None:
    """Return the session's newest count of `kind`, which is the one in force. One query."""
    return TrayCount.objects.filter(session=session, kind=kind).order_by("-sequence").first()


def slips_with_state(slips: QuerySet[ChipSlip]) -> QuerySet[ChipSlip]:
    """Return `slips` with `state`, the state of each one's last event. No query of its own."""
    last = ChipSlipEvent.objects.filter(slip=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return slips.annotate(state=Subquery(last))


def slips_in(states: Collection[str], slips: QuerySet[ChipSlip]) -> QuerySet[ChipSlip]:
    """Return those of `slips` whose last event says one of `states`. No query of its own."""
    return slips_with_state(slips).filter(state__in=list(states))  # type: ignore[misc]


def slips_for(user: User) -> QuerySet[ChipSlip]:
    """Return the slips that `user` may see, with their state: those of their pits, the cage all of the house's. No query of its own."""
    rows = slips_with_state(ChipSlip.objects.select_related("property", "session__table__property", "session__table__pit", "session__shift"))
    pits = roles.pits_for(user, "read_chips")
    return rows if pits is None else rows.filter(session__table__pit__code__in=pits)


def slip_for(user: User, uuid: UUID) -> ChipSlip:
    """Return the slip of `uuid` that `user` may see. Raises NotFound (`no_slip`): what is not theirs is not there."""
    slip = slips_for(user).select_related("requested_by").filter(uuid=uuid).first()
    if slip is None:
        raise NotFound("no_slip", gettext("There is no such slip."))
    return slip


def open_slips(session: TableSession) -> Sequence[ChipSlip]:
    """Return the session's slips that are neither received nor void, by kind and number. One query."""
    return list(slips_in(OPEN_SLIPS, session.chip_slips.all()).order_by("kind", "number"))


OPEN_SLIPS = (ChipSlipEvent.State.REQUESTED, ChipSlipEvent.State.ISSUED, ChipSlipEvent.State.SENT)
UNUSED_SLIPS = (*OPEN_SLIPS, ChipSlipEvent.State.VOID)


@dataclass(frozen=True)
class SlipGap:
    """A number that was skipped: none is, unless somebody got past the database. Or a slip that moved nothing, and what it is instead."""

    kind: str
    number: int
    state: str


_GAPS = """
    WITH given AS (
        SELECT kind, number FROM tables_chipslip WHERE property_id = %(house)s
        UNION SELECT kind, number FROM tables_chipmovement WHERE property_id = %(house)s AND number IS NOT NULL
    ), last AS (
        SELECT kind, max(number) AS number
        FROM (SELECT kind, number FROM given UNION ALL SELECT kind, last FROM tables_slipcounter WHERE property_id = %(house)s) AS counted
        GROUP BY kind
    )
    SELECT last.kind, n FROM last CROSS JOIN LATERAL generate_series(1, last.number) n
    WHERE NOT EXISTS (SELECT FROM given WHERE given.kind = last.kind AND given.number = n)
    ORDER BY 1, 2
"""


def slip_gaps(house: Property) -> list[SlipGap]:
    """Return the slip numbers of `house` that are missing between the first and the last given, by kind. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_GAPS, {"house": house.pk})
        return [SlipGap(kind, number, "missing") for kind, number in cursor.fetchall()]


def unused_slips(house: Property) -> list[SlipGap]:
    """Return the slips of `house` that moved nothing (yet): requested, issued, sent or void, by kind and number. One query."""
    slips = slips_in(UNUSED_SLIPS, ChipSlip.objects.filter(property=house)).order_by("kind", "number")
    return [SlipGap(slip.kind, slip.number, str(getattr(slip, "state", ""))) for slip in slips]


def reopenings_with_state(reopenings: QuerySet[CountReopening]) -> QuerySet[CountReopening]:
    """Return `reopenings` with `state`, the state of each one's last event. No query of its own."""
    last = CountReopeningEvent.objects.filter(reopening=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return reopenings.annotate(state=Subquery(last))


PENDING_RECOUNTS = (CountReopeningEvent.State.PROPOSED, CountReopeningEvent.State.APPROVED)


def pending_recounts(**which: object) -> QuerySet[CountReopening]:
    """Return the reopened counts of `which` sessions (fields of CountReopening) that wait for an approval or for the new count.

    Nobody signs a shift while it has some: `pending_recounts(session__shift=shift)`. No query of its own.
    """
    return reopenings_with_state(CountReopening.objects.filter(**which)).filter(state__in=list(PENDING_RECOUNTS))  # type: ignore[misc]


def session_for(user: User, uuid: UUID, action: str) -> TableSession:
    """Return the session of `uuid`, of a pit where `user` may do `action`. Raises NotFound (`no_session`): what is not theirs is not there."""
    roles.require(user, action)
    sessions = sessions_with_state(TableSession.objects.select_related("shift__property", "table__property", "table__pit", "felt"))
    pits = roles.pits_for(user, action)
    found = (sessions if pits is None else sessions.filter(table__pit__code__in=pits)).filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_session", gettext("There is no such session."))
    return found


def dealer_of(house: Property, code: str) -> Dealer:
    """Return the house's dealer of that staff number. Raises NotFound (`no_dealer`)."""
    dealer = Dealer.objects.filter(property=house, code=code).first()
    if dealer is None:
        raise NotFound("no_dealer", gettext("There is no dealer %(code)s.") % {"code": code}, where="dealer")
    return dealer


def house_of(code: str) -> Property:
    """Return the property of `code`. Raises NotFound (`no_property`)."""
    house = Property.objects.filter(code=code).first()
    if house is None:
        raise NotFound("no_property", gettext("There is no property %(code)s.") % {"code": code}, where="property")
    return house


def gaming_day_now(at: datetime, code: str = "") -> date:
    """Return the gaming day that it is at moment `at` at the property of `code`, or the first one; the day in UTC where there is none. One query."""
    houses = Property.objects.order_by("code")
    house = (houses.filter(code=code) if code else houses).first()
    return gaming_day(at, house.zone, house.rollover) if house else at.date()
