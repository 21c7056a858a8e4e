"""The page of the one search."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from audit.search import DAYS, search
from casino.read_only import person
from tables.selectors import gaming_day_now


@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    """Answer what `?q=` names; a single hit is opened at once."""
    text = request.GET.get("q", "")
    groups = search(person(request), text, today=gaming_day_now(timezone.now()))
    hits = [hit for group in groups for hit in group.hits]
    if len(hits) == 1:
        return HttpResponseRedirect(hits[0].link)
    context = {**admin.site.each_context(request), "title": gettext("Search"), "q": text, "groups": groups, "days": DAYS}
    return render(request, "admin/search.html", context)
