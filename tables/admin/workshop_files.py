"""A version out of the house: its JSON, and the sheet that is laid at the table."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from tables.admin.workshop_pages import someone_who_may
from tables.models import PaytableVersion
from tables.services.paytables import export_paytable, sheet_of


@require_safe
def json_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the version as a JSON file, which reads back as the same version."""
    version = _version(request, pk)
    return _file(export_paytable(version), "application/json", f"{version}.json")


@require_safe
def sheet_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the version's sheet as PDF: odds and rules in words, the short code, the hash and its QR."""
    version = _version(request, pk)
    return _file(sheet_of(version), "application/pdf", f"{version}.pdf")


def _version(request: HttpRequest, pk: int) -> PaytableVersion:
    someone_who_may(request, "read_paytables")
    return get_object_or_404(PaytableVersion.objects.select_related("proposed_by", "approved_by"), pk=pk)


def _file(content: bytes, media_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
