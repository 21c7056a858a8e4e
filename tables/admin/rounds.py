"""Rounds: entered on a page of their own, then only looked at."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from casino import shown
from casino.day_range import DayRange
from casino.models import User
from casino.read_only import ReadOnlyAdmin, person
from ledger.selectors import entries_of_round
from tables.admin.correction_pages import CorrectionPages, may_become
from tables.admin.figures import chip, figure
from tables.admin.filters import GameFilter, ShiftFilter, StandingFilter, TableFilter
from tables.admin.round_entry import enter_round, preview
from tables.entry_names import with_names
from tables.models import Dealer, Round, Wager
from tables.round_history import state_of
from tables.round_story import tell
from tables.selectors import rounds_for
from tables.templatetags.cards import small_cards


@admin.register(Round)
class RoundAdmin(CorrectionPages, ReadOnlyAdmin):
    """The rounds of one's pits, newest first."""

    list_display = ("number_at", "occurred", "dealer_code", "first_cards", "handle_sum", "due_sum", "done_sum", "off", "standing", "paytable_ref")
    list_filter = (DayRange, ShiftFilter, TableFilter, GameFilter, StandingFilter)
    search_fields = ("uuid",)
    search_help_text = _("uuid, label, number or dealer")
    ordering = ("-id",)
    change_form_template = "admin/tables/round/page.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether they enter rounds."""
        return isinstance(request.user, User) and request.user.has_perm("tables.add_round")

    def mine(self, user: User) -> QuerySet[Round]:
        """Return the rounds of their pits."""
        return rounds_for(user)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Round], search_term: str) -> tuple[QuerySet[Round], bool]:
        """Return the rounds that `search_term` names exactly: each kind of name has its index, where a part of one would read every row."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(uuid=UUID(term)), False
        except ValueError:
            pass
        if term.isascii() and term.isdigit() and len(term) < 10:
            return queryset.filter(number=int(term)), False
        dealers = list(Dealer.objects.filter(code__iexact=term).values_list("pk", flat=True))
        return (queryset.filter(dealer__in=dealers) if dealers else queryset.filter(label=term)), False

    # ---- pages ----

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and the one that answers what is due."""
        preview = path("preview/", self.admin_site.admin_view(require_POST(self.preview_view)), name="tables_round_preview")
        return [preview, *self.correction_urls(), *super().get_urls()]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the page where a round is entered."""
        self._must_enter(request)
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": gettext("Enter a round"), **(extra_context or {})}
        return enter_round(request, context)

    def preview_view(self, request: HttpRequest) -> HttpResponse:
        """Answer what is due on what was typed so far."""
        self._must_enter(request)
        return preview(request)

    def _must_enter(self, request: HttpRequest) -> None:
        if not self.has_add_permission(request):
            raise PermissionDenied

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the round's page: the deal, its wagers, its story and its entries."""
        played: Round = context["original"]
        wagers = list(Wager.objects.filter(round=played, gaming_day=played.gaming_day).order_by("line"))
        table = played.session.table
        more = {
            "played": played,
            "house": table.property,
            "story": tell(played, wagers),
            "entries": list(with_names(entries_of_round(played.uuid))),
            **may_become(person(request), played),
            "title": gettext("%(table)s · round %(number)s") % {"table": table.code, "number": played.number},
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    # ---- columns ----

    @admin.display(description=_("round"))
    def number_at(self, played: Round) -> str:
        """Return "UTH-01 · 412"."""
        return f"{played.session.table.code} · {played.number}"

    @admin.display(description=_("at"))
    def occurred(self, played: Round) -> str:
        """Return when it was dealt, by the house's clock."""
        return shown.stamp(played.occurred_at, played.session.table.property)

    @admin.display(description=_("dealer"))
    def dealer_code(self, played: Round) -> str:
        """Return who dealt."""
        return played.dealer.code

    @admin.display(description=_("cards"))
    def first_cards(self, played: Round) -> SafeString:
        """Return the cards that all seats share, or those of the first seat."""
        return small_cards(played)

    @admin.display(description=_("handle"))
    def handle_sum(self, played: Round) -> SafeString:
        """Return the sum of the stakes."""
        return figure(shown.money(played.handle, played.session.table.property))

    @admin.display(description=_("house, due"))
    def due_sum(self, played: Round) -> SafeString:
        """Return the house's net by the rules."""
        due = None if played.collect is None or played.pay is None else played.collect - played.pay
        return figure(shown.signed(due, played.session.table.property))

    @admin.display(description=_("house, done"))
    def done_sum(self, played: Round) -> SafeString:
        """Return the house's net as it was done."""
        return figure(shown.signed(played.house_net, played.session.table.property))

    @admin.display(description=_("off"))
    def off(self, played: Round) -> SafeString:
        """Return how far done is from due, from the house's side; nothing where it is not."""
        variance = played.payout_variance
        return figure(shown.signed(variance, played.session.table.property) if variance else "", "bad")

    @admin.display(description=_("state"))
    def standing(self, played: Round) -> SafeString | str:
        """Return what is to be known of it at a glance."""
        state = state_of(played)
        if state in ("voided", "replaced"):
            return chip(state, "bad" if state == "voided" else "warn")
        if played.irregular:
            return chip("irregular", "warn")
        return chip("late", "warn") if played.late else gettext("settled")

    @admin.display(description=_("paytable"))
    def paytable_ref(self, played: Round) -> str:
        """Return the version that settled it."""
        return str(played.paytable)
