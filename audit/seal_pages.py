"""Sealed shifts as people see them: the list, the checkpoint with its QR code, bundle and proof to take along, the alarm's acknowledgement."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path
from typing import IO, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from audit.bundles import export_bundle, proof_of
from audit.checker import checker_sha256
from audit.checkpoints import qr_address
from casino import roles, shown
from casino.errors import CasinoError
from casino.models import User
from casino.read_only import ReadOnlyAdmin, person
from casino.roles import may
from casino.step_up_form import StepUpForm
from ledger import notes, published, seal_key
from ledger.alarms import acknowledge
from ledger.models import CheckpointAlarm, Segment
from tables.admin.figures import chip
from tables.models import Shift
from tables.selectors import round_for

ONE_MACHINE = _("This machine's own processes can read the key that signs: sealing is not apart from the rest of the house here.")
ONE_DISK = _("The file of published checkpoints lies on this machine, with the books: whoever loses or changes one can lose or change both.")


class Acknowledgement(StepUpForm):
    """Why the books are behind what was published, and the password again."""

    reason = forms.CharField(max_length=300, label=_("What happened"), help_text=_("Which backup was restored, when, by whom."))


@admin.register(Segment)
class SegmentAdmin(ReadOnlyAdmin):
    """Sealed shifts, newest first. Signed text is shown as it is; nothing here can be changed."""

    list_display = ("number", "shift_name", "gaming_day", "leaf_count", "state", "sealed_at")
    list_display_links = ("number", "shift_name")
    list_select_related = ("signed",)
    ordering = ("-number",)
    change_list_template = "admin/ledger/segment/list.html"
    change_form_template = "admin/ledger/segment/page.html"

    def mine(self, user: User) -> QuerySet[Segment]:
        """Return every sealed shift, with its kind: the book is one."""
        kind = Shift.objects.filter(uuid=OuterRef("shift")).values("kind")[:1]
        return Segment.objects.select_related("signed__key").annotate(shift_kind=Subquery(kind))

    def get_urls(self) -> list[URLPattern]:
        """Return Django's addresses, and those of files and of the alarm."""
        seen = self.admin_site.admin_view
        return [
            path("<int:pk>/bundle.zip", seen(self.bundle), name="ledger_segment_bundle"),
            path("<int:pk>/checkpoint.txt", seen(self.checkpoint), name="ledger_segment_checkpoint"),
            path("proof/<uuid:uuid>.json", seen(self.proof), name="ledger_segment_proof"),
            path("acknowledge/", seen(self.acknowledge), name="ledger_segment_acknowledge"),
            *super().get_urls(),
        ]

    @admin.display(description=_("shift"))
    def shift_name(self, segment: Any) -> str:
        """Return "Swing shift"; of a shift that is not in the database, its UUID."""
        return f"{segment.shift_kind.capitalize()} shift" if segment.shift_kind else str(segment.shift)

    @admin.display(description=_("state"))
    def state(self, segment: Segment) -> SafeString:
        """Return whether it is signed, waits for that, or lost its leaves."""
        return chip(*_state(segment))

    @admin.display(description=_("sealed"))
    def sealed_at(self, segment: Segment) -> str:
        """Return when."""
        return shown.utc(segment.recorded_at)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the list, with the alarm above it where there is one."""
        more = {"alarm": published.alarm(), "form": Acknowledgement(), "may_acknowledge": may(person(request).roles, "acknowledge_checkpoint")}
        words = gettext("No shift is sealed yet. Once a shift is signed by two people, it is sealed and stands here.")
        return super().changelist_view(request, {**more, "one_machine": _one_machine(), "empty_words": words, **(extra_context or {})})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer a sealed shift's page."""
        segment: Segment = context["original"]
        signed = getattr(segment, "signed", None)
        words, tone = _state(segment)
        short = notes.short(segment.checkpoint)
        more = {
            "segment": segment,
            "signed": signed,
            "state": words,
            "tone": tone,
            "shift": Shift.objects.filter(uuid=segment.shift).first(),
            "note": signed.note if signed else segment.checkpoint,
            "short": short,
            "qr": qr_address(short),
            "key": notes.verifier_key(signed.key.origin, bytes(signed.key.public)) if signed else "",
            "key_sha256": notes.fingerprint(bytes(signed.key.public)) if signed else "",
            "checker_sha256": checker_sha256(),
            "alarm": CheckpointAlarm.objects.filter(kind=CheckpointAlarm.Kind.AHEAD, number=segment.number).select_related("by").first(),
            "has_leaves": segment.leaves.exists(),
            "root": bytes(segment.root).hex(),
            "outer_root": bytes(segment.outer_root).hex(),
            "title": gettext("Sealed shift %(number)s") % {"number": segment.number},
            "subtitle": None,
        }
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    def bundle(self, request: HttpRequest, pk: int) -> FileResponse:
        """Answer the shift's bundle as a ZIP; `?names=1` with the texts. 409 where it is not signed yet."""
        segment = self._segment(request, pk)
        with tempfile.TemporaryDirectory() as folder:
            made = export_bundle([segment], Path(folder) / f"pitbook-{pk:06d}", with_names=request.GET.get("names") == "1")
            packed = _zip(made)
        return FileResponse(packed, as_attachment=True, filename=f"pitbook-{pk:06d}.zip", content_type="application/zip")

    def checkpoint(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the signed checkpoint as it was published."""
        segment = self._segment(request, pk)
        signed = getattr(segment, "signed", None)
        text = signed.note if signed else segment.checkpoint
        name = f'attachment; filename="checkpoint-{pk:06d}.txt"'
        return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Content-Disposition": name})

    def proof(self, request: HttpRequest, uuid: Any) -> HttpResponse:
        """Answer the proof that a round of one's pits is in the signed book. 404 where its shift is not sealed."""
        text = json.dumps(proof_of(round_for(person(request), uuid)), ensure_ascii=False, indent=1)
        return HttpResponse(text, content_type="application/json", headers={"Content-Disposition": f'attachment; filename="proof-{uuid}.json"'})

    def acknowledge(self, request: HttpRequest) -> HttpResponse:
        """Acknowledge the alarm with the password again, and return to the list; the service says who may."""
        if request.method != "POST" or not self.has_view_permission(request):
            raise PermissionDenied
        form, by = Acknowledgement(request.POST), person(request)
        try:
            roles.require(by, "acknowledge_checkpoint")
            done = acknowledge(reason=form.cleaned_data["reason"], by=by) if form.confirms(by, at=timezone.now()) else None
        except CasinoError as error:
            form.add_error("reason", error.message)
            done = None
        if done is not None:
            messages.success(
                request,
                ngettext("Acknowledged: %(n)s checkpoint. Posting goes on.", "Acknowledged: %(n)s checkpoints. Posting goes on.", len(done))
                % {"n": len(done)},
            )
            return HttpResponseRedirect(reverse("admin:ledger_segment_changelist"))
        more = {"alarm": published.alarm(), "form": form, "may_acknowledge": True, "title": gettext("Acknowledge the alarm"), "opts": self.opts}
        return TemplateResponse(request, "admin/ledger/segment/acknowledge.html", {**self.admin_site.each_context(request), **more}, status=400)

    def _segment(self, request: HttpRequest, pk: int) -> Segment:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(self.mine(person(request)), pk=pk)


def _state(segment: Segment) -> tuple[str, str]:
    if not hasattr(segment, "signed"):
        return (gettext("waits for its signature"), "warn")
    if not segment.marks:  # taken over from its checkpoint: nothing was gathered here
        return (gettext("leaves lost, acknowledged"), "bad")
    return (gettext("signed"), "good")


def _one_machine() -> list[str]:
    """Return what is not apart here, in words."""
    return [str(ONE_MACHINE)] * seal_key.is_readable() + [str(ONE_DISK)] * published.is_beside_the_books()


def _zip(folder: Path) -> IO[bytes]:
    """Return an open temporary file with the folder's ZIP, at its beginning."""
    packed = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for one in sorted(path for path in folder.rglob("*") if path.is_file()):
            out.write(one, one.relative_to(folder.parent))
    packed.seek(0)
    return packed
