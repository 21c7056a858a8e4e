"""Second signatures on one screen: a colleague by staff number and password, a dealer by PIN. Doors ask for them before the service of their verb."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext

from casino import step_up
from casino.errors import Refused
from casino.models import User
from tables.models import Property
from tables.selectors import dealer_of
from tables.services.dealer_pins import Signature, sign_with_pin

SECOND = "second"
DEALER = "dealer"


def second_person(number: str, password: str, *, at: datetime, beside: User) -> User:
    """Return the colleague who signs beside `beside`, by staff number and password. One message for an unknown number and a wrong password.

    Raises Refused at `second.number` (`needs_witness`) or `second.password` (`wrong_password`, `password_required`, `too_many_attempts`).
    """
    user = User.objects.filter(username=number).first() if "\x00" not in number else None
    if user is not None and user.pk == beside.pk:
        raise Refused("needs_witness", gettext("The second signature is somebody else's."), where=f"{SECOND}.number")
    if user is None:
        make_password(password)  # as dear as a known number's
        raise Refused("wrong_password", gettext("The staff number and the password do not belong together."), where=f"{SECOND}.password")
    try:
        step_up.confirm(user, password, at=at)
    except Refused as refusal:
        words = gettext("The staff number and the password do not belong together.") if refusal.code == "wrong_password" else refusal.message
        raise Refused(refusal.code, words, where=f"{SECOND}.password", **refusal.facts) from refusal
    return user


def dealer_signs(house: Property, number: str, pin: str, *, at: datetime, by: User) -> Signature:
    """Return the signature of the house's dealer of that staff number. Raises NotFound at `dealer`, Refused at `dealer.pin`."""
    try:
        return sign_with_pin(dealer_of(house, number), pin, at=at, by=by)
    except Refused as refusal:
        raise Refused(refusal.code, refusal.message, where=f"{DEALER}.pin", **refusal.facts) from refusal
