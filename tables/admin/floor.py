"""Where and when: properties, pits, tables, dealers, sessions. Looked at here; opened and closed by services."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.errors import Conflict
from casino.models import User
from casino.read_only import ReadOnlyAdmin, SeenInline, person
from tables import bet_words
from tables.admin import house_forms, layout, session_acts, shift_acts
from tables.admin.act import Act, answer
from tables.admin.act_forms import PinForm
from tables.admin.close_wizard import close
from tables.admin.figures import chip
from tables.admin.filters import ShiftFilter, TableFilter
from tables.admin.recounts import due_acts
from tables.admin.session_records import recorded_of
from tables.blockers import blockers
from tables.engine.game import games
from tables.house_settings import as_held
from tables.models import Dealer, DealerTurn, Pit, Property, PropertySetting, SessionEvent, Table, TableLimit, TableSession
from tables.selectors import reopenings_with_state, sessions_with_state, slips_for, version_in_force
from tables.services.dealer_pins import set_pin
from tables.short_code import short_code


class SettingsInline(SeenInline):
    """What two people changed of the settings, from which gaming day on."""

    model = PropertySetting
    fields = readonly_fields = ("name", "shown", "from_day", "note", "proposed_by", "approved_by", "at")
    ordering = ("-id",)
    verbose_name_plural = _("changed settings")

    @admin.display(description=_("is"))
    def shown(self, row: PropertySetting) -> str:
        """Return the value as people read it."""
        return house_forms.shown_value(row.property, row.name, as_held(row.name, row.value))

    @admin.display(description=_("at"))
    def at(self, row: PropertySetting) -> str:
        """Return when it was recorded, by the house's clock."""
        return shown.stamp(row.recorded_at, row.property)


@admin.register(Property)
class PropertyAdmin(ReadOnlyAdmin):
    """The casino, with its clock, currency, tolerances and other settings."""

    list_display = ("name", "code", "zone", "currency", "rollover")
    fields = ("name", "code", "zone", "currency", "exponent", "writes", "rollover")
    inlines = (SettingsInline,)
    change_form_template = "admin/tables/property_page.html"
    action = "see_floor"

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses, those where the floor is laid out, and the one where a setting is changed."""
        seen = self.admin_site.admin_view
        return [
            path("new/", seen(self.new_view), name="tables_property_new"),
            path("<int:pk>/new/<slug:what>/", seen(self.new_thing_view), name="tables_property_lay_out"),
            path("<int:pk>/chips/", seen(self.chips_view), name="tables_property_chips"),
            path("<int:pk>/setting/<slug:name>/", seen(self.setting_view), name="tables_property_setting"),
            *super().get_urls(),
        ]

    def new_view(self, request: HttpRequest) -> HttpResponse:
        """Answer the page where a property is made."""
        return layout.new_property(request, self.admin_site)

    def new_thing_view(self, request: HttpRequest, pk: int, what: str) -> HttpResponse:
        """Answer the page where a pit, table or dealer is made."""
        return layout.new_thing(request, self.admin_site, pk, what)

    def chips_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page where new chips come into the cage."""
        return layout.issue(request, self.admin_site, pk)

    def setting_view(self, request: HttpRequest, pk: int, name: str) -> HttpResponse:
        """Answer the page where one setting is changed."""
        return house_forms.setting(request, self.admin_site, pk, name)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the property's page, with today's settings and, for who may, the way to change each. One query more."""
        held = person(request).roles
        more = {
            "held": house_forms.shown_settings(context["original"]),
            "may_set": roles.may(held, "propose_limits"),
            "new": layout.NEW if roles.may(held, "lay_out_floor") else {},
            "may_issue": roles.may(held, "issue_chips"),
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)


@admin.register(Pit)
class PitAdmin(ReadOnlyAdmin):
    """The pits of one's roles."""

    action = "see_floor"

    list_display = ("name", "code", "property")
    fields = ("name", "code", "property")
    list_select_related = ("property",)
    pits = "code"


class LimitsInline(SeenInline):
    """What may be staked on one wager, from when on."""

    model = TableLimit
    fields = readonly_fields = ("bet_name", "least_shown", "most_shown", "since", "proposed_by", "approved_by")
    ordering = ("bet", "-from_at")
    verbose_name_plural = _("limits")

    @admin.display(description=_("bet"))
    def bet_name(self, row: TableLimit) -> str:
        """Return the bet, or every."""
        return bet_words.bet_name(row.bet) if row.bet else str(_("every bet"))

    @admin.display(description=_("at least"))
    def least_shown(self, row: TableLimit) -> str:
        """Return the least stake."""
        return shown.money(row.least, row.table.property)

    @admin.display(description=_("at most"))
    def most_shown(self, row: TableLimit) -> str:
        """Return the largest stake."""
        return shown.money(row.most, row.table.property)

    @admin.display(description=_("from"))
    def since(self, row: TableLimit) -> str:
        """Return from when, by the house's clock."""
        return shown.stamp(row.from_at, row.table.property)


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    """The tables of one's pits."""

    list_display = ("code", "pit", "game_name")
    fields = ("code", "pit", "game_name", "paytable_now", "property", "uuid")
    list_select_related = ("pit",)
    pits = "pit__code"
    action = "see_floor"
    inlines = (LimitsInline,)
    change_form_template = "admin/tables/table_page.html"

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and those where a limit is set and the bankroll given."""
        seen = self.admin_site.admin_view
        return [
            path("<int:pk>/limit/", seen(self.limit_view), name="tables_table_limit"),
            path("<int:pk>/bankroll/", seen(self.bankroll_view), name="tables_table_bankroll"),
            *super().get_urls(),
        ]

    def bankroll_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page where the cage gives the table its bankroll."""
        return layout.stock(request, self.admin_site, pk)

    def limit_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page where a limit is set."""
        return house_forms.table_limit(request, self.admin_site, pk)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the table's page, with the way to its limits for who may set them."""
        held = person(request).roles
        may = {"may_set": roles.may(held, "propose_limits"), "may_stock": roles.may(held, "issue_chips")}
        return super().render_change_form(request, {**context, **may}, *args, **kwargs)

    @admin.display(description=_("paytable in force"))
    def paytable_now(self, table: Table) -> SafeString | str:
        """Return the version in force now, with its code to be compared with the sheet at the table."""
        try:
            version = version_in_force(table, timezone.now())
        except Conflict:
            return shown.NOTHING
        return format_html(
            '<a href="{}">{}</a> <b>{}</b>', reverse("admin:tables_paytableversion_change", args=[version.pk]), version, version.short_code
        )

    @admin.display(description=_("game"))
    def game_name(self, table: Table) -> str:
        """Return the game as on the sign."""
        return games()[table.game].name


@admin.register(Dealer)
class DealerAdmin(ReadOnlyAdmin):
    """Dealers, by staff number."""

    list_display = ("code", "name", "property")
    fields = ("code", "name", "property")
    list_select_related = ("property",)
    search_fields = ("code", "name")
    change_form_template = "admin/tables/dealer_page.html"

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and the one where a PIN is set."""
        return [path("<int:pk>/pin/", self.admin_site.admin_view(self.pin_view), name="tables_dealer_pin"), *super().get_urls()]

    def pin_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page where a dealer sets a PIN in front of a shift manager."""
        if not roles.may(person(request).roles, "set_dealer_pin"):
            raise PermissionDenied
        dealer = get_object_or_404(Dealer.objects.select_related("property"), pk=pk)

        def perform(form: PinForm, at: datetime, by: User) -> str:
            set_pin(dealer, form.cleaned_data["pin"], at=at, by=by)
            return gettext("%(dealer)s has a new PIN.") % {"dealer": dealer}

        back = reverse("admin:tables_dealer_change", args=[pk])
        lead = gettext("The dealer types it, and nobody else sees it. It signs turns, chips and counts on a supervisor's screen.")
        act = Act(
            gettext("PIN of %(dealer)s") % {"dealer": dealer},
            gettext("Set the PIN"),
            PinForm,
            dealer.property,
            perform,
            back,
            (str(dealer), back),
            lead,
        )
        return answer(request, act, self.admin_site, Dealer)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the dealer's page, with the way to a PIN for who may set one."""
        return super().render_change_form(request, {**context, "may_set_pin": roles.may(person(request).roles, "set_dealer_pin")}, *args, **kwargs)


class EventsInline(SeenInline):
    """The session's states, as they were reached."""

    model = SessionEvent
    fields = readonly_fields = ("state", "at", "by", "note")
    verbose_name_plural = _("opened and closed")

    @admin.display(description=_("at"))
    def at(self, event: SessionEvent) -> str:
        """Return when, by the house's clock."""
        return shown.stamp(event.occurred_at, event.session.table.property)


class TurnsInline(SeenInline):
    """Who dealt from when."""

    model = DealerTurn
    fields = readonly_fields = ("dealer", "since", "by")
    verbose_name_plural = _("dealers' turns")

    @admin.display(description=_("from"))
    def since(self, turn: DealerTurn) -> str:
        """Return from when, by the house's clock."""
        return shown.stamp(turn.from_at, turn.session.table.property)


@admin.register(TableSession)
class SessionAdmin(ReadOnlyAdmin):
    """Tables as they were open within shifts."""

    list_display = ("table", "shift", "sequence", "state_word")
    fields = ("table", "shift", "sequence", "state_word", "uuid")
    list_filter = (type("Shifts", (ShiftFilter,), {"path": "pk"}), type("Tables", (TableFilter,), {"path": "pk"}))
    ordering = ("-id",)
    pits = "table__pit__code"
    inlines = (EventsInline, TurnsInline)
    change_form_template = "admin/tables/tablesession/page.html"

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and those of the session's acts."""
        seen = self.admin_site.admin_view
        return [
            path("shift/open/", seen(self.open_shift_view), name="tables_shift_open"),
            path("shift/<int:pk>/end/", seen(self.end_shift_view), name="tables_shift_end"),
            path("open/", seen(self.open_view), name="tables_tablesession_open"),
            path("<int:pk>/close/", seen(self.close_view), name="tables_tablesession_close"),
            path("<int:pk>/<str:verb>/do/", seen(self.act_view), name="tables_tablesession_act"),
            *super().get_urls(),
        ]

    def open_view(self, request: HttpRequest) -> HttpResponse:
        """Answer the page where a table is opened."""
        return session_acts.open_table(request, self.admin_site)

    def open_shift_view(self, request: HttpRequest) -> HttpResponse:
        """Answer the page where a shift is opened."""
        return shift_acts.open_shift(request, self.admin_site)

    def end_shift_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page where a shift is ended."""
        return shift_acts.end_shift(request, self.admin_site, pk)

    def close_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the step of the close that is due."""
        return close(request, self.admin_site, session_acts.session_of(person(request), pk, "run_session"))

    def act_view(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Answer the page of one act of a session."""
        if verb not in session_acts.ACTS:
            raise Http404(gettext("There is no such act."))
        action, _, _, page = session_acts.ACTS[verb]
        return page(request, self.admin_site, session_acts.session_of(person(request), pk, action))

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the session's page: what may be done, what blocks the close, its slips. Nine queries."""
        session, user = context["original"], person(request)
        pit, is_open = session.table.pit.code, session.state == SessionEvent.State.OPEN
        slips = list(slips_for(user).filter(session=session)) if roles.may(user.roles, "read_chips", pit) else []
        more = {
            "session": session,
            "house": session.table.property,
            "acts": [
                (verb, words)
                for verb, (action, state, words, _) in session_acts.ACTS.items()
                if state in ("", session.state) and roles.may(user.roles, action, pit)
            ],
            "recorded": recorded_of(session, user),
            "may_close": is_open and roles.may(user.roles, "run_session", pit),
            "blockers": blockers(session) if is_open else [],
            "felt_code": short_code(session.felt.sha256) if session.felt else "",
            "slips": slips,
            "turns": list(session.turns.select_related("dealer", "by").order_by("-from_at")[:8]),
            "events": list(session.events.select_related("by")),
            "recounts": [
                (one, "count" in due_acts(one, user))
                for one in reopenings_with_state(session.reopenings.select_related("session__table__pit")).order_by("pk")
            ],
            "reads_recounts": user.has_perm("tables.view_countreopening"),
            "title": str(session),
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the sessions of one's pits, with their state."""
        return sessions_with_state(super().mine(user).select_related("table__property", "table__pit", "shift", "felt"))

    @admin.display(description=_("state"))
    def state_word(self, session: Any) -> SafeString:
        """Return open or closed."""
        return chip(session.state, "good" if session.state == SessionEvent.State.OPEN else "")
