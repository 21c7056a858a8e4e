"""Replays: a shift or a month settled again under another version or rule, asked for, watched, and looked into down to the wager."""

from __future__ import annotations

import json
from datetime import date
from typing import Any
from uuid import UUID

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from casino import jobs, roles
from casino.errors import CasinoError
from casino.models import Job, User
from casino.words import gettext_noop, said_of
from tables.admin.workshop_pages import job_line, mark_of, page, say_at, someone_who_may
from tables.engine.faults import PlacedFault
from tables.engine.game import games
from tables.models import PaytableVersion, Property, ReplayDifference, ReplayRun, Round, Shift, ShiftEvent
from tables.paytable_words import in_words
from tables.selectors import shifts_in
from tables.services.paytables import paytable_of
from tables.services.replay import KINDS, ask_month, ask_replay
from tables.services.replay_parts import MOST_KEPT

PAGE = 50
SHOWN = 20


class ReplayForm(forms.Form):
    """What is settled again, and by what: another version, or a rule replaced in each round's own; neither is each one's own version."""

    shift = forms.ModelChoiceField(Shift.objects.none(), label=_("A shift that has ended"), required=False, empty_label="—")
    house = forms.ModelChoiceField(Property.objects.order_by("code"), label=_("or a month at"), required=False, empty_label="—")
    month = forms.CharField(label=_("Month"), required=False, max_length=7, widget=forms.TextInput(attrs={"placeholder": "2026-11", "size": "8"}))
    paytable = forms.ModelChoiceField(
        PaytableVersion.objects.order_by("game", "name", "version"), label=_("Under the version"), required=False, empty_label=_("each round's own")
    )
    rule = forms.ChoiceField(label=_("or with the rule"), required=False)
    value = forms.CharField(label=_("being"), required=False, max_length=300)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ended = shifts_in(ShiftEvent.State.ENDED, Shift.objects.select_related("property"))
        self.fields["shift"].queryset = ended.order_by("-gaming_day", "-id")  # type: ignore[attr-defined]
        names = sorted({name for game in games().values() for name in game.paytable_layout.rules})
        self.fields["rule"].choices = [("", gettext("none")), *((name, gettext(in_words(name))) for name in names)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Refuse a shift and a month at once, neither, a month that is none, and what a month cannot be settled by."""
        found: dict[str, Any] = super().clean() or {}
        if bool(found.get("shift")) == bool(found.get("house")):
            self.add_error("shift", gettext("Choose a shift, or a property and its month: one of the two."))
        if found.get("house"):
            self._clean_month(found)
        if found.get("rule") and not found.get("value"):
            self.add_error("value", gettext("What is the rule to be?"))
        return found

    def _clean_month(self, found: dict[str, Any]) -> None:
        try:
            found["first"] = date.fromisoformat(f"{found.get('month')}-01")
        except ValueError:
            self.add_error("month", gettext("A month is written as 2026-11."))
        if not found.get("paytable"):
            self.add_error("paytable", gettext("A month is settled again under a version: choose one."))
        if found.get("rule"):
            self.add_error("rule", gettext("A month is settled again under a version as it is: no rule is replaced."))

    def ask(self, by: User) -> Job:
        """Return the job that was asked for, of forms that are valid. Raises as `ask_replay` and `ask_month`."""
        said = self.cleaned_data
        paytable = paytable_of(said["paytable"]) if said["paytable"] else None
        if said["house"] and paytable is not None:
            return ask_month(said["house"], said["first"], paytable, by=by)
        return ask_replay(said["shift"], by=by, paytable=paytable, rules={said["rule"]: _meant(said["value"])} if said["rule"] else None)


def _meant(text: str) -> Any:
    """Return the JSON value that `text` is, or the text: rules are mostly words."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip().replace(" ", "_")


@require_http_methods(["GET", "POST"])
def replays(request: HttpRequest) -> HttpResponse:
    """Answer the form and the last replays; one that is asked for is announced, and looked at."""
    user = someone_who_may(request, "replay")
    form = ReplayForm(
        request.POST if request.method == "POST" else None, initial={"shift": request.GET.get("shift"), "paytable": request.GET.get("paytable")}
    )
    if request.method == "POST" and form.is_valid():
        try:
            return redirect("admin:tables_replay_run", form.ask(user).uuid)
        except CasinoError as error:
            say_at(form, _at_field(error))
    last = [(job, *_title(job)) for job in Job.objects.filter(kind__in=KINDS).select_related("asked_by").order_by("-id")[:SHOWN]]
    return page(request, "replays.html", gettext("Replays"), {"form": form, "last": last}, status=400 if request.method == "POST" else 200)


def _at_field(error: CasinoError) -> CasinoError:
    """Return `error` with what is wrong inside a rule placed at the rule's value."""
    if not error.where.startswith("rules"):
        return error
    return type(error)(error.code, error.message, where="value")


@require_safe
def replay_run(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer how far a replay is, or its result: per bet, table and in total, and the wagers that differ, `?table=` and `?bet=` of them."""
    user = someone_who_may(request, "replay")
    job = get_object_or_404(Job.objects.select_related("asked_by"), uuid=uuid, kind__in=KINDS)
    what, under = _title(job)
    context = {
        "job": job,
        "jobs": [_line(job)],
        "mark": mark_of(job),
        "under": under,
        "house": _house(job),
        "own": job.asked_by_id == user.pk,
        "is_open": job.state in jobs.OPEN,
        "found": job.result if job.state == Job.State.DONE else None,
        "may_read_rounds": roles.may(user.roles, "read_rounds"),
        "cannot": _cannot(user, job),
        **_differences(request, user, job),
    }
    return page(request, "replay.html", what, context)


def _cannot(user: User, job: Job) -> list[dict[str, Any]]:
    """Return the rounds that the other version does not settle, each with its name and why not, in the reader's language. One query."""
    lines = (job.result or {}).get("cannot", ()) if job.state == Job.State.DONE else ()
    rounds = Round.objects.filter(uuid__in=[line["round"] for line in lines]).select_related("session__table__pit")
    pits = roles.pits_for(user, "read_rounds")
    found = {str(played.uuid): played for played in rounds}
    return [
        {
            "played": (played := found[line["round"]]),
            "readable": pits is None or played.session.table.pit.code in pits,
            "message": said_of(PlacedFault(line["code"], line["message"], line["where"], line.get("facts", {}))),
            "where": line["where"],
        }
        for line in lines
    ]


def _differences(request: HttpRequest, user: User, job: Job) -> dict[str, Any]:
    """Return a page of the wagers that differ, the largest first, of the table and bet in the address."""
    narrow = {name: value for name in ("table", "bet") if (value := request.GET.get(name, ""))}
    rows = ReplayDifference.objects.filter(run__job=job, **narrow).select_related("round__session__table__pit", "round__session__shift")
    paper = Paginator(rows.order_by("id"), PAGE).get_page(request.GET.get("p"))
    pits = roles.pits_for(user, "read_rounds")
    seen = [(row, pits is None or row.round.session.table.pit.code in pits) for row in paper]
    return {"paper": paper, "rows": seen, "narrow": narrow, "most_kept": MOST_KEPT}


def _line(job: Job) -> dict[str, Any]:
    """Return the job's line; while no worker says how far it is, what was kept does."""
    run = ReplayRun.objects.filter(job=job).first()
    kept = {"done": run.done, "total": run.of, "step": gettext_noop("rounds settled again")} if run and job.state != Job.State.DONE else {}
    return {**kept, **job_line(job)}


def _title(job: Job) -> tuple[str, str]:
    """Return what is settled again, and by what, in words."""
    args = job.args
    if "month" in args:
        what = f"{args['property']}, {args['month']}"
    else:
        shift = Shift.objects.select_related("property").filter(uuid=args["shift"]).first()
        what = str(shift) if shift else gettext("a shift")
    if "paytable" in args:
        return gettext("Replay of %(what)s") % {"what": what}, f"{args['paytable']['name']}@{args['paytable']['version']}"
    rules = ", ".join(f"{gettext(in_words(name))} {json.dumps(value)}" for name, value in args.get("rules", {}).items())
    return gettext("Replay of %(what)s") % {"what": what}, rules or gettext("each round's own version")


def _house(job: Job) -> Property:
    if "property" in job.args:
        return Property.objects.get(code=job.args["property"])
    return Shift.objects.select_related("property").get(uuid=job.args["shift"]).property
