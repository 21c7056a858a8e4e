"""A shift's draw for machines: read, revealed, and what the video showed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit import draws
from audit.api.bodies import read_body
from audit.api.findings import the_user
from audit.models import Draw
from audit.selectors import shift_for
from casino import roles
from casino.errors import InvalidSlip, NotFound
from tables.api.views import ERRORS
from tables.models import Shift

ANY = {200: OpenApiTypes.OBJECT, **ERRORS}


class DrawView(GenericAPIView):
    """A shift's draw and the rounds that are worth a look beside it."""

    queryset = Draw.objects.none()

    @extend_schema(operation_id="shift_draw", responses=ANY)
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read the draw: commitment, seed once it is revealed, what was drawn with outcomes, and the risk list."""
        user = the_user(request)
        roles.require(user, "read_draw")
        return Response(draw_answer(shift_for(user, uuid)))


def draw_answer(shift: Shift) -> dict[str, Any]:
    """Return the draw of `shift` as it stands."""
    kept = Draw.objects.filter(shift=shift).select_related("commitment").first()
    commitment = kept.commitment if kept else draws.commitment_of(shift)
    risks = [{"round": str(played.uuid), "weight": risk.weight, "reasons": risk.reasons} for played, risk in draws.risky_rounds(shift)]
    return {
        "committed_at": commitment.recorded_at.isoformat() if commitment else None,
        "seed_sha256": commitment.seed_sha256 if commitment else None,
        "seed": bytes(kept.seed).hex() if kept else None,
        "wrong": draws.verify(kept) if kept else [],
        "items": [_item(item) for item in _items(kept)],
        "risks": risks,
    }


def _items(kept: Draw | None) -> Any:
    return kept.items.select_related("round", "session").prefetch_related("outcomes__by").order_by("session", "place") if kept else []


def _item(item: Any) -> dict[str, Any]:
    outcomes = [{"outcome": one.outcome, "camera": one.camera, "note": one.note, "by": one.by.username} for one in item.outcomes.all()]
    return {
        "place": item.place,
        "round": str(item.round.uuid) if item.round else None,
        "session": str(item.session.uuid) if item.session else None,
        "score": item.score,
        "outcomes": outcomes,
    }


class RevealView(GenericAPIView):
    """The end of a seed's secret."""

    queryset = Draw.objects.none()

    @extend_schema(operation_id="shift_draw_reveal", request=None, responses=ANY)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Reveal the seed of an ended shift and draw with it; a second time it is the same. 409 where it has not ended, or none was committed."""
        user = the_user(request)
        roles.require(user, "reveal_draw")
        shift = shift_for(user, uuid)
        draws.reveal(shift, by=user)
        return Response(draw_answer(shift))


class OutcomesView(GenericAPIView):
    """What the video showed."""

    queryset = Draw.objects.none()

    @extend_schema(operation_id="shift_draw_outcome", request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Keep what the video showed of a drawn thing: of (round or session), place, outcome, camera, note."""
        user = the_user(request)
        roles.require(user, "check_drawn")
        shift = shift_for(user, uuid)
        said = read_body(request.data, {"of": str, "place": int, "outcome": str, "camera": str, "note": str}, ("of", "place", "outcome"))
        item = _drawn(shift, said["of"], said["place"])
        draws.keep_outcome(item, said["outcome"], by=user, camera=said["camera"], note=said["note"])
        return Response(draw_answer(shift), status=201)


def _drawn(shift: Shift, of: str, place: int) -> Any:
    if of not in ("round", "session"):
        raise InvalidSlip("bad_type", gettext("of is round or session."), where="of")
    kept = Draw.objects.filter(shift=shift).first()
    found = kept.items.filter(place=place, **{f"{of}__isnull": False}).select_related("round").first() if kept and 0 < place < 2**15 else None
    if found is None:
        raise NotFound("not_drawn", gettext("That was not drawn."), where="place")
    return found
