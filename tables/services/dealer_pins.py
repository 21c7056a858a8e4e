"""Dealers sign with a PIN on the supervisor's screen; they have no sign-in. Wrong ones are kept, and too many lock the PIN for a while.

A door calls `sign_with_pin` before the service of its verb, never inside its transaction: a failure must be kept although the verb is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.utils.translation import gettext

from casino import roles
from casino.errors import InvalidSlip, Refused
from casino.models import User
from casino.transactions import in_transaction
from tables.locks import lock_name
from tables.models import Dealer, DealerPin, DealerPinFailure

MOST_FAILURES = 5
WINDOW = timedelta(minutes=15)
LOCKED_FOR = timedelta(minutes=15)
LENGTH = range(4, 9)


@dataclass(frozen=True)
class Signature:
    """A dealer signed, on somebody's screen: made by `sign_with_pin` alone."""

    dealer: Dealer
    at: datetime


@in_transaction
def set_pin(dealer: Dealer, pin: str, *, at: datetime, by: User) -> DealerPin:
    """Return the dealer's new PIN, typed by the dealer in front of a shift manager. Raises Refused, InvalidSlip (`bad_pin`)."""
    roles.require(by, "set_dealer_pin")
    if not (pin.isascii() and pin.isdigit()) or len(pin) not in LENGTH:
        raise InvalidSlip("bad_pin", gettext("A PIN has 4 to 8 digits."), where="pin")
    if len(set(pin)) == 1 or pin in "0123456789" or pin in "9876543210":
        raise InvalidSlip("bad_pin", gettext("Such a PIN is guessed at once."), where="pin")
    lock_name(f"pin:{dealer.pk}")
    sequence = DealerPin.objects.filter(dealer=dealer).count() + 1
    return DealerPin.objects.create(dealer=dealer, sequence=sequence, hash=make_password(pin), set_at=at, set_by=by)


def sign_with_pin(dealer: Dealer, pin: str, *, at: datetime, by: User) -> Signature:
    """Return the signature of `dealer`, who typed `pin` on the screen of `by`. `at` is now, by the door's clock.

    Raises Refused at the field `pin`: `no_pin`, `wrong_pin`, which is kept; `too_many_attempts` from the fifth failure within 15 minutes on, for
    15 minutes, whatever is typed. Raises RuntimeError inside a transaction, which would take the failure back.
    """
    refusal = _refusal(dealer, pin, at, by)
    if refusal is not None:
        raise refusal
    return Signature(dealer, at)


def _refusal(dealer: Dealer, pin: str, at: datetime, by: User) -> Refused | None:
    with transaction.atomic(durable=True):
        lock_name(f"pin:{dealer.pk}")
        if (until := locked_until(dealer, at)) is not None:
            return _locked(dealer, until)
        kept = DealerPin.objects.filter(dealer=dealer).order_by("-sequence").first()
        if kept is None:
            return Refused("no_pin", gettext("%(dealer)s has no PIN yet: a shift manager lets them set one.") % {"dealer": dealer}, where="pin")
        if len(pin) <= max(LENGTH) and check_password(pin, kept.hash):
            return None
        DealerPinFailure.objects.create(dealer=dealer, at=at, by=by)
        until = locked_until(dealer, at)
    return (
        _locked(dealer, until)
        if until is not None
        else Refused("wrong_pin", gettext("This is not the PIN of %(dealer)s.") % {"dealer": dealer}, where="pin")
    )


def locked_until(dealer: Dealer, at: datetime) -> datetime | None:
    """Return until when `dealer` signs nothing, None where nothing is locked at `at`. One query."""
    failures = list(DealerPinFailure.objects.filter(dealer=dealer).order_by("-at", "-id").values_list("at", flat=True)[:MOST_FAILURES])
    if len(failures) < MOST_FAILURES or failures[0] - failures[-1] > WINDOW:
        return None
    until: datetime = failures[0] + LOCKED_FOR
    return until if at < until else None


def _locked(dealer: Dealer, until: datetime) -> Refused:
    when = until.isoformat(timespec="seconds")
    return Refused(
        "too_many_attempts",
        gettext("Too many wrong PINs: %(dealer)s signs nothing before %(until)s.") % {"dealer": dealer, "until": f"{until:%H:%M:%S %Z}"},
        where="pin",
        until=when,
    )
