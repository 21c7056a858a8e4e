"""The acts of a session as pages: open, turns, fills and credits, buy-ins and markers, a count reopened. Each calls one service."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles
from casino.errors import NotFound
from casino.models import User
from casino.read_only import person
from casino.shown import money
from casino.words import word
from tables.admin.act import Act, answer
from tables.admin.act_forms import ActForm, BuyInForm, CountForm, MarkerForm, OpenForm, RedeemForm, ReopenForm, TurnForm
from tables.house_settings import settings_of
from tables.models import ChipMovement, SessionEvent, Shift, ShiftEvent, Table, TableSession
from tables.selectors import dealer_of, sessions_in, sessions_with_state, shifts_in, table_of, version_in_force
from tables.services import chip_slips, chips, counts, floor
from tables.signatures import dealer_signs


def session_page(session: TableSession) -> str:
    """Return the address of the session's page."""
    return reverse("admin:tables_tablesession_change", args=[session.pk])


def session_of(user: User, pk: int, action: str) -> TableSession:
    """Return the session, of a pit where `user` may do `action`. Raises Refused, Http404."""
    roles.require(user, action)
    session = (
        sessions_with_state(TableSession.objects.select_related("shift__property", "table__property", "table__pit", "felt")).filter(pk=pk).first()
    )
    if session is None or not roles.may(user.roles, action, session.table.pit.code):
        raise Http404(gettext("There is no such session."))
    return session


# ---- opening ----


def open_table(request: HttpRequest, site: AdminSite) -> HttpResponse:
    """Answer the page where a table is opened: which one, then its code and opener."""
    user = person(request)
    roles.require(user, "run_session")
    code = (request.GET.get("table") or "").replace("\x00", "")
    if not code:
        return _choose_table(request, site, user)
    try:
        table = table_of(code)
    except NotFound:
        raise Http404(gettext("There is no such table.")) from None
    if not roles.may(user.roles, "run_session", table.pit.code):
        raise Http404(gettext("There is no such table."))
    shift = shifts_in(ShiftEvent.State.OPEN, table.property.shifts.select_related("property")).order_by("-starts_at").first()
    if shift is None:
        return _choose_table(request, site, user)

    def perform(form: OpenForm, at: datetime, by: User) -> str:
        witness, dealer = form.signatures(at=at, by=by)
        felt = form.cleaned_data["felt_code"]
        floor.open_session(shift, table, form.count, felt_code=felt, at=at, by=by, witness=witness, dealer=dealer)
        return gettext("%(table)s is open.") % {"table": table}

    lead = gettext("Count the tray and type the code on the felt. The opener is made from the last closer; where yours differs, say why in the note.")
    act = Act(
        gettext("Open %(table)s") % {"table": table},
        gettext("Attest and open"),
        OpenForm,
        table.property,
        perform,
        reverse("admin:index"),
        lead=lead,
        facts=_on_the_felt(table),
    )
    return answer(request, act, site, TableSession)


def _on_the_felt(table: Table) -> tuple[tuple[str, str], ...]:
    return ((gettext("In force"), str(version_in_force(table, timezone.now()))),)


def _choose_table(request: HttpRequest, site: AdminSite, user: User) -> HttpResponse:
    """Answer which of the person's tables may be opened now: those that are not open, where a shift runs."""
    pits = roles.pits_for(user, "run_session")
    tables = Table.objects.select_related("pit", "property").order_by("code")
    busy = sessions_in(SessionEvent.State.OPEN, TableSession.objects.all()).values_list("table", flat=True)
    houses = set(shifts_in(ShiftEvent.State.OPEN, Shift.objects.all()).values_list("property", flat=True))
    mine = tables if pits is None else tables.filter(pit__code__in=pits)
    free = mine.exclude(pk__in=list(busy))
    context = {
        **site.each_context(request),
        "opts": TableSession._meta,
        "title": gettext("Open a table"),
        "tables": [table for table in free if table.property_id in houses],
        "no_shift": not houses,
    }
    return render(request, "admin/tables/floor/choose.html", context)


# ---- acts of an open session ----


def turn(request: HttpRequest, site: AdminSite, session: TableSession) -> HttpResponse:
    """Answer the page where a dealer's turn begins."""

    def perform(form: TurnForm, at: datetime, by: User) -> str:
        dealer, pin = dealer_of(session.table.property, form.cleaned_data["dealer"]), form.cleaned_data["dealer_pin"]
        signature = dealer_signs(session.table.property, dealer.code, pin, at=at, by=by) if pin else None
        floor.begin_turn(session, dealer, from_at=at, by=by, signature=signature)
        return gettext("%(dealer)s deals at %(table)s.") % {"dealer": dealer, "table": session.table}

    lead = gettext("From now on this dealer deals. With the PIN, the dealer signs for it.")
    return _answer(
        request, site, session, gettext("%(table)s · dealer") % {"table": session.table}, gettext("Deal from now"), TurnForm, perform, lead
    )


def request_chips(request: HttpRequest, site: AdminSite, session: TableSession, kind: str) -> HttpResponse:
    """Answer the page where a fill or a chip credit is requested."""
    service = chip_slips.request_fill if kind == "fill" else chip_slips.request_chip_credit

    def perform(form: CountForm, at: datetime, by: User) -> str:
        slip = service(session, form.count, at=at, by=by, uuid=form.key)
        return f"{str(slip).capitalize()} requested: {money(slip.amount, session.table.property)}."

    words = word(kind)
    lead = {
        "fill": gettext("Three people sign: you request, the cage issues, the table receives. The chips move with the last signature."),
        "chip_credit": gettext("Three people sign: you request, the table sends (the dealer may, with a PIN), the cage receives."),
    }[kind]
    return _answer(
        request, site, session, f"{session.table} · {words}", gettext("Request the %(words)s") % {"words": words}, CountForm, perform, lead
    )


def buy_in(request: HttpRequest, site: AdminSite, session: TableSession) -> HttpResponse:
    """Answer the page where a buy-in is recorded."""

    def perform(form: BuyInForm, at: datetime, by: User) -> str:
        said = form.cleaned_data
        kept = chips.buy_in(session, said["amount"], at=at, by=by, patron=said["patron"], declined=said["declined"], uuid=form.key)
        return gettext("Buy-in of %(amount)s recorded.") % {"amount": money(kept.amount, session.table.property)}

    lead = gettext("From %(amount)s on, ask who the patron is.") % {
        "amount": money(settings_of(session.shift).ask_patron_from, session.table.property)
    }
    return _answer(
        request, site, session, gettext("%(table)s · buy-in") % {"table": session.table}, gettext("Record the buy-in"), BuyInForm, perform, lead
    )


def marker(request: HttpRequest, site: AdminSite, session: TableSession) -> HttpResponse:
    """Answer the page where a marker is issued."""

    def perform(form: MarkerForm, at: datetime, by: User) -> str:
        said = form.cleaned_data
        instrument = said["instrument"]
        kept = chips.issue_marker(session, said["amount"], patron=said["patron"], instrument=instrument, at=at, by=by, uuid=form.key)
        return gettext("Marker %(instrument)s of %(amount)s issued.") % {
            "instrument": kept.instrument,
            "amount": money(kept.amount, session.table.property),
        }

    lead = gettext("The signed instrument goes into the box, the chips leave the tray.")
    return _answer(
        request, site, session, gettext("%(table)s · marker") % {"table": session.table}, gettext("Issue the marker"), MarkerForm, perform, lead
    )


def redeem(request: HttpRequest, site: AdminSite, session: TableSession) -> HttpResponse:
    """Answer the page where a marker is redeemed in chips."""

    def perform(form: RedeemForm, at: datetime, by: User) -> str:
        said, house = form.cleaned_data, session.table.property
        issued = ChipMovement.objects.filter(property=house, kind=ChipMovement.Kind.MARKER, instrument=said["instrument"]).order_by("-pk").first()
        if issued is None:
            raise NotFound("no_marker", gettext("There is no marker %(said)s.") % {"said": said["instrument"]}, where="instrument")
        kept = chips.redeem_marker(session, issued, said["amount"], at=at, by=by, uuid=form.key)
        return gettext("%(amount)s of marker %(instrument)s redeemed.") % {"amount": money(kept.amount, house), "instrument": issued.instrument}

    return _answer(
        request,
        site,
        session,
        gettext("%(table)s · marker redeemed") % {"table": session.table},
        gettext("Redeem in chips"),
        RedeemForm,
        perform,
        gettext("Chips go into the tray."),
    )


def reopen(request: HttpRequest, site: AdminSite, session: TableSession) -> HttpResponse:
    """Answer the page where a shift manager proposes to take a count once more."""

    def perform(form: ReopenForm, at: datetime, by: User) -> str:
        said = form.cleaned_data
        counts.propose_recount(session, said["count"], reason=said["reason"], at=at, by=by, uuid=form.key)
        return gettext("Proposed: the %(said)s is counted once more when an auditor approves it.") % {"said": word(said["count"])}

    lead = gettext("Before the shift is signed. An auditor approves it; the new count stands beside the old one, and the audit says so.")
    return _answer(
        request, site, session, gettext("%(table)s · count once more") % {"table": session.table}, gettext("Propose"), ReopenForm, perform, lead
    )


def _answer(
    request: HttpRequest,
    site: AdminSite,
    session: TableSession,
    title: str,
    button: str,
    form: type[ActForm],
    perform: Callable[[Any, datetime, User], str],
    lead: str,
) -> HttpResponse:
    back = session_page(session)
    act = Act(title, button, form, session.table.property, perform, back, trail=(str(session), back), lead=lead)
    return answer(request, act, site, TableSession)


ACTS: dict[str, tuple[str, str, Promise, Callable[[HttpRequest, AdminSite, TableSession], HttpResponse]]] = {
    "turn": ("run_session", SessionEvent.State.OPEN, _("Dealer"), turn),
    "buy-in": ("record_buy_in", SessionEvent.State.OPEN, _("Buy-in"), buy_in),
    "marker": ("record_marker", SessionEvent.State.OPEN, _("Marker"), marker),
    "redeem": ("record_marker", SessionEvent.State.OPEN, _("Redeem a marker"), redeem),
    "fill": ("request_chips", SessionEvent.State.OPEN, _("Fill"), lambda r, s, x: request_chips(r, s, x, "fill")),
    "chip-credit": ("request_chips", SessionEvent.State.OPEN, _("Chip credit"), lambda r, s, x: request_chips(r, s, x, "chip_credit")),
    "reopen": ("propose_recount", "", _("Count once more"), reopen),
}
"""What may be done with a session: the action of roles.py, the state that it must be in ("" for any), the words of its button, its page."""
