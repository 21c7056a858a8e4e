"""The board of a night: every table of one's pits with what is happening at it, in a known number of queries.

What is expected in the tray of an open session, and what it won, is known to nobody who may count it (spec/night.md, "Life of a table").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum

from audit.limits import Limit, limit_of
from audit.models import Finding, FindingEvent
from audit.selectors import findings_with_state, limits_of, tray_counts
from casino import roles
from casino.models import Job, User
from casino.shown import age
from ledger.selectors import Moved, moved_in_shift
from tables.bet_words import bet_word
from tables.engine.game import Game, games
from tables.models import ChipSlip, DealerTurn, Round, SessionEvent, Shift, ShiftEvent, Table, TableSession
from tables.posting import drop_box, promo, tray
from tables.selectors import OPEN_SLIPS, counted, open_proposals, sessions_with_state, shifts_for, slips_in

SHIFT_JOBS = ("close_shift", "reconcile_shift", "shift_report")
QUIET_AFTER = timedelta(minutes=15)
"""An open table without a round for this long is worth a look."""


@dataclass(frozen=True)
class Tile:
    """One table tonight. `expected` and `win` are minor units, None where nobody knows them or the person may not."""

    table: Table
    game: Game
    state: str
    session: TableSession | None
    limits: Sequence[tuple[str, Limit]] = ()
    dealer: str = ""
    dealer_since: datetime | None = None
    dealer_for: str = ""
    rounds: int = 0
    per_hour: int = 0
    last: datetime | None = None
    last_age: str = ""
    quiet: bool = False
    handle: int = 0
    findings: int = 0
    slips: int = 0
    proposals: int = 0
    expected: int | None = None
    win: int | None = None


@dataclass(frozen=True)
class Board:
    """The newest shift of one's pits with its tables; `sees_expected` says whether trays and wins may be shown."""

    shift: Shift
    tiles: Sequence[Tile]
    sees_expected: bool

    @property
    def is_open(self) -> bool:
        """Return whether the shift is still running."""
        return getattr(self.shift, "state", "") == ShiftEvent.State.OPEN

    @property
    def rounds(self) -> int:
        """Return the rounds of all tables together."""
        return sum(tile.rounds for tile in self.tiles)

    @property
    def handle(self) -> int:
        """Return the handle of all tables together but for pots, which are not the house's."""
        return sum(tile.handle for tile in self.tiles if not tile.game.is_pot_game)


def newest_shift(user: User) -> Shift | None:
    """Return the newest shift that `user` may see, an open one first. One query."""
    shifts: QuerySet[Any] = shifts_for(user)
    return shifts.order_by("-state", "-gaming_day", "-starts_at").first()  # "open" comes after "ended"


def board_for(user: User, *, at: datetime, shift: Shift | None = None) -> Board | None:
    """Return the board of `user`'s pits at moment `at`, of the newest shift unless another is given; None where there is none yet.

    Nine queries, however many tables there are; two more for who sees expected trays.
    """
    shift = shift or newest_shift(user)
    if shift is None:
        return None
    sees = roles.may(user.roles, "see_expected")
    pits = roles.pits_for(user, "read_reports")
    tables = Table.objects.filter(property=shift.property_id).select_related("pit").order_by("code")
    if pits is not None:
        tables = tables.filter(pit__code__in=pits)
    sessions = {s.table_id: s for s in sessions_with_state(shift.sessions.select_related("table")).order_by("sequence")}
    figures = _Figures(shift, at, sessions.values() if sees else ())
    return Board(shift, [_tile(table, sessions.get(table.pk), figures, at) for table in tables], sees)


class _Figures:
    """What the shift's sessions did so far, each by the session's key."""

    def __init__(self, shift: Shift, at: datetime, expected_of: Collection[TableSession]) -> None:
        self.rounds = _rounds(shift, at)
        self.dealers = _dealers(shift)
        self.limits = limits_of(shift)
        self.slips = _by_session(slips_in(OPEN_SLIPS, ChipSlip.objects.filter(session__shift=shift)))
        self.proposals = _by_session(open_proposals(session__shift=shift))
        self.findings = _open_findings(shift)
        self.expected = _expected(shift, expected_of) if expected_of else {}


def _tile(table: Table, session: TableSession | None, figures: _Figures, at: datetime) -> Tile:
    game = games()[table.game]
    limits = _in_force(figures.limits.get(table.pk, ()), at)
    if session is None:
        return Tile(table, game, "not open", None, limits)
    sums = figures.rounds.get(session.pk, {})
    last = sums.get("last")
    state = str(getattr(session, "state", ""))
    dealer, since = figures.dealers.get(session.pk, ("", None))
    expected, win = figures.expected.get(session.pk, (None, None))
    return Tile(
        table,
        game,
        state,
        session,
        limits,
        dealer=dealer,
        dealer_since=since,
        dealer_for=age((at - since).total_seconds()) if since and state == SessionEvent.State.OPEN else "",
        rounds=sums.get("n", 0),
        per_hour=sums.get("hour", 0),
        last=last,
        last_age=age((at - last).total_seconds()) if last else "",
        quiet=state == SessionEvent.State.OPEN and (last is None or at - last > QUIET_AFTER),
        handle=sums.get("staked", 0),
        findings=figures.findings.get(session.pk, 0),
        slips=figures.slips.get(session.pk, 0),
        proposals=figures.proposals.get(session.pk, 0),
        expected=expected,
        win=win,
    )


def _rounds(shift: Shift, at: datetime) -> Mapping[int, dict[str, Any]]:
    rows: Iterable[Any] = (
        Round.objects.filter(counted(), session__shift=shift)
        .values("session")
        .annotate(
            n=Count("pk"),
            hour=Count("pk", filter=Q(occurred_at__gt=at - timedelta(hours=1))),
            last=Max("occurred_at"),
            staked=Sum("handle"),
        )
        .order_by()
    )
    return {row["session"]: row for row in rows}


def _dealers(shift: Shift) -> Mapping[int, tuple[str, datetime]]:
    """Return who deals at each session, and since when."""
    turns = DealerTurn.objects.filter(session__shift=shift).order_by("from_at")
    return {session: (code, since) for session, code, since in turns.values_list("session", "dealer__code", "from_at")}


def _in_force(limits: Sequence[Limit], at: datetime) -> list[tuple[str, Limit]]:
    """Return the limits in force at `at` with the words of their bets, those of every bet first."""
    bets = sorted({limit.bet for limit in limits})
    found = ((bet, limit_of(limits, bet, at)) for bet in bets)
    return [(bet_word(bet), limit) for bet, limit in found if limit is not None and limit.bet == bet]


def _by_session(rows: QuerySet[Any]) -> Mapping[int, int]:
    """Return how many of `rows` each session has."""
    return {row["session"]: row["n"] for row in rows.values("session").annotate(n=Count("pk")).order_by()}


def waiting(findings: QuerySet[Any]) -> QuerySet[Any]:
    """Return those of `findings`, which know their state, that wait for somebody: not closed, and more than a note."""
    return findings.exclude(state=FindingEvent.State.CLOSED).exclude(severity=Finding.Severity.NOTE)


def _open_findings(shift: Shift) -> Mapping[int, int]:
    return _by_session(waiting(findings_with_state(Finding.objects.filter(shift=shift, session__isnull=False))))


def _expected(shift: Shift, sessions: Iterable[TableSession]) -> Mapping[int, tuple[int | None, int | None]]:
    """Return what each session's tray should hold and what its rounds brought, by the books."""
    trays, moves = tray_counts(shift), moved_in_shift(shift.uuid)
    expected: dict[int, tuple[int | None, int | None]] = {}
    for session in sessions:
        over = [m for m in moves if m.session == session.uuid and m.account == tray(session.table.code)]
        opener = trays[session.pk].get("opener")
        brought = sum(m.arrived - m.left for m in over)
        win = sum(m.arrived - m.left for m in over if m.kind == "round") + _boxed(moves, session)
        expected[session.pk] = (None if opener is None else opener + brought, win)
    return expected


def _boxed(moves: Sequence[Moved], session: TableSession) -> int:
    """Return what rounds brought to the session's box, coupons apart: they are worth nothing to the house."""
    box, promotions = drop_box(session.table.code), promo(session.table.code)
    rounds = [m for m in moves if m.session == session.uuid and m.kind == "round"]
    return sum(m.arrived - m.left for m in rounds if m.account in (box, promotions))


def jobs_of(shifts: Sequence[Shift]) -> list[Job]:
    """Return the newest jobs that close, reconcile or report these shifts. One query."""
    uuids = [str(shift.uuid) for shift in shifts]
    return list(Job.objects.filter(kind__in=SHIFT_JOBS, args__shift__in=uuids).order_by(F("id").desc())[:6])
