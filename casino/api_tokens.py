"""API tokens: what a program signs in with, for one person and until a day. Source: spec/night.md, "Who may do what" ("tokens"), bug B153.

The secret is 200 random bits and is kept nowhere: the row holds its SHA-256, by which it is found. A digest of something that cannot be guessed
needs no salt and no slow hash, and looking a digest up tells nobody anything about the secret, however long it takes. Rights are those of the
person's roles of the moment. A use writes nothing about the token; what a token changed is told in rows of its own (`TokenWrite`).
"""

from __future__ import annotations

import hashlib
import re
import secrets
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, Fault, InvalidSlip, NotFound, Refused
from casino.models import ApiToken, ApiTokenWithdrawal, TokenWrite, User
from casino.transactions import in_transaction, wait_turn

PREFIX = "pb_"
SECRET = re.compile(r"pb_[A-Z2-7]{40}", re.ASCII)
LONGEST_LABEL = 80
LONGEST_REASON = 300
LONGEST_LIFE = timedelta(days=366)
"""A year, also one with a 29 February in it."""


@dataclass(frozen=True)
class NewToken:
    """A token that was made just now, with its secret, which is shown once."""

    token: ApiToken
    secret: str


def day_of(at: datetime) -> date:
    """Return the day that `at` is in, by which tokens end: that of UTC, because a person is of no one house."""
    return at.astimezone(UTC).date()


@in_transaction
def make_token(user: User, label: str, until: date, *, at: datetime, by: User) -> NewToken:
    """Return a new token of `user`, good through the day `until` (UTC), with its secret. `at` is now, by the door's clock.

    Raises Refused (`not_allowed`, `own_tokens`, `left`), InvalidSlip with every fault of the fields `label` (`missing_field`, `bad_type`) and
    `until` (`bad_day`: before today, or more than a year ahead).
    """
    roles.require(by, "manage_tokens")
    _not_their_own(user, by)
    if not User.objects.filter(pk=user.pk, is_active=True).exists():
        raise Refused("left", gettext("%(user)s does not work here any more.") % {"user": user}, where="staff")
    today = day_of(at)
    faults = _label_faults(label)
    if not today <= until <= today + LONGEST_LIFE:
        faults.append(Fault("bad_day", gettext("A token ends between today and %(day)s.") % {"day": today + LONGEST_LIFE}, "until"))
    if faults:
        raise InvalidSlip.of(faults)
    secret = PREFIX + b32encode(secrets.token_bytes(25)).decode()
    token = ApiToken.objects.create(user=user, label=label.strip(), digest=digest_of(secret), made_by=by, made_on=today, until=until)
    return NewToken(token, secret)


@in_transaction
def withdraw_token(token: ApiToken, reason: str, *, by: User) -> ApiTokenWithdrawal:
    """Return the withdrawal of `token`, which ends it at once.

    Raises Refused (`not_allowed`, `own_tokens`), InvalidSlip at `reason` (`missing_field`, `bad_type`), Conflict (`withdrawn`: it was before).
    """
    roles.require(by, "manage_tokens")
    _not_their_own(token.user, by)
    if not reason.strip():
        raise InvalidSlip("missing_field", gettext("Say why the token is withdrawn."), where="reason")
    if len(reason) > LONGEST_REASON or "\x00" in reason:
        raise InvalidSlip("bad_type", gettext("A text of at most %(most)s characters is due here.") % {"most": LONGEST_REASON}, where="reason")
    wait_turn(f"api token:{token.pk}")
    kept = ApiTokenWithdrawal.objects.select_related("by").filter(token=token).first()
    if kept is not None:
        raise Conflict("withdrawn", gettext("%(by)s withdrew this token already.") % {"by": kept.by}, by=str(kept.by))
    return ApiTokenWithdrawal.objects.create(token=token, by=by, reason=reason.strip())


def token_of(user: User, uuid: UUID) -> ApiToken:
    """Return a token of `user`. Raises NotFound (`no_token`)."""
    found = ApiToken.objects.select_related("user", "made_by", "withdrawal__by").filter(user=user, uuid=uuid).first()
    if found is None:
        raise NotFound("no_token", gettext("%(user)s has no such token.") % {"user": user})
    return found


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """Return the tokens of `user`, newest first, with how much each wrote (`writes`) and when last (`last_write`)."""
    rows = ApiToken.objects.select_related("user", "made_by", "withdrawal__by").filter(user=user)
    return rows.annotate(writes=Count("written"), last_write=Max("written__recorded_at")).order_by("-id")


def state_of(token: ApiToken, *, at: datetime) -> str:
    """Return "good", or why the token is refused at `at`: "withdrawn", "left" (its person), "expired"."""
    if hasattr(token, "withdrawal"):
        return "withdrawn"
    if not token.user.is_active:
        return "left"
    return "good" if day_of(at) <= token.until else "expired"


def good_token(secret: str, *, at: datetime) -> ApiToken | None:
    """Return the token of `secret` with its person where it is good at `at`; None whatever is wrong with it. One query, none for no token's form."""
    if not SECRET.fullmatch(secret):
        return None
    token = ApiToken.objects.select_related("user", "withdrawal").filter(digest=digest_of(secret)).first()
    return token if token is not None and state_of(token, at=at) == "good" else None


def wrote(token: ApiToken, method: str, address: str, status: int, reference: UUID | None) -> TokenWrite:
    """Return the row that says what `token` changed: the request, and the UUID of what came of it where the answer has one."""
    return TokenWrite.objects.create(token=token, method=method, address=address[:200], status=status, reference=reference)


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret, in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _label_faults(label: str) -> list[Fault]:
    if not label.strip():
        return [Fault("missing_field", gettext("A token has a label: what it is for."), "label")]
    if len(label) > LONGEST_LABEL or not label.strip().isprintable():
        return [Fault("bad_type", gettext("A line of at most %(most)s characters is due here.") % {"most": LONGEST_LABEL}, "label")]
    return []


def _not_their_own(user: User, by: User) -> None:
    if by.pk == user.pk:
        raise Refused("own_tokens", gettext("Nobody makes or withdraws their own tokens."))
