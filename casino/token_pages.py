"""A person's API tokens as pages: the list, a new one whose secret is shown once, and the withdrawal. The service says who may."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from casino import api_tokens, roles, shown
from casino.errors import CasinoError
from casino.models import ApiToken, User
from casino.read_only import person
from casino.step_up_form import StepUpForm


class NewTokenForm(StepUpForm):
    """What a new token is for, and its last day; with the password again."""

    label = forms.CharField(label=gettext_lazy("What it is for"), max_length=api_tokens.LONGEST_LABEL)
    until = forms.DateField(label=gettext_lazy("Its last day (UTC)"), widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}))


class WithdrawTokenForm(StepUpForm):
    """Why a token is withdrawn; with the password again."""

    reason = forms.CharField(label=gettext_lazy("Why"), max_length=api_tokens.LONGEST_REASON)


def token_lines(user: User, by: User) -> dict[str, Any]:
    """Return what a template needs to list the tokens of `user` for `by`: the lines, and whether `by` makes and withdraws them. One query."""
    now = timezone.now()
    lines = [_line(token, api_tokens.state_of(token, at=now)) for token in api_tokens.tokens_of(user)]
    return {"tokens": lines, "may_manage_tokens": roles.may(by.roles, "manage_tokens") and by.pk != user.pk}


def tokens_page(request: HttpRequest, site: ModelAdmin[User], user: User) -> HttpResponse:
    """Answer the page of somebody's tokens; a new one stands on the answer with its secret, which no cache keeps."""
    by, at = person(request), timezone.now()
    roles.require(by, "read_tokens")
    form, made = NewTokenForm(request.POST or None), None
    if request.method == "POST":
        roles.require(by, "manage_tokens")
        if form.confirms(by, at=at):
            try:
                made = api_tokens.make_token(user, form.cleaned_data["label"], form.cleaned_data["until"], at=at, by=by)
            except CasinoError as error:
                _place(form, error)
    status = 201 if made else 400 if form.errors else 200
    more = {"form": NewTokenForm() if made else form, "made": made, "title": _("API tokens"), **token_lines(user, by)}
    return _answer(request, "admin/tokens.html", site, user, more, status)


def withdraw_page(request: HttpRequest, site: ModelAdmin[User], user: User, uuid: UUID) -> HttpResponse:
    """Answer the page of a withdrawal, or (303) the list once it is done."""
    by, at = person(request), timezone.now()
    roles.require(by, "manage_tokens")
    token = api_tokens.token_of(user, uuid)
    if by.pk == user.pk or hasattr(token, "withdrawal"):
        raise PermissionDenied
    form = WithdrawTokenForm(request.POST or None)
    if request.method == "POST" and form.confirms(by, at=at):
        try:
            api_tokens.withdraw_token(token, form.cleaned_data["reason"], by=by)
        except CasinoError as error:
            _place(form, error)
        else:
            messages.success(request, _("The token is withdrawn, and refused from now on."))
            return HttpResponseRedirect(reverse("admin:casino_user_tokens", args=[user.pk]), status=303)
    more = {"form": form, "token": token, "title": _("Withdraw a token")}
    return _answer(request, "admin/token_withdraw.html", site, user, more, 400 if form.errors else 200)


def _answer(request: HttpRequest, template: str, site: ModelAdmin[User], user: User, more: dict[str, Any], status: int) -> HttpResponse:
    context = {**site.admin_site.each_context(request), "opts": site.opts, "person": user, "subtitle": None, **more}
    response = render(request, template, context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _line(token: ApiToken, state: str) -> dict[str, Any]:
    words = {"good": _("good"), "withdrawn": _("withdrawn"), "left": _("its person left"), "expired": _("expired")}
    writes, last = token.writes, token.last_write  # type: ignore[attr-defined]
    return {
        "token": token,
        "state": words[state],
        "tone": "good" if state == "good" else "warn" if state == "expired" else "bad",
        "made": shown.utc(token.recorded_at),
        "ended": getattr(token, "withdrawal", None),
        "ended_at": shown.utc(token.withdrawal.recorded_at) if hasattr(token, "withdrawal") else "",
        "writes": writes,
        "last_write": shown.utc(last),
    }


def _place(form: forms.Form, error: CasinoError) -> None:
    for fault in error.faults:
        form.add_error(fault.where if fault.where in form.fields else None, fault.message)
