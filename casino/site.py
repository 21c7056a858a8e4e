"""The admin site: Django's own, with the house's name, look and first page."""

from __future__ import annotations

from django.contrib.admin import AdminSite


class PitbookSite(AdminSite):
    """The workplace of everyone who signs in."""

    site_header = "Pitbook"
    site_title = "Pitbook"
    index_title = "Tonight"
    enable_nav_sidebar = True
    empty_value_display = "—"
