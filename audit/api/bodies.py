"""Bodies of the audit's API, read once into what a service takes: a field that is missing, unknown or of another type is named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from casino.errors import Fault, InvalidSlip


def read_body(raw: Any, fields: Mapping[str, type], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a JSON object, each of its type (text is "" where it is left out, others None). Raises InvalidSlip with every fault."""
    if not isinstance(raw, dict):
        raise InvalidSlip("bad_json", gettext("The body is one JSON object."))
    faults = [Fault("missing_field", gettext("%(name)s is required.") % {"name": name}, name) for name in required if raw.get(name) in (None, "")]
    faults += [Fault("unknown_field", gettext("There is no field %(name)s.") % {"name": name}, name) for name in raw if name not in fields]
    faults += [
        Fault("bad_type", gettext("%(name)s is %(fields)s.") % {"name": name, "fields": _WORDS[fields[name]]}, name)
        for name in raw
        if name in fields and not _fits(raw[name], fields[name])
    ]
    if faults:
        raise InvalidSlip.of(faults)
    return {name: _value(raw.get(name), kind) for name, kind in fields.items()}


def uuid_in(body: Mapping[str, Any], name: str) -> UUID:
    """Return the UUID that the text `name` of a body is. Raises InvalidSlip (`bad_type`)."""
    try:
        return UUID(body[name])
    except ValueError as error:
        raise InvalidSlip("bad_type", gettext("%(name)s is a UUID.") % {"name": name}, where=name) from error


_WORDS = {str: "a text", int: "a whole number", datetime: "a moment with its offset, as 2026-11-30T21:14:05+00:00"}


def _fits(value: Any, kind: type) -> bool:
    if value is None:
        return True
    if kind is datetime:
        try:
            return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
        except ValueError:
            return False
    return isinstance(value, kind) and not isinstance(value, bool)


def _value(value: Any, kind: type) -> Any:
    if kind is datetime and value is not None:
        return datetime.fromisoformat(value)
    return "" if value is None and kind is str else value
