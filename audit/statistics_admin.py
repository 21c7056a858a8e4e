"""Statistics in the admin: a run a gaming day, its intervals as a chart."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.models import StatisticRun
from audit.statistics import ALPHA, CAP
from audit.statistics_page import StatisticsPage
from casino import shown
from casino.read_only import ReadOnlyAdmin


@admin.register(StatisticRun)
class StatisticRunAdmin(ReadOnlyAdmin):
    """The runs, newest first."""

    list_display = ("day", "property", "flags", "left_out", "made")
    list_select_related = ("property",)
    ordering = ("-id",)
    change_form_template = "admin/audit/statisticrun/page.html"

    @admin.display(description=_("to gaming day"))
    def day(self, run: StatisticRun) -> str:
        """Return "30 November 2026"."""
        return shown.day(run.gaming_day)

    @admin.display(description=_("flags"))
    def flags(self, run: StatisticRun) -> int:
        """Return how many results stand out."""
        return run.results.filter(flagged=True).count()

    @admin.display(description=_("made"))
    def made(self, run: StatisticRun) -> str:
        """Return when, by the house's clock."""
        return shown.stamp(run.recorded_at, run.property)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the run's page."""
        run: StatisticRun = context["original"]
        more = {
            "run": run,
            "house": run.property,
            "page": StatisticsPage(run, request.GET.dict()),
            "cap": CAP,
            "percent": round(ALPHA * 100),
            "title": gettext("Statistics to %(gaming_day)s") % {"gaming_day": shown.day(run.gaming_day)},
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)
