"""What the page of a round in hand shows: the fields with what was typed, what is due beside what was done, and every difference. Pure.

The same values make the page and, as JSON, what the page asks for while somebody types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from casino.money import format_amount
from casino.words import gettext, is_english
from tables.bet_words import bet_word
from tables.due_and_done import KeptWager
from tables.engine.cards import RANKS
from tables.engine.faults import MAY_BE_IRREGULAR
from tables.engine.game import Field, Settlement
from tables.reason_words import hand_in_words, reason_in_words
from tables.round_fields import (
    GENERAL,
    FieldError,
    done_name,
    for_dealer_name,
    fund_name,
    note_name,
    round_name,
    seat_name,
    seen_name,
    status_name,
)
from tables.round_form import RoundForm
from tables.round_keys import flag_keys
from tables.round_lines import Difference, Ruling, SeatLine, Spot, Typed
from tables.slips import Done

STATUSES = ("corrected", "not_recovered")
DECK_ROWS = "shdc"
DECK_RANKS = RANKS[::-1]


class RoundScreen:
    """The page's values, from the form and, where the round can be settled, its ruling.

    `asked`: a difference must say what became of it. `rules`: those of the paytable in force, which list the multiples that are offered.
    """

    def __init__(self, form: RoundForm, ruling: Ruling | None = None, *, asked: bool = False, rules: Mapping[str, Any] | None = None) -> None:
        self.form, self.ruling, self.asked, self.rules = form, ruling, asked, rules or {}
        self.table, self.game, self.layout = form.table, form.table.game, form.layout
        self.keys = flag_keys(form.layout)

    def money(self, amount: int | None) -> str:
        """Return an amount of the patron's with its sign; "" where nothing is known."""
        if amount is None:
            return ""
        return ("+" if amount > 0 else "") + format_amount(amount, self.table.notation)

    # ---- fields ----

    @cached_property
    def round_fields(self) -> list[Typed]:
        """Return the round's own fields."""
        return [self._typed(field, round_name(field.name), gettext(field.label)) for field in self.layout.round_fields]

    def _typed(self, field: Field, name: str, label: str) -> Typed:
        cards = self.form.cards(name) if field.kind == "cards" else ()
        times, key = field.multiples(self.rules), self.keys.get(field.name, "")
        return Typed(name, label, field, self.form.text(name), self.form.errors.get(name, ()), cards, times, key)

    @cached_property
    def seats(self) -> list[SeatLine]:
        """Return every seat of the layout, taken or not."""
        return [self._seat(number) for number in range(self.layout.first_seat, self.layout.last_seat + 1)]

    @cached_property
    def kinds(self) -> Sequence[str]:
        """Return the kinds of wagers that have a column: the game's; where a field takes any of many, those that something is said of."""
        if not self.takes_any:
            return self.game.wager_kinds
        said = {name for name, text in self.form.typed.items() if text} | self.form.errors.keys()
        laid = {wager.kind for wager in self._wagers}
        seats = range(self.layout.first_seat, self.layout.last_seat + 1)
        return [kind for kind in self.game.wager_kinds if kind in laid or any(done_name(seat, kind) in said for seat in seats)]

    @cached_property
    def takes_any(self) -> bool:
        """Return whether a seat lays any of many bets, so that wagers stand in its line by name instead of in columns."""
        return any(field.kind == "wagers" for field in self.layout.seat_fields)

    def _seat(self, number: int) -> SeatLine:
        fields = [
            self._typed(
                field, seat_name(number, field.name), gettext("Seat %(number)s %(label)s") % {"number": number, "label": gettext(field.label)}
            )
            for field in self.layout.seat_fields
        ]
        spots = [self._spot(number, kind) for kind in self.kinds]
        wagers = [self._dealt(wager) for wager in self._wagers if wager.seat == number]
        if not wagers:
            return SeatLine(number, fields, spots)
        due = sum(due for due, _ in wagers if due is not None) if self._settlement else None
        done = sum(done for _, done in wagers)
        hand = self._hand(number, fields)
        return SeatLine(number, fields, spots, hand, due, done, 0 if due is None else done - due)

    def _hand(self, number: int, fields: Sequence[Typed]) -> str:
        """Return what the seat holds, after what was ticked of it: "folded", "all-in, pair of eights"."""
        if self._settlement is None:
            return gettext("irregular")
        ticked = [gettext(one.field.label) for one in fields if one.field.kind == "flag" and one.value]
        words = ", ".join(filter(None, [*ticked, hand_in_words(self._settlement.hands.get(number, ""))]))
        return words[:1] + words[1:].lower() if is_english() else words

    # ---- due and done ----

    @property
    def _settlement(self) -> Settlement | None:
        return self.ruling.settlement if self.ruling else None

    @cached_property
    def _wagers(self) -> Sequence[KeptWager]:
        return self.ruling.wagers if self.ruling else ()

    @cached_property
    def _wager_at(self) -> Mapping[tuple[int, str], KeptWager]:
        return {(wager.seat, wager.kind): wager for wager in self._wagers}

    def _said(self, wager: KeptWager) -> Done:
        """Return what the dealer did at first: what was typed, where that is an amount."""
        return wager.first or Done(wager.collected, wager.paid)

    def _dealt(self, wager: KeptWager) -> tuple[int | None, int]:
        """Return the patron's net by the rules and as it was done at first."""
        due = None if wager.collect is None or wager.pay is None else wager.pay - wager.collect
        said = self._said(wager)
        return due, (said.paid or 0) - (said.collected or 0)

    def _spot(self, seat: int, kind: str) -> Spot:
        name, seen = done_name(seat, kind), seen_name(seat, kind)
        fund, toke = fund_name(seat, kind), for_dealer_name(seat, kind)
        errors = [*self.form.errors.get(name, ()), *self.form.errors.get(fund, ())]
        spot = Spot(
            seat,
            kind,
            name,
            seen,
            errors=errors,
            fund_name=fund,
            fund=self.form.text(fund),
            for_dealer_name=toke,
            for_dealer=bool(self.form.text(toke)),
        )
        wager = self._wager_at.get((seat, kind))
        if wager is None:
            return replace(spot, done=self._kept_text(seat, kind))
        due, done = self._dealt(wager)
        text = self.form.text(name) if self.form.irregular or errors or done != due else self.money(due)
        why = reason_in_words(wager.why, self.table.notation)
        return replace(spot, due=self.money(due), done=text, off=0 if due is None else done - due, why=why)

    def _kept_text(self, seat: int, kind: str) -> str:
        """Return what was typed by a person, while there is nothing due to put in its place."""
        text, seen = self.form.text(done_name(seat, kind)), self.form.text(seen_name(seat, kind))
        return "" if text == seen else text

    @cached_property
    def differences(self) -> list[Difference]:
        """Return every wager on which the dealer did otherwise than due, in words."""
        return [self._difference(spot) for line in self.seats for spot in line.spots if spot.off]

    def _difference(self, spot: Spot) -> Difference:
        how = gettext("more") if spot.off > 0 else gettext("less")
        amount = format_amount(abs(spot.off), self.table.notation)
        words = gettext("Seat %(seat)s got %(amount)s %(how)s than due on %(kind)s") % {
            "seat": spot.seat,
            "amount": amount,
            "how": how,
            "kind": bet_word(spot.kind),
        }
        status, note = (self.form.text(name(spot.seat, spot.kind)) for name in (status_name, note_name))
        missing = self.asked and status not in STATUSES
        names = status_name(spot.seat, spot.kind), note_name(spot.seat, spot.kind)
        return Difference(spot.seat, spot.kind, words, spot.why, names[0], status, names[1], note, missing)

    @cached_property
    def unexplained(self) -> bool:
        """Return whether a difference does not say yet what became of it."""
        return any(difference.status not in STATUSES for difference in self.differences)

    @cached_property
    def due_changed(self) -> bool:
        """Return whether what is due is other than what the person was shown and did not touch."""
        spots = [spot for line in self.seats for spot in line.spots if spot.due]
        return any((seen := self.form.text(spot.seen_name)) and seen != spot.due for spot in spots)

    @cached_property
    def house(self) -> dict[str, str]:
        """Return the house's side of the round: handle, net by the rules, net as done, and the difference.

        A promotional stake is nobody's money: neither it nor its loss is in them; what it was paid is.
        """
        if not self.ruling:
            return {"handle": "", "due": "", "done": "", "off": ""}
        money = [wager for wager in self._wagers if wager.fund != "promo"]
        said = {(wager.seat, wager.kind): self._said(wager) for wager in self._wagers}
        due = sum(wager.collect or 0 for wager in money) - sum(wager.pay or 0 for wager in self._wagers)
        done = sum(said[wager.seat, wager.kind].collected or 0 for wager in money) - sum(one.paid or 0 for one in said.values())
        known = self._settlement is not None
        return {
            "handle": format_amount(sum(wager.stake for wager in money), self.table.notation),
            "due": self.money(due) if known else "",
            "done": self.money(done),
            "off": self.money(done - due) if known and due != done else "",
        }

    # ---- words ----

    @property
    def dealer_hand(self) -> str:
        """Return what the house's dealer holds, "" where he plays no hand or nothing is settled."""
        return hand_in_words(self._settlement.dealer_hand or "") if self._settlement else ""

    @property
    def dealer_note(self) -> str:
        """Return in words whether the dealer's hand qualifies, where the game says so."""
        if self.dealer_qualifies is None:
            return ""
        return gettext("qualifies") if self.dealer_qualifies else gettext("does not qualify")

    @property
    def dealer_qualifies(self) -> bool | None:
        """Return whether the dealer's hand qualifies; None where nothing is settled, or the game does not ask."""
        dealer = self._settlement.answer.get("dealer") if self._settlement else None
        return dealer.get("qualifies") if isinstance(dealer, dict) else None

    @property
    def general_errors(self) -> Sequence[FieldError]:
        """Return what is wrong with the round as a whole."""
        return self.form.errors.get(GENERAL, ())

    @cached_property
    def may_be_irregular(self) -> bool:
        """Return whether all that is wrong is against the rules of the game, and yet may have happened."""
        codes = {error.code for errors in self.form.errors.values() for error in errors}
        return bool(self.form.irregular) or (bool(codes) and codes <= MAY_BE_IRREGULAR and "missing_play" not in codes)

    @property
    def shows_all(self) -> bool:
        """Return whether fields that follow from others are shown too: when asked for, typed in, or wrong."""
        typed = [*self.round_fields, *(field for line in self.seats for field in line.fields)]
        return bool(self.form.text("exact")) or any(one.field.habit == "follows" and not one.times and (one.value or one.errors) for one in typed)

    @cached_property
    def waiting(self) -> list[str]:
        """Return the labels of what is still to be typed before anything can be settled."""
        typed = [*self.round_fields, *(field for line in self.seats for field in line.fields)]
        return [field.label for field in typed if any(error.waits for error in field.errors)]

    @cached_property
    def dealt(self) -> Counter[str]:
        """Return how often each card stands in a field."""
        typed = [*self.round_fields, *(field for line in self.seats for field in line.fields)]
        return Counter(card for field in typed for card in field.cards)

    @cached_property
    def deck(self) -> list[list[tuple[str, str]]]:
        """Return the deck by suits, ace to two: each card, and "gone" where it is dealt, "twice" where it cannot be where it is.

        Nothing where the game has no cards.
        """
        if all(field.kind != "cards" for field in (*self.layout.round_fields, *self.layout.seat_fields)):
            return []
        return [[(rank + suit, self._whereabouts(rank + suit)) for rank in DECK_RANKS] for suit in DECK_ROWS]

    def _whereabouts(self, card: str) -> str:
        if card in self.form.doubled:
            return "twice"
        return "gone" if self.dealt[card] else ""

    def as_json(self) -> dict[str, Any]:
        """Return what the page asks for while somebody types; names are the fields'."""
        typed = [*self.round_fields, *(field for line in self.seats for field in line.fields)]
        return {
            "settled": self.ruling is not None,
            "dealer": {"hand": self.dealer_hand, "note": self.dealer_note, "qualifies": self.dealer_qualifies},
            "seats": {str(line.number): self._seat_json(line) for line in self.seats},
            "spots": {spot.name: _spot_json(spot) for line in self.seats for spot in line.spots},
            "house": self.house,
            "cards": {field.name: list(field.cards) for field in typed if field.field.kind == "cards"},
            "doubled": sorted(self.form.doubled),
            "number": self.form.text("number"),
            "unexplained": self.unexplained,
            "deck": {card: where for suit in self.deck for card, where in suit if where},
            "errors": {name: [_error_json(error) for error in errors] for name, errors in self.form.errors.items()},
            "waiting": self.waiting,
            "may_be_irregular": self.may_be_irregular,
        }

    def _seat_json(self, line: SeatLine) -> dict[str, Any]:
        return {"hand": line.hand, "due": self.money(line.due), "done": self.money(line.done), "off": self.money(line.off) if line.off else ""}


def _spot_json(spot: Spot) -> dict[str, Any]:
    return {"due": spot.due, "done": spot.done, "off": bool(spot.off), "why": spot.why}


def _error_json(error: FieldError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "waits": error.waits}
