"""Explaining and signing a shift: the pit boss explains, two people who entered nothing of it sign, and with the second signature it is done.

Source: spec/night.md, "Life of a table", 7; spec/books.md, "Signing, late facts".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from audit import selectors, services
from audit.models import Explanation, SessionReconciliation, ShiftReconciliation, Signature
from audit.sign_blockers import sign_blockers
from audit.signing_selectors import day_drops, signatures_of, what_they_entered
from audit.variances import FIGURES, figure_of
from casino import jobs, roles
from casino.errors import BrokenBooks, Conflict, InvalidSlip, NotFound, Refused, Stale
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from casino.words import word
from ledger.services import lock_shift
from tables.house_settings import settings_of
from tables.models import Shift, TableSession
from tables.services.variances import CountedSession, post_variances

LONGEST_TEXT = 1000


@in_transaction
def explain(shift: Shift, session: TableSession, variance: str, text: str, *, fingerprint: str, by: User) -> Explanation:
    """Return the explanation of one variance of `session`, of the figures that `by` was shown (`fingerprint`, hex).

    Raises Refused, InvalidSlip (`missing_field`, `bad_type`, at the field), NotFound (`no_session`), Conflict (`not_reconciled`,
    `no_variance`, `signed`), Stale (`stale`).
    """
    roles.require(by, "explain_variance", session.table.pit.code)
    said = _text(text)
    if variance not in FIGURES:
        raise InvalidSlip("bad_type", gettext("A variance is one of %(figures)s.") % {"figures": ", ".join(FIGURES)}, where="variance")
    lock_shift(shift.uuid, exclusive=True)
    kept = _current(shift, fingerprint)
    line = SessionReconciliation.objects.filter(reconciliation=kept, session=session).first()
    if line is None:
        raise NotFound("no_session", gettext("%(session)s is not in this reconciliation.") % {"session": session}, where="session")
    amount = figure_of(line, variance, day_drops(kept))
    if not amount:
        raise Conflict(
            "no_variance",
            gettext("There is nothing to explain: the %(variance)s variance of %(table)s is none.")
            % {"variance": word(variance), "table": session.table},
            where="variance",
        )
    return Explanation.objects.create(reconciliation=kept, session=session, variance=variance, amount=amount, text=said, by=by)


def _text(text: str) -> str:
    said = text.strip()
    if not said:
        raise InvalidSlip("missing_field", gettext("Say what explains it."), where="text")
    if len(said) > LONGEST_TEXT:
        raise InvalidSlip("bad_type", gettext("An explanation has %(most)s characters at most.") % {"most": LONGEST_TEXT}, where="text")
    return said


def _current(shift: Shift, fingerprint: str) -> ShiftReconciliation:
    """Return the newest figures, which are those that were shown and not signed by two yet."""
    kept = selectors.latest_reconciliation(shift)
    if kept is None:
        raise Conflict("not_reconciled", gettext("The %(shift)s is not reconciled yet.") % {"shift": shift})
    if selectors.is_signed(shift):
        raise Conflict("signed", gettext("The %(shift)s is signed.") % {"shift": shift})
    if bytes(kept.fingerprint).hex() != fingerprint:
        raise Stale(
            "stale",
            gettext("Reconciliation %(sequence)s came meanwhile; look at its figures first.") % {"sequence": kept.sequence},
            where="fingerprint",
            sequence=kept.sequence,
        )
    return kept


@in_transaction
def sign(shift: Shift, *, fingerprint: str, by: User, at: datetime) -> Signature:
    """Return `by`'s signature under the figures that they were shown (`fingerprint`, hex); the door has asked for their password.

    With the second one, in this same transaction: the variances are posted, so that the books agree with what was counted, the figures are
    final, and the shift's sealing is announced (job `seal_shift`). Raises Refused (`not_allowed`, `own_entry`: they entered something of
    the shift), Conflict (`not_reconciled`, `signed`, `signed_already`, `sign_blocked` with everything that blocks), Stale (`stale`,
    `figures_changed`).
    """
    roles.require(by, "sign_reconciliation")
    lock_shift(shift.uuid, exclusive=True)
    kept = _current(shift, fingerprint)
    _figures_still_hold(shift, kept)
    _may_sign(shift, by)
    blockers = sign_blockers(shift)
    if blockers:
        raise Conflict("sign_blocked", blockers[0].message, blockers=[blocker.as_json() for blocker in blockers])
    given = signatures_of(kept)
    role = _role(by, given)
    if given:
        _post(kept, given[0].by, by, at)
    signed = _keep(kept, role, by, is_final=bool(given))
    if signed.is_final:
        jobs.announce("seal_shift", f"seal:{shift.uuid}", {"shift": str(shift.uuid)}, by=by)
    return signed


def _figures_still_hold(shift: Shift, kept: ShiftReconciliation) -> None:
    """Raise Stale where a correction, a count or an entry came after the reconciliation: what is signed is what the books say now."""
    if services.fingerprint_now(shift) != bytes(kept.fingerprint):
        raise Stale("figures_changed", gettext("Something was recorded since this was reconciled. Reconcile again."), sequence=kept.sequence)


def _may_sign(shift: Shift, by: User) -> None:
    entered = what_they_entered(shift, by)
    if entered is not None:
        raise Refused(
            "own_entry",
            gettext("Nobody signs what they entered: %(by)s entered %(entered)s of this shift.") % {"by": by, "entered": word(entered)},
            entered=entered,
        )


def _role(by: User, given: list[Signature]) -> str:
    """Return the role in which they sign. Raises Conflict (`signed_already`) where that signature, or theirs, is there."""
    role = Signature.Role.SHIFT_MANAGER if "shift_manager" in by.roles else Signature.Role.AUDITOR
    for signature in given:
        if signature.role == role or signature.by_id == by.pk:
            raise Conflict(
                "signed_already",
                gettext("%(by)s signed as %(role)s already.") % {"by": signature.by, "role": signature.get_role_display()},
                by=str(signature.by),
            )
    return role


def _post(kept: ShiftReconciliation, first: User, by: User, at: datetime) -> None:
    lines = kept.lines.select_related("session__table__property", "session__shift").order_by("session__table__code", "session__sequence")
    days = {day.session_id: day.drop for day in kept.days.all()}
    others = tuple(selectors.other_shifts_of_day(kept.shift)) if days else ()
    own_drop = settings_of(kept.shift).own_drop
    post_variances(kept.shift, [_counted(line, days, others, own_drop=own_drop) for line in lines], at=at, by=by, witness=first)


def _counted(line: SessionReconciliation, days: Mapping[int, int | None], others: tuple[Shift, ...], *, own_drop: bool) -> CountedSession:
    """Return the session as it was counted; a box that is pulled once a gaming day is the session's from which it was pulled."""
    drop = line.drop if own_drop else days.get(line.session_id)
    missing = drop is None and (own_drop or line.session_id in days)
    if line.opener is None or line.closer is None or missing:
        raise BrokenBooks("not_counted", f"{line.session} is not counted, and yet was signed.")
    return CountedSession(line.session, line.opener, line.closer, drop, others if line.session_id in days else ())


def _keep(kept: ShiftReconciliation, role: str, by: User, *, is_final: bool) -> Signature:
    row = {"shift_uuid": kept.shift.uuid, "role": role, "fingerprint": bytes(kept.fingerprint), "is_final": is_final, "by": by}
    try:
        with transaction.atomic():
            return Signature.objects.create(reconciliation=kept, **row)
    except IntegrityError as error:
        name = broken_constraint(error)
        if name == "audit_signature_not_ones_own":
            raise Refused("own_entry", gettext("Nobody signs what they entered.")) from error
        if name in ("audit_signature_once_a_role", "audit_signature_two_people", "audit_signature_final_once"):
            raise Conflict("signed_already", gettext("That signature is there already.")) from error
        raise BrokenBooks("refused_by_database", f"The database refuses the signature: {name}", constraint=name) from error
