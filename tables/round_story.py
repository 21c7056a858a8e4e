"""A recorded round told for a page: its cards seat by seat, every wager with due, done and why. Reads no database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from casino.errors import CasinoError
from casino.money import Notation, format_amount
from casino.words import gettext, is_english, word
from tables.engine.game import Field, Game, Settlement, games
from tables.models import Round, Wager
from tables.reason_words import hand_in_words, reason_in_words
from tables.services.paytables import paytable_of


@dataclass(frozen=True)
class Told:
    """One thing that was recorded: cards (by name), or a text; a thing that was ticked has neither."""

    label: str
    cards: Sequence[str] = ()
    text: str = ""

    @property
    def small(self) -> str:
        """Return the label inside of a line: German nouns keep their capital."""
        return self.label.lower() if is_english() else self.label


@dataclass(frozen=True)
class ToldWager:
    """A wager and why its due is what it is, in the house's notation; "" where that is unknown."""

    wager: Wager
    why: str

    @property
    def due(self) -> int | None:
        """Return the patron's net by the rules."""
        return None if self.wager.collect is None or self.wager.pay is None else self.wager.pay - self.wager.collect

    @property
    def done(self) -> int:
        """Return the patron's net as it was done."""
        return self.wager.paid - self.wager.collected

    @property
    def first(self) -> int | None:
        """Return the patron's net of the first payment, where it was corrected."""
        first = self.wager.first_paid, self.wager.first_collected
        return None if first[0] is None or first[1] is None else first[0] - first[1]


@dataclass(frozen=True)
class ToldSeat:
    """One seat: what was recorded of it beside amounts, its hand in words, its wagers."""

    number: int
    told: Sequence[Told]
    hand: str
    wagers: Sequence[ToldWager]


@dataclass(frozen=True)
class RoundStory:
    """The whole round."""

    game: Game
    told: Sequence[Told]
    seats: Sequence[ToldSeat]
    dealer_hand: str
    house_due: int | None


def tell(played: Round, wagers: Sequence[Wager]) -> RoundStory:
    """Return the story of `played` with its `wagers` in their order; what is due was kept, why is read from the cards again."""
    game = games()[played.game]
    notation = played.session.table.property.notation
    facts = json.loads(bytes(played.deal))
    settlement = _settled(game, facts, played)
    whys = {(due.seat, due.kind): reason_in_words(due.why, notation) for due in settlement.dues} if settlement else {}
    seats = []
    for seat in facts["seats"]:
        number = seat["seat"]
        lines = [ToldWager(wager, whys.get((wager.seat, wager.kind), "")) for wager in wagers if wager.seat == number]
        hand = hand_in_words(settlement.hands.get(number, "")) if settlement else ""
        fields = [field for field in game.layout.seat_fields if field.kind not in ("amount", "wagers")]
        seats.append(ToldSeat(number, _told(fields, seat, notation), hand, lines))
    told = _told(game.layout.round_fields, facts, notation)
    house_due = None if played.collect is None or played.pay is None else played.collect - played.pay
    return RoundStory(game, told, seats, hand_in_words(settlement.dealer_hand or "") if settlement else "", house_due)


def _settled(game: Game, facts: Mapping[str, Any], played: Round) -> Settlement | None:
    """Return the round settled anew for its reasons, None where it was irregular or its cards are read otherwise today."""
    if played.irregular:
        return None
    paytable = paytable_of(played.paytable)
    try:
        settlement = game.settle(game.read(facts, paytable), paytable)
    except CasinoError:
        return None
    return settlement if sum(due.net for due in settlement.dues) == (played.pay or 0) - (played.collect or 0) else None


def _told(fields: Sequence[Field], facts: Mapping[str, Any], notation: Notation) -> list[Told]:
    return [_tell_field(field, facts[field.name], notation) for field in fields if facts.get(field.name) not in (None, [])]


def _tell_field(field: Field, value: Any, notation: Notation) -> Told:
    if field.kind == "cards" and not isinstance(value, int):
        return Told(gettext(field.label), cards=value if isinstance(value, list) else [value])
    if field.kind == "amount":
        return Told(gettext(field.label), text=format_amount(value, notation))
    if field.kind == "flag":
        return Told(gettext(field.label))
    if field.kind == "choice":
        return Told(gettext(field.label), text=word(str(value)))
    return Told(gettext(field.label), text=" ".join(map(str, value)) if isinstance(value, list) else str(value))
