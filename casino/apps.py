"""The app of what everyone shares, and the admin site's seam."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.utils.translation import gettext_lazy as _


class CasinoConfig(AppConfig):
    """Users, roles and jobs; makes the Celery app known."""

    name = "casino"
    verbose_name = _("House")

    def ready(self) -> None:
        """Import the Celery app (it connects to nothing yet), hear when migrations begin and end, and say who translates."""
        from django.db.models.signals import post_migrate, pre_migrate
        from django.utils.translation import get_language, gettext

        from casino import celery, words  # noqa: F401
        from casino.append_only import grant_before_tables
        from casino.model_names import speak_names

        words.speak_by(gettext, get_language)
        speak_names()

        pre_migrate.connect(grant_before_tables, sender=self, dispatch_uid="pitbook-grants")
        post_migrate.connect(_first_partitions, dispatch_uid="pitbook-partitions")


def _first_partitions(sender: AppConfig, using: str, **_: Any) -> None:
    """Make this month's partitions and its neighbours' once everything is migrated; afterwards the minute does."""
    if sender.name != "audit":
        return
    from casino.append_only import make_partitions

    make_partitions(using, range(-2, 3))


class PitbookAdminConfig(SimpleAdminConfig):
    """Django's admin with the house's own site. Its pages are found when the addresses are read: commands and workers start without them."""

    default_site = "casino.site.PitbookSite"
