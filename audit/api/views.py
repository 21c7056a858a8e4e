"""A shift's report, for machines."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.http import FileResponse
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.bodies import read_body
from audit.api.schema import ReportLine, ShiftReportAnswer
from audit.exporting import ask_export, file_of
from audit.exports import Format, media_type, render
from audit.reports import shift as shift_report
from audit.reports.catalogue import report_for, reports_for
from audit.reports.scope import FIELDS, read_scope
from audit.selectors import shift_for
from casino import roles
from casino.errors import NotFound
from casino.models import User
from tables.api.views import ERRORS
from tables.models import Shift
from tables.selectors import gaming_day_now


class ShiftReportView(GenericAPIView):
    """The shift report as JSON, the very content of the CSV, XLSX and PDF."""

    queryset = Shift.objects.none()
    serializer_class = ShiftReportAnswer

    @extend_schema(operation_id="shift_report", responses={200: ShiftReportAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read the report of a shift of one's pits. 409 where the shift is not reconciled yet."""
        user = request.user
        assert isinstance(user, User)
        roles.require(user, "read_reports")
        return Response(json.loads(render(shift_report.build(shift_for(user, uuid), for_user=user), "json")))


class ReportsView(GenericAPIView):
    """The reports that one may read."""

    queryset = Shift.objects.none()
    serializer_class = ReportLine

    @extend_schema(operation_id="reports_list", responses={200: ReportLine(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List them by title."""
        user = request.user
        assert isinstance(user, User)
        return Response([ReportLine(report).data for report in reports_for(user)])


class ExportsView(GenericAPIView):
    """A report as a file, written by a worker."""

    queryset = Shift.objects.none()

    @extend_schema(operation_id="reports_export", request=OpenApiTypes.OBJECT, responses={202: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, key: str) -> Response:
        """Ask for the report as a file: format, token (the same again is the same job), and what narrows it. 202, with the job to ask."""
        user = request.user
        assert isinstance(user, User)
        roles.require(user, "open_reports")
        said = read_body(request.data, {"format": str, "token": str, **dict.fromkeys(FIELDS, str)}, ("format", "token"))
        today = gaming_day_now(timezone.now(), said["property"])
        job = ask_export(key, said, said["format"], token=said["token"], today=today, by=user)
        return Response({"job": str(job.uuid), "state": job.state}, status=202)


class ReportFileView(GenericAPIView):
    """A file that a worker wrote."""

    queryset = Shift.objects.none()

    @extend_schema(operation_id="reports_file", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> FileResponse:
        """Read a file of one's own; the job's result names it. 404 where it is somebody else's."""
        user = request.user
        assert isinstance(user, User)
        kept = file_of(user, uuid)
        path = Path(kept.path)
        if not path.is_relative_to(settings.REPORTS) or not path.is_file():
            raise NotFound("no_file", gettext("The file is not there any more."))
        fmt: Format = kept.format  # type: ignore[assignment]
        return FileResponse(path.open("rb"), as_attachment=True, filename=path.name, content_type=media_type(fmt))


class ReportView(GenericAPIView):
    """One report of the catalogue as JSON, the very content of its CSV, XLSX and PDF."""

    queryset = Shift.objects.none()
    serializer_class = ShiftReportAnswer

    @extend_schema(
        operation_id="reports_read",
        responses={200: ShiftReportAnswer, **ERRORS},
        parameters=[OpenApiParameter(name, str) for name in FIELDS],
    )
    def get(self, request: Request, key: str) -> Response:
        """Read it, narrowed by the address; a filter that cannot be is a 400 that names each field."""
        user = request.user
        assert isinstance(user, User)
        kind = report_for(user, key)
        scope = read_scope(request.query_params.dict(), user, gaming_day_now(timezone.now(), request.query_params.get("property", "")), kind.action)
        return Response(json.loads(render(kind.report(scope), "json")))
