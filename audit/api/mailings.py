"""Reports by e-mail for machines: what one wants, asked for and ended."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.bodies import read_body
from audit.api.findings import the_user
from audit.mailings import NARROWING, subscribe, unsubscribe
from audit.models import Mailing
from casino import roles
from tables.api.views import ERRORS
from tables.selectors import house_of

FIELDS = {"report": str, "format": str, "every": str, "property": str, **dict.fromkeys(NARROWING, str)}


class MailingsView(GenericAPIView):
    """What one wants by e-mail."""

    queryset = Mailing.objects.none()

    @extend_schema(operation_id="mailings_list", responses={200: OpenApiTypes.OBJECT, **ERRORS})
    def get(self, request: Request) -> Response:
        """List one's own mailings that go on."""
        rows = Mailing.objects.filter(user=the_user(request), ended_at__isnull=True).select_related("property")
        return Response({"results": [_answer(row) for row in rows]})

    @extend_schema(operation_id="mailings_subscribe", request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request) -> Response:
        """Have a report sent to one's own address: report, format, every (day, week, month), property, and what narrows it."""
        user = the_user(request)
        roles.require(user, "open_reports")
        said = read_body(request.data, FIELDS, ("report", "format", "every", "property"))
        filters = {name: said[name] for name in NARROWING}
        kept = subscribe(said["report"], fmt=said["format"], every=said["every"], house=house_of(said["property"]), filters=filters, by=user)
        return Response(_answer(kept), status=201)


class EndMailingView(GenericAPIView):
    """The end of a mailing."""

    queryset = Mailing.objects.none()

    @extend_schema(operation_id="mailings_end", request=None, responses={200: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """End one of one's own; again is once."""
        return Response(_answer(unsubscribe(uuid, by=the_user(request), at=timezone.now())))


def _answer(row: Mailing) -> dict[str, Any]:
    return {
        "uuid": str(row.uuid),
        "report": row.report,
        "format": row.format,
        "every": row.every,
        "property": row.property.code,
        "filters": row.filters,
        "ended_at": row.ended_at.isoformat() if row.ended_at else None,
    }
