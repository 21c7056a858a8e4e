"""Two versions side by side: odds, rules, edges per base bet and per total wagered, and what it is worth."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from casino.errors import InvalidSlip
from tables.edge_record import as_kept, from_kept, per_total_wagered, percent
from tables.engine.edge import Edges, edges
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.paytable_diff import diff
from tables.paytable_files import published

SEED = published()["uth-seed@1"]
FLUSH = Fraction(2980133137, 115890875100)
"""How often a winning blind is a flush (design/performance.md)."""


def changed(blind: dict[str, str | None] | None = None, **rules: Any) -> Paytable:
    content = json.loads(SEED.canonical)
    content["odds"]["blind"] = {row: odds for row, odds in (content["odds"]["blind"] | (blind or {})).items() if odds}
    content["rules"] |= rules
    return games()["uth"].read_paytable({**content, "name": "house"})


def test_the_same_odds_and_rules_differ_in_nothing() -> None:
    found = diff(edges(SEED), edges(changed()), {"ante": 1000})
    assert (found.odds, found.rules) == ((), ())
    assert {change.as_json()["per_base_bet"]["difference"]["fraction"] for change in found.edges} == {"0"}
    assert {change.as_json()["difference"] for change in found.wins} == {"0"}


def test_a_flush_at_even_money_is_worth_half_its_frequency() -> None:
    found = diff(edges(SEED), edges(changed({"flush": "1:1", "straight": None})), {"ante": 1_000_000, "trips": 500})
    assert [change.as_json() for change in found.odds] == [
        {"wager": "blind", "row": "flush", "before": "3:2", "after": "1:1"},
        {"wager": "blind", "row": "straight", "before": "1:1", "after": None},
    ]
    only_flush = diff(edges(SEED), edges(changed({"flush": "1:1"})), {"ante": 1_000_000, "trips": 500})
    [main] = [change for change in only_flush.edges if change.bet == "main"]
    assert main.before and main.after
    assert main.after.edge - main.before.edge == FLUSH / 2
    shown = main.as_json()
    assert (shown["basis"], shown["per_base_bet"]["difference"]["fraction"]) == ("ante", str(FLUSH / 2))
    total = Fraction(shown["per_total_wagered"]["difference"]["fraction"])
    assert total == FLUSH / 2 / main.before.mean_wager
    wins = {change.bet: change for change in only_flush.wins}
    assert wins["main"].after - wins["main"].before == FLUSH / 2 * 1_000_000
    assert (wins["trips"].stake, wins["trips"].before) == (500, 500 * Fraction(48987, 2572780))


def test_rules_that_differ_are_named_by_their_path() -> None:
    other = changed(payout_unit=50, caps={"wager": {"blind": 5}}, play_multiples={"preflop": [4], "flop": [2], "river": [1]})
    found = diff(edges(SEED), edges(other))
    assert {change.rule: (change.before, change.after) for change in found.rules} == {
        "payout_unit": (1, 50),
        "caps": (None, {"wager": {"blind": 5}, "seat": None}),
        "play_multiples.preflop": ([3, 4], [4]),
    }
    [main] = [change.as_json() for change in found.edges if change.bet == "main"]
    assert (main["per_base_bet"]["after"], main["per_base_bet"]["difference"]) == (None, None)
    assert json.loads(json.dumps(found.as_json()))["before"] == {"paytable": "uth-seed@1", "sha256": SEED.sha256}


def test_versions_of_different_games_have_no_difference() -> None:
    with pytest.raises(InvalidSlip) as error:
        diff(edges(SEED), edges(published()["payroll-seed@1"]))
    assert (error.value.code, error.value.where) == ("bad_paytable", "after")


def test_kept_edges_read_back_as_they_were() -> None:
    found = edges(SEED)
    again = from_kept(SEED, json.loads(json.dumps(as_kept(found))))
    assert (dict(again.bets), again.unsolved) == (dict(found.bets), ())
    assert isinstance(again, Edges)


def test_the_two_edges_of_a_bet_of_one_stake_are_one() -> None:
    trips, main = edges(SEED).bets["trips"], edges(SEED).bets["main"]
    assert per_total_wagered(trips) == trips.edge
    assert per_total_wagered(main) == main.edge / main.mean_wager


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (Fraction(1, 3), 4, "33.3333"), (Fraction(-1, 200), 2, "−0.50"), (Fraction(1, 2000), 1, "0.1"), (Fraction(-1, 10**9), 2, "0.00"),
        (Fraction(0), 4, "0.0000"),
    ],
)  # fmt: skip
def test_percentages_are_rounded_exactly(share: Fraction, digits: int, text: str) -> None:
    assert percent(share, digits) == text
