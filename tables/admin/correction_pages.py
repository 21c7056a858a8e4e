"""Pages where it is proposed that a round is void or a hand of it dead, and where an auditor rules on an irregular one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles
from casino.errors import CasinoError
from casino.models import User
from casino.read_only import person
from ledger.archived import archived, refuse_archived
from tables.admin.correction_entry import correct_round, late_round
from tables.admin.correction_forms import DeadHandForm, VoidForm, place_errors
from tables.admin.rulings import rule_round
from tables.corrections import PROPOSES
from tables.models import Round, RoundProposal
from tables.round_history import history
from tables.selectors import phase_now, proposals_for, rounds_for
from tables.services.corrections import propose_dead_hand, propose_void, wagers_of

Page = Callable[[HttpRequest, Round, dict[str, Any]], HttpResponse]


class CorrectionPages:
    """What the rounds' admin has besides: an address for each of these pages, and what a round's own page shows of its story."""

    admin_site: Any
    opts: Any

    def correction_urls(self) -> list[URLPattern]:
        """Return the addresses of the pages; each is seen by who may read the round."""
        pages = {"void": void_round, "dead-hand": dead_hand, "correct": correct_round, "ruling": rule_round}
        urls = [
            path(f"<int:pk>/{name}/", self.admin_site.admin_view(self._of_round(page)), name=f"tables_round_{name.replace('-', '_')}")
            for name, page in pages.items()
        ]
        return [*urls, path("late/", self.admin_site.admin_view(self._late), name="tables_round_late")]

    def _of_round(self, page: Page) -> Callable[..., HttpResponse]:
        def view(request: HttpRequest, pk: int) -> HttpResponse:
            user = person(request)
            roles.require(user, "read_rounds")
            played = rounds_for(user).filter(pk=pk).first()
            if played is None:
                raise Http404(gettext("There is no such round."))
            return page(request, played, self._context(request, played))

        return view

    def _late(self, request: HttpRequest) -> HttpResponse:
        return late_round(request, {**self.admin_site.each_context(request), "opts": self.opts})

    def _context(self, request: HttpRequest, played: Round) -> dict[str, Any]:
        table = played.session.table
        return {**self.admin_site.each_context(request), "opts": self.opts, "played": played, "table": table, "house": table.property}


def may_become(user: User, played: Round) -> dict[str, Any]:
    """Return what the round's page shows of its story, and what `user` may propose or rule. Some sixteen queries."""
    pit = played.session.table.pit.code
    pending = proposals_for(user).filter(round=played, state="proposed").first()
    stands = getattr(played, "reversal", None) is None
    change = getattr(played, "reversal", None)
    phase = phase_now(played.session)
    out = archived(played.gaming_day.replace(day=1))
    may_change = stands and not out
    return {
        "history": history(played),
        "pending": pending,
        "became": change,
        "archived": out,
        "may_propose": may_change and pending is None and roles.may(user.roles, PROPOSES[phase], pit),
        "may_rule": may_change and bool(played.irregular) and roles.may(user.roles, "rule_irregular", pit),
        "ruling": played.rulings.select_related("by").order_by("-sequence").first() if played.irregular else None,
        "several": len({wager.seat for wager in wagers_of(played)}) > 1,
    }


def must_propose(request: HttpRequest, played: Round) -> User:
    """Return who is signed in. Raises PermissionDenied unless they may propose something of this round now, Conflict (`archived`)."""
    user = person(request)
    if not roles.may(user.roles, PROPOSES[phase_now(played.session)], played.session.table.pit.code):
        raise PermissionDenied
    refuse_archived(played.gaming_day)
    return user


def proposed(request: HttpRequest, proposal: RoundProposal) -> HttpResponse:
    """Answer (303) the proposal's page, which says what happens next."""
    messages.success(request, _("Proposed. Nothing has changed yet: another person approves it."))
    return HttpResponseRedirect(reverse("admin:tables_roundproposal_change", args=[proposal.pk]), status=303)


def void_round(request: HttpRequest, played: Round, context: dict[str, Any]) -> HttpResponse:
    """Answer the page where a void is proposed, or (303) the proposal."""
    user = must_propose(request, played)
    form = VoidForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return proposed(request, propose_void(played, by=user, at=timezone.now(), **form.cleaned_data))
        except CasinoError as error:
            place_errors(form, error)
    words = gettext("Every stake and every payment goes back, the round has no handle, and its record stays.")
    return _page(
        request,
        form,
        {
            **context,
            "title": gettext("Void round %(number)s") % {"number": played.number},
            "words": words,
            "effect": -played.house_net,
            "verb": gettext("Propose the void"),
        },
    )


def dead_hand(request: HttpRequest, played: Round, context: dict[str, Any]) -> HttpResponse:
    """Answer the page where a hand is proposed to be dead, or (303) the proposal."""
    user = must_propose(request, played)
    form = DeadHandForm(request.POST or None, seats=sorted({wager.seat for wager in wagers_of(played)}))
    if request.method == "POST" and form.is_valid():
        try:
            return proposed(request, propose_dead_hand(played, by=user, at=timezone.now(), **form.cleaned_data))
        except CasinoError as error:
            place_errors(form, error)
    words = gettext(
        "The seat's wagers are returned; everybody else's stay as they were. In a pot game its stakes stay in the pot, as of one who folds."
    )
    return _page(
        request,
        form,
        {
            **context,
            "title": gettext("Dead hand in round %(number)s") % {"number": played.number},
            "words": words,
            "verb": gettext("Propose the dead hand"),
        },
    )


def _page(request: HttpRequest, form: Any, context: dict[str, Any]) -> HttpResponse:
    status = 400 if form.errors else 200
    return render(request, "admin/tables/round/propose.html", {**context, "form": form, "subtitle": None}, status=status)
