"""Drop boxes: pulled from closed tables by two carriers, counted by two of the count team. Neither sees the pit's figures here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles
from casino.models import User
from casino.money import Minor
from casino.read_only import person
from tables.admin.act import Act, answer
from tables.admin.act_forms import BoxForm, DropForm
from tables.admin.chips import AtTable
from tables.admin.figures import chip
from tables.models import BoxPull, SessionEvent, TableSession
from tables.selectors import sessions_in
from tables.services import boxes

WAITING_SHOWN = 60


@admin.register(BoxPull)
class BoxPullAdmin(AtTable):
    """The boxes that were pulled; the count team counts those that wait."""

    action = "read_boxes"
    list_display = ("what", "table", "at", "counted", "carried_by", "carried_with")
    list_select_related = (*AtTable.list_select_related, "carried_by", "carried_with")
    change_form_template = "admin/tables/boxpull/page.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether they carry boxes."""
        return isinstance(request.user, User) and roles.may(request.user.roles, "carry_box")

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the boxes of one's pits, with how often they were counted."""
        from django.db.models import Count

        rows = super().mine(user).select_related(*self.list_select_related, "session__table__pit")
        return rows.annotate(times=Count("counts"))

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and the count's."""
        return [path("<int:pk>/count/", self.admin_site.admin_view(self.count_view), name="tables_boxpull_count"), *super().get_urls()]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the page where a box is pulled: from which table, then its number and seal."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        user, key = person(request), request.GET.get("session", "")
        waiting = _unpulled(user)
        if not (key.isascii() and key.isdigit() and len(key) < 18):
            context = {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": gettext("Pull a box"),
                "sessions": list(waiting[:WAITING_SHOWN]),
            }
            return render(request, "admin/tables/boxpull/choose.html", context)
        session = waiting.filter(pk=int(key)).first()
        if session is None:
            raise Http404(gettext("There is no such table whose box waits."))

        def perform(form: BoxForm, at: Any, by: User) -> str:
            carrier, _ = form.signatures(at=at, by=by)
            assert carrier is not None
            boxes.pull_box(session, box=form.cleaned_data["box"], seal=form.cleaned_data["seal"], at=at, by=by, carrier=carrier)
            return gettext("The box of %(table)s is pulled.") % {"table": session.table}

        here = reverse("admin:tables_boxpull_changelist")
        lead = gettext("Two carry it: you, and the second person who signs.")
        act = Act(
            gettext("%(table)s · pull the box") % {"table": session.table},
            gettext("Pull the box"),
            BoxForm,
            session.table.property,
            perform,
            here,
            (gettext("Boxes"), here),
            lead,
        )
        return answer(request, act, self.admin_site, BoxPull)

    def count_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page where a box is counted."""
        user = person(request)
        if not roles.may(user.roles, "count_drop"):
            raise PermissionDenied
        pull = get_object_or_404(self.mine(user), pk=pk)
        session = pull.session

        def perform(form: DropForm, at: Any, by: User) -> str:
            witness, _ = form.signatures(at=at, by=by)
            said = form.cleaned_data
            sums = {name: Minor(said[name] or 0) for name in ("instruments", "tickets", "coupons")}
            found = boxes.DropSlip(form.count, **sums)
            assert witness is not None
            boxes.count_drop(session, found, box=said["box"], seal=said["seal"], at=at, by=by, witness=witness)
            return gettext("Box %(box)s of %(table)s is counted.") % {"box": pull.box, "table": session.table}

        here = reverse("admin:tables_boxpull_changelist")
        lead = gettext("Type number and seal as they are on the box. Two of the count team sign.")
        act = Act(
            gettext("%(table)s · count the box") % {"table": session.table},
            gettext("Sign the count"),
            DropForm,
            session.table.property,
            perform,
            here,
            (gettext("Boxes"), here),
            lead,
        )
        return answer(request, act, self.admin_site, BoxPull)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the box's page."""
        pull: Any = context["original"]
        waits = not pull.times or pull.session.reopenings.filter(count="drop", events__state="approved").exclude(events__state="counted").exists()
        more = {
            "pull": pull,
            "house": pull.session.table.property,
            "may_count": waits and roles.may(person(request).roles, "count_drop"),
            "title": gettext("Box %(box)s · %(code)s") % {"box": pull.box, "code": pull.session.table.code},
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    @admin.display(description=_("box"))
    def what(self, pull: BoxPull) -> str:
        """Return "B-UTH-01"."""
        return pull.box

    @admin.display(description=_("state"))
    def counted(self, pull: Any) -> SafeString:
        """Return whether it was counted."""
        return chip("counted", "good") if pull.times else chip(gettext("waits for the count"), "warn")


def _unpulled(user: User) -> QuerySet[Any]:
    """Return the closed sessions of one's pits (of the count team: all) whose box was not pulled yet, newest first."""
    sessions = TableSession.objects.filter(box=None).select_related("table__property", "table__pit", "shift")
    pits = roles.pits_for(user, "carry_box")
    closed = sessions_in(SessionEvent.State.CLOSED, sessions if pits is None else sessions.filter(table__pit__code__in=pits))
    other = BoxPull.objects.filter(per_day=True).values_list("table", "gaming_day")
    taken = Q()
    for table, day in other.order_by("-id")[:WAITING_SHOWN]:
        taken |= Q(table=table, shift__gaming_day=day)
    return (closed.exclude(taken) if taken else closed).order_by("-pk")
