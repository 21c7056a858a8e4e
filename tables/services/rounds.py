"""Rounds: settled, kept and posted together or not at all. Source: design/house.md, "A round's journey"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext

from casino import roles
from casino.canonical import canonical_plain
from casino.errors import BrokenBooks, CasinoError, Conflict, Fault, InvalidSlip, NotFound, Refused
from casino.models import User
from casino.money import Minor
from casino.transactions import broken_constraint, in_transaction, without_partition
from ledger.drafts import EntryDraft, LateIn
from ledger.entry_rows import check_now
from ledger.models import Entry
from ledger.published import require_current
from ledger.services import entry_refused, hold_limits, post_entry
from tables import selectors
from tables.due_and_done import KeptWager, side_by_side
from tables.engine.game import Deal, Game, Settlement, games
from tables.engine.paytable import Paytable
from tables.engine.settle import ENGINE_VERSION
from tables.house_settings import settings_on
from tables.locks import lock_to_deal
from tables.models import PaytableVersion, Round, SessionEvent, Table, TableSession
from tables.posting import WagerMoved, transfers_for_round
from tables.round_answer import JustKept
from tables.services.paytables import paytable_of
from tables.services.round_rows import insert_posted_round, insert_round
from tables.slips import RoundSlip

FUTURE = timedelta(minutes=5)
"""How far a claimed time may run ahead of ours."""


@dataclass(frozen=True)
class Ruled:
    """A slip with what the rules say of it: `settlement` is None where the round was irregular."""

    game: Game
    version: PaytableVersion
    paytable: Paytable
    deal: Deal
    settlement: Settlement | None
    wagers: Sequence[KeptWager]


def preview_round(slip: RoundSlip, *, by: User) -> Ruled:
    """Return what would be kept of `slip`, with nothing written: what is due, and the difference from what was done. Raises as record_round."""
    table = selectors.table_of(slip.table)
    roles.require(by, "enter_rounds", table.pit.code)
    return rule_slip(slip, table)


@dataclass
class _Attempt:
    """A slip on its way into the books; what was tried is known where the database refuses it."""

    slip: RoundSlip
    by: User
    at: datetime
    alone: bool
    draft: EntryDraft | None = None
    number: int = 0


def record_round(slip: RoundSlip, *, by: User, at: datetime) -> Round:
    """Return the round of `slip`, kept with its wagers and posted; the same slip again is the same round, which then was
    `known_before`.

    `at` is now, by the door's clock. Raises InvalidSlip (the codes of spec/rounds.md, places under `round`, `done`, …, and `bad_time`),
    Refused (`not_allowed`, `not_your_pit`), NotFound (`no_table`, `no_dealer`), Conflict (`session_closed`, `no_paytable`,
    `reference_reused`, `number_taken`, `period_closed`), Unavailable.
    """
    attempt = _Attempt(slip, by, at, alone=not connection.in_atomic_block)
    try:
        return _keep(attempt)
    except IntegrityError as error:  # nothing of it is left: the transaction, or its part of another's, is rolled back
        return _translate(error, attempt)


@in_transaction
def _keep(attempt: _Attempt) -> Round:
    slip, by = attempt.slip, attempt.by
    try:
        session = selectors.session_to_deal(slip.table)
    except CasinoError:
        roles.require(by, "enter_rounds", selectors.table_of(slip.table).pit.code)
        if (kept := Round.objects.filter(uuid=slip.uuid).first()) is not None:
            return _the_same(kept, slip)
        raise
    roles.require(by, "enter_rounds", session.table.pit.code)
    try:
        return _record(attempt, session)
    except CasinoError:
        if (kept := Round.objects.filter(uuid=slip.uuid).first()) is not None:
            return _the_same(kept, slip)
        raise


def _record(attempt: _Attempt, session: TableSession) -> Round:
    slip, by = attempt.slip, attempt.by
    if slip.replaces is not None:
        raise Refused("needs_approval", gettext("A round is replaced by a correction that another person approves."), where="replaces")
    table = session.table
    lock_to_deal(session.shift.uuid, session.uuid)
    now = selectors.session_now(session, slip.dealer, slip.occurred_at, slip.uuid)
    if now.known:
        return _the_same(Round.objects.get(uuid=slip.uuid), slip)
    check_slip(slip, table, now, attempt.at)
    if now.version is None:
        raise selectors.no_paytable(table)
    ruled = rule_by(slip, table, selectors.version_kept(*now.version))

    attempt.number = number = slip.number or now.next_number
    attempt.draft = draft = round_draft(slip.uuid, slip.occurred_at, session, table, ruled)
    require_current()
    if now.limited:
        hold_limits(draft)
    columns = round_columns(slip, session, now.dealer, number, ruled, sums_of(ruled.wagers), by)
    if attempt.alone:  # the commit checks the rest, and comes before anybody is answered
        played = insert_posted_round(columns, ruled.wagers, draft, by)
    else:
        with transaction.atomic():
            played = insert_posted_round(columns, ruled.wagers, draft, by)
            check_now()
    played.session, played.recorded_by, played.paytable = session, by, ruled.version
    played.just_kept = JustKept(slip.dealer, ruled.wagers, draft.uuid)
    return played


def _the_same(kept: Round, slip: RoundSlip) -> Round:
    if bytes(kept.fingerprint) != slip.fingerprint:
        raise Conflict("reference_reused", gettext("Another slip was handed in under this uuid."), where="uuid", round=str(kept.uuid))
    kept.known_before = True
    return kept


def check_slip(slip: RoundSlip, table: Table, now: selectors.SessionNow, at: datetime) -> None:
    """Refuse what came too late, or is said to have been dealt at a time when it cannot have been."""
    if now.state != SessionEvent.State.OPEN:
        raise Conflict("session_closed", gettext("%(table)s is not open.") % {"table": table}, where="table")
    if slip.occurred_at > at + FUTURE:
        raise InvalidSlip("bad_time", gettext("The round is said to have been dealt in the future."), where="occurred_at")
    check_opened(slip, table, now)
    if now.dealer is None:
        raise NotFound("no_dealer", gettext("There is no dealer %(dealer)s.") % {"dealer": slip.dealer}, where="dealer")


def check_opened(slip: RoundSlip, table: Table, now: selectors.SessionNow) -> None:
    """Refuse what is said to have been dealt before the table was opened; whoever says whole seconds may say the one in which it was."""
    if slip.occurred_at < now.opened_at.replace(microsecond=0):
        raise InvalidSlip(
            "bad_time", gettext("The round is said to have been dealt before %(table)s was opened.") % {"table": table}, where="occurred_at"
        )


def rule_slip(slip: RoundSlip, table: Table) -> Ruled:
    """Read the cards, and settle by the version in force at the table when the round was dealt."""
    return rule_by(slip, table, selectors.version_in_force(table, slip.occurred_at))


def rule_by(slip: RoundSlip, table: Table, version: PaytableVersion) -> Ruled:
    """Return what `version` says of the slip's round. Raises InvalidSlip, places under `round`, `done`, …"""
    game, paytable = games()[table.game], paytable_of(version)
    deal, settlement = judge(slip, table, game, paytable)
    wagers = side_by_side(slip, deal.stakes, settlement.dues if settlement else None, is_pot_game=game.is_pot_game)
    return Ruled(game, version, paytable, deal, settlement, wagers)


def judge(slip: RoundSlip, table: Table, game: Game, paytable: Paytable) -> tuple[Deal, Settlement | None]:
    """Return the slip's cards read, and what is due by the rules, None where the round was irregular. Raises InvalidSlip, places under `round`."""
    if faults := _wrong_game(slip, table):
        raise InvalidSlip.of(faults)
    try:
        deal = game.read(slip.round, paytable, irregular=bool(slip.irregular))
        return deal, None if slip.irregular else game.settle(deal, paytable)
    except InvalidSlip as error:
        raise InvalidSlip.of([replace(fault, where=_under_round(fault.where)) for fault in error.faults]) from error


def _under_round(where: str) -> str:
    return f"round.{where}" if where else "round"


def _wrong_game(slip: RoundSlip, table: Table) -> list[Fault]:
    faults = []
    if "paytable" in slip.round:
        faults.append(Fault("unknown_field", gettext("The version in force at the table settles a recorded round."), "round.paytable"))
    game = slip.round.get("game")
    if isinstance(game, str) and game != table.game:
        faults.append(Fault("unknown_game", gettext("%(table)s does not deal “%(game)s”.") % {"table": table, "game": game}, "round.game"))
    return faults


def keep_round(
    slip: RoundSlip,
    session: TableSession,
    dealer: int | None,
    number: int,
    ruled: Ruled,
    by: User,
    *,
    replaces: Round | None = None,
    late: bool = False,
) -> Round:
    """Return the round of `slip` with its wagers, inserted. Raises IntegrityError naming the constraint."""
    sums = sums_of(ruled.wagers)
    return insert_round(round_columns(slip, session, dealer, number, ruled, sums, by, replaces=replaces, late=late), ruled.wagers)


class RoundSums(NamedTuple):
    """How many wagers a round has, and their sums in minor units; of promotional ones only what was paid: the stake is nobody's money."""

    wagers: int
    handle: int
    collect: int
    pay: int
    collected: int
    paid: int


def sums_of(wagers: Sequence[KeptWager]) -> RoundSums:
    """Return the sums of `wagers`; what is due on one is nothing where it is unknown."""
    money = [wager for wager in wagers if wager.fund != "promo"]
    return RoundSums(
        len(wagers),
        sum([wager.stake for wager in money]),
        sum([wager.collect or 0 for wager in money]),
        sum([wager.pay or 0 for wager in wagers]),
        sum([wager.collected for wager in money]),
        sum([wager.paid for wager in wagers]),
    )


def round_columns(
    slip: RoundSlip,
    session: TableSession,
    dealer: int | None,
    number: int,
    ruled: Ruled,
    sums: RoundSums,
    by: User,
    *,
    replaces: Round | None = None,
    late: bool = False,
) -> dict[str, Any]:
    """Return a round's columns by name, as every door keeps them; `sums` are those of its wagers."""
    settlement = ruled.settlement
    return {
        "uuid": slip.uuid,
        "session_id": session.pk,
        "number": number,
        "label": ruled.deal.id,
        "game": ruled.game.code,
        "gaming_day": session.shift.gaming_day,
        "occurred_at": slip.occurred_at,
        "recorded_by_id": by.pk,
        "dealer_id": dealer,
        "paytable_id": ruled.version.pk,
        "engine_version": ENGINE_VERSION,
        "deal": canonical_plain(ruled.deal.facts),
        "cards": ruled.game.pack(ruled.deal),
        "settlement": settlement.json.decode() if settlement else "",
        "fingerprint": slip.fingerprint,
        "irregular": slip.irregular,
        "late": late,
        "replaces_id": replaces.pk if replaces else None,
        "wager_count": sums.wagers,
        "handle": sums.handle,
        "collect": sums.collect if settlement else None,
        "pay": sums.pay if settlement else None,
        "rake": settlement.rake if settlement else 0,
        "collected": sums.collected,
        "paid": sums.paid,
    }


def post_round(
    played: Round,
    session: TableSession,
    table: Table,
    ruled: Ruled,
    by: User,
    *,
    witness: User | None = None,
    memo: str = "",
    late: LateIn | None = None,
) -> Entry:
    """Return the entry of what `played` moved; `late` where its shift is sealed. Raises as `ledger.services.post_entry`."""
    draft = round_draft(played.uuid, played.occurred_at, session, table, ruled, witness=witness, memo=memo)
    return post_entry(draft.moved_late(late) if late else draft, by=by)


def round_draft(
    uuid: UUID, occurred_at: datetime, session: TableSession, table: Table, ruled: Ruled, *, witness: User | None = None, memo: str = ""
) -> EntryDraft:
    """Return what the round of `uuid` moved, to be posted."""
    moved = [WagerMoved(wager.seat, wager.kind, wager.collected, wager.paid, wager.fund) for wager in ruled.wagers]
    raked = bool(ruled.settlement and ruled.settlement.rake)
    boxed = raked and settings_on(table.property, session.shift.gaming_day).rake_in_box
    return draft_of_moves(uuid, occurred_at, session, table, ruled, moved, rake_in_box=boxed, witness=witness, memo=memo)


def draft_of_moves(
    uuid: UUID,
    occurred_at: datetime,
    session: TableSession,
    table: Table,
    ruled: Ruled,
    moved: Sequence[WagerMoved],
    *,
    rake_in_box: bool,
    witness: User | None = None,
    memo: str = "",
) -> EntryDraft:
    """Return what the round of `uuid` moved, to be posted: the sums of `moved`. `rake_in_box`: a rake goes to the box. Asks the database nothing."""
    rake = ruled.settlement.rake if ruled.settlement and rake_in_box else Minor(0)
    return EntryDraft(
        kind="round",
        reference=f"round:{uuid}",
        property=table.property.uuid,
        currency=table.property.currency,
        gaming_day=session.shift.gaming_day,
        occurred_at=occurred_at,
        transfers=transfers_for_round(table.code, moved, is_pot_game=ruled.game.is_pot_game, rake_to_box=rake),
        shift=session.shift.uuid,
        session=session.uuid,
        round=uuid,
        witness=witness.pk if witness else None,
        memo=memo,
        paytable=ruled.paytable.reference,
        paytable_sha256=ruled.paytable.sha256,
        engine_version=ENGINE_VERSION,
    )


def _translate(error: IntegrityError, attempt: _Attempt) -> Round:
    """Say what an IntegrityError means, once, by constraint name; the loser of a race for a uuid gets the winner's round."""
    slip, name = attempt.slip, broken_constraint(error)
    if (kept := Round.objects.filter(uuid=slip.uuid).first()) is not None:
        return _the_same(kept, slip)
    if name == "tables_round_number_once":
        raise Conflict(
            "number_taken",
            gettext("Round %(number)s of this session is recorded already.") % {"number": attempt.number},
            where="number",
            number=attempt.number,
        ) from error
    if name == "tables_round_not_sealed":
        raise Conflict("period_closed", gettext("The shift is sealed: post it as a late fact of the open shift.")) from error
    if name.startswith("ledger_") and attempt.draft is not None:
        entry = entry_refused(error, attempt.draft)
        raise BrokenBooks("no_round", f"The entry {entry.reference} was posted without its round.", entry=str(entry.uuid)) from error
    if (unopened := without_partition(error)) is not None:
        raise unopened from error
    raise BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name) from error
