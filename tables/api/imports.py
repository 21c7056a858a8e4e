"""Rounds by the file: handed in, and what came of it. A worker imports; the answer stands with its job."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from casino import roles
from casino.errors import NotFound
from casino.models import Job, User
from tables.api.schema import ErrorAnswer
from tables.services.import_files import KIND, LARGEST_FILE, ask_import

ERRORS = dict.fromkeys((400, 401, 403, 404, 503), ErrorAnswer)


class LinesParser(BaseParser):
    """The body as it is: one JSON slip a line."""

    media_type = "application/x-ndjson"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> bytes:
        """Return the bytes; raises ParseError where there are too many."""
        body: bytes = stream.read(LARGEST_FILE + 1)
        if len(body) > LARGEST_FILE:
            raise ParseError(gettext("the body is larger than %(megabytes)s MB") % {"megabytes": LARGEST_FILE // 2**20}, code="too_large")
        return body


class CsvParser(LinesParser):
    """The body as it is: CSV with a line a seat."""

    media_type = "text/csv"


class ImportAnswer(serializers.Serializer[Any]):
    """An import: how it stands, and when it is over what came of it."""

    uuid = serializers.UUIDField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    result = serializers.JSONField(allow_null=True)


class ImportsView(APIView):
    """`POST` hands a file in."""

    parser_classes = [LinesParser, CsvParser]

    @extend_schema(
        operation_id="rounds_import",
        request={("application/x-ndjson"): OpenApiTypes.BINARY, "text/csv": OpenApiTypes.BINARY},
        responses={202: ImportAnswer, **ERRORS},
        parameters=[OpenApiParameter("name", str, description="what the file is called"), OpenApiParameter("dry_run", bool)],
    )
    def post(self, request: Request) -> Response:
        """Hand in a file of slips: a worker imports it whole or not at all. 202, with where to ask what came of it."""
        user = request.user
        assert isinstance(user, User)
        suffix = ".csv" if (request.content_type or "").startswith("text/csv") else ".ndjson"
        name = request.query_params.get("name", "") or f"api{suffix}"
        named = name if name.lower().endswith(".csv") == (suffix == ".csv") else f"{name}{suffix}"
        dry_run = request.query_params.get("dry_run", "").lower() in ("1", "true", "yes")
        body = request.data if isinstance(request.data, bytes) else b""
        return Response(_answer(ask_import(body, name=named, by=user, dry_run=dry_run)), status=202)


class ImportView(APIView):
    """One import."""

    @extend_schema(operation_id="rounds_import_read", responses={200: ImportAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read how an import stands that one asked for."""
        user = request.user
        assert isinstance(user, User)
        roles.require(user, "read_imports")
        job = Job.objects.filter(uuid=uuid, kind=KIND).first()
        if job is None or (job.asked_by_id != user.pk and not roles.may(user.roles, "review_users")):
            raise NotFound("no_import", gettext("There is no such import."))
        return Response(_answer(job))


def _answer(job: Job) -> dict[str, Any]:
    return {"uuid": str(job.uuid), "state": job.state, "result": job.result}
