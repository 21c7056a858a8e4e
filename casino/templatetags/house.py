"""`{% load house %}`: amounts and moments of a house, roles of a person."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino import shown
from casino import words as casino_words
from casino.models import User
from casino.shown import House

register = template.Library()


@register.filter
def money(amount: int | None, house: House) -> str:
    """Return `{{ wager.stake|money:house }}`."""
    return shown.money(amount, house)


@register.filter
def signed(amount: int | None, house: House) -> str:
    """Return `{{ wager.net|signed:house }}`."""
    return shown.signed(amount, house)


@register.filter
def stamp(moment: datetime | None, house: House) -> SafeString | str:
    """Return the moment as a `<time>` on the house's clock."""
    if moment is None:
        return shown.NOTHING
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), shown.stamp(moment, house))


@register.filter
def clock(moment: datetime | None, house: House) -> SafeString | str:
    """Return the moment's time of day as a `<time>`; its title says the rest."""
    if moment is None:
        return shown.NOTHING
    return format_html('<time datetime="{}" title="{}">{}</time>', moment.isoformat(), shown.stamp(moment, house), shown.clock(moment, house))


@register.filter
def words(code: str) -> str:
    """Return a code as words of the reader's language: "not_recovered" is "not recovered"."""
    return casino_words.word(str(code))


@register.filter
def tone(amount: int | None) -> str:
    """Return the class of a figure that should be nothing: "bad" where it is off, "dim" where it needs no thought."""
    return "bad" if amount else "dim"


@register.filter
def roles_in_words(user: User) -> str:
    """Return "pit boss" for the signed-in person's roles, several joined by commas."""
    return ", ".join(words(role) for role in sorted(user.roles))
