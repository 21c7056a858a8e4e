"""The forms of a finding's steps, and what each one calls. Doors only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from audit import cases
from audit.case_selectors import owners_for
from audit.causes import CAUSES
from audit.models import Evidence, Finding, FindingEvent
from audit.verb_forms import AmountField, refused_at_its_field
from casino import roles
from casino.models import User
from casino.step_up_form import StepUpForm

State = FindingEvent.State


class _Step(forms.Form):
    """A step of a finding: `seen` is the last event that the page showed; `call` is each step's own, and calls its service with what was typed."""

    call: Callable[[User], Any]
    verb = ""
    button: str | Promise = ""
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, finding: Any, *args: Any, **kwargs: Any) -> None:
        self.finding = finding
        super().__init__(*args, **kwargs)
        self.auto_id = f"id_{self.verb}_%s"
        self.initial["seen"] = finding.sequence

    def done(self, by: User, at: datetime) -> bool:
        """Return whether the step was taken; what is wrong stands at its field."""
        confirms = getattr(self, "confirms", None)
        ready = confirms(by, at=at) if confirms else self.is_valid()
        return bool(ready) and refused_at_its_field(self, lambda: self.call(by))


def _note(label: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=cases.LONGEST_NOTE, widget=forms.Textarea(attrs={"rows": 2}))


class AssignForm(_Step):
    """Who is to answer."""

    verb, button = "assign", _("Assign")
    owner = forms.ModelChoiceField(User.objects.none(), label=_("Who answers"))
    note = _note(_("Note"))

    def __init__(self, finding: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(finding, *args, **kwargs)
        field: Any = self.fields["owner"]
        field.queryset = User.objects.filter(pk__in=[person.pk for person in owners_for(finding)]).order_by("username")
        field.label_from_instance = lambda person: f"{person.username} · {person.name}" if person.name else person.username

    def call(self, by: User) -> Any:
        """Assign."""
        said = self.cleaned_data
        return cases.assign(self.finding, said["owner"], by=by, note=said["note"], seen=said["seen"])


class _OutcomeForm(_Step):
    """Where it came from, what was saved and what stays lost."""

    cause = forms.ChoiceField(label=_("Cause"), required=False, choices=[("", "—"), *((code, gettext_lazy(cause)) for code, cause in CAUSES.items())])

    def __init__(self, finding: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(finding, *args, **kwargs)
        notation = finding.shift.property.notation
        self.fields["saved"] = AmountField(label=gettext("Saved or recovered"), notation=notation)
        self.fields["lost"] = AmountField(label=gettext("Stays lost"), notation=notation)

    @property
    def outcome(self) -> cases.Outcome:
        """Return what was typed."""
        said = self.cleaned_data
        return cases.Outcome(said["cause"], said["saved"], said["lost"])


class AnswerForm(_OutcomeForm):
    """The owner's answer."""

    verb, button = "answer", _("Answer")
    text = _note(_("What happened"))
    field_order = ("text", "cause")

    def call(self, by: User) -> Any:
        """Answer."""
        return cases.answer(self.finding, self.cleaned_data["text"], self.outcome, by=by, seen=self.cleaned_data["seen"])


class ReviewForm(StepUpForm, _Step):
    """The second auditor's review, with the password again."""

    verb, button = "review", _("The answer does")
    note = _note(_("Note"))

    def call(self, by: User) -> Any:
        """Review."""
        return cases.review(self.finding, by=by, note=self.cleaned_data["note"], seen=self.cleaned_data["seen"])


class CloseForm(StepUpForm, _OutcomeForm):
    """The end, with the password again."""

    verb, button = "close", _("Close")
    note = _note(_("Note"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([*(name for name in self.fields if name != "password"), "password"])

    def call(self, by: User) -> Any:
        """Close."""
        return cases.close(self.finding, self.outcome, by=by, note=self.cleaned_data["note"], seen=self.cleaned_data["seen"])


class EvidenceForm(_Step):
    """A note, or where something can be seen; times are the house's clock."""

    verb, button = "evidence", _("Add")
    kind = forms.ChoiceField(label=_("Kind"), choices=Evidence.Kind.choices)
    camera = forms.CharField(label=_("Camera"), required=False)
    from_at = forms.DateTimeField(label=_("From"), required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}))
    until_at = forms.DateTimeField(label=_("Until"), required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}))
    reference = forms.CharField(label=_("Slip or document"), required=False)
    text = forms.CharField(label=_("What is to be seen"), required=False, widget=forms.Textarea(attrs={"rows": 2}))

    def _moment(self, name: str) -> datetime | None:
        typed: datetime | None = self.cleaned_data[name]
        return None if typed is None else typed.replace(tzinfo=ZoneInfo(self.finding.shift.property.zone))

    def call(self, by: User) -> Any:
        """Add the evidence."""
        said = self.cleaned_data
        slip = cases.EvidenceSlip(said["kind"], said["text"], said["reference"], said["camera"], self._moment("from_at"), self._moment("until_at"))
        return cases.add_evidence(self.finding, slip, by=by)


FORMS: Mapping[str, Callable[..., _Step]] = {form.verb: form for form in (AssignForm, AnswerForm, ReviewForm, CloseForm, EvidenceForm)}
_STEPS = {State.OPEN: ("assign",), State.ASSIGNED: ("answer", "assign"), State.ANSWERED: ("review", "assign"), State.REVIEWED: ("close",)}
_ACTIONS = {
    "assign": "assign_findings",
    "answer": "answer_findings",
    "review": "review_findings",
    "close": "close_findings",
    "evidence": "add_evidence",
}


def verbs_for(user: User, finding: Any, events: list[FindingEvent]) -> list[str]:
    """Return the steps that `user` may take now, the next one first; evidence last. It asks the people as the services do."""
    verbs = [verb for verb in _STEPS.get(finding.state, ()) if roles.may(user.roles, _ACTIONS[verb]) and _is_theirs(verb, user, events)]
    if finding.state != State.CLOSED and roles.may(user.roles, "add_evidence"):
        verbs.append("evidence")
    return verbs


def _is_theirs(verb: str, user: User, events: list[FindingEvent]) -> bool:
    given = next((event for event in reversed(events) if event.owner_id is not None), None)
    if verb == "answer":
        return given is not None and given.owner_id == user.pk
    answered = {event.owner_id for event in events} | {event.by_id for event in events if event.state == State.ANSWERED}
    if verb in ("review", "close") and user.pk in answered:
        return False
    if verb == "review":
        return given is None or given.by_id != user.pk
    return verb != "close" or user.pk not in {event.by_id for event in events if event.state == State.REVIEWED}


def form_for(verb: str, finding: Finding, data: Any = None) -> _Step:
    """Return the form of a step, with what was posted of it."""
    return FORMS[verb](finding, data)
