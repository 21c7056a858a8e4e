"""What a property allows as its edge, and what is known of a paytable as soon as it is typed: its edges, and what to be warned of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext

from casino import roles
from casino.errors import InvalidSlip, Refused
from casino.models import User
from casino.transactions import in_transaction
from tables.edge_record import shown_edges
from tables.edge_warnings import EdgeWarning, Limit, edge_warnings
from tables.engine.edge import Edges
from tables.engine.faults import shown
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import EdgeLimit, Property
from tables.short_code import short_code
from tables.solved_edges import known_edges

PPM = 1_000_000


@dataclass(frozen=True)
class Look:
    """What is known of a paytable as soon as it is typed: its edges, and what to be warned of."""

    paytable: Paytable
    edges: Edges
    warnings: tuple[EdgeWarning, ...]

    @property
    def short_code(self) -> str:
        """Return the four characters of its hash."""
        return short_code(self.paytable.sha256)

    @property
    def needs_solve(self) -> bool:
        """Return whether it cannot be approved before the full solve is done."""
        return bool(self.edges.unsolved)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        warnings = [warning.as_json() for warning in self.warnings]
        return {**shown_edges(self.edges), "short_code": self.short_code, "needs_solve": self.needs_solve, "warnings": warnings}


def look_at(paytable: Paytable, house: Property | None = None) -> Look:
    """Return the edges of `paytable` and its warnings by the limits of `house`; nothing is written. Two queries."""
    found = known_edges(paytable)
    return Look(paytable, found, tuple(edge_warnings(found, limits_of(house, paytable.game))))


def limits_of(house: Property | None, game: str) -> list[Limit]:
    """Return the limits that `house` set for the game's edges, the last of each bet. One query."""
    rows = [] if house is None else EdgeLimit.objects.filter(property=house, game=game).order_by("id")
    return list({row.bet: Limit(row.bet, Fraction(row.least_ppm, PPM), Fraction(row.most_ppm, PPM)) for row in rows}.values())


@in_transaction
def set_edge_limits(house: Property, game: str, bet: str, *, least: Fraction, most: Fraction, by: User, approved_by: User) -> EdgeLimit:
    """Return the row that says what `house` allows as its edge on the base stake of `bet` ("": every bet without its own), in millionths.

    Raises Refused (`not_allowed`, `own_approval`), InvalidSlip (`unknown_game`, `bad_limit`: finer than millionths, beyond the whole stake,
    or the least above the most).
    """
    roles.require(by, "propose_paytable")
    roles.require(approved_by, "approve_paytable")
    if by == approved_by:
        raise Refused("own_approval", gettext("Nobody approves what they proposed."))
    if game not in games():
        raise InvalidSlip("unknown_game", gettext("%(game)s is no known game.") % {"game": shown(game)}, where="game")
    ppm = {"least": least * PPM, "most": most * PPM}
    for where, figure in ppm.items():
        if figure.denominator != 1 or abs(figure) > PPM:
            raise InvalidSlip("bad_limit", gettext("A limit is a part of the stake in whole millionths."), where=where)
    if least > most:
        raise InvalidSlip("bad_limit", gettext("The least is not above the most."), where="least")
    row = {"least_ppm": int(ppm["least"]), "most_ppm": int(ppm["most"])}
    return EdgeLimit.objects.create(property=house, game=game, bet=bet, proposed_by=by, approved_by=approved_by, **row)
