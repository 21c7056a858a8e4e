"""A shift's signing as its page shows it: what wants an explanation, what blocks, who signed, and the forms of whoever may do something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit import signing
from audit.grades import Graded
from audit.models import ShiftReconciliation, Signature
from audit.reports.shift import lines_in
from audit.sign_blockers import Blocker, ToSign, blockers_for
from audit.signing_selectors import Explained, grades_of, what_they_entered
from audit.variances import WORDS
from audit.verb_forms import refused_at_its_field
from casino import roles
from casino.models import User
from casino.step_up_form import StepUpForm
from tables.models import Shift, TableSession


class ExplainForm(forms.Form):
    """The explanation of one variance."""

    session = forms.IntegerField(widget=forms.HiddenInput)
    variance = forms.CharField(widget=forms.HiddenInput, max_length=5)
    fingerprint = forms.CharField(widget=forms.HiddenInput, max_length=64)
    text = forms.CharField(label=_("Explanation"), required=False, max_length=signing.LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 2}))


class SignForm(StepUpForm):
    """A signature: the figures that were shown, and the password again."""

    fingerprint = forms.CharField(widget=forms.HiddenInput, max_length=64)


@dataclass(frozen=True)
class VarianceLine:
    """A variance to be explained, with the form of whoever may explain it."""

    explained: Explained
    words: str
    form: ExplainForm | None


class SigningPanel:
    """The panel of one person; `posted` is what they sent with `verb`, so that what is wrong stands at its field."""

    def __init__(self, known: ToSign, user: User, *, bound: forms.Form | None = None) -> None:
        self.known, self.shift, self.user, self._bound = known, known.shift, user, bound
        self.kept: ShiftReconciliation | None = known.kept
        self.signatures: list[Signature] = known.signatures
        self.is_signed = any(signature.is_final for signature in self.signatures)
        self.blockers: list[Blocker] = [] if self.is_signed else blockers_for(known.shift, user, known)

    @property
    def fingerprint(self) -> str:
        """Return what the forms are about: the figures' fingerprint."""
        return bytes(self.kept.fingerprint).hex() if self.kept else ""

    @property
    def variances(self) -> list[VarianceLine]:
        """Return every variance beyond tolerance, of the person's pits."""
        pits = roles.pits_for(self.user, "read_reports")
        return [self._line(one) for one in self.known.variances if pits is None or one.line.session.table.pit.code in pits]

    def _line(self, one: Explained) -> VarianceLine:
        may = not self.is_signed and roles.may(self.user.roles, "explain_variance", one.line.session.table.pit.code)
        return VarianceLine(one, gettext(WORDS[one.variance.level]), self._explain_form(one) if may else None)

    def _explain_form(self, one: Explained) -> ExplainForm:
        bound = self._bound
        if isinstance(bound, ExplainForm) and (bound.data.get("session"), bound.data.get("variance")) == (
            str(one.variance.session),
            one.variance.figure,
        ):
            return bound
        first = {"session": one.variance.session, "variance": one.variance.figure, "fingerprint": self.fingerprint}
        return ExplainForm(initial=first, prefix=None, auto_id=f"id_{one.variance.session}_{one.variance.figure}_%s")

    @property
    def may_sign(self) -> bool:
        """Return whether the person signs reconciliations and has not signed this one."""
        mine = any(signature.by_id == self.user.pk for signature in self.signatures)
        return self.kept is not None and not self.is_signed and not mine and roles.may(self.user.roles, "sign_reconciliation")

    @cached_property
    def entered(self) -> str | None:
        """Return what the person entered of the shift: then they do not sign it."""
        return what_they_entered(self.shift, self.user)

    @property
    def form(self) -> SignForm:
        """Return the form of a signature."""
        return self._bound if isinstance(self._bound, SignForm) else SignForm(initial={"fingerprint": self.fingerprint}, auto_id="id_sign_%s")

    @property
    def missing(self) -> list[str]:
        """Return the roles whose signature is missing."""
        there = {signature.role for signature in self.signatures}
        return [str(label) for role, label in Signature.Role.choices if role not in there]

    @cached_property
    def grades(self) -> list[tuple[str, Sequence[Graded]]]:
        """Return how sure each figure of each table is and since when."""
        if self.kept is None:
            return []
        lines = lines_in(self.known.lines, roles.pits_for(self.user, "read_reports"))
        graded = grades_of(self.kept, self.known.lines, self.signatures)
        return [(line.session.table.code, graded[line.session_id]) for line in lines]


def explain(shift: Shift, data: QueryDict, *, by: User) -> ExplainForm:
    """Return the form of an explanation that was posted: without errors it was kept."""
    form = ExplainForm(data, auto_id=f"id_{data.get('session', '')}_{data.get('variance', '')}_%s")
    if form.is_valid():
        said: dict[str, Any] = form.cleaned_data
        session = TableSession.objects.filter(shift=shift, pk=said["session"]).select_related("table__pit").first()
        if session is None:
            form.add_error(None, gettext("There is no such table in this shift."))
            return form
        refused_at_its_field(form, lambda: signing.explain(shift, session, said["variance"], said["text"], fingerprint=said["fingerprint"], by=by))
    return form


def sign(shift: Shift, data: QueryDict, *, by: User, at: datetime) -> SignForm:
    """Return the form of a signature that was posted: without errors it stands. The password is asked for before the service."""
    form = SignForm(data, auto_id="id_sign_%s")
    roles.require(by, "sign_reconciliation")
    if form.confirms(by, at=at):
        refused_at_its_field(form, lambda: signing.sign(shift, fingerprint=form.cleaned_data["fingerprint"], by=by, at=at))
    return form
