"""Paytable versions: what is paid, by which rules, and where they are in force. A version never changes."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.models import User
from casino.read_only import ReadOnlyAdmin
from tables.admin.workshop_placements import place_form
from tables.admin.workshop_proposals import said
from tables.admin.workshop_urls import workshop_urls
from tables.edge_lines import edge_lines
from tables.engine.game import games
from tables.models import PaytableVersion
from tables.paytable_selectors import placements_with_state
from tables.services.paytables import paytable_of
from tables.solved_edges import known_edges


@admin.register(PaytableVersion)
class PaytableVersionAdmin(ReadOnlyAdmin):
    """Approved versions."""

    list_display = ("reference", "code", "game_name", "short_hash", "proposed_by", "approved_by", "approval", "recorded")
    list_filter = ("game",)
    list_select_related = ("proposed_by", "approved_by")
    ordering = ("game", "name", "version")
    change_list_template = "admin/tables/paytableversion/change_list.html"
    change_form_template = "admin/tables/paytableversion/page.html"

    @admin.display(description=_("version"))
    def reference(self, version: PaytableVersion) -> str:
        """Return "uth-seed@1"."""
        return str(version)

    @admin.display(description=_("code"))
    def code(self, version: PaytableVersion) -> str:
        """Return the four characters that people compare."""
        return version.short_code

    @admin.display(description=_("recorded"))
    def recorded(self, version: PaytableVersion) -> str:
        """Return when it was approved."""
        return shown.utc(version.recorded_at)

    @admin.display(description=_("game"))
    def game_name(self, version: PaytableVersion) -> str:
        """Return the game as on the sign."""
        return games()[version.game].name

    @admin.display(description=_("SHA-256"))
    def short_hash(self, version: PaytableVersion) -> str:
        """Return the hash's first twelve digits."""
        return version.sha256[:12]

    def get_urls(self) -> list[URLPattern]:
        """Return the workshop's addresses, and Django's."""
        return [*workshop_urls(self.admin_site.admin_view), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list, with the way to the workshop for those who work there."""
        return super().changelist_view(request, {"works_here": _works_here(request), **(extra_context or {})})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the version's page: odds, rules, edges, where it is in force and is to be. Six queries at most."""
        version: PaytableVersion = context["original"]
        paytable = paytable_of(version)
        known = known_edges(paytable)
        more = {
            "version": version,
            "game": games()[version.game],
            **said(paytable),
            "edges": edge_lines(known),
            "unsolved": known.unsolved,
            "place_form": place_form(version) if _may(request, "propose_paytable") else None,
            "others": PaytableVersion.objects.filter(game=version.game).exclude(pk=version.pk).order_by("name", "version"),
            "works_here": _works_here(request),
            "may_replay": _may(request, "replay"),
            "waiting": [one for one in placements_with_state().filter(version=version) if one.state == "proposed"],
            "in_force": list(version.in_force.select_related("table__property", "by").order_by("table__code", "from_at")),
            "content": json.dumps(json.loads(bytes(version.content)), indent=2, ensure_ascii=False),
            "title": str(version),
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)


def _may(request: HttpRequest, action: str) -> bool:
    return isinstance(request.user, User) and roles.may(request.user.roles, action)


def _works_here(request: HttpRequest) -> bool:
    return _may(request, "see_workshop")
