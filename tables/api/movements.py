"""Buy-ins and markers at a table, cash-outs at the cage."""

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
from tables.api.door import FloorView, verb
from tables.floor_answers import cash_out_answer, movement_answer
from tables.floor_bodies import Body
from tables.models import ChipMovement
from tables.services import chips


class BuyInsView(FloorView):
    """Cash for chips."""

    serializer_class = shapes.MovementAnswer

    @verb("buy_ins_record", shapes.MovementAnswer, shapes.BuyInBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Record a buy-in. The same uuid again is the same buy-in; from the property's threshold on, the patron is asked for."""
        body, by = Body(request.data, "uuid", "amount", "patron", "declined"), self.person
        session = selectors.session_for(by, uuid, "record_buy_in")
        key, amount, patron, declined = body.uuid(), body.amount(), body.text("patron", most=40, required=False), body.flag("declined")
        body.check()
        kept = chips.buy_in(session, amount, at=timezone.now(), by=by, patron=patron, declined=declined, uuid=key)
        return Response(movement_answer(kept), status=201)


class MarkersView(FloorView):
    """Credit for chips."""

    serializer_class = shapes.MovementAnswer

    @verb("markers_issue", shapes.MovementAnswer, shapes.MarkerBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Issue a marker: the instrument goes into the box, chips leave the tray."""
        body, by = Body(request.data, "uuid", "amount", "patron", "instrument"), self.person
        session = selectors.session_for(by, uuid, "record_marker")
        key, amount, patron, instrument = body.uuid(), body.amount(), body.text("patron", most=40), body.text("instrument", most=40)
        body.check()
        kept = chips.issue_marker(session, amount, patron=patron, instrument=instrument, at=timezone.now(), by=by, uuid=key)
        return Response(movement_answer(kept), status=201)


class RedemptionsView(FloorView):
    """Chips for a marker."""

    serializer_class = shapes.MovementAnswer

    @verb("markers_redeem", shapes.MovementAnswer, shapes.RedemptionBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Redeem a marker, or part of it, in chips at a table."""
        body, by = Body(request.data, "uuid", "session", "amount"), self.person
        roles.require(by, "record_marker")
        key, at_session, amount = body.uuid(), body.uuid("session"), body.amount()
        body.check()
        session = selectors.session_for(by, at_session, "record_marker")
        marker = ChipMovement.objects.filter(uuid=uuid, kind=ChipMovement.Kind.MARKER, property=session.table.property_id).first()
        if marker is None:
            raise NotFound("no_marker", gettext("There is no such marker."))
        return Response(movement_answer(chips.redeem_marker(session, marker, amount, at=timezone.now(), by=by, uuid=key)), status=201)


class CashOutsView(FloorView):
    """Chips for cash."""

    serializer_class = shapes.CashOutAnswer

    @verb("cash_outs_record", shapes.CashOutAnswer, shapes.CashOutBody, 201)
    def post(self, request: Request) -> Response:
        """Record a cash-out at the cage."""
        body, by = Body(request.data, "uuid", "property", "amount", "patron", "declined"), self.person
        roles.require(by, "cash_out")
        key, code, amount = body.uuid(), body.text("property", most=20), body.amount()
        patron, declined = body.text("patron", most=40, required=False), body.flag("declined")
        body.check()
        kept = chips.cash_out(selectors.house_of(code), amount, at=timezone.now(), by=by, uuid=key, patron=patron, declined=declined)
        return Response(cash_out_answer(kept), status=201)
