"""Counts that are taken once more: proposed by a shift manager, ruled on by an auditor, counted again by two."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles, step_up
from casino.models import User
from casino.read_only import person
from casino.words import word
from tables.admin.act import Act, answer
from tables.admin.act_forms import ActForm, CountForm, RuleForm, SignedForm
from tables.admin.chips import AtTable
from tables.admin.figures import chip
from tables.models import CountReopening, CountReopeningEvent
from tables.selectors import reopenings_with_state
from tables.services import counts

State = CountReopeningEvent.State
TONES = {State.PROPOSED: "warn", State.APPROVED: "warn", State.COUNTED: "good"}


class RecountForm(SignedForm, CountForm):
    """The new count, signed by two."""


_VERBS: dict[str, tuple[str, Promise, type[ActForm], Promise]] = {
    "approve": ("approve_recount", _("Approve"), RuleForm, _("The count is taken once more; the old one stays beside it.")),
    "refuse": ("approve_recount", _("Refuse"), RuleForm, _("The count stays as it is. Say why.")),
    "withdraw": ("propose_recount", _("Withdraw"), ActForm, _("The count stays as it is.")),
    "count": ("attest_count", _("Sign the count"), RecountForm, _("Counted blind, like the first one. Two people sign.")),
}
_DUE = {State.PROPOSED: ("approve", "refuse", "withdraw"), State.APPROVED: ("count",)}


@admin.register(CountReopening)
class CountReopeningAdmin(AtTable):
    """The reopened counts of one's pits."""

    action = "read_recounts"
    list_display = ("count", "state_word", "table", "at", "reason", "proposed_by")
    list_select_related = (*AtTable.list_select_related, "proposed_by")
    change_form_template = "admin/tables/countreopening/page.html"

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the reopened counts of one's pits, with their state; of who counts trays, those that wait for it."""
        rows = reopenings_with_state(CountReopening.objects.select_related(*self.list_select_related, "session__table__pit"))
        action = self.action if roles.may(user.roles, self.action) else "attest_count"
        pits = roles.pits_for(user, action)
        return rows if pits is None else rows.filter(session__table__pit__code__in=pits)

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and those of the acts."""
        return [path("<int:pk>/<str:verb>/do/", self.admin_site.admin_view(self.act_view), name="tables_countreopening_act"), *super().get_urls()]

    def act_view(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Answer the page of one act on one reopened count."""
        user = person(request)
        reopening = get_object_or_404(self.mine(user), pk=pk)
        if verb not in due_acts(reopening, user):
            raise PermissionDenied
        _, words, form, lead = _VERBS[verb]
        back = reverse("admin:tables_tablesession_change", args=[reopening.session_id])
        act = Act(
            gettext("%(table)s · %(count)s once more") % {"table": reopening.session.table, "count": word(reopening.count)},
            str(words),
            form,
            reopening.session.table.property,
            lambda form, at, by: _do(verb, reopening, form, at, by),
            back,
            trail=(str(reopening.session), back),
            lead=str(lead),
            facts=((gettext("Why"), reopening.reason), (gettext("Proposed by"), str(reopening.proposed_by))),
        )
        return answer(request, act, self.admin_site, CountReopening)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the page: why, what became of it, what is due."""
        reopening: Any = context["original"]
        more = {
            "reopening": reopening,
            "house": reopening.session.table.property,
            "events": list(reopening.events.select_related("by")),
            "acts": [(verb, _VERBS[verb][1]) for verb in due_acts(reopening, person(request))],
            "tone": TONES.get(State(reopening.state), ""),
            "title": gettext("%(table)s · %(count)s once more") % {"table": reopening.session.table, "count": word(reopening.count)},
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    @admin.display(description=_("state"))
    def state_word(self, reopening: Any) -> SafeString:
        """Return the state as a chip."""
        return chip(reopening.state, TONES.get(State(reopening.state), ""))


def due_acts(reopening: Any, user: User) -> list[str]:
    """Return the acts that are due now and are `user`'s to do; nobody rules on what they proposed."""
    pit = reopening.session.table.pit.code
    due = [verb for verb in _DUE.get(State(reopening.state), ()) if roles.may(user.roles, _VERBS[verb][0], pit)]
    if reopening.count == CountReopening.Count.DROP and "count" in due:
        due.remove("count")  # the count team counts boxes, at the box
    return due


def _do(verb: str, reopening: CountReopening, form: Any, at: Any, by: User) -> str:
    if verb == "withdraw":
        counts.withdraw_recount(reopening, at=at, by=by)
        return gettext("Withdrawn: the count stays.")
    if verb == "count":
        witness, dealer = form.signatures(at=at, by=by)
        counts.recount_tray(reopening, form.count, at=at, by=by, witness=witness, dealer=dealer)
        return gettext("The %(count)s is counted once more.") % {"count": word(reopening.count)}
    step_up.confirm(by, form.cleaned_data["password"], at=at)
    if verb == "approve":
        counts.approve_recount(reopening, at=at, by=by)
        return gettext("Approved: the %(count)s is counted once more.") % {"count": word(reopening.count)}
    counts.refuse_recount(reopening, note=form.cleaned_data["note"], at=at, by=by)
    return gettext("Refused: the count stays.")
