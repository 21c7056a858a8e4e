"""What moved at the table, as transfers for the books. Pure. What `tray:` means is known here alone.

Source: design/house.md, "The books post what moved, not what was due"; spec/books.md, "Custody books"; spec/night.md, "What adds up".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from casino.money import Minor
from ledger.drafts import TransferDraft

CAGE = "cage:chips"
MINT = "mint:chips"
VAULT = "vault:cash"
PATRONS_CHIPS = "patrons:chips"
PATRONS_CASH = "patrons:cash"

HOUSE_ACCOUNTS = (
    (CAGE, "asset"),
    ("cage:cash", "asset"),
    (VAULT, "asset"),
    (MINT, "contra"),
    (PATRONS_CHIPS, "outside"),
    (PATRONS_CASH, "outside"),
    ("patrons:credit", "outside"),
)
"""Accounts of a property: code and kind."""


def tray(table: str) -> str:
    """Return the account of a table's tray."""
    return f"tray:{table}"


def drop_box(table: str) -> str:
    """Return the account of a table's drop box."""
    return f"drop:{table}"


def tray_variance(table: str) -> str:
    """Return the account of what counting found in a table's tray."""
    return f"variance:tray:{table}"


def pot(table: str) -> str:
    """Return the account of a pot game's pot."""
    return f"pot:{table}"


def table_accounts(table: str, *, is_pot_game: bool) -> tuple[tuple[str, str], ...]:
    """Return the accounts of a table: code and kind."""
    accounts = (
        (tray(table), "asset"),
        (drop_box(table), "asset"),
        (f"promo:{table}", "expense"),
        (tray_variance(table), "variance"),
        (f"variance:drop:{table}", "variance"),
    )
    return (*accounts, (pot(table), "liability")) if is_pot_game else accounts


@dataclass(frozen=True)
class WagerMoved:
    """What the dealer did on one wager, in minor units: `collected` of the stake, `paid` beyond it."""

    seat: int
    kind: str
    collected: Minor
    paid: Minor


def transfers_for_round(table: str, wagers: Sequence[WagerMoved], *, is_pot_game: bool) -> list[TransferDraft]:
    """Return what a round moved: one transfer a direction, none for a direction in which nothing moved.

    In a pot game the stakes go into the pot and the winnings out of it; what was not paid out (a rake, a short payment) goes to the tray,
    and what was paid beyond it comes from there, so the pot is zero after every round.
    """
    collected = sum(wager.collected for wager in wagers)
    paid = sum(wager.paid for wager in wagers)
    if not is_pot_game:
        return _moving((PATRONS_CHIPS, tray(table), collected, "collected"), (tray(table), PATRONS_CHIPS, paid, "paid"))
    rest = collected - paid
    return _moving(
        (PATRONS_CHIPS, pot(table), collected, "into the pot"),
        (tray(table), pot(table), -rest, "paid beyond the pot"),
        (pot(table), PATRONS_CHIPS, paid, "out of the pot"),
        (pot(table), tray(table), rest, "rake and what was not paid out"),
    )


def transfers_for_buy_in(table: str, amount: Minor) -> list[TransferDraft]:
    """Return cash into the box and chips out of the tray: one event."""
    return _moving((PATRONS_CASH, drop_box(table), amount, "buy-in"), (tray(table), PATRONS_CHIPS, amount, "buy-in"))


def transfers_for_fill(table: str, amount: Minor) -> list[TransferDraft]:
    """Return chips from the cage to the tray."""
    return _moving((CAGE, tray(table), amount, "fill"))


def transfers_for_chip_credit(table: str, amount: Minor) -> list[TransferDraft]:
    """Return chips from the tray to the cage."""
    return _moving((tray(table), CAGE, amount, "chip credit"))


def transfers_for_issue(amount: Minor) -> list[TransferDraft]:
    """Return new chips arriving in the cage."""
    return _moving((MINT, CAGE, amount, "chips issued"))


def transfers_for_variances(table: str, *, opener: int, closer: int, expected_drop: int, drop: int) -> list[TransferDraft]:
    """Return what signing moves: tray and box against their variances, and what was counted in the box into the vault.

    `opener`, `closer`: counted - expected, minor units; `expected_drop` is what the books have in the box, `drop` what was counted in it.
    Afterwards the tray holds what was counted, and the box nothing. Source: spec/books.md, "Signing, late facts".
    """
    trays, boxes = f"variance:tray:{table}", f"variance:drop:{table}"
    return _moving(
        (trays, tray(table), opener, "counted opener over"),
        (tray(table), trays, -opener, "counted opener short"),
        (trays, tray(table), closer, "counted closer over"),
        (tray(table), trays, -closer, "counted closer short"),
        (boxes, drop_box(table), drop - expected_drop, "counted drop over"),
        (drop_box(table), boxes, expected_drop - drop, "counted drop short"),
        (drop_box(table), VAULT, drop, "counted drop"),
    )


def _moving(*moves: tuple[str, str, int, str]) -> list[TransferDraft]:
    return [TransferDraft(credit, debit, Minor(amount), reason) for credit, debit, amount, reason in moves if amount > 0]
