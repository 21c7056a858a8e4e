"""Boxes pulled and counted; counts taken once more."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles, step_up
from casino.errors import NotFound
from tables import selectors
from tables.api import floor_schema as shapes
from tables.api.door import FloorView, dealer_in, second_in, verb
from tables.floor_answers import box_answer, drop_answer, reopening_answer, tray_count_answer
from tables.floor_bodies import Body
from tables.models import CountReopening
from tables.services import boxes, counts

RULINGS = ("approve", "refuse", "withdraw")


class BoxView(FloorView):
    """The box leaves the table."""

    serializer_class = shapes.BoxAnswer

    @verb("boxes_pull", shapes.BoxAnswer, shapes.BoxBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Pull the box of a closed session, with its seal and a second carrier."""
        body, by, at = Body(request.data, "box", "seal", "second"), self.person, timezone.now()
        session = selectors.session_for(by, uuid, "carry_box")
        box, seal = body.text("box", most=20), body.text("seal", most=20)
        body.check()
        carrier = second_in(body, at=at, beside=by)
        assert carrier is not None
        return Response(box_answer(boxes.pull_box(session, box=box, seal=seal, at=at, by=by, carrier=carrier)), status=201)


class DropCountView(FloorView):
    """The count team's act."""

    serializer_class = shapes.DropAnswer

    @verb("boxes_count", shapes.DropAnswer, shapes.DropBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Count a box: currency by denomination, instruments, tickets, coupons; two of the count team sign."""
        sums = ("instruments", "tickets", "coupons")
        body, by, at = Body(request.data, "box", "seal", "denominations", "note", *sums, "second"), self.person, timezone.now()
        session = selectors.session_for(by, uuid, "count_drop")
        box, seal, currency = body.text("box", most=20), body.text("seal", most=20), body.count()
        others = {name: body.amount(name, least=0, required=False) for name in sums}
        body.check()
        found = boxes.DropSlip(currency, **others)
        witness = second_in(body, at=at, beside=by)
        assert witness is not None
        return Response(drop_answer(boxes.count_drop(session, found, box=box, seal=seal, at=at, by=by, witness=witness)), status=201)


class ReopeningsView(FloorView):
    """A shift manager's act."""

    serializer_class = shapes.ReopeningAnswer

    @verb("counts_propose_again", shapes.ReopeningAnswer, shapes.ReopeningBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Propose to take a count once more, with the reason."""
        body, by = Body(request.data, "uuid", "count", "reason"), self.person
        session = selectors.session_for(by, uuid, "propose_recount")
        key, count, reason = body.uuid(), body.choice("count", CountReopening.Count.values), body.text("reason")
        body.check()
        kept = counts.propose_recount(session, count, reason=reason, at=timezone.now(), by=by, uuid=key)
        return Response(reopening_answer(kept), status=201)


def reopening_of(uuid: UUID) -> CountReopening:
    """Return the reopened count of `uuid`. Raises NotFound (`no_reopening`)."""
    found = CountReopening.objects.select_related("session__shift", "session__table__property", "session__table__pit").filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_reopening", gettext("There is no such reopened count."))
    return found


class RulingView(FloorView):
    """An auditor's act, or the manager's second thoughts."""

    serializer_class = shapes.ReopeningAnswer

    @verb("counts_rule_again", shapes.ReopeningAnswer, shapes.RecountPasswordBody)
    def post(self, request: Request, uuid: UUID, ruling: str) -> Response:
        """Approve or refuse, as an auditor who types the password again; or withdraw."""
        body, by, at = Body(request.data, "password", "note"), self.person, timezone.now()
        roles.require(by, "propose_recount" if ruling == "withdraw" else "approve_recount")
        reopening, note = reopening_of(uuid), body.text("note", required=False)
        body.check()
        if ruling == "withdraw":
            counts.withdraw_recount(reopening, at=at, by=by)
        else:
            step_up.confirm(by, step_up.password_in(body.raw), at=at)
            if ruling == "approve":
                counts.approve_recount(reopening, at=at, by=by)
            else:
                counts.refuse_recount(reopening, note=note, at=at, by=by)
        return Response(reopening_answer(reopening))


class RecountView(FloorView):
    """The new count of a tray."""

    serializer_class = shapes.TrayCountAnswer

    @verb("counts_again", shapes.TrayCountAnswer, shapes.SignedCountBody, 201)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Take an approved count of a tray once more, signed by two. A box is counted again where boxes are counted."""
        body, by, at = Body(request.data, "denominations", "note", "second", "dealer"), self.person, timezone.now()
        roles.require(by, "attest_count")
        reopening, count = reopening_of(uuid), body.count()
        roles.require(by, "attest_count", reopening.session.table.pit.code)
        body.check()
        witness = second_in(body, at=at, beside=by, required=False)
        dealer = dealer_in(body, reopening.session.table.property, at=at, by=by)
        kept = counts.recount_tray(reopening, count, at=at, by=by, witness=witness, dealer=dealer)
        return Response(tray_count_answer(kept), status=201)
