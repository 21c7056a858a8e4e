"""One act on one page: shown, checked, done by one service, then back to where it came from. Errors stand at the fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from casino.errors import BrokenBooks, CasinoError
from casino.models import User
from casino.read_only import person
from tables.admin.act_forms import ActForm
from tables.models import Property

Perform = Callable[[Any, datetime, User], str]


@dataclass(frozen=True)
class Act:
    """What the page says: its title and button, facts beside the form, where it leads; `perform` calls the service and returns what was done."""

    title: str
    button: str
    form: type[ActForm]
    house: Property
    perform: Perform
    then: str
    trail: tuple[str, str] = ("", "")
    lead: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    context: dict[str, Any] = field(default_factory=dict)
    initial: dict[str, Any] = field(default_factory=dict)
    template: str = "admin/tables/floor/act.html"


def answer(request: HttpRequest, act: Act, site: AdminSite, model: type[models.Model]) -> HttpResponse:
    """Answer the act's page, or (303) where it leads once it is done."""
    form = act.form(request.POST if request.method == "POST" else None, house=act.house, initial=act.initial)
    if request.method == "POST" and form.is_valid():
        try:
            done = act.perform(form, timezone.now(), person(request))
        except BrokenBooks:
            raise
        except CasinoError as error:
            form.place(error)
        else:
            messages.success(request, done)
            return HttpResponseRedirect(act.then, status=303)
    if form.is_bound:
        form.focus_wrong()
    context = {**site.each_context(request), "opts": model._meta, "title": act.title, "act": act, "form": form, "house": act.house, **act.context}
    return render(request, act.template, context, status=400 if form.errors else 200)
