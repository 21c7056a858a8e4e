"""Jobs as pages: what workers do, did and could not do, with the two orders that one gives them: cancel, and take up again."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from casino import jobs, shown
from casino.errors import CasinoError
from casino.models import Job, JobEvent, User
from casino.read_only import ReadOnlyAdmin, SeenInline, person
from casino.word_filter import WordFilter
from casino.words import word

ORDERS = {"cancel": jobs.cancel, "resume": jobs.resume}


class JobEventsInline(SeenInline):
    """Who cancelled it, and who took it up again."""

    model = JobEvent
    fields = readonly_fields = ("action", "by", "at")
    ordering = ("-sequence",)
    verbose_name_plural = _("cancelled, taken up again")

    @admin.display(description=_("at"))
    def at(self, event: JobEvent) -> str:
        """Return when."""
        return shown.utc(event.recorded_at)


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """What workers do, did and could not do: one's own; an administrator sees all."""

    list_display = ("what", "state_word", "how_far", "attempts", "asked_by", "asked", "finished")
    list_filter = ("state", ("kind", WordFilter))
    list_select_related = ("asked_by",)
    inlines = (JobEventsInline,)
    change_form_template = "admin/casino/job/page.html"
    change_list_template = "admin/casino/job/list.html"
    fields = ("kind", "key", "state_word", "how_far", "attempts", "asked_by", "asked", "due", "started", "finished", "worker", "error", "result")

    def mine(self, user: User) -> QuerySet[Job]:
        """Return the jobs that `user` asked for, or all."""
        return jobs.jobs_for(user)

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses and those of the orders."""
        seen = self.admin_site.admin_view(require_POST(self.order_view))
        orders = [path(f"<int:pk>/{order}/", seen, {"order": order}, name=f"casino_job_{order}") for order in ORDERS]
        return [*orders, *super().get_urls()]

    def order_view(self, request: HttpRequest, pk: int, order: str) -> HttpResponse:
        """Cancel the job or take it up again, and return to it; the service says who may."""
        job = self.mine(person(request)).filter(pk=pk).first()
        if job is None:
            raise Http404(gettext("There is no such job."))
        try:
            ORDERS[order](job, person(request))
        except CasinoError as error:
            messages.error(request, error.message)
        else:
            messages.success(
                request, gettext("The job ends as soon as its part is done.") if order == "cancel" else gettext("The job is queued again.")
            )
        return HttpResponseRedirect(reverse("admin:casino_job_change", args=[pk]))

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the job's page, with the orders that its state allows."""
        job: Job = context["original"]
        more = {
            "may_cancel": job.state in jobs.OPEN and not jobs.is_cancelled(job),
            "may_resume": job.state in (Job.State.CANCELLED, Job.State.FAILED),
            "running": job.state in jobs.OPEN,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    @admin.display(description=_("job"))
    def what(self, job: Job) -> str:
        """Return "close shift"."""
        return word(job.kind)

    @admin.display(description=_("asked"))
    def asked(self, job: Job) -> str:
        """Return when it was asked for."""
        return shown.utc(job.asked_at)

    @admin.display(description=_("due"))
    def due(self, job: Job) -> str:
        """Return from when on it is to be done."""
        return shown.utc(job.due_at)

    @admin.display(description=_("started"))
    def started(self, job: Job) -> str:
        """Return when a worker last began with it."""
        return shown.utc(job.started_at)

    @admin.display(description=_("finished"))
    def finished(self, job: Job) -> str:
        """Return when it ended."""
        return shown.utc(job.finished_at)

    @admin.display(description=_("state"), ordering="state")
    def state_word(self, job: Job) -> str:
        """Return the state as a chip."""
        return format_html('<span class="chip {}">{}</span>', job.state, job.get_state_display())

    @admin.display(description=_("progress"))
    def how_far(self, job: Job) -> SafeString | str:
        """Return how far a running job is, from Valkey."""
        step = jobs.progress_of(job) if job.state == Job.State.RUNNING else None
        if step is None:
            return shown.NOTHING
        if not step.total:
            return f"{step.done} {step.what}"
        bar = '<progress value="{0}" max="{1}" aria-label="{2}">{0} / {1}</progress> {0} / {1} {3}'
        return format_html(bar, step.done, step.total, gettext("progress"), step.what)
