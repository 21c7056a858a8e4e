"""What the workshop's pages share: who may be here, how a page and a job's progress are answered, forms of approvals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import jobs, roles
from casino.errors import BrokenBooks, CasinoError, InvalidSlip
from casino.models import Job, User
from casino.read_only import person
from casino.step_up_form import StepUpForm
from casino.words import said_of, word

FOLDER = "admin/tables/workshop"


def someone_who_may(request: HttpRequest, *actions: str) -> User:
    """Return who is signed in. Raises PermissionDenied unless they may do one of `actions`."""
    user = person(request)
    if not any(roles.may(user.roles, action) for action in actions):
        raise PermissionDenied
    return user


def page(request: HttpRequest, template: str, title: str, context: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    """Answer the page of the workshop's folder; `may_do` says what the signed-in person may."""
    may = {
        action: roles.may(person(request).roles, action)
        for action in ("see_workshop", "propose_paytable", "approve_paytable", "replay", "read_rounds")
    }
    shared = {**admin.site.each_context(request), "may_do": may, "title": title}
    return render(request, f"{FOLDER}/{template}", {**shared, **context}, status=status)


def job_line(job: Job) -> dict[str, Any]:
    """Return how far `job` is, as pages show it and as pitbook.js reads it."""
    line: dict[str, Any] = {"what": word(job.kind), "state": job.state, "said": word(job.state), "error": job.error.partition("\n")[0][:200]}
    if job.state in jobs.OPEN and (step := jobs.progress_of(job)) is not None:
        line |= {"done": step.done, "total": step.total, "step": step.what}
    return line


def progress(job: Job) -> dict[str, Any]:
    """Return the JSON that a page asks for while `job` runs; another `mark` than the page's opens it anew."""
    return {"running": job.state in jobs.OPEN, "mark": mark_of(job), "jobs": [job_line(job)]}


def mark_of(job: Job) -> str:
    """Return what differs when there is something new on the page."""
    return "open" if job.state in jobs.OPEN else f"{job.state} {job.finished_at}"


def no_such_end() -> InvalidSlip:
    """Return what is said to an order that is none."""
    return InvalidSlip("bad_type", gettext("Nothing was done: a proposal is approved, refused or taken back."), where="end")


class ApprovalForm(StepUpForm):
    """An approval of a version: its reference, and the password again."""

    approval = forms.CharField(label=_("The approval's reference"), max_length=120, widget=forms.TextInput(attrs={"placeholder": "GC-2026-17"}))


class NoteForm(forms.Form):
    """A refusal, with its reason."""

    note = forms.CharField(label=_("Why"), max_length=300)


def say_at(form: forms.Form, error: CasinoError) -> None:
    """Note what a service refused at the form's field, at its top where it names none; broken books are nobody's field."""
    if isinstance(error, BrokenBooks):
        raise error
    for fault in error.faults:
        form.add_error(fault.where if fault.where in form.fields else None, said_of(fault))


def say(request: HttpRequest, form: forms.Form | None, error: CasinoError) -> None:
    """Note what a service refused at the form, or above the page where the order had none; broken books are nobody's field."""
    if form is not None:
        say_at(form, error)
    elif isinstance(error, BrokenBooks):
        raise error
    else:
        messages.error(request, error.message)
