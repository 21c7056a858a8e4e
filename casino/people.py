"""People's verbs: set up the first two, hire, grant, review and withdraw roles. Source: spec/night.md, "Who may do what"."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.apps import apps
from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import RoleEvent, User
from casino.transactions import in_transaction, wait_turn
from casino.words import word


def new_password() -> str:
    """Return a password that was never used: about 95 bits."""
    return secrets.token_urlsafe(12)


@in_transaction
def set_up(administrator: tuple[str, str | None], auditor: tuple[str, str | None]) -> tuple[User, User]:
    """Return the first administrator and the first auditor, each given as (staff number, password). Raises Conflict (`set_up`) after the first time.

    Their grants are nobody's: the only rows without a person behind them. Everyone else is hired by the one and reviewed by the other.
    """
    wait_turn("set up")
    if RoleEvent.objects.exists():
        raise Conflict("set_up", gettext("The house was set up already."))
    first = User.objects.create_user(*administrator, name="First administrator")
    second = User.objects.create_user(*auditor, name="First auditor")
    _event(first, "administrator", "grant", None, None)
    _event(second, "auditor", "grant", None, None)
    _event(second, "auditor", "review", None, None)
    return first, second


@in_transaction
def hire(username: str, name: str, password: str | None, *, by: User) -> User:
    """Return a new user, who may do nothing until a role is granted, and cannot sign in where `password` is None."""
    roles.require(by, "manage_users")
    user = User(username=username, name=name)
    user.full_clean(exclude=["password"])
    return User.objects.create_user(username, password, name=name)


@in_transaction
def grant_role(user: User, role: str, *, by: User, pits: Sequence[str] | None = None) -> RoleEvent:
    """Return the grant of `role` at `pits` (None: all). An approving role takes effect when an auditor has reviewed it.

    Raises Refused (`own_roles`, `not_allowed`, `roles_clash`: nobody holds it together with what they have), InvalidSlip (`unknown_role`,
    `unknown_pit`).
    """
    roles.require(by, "manage_users")
    if role not in roles.ROLES:
        raise InvalidSlip("unknown_role", gettext("“%(role)s” is no role.") % {"role": role}, where="role")
    _known_pits(pits or ())
    _not_their_own(user, by)
    wait_turn(f"roles:{user.pk}")
    if (other := roles.clash(_granted(user), role)) is not None:
        raise Refused(
            "roles_clash",
            gettext("Nobody is %(role)s and %(other)s at once.") % {"role": word(role), "other": word(other)},
            role=role,
            held=other,
        )
    return _event(user, role, "grant", pits, by)


def _known_pits(pits: Sequence[str]) -> None:
    """Raise InvalidSlip where a code is no pit's: such a role would hold nowhere, and nobody would see why.

    Before the floor is laid out every code may be one to come.
    """
    known = set(apps.get_model("tables", "Pit").objects.values_list("code", flat=True))
    for code in pits if known else ():
        if code not in known:
            raise InvalidSlip("unknown_pit", gettext("“%(pit)s” is no pit.") % {"pit": code}, where="pits")


def _granted(user: User) -> set[str]:
    """Return the roles that were granted and not withdrawn, reviewed or not."""
    last = dict(RoleEvent.objects.filter(user=user).order_by("sequence").values_list("role", "action"))
    return {role for role, action in last.items() if action != "withdraw"}


@in_transaction
def review_role(user: User, role: str, *, by: User) -> RoleEvent:
    """Return the review that makes a granted role effective. Raises Refused (`own_roles`, `own_approval`), Conflict (`not_granted`)."""
    roles.require(by, "review_users")
    grant = RoleEvent.objects.filter(user=user, role=role).order_by("-sequence").first()
    if grant is None or grant.action != "grant":
        raise Conflict("not_granted", gettext("%(role)s of %(user)s waits for no review.") % {"role": role, "user": user})
    if grant.by_id == by.pk:
        raise Refused("own_approval", gettext("Nobody reviews what they granted."))
    return _event(user, role, "review", grant.pits, by)


@in_transaction
def withdraw_role(user: User, role: str, *, by: User) -> RoleEvent:
    """Return the withdrawal of `role`, which ends it at once."""
    roles.require(by, "manage_users")
    return _event(user, role, "withdraw", None, by)


def _event(user: User, role: str, action: str, pits: Sequence[str] | None, by: User | None) -> RoleEvent:
    _not_their_own(user, by)
    wait_turn(f"roles:{user.pk}")
    sequence = RoleEvent.objects.filter(user=user).count() + 1
    user.forget_roles()
    return RoleEvent.objects.create(user=user, sequence=sequence, role=role, action=action, pits=list(pits) if pits else None, by=by)


def _not_their_own(user: User, by: User | None) -> None:
    if by is not None and by.pk == user.pk:
        raise Refused("own_roles", gettext("Nobody changes their own roles."))
