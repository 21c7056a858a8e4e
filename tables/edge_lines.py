"""Edges and differences as people read them on a page: a line a bet, figures with their basis named. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from casino.odds import format_odds
from casino.words import gettext, gettext_noop
from tables.bet_words import bet_name, bet_word, row_word
from tables.edge_record import per_total_wagered, percent
from tables.engine.edge import BetEdge, Edges
from tables.paytable_diff import PaytableDiff
from tables.paytable_words import in_words, say_rule, value_in_words

METHODS = {"count": gettext_noop("counted"), "linear": gettext_noop("counted, best play known"), "solve": gettext_noop("best play solved")}
NOTHING = "—"


@dataclass(frozen=True)
class EdgeLine:
    """One bet: both edges in percent and as fractions, how often it wins, what it swings. `tone`: "bad" where the player has the edge."""

    bet: str
    basis: str
    base_percent: str
    base_fraction: Fraction
    total_percent: str
    total_fraction: Fraction
    hit: str
    sd: str
    mean_wager: str
    method: str
    tone: str


def edge_lines(edges: Edges) -> list[EdgeLine]:
    """Return a line a bet that is worked out."""
    return [_edge_line(name, bet) for name, bet in edges.bets.items()]


def _edge_line(name: str, bet: BetEdge) -> EdgeLine:
    total = per_total_wagered(bet)
    return EdgeLine(
        bet_name(name),
        bet_word(bet.basis),
        f"{percent(bet.edge)} %",
        bet.edge,
        f"{percent(total)} %",
        total,
        NOTHING if bet.hit_frequency is None else f"{percent(bet.hit_frequency, 2)} %",
        f"{bet.sd:.4f}",
        NOTHING if bet.mean_wager is None else f"{percent(bet.mean_wager / 100)}",
        gettext(METHODS[bet.method]),
        "bad" if bet.edge < 0 else "",
    )


@dataclass(frozen=True)
class ChangeLine:
    """One thing that differs: what, before, after, by how much; `tone` is that of the change, from the house's side."""

    what: str
    before: str
    after: str
    change: str = ""
    tone: str = ""


def change_lines(found: PaytableDiff) -> list[ChangeLine]:
    """Return the odds and rules that differ."""
    odds = [ChangeLine(f"{bet_name(one.wager)}: {row_word(one.row, one.wager)}", _odds(one.before), _odds(one.after)) for one in found.odds]
    rules = [
        ChangeLine(
            ": ".join(gettext(in_words(part)) for part in one.rule.split(".")),
            value_in_words(one.before, say_rule),
            value_in_words(one.after, say_rule),
        )
        for one in found.rules
    ]
    return odds + rules


def effect_lines(found: PaytableDiff) -> Iterator[ChangeLine]:
    """Yield the effect on each bet's edge, per base bet, and per total wagered where that is another figure."""
    for one in found.edges:
        yield _effect(
            gettext("%(bet)s, per %(basis)s") % {"bet": bet_name(one.bet), "basis": bet_word(one.basis)}, _edge(one.before), _edge(one.after)
        )
        both = (_total(one.before), _total(one.after))
        if both != (_edge(one.before), _edge(one.after)):
            yield _effect(gettext("%(bet)s, per total wagered") % {"bet": bet_name(one.bet)}, *both)


def _effect(what: str, before: Fraction | None, after: Fraction | None) -> ChangeLine:
    if before is None or after is None:
        return ChangeLine(what, _share(before), _share(after))
    by = after - before
    return ChangeLine(
        what,
        _share(before),
        _share(after),
        gettext("%(by)s points") % {"by": f"{'+' if by > 0 else ''}{percent(by)}"},
        "dim" if by == 0 else "good" if by > 0 else "warn",
    )


def _edge(bet: BetEdge | None) -> Fraction | None:
    return None if bet is None else bet.edge


def _total(bet: BetEdge | None) -> Fraction | None:
    return None if bet is None else per_total_wagered(bet)


def _share(share: Fraction | None) -> str:
    return NOTHING if share is None else f"{percent(share)} %"


def _odds(odds: Fraction | None) -> str:
    return gettext("not listed") if odds is None else format_odds(odds)
