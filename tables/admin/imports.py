"""Files of rounds: handed in here, imported by a worker, and looked at afterwards with every round that they brought."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.errors import CasinoError
from casino.jobs import progress_of
from casino.models import Job
from casino.read_only import ReadOnlyAdmin, person
from tables.models import ImportedRound, RoundImport
from tables.services.import_files import KIND, ask_import

SHOWN = 200


class FileForm(forms.Form):
    """A file of slips, and whether to rehearse only."""

    file = forms.FileField(label=_("File"), help_text=_("One JSON slip a line, or CSV with a line a seat (.csv)."))
    dry_run = forms.BooleanField(label=_("Only check it, keep nothing"), required=False)


@admin.register(RoundImport)
class RoundImportAdmin(ReadOnlyAdmin):
    """The files that were imported, newest first."""

    list_display = ("name", "rounds", "already", "by", "recorded")
    list_select_related = ("by",)
    ordering = ("-id",)
    fields = ("name", "sha256", "rounds", "already", "by", "recorded", "brought")
    change_list_template = "admin/tables/roundimport/list.html"

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses, the one where a file is handed in, and the one that says what came of it."""
        seen = self.admin_site.admin_view
        return [
            path("new/", seen(self.hand_in), name="tables_roundimport_new"),
            path("job/<uuid:uuid>/", seen(self.came_of), name="tables_roundimport_job"),
            *super().get_urls(),
        ]

    @admin.display(description=_("recorded"))
    def recorded(self, kept: RoundImport) -> str:
        """Return when it was imported."""
        return shown.utc(kept.recorded_at)

    @admin.display(description=_("rounds that it brought"))
    def brought(self, kept: RoundImport) -> str:
        """Return their labels, the first ones of a long file."""
        found = ImportedRound.objects.filter(source=kept).select_related("round").order_by("line")[: SHOWN + 1]
        labels = [one.round.label for one in found]
        return ", ".join(labels[:SHOWN]) + (" …" if len(labels) > SHOWN else "")

    def hand_in(self, request: HttpRequest) -> HttpResponse:
        """Take a file, and go to what comes of it; what is wrong with it stands at its field."""
        user = person(request)
        if not roles.may(user.roles, "import"):
            raise PermissionDenied
        form = FileForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            file = form.cleaned_data["file"]
            try:
                job = ask_import(file.read(), name=file.name or "slips", by=user, dry_run=form.cleaned_data["dry_run"])
            except CasinoError as error:
                form.add_error("file", error.message)
            else:
                return HttpResponseRedirect(reverse("admin:tables_roundimport_job", args=[job.uuid]))
        return self._page(request, "admin/tables/roundimport/new.html", {"form": form, "title": gettext("Import rounds")})

    def came_of(self, request: HttpRequest, uuid: Any) -> HttpResponse:
        """Answer what came of a file: rounds added, in already, or every error by line and field."""
        user = person(request)
        job = Job.objects.filter(uuid=uuid, kind=KIND).first()
        if job is None or (job.asked_by_id != user.pk and not roles.may(user.roles, "review_users")):
            raise Http404(gettext("There is no such import."))
        step = progress_of(job) if job.state == Job.State.RUNNING else None
        title = gettext("Import of %(result)s") % {"result": job.result["name"]} if job.result else gettext("Import")
        return self._page(request, "admin/tables/roundimport/job.html", {"job": job, "step": step, "result": job.result, "title": title})

    def _page(self, request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
        return render(request, template, {**self.admin_site.each_context(request), "opts": self.opts, **context})
