"""The admin of what nobody edits: rows are looked at, as far as one's roles and pits go. Nothing is added, changed or deleted here."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.db.utils import DataError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext

from casino import roles
from casino.models import User

MOST_COUNTED = 10_000


class BoundedPaginator(Paginator):
    """Counts no further than `MOST_COUNTED` rows, so that a list of millions opens as fast as one of ten; filters reach the rest."""

    @cached_property
    def count(self) -> int:
        """Return how many rows there are, at most `MOST_COUNTED`. One query, bounded."""
        return min(self._counted, MOST_COUNTED)

    @property
    def more(self) -> bool:
        """Return whether there are more rows than were counted."""
        return self._counted > MOST_COUNTED

    def page(self, number: int | str) -> Page:
        """Return a page: its keys first, which an index can give, then their rows. Two queries."""
        number = self.validate_number(number)
        rows, first = self.object_list, (number - 1) * self.per_page
        if not isinstance(rows, QuerySet):
            return super().page(number)
        keys = list(rows.values_list("pk", flat=True)[first : min(first + self.per_page, self.count)])
        return Page(rows.filter(pk__in=keys), number, self)

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        return rows.order_by()[: MOST_COUNTED + 1].count() if isinstance(rows, QuerySet) else len(rows)


def person(request: HttpRequest) -> User:
    """Return who is signed in. Raises PermissionDenied where nobody is."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows to look at. `pits` is the path from a row to the code of its pit, "" where it has none; `action` of roles.py says for whose pits.

    What is not theirs is not there (404). Subclasses with a selector of their own override `mine`.
    """

    actions = None
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    sortable_by: Any = ()
    action: ClassVar[str] = "read_reports"
    pits: ClassVar[str] = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return no: rows come through services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return no: what is written stays."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return no: nobody deletes."""
        return False

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the rows that `user` may see."""
        rows = self.model._default_manager.all()
        if not self.pits:
            return rows
        codes = roles.pits_for(user, self.action)
        return rows if codes is None else rows.filter(**{f"{self.pits}__in": codes})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows that the signed-in person may see, in the list's order."""
        rows = self.mine(person(request))
        ordering = self.get_ordering(request)
        return rows.order_by(*ordering) if ordering else rows

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row. Raises Http404 where there is none, or none of theirs."""
        found = super().get_object(request, object_id, from_field)
        if found is None:
            raise Http404(gettext("There is no such %(verbose_name)s.") % {"verbose_name": self.opts.verbose_name})
        return found

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list; it takes no orders."""
        _only_looked_at(request)
        try:
            return super().changelist_view(request, extra_context)
        except (ValueError, OverflowError, DataError):  # a year 99999 in the address: no row is of it
            return HttpResponseRedirect(f"{request.path}?e=1")

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the row's page, without a history of changes: there are none."""
        _only_looked_at(request)
        return super().change_view(request, object_id, form_url, {"read_only": True, **(extra_context or {})})


class SeenInline(admin.TabularInline):
    """Rows of a page, to look at."""

    template = "admin/seen_inline.html"
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return yes: whoever sees the page sees its parts."""
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return no: rows come through services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return no: what is written stays."""
        return False


def _only_looked_at(request: HttpRequest) -> None:
    if request.method not in ("GET", "HEAD"):
        raise PermissionDenied
