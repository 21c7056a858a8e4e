"""What the house shows of itself: people and their roles; jobs and alarms, each in a file of its own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import alarm_admin, job_admin, people, roles, shown, step_up_admin, token_pages  # noqa: F401 - three register their pages
from casino.errors import CasinoError
from casino.models import RoleEvent, User
from casino.read_only import SeenInline, person
from casino.words import word


class NewPerson(BaseUserCreationForm):
    """Who is hired: staff number, name and a first password."""

    class Meta:
        model = User
        fields = ("username", "name")


class RoleOrder(forms.Form):
    """What is done about a person's role."""

    role = forms.ChoiceField(choices=roles.CHOICES)
    pits = forms.CharField(required=False, max_length=200, help_text=_("Codes of pits, separated by spaces; empty for all."))
    action = forms.ChoiceField(choices=[("grant", _("Grant")), ("review", _("Review")), ("withdraw", _("Withdraw"))])


class RolesInline(SeenInline):
    """A person's role events, newest first."""

    model = RoleEvent
    fk_name = "user"
    fields = readonly_fields = ("role", "action", "pits", "by", "at")
    ordering = ("-sequence",)
    verbose_name_plural = _("roles: granted, reviewed, withdrawn")

    @admin.display(description=_("at"))
    def at(self, event: RoleEvent) -> str:
        """Return when."""
        return shown.utc(event.recorded_at)


@admin.register(User)
class PeopleAdmin(UserAdmin):
    """Who works here. Leavers are marked, never deleted; roles are granted by one person and reviewed by another."""

    actions = None
    add_form = NewPerson
    add_fieldsets = ((None, {"fields": ("username", "name", "password1", "password2")}),)
    fieldsets = ((None, {"fields": ("username", "name", "email", "is_active", "last_use")}),)
    readonly_fields = ("last_use",)
    list_display = ("username", "name", "roles_held", "is_active", "last_use")
    list_filter = ("is_active",)
    search_fields = ("username", "name")
    ordering = ("username",)
    filter_horizontal = ()
    inlines = (RolesInline,)
    change_form_template = "admin/person.html"

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return no: a leaver's name stays on what they did."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Return what is not typed; a staff number is given once."""
        return (*self.readonly_fields, "username") if obj else self.readonly_fields

    def get_inlines(self, request: HttpRequest, obj: Model | None) -> Any:
        """Return the roles of a person who is here already."""
        return self.inlines if obj else ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return everyone, with what `roles_held` needs. Two queries a page."""
        return super().get_queryset(request).prefetch_related("role_events")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Hire, or keep what was changed of a person."""
        if change:
            super().save_model(request, obj, form, change)
            return
        hired = people.hire(obj.username, obj.name, form.cleaned_data["password1"], by=person(request))
        obj.pk, obj.password = hired.pk, hired.password
        obj._state.adding = False

    @admin.display(description=_("last signed in"), ordering="last_login")
    def last_use(self, user: User) -> str:
        """Return when they last signed in."""
        return shown.utc(user.last_login)

    @admin.display(description=_("roles in effect"))
    def roles_held(self, user: User) -> str:
        """Return "pit boss (P1), supervisor"."""
        events = sorted(user.role_events.all(), key=lambda event: event.sequence)
        held = roles.in_effect((event.role, event.action, tuple(event.pits) if event.pits else None) for event in events)
        return ", ".join(f"{word(role)}{f' ({chr(32).join(pits)})' if pits else ''}" for role, pits in sorted(held.items())) or "—"

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses, the one where a role is granted, reviewed or withdrawn, and those of API tokens."""
        seen = self.admin_site.admin_view
        return [
            path("<int:pk>/role/", seen(self.role_view), name="casino_user_role"),
            path("<int:pk>/tokens/", seen(self.tokens_view), name="casino_user_tokens"),
            path("<int:pk>/tokens/<uuid:uuid>/withdraw/", seen(self.withdraw_view), name="casino_user_token_withdraw"),
            *super().get_urls(),
        ]

    def tokens_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer a person's API tokens, and make one."""
        return token_pages.tokens_page(request, self, self._seen(request, pk))

    def withdraw_view(self, request: HttpRequest, pk: int, uuid: UUID) -> HttpResponse:
        """Withdraw one of a person's API tokens."""
        return token_pages.withdraw_page(request, self, self._seen(request, pk), uuid)

    def _seen(self, request: HttpRequest, pk: int) -> User:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(self.get_queryset(request), pk=pk)

    def role_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Do what was ordered about a role, and return to the person; the service says who may."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        form = RoleOrder(request.POST)
        if request.method == "POST" and not _order(request, get_object_or_404(self.get_queryset(request), pk=pk), form):
            request.method = "GET"  # the page is looked at again, with what was typed
            response = self.change_view(request, str(pk), extra_context={"role_form": form})
            response.status_code = 400
            return response
        return HttpResponseRedirect(reverse("admin:casino_user_change", args=[pk]))

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Return Django's page, but not for somebody who approves or reviews: whoever set that password could approve as them."""
        user = get_object_or_404(self.get_queryset(request), pk=id) if id.isascii() and id.isdigit() and len(id) < 18 else None
        if user is None or user.roles.keys() & roles.APPROVING:
            raise PermissionDenied
        return super().user_change_password(request, id, form_url)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the person's page, with the form for roles and the API tokens."""
        return super().change_view(request, object_id, form_url, {"role_form": RoleOrder(), **(extra_context or {})})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the form; a person who is here already has their API tokens beside it."""
        user = context.get("original")
        more = token_pages.token_lines(user, person(request)) if isinstance(user, User) else {}
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)


def _order(request: HttpRequest, user: User, form: RoleOrder) -> bool:
    """Return whether what was ordered was done; what is wrong with it stands at its field, or above the form."""
    if not form.is_valid():
        return False
    said = form.cleaned_data
    by, role = person(request), said["role"]
    try:
        if said["action"] == "grant":
            people.grant_role(user, role, by=by, pits=said["pits"].split() or None)
        elif said["action"] == "review":
            people.review_role(user, role, by=by)
        else:
            people.withdraw_role(user, role, by=by)
    except CasinoError as error:
        form.add_error(error.where if error.where in form.fields else None, error.message)
        return False
    waits = said["action"] == "grant" and role in roles.APPROVING
    done = {"grant": "granted", "review": "reviewed", "withdraw": "withdrawn"}[said["action"]]
    messages.success(request, f"{word(role)} {word(done)}." + (gettext(" It takes effect when an auditor has reviewed it.") if waits else ""))
    return True
