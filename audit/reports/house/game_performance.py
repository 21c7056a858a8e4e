"""Games: handle, win and theoretical win by game and paytable version, and by bet. Irregular rounds are counted and said apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.db.models import Count, F, Q, Sum

from audit.reports.catalogue import Catalogued
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.edges import theoretical_win
from tables.engine.game import games
from tables.models import PaytableVersion, Wager
from tables.services.paytables import paytable_of
from tables.solved_edges import known_edges

VERSIONS = (
    Column("game", "Game", "text"),
    Column("paytable", "Paytable", "text"),
    Column("rounds", "Rounds", "integer", total=True),
    Column("irregular", "of which irregular", "integer", total=True),
    Column("handle", "Handle", "amount", total=True),
    Column("pots", "Pots", "amount", total=True),
    Column("rake", "Rake", "amount", total=True),
    Column("win", "Win by play", "amount", total=True),
    Column("theoretical_win", "Theoretical win", "amount", total=True),
    Column("share", "Win of handle", "percent", decimals=2),
)
BETS = (
    Column("game", "Game", "text"),
    Column("paytable", "Paytable", "text"),
    Column("bet", "Bet", "text"),
    Column("wagers", "Wagers", "integer", total=True),
    Column("handle", "Handle", "amount", total=True),
    Column("win", "Win by play", "amount", total=True),
    Column("edge", "Edge of the bet", "percent", decimals=3),
    Column("share", "Win of handle", "percent", decimals=2),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return the games by version, and their bets. Three queries."""
    sums = (
        scope.rounds()
        .values("paytable")
        .annotate(
            rounds=Count("pk"),
            irregular=Count("pk", filter=~Q(irregular="")),
            handle=Sum("handle"),
            rake=Sum("rake"),
            win=Sum(F("collected") - F("paid")),
        )
    )
    found = {row["paytable"]: row for row in sums.order_by()}
    versions = PaytableVersion.objects.in_bulk(found)
    kinds = _kinds(scope)
    order = sorted(versions, key=lambda key: (versions[key].game, versions[key].name, versions[key].version))
    return [
        Section("versions", "By paytable version", VERSIONS, tuple(_version(versions[key], found[key], kinds[key], scope) for key in order)),
        Section("bets", "By bet", BETS, tuple(row for key in order for row in _bets(versions[key], kinds[key]))),
    ]


def _kinds(scope: Scope) -> Mapping[int, Mapping[str, Mapping[str, Any]]]:
    """Return wagers, stakes and win by version and kind of wager, of rounds whose due is known."""
    wagers = Wager.objects.filter(gaming_day__range=(scope.first, scope.last), round__in=scope.rounds().values("pk"), collect__isnull=False)
    sums = wagers.values("round__paytable", "kind").annotate(n=Count("pk"), staked=Sum("stake"), won=Sum(F("collected") - F("paid")))
    by: dict[int, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for row in sums.order_by("round__paytable", "kind"):
        by[row["round__paytable"]][row["kind"]] = row
    return by


def _version(version: PaytableVersion, sums: Mapping[str, Any], kinds: Mapping[str, Mapping[str, Any]], scope: Scope) -> Row:
    game = games()[version.game]
    expected = theoretical_win(known_edges(paytable_of(version)), {kind: row["staked"] for kind, row in kinds.items()})
    expected_units = sums["rake"] if game.is_pot_game else None if expected is None else round(expected)
    handle = None if game.is_pot_game else sums["handle"]
    values = (game.name, str(version), sums["rounds"], sums["irregular"], handle, sums["handle"] if game.is_pot_game else None, sums["rake"])
    return Row(
        (*values, sums["win"], expected_units, Fraction(sums["win"], handle) if handle else None),
        links=(("game", rounds_of(game=version.game, day_from=scope.first, day_to=scope.last)),),
    )


def _bets(version: PaytableVersion, kinds: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    game = games()[version.game]
    if game.is_pot_game:
        return []
    edges = {bet.basis: bet.edge for bet in known_edges(paytable_of(version)).bets.values()}  # ante, blind and play together: per ante
    bets: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for kind, row in kinds.items():
        bet = bets[game.bet_of(kind)]
        bet[0], bet[1], bet[2] = bet[0] + row["n"], bet[1] + row["staked"], bet[2] + row["won"]
    return [
        Row((game.name, str(version), name, n, staked, won, edges.get(name), Fraction(won, staked) if staked else None))
        for name, (n, staked, won) in bets.items()
    ]


REPORT = Catalogued(
    "games", "Game performance", "Handle, win and theoretical win by game, paytable version and bet.", build, action="read_game_reports"
)
