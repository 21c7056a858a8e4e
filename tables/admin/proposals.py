"""The inbox of proposals: what each would change and what it moves, who proposed it, why, how old it is; approved or rejected here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from casino import roles, shown
from casino.errors import CasinoError
from casino.models import User
from casino.read_only import ReadOnlyAdmin, person
from tables.admin.correction_forms import DecisionForm, place_errors
from tables.admin.figures import chip, figure
from tables.admin.filters import ShiftFilter, TableFilter
from tables.admin.proposal_lines import lines
from tables.corrections import APPROVES
from tables.models import RoundProposal, RoundProposalEvent
from tables.proposal_answer import look_at
from tables.selectors import phase_now, proposals_for
from tables.services.correction_decisions import approve_proposal, reject_proposal, withdraw_proposal

TONES = {"proposed": "warn", "approved": "good", "rejected": "bad", "withdrawn": ""}


class ProposalStateFilter(SimpleListFilter):
    """By what was decided; those that wait come first where nothing is chosen."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return every state."""
        return [(value, gettext(str(label))) for value, label in RoundProposalEvent.State.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the proposals in that state."""
        return queryset.filter(state=self.value()) if self.value() else queryset


@admin.register(RoundProposal)
class ProposalAdmin(ReadOnlyAdmin):
    """The proposals for rounds of one's pits, newest first."""

    list_display = ("what", "state_word", "table", "round_number", "why", "effect_sum", "proposed_by", "proposed_at", "waits")
    list_filter = (ProposalStateFilter, "kind", ShiftFilter, TableFilter)
    ordering = ("-id",)
    change_form_template = "admin/tables/roundproposal/page.html"
    change_list_template = "admin/tables/roundproposal/change_list.html"

    def mine(self, user: User) -> QuerySet[RoundProposal]:
        """Return the proposals of their pits, with their state."""
        return proposals_for(user)

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and the one where it is decided."""
        decide = self.admin_site.admin_view(require_POST(self.decide))
        return [path("<int:pk>/decide/", decide, name="tables_roundproposal_decide"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list, with the way to a round that was never entered for who may propose one."""
        may = roles.may(person(request).roles, "propose_late_correction")
        return super().changelist_view(request, {"may_add_late": may, **(extra_context or {})})

    @admin.display(description=_("proposal"))
    def what(self, proposal: RoundProposal) -> str:
        """Return "correction"."""
        return str(proposal.get_kind_display())

    @admin.display(description=_("state"))
    def state_word(self, proposal: Any) -> SafeString:
        """Return what was decided."""
        return chip(proposal.state, TONES.get(proposal.state, ""))

    @admin.display(description=_("table"))
    def table(self, proposal: RoundProposal) -> str:
        """Return the table's code."""
        return proposal.session.table.code

    @admin.display(description=_("round"))
    def round_number(self, proposal: RoundProposal) -> str:
        """Return the number of the round that it is about."""
        return str(proposal.round.number) if proposal.round else shown.NOTHING

    @admin.display(description=_("reason"))
    def why(self, proposal: RoundProposal) -> str:
        """Return the reason."""
        return str(proposal.get_reason_display())

    @admin.display(description=_("effect"))
    def effect_sum(self, proposal: RoundProposal) -> SafeString:
        """Return what it changes in the house's net."""
        return figure(shown.signed(proposal.effect, proposal.session.table.property), "" if proposal.effect else "dim")

    @admin.display(description=_("at"))
    def proposed_at(self, proposal: RoundProposal) -> str:
        """Return when it was proposed, by the house's clock."""
        return shown.stamp(proposal.recorded_at, proposal.session.table.property)

    @admin.display(description=_("waits for"))
    def waits(self, proposal: Any) -> str:
        """Return how long it has been waiting."""
        return shown.age((timezone.now() - proposal.recorded_at).total_seconds()) if proposal.state == "proposed" else shown.NOTHING

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the proposal's page."""
        more = self._page(context["original"], person(request), context.get("decision"))
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    def _page(self, proposal: Any, user: User, form: DecisionForm | None) -> dict[str, Any]:
        seen, table = look_at(proposal), proposal.session.table
        may = roles.may(user.roles, APPROVES[phase_now(proposal.session)], table.pit.code)
        number = " · " + gettext("round %(number)s") % {"number": proposal.round.number} if proposal.round else ""
        return {
            "proposal": proposal,
            "seen": seen,
            "tone": TONES.get(seen.last.state, ""),
            "lines": lines(seen.changes, table.property) if proposal.slip else [],
            "house": table.property,
            "form": form or DecisionForm(),
            "may_decide": seen.is_open and may and proposal.proposed_by_id != user.pk,
            "may_withdraw": seen.is_open and proposal.proposed_by_id == user.pk,
            "age": shown.age((timezone.now() - proposal.recorded_at).total_seconds()),
            "title": f"{table.code}{number} · {proposal.get_kind_display()}",
            "subtitle": None,
        }

    def decide(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Approve, reject or take back, then (303) the page again; what is wrong stands at its field."""
        user, at = person(request), timezone.now()
        proposal = self.mine(user).filter(pk=pk).first()
        if proposal is None:
            raise Http404(gettext("There is no such proposal."))
        form = DecisionForm(request.POST)
        if "withdraw" in request.POST:
            withdraw_proposal(proposal, by=user, at=at)
            return self._done(request, proposal, gettext("Taken back."))
        if form.confirms(user, at=at):
            try:
                return self._decided(request, proposal, form, user)
            except CasinoError as error:
                place_errors(form, error)
        context = {**self.admin_site.each_context(request), "opts": self.opts, "original": proposal, **self._page(proposal, user, form)}
        return render(request, self.change_form_template, context, status=400)

    def _decided(self, request: HttpRequest, proposal: RoundProposal, form: DecisionForm, user: User) -> HttpResponse:
        said = {"by": user, "at": timezone.now(), "note": form.cleaned_data["note"]}
        if "approve" in request.POST:
            approve_proposal(proposal, **said)
            return self._done(request, proposal, gettext("Approved, and done."))
        reject_proposal(proposal, **said)
        return self._done(request, proposal, gettext("Rejected: nothing has changed."))

    def _done(self, request: HttpRequest, proposal: RoundProposal, words: str) -> HttpResponse:
        messages.success(request, words)
        return HttpResponseRedirect(reverse("admin:tables_roundproposal_change", args=[proposal.pk]), status=303)
