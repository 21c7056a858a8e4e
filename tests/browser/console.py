"""Rounds as they are typed at the console, and where its cursor is."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.builders import House, play

ADD = "/admin/tables/round/add/?table="
BOARD = "2h9s9dJcQh"
SEATS = ("AsAd4", "4c3cF", "8h8d2", "Tc9h4", "5s5d1", "AhKs3")
"""Two cards and a key for the play, of six seats."""


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
