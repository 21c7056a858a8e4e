"""What the views of a table's life share: who asks, their second signatures, and how a verb is described."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from casino.errors import InvalidSlip
from casino.models import User
from tables.api.schema import ErrorAnswer
from tables.floor_bodies import Body
from tables.models import Property, TableSession
from tables.services.dealer_pins import Signature
from tables.signatures import DEALER, SECOND, dealer_signs, second_person

ERRORS = dict.fromkeys((400, 401, 403, 404, 409, 503), ErrorAnswer)


class FloorView(GenericAPIView):
    """A verb of the floor: one service called for whoever is signed in."""

    queryset: QuerySet[Any] = TableSession.objects.none()
    serializer_class: type[Serializer]

    @property
    def person(self) -> User:
        """Return who asks."""
        user = self.request.user
        assert isinstance(user, User)
        return user


def verb(operation: str, answer: type[Serializer] | Serializer, body: type[Serializer] | None = None, status: int = 200) -> Callable[[Any], Any]:
    """Return the decorator that describes a verb in the OpenAPI document."""
    return extend_schema(operation_id=operation, request=body, responses={status: answer, **ERRORS})


def second_in(body: Body, *, at: datetime, beside: User, required: bool = True) -> User | None:
    """Return the colleague who signs in `second`, None where nobody does and nobody must. Raises InvalidSlip, Refused."""
    if not body.has(SECOND):
        if required:
            raise InvalidSlip("missing_field", gettext("“second” is missing: the staff number and password of the other person."), where=SECOND)
        return None
    read = Body(body.raw[SECOND], "number", "password", where=SECOND)
    number, password = read.text("number", most=40), read.text("password", most=4096)
    read.check()
    return second_person(number, password, at=at, beside=beside)


def dealer_in(body: Body, house: Property, *, at: datetime, by: User) -> Signature | None:
    """Return the signature of the dealer in `dealer`, None where there is none. Raises InvalidSlip, Refused, NotFound."""
    if not body.has(DEALER):
        return None
    read = Body(body.raw[DEALER], "number", "pin", where=DEALER)
    number, pin = read.text("number", most=20), read.text("pin", most=20)
    read.check()
    return dealer_signs(house, number, pin, at=at, by=by)


def empty(request: Request) -> Any:
    """Return the body, {} where there is none."""
    return request.data or {}
