"""The admin site: Django's own, with the house's name, look and first page."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from casino.models import User


class PitbookSite(AdminSite):
    """The workplace of everyone who signs in. Nothing is ever deleted here, so there is no action that would."""

    site_header = "Pitbook"
    site_title = "Pitbook"
    index_title = _("Tonight")
    enable_nav_sidebar = False
    empty_value_display = "—"

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self.disable_action("delete_selected")

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return what every page shows; `may` says which of the house's pages the signed-in person has."""
        user = request.user
        shown = {page: isinstance(user, User) and user.has_perm(perm) for page, perm in _PAGES.items()}
        return {**super().each_context(request), "may": shown}


_PAGES = {
    "enter_rounds": "tables.add_round",
    "run_session": "tables.add_tablesession",
    "run_shift": "tables.add_shift",
    "rounds": "tables.view_round",
    "import": "tables.add_roundimport",
    "shifts": "tables.view_shift",
    "findings": "audit.view_finding",
    "workshop": "tables.view_paytabledraft",
    "books": "ledger.view_entry",
    "accounts": "ledger.view_account",
    "ledger": "ledger.view_transfer",
    "reports": "audit.view_report",
}
