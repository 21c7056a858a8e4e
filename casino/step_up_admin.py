"""Wrong passwords at approvals as a page: whose, when, and until when that person approves nothing. To look at only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import now
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import shown
from casino.models import StepUpFailure, User
from casino.read_only import ReadOnlyAdmin
from casino.step_up import locked_until

TITLE = _("Wrong passwords at approvals")


@admin.register(StepUpFailure)
class StepUpFailureAdmin(ReadOnlyAdmin):
    """Every wrong password where an approval asked for it again, newest first. What was typed is kept nowhere."""

    action = "see_wrong_passwords"
    list_display = ("moment", "user", "name")
    list_display_links = ("moment",)
    list_select_related = ("user",)
    search_fields = ("user__username", "user__name")
    fields = ("user", "name", "moment", "recorded", "lock")

    def mine(self, user: User) -> QuerySet[StepUpFailure]:
        """Return all of them: people are of no pit."""
        return StepUpFailure.objects.select_related("user")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the list under the name that people know it by."""
        words = gettext("Nobody typed a wrong password at an approval.")
        return super().changelist_view(request, {"title": TITLE, "list_title": TITLE, "empty_words": words, **(extra_context or {})})

    @admin.display(description=_("typed"))
    def moment(self, failure: StepUpFailure) -> str:
        """Return when, by the clock of the door."""
        return shown.utc(failure.at)

    @admin.display(description=_("recorded"))
    def recorded(self, failure: StepUpFailure) -> str:
        """Return when, by the database's clock."""
        return shown.utc(failure.recorded_at)

    @admin.display(description=_("name"))
    def name(self, failure: StepUpFailure) -> str:
        """Return the person's name."""
        return failure.user.name

    @admin.display(description=_("approvals"))
    def lock(self, failure: StepUpFailure) -> SafeString | str:
        """Return until when the person approves nothing, where that is still so."""
        until = locked_until(failure.user, now())
        return format_html('<span class="chip bad">{} {}</span>', gettext("locked until"), shown.utc(until)) if until else shown.NOTHING
