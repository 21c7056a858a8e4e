"""Rounds for the engine's tests, written as a game sheet would: cards as texts, amounts in minor units."""

import json
from typing import Any

from tables.engine.settle import settle_line
from tables.paytable_files import published

CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]

UTH_ROUND = {
    "game": "uth", "id": "T12-000123", "community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"],
    "seats": [
        {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 1000, "trips": 500, "play": 4000, "street": "preflop"},
        {"seat": 2, "ante": 1000, "blind": 1000, "folded": True},
    ],
}  # fmt: skip
"""The example of spec/rounds.md."""

PAYROLL_ROUND = {
    "game": "payroll", "id": "P3-000007", "button": 4, "ante": 100,
    "seats": [
        {"seat": 1, "up": "8h", "rolls": [2], "kept": ["8h", "8c", "5d"], "discarded": [], "bet": 500},
        {"seat": 2, "up": "7h", "rolls": [3, 2], "kept": ["7h", "7c", "7d", "7s", "Ah"], "discarded": ["2c"], "bet": 500},
        {"seat": 4, "up": "Qs", "rolls": [], "kept": ["Qs"], "discarded": [], "bet": 0, "folded": True},
    ],
}  # fmt: skip
"""The example of spec/rounds.md."""


def copy(facts: dict[str, Any]) -> dict[str, Any]:
    """A round that a test may change."""
    return json.loads(json.dumps(facts))


def version(game: str, **rules: Any) -> dict[str, Any]:
    """The seed's paytable with other rules, under another name."""
    seed = published()["uth-seed@1" if game == "uth" else "payroll-seed@1"].content
    return copy(dict(seed)) | {"name": "house", "rules": {**seed["rules"], **rules}}


def answer(facts: dict[str, Any] | str | bytes, default: str | None = None) -> dict[str, Any]:
    """What the engine answers to a round, or to a raw line."""
    return settle_line(facts if isinstance(facts, (str, bytes)) else json.dumps(facts), published().get, default)


def errors(facts: dict[str, Any] | str | bytes) -> list[tuple[str, str]]:
    """The codes and places of all faults; the first is also `error`."""
    found = answer(facts)
    assert found["error"] == found["errors"][0], found
    return [(error["code"], error["where"]) for error in found["errors"]]


def uth_seat(number: int, cards: str, *, ante: int = 1000, trips: int = 500, times: int = 4) -> dict[str, Any]:
    """A seat with the stakes of bugs.md; `times` 4 is before the flop, 2 after it, 1 after the river, 0 a fold."""
    seat: dict[str, Any] = {"seat": number, "cards": cards, "ante": ante, "blind": ante, "trips": trips}
    street = {4: "preflop", 3: "preflop", 2: "flop", 1: "river"}
    return seat | ({"play": ante * times, "street": street[times]} if times else {"folded": True})


def uth(board: str, dealer: str, *seats: str | dict[str, Any], **rules: Any) -> dict[str, Any]:
    """The answer to a round of Ultimate Texas Hold'em; a seat may be its two cards alone. `rules` are other than the seed's."""
    placed = [uth_seat(number, seat) if isinstance(seat, str) else seat for number, seat in enumerate(seats, start=1)]
    facts = {"game": "uth", "id": "sheet", "community": board, "dealer": dealer, "seats": placed}
    return answer(facts | ({"paytable": version("uth", **rules)} if rules else {}))


def nets(found: dict[str, Any], seat: int = 1) -> dict[str, int]:
    """What each wager of the seat gained."""
    assert "error" not in found, found
    return {kind: wager["net"] for kind, wager in seat_of(found, seat)["wagers"].items()}


def results(found: dict[str, Any], seat: int = 1) -> dict[str, str]:
    """Whether each wager of the seat won, was pushed or lost."""
    assert "error" not in found, found
    return {kind: wager["result"] for kind, wager in seat_of(found, seat)["wagers"].items()}


def seat_of(found: dict[str, Any], seat: int) -> dict[str, Any]:
    """The seat's part of an answer."""
    [one] = [one for one in found["seats"] if one["seat"] == seat]
    return one


def payroll_seat(number: int, kept: str, bet: int = 0, **more: Any) -> dict[str, Any]:
    """A seat that was dealt what it kept, the first of the cards face up.

    One card alone is that of a seat that folded before its turn; one that did not fold discarded another.
    """
    cards = kept.split()
    alone = len(cards) == 1
    rolls = [] if alone and more.get("folded") else [max(1, len(cards) - 1)]
    discarded: list[str] | int = 1 if alone and not more.get("folded") else []
    return {"seat": number, "up": cards[0], "rolls": rolls, "kept": cards, "discarded": discarded, "bet": bet} | more


def payroll(button: int, *seats: dict[str, Any], **rules: Any) -> dict[str, Any]:
    """The answer to a round of Payroll at the seed's ante; `rules` are other than the seed's."""
    facts = {"game": "payroll", "id": "sheet", "button": button, "ante": rules.get("ante", 100), "seats": list(seats)}
    return answer(facts | ({"paytable": version("payroll", **rules)} if rules else {}))


def won(found: dict[str, Any]) -> dict[int, int]:
    """What each seat won of the pot."""
    assert "error" not in found, found
    return {seat["seat"]: seat["won"] for seat in found["seats"]}
