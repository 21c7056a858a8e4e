"""Alarms as pages: what waits for somebody, and the one act there is: to acknowledge it by name."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from casino import shown
from casino.alarms import acknowledge, alarms_for
from casino.errors import CasinoError
from casino.models import Alarm, User
from casino.read_only import ReadOnlyAdmin, person
from casino.word_filter import WordFilter
from casino.words import word


class TakenFilter(admin.SimpleListFilter):
    """Alarms that wait, or that somebody took."""

    title = gettext_lazy("state")
    parameter_name = "taken"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the two."""
        return [("no", _("waits")), ("yes", _("acknowledged"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Alarm]) -> QuerySet[Alarm]:
        """Return the alarms of the chosen state."""
        return queryset if self.value() is None else queryset.filter(acknowledgement__isnull=self.value() == "no")


class Note(forms.Form):
    """What is said when an alarm is acknowledged."""

    note = forms.CharField(max_length=300, required=False)


@admin.register(Alarm)
class AlarmAdmin(ReadOnlyAdmin):
    """The alarms of one's pits and of the house."""

    list_display = ("what", "kind_word", "pit", "raised", "state_word")
    list_filter = (TakenFilter, ("kind", WordFilter))
    fields = ("what", "kind_word", "pit", "raised", "state_word", "said")
    change_form_template = "admin/casino/alarm/page.html"

    def mine(self, user: User) -> QuerySet[Alarm]:
        """Return the alarms that `user` may see."""
        return alarms_for(user)

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and the one that acknowledges."""
        seen = self.admin_site.admin_view
        return [path("<int:pk>/acknowledge/", seen(require_POST(self.acknowledge_view)), name="casino_alarm_acknowledge"), *super().get_urls()]

    def acknowledge_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Acknowledge it, and return to the list of those that wait, or to the board where it was done there."""
        board = request.POST.get("back") == "board"
        alarm = get_object_or_404(alarms_for(person(request)), pk=pk)
        form = Note(request.POST)
        try:
            acknowledge(alarm.uuid, by=person(request), note=form.cleaned_data["note"] if form.is_valid() else "")
        except CasinoError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(reverse("admin:index") if board else reverse("admin:casino_alarm_change", args=[pk]))
        messages.success(request, _("Acknowledged in your name."))
        return HttpResponseRedirect(reverse("admin:index") if board else reverse("admin:casino_alarm_changelist") + "?taken=no")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the alarm's page, with the form while nobody took it."""
        waits = not hasattr(context["original"], "acknowledgement")
        return super().render_change_form(request, {**context, "note_form": Note() if waits else None}, *args, **kwargs)

    @admin.display(description=gettext_lazy("alarm"))
    def what(self, alarm: Alarm) -> str:
        """Return what it says, in the reader's language."""
        return str(alarm)

    @admin.display(description=gettext_lazy("kind"), ordering="kind")
    def kind_word(self, alarm: Alarm) -> str:
        """Return "job stuck"."""
        return word(alarm.kind)

    @admin.display(description=gettext_lazy("raised"))
    def raised(self, alarm: Alarm) -> str:
        """Return when it was noticed."""
        return shown.utc(alarm.recorded_at)

    @admin.display(description=gettext_lazy("state"))
    def state_word(self, alarm: Alarm) -> SafeString:
        """Return who took it, or that it waits."""
        taken = getattr(alarm, "acknowledgement", None)
        if taken is None:
            return format_html('<span class="chip bad">{}</span>', _("waits"))
        return format_html('<span class="chip good">{}</span> {}', taken.by.username, shown.utc(taken.recorded_at))

    @admin.display(description=gettext_lazy("said"))
    def said(self, alarm: Alarm) -> str:
        """Return the note that it was acknowledged with."""
        taken = getattr(alarm, "acknowledgement", None)
        return (taken.note if taken is not None else "") or shown.NOTHING
