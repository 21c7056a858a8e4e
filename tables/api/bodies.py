"""Fields of a body, read one by one: the value, or an error that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext
from rest_framework.request import Request

from casino.errors import InvalidSlip, NotFound
from casino.models import User
from tables.models import Property

LONGEST = 300


def signed_in(request: Request) -> User:
    """Return who is signed in; the API asks for it before."""
    assert isinstance(request.user, User)
    return request.user


def object_of(request: Request) -> Mapping[str, Any]:
    """Return the body, a JSON object. Raises InvalidSlip (`bad_type`)."""
    if not isinstance(request.data, Mapping):
        raise InvalidSlip("bad_type", gettext("The body is a JSON object."))
    return request.data


def text_in(body: Mapping[str, Any], name: str, *, required: bool = False) -> str:
    """Return the text `name`, "" where it is absent. Raises InvalidSlip (`missing_field`, `bad_type`)."""
    if required and not body.get(name):
        raise InvalidSlip("missing_field", gettext("“%(name)s” is missing.") % {"name": name}, where=name)
    text = body.get(name, "")
    if not isinstance(text, str):
        raise InvalidSlip("bad_type", gettext("A text is due here."), where=name)
    if len(text) > LONGEST:
        raise InvalidSlip("bad_type", gettext("A text of at most %(most)s characters is due here.") % {"most": LONGEST}, where=name)
    return text


def whole_in(body: Mapping[str, Any], name: str) -> int:
    """Return the whole number `name`. Raises InvalidSlip (`missing_field`, `bad_type`)."""
    number = body.get(name)
    if number is None:
        raise InvalidSlip("missing_field", gettext("“%(name)s” is missing.") % {"name": name}, where=name)
    if type(number) is not int or not 0 <= number < 2**31:
        raise InvalidSlip("bad_type", gettext("A whole number is due here."), where=name)
    return number


def moment_in(body: Mapping[str, Any], name: str) -> datetime:
    """Return the moment `name`, ISO 8601 with its offset. Raises InvalidSlip (`missing_field`, `bad_time`)."""
    text = text_in(body, name, required=True)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidSlip("bad_time", gettext("A moment is written as 2026-11-30T21:14:05+00:00."), where=name) from error
    if moment.tzinfo is None or not 1970 < moment.year < 2200:
        raise InvalidSlip("bad_time", gettext("A moment of our days, with its offset from UTC, is due here."), where=name)
    return moment


def property_in(body: Mapping[str, Any]) -> Property | None:
    """Return the property of the code `property`, None where it is absent. Raises InvalidSlip (`bad_type`), NotFound (`no_property`)."""
    code = text_in(body, "property")
    if not code:
        return None
    found = Property.objects.filter(code=code).first()
    if found is None:
        raise NotFound("no_property", gettext("There is no property %(code)s.") % {"code": code[:40]}, where="property")
    return found
