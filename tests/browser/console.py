"""Rounds as they are typed at the console, and where its cursor is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from tests.builders import House, make_house, make_people, play

ADD = "/admin/tables/round/add/?table="
BOARD = "2h9s9dJcQh"
SEATS = ("AsAd4", "4c3cF", "8h8d2", "Tc9h4", "5s5d1", "AhKs3")
"""Two cards and a key for the play, of six seats."""


@dataclass(frozen=True)
class Dealt:
    """A round at a table: its keys, a card that is typed twice and where, the wager paid too much, what its reason sheet says."""

    table: str
    keys: str
    twice: tuple[str, tuple[str, str]] | None
    wager: str
    paid: str
    reason: str


DEALT = (
    Dealt("UTH-01", f"{BOARD}Kc7dAsAd10 4", (f"{BOARD}Kc7d9s", ("r_community", "s1_cards")), "d1_play", "+45", "40.00 × 1:1 = 40.00"),
    Dealt("TCP-01", "AhQd7c5s4s3s10 1", ("AhQd7cAh", ("r_dealer", "s1_cards")), "d1_play", "+15", "10.00"),
    Dealt("ROU-01", "17", None, "d1_black", "+10", "5.00 × 1:1 = 5.00"),
    Dealt("PAY-01", "7h327h7c7d7sAh", None, "d1_pot", "+14", "pot"),
)


def house_of_games() -> House:
    """Return a house with a table of each game; one round was played at the wheel and at the pot."""
    games = {"UTH-01": ("uth", "P1"), "TCP-01": ("tcp", "P1"), "ROU-01": ("roulette", "P1"), "PAY-01": ("payroll", "P1")}
    made = make_house("NEW", games, staff=make_people())
    play(made, "ROU-01", {"pocket": "17", "seats": [{"seat": 1, "bets": {"straight_17": 100, "black": 500}}]})
    play(made, "PAY-01")
    return made


def type_round(page: Page, dealt: Dealt) -> None:
    """Type the round by keys; what a game asks for besides is typed where the cursor stands."""
    keys = page.keyboard
    keys.type(dealt.keys)
    if dealt.table == "ROU-01":
        keys.press("=")
    if dealt.table == "PAY-01":
        page.focus("[name=s2_discarded]")
        keys.type("2c5 8h2 8h8c5d5 ")


def six_seats(house: House) -> None:
    """Record a round in which six seats play for 10 with trips of 5, so that the console knows who sits where."""
    cards = ["As Ad", "4c 3c", "8h 8d", "Tc 9h", "5s 5d", "Ah Ks"]
    stakes: dict[str, Any] = {"ante": 1000, "blind": 1000, "trips": 500, "play": 4000, "street": "preflop"}
    seats = [{"seat": number, "cards": held.split(), **stakes} for number, held in enumerate(cards, start=1)]
    play(house, facts={"community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"], "seats": seats})


def sit_down(page: Page, table: str = "UTH-01") -> None:
    """Open the console of a table and wait until its scripts have the cursor."""
    page.goto(ADD + table)
    page.wait_for_selector("tr[data-seat]:not([hidden]) [data-toggle] kbd")
    page.wait_for_function("() => document.activeElement.closest('#round')")


def in_hand(page: Page) -> str:
    """Return the name of the field that has the cursor."""
    name: str = page.evaluate("document.activeElement.name || document.activeElement.id")
    return name


def type_first_round(page: Page) -> None:
    """Type a round of two seats at a table where nobody sat or dealt yet: antes are typed too, Space goes on from them."""
    page.keyboard.type(f"{BOARD}Kc7dAsAd10 44c3c10 F")
    page.fill("#who_dealt", "D-1187")
