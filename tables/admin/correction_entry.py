"""The page where a correction is typed: the entry form, filled in as the round was recorded; and the same page for a round never entered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.errors import BrokenBooks, CasinoError
from casino.models import User
from casino.read_only import person
from ledger.archived import refuse_archived
from tables.admin.correction_forms import WhyForm
from tables.admin.proposal_lines import ChangeLine, lines
from tables.corrections import PROPOSES, Sheet, changes
from tables.engine.game import games
from tables.models import Round, RoundProposal, SessionEvent, TableSession
from tables.round_again import slip_again, typed_again
from tables.round_fields import GENERAL, FieldError, TableFacts
from tables.round_form import RoundForm
from tables.round_lines import Ruling
from tables.round_screen import RoundScreen
from tables.selectors import phase_now, sessions_in
from tables.services.corrections import propose_correction, propose_late_round, rule_in, sheet_of, slip_sheet, wagers_of
from tables.slips import read_round_slip

OFFERED = 24


class Entry:
    """A correction, or a late round, as it is typed: the form, what is due on it, what it would change."""

    def __init__(
        self, session: TableSession, played: Round | None, typed: Mapping[str, str], *, asked: bool, at: datetime, looked: bool = True
    ) -> None:
        self.session, self.played, self.at = session, played, at
        self.form = RoundForm(table_facts(session), typed)
        self.after: Sheet | None = None
        self.screen = RoundScreen(self.form, self._ruling() if looked else None, asked=asked)

    def raw(self) -> dict[str, Any]:
        """Return the slip that was typed; of a correction with what is not typed anew: its label, and the patrons of its seats."""
        ruling = self.screen.ruling
        return self._raw(ruling.settlement.dues if ruling and ruling.settlement else None)

    def _raw(self, dues: Any = None) -> dict[str, Any]:
        raw = self.form.slip(dues)
        if self.played is None:
            return raw
        kept = {str(wager.seat): wager.patron for wager in wagers_of(self.played) if wager.patron and wager.seat in self.form.seats}
        raw["round"]["id"] = self.played.label
        if raw["occurred_at"] and datetime.fromisoformat(raw["occurred_at"]) == self.played.occurred_at.replace(microsecond=0):
            raw["occurred_at"] = self.played.occurred_at.isoformat()  # nobody typed another: the form's clock has no smaller parts
        return {**raw, "replaces": str(self.played.uuid), "patrons": kept}

    def _ruling(self) -> Ruling | None:
        """Return what the rules say of what was typed; what is wrong stands in the form's errors."""
        try:
            raw = self._raw()
            if self.form.errors:
                self.form.check_shape(raw["round"])
                return None
            ruled = rule_in(self.session, read_round_slip(raw), self.at)
            if ruled.settlement is not None:
                ruled = rule_in(self.session, read_round_slip(self._raw(ruled.settlement.dues)), self.at)
            self.after = slip_sheet(read_round_slip(raw), ruled)
            return Ruling(ruled.settlement, ruled.wagers)
        except CasinoError as error:
            self.place(error)
            return None

    def place(self, error: CasinoError) -> None:
        """Note what `error` says at its fields; broken books are nobody's field."""
        if isinstance(error, BrokenBooks):
            raise error
        for fault in error.faults:
            self.form.place(fault)

    @property
    def lines(self) -> list[ChangeLine]:
        """Return what would change, field by field; nothing while it cannot be said."""
        if self.after is None:
            return []
        before = sheet_of(self.played) if self.played else None
        return lines(changes(before, self.after, games()[self.session.table.game]), self.session.table.property)

    @property
    def effect(self) -> int | None:
        """Return what it would change in the house's net, in minor units."""
        return None if self.after is None else self.after.net - (self.played.house_net if self.played else 0)

    def is_ready(self) -> bool:
        """Return whether it may be proposed; notes what is in the way."""
        if self.form.errors or self.screen.ruling is None or self.screen.unexplained:
            return False
        if self.played is not None and not self.lines:
            self.form.add_error(GENERAL, FieldError(gettext("Nothing is changed yet.")))
            return False
        return True


def table_facts(session: TableSession) -> TableFacts:
    """Return what the form needs to know of the session's table."""
    table = session.table
    return TableFacts(table.code, games()[table.game], table.property.notation, table.property.zone)


def correct_round(request: HttpRequest, played: Round, context: dict[str, Any]) -> HttpResponse:
    """Answer the page of a correction, filled in as the round stands; or (303) its proposal."""
    user = _proposer(request, played.session)
    if request.method == "POST":
        typed: Mapping[str, str] = request.POST.dict()
    else:
        local = shown.local(played.occurred_at, played.session.table.property)
        typed = typed_again(slip_again(played, wagers_of(played), uuid=uuid4()), table_facts(played.session), local)
    entry = Entry(played.session, played, typed, asked="propose" in request.POST, at=timezone.now())
    return _answer(
        request, entry, user, {**context, "title": gettext("Correct round %(number)s") % {"number": played.number}}, RoundProposal.Kind.CORRECT
    )


def late_round(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Answer the page of a round that was never entered, or which closed session it was in; or (303) its proposal."""
    user = person(request)
    roles.require(user, "propose_late_correction")
    key = request.POST.get("session") or request.GET.get("session", "")
    closed = _closed_sessions(user)
    session = next((one for one in closed if str(one.pk) == key), None)
    if session is None:
        if key:
            raise Http404(gettext("There is no such session."))
        return render(
            request, "admin/tables/round/late_sessions.html", {**context, "sessions": closed, "title": gettext("A round that was never entered")}
        )
    refuse_archived(session.shift.gaming_day)
    if request.method == "POST":
        typed: Mapping[str, str] = request.POST.dict()
    else:
        opened = SessionEvent.objects.filter(session=session, sequence=1).values_list("occurred_at", flat=True)[0]
        local = shown.local(opened, session.table.property).replace(microsecond=0)
        typed = {"uuid": str(uuid4()), "occurred_at": local.replace(tzinfo=None).isoformat(), "exact": "on"}
    entry = Entry(session, None, typed, asked="propose" in request.POST, at=timezone.now(), looked=request.method == "POST")
    more = {"table": session.table, "house": session.table.property, "session": session, "title": gettext("a round that was never entered")}
    return _answer(request, entry, user, {**context, **more}, RoundProposal.Kind.LATE)


def _closed_sessions(user: User) -> list[TableSession]:
    """Return the newest closed sessions of their pits."""
    sessions = TableSession.objects.select_related("shift__property", "table__property", "table__pit")
    pits = roles.pits_for(user, "propose_late_correction")
    mine = sessions if pits is None else sessions.filter(table__pit__code__in=pits)
    return list(sessions_in(SessionEvent.State.CLOSED, mine).order_by("-pk")[:OFFERED])


def _proposer(request: HttpRequest, session: TableSession) -> User:
    user = person(request)
    if not roles.may(user.roles, PROPOSES[phase_now(session)], session.table.pit.code):
        raise PermissionDenied
    refuse_archived(session.shift.gaming_day)
    return user


def _answer(request: HttpRequest, entry: Entry, user: User, context: dict[str, Any], kind: str) -> HttpResponse:
    """Answer the page, or (303) the proposal where it was proposed and nothing is in the way."""
    proposing = "propose" in request.POST
    why = WhyForm(request.POST if proposing else None, kind=kind, initial={name: request.POST.get(name, "") for name in ("reason", "note")})
    if proposing:
        entry.form.check_dealer()
        ready = entry.is_ready()
        if why.is_valid() and ready and (proposal := _propose(entry, why, user)) is not None:
            messages.success(request, _("Proposed. Nothing has changed yet: another person approves it."))
            return HttpResponseRedirect(reverse("admin:tables_roundproposal_change", args=[proposal.pk]), status=303)
    more = {"screen": entry.screen, "entry": entry, "form": entry.screen.form, "why": why, "looked": request.method == "POST", "subtitle": None}
    more["typed_uuid"] = entry.form.text("uuid")
    return render(request, "admin/tables/round/correct.html", {**context, **more}, status=400 if proposing else 200)


def _propose(entry: Entry, why: WhyForm, user: User) -> RoundProposal | None:
    raw: dict[str, Any] = json.loads(json.dumps(entry.raw()))
    said = {"reason": why.cleaned_data["reason"], "note": why.cleaned_data["note"], "by": user, "at": entry.at}
    try:
        if entry.played is None:
            return propose_late_round(entry.session, raw, **said)
        return propose_correction(entry.played, raw, **said)
    except CasinoError as error:
        entry.place(error)
        return None
