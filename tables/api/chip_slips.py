"""Fills and chip credits: three people, three verbs; void by two; gaps and unused numbers."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles
from casino.api import PagesByKey
from tables import selectors
from tables.api import floor_schema as shapes
from tables.api.door import ERRORS, FloorView, dealer_in, empty, second_in, verb
from tables.floor_answers import slip_answer
from tables.floor_bodies import Body
from tables.models import ChipSlip, Property
from tables.services import chip_slips


class RequestSlipView(FloorView):
    """The pit's act."""

    serializer_class = shapes.SlipAnswer

    @verb("slips_request", shapes.SlipAnswer, shapes.SlipBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Request a fill, or a chip credit. The same uuid again is the same slip."""
        body, by, at = Body(request.data, "uuid", "kind", "denominations", "note"), self.person, timezone.now()
        session = selectors.session_for(by, uuid, "request_chips")
        key, kind, count = body.uuid(), body.choice("kind", ChipSlip.Kind.values), body.count()
        body.check()
        verbs = {ChipSlip.Kind.FILL: chip_slips.request_fill, ChipSlip.Kind.CHIP_CREDIT: chip_slips.request_chip_credit}
        slip = verbs[ChipSlip.Kind(kind)](session, count, at=at, by=by, uuid=key)
        return Response(slip_answer(slip), status=201)


class SlipsView(FloorView):
    """The slips of one's pits, newest first; the cage sees all."""

    serializer_class = shapes.SlipAnswer
    pagination_class = PagesByKey

    def get_queryset(self) -> QuerySet[ChipSlip]:
        """Return the slips that the signed-in person may see."""
        roles.require(self.person, "read_chips")
        return selectors.slips_for(self.person)

    @extend_schema(operation_id="slips_list", responses={200: shapes.SlipAnswer(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List slips, newest first."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response([slip_answer(slip) for slip in page or []])


class SlipView(FloorView):
    """One slip."""

    serializer_class = shapes.SlipAnswer

    def slip(self, uuid: UUID) -> ChipSlip:
        """Return the slip, where the signed-in person may see it."""
        roles.require(self.person, "read_chips")
        return selectors.slip_for(self.person, uuid)

    @verb("slips_read", shapes.SlipAnswer)
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a slip and who signed it."""
        return Response(slip_answer(self.slip(uuid)))


class IssueView(SlipView):
    """The cage's act on a fill."""

    http_method_names = ["post", "options"]

    @verb("slips_issue", shapes.SlipAnswer)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Issue the chips of a fill, as the cage."""
        slip = self.slip(uuid)
        chip_slips.issue_fill(slip, at=timezone.now(), by=self.person)
        return Response(slip_answer(slip))


class SendView(SlipView):
    """The table's act on a chip credit."""

    http_method_names = ["post", "options"]

    @verb("slips_send", shapes.SlipAnswer, shapes.TableSignatureBody)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Send the chips of a chip credit from the table; the dealer may sign for it."""
        slip, by, at = self.slip(uuid), self.person, timezone.now()
        dealer = dealer_in(Body(empty(request), "dealer"), slip.property, at=at, by=by)
        chip_slips.send_chip_credit(slip, at=at, by=by, dealer=dealer)
        return Response(slip_answer(slip))


class ReceiveView(SlipView):
    """The last act: the chips move."""

    http_method_names = ["post", "options"]

    @verb("slips_receive", shapes.SlipAnswer, shapes.TableSignatureBody)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Receive a fill at the table, or a chip credit at the cage. Now the chips move, and are posted."""
        slip, by, at = self.slip(uuid), self.person, timezone.now()
        dealer = dealer_in(Body(empty(request), "dealer"), slip.property, at=at, by=by)
        chip_slips.receive_slip(slip, at=at, by=by, dealer=dealer)
        return Response(slip_answer(slip))


class VoidView(SlipView):
    """By the cage with a witness."""

    http_method_names = ["post", "options"]

    @verb("slips_void", shapes.SlipAnswer, shapes.VoidBody)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Make a slip void, and say why. It keeps its number."""
        slip, by, at = self.slip(uuid), self.person, timezone.now()
        body = Body(request.data, "reason", "second")
        reason = body.text("reason")
        body.check()
        witness = second_in(body, at=at, beside=by)
        assert witness is not None
        chip_slips.void_slip(slip, reason=reason, at=at, by=by, witness=witness)
        return Response(slip_answer(slip))


class SlipGapsView(FloorView):
    """Numbers that are missing, and slips that moved nothing."""

    serializer_class = shapes.SlipGapsAnswer

    @verb("slips_gaps", shapes.SlipGapsAnswer)
    def get(self, request: Request, code: str) -> Response:
        """Read a property's missing slip numbers and unused slips."""
        roles.require(self.person, "read_all_slips")
        house: Property = selectors.house_of(code)
        missing, unused = selectors.slip_gaps(house), selectors.unused_slips(house)
        return Response({"missing": [vars(gap) for gap in missing], "unused": [vars(slip) for slip in unused]})
