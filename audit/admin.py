"""What the audit shows: shifts with their reconciliation, and findings. Both are looked at; neither is edited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit import seal_pages  # noqa: F401 - registers the page of sealed shifts
from audit.ageing import due_at, in_days, is_overdue
from audit.case_forms import FORMS, form_for, verbs_for
from audit.case_selectors import cases_for, sums_of
from audit.causes import CAUSES
from audit.dealer_profile import dealer_profile
from audit.draw_page import draw_page
from audit.finding_filters import CauseFilter, DealerFilter, PitFilter, WaitingFilter
from audit.finding_words import reason_in_words
from audit.models import Finding, FindingEvent
from audit.note_form import note_form
from audit.shift_notes import notes_of
from audit.shift_page import ShiftPage
from audit.signing_panel import SigningPanel
from audit.statistics_admin import StatisticRunAdmin
from audit.views import explain_variance, note_shift, progress, reconcile_again, report_file, sign_shift
from casino import roles, shown
from casino.models import User
from casino.read_only import ReadOnlyAdmin, person
from casino.words import word
from tables.admin.figures import chip, figure
from tables.admin.filters import ShiftFilter, TableFilter
from tables.admin.session_records import recorded_of
from tables.bet_words import bet_word, row_word
from tables.models import Shift, ShiftEvent, Wager
from tables.round_story import tell
from tables.selectors import shifts_for

FACTS = (
    ("due_odds", _("Odds due")),
    ("paid_odds", _("Odds paid")),
    ("row_due", _("Row due")),
    ("row_read", _("Row probably read")),
    ("mispaid", _("The dealer's mistake was")),
    ("note", _("Note")),
    ("reason", _("Reason")),
)
"""What a finding's facts are called on its page."""
__all__ = ["FindingAdmin", "ShiftAdmin", "StatisticRunAdmin"]
TONES = {Finding.Severity.MAJOR: "bad", Finding.Severity.MINOR: "warn", Finding.Severity.NOTE: ""}


@admin.register(Shift)
class ShiftAdmin(ReadOnlyAdmin):
    """The shifts of one's pits; each has a page that puts it together."""

    list_display = ("name", "state_word", "started", "opened_by")
    list_filter = ("kind",)
    list_select_related = ("property", "opened_by")
    ordering = ("-gaming_day", "-starts_at")
    change_form_template = "admin/tables/shift/page.html"

    def mine(self, user: User) -> QuerySet[Shift]:
        """Return the shifts of their pits, with their state."""
        return shifts_for(user).select_related("opened_by")

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and those of the shift's files, jobs and reconciliation."""
        seen = self.admin_site.admin_view
        return [
            path("<int:pk>/report.<str:fmt>", seen(report_file), name="tables_shift_report"),
            path("<int:pk>/progress/", seen(progress), name="tables_shift_progress"),
            path("<int:pk>/draw/", seen(draw_page), name="tables_shift_draw"),
            path("<int:pk>/explain/", seen(explain_variance), name="tables_shift_explain"),
            path("<int:pk>/note/", seen(note_shift), name="tables_shift_note"),
            path("<int:pk>/sign/", seen(sign_shift), name="tables_shift_sign"),
            path("<int:pk>/reconcile/", seen(reconcile_again), name="tables_shift_reconcile"),
            *super().get_urls(),
        ]

    @admin.display(description=_("shift"))
    def name(self, shift: Shift) -> str:
        """Return "Swing shift, 30 November 2026"."""
        return capfirst(str(shift))

    @admin.display(description=_("state"))
    def state_word(self, shift: Any) -> SafeString:
        """Return open or ended."""
        return chip(shift.state, "good" if shift.state == ShiftEvent.State.OPEN else "")

    @admin.display(description=_("from"))
    def started(self, shift: Shift) -> str:
        """Return when it began, by the house's clock."""
        return shown.stamp(shift.starts_at, shift.property)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the shift's page."""
        shift: Shift = context["original"]
        page = ShiftPage(shift, person(request), at=timezone.now())
        panel = SigningPanel(page.known, person(request), bound=context.get("bound")) if page.kept else None
        more: dict[str, Any] = {"page": page, "panel": panel, "shift": shift, "house": page.house, "title": capfirst(str(shift)), "subtitle": None}
        more["notes"], more["note"] = notes_of(shift), note_form(shift, person(request), context.get("bound"))
        more["may_draw"] = roles.may(person(request).roles, "read_draw")
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)


class StateFilter(SimpleListFilter):
    """By what became of a finding."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return every state."""
        return [(value, gettext(str(label))) for value, label in FindingEvent.State.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the findings in that state."""
        return queryset.filter(state=self.value()) if self.value() else queryset


class KindFilter(SimpleListFilter):
    """By kind of finding."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return the kinds that were found so far."""
        kinds = Finding.objects.order_by("kind").values_list("kind", flat=True).distinct()
        return [(kind, word(kind)) for kind in kinds]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the findings of that kind."""
        return queryset.filter(kind=self.value()) if self.value() else queryset


class OfShift(ShiftFilter):
    """By the finding's own shift: not every finding has a session."""

    def of_shift(self, rows: QuerySet[Any], key: int) -> QuerySet[Any]:
        """Return the findings of the shift of `key`."""
        return rows.filter(shift=key)


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    """The findings of one's pits, newest first."""

    list_display = (
        "what",
        "severity_word",
        "state_word",
        "age_word",
        "owner_word",
        "cause_word",
        "table",
        "round_number",
        "spot",
        "dealer_code",
        "effect_sum",
        "found_at",
    )
    list_filter = (WaitingFilter, "severity", StateFilter, KindFilter, CauseFilter, "flag", DealerFilter, PitFilter, OfShift, TableFilter)
    ordering = ("-id",)
    change_form_template = "admin/audit/finding/page.html"

    def mine(self, user: User) -> QuerySet[Finding]:
        """Return the findings of their pits, as cases."""
        return cases_for(user)

    @admin.display(description=_("age"))
    def age_word(self, finding: Any) -> SafeString:
        """Return how old it is, and loudly where it is overdue; of a closed one nothing."""
        if finding.state == FindingEvent.State.CLOSED:
            return figure(shown.NOTHING, "dim")
        now = timezone.now()
        late = is_overdue(finding.recorded_at, finding.severity, at=now)
        return figure(f"{in_days(now - finding.recorded_at)}{' ' + gettext('overdue') if late else ''}", "bad" if late else "")

    @admin.display(description=_("owner"))
    def owner_word(self, finding: Any) -> str:
        """Return who answers for it."""
        return finding.owner or shown.NOTHING

    @admin.display(description=_("cause"))
    def cause_word(self, finding: Any) -> str:
        """Return what it came from."""
        return gettext(CAUSES.get(finding.cause or "", shown.NOTHING))

    @admin.display(description=_("finding"))
    def what(self, finding: Finding) -> str:
        """Return "wrong odds"."""
        return word(finding.kind)

    @admin.display(description=_("severity"))
    def severity_word(self, finding: Finding) -> SafeString:
        """Return how grave it is; a statistical flag says that it is one."""
        return chip("flag" if finding.flag else finding.get_severity_display(), TONES.get(Finding.Severity(finding.severity), ""))

    @admin.display(description=_("state"))
    def state_word(self, finding: Any) -> SafeString:
        """Return what became of it."""
        return chip(finding.state or "", "warn" if finding.state != FindingEvent.State.CLOSED else "")

    @admin.display(description=_("table"))
    def table(self, finding: Finding) -> str:
        """Return the table's code."""
        return finding.session.table.code if finding.session else shown.NOTHING

    @admin.display(description=_("round"))
    def round_number(self, finding: Finding) -> str:
        """Return the round's number."""
        return str(finding.round.number) if finding.round else shown.NOTHING

    @admin.display(description=_("seat"))
    def spot(self, finding: Finding) -> str:
        """Return "4 · trips"; of a flag what stands out."""
        if finding.flag and "subject" in finding.facts:
            return f"{finding.facts['scope']} {finding.facts['subject']}"
        said = [str(finding.seat or ""), bet_word(finding.wager)]
        return " · ".join(filter(None, said)) or shown.NOTHING

    @admin.display(description=_("dealer"))
    def dealer_code(self, finding: Finding) -> str:
        """Return who dealt."""
        return finding.dealer.code if finding.dealer else shown.NOTHING

    @admin.display(description=_("effect"))
    def effect_sum(self, finding: Finding) -> SafeString:
        """Return the effect from the house's side."""
        return figure(shown.signed(finding.effect, finding.shift.property), "bad" if finding.effect else "dim")

    @admin.display(description=_("found"))
    def found_at(self, finding: Finding) -> str:
        """Return when it was found, by the house's clock."""
        return shown.stamp(finding.recorded_at, finding.shift.property)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the finding's page; a step that is posted is taken first, and what is wrong with it stands at its field."""
        verb = request.POST.get("verb", "")
        if request.method != "POST" or verb not in FORMS:
            return super().change_view(request, object_id, form_url, extra_context)
        user, finding = person(request), self.get_object(request, object_id)
        form = form_for(verb, finding, request.POST)
        if form.done(user, timezone.now()):
            messages.success(request, gettext("%(button)s: done.") % {"button": form.button})
            return HttpResponseRedirect(request.path)
        request.method = "GET"  # the page is looked at again, with what was typed
        response = super().change_view(request, object_id, form_url, {**(extra_context or {}), "bound": form})
        response.status_code = 400
        return response

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the finding's page: its round, due and done, the reason sheet, its case and the steps of whoever looks. In a dozen queries."""
        finding: Any = context["original"]
        user, now = person(request), timezone.now()
        events = list(finding.events.select_related("by", "owner").order_by("sequence"))
        bound = context.get("bound")
        verbs = verbs_for(user, finding, events)
        if bound is not None and bound.verb not in verbs:
            verbs.insert(0, bound.verb)
        closed = finding.state == FindingEvent.State.CLOSED
        saved, lost = sums_of(finding)
        more = {
            "finding": finding,
            "house": finding.shift.property,
            "tone": TONES.get(Finding.Severity(finding.severity), ""),
            "story": _story(finding),
            "recorded": recorded_of(finding.session, user) if finding.session and finding.round is None else [],
            "why": reason_in_words(finding),
            "notes": [(label, _fact(finding, key)) for key, label in FACTS if finding.facts.get(key)],
            "events": events,
            "evidence": list(finding.evidence.select_related("by")),
            "forms": [bound if bound is not None and bound.verb == verb else form_for(verb, finding) for verb in verbs],
            "due_at": due_at(finding.recorded_at, finding.severity),
            "overdue": not closed and is_overdue(finding.recorded_at, finding.severity, at=now),
            "age": "" if closed else in_days(now - finding.recorded_at),
            "cause_words": finding.cause and gettext(CAUSES[finding.cause]),
            "saved": saved,
            "lost": lost,
            "profile": dealer_profile(finding.dealer, last=finding.shift.gaming_day) if finding.dealer else None,
            "title": f"{capfirst(word(finding.kind))} · {finding.session.table.code if finding.session else finding.shift}",
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)


def _fact(finding: Finding, key: str) -> str:
    """Return a fact in words: rows of the paytable and what became of a mistake in the reader's language, what people wrote as it is."""
    text = str(finding.facts[key])
    if key.startswith("row_"):
        return row_word(text, finding.wager)
    return word(text) if key == "mispaid" else text


def _story(finding: Finding) -> Any:
    played = finding.round
    if played is None:
        return None
    wagers = list(Wager.objects.filter(round=played, gaming_day=played.gaming_day).order_by("line"))
    return tell(played, wagers)
