"""What a fact must fulfil by itself: an entry balances, a round's cards say what was due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.stranger.outcome import INCOMPLETE, Broken, parsed

CEILING = 10**15
SETTLERS: dict[str, Any] = {}
"""A game's two functions by its code: (round, paytable) -> {(seat, wager): (collect, pay)}, and -> the house's rake."""
OF_ENTRY = ("property", "transfer_count", "transfers")
OF_ROUND = ("game", "paytable_sha256", "deal", "irregular", "wager_count", "handle", "collect", "pay", "collected", "paid", "rake", "wagers")
"""The fields that the checks look at; whatever else a leaf says is held to its hash alone."""


def check_entry(entry: dict[str, Any], currencies: dict[str, str] | None) -> str:
    """Return "field: what is wrong" of an entry, "" where it balances: every transfer takes from one account what it gives to another."""
    transfers = entry["transfers"]
    if len(transfers) != entry["transfer_count"]:
        return f"transfer_count: says {entry['transfer_count']}, there are {len(transfers)}"
    for line, (number, credit, debit, currency, amount) in enumerate(transfers, start=1):
        if number != line:
            return f"transfers: line {number} stands in place {line}"
        if type(amount) is not int or not 0 < amount < CEILING:
            return f"transfers: line {line} moves {amount}"
        if credit == debit:
            return f"transfers: line {line} moves from {credit} to itself"
        if currencies is not None:
            for account in (credit, debit):
                if (kept := currencies.get(f"{entry['property']} {account}")) != currency:
                    return f"transfers: line {line} is in {currency}; by accounts.json {account} {f'is in {kept}' if kept else 'is no account'}"
    return ""


def columns_of(kinds: Mapping[str, Any]) -> list[str]:
    """Return the columns of a round's wagers, by what the segment's head says of its kinds. Raises KeyError where it says nothing."""
    for name, kind in kinds["round"]:
        if name == "wagers":
            columns: list[str] = kind.partition(":")[2].split(",")
            return columns
    raise KeyError("wagers")


def check_round(played: dict[str, Any], columns: list[str], paytables: dict[str, Any]) -> str:
    """Return "field: what is wrong" of a round, "" where its sums agree and its cards, settled once more, say what was due.

    Raises Broken (incomplete) where its paytable is not here.
    """
    wagers = played["wagers"]
    if len(wagers) != played["wager_count"]:
        return f"wager_count: says {played['wager_count']}, there are {len(wagers)}"
    words = check_sums(played, wagers, columns)
    if words or played["irregular"]:
        return words
    paytable, settler = paytables.get(played["paytable_sha256"]), SETTLERS.get(played["game"])
    if paytable is None:
        raise Broken(INCOMPLETE, f"paytable_sha256: paytables/{played['paytable_sha256']}.json is missing")
    if settler is None:
        return f"game: no settler for {played['game']}"
    try:
        dealt = parsed(played["deal"])
        due, rake = settler[0](dealt, paytable), settler[1](dealt, paytable)
    except Exception as error:
        return f"deal: cannot be settled ({type(error).__name__}: {error})"
    if played["rake"] != rake:
        return f"rake: {played['rake']}, its cards say {rake}"
    return check_wagers(wagers, columns, due)


def check_sums(played: dict[str, Any], wagers: list[Any], columns: list[str]) -> str:
    """Return "field: what is wrong" where a sum is not its wagers'; promotional stakes are no money, and are in what was paid and due only."""
    fund = columns.index("fund") if "fund" in columns else None
    money = wagers if fund is None else [wager for wager in wagers if wager[fund] != "promo"]
    of = {"handle": ("stake", money), "collected": ("collected", money), "paid": ("paid", wagers)}
    if not played["irregular"]:
        of.update({"collect": ("collect", money), "pay": ("pay", wagers)})
    for name, (column, counted) in of.items():
        place = columns.index(column)
        added = sum([wager[place] for wager in counted])
        if played[name] != added:
            return f"{name}: {played[name]}, the wagers add up to {added}"
    return ""


def check_wagers(wagers: list[Any], columns: list[str], due: dict[tuple[int, str], tuple[int, int]]) -> str:
    """Return "wagers: what is wrong" where a wager does not say what its cards say, or one that is due is missing."""
    seats, kinds, collects, pays = [columns.index(name) for name in ("seat", "kind", "collect", "pay")]
    for wager in wagers:
        seat, kind, said = wager[seats], wager[kinds], (wager[collects], wager[pays])
        owed = due.pop((seat, kind), (0, 0))
        if said != owed:
            return f"wagers: seat {seat} {kind} says due {said[0]}/{said[1]}, its cards say {owed[0]}/{owed[1]}"
    for (seat, kind), owed in due.items():
        if owed != (0, 0):
            return f"wagers: seat {seat} {kind} is due and missing"
    return ""
