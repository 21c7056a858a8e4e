"""Shifts: opened, read, ended."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles
from casino.api import PagesByKey
from casino.errors import NotFound
from tables import selectors
from tables.api import floor_schema as shapes
from tables.api.door import FloorView, empty, verb
from tables.floor_answers import shift_answer
from tables.floor_bodies import Body
from tables.house_settings import settings_on
from tables.models import Shift
from tables.services import floor


class ShiftsView(FloorView):
    """`GET` lists the shifts of one's pits, newest first; `POST` opens one."""

    queryset = Shift.objects.none()
    serializer_class = shapes.ShiftAnswer
    pagination_class = PagesByKey

    @verb("shifts_list", shapes.ShiftAnswer(many=True))
    def get(self, request: Request) -> Response:
        """List them, newest first."""
        roles.require(self.person, "read_reports")
        page = self.paginate_queryset(selectors.shifts_for(self.person).select_related("property", "opened_by"))
        return self.get_paginated_response([shift_answer(shift) for shift in page or []])

    @verb("shifts_open", shapes.ShiftAnswer, shapes.OpenShiftBody, 201)
    def post(self, request: Request) -> Response:
        """Open a shift of a gaming day; its hours are the property's schedule where none are named."""
        body, by = Body(request.data, "property", "gaming_day", "kind", "starts", "ends"), self.person
        roles.require(by, "open_shift")
        code, day, kind = body.text("property", most=20), body.day("gaming_day"), body.choice("kind", Shift.Kind.values)
        starts, ends = body.clock("starts"), body.clock("ends")
        body.check()
        house = selectors.house_of(code)
        usual = settings_on(house, day).shift_hours[kind]
        shift = floor.open_shift(house, day, kind, starts=starts or usual[0], ends=ends or usual[1], at=timezone.now(), by=by)
        return Response(shift_answer(shift), status=201)


class ShiftView(FloorView):
    """One shift."""

    queryset = Shift.objects.none()
    serializer_class = shapes.ShiftAnswer

    @verb("shifts_read", shapes.ShiftAnswer)
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a shift of one's pits: its gaming day, its hours, whether it has ended."""
        roles.require(self.person, "read_reports")
        return Response(shift_answer(_shift(self, uuid)))


class EndShiftView(FloorView):
    """The end of a shift."""

    queryset = Shift.objects.none()
    serializer_class = shapes.ShiftAnswer

    @verb("shifts_end", shapes.ShiftAnswer)
    def post(self, request: Request, uuid: UUID) -> Response:
        """End a shift whose tables are closed: its audit and reconciliation begin by themselves. 409 `sessions_open` names those that are not."""
        by = self.person
        roles.require(by, "end_shift")
        Body(empty(request)).check()
        shift = _shift(self, uuid)
        floor.end_shift(shift, at=timezone.now(), by=by)
        return Response(shift_answer(_shift(self, uuid)))


def _shift(view: FloorView, uuid: UUID) -> Any:
    found = selectors.shifts_for(view.person).select_related("property", "opened_by").filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_shift", gettext("There is no such shift."))
    return found
