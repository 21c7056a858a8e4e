"""A filter by gaming day: from, to, or either alone. What is no day says so at its field and lists nothing; it is never a 500."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.contrib.admin import ListFilter, ModelAdmin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

FROM, TO = "day_from", "day_to"


class DayRange(ListFilter):
    """Filters by `field`, a date: the gaming day was worked out when the row was recorded, so no zone can lose one."""

    title = _("gaming day")
    template = "admin/day_range.html"
    field = "gaming_day"

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: type[Model], model_admin: ModelAdmin) -> None:
        super().__init__(request, params, model, model_admin)
        self.typed = {name: params.pop(name)[-1].strip() for name in (FROM, TO) if name in params}
        self.used_parameters.update(self.typed)
        self.errors: dict[str, str] = {}
        self.days = {name: self._day(name, text) for name, text in self.typed.items() if text}
        first, last = self.days.get(FROM), self.days.get(TO)
        if first and last and first > last:
            self.errors[TO] = gettext("The last day lies before the first.")

    def _day(self, name: str, text: str) -> date | None:
        try:
            return date.fromisoformat(text)
        except ValueError:
            self.errors[name] = gettext("“%(text)s” is no day: write it as 2026-11-30.") % {"text": text[:40]}
            return None

    def has_output(self) -> bool:
        """Return yes: there is always something to type."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """Return the names in the address."""
        return [FROM, TO]

    def choices(self, changelist: ChangeList) -> Iterator[dict[str, Any]]:
        """Yield what the template shows: the two fields, and the rest of the address to keep."""
        kept = {name: value for name, values in changelist.get_filters_params().items() for value in values if name not in (FROM, TO)}
        fields = [
            {"name": name, "label": label, "value": self.typed.get(name, ""), "error": self.errors.get(name)}
            for name, label in ((FROM, gettext("From")), (TO, gettext("To")))
        ]
        yield {"fields": fields, "kept": kept, "search": changelist.query, "clear": changelist.get_query_string(remove=[FROM, TO])}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of those days, none where a day is not one."""
        if self.errors:
            return queryset.none()
        if (first := self.days.get(FROM)) is not None:
            queryset = queryset.filter(**{f"{self.field}__gte": first})
        if (last := self.days.get(TO)) is not None:
            queryset = queryset.filter(**{f"{self.field}__lte": last})
        return queryset
