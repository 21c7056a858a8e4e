"""Two versions side by side: odds, rules, edges, what that is worth on a month's stakes, and that month's payouts settled again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from casino import roles, shown
from casino.errors import BrokenBooks, CasinoError, InvalidSlip, NotFound
from casino.models import User
from casino.money import Minor
from tables.admin.workshop_pages import page, someone_who_may
from tables.bet_words import bet_name
from tables.edge_lines import ChangeLine, change_lines, effect_lines
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import PaytableVersion, Property
from tables.paytable_diff import diff
from tables.paytable_selectors import proposal_of
from tables.services.paytables import paytable_of, version_named
from tables.services.replay import ask_month, rounds_of_month, stakes_by_bet
from tables.solved_edges import known_edges


@dataclass(frozen=True)
class Worth:
    """What the house expects to win of a month's stakes under both, by bet and in total; "—" where an edge is not worked out."""

    house: Property
    month: str
    nothing_staked: bool
    lines: list[ChangeLine]
    total: ChangeLine | None


def worth_of(request: HttpRequest, before: Paytable, after: Paytable, house: Property | None) -> Worth | None:
    """Return the effect on theoretical win of `?month=2026-11` (last month) at `?property=CODE` (`house`, else the first). Two queries."""
    house = Property.objects.filter(code=request.GET.get("property", "")).first() or house or Property.objects.order_by("pk").first()
    if house is None:
        return None
    month = _month(request.GET.get("month", ""), house)
    stakes = stakes_by_bet(rounds_of_month(house, month, before.game), before.game)
    found = diff(known_edges(before), known_edges(after), stakes)
    lines = [_worth_line(bet_name(one.bet), one.stake, one.before, one.after, house) for one in found.wins]
    known = [(one.before, one.after) for one in found.wins if one.before is not None and one.after is not None]
    total = None
    if len(known) == len(found.wins) and known:
        total = _worth_line(gettext("In total"), 0, sum((old for old, _ in known), Fraction(0)), sum((new for _, new in known), Fraction(0)), house)
    return Worth(house, month.isoformat()[:7], not any(stakes.values()), lines, total)


def _worth_line(what: str, stake: int, before: Fraction | None, after: Fraction | None, house: Property) -> ChangeLine:
    if before is None or after is None:
        return ChangeLine(what, shown.NOTHING, shown.NOTHING)
    by = _nearest(after) - _nearest(before)
    said = f"{what}, of {shown.money(stake, house)}" if stake else what
    tone = "dim" if by == 0 else "good" if by > 0 else "warn"
    return ChangeLine(said, shown.money(_nearest(before), house), shown.money(_nearest(after), house), shown.signed(by, house), tone)


def _nearest(amount: Fraction) -> Minor:
    """Return the minor units next to an expectation, halves away from zero: shown to people, never posted."""
    whole = (2 * abs(amount.numerator) + amount.denominator) // (2 * amount.denominator)
    return Minor(whole if amount >= 0 else -whole)


def _month(text: str, house: Property) -> date:
    """Return the first day of "2026-11"; of the month before this one where it says none."""
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError:
        this = shown.local(timezone.now(), house).date().replace(day=1)
        return (this - timedelta(days=1)).replace(day=1)


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Answer `?before=uth-seed@1&after=uth-seed@2`, two versions of a game. Raises NotFound, InvalidSlip for versions of different games."""
    user = someone_who_may(request, "read_paytables")
    before, after = version_named(request.GET.get("before", "")), version_named(request.GET.get("after", ""))
    found = diff(known_edges(paytable_of(before)), known_edges(paytable_of(after)))
    context = {
        "before": before,
        "after": after,
        "base": before,
        "game": games()[after.game],
        "changes": change_lines(found),
        "effects": list(effect_lines(found)),
        "worth": worth_of(request, paytable_of(before), paytable_of(after), None) if _sees_the_house(user) else None,
        "kept": [("before", str(before)), ("after", str(after))],
        "versions": PaytableVersion.objects.filter(game=after.game).order_by("name", "version"),
    }
    return page(request, "compare.html", f"{before} → {after}", context)


def _sees_the_house(user: User) -> bool:
    """Return whether they may see what was staked in every pit: a floor supervisor who looks a paytable up sees their own pits alone."""
    return roles.may(user.roles, "see_workshop") or roles.may(user.roles, "replay")


@require_POST
def replay_month(request: HttpRequest) -> HttpResponse:
    """Announce a month's payouts settled again under a version or a proposal, and go to the replay."""
    user = someone_who_may(request, "replay")
    try:
        house = Property.objects.filter(code=request.POST.get("property", "").replace("\x00", "")).first()
        if house is None:
            raise NotFound("no_property", gettext("There is no such property."), where="property")
        job = ask_month(house, _month(request.POST.get("month", ""), house), _paytable(request.POST), by=user)
    except CasinoError as error:
        if isinstance(error, BrokenBooks):
            raise
        messages.error(request, error.message)
        return redirect("admin:tables_replay")
    return redirect("admin:tables_replay_run", job.uuid)


def _paytable(said: Any) -> Paytable:
    """Return the paytable of `proposal` (its UUID) or `paytable` (a reference). Raises NotFound."""
    if text := said.get("proposal"):
        try:
            uuid = UUID(text)
        except ValueError as error:
            raise InvalidSlip("bad_type", gettext("This is no proposal's UUID."), where="proposal") from error
        return paytable_of(proposal_of(uuid))
    return paytable_of(version_named(said.get("paytable", "")))
