"""Paytable versions: what is paid, by which rules, and where they are in force. A version never changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from casino import shown
from casino.odds import format_odds
from casino.read_only import ReadOnlyAdmin
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import PaytableVersion
from tables.services.paytables import paytable_of


@dataclass(frozen=True)
class OddsTable:
    """Odds as they hang at the table: a line a hand, a column a wager; None where the wager does not pay it."""

    wagers: list[str]
    lines: list[tuple[str, list[str | None]]]


def odds_table(paytable: Paytable) -> OddsTable:
    """Return the odds of a version; the dearest hand stands first."""
    odds, wagers = paytable.odds, list(paytable.odds)
    rows = {row for prices in odds.values() for row in prices}
    dearest = sorted(rows, key=lambda row: (-max(prices.get(row, Fraction(0)) for prices in odds.values()), row))
    return OddsTable(wagers, [(row, [format_odds(odds[w][row]) if row in odds[w] else None for w in wagers]) for row in dearest])


def rules_in_words(rules: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each rule of a version with its value as text."""
    for name, value in rules.items():
        if isinstance(value, Mapping):
            text = ", ".join(f"{key} {' or '.join(map(str, some)) if isinstance(some, list) else some}" for key, some in value.items())
        else:
            text = "none" if value is None else str(value).replace("_", " ")
        yield name.replace("_", " "), text


@admin.register(PaytableVersion)
class PaytableVersionAdmin(ReadOnlyAdmin):
    """Approved versions."""

    list_display = ("reference", "game_name", "short_hash", "proposed_by", "approved_by", "approval", "recorded")
    list_filter = ("game",)
    list_select_related = ("proposed_by", "approved_by")
    ordering = ("game", "name", "version")
    change_form_template = "admin/tables/paytableversion/page.html"

    @admin.display(description="version")
    def reference(self, version: PaytableVersion) -> str:
        """Return "uth-seed@1"."""
        return str(version)

    @admin.display(description="recorded")
    def recorded(self, version: PaytableVersion) -> str:
        """Return when it was approved."""
        return shown.utc(version.recorded_at)

    @admin.display(description="game")
    def game_name(self, version: PaytableVersion) -> str:
        """Return the game as on the sign."""
        return games()[version.game].name

    @admin.display(description="SHA-256")
    def short_hash(self, version: PaytableVersion) -> str:
        """Return the hash's first twelve digits."""
        return version.sha256[:12]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the version's page: odds, rules, where it is in force. One query."""
        version: PaytableVersion = context["original"]
        paytable = paytable_of(version)
        more = {
            "version": version,
            "game": games()[version.game],
            "odds": odds_table(paytable),
            "rules": list(rules_in_words(paytable.rules)),
            "in_force": list(version.in_force.select_related("table__property", "by").order_by("table__code", "from_at")),
            "content": json.dumps(json.loads(bytes(version.content)), indent=2, ensure_ascii=False),
            "title": str(version),
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)
