"""What may be staked at a table: the least and the most on one wager of a bet, from a moment on, by two people."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import User
from casino.money import CEILING
from casino.transactions import in_transaction
from tables.engine.game import games
from tables.models import Table, TableLimit


@in_transaction
def set_table_limit(table: Table, bet: str, *, least: int, most: int, from_at: datetime, by: User, approved_by: User) -> TableLimit:
    """Return the limits of `bet` ("" for every bet without its own) at `table` from `from_at` on, minor units.

    Raises Refused (`not_allowed`, `own_approval`), InvalidSlip (`unknown_bet`, `bad_amount`), Conflict (`limit_exists`).
    """
    roles.require(by, "propose_limits")
    roles.require(approved_by, "approve_limits")
    if by == approved_by:
        raise Refused("own_approval", gettext("Nobody approves the limits that they proposed."))
    game = games()[table.game]
    if bet and bet not in {game.bet_of(kind) for kind in game.wager_kinds}:
        raise InvalidSlip("unknown_bet", gettext("“%(bet)s” is no bet of %(game)s.") % {"bet": bet, "game": game.name}, where="bet")
    for where, amount in (("least", least), ("most", most)):
        if isinstance(amount, bool) or not isinstance(amount, int) or not 0 <= amount < CEILING:
            raise InvalidSlip("bad_amount", gettext("A limit is a whole number of minor units from 0 to below 10^15."), where=where)
    if most < least:
        raise InvalidSlip("bad_amount", gettext("The most is less than the least."), where="most")
    try:
        with transaction.atomic():
            return TableLimit.objects.create(table=table, bet=bet, least=least, most=most, from_at=from_at, proposed_by=by, approved_by=approved_by)
    except IntegrityError as error:
        raise Conflict("limit_exists", gettext("Limits of this bet begin at that moment already."), where="from_at") from error
