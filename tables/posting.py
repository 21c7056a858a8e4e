"""What moved at the table, as transfers for the books. Pure. What `tray:` means is known here alone.

Source: design/house.md, "The books post what moved, not what was due"; spec/books.md, "Custody books"; spec/night.md, "What adds up".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from casino.money import Minor
from ledger.drafts import TransferDraft

CAGE = "cage:chips"
MINT = "mint:chips"
CAGE_CASH = "cage:cash"
VAULT = "vault:cash"
PATRONS_CHIPS = "patrons:chips"
PATRONS_CASH = "patrons:cash"
PATRONS_CREDIT = "patrons:credit"
NOTHING = Minor(0)

HOUSE_ACCOUNTS = (
    (CAGE, "asset"),
    (CAGE_CASH, "asset"),
    (VAULT, "asset"),
    (MINT, "contra"),
    (PATRONS_CHIPS, "outside"),
    (PATRONS_CASH, "outside"),
    (PATRONS_CREDIT, "outside"),
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


def drop_variance(table: str) -> str:
    """Return the account of what counting found in a table's drop box."""
    return f"variance:drop:{table}"


def instead_of_counted(table: str) -> dict[str, str]:
    """Return the accounts that a late fact goes over, by those that were counted and signed: its tray and its box hold nothing else tonight."""
    return {tray(table): tray_variance(table), drop_box(table): drop_variance(table)}


def pot(table: str) -> str:
    """Return the account of a pot game's pot."""
    return f"pot:{table}"


def promo(table: str) -> str:
    """Return the account that promotional play at a table goes through: what it was paid in chips arrives there, lost coupons leave it."""
    return f"promo:{table}"


def table_accounts(table: str, *, is_pot_game: bool) -> tuple[tuple[str, str], ...]:
    """Return the accounts of a table: code and kind."""
    accounts = (
        (tray(table), "asset"),
        (drop_box(table), "asset"),
        (promo(table), "expense"),
        (tray_variance(table), "variance"),
        (drop_variance(table), "variance"),
    )
    return (*accounts, (pot(table), "liability")) if is_pot_game else accounts


def round_accounts(table: str, *, is_pot_game: bool) -> set[str]:
    """Return the accounts that a round at a table may move over: `transfers_for_round` names no other."""
    return (
        {PATRONS_CHIPS, pot(table), tray(table), drop_box(table)}
        if is_pot_game
        else {PATRONS_CHIPS, PATRONS_CASH, tray(table), drop_box(table), promo(table)}
    )


class WagerMoved(NamedTuple):
    """What the dealer did on one wager, in minor units: `collected` of the stake, `paid` beyond it; `fund` is what the stake was.

    `chips`; `cash` (money plays), which goes to the box where it is lost; `promo`, a promotional chip or coupon, whose face goes to the box.
    """

    seat: int
    kind: str
    collected: Minor
    paid: Minor
    fund: str = "chips"


def transfers_for_round(table: str, wagers: Sequence[WagerMoved], *, is_pot_game: bool, rake_to_box: Minor = NOTHING) -> list[TransferDraft]:
    """Return what a round moved: one transfer a direction, none for a direction in which nothing moved.

    What promotional play was paid in chips goes through the table's promo account, so that its cost shows there and the chips are the patrons'.

    In a pot game the stakes go into the pot and the winnings out of it; what was not paid out (a rake, a short payment) goes to the tray,
    and what was paid beyond it comes from there, so the pot is zero after every round. `rake_to_box` of what stays in it goes to the box.
    """
    collected, paid_to = ({"chips": 0, "cash": 0, "promo": 0} for _ in range(2))
    for wager in wagers:
        collected[wager.fund] += wager.collected
        paid_to[wager.fund] += wager.paid
    promotional, paid = paid_to["promo"], sum(paid_to.values())
    if not is_pot_game:
        return _moving(
            (PATRONS_CHIPS, tray(table), collected["chips"], "collected"),
            (PATRONS_CASH, drop_box(table), collected["cash"], "cash collected"),
            (promo(table), drop_box(table), collected["promo"], "coupons taken"),
            (tray(table), PATRONS_CHIPS, paid - promotional, "paid"),
            (tray(table), promo(table), promotional, "paid to promotional play"),
            (promo(table), PATRONS_CHIPS, promotional, "paid to promotional play"),
        )
    return _pot_transfers(table, sum(collected.values()), paid, rake_to_box)


def _pot_transfers(table: str, collected: int, paid: int, rake_to_box: int) -> list[TransferDraft]:
    boxed = max(0, min(rake_to_box, collected - paid))
    rest = collected - paid - boxed
    return _moving(
        (PATRONS_CHIPS, pot(table), collected, "into the pot"),
        (tray(table), pot(table), -rest, "paid beyond the pot"),
        (pot(table), PATRONS_CHIPS, paid, "out of the pot"),
        (pot(table), drop_box(table), boxed, "rake"),
        (pot(table), tray(table), rest, "rake and what was not paid out"),
    )


def transfers_for_buy_in(table: str, amount: Minor) -> list[TransferDraft]:
    """Return cash into the box and chips out of the tray: one event."""
    return _moving((PATRONS_CASH, drop_box(table), amount, "buy-in"), (tray(table), PATRONS_CHIPS, amount, "buy-in"))


def transfers_for_marker(table: str, amount: Minor) -> list[TransferDraft]:
    """Return a marker into the box and chips out of the tray: one event."""
    return _moving((PATRONS_CREDIT, drop_box(table), amount, "marker"), (tray(table), PATRONS_CHIPS, amount, "marker"))


def transfers_for_redemption(table: str, amount: Minor) -> list[TransferDraft]:
    """Return chips into the tray for a marker, and the marker back to its patron, from where boxes are emptied to."""
    return _moving((PATRONS_CHIPS, tray(table), amount, "marker redeemed"), (VAULT, PATRONS_CREDIT, amount, "marker returned"))


def transfers_for_cash_out(amount: Minor) -> list[TransferDraft]:
    """Return chips into the cage and cash out of it: one event."""
    return _moving((PATRONS_CHIPS, CAGE, amount, "cash-out"), (CAGE_CASH, PATRONS_CASH, amount, "cash-out"))


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
    trays, boxes = tray_variance(table), drop_variance(table)
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
