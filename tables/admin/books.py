"""The books, to look at: accounts with what they hold, entries with what they moved. Here and not in ledger, which knows no house's notation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from casino import shown
from casino.day_range import DayRange
from casino.models import User
from casino.read_only import ReadOnlyAdmin, person
from casino.words import word
from ledger.models import Account, Entry, Transfer
from ledger.selectors import balances
from tables.admin.figures import chip, figure
from tables.admin.filters import ShiftFilter, TableFilter
from tables.books_seen import accounts_for, blind_accounts, entries_for
from tables.entry_names import entry_name, with_names
from tables.models import Property, Round, Shift, TableSession

BLIND = _("counted blind")


def houses() -> Mapping[UUID, Property]:
    """Return every property by its UUID, which is what the books know it by. One query."""
    return {house.uuid: house for house in Property.objects.all()}


class AccountList(ChangeList):
    """A page of accounts with their balances, in a known number of queries."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page, then what each account on it holds. Four queries more."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        _hold(self.result_list, person(request))


def _hold(accounts: list[Account], user: User) -> None:
    held, known, blind = balances(accounts), houses(), blind_accounts(user)
    for account in accounts:
        house = known[account.property]
        hidden = (account.property, account.code) in blind
        account.held = BLIND if hidden else shown.money(held[account.pk], house)  # type: ignore[attr-defined]


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    """Every place that holds value."""

    list_display = ("code", "kind_word", "currency", "holds", "closed")
    list_filter = ("kind",)
    search_fields = ("code",)
    ordering = ("code",)
    fields = ("code", "kind_word", "currency", "holds", "floor", "ceiling", "opened", "closed")
    change_form_template = "admin/ledger/account/page.html"
    change_list_template = "admin/ledger/account/list.html"

    def mine(self, user: User) -> QuerySet[Account]:
        """Return the accounts that they may read."""
        return accounts_for(user)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that reads balances."""
        return AccountList

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Account:
        """Return the account with what it holds."""
        account: Account = super().get_object(request, object_id, from_field)
        _hold([account], person(request))
        return account

    @admin.display(description=_("kind"))
    def kind_word(self, account: Account) -> SafeString:
        """Return what kind of place it is."""
        return chip(account.get_kind_display())

    @admin.display(description=_("opened"))
    def opened(self, account: Account) -> str:
        """Return since when it is there."""
        return shown.utc(account.opened_at)

    @admin.display(description=_("closed"))
    def closed(self, account: Account) -> str:
        """Return when it was closed."""
        return shown.utc(account.closed_at)

    @admin.display(description=_("holds"))
    def holds(self, account: Any) -> SafeString:
        """Return the balance: what arrived minus what left."""
        return figure(account.held, "dim" if account.held == BLIND else "")


class EntryShiftFilter(ShiftFilter):
    """By shift: the books know it by its UUID."""

    def of_shift(self, rows: QuerySet[Any], key: int) -> QuerySet[Any]:
        """Return the entries of the shift of `key`. One query more."""
        return rows.filter(shift__in=list(Shift.objects.filter(pk=key).values_list("uuid", flat=True)))


class EntryTableFilter(TableFilter):
    """By table: the books know its sessions by their UUIDs."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the entries of that table's sessions. One query more."""
        if not self.value():
            return queryset
        return queryset.filter(session__in=list(TableSession.objects.filter(table__code=self.value()).values_list("uuid", flat=True)))


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Entries, newest first."""

    list_display = ("what", "kind_word", "gaming_day", "occurred_utc", "recorded_by", "transfer_count", "late")
    list_filter = (DayRange, "kind", "late", EntryShiftFilter, EntryTableFilter)
    list_select_related = ("recorded_by",)
    search_fields = ("reference",)
    search_help_text = _("an entry's whole reference, or uuid")
    ordering = ("-id",)
    change_form_template = "admin/ledger/entry/page.html"
    change_list_template = "admin/ledger/entry/list.html"

    def mine(self, user: User) -> QuerySet[Entry]:
        """Return the entries that they may read."""
        return with_names(entries_for(user))

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Entry], search_term: str) -> tuple[QuerySet[Entry], bool]:
        """Return the entry that `search_term` names exactly."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(uuid=UUID(term)), False
        except ValueError:
            return queryset.filter(reference=term), False

    @admin.display(description=_("entry"))
    def what(self, entry: Entry) -> str:
        """Return what it is called: "UTH-01 · round 12"."""
        return entry_name(entry)

    @admin.display(description=_("kind"), ordering="kind")
    def kind_word(self, entry: Entry) -> str:
        """Return what kind of entry it is."""
        return word(entry.kind)

    @admin.display(description=_("at"))
    def occurred_utc(self, entry: Entry) -> str:
        """Return when; the books' own clock is UTC."""
        return shown.utc(entry.occurred_at)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the entry's page: what left where and arrived where. Five queries."""
        entry: Entry = context["original"]
        transfers = Transfer.objects.filter(entry=entry, gaming_day=entry.gaming_day).select_related("credit_account", "debit_account")
        house = houses().get(entry.property)
        session = TableSession.objects.filter(uuid=entry.session).select_related("table", "shift").first() if entry.session else None
        when = shown.stamp(entry.occurred_at, house) if house else shown.utc(entry.occurred_at)
        more = {
            "entry": entry,
            "house": house,
            "transfers": list(transfers.order_by("line")),
            "played": Round.objects.filter(uuid=entry.round).only("pk", "number").first() if entry.round else None,
            "session": session,
            "reversal": Entry.objects.filter(reverses=entry).first(),
            "title": " · ".join([capfirst(word(entry.kind)), *([session.table.code] if session else []), when]),
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)
