"""What a colleague entered at the same table meanwhile: said with who and what, and what was typed stays."""

from __future__ import annotations

from django.utils.translation import gettext

from casino import shown
from casino.errors import Stale
from casino.models import User
from tables.admin.round_fresh import next_number, rounds_of
from tables.models import Round
from tables.round_form import RoundForm
from tables.selectors import open_sessions_for


def entered_meanwhile(form: RoundForm, user: User) -> Stale | None:
    """Return who entered which round under the number that the page had, and give the page the next number. Up to three queries.

    None where the table is not open any more, or nobody's round has the number.
    """
    number = form.text("number").strip()
    session = open_sessions_for(user, "enter_rounds").filter(table__code=form.table.code).first()
    if session is None or not number.isdigit():
        return None
    other = rounds_of(user, session).filter(number=int(number)).first()
    if other is None:
        return None
    form.typed["number"] = str(next_number(session))
    return Stale("entered_meanwhile", _words(other, form, user), where="number", round=str(other.uuid))


def _words(other: Round, form: RoundForm, user: User) -> str:
    house = other.session.table.property
    who = gettext("you, on another page") if other.recorded_by_id == user.pk else other.recorded_by.username
    words = gettext(
        "Round %(number)s of %(code)s was entered by %(who)s meanwhile, dealt at %(when)s: handle %(handle)s, house %(net)s. "
        "What you typed is kept: if it is another round, save it as round %(next)s; if it is the same one, discard it."
    )
    return words % {
        "number": other.number,
        "code": form.table.code,
        "who": who,
        "when": shown.clock(other.occurred_at, house),
        "handle": shown.money(other.handle, house),
        "net": shown.signed(other.house_net, house),
        "next": form.text("number"),
    }
