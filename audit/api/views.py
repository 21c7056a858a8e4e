"""A shift's report, for machines."""

from __future__ import annotations

import json
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.schema import ShiftReportAnswer
from audit.exports import render
from audit.reports import shift as shift_report
from audit.selectors import shift_for
from casino import roles
from casino.models import User
from tables.api.views import ERRORS
from tables.models import Shift


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
