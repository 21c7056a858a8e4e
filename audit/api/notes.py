"""Notes on a shift for machines: read, and one more kept."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.bodies import read_body, uuid_in
from audit.api.findings import the_user
from audit.models import ShiftNote
from audit.selectors import shift_for
from audit.shift_notes import add_note, notes_of
from tables.api.views import ERRORS


class NotesView(GenericAPIView):
    """What was noted on a shift, by whom and when."""

    queryset = ShiftNote.objects.none()

    @extend_schema(operation_id="shift_notes", responses={200: OpenApiTypes.OBJECT, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read the notes, the oldest first."""
        return Response({"notes": [_answer(note) for note in notes_of(shift_for(the_user(request), uuid))]})

    @extend_schema(operation_id="shift_notes_add", request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Keep a note: uuid and text. The same again is the same note; 409 once the shift is signed."""
        user = the_user(request)
        said = read_body(request.data, {"uuid": str, "text": str}, ("uuid", "text"))
        return Response(_answer(add_note(shift_for(user, uuid), said["text"], uuid=uuid_in(said, "uuid"), by=user)), status=201)


def _answer(note: ShiftNote) -> dict[str, Any]:
    return {"uuid": str(note.uuid), "text": note.text, "by": note.by.username, "recorded_at": note.recorded_at.isoformat()}
