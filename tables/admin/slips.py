"""Slips of fills and chip credits: a list of one's own, a page for each with the act that is due from whoever looks."""

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

from casino import roles, shown
from casino.models import User
from casino.read_only import person
from tables.admin.act import Act, answer
from tables.admin.act_forms import ActForm, DealerMayForm, VoidForm
from tables.admin.chips import AtTable
from tables.admin.figures import chip, figure
from tables.models import ChipSlip, ChipSlipEvent
from tables.selectors import OPEN_SLIPS, slips_for
from tables.services import chip_slips

State = ChipSlipEvent.State
TONES = {State.RECEIVED: "good", State.VOID: "", State.REQUESTED: "warn", State.ISSUED: "warn", State.SENT: "warn"}


class SlipStateFilter(admin.SimpleListFilter):
    """By state, and what moved nothing."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        """Return every state."""
        return [("open", gettext("open")), *((value, gettext(str(label))) for value, label in State.choices)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the slips in that state."""
        if not self.value():
            return queryset
        return queryset.filter(state__in=[str(state) for state in OPEN_SLIPS] if self.value() == "open" else [self.value()])


@admin.register(ChipSlip)
class ChipSlipAdmin(AtTable):
    """The slips of one's pits; the cage sees all of the house's."""

    action = "read_chips"
    list_display = ("what", "state_word", "table", "at", "sum", "requested_by")
    list_filter = (*AtTable.list_filter, "kind", SlipStateFilter)
    list_select_related = (*AtTable.list_select_related, "requested_by")
    change_form_template = "admin/tables/chipslip/page.html"

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the slips that `user` may see, with their state."""
        return slips_for(user).select_related("requested_by")

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and those of the acts."""
        return [path("<int:pk>/<str:verb>/do/", self.admin_site.admin_view(self.act_view), name="tables_chipslip_act"), *super().get_urls()]

    def act_view(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Answer the page of one act on one slip."""
        user = person(request)
        if not user.has_perm("tables.view_chipslip"):
            raise PermissionDenied
        slip = get_object_or_404(self.mine(user), pk=pk)
        back = reverse("admin:tables_chipslip_change", args=[pk])
        if verb not in due_acts(slip, user):
            raise PermissionDenied
        said, form, lead = _VERBS[verb]
        words = str(said)
        act = Act(
            f"{str(slip).capitalize()} · {words[:1].lower()}{words[1:]}",
            words,
            form,
            slip.property,
            lambda form, at, by: _do(verb, slip, form, at, by),
            back,
            trail=(str(slip).capitalize(), back),
            lead=str(lead),
            facts=((gettext("Table"), slip.session.table.code), (gettext("Amount"), shown.money(slip.amount, slip.property))),
        )
        return answer(request, act, self.admin_site, ChipSlip)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the slip's page: what it says, who signed it, what is due. Two queries."""
        slip: ChipSlip = context["original"]
        more = {
            "slip": slip,
            "house": slip.property,
            "pieces": self.pieces(slip),
            "events": list(slip.events.select_related("by", "dealer", "witness")),
            "acts": [(verb, _VERBS[verb][0]) for verb in due_acts(slip, person(request))],
            "tone": TONES[State(getattr(slip, "state", State.REQUESTED))],
            "title": f"{str(slip).capitalize()} · {slip.session.table.code}",
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    @admin.display(description=_("slip"))
    def what(self, slip: ChipSlip) -> str:
        """Return "fill 483"."""
        return str(slip)

    @admin.display(description=_("state"))
    def state_word(self, slip: Any) -> SafeString:
        """Return the state as a chip."""
        return chip(slip.state, TONES[State(slip.state)])

    @admin.display(description=_("amount"))
    def sum(self, slip: ChipSlip) -> SafeString:
        """Return the amount."""
        return figure(shown.money(slip.amount, slip.property))


_VERBS: dict[str, tuple[Promise, type[ActForm], Promise]] = {
    "issue": (_("Issue from the cage"), ActForm, _("You sign that these chips left the cage.")),
    "send": (_("Send from the table"), DealerMayForm, _("You sign that these chips left the table; or the dealer does, with a PIN.")),
    "receive": (_("Receive"), DealerMayForm, _("The last signature: the chips move now. At the table the dealer may sign, with a PIN.")),
    "receive-cage": (_("Receive at the cage"), ActForm, _("The last signature: the chips move now.")),
    "void": (_("Make void"), VoidForm, _("It keeps its number. Nothing moved, nothing moves; a witness signs.")),
}


def due_acts(slip: ChipSlip, user: User) -> list[str]:
    """Return the acts on `slip` that are due now and are `user`'s to do."""
    state, pit = getattr(slip, "state", ""), slip.session.table.pit.code
    fill = slip.kind == ChipSlip.Kind.FILL
    table, cage = roles.may(user.roles, "request_chips", pit), roles.may(user.roles, "issue_chips")
    acts = []
    if fill and state == State.REQUESTED and cage:
        acts.append("issue")
    if not fill and state == State.REQUESTED and table:
        acts.append("send")
    if fill and state == State.ISSUED and table:
        acts.append("receive")
    if not fill and state == State.SENT and cage:
        acts.append("receive-cage")
    if state in OPEN_SLIPS and roles.may(user.roles, "void_slip"):
        acts.append("void")
    return acts


def _do(verb: str, slip: ChipSlip, form: Any, at: Any, by: User) -> str:
    name = str(slip).capitalize()
    if verb == "issue":
        chip_slips.issue_fill(slip, at=at, by=by)
        return gettext("%(name)s is issued; the table receives it.") % {"name": name}
    if verb == "void":
        witness, _ = form.signatures(at=at, by=by)
        chip_slips.void_slip(slip, reason=form.cleaned_data["reason"], at=at, by=by, witness=witness)
        return gettext("%(name)s is void.") % {"name": name}
    if verb == "receive-cage":
        chip_slips.receive_slip(slip, at=at, by=by)
        return gettext("%(name)s is received: the chips are in the cage.") % {"name": name}
    _, dealer = form.signatures(at=at, by=by)
    if verb == "send":
        chip_slips.send_chip_credit(slip, at=at, by=by, dealer=dealer)
        return gettext("%(name)s is sent; the cage receives it.") % {"name": name}
    chip_slips.receive_slip(slip, at=at, by=by, dealer=dealer)
    return gettext("%(name)s is received: the chips are in the tray.") % {"name": name}
