"""A table's session: opened, dealt in turns, asked what blocks its close, closed."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles
from casino.errors import NotFound
from tables import selectors
from tables.api import floor_schema as shapes
from tables.api.door import FloorView, dealer_in, second_in, verb
from tables.blockers import blockers
from tables.floor_answers import session_answer, tray_count_answer, turn_answer
from tables.floor_bodies import Body
from tables.models import Shift, TrayCount
from tables.services import dealer_pins, floor

COUNT = ("denominations", "note", "second", "dealer")


class SessionsView(FloorView):
    """`POST` opens a table."""

    serializer_class = shapes.SessionAnswer

    @verb("sessions_open", shapes.SessionAnswer, shapes.OpenBody, 201)
    def post(self, request: Request) -> Response:
        """Open a table with its counted opener; the code on the felt is that of the version in force."""
        body, by, at = Body(request.data, "table", "shift", "felt_code", *COUNT), self.person, timezone.now()
        roles.require(by, "run_session")
        code, key, felt, opener = body.text("table", most=20), body.uuid("shift"), body.text("felt_code", most=20), body.count()
        body.check()
        table = selectors.table_of(code)
        roles.require(by, "run_session", table.pit.code)
        shift = Shift.objects.filter(uuid=key, property=table.property_id).first()
        if shift is None:
            raise NotFound("no_shift", gettext("There is no such shift."), where="shift")
        witness = second_in(body, at=at, beside=by, required=False)
        dealer = dealer_in(body, table.property, at=at, by=by)
        session = floor.open_session(shift, table, opener, felt_code=felt, at=at, by=by, witness=witness, dealer=dealer)
        return Response(session_answer(session), status=201)


class SessionView(FloorView):
    """One session."""

    serializer_class = shapes.SessionAnswer

    @verb("sessions_read", shapes.SessionAnswer)
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a session of one's pits: its state and what stands on its felt."""
        return Response(session_answer(selectors.session_for(self.person, uuid, "read_rounds")))


class BlockersView(FloorView):
    """What blocks the close."""

    serializer_class = shapes.BlockersAnswer

    @verb("sessions_blockers", shapes.BlockersAnswer)
    def get(self, request: Request, uuid: UUID) -> Response:
        """Ask what blocks the close: what the close itself would say."""
        found = blockers(selectors.session_for(self.person, uuid, "read_rounds"))
        return Response({"blocked": any(one.blocks for one in found), "blockers": [one.as_json() for one in found]})


class TurnsView(FloorView):
    """Who deals."""

    serializer_class = shapes.TurnAnswer

    @verb("sessions_begin_turn", shapes.TurnAnswer, shapes.TurnBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Begin a dealer's turn; with the PIN, the dealer signs for it."""
        body, by, at = Body(request.data, "dealer", "pin", "from_at"), self.person, timezone.now()
        session = selectors.session_for(by, uuid, "run_session")
        number, pin, since = body.text("dealer", most=20), body.text("pin", most=20, required=False), body.moment("from_at")
        body.check()
        dealer = selectors.dealer_of(session.table.property, number)
        signature = dealer_pins.sign_with_pin(dealer, pin, at=at, by=by) if pin else None
        return Response(turn_answer(floor.begin_turn(session, dealer, from_at=since or at, by=by, signature=signature)), status=201)


class CloseView(FloorView):
    """The close."""

    serializer_class = shapes.TrayCountAnswer

    @verb("sessions_close", shapes.TrayCountAnswer, shapes.SignedCountBody)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Close a table with its closer, counted blind and signed by two. 409 `blocked` names what must be finished first."""
        body, by, at = Body(request.data, *COUNT), self.person, timezone.now()
        session = selectors.session_for(by, uuid, "run_session")
        closer = body.count()
        body.check()
        witness = second_in(body, at=at, beside=by, required=False)
        dealer = dealer_in(body, session.table.property, at=at, by=by)
        floor.close_session(session, closer, at=at, by=by, witness=witness, dealer=dealer)
        kept = selectors.last_count(session, TrayCount.Kind.CLOSER)
        assert kept is not None
        return Response(tray_count_answer(kept))


class PinView(FloorView):
    """A dealer's PIN."""

    serializer_class = shapes.PinBody

    @verb("dealers_set_pin", shapes.PinBody, shapes.PinBody, 204)
    def post(self, request: Request, number: str) -> Response:
        """Set a dealer's PIN, typed by the dealer in front of a shift manager."""
        body, by = Body(request.data, "property", "pin"), self.person
        roles.require(by, "set_dealer_pin")
        code, pin = body.text("property", most=20), body.text("pin", most=20)
        body.check()
        dealer_pins.set_pin(selectors.dealer_of(selectors.house_of(code), number), pin, at=timezone.now(), by=by)
        return Response(status=204)
