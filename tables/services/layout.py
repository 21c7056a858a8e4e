"""Laying the floor out: pits and dealers of a property. Properties and tables are made in `floor`, with their accounts."""

from __future__ import annotations

from django.core.exceptions import ValidationError

from casino import roles
from casino.errors import Fault, InvalidSlip
from casino.models import User
from casino.transactions import in_transaction
from tables.models import Dealer, Pit, Property


@in_transaction
def make_pit(house: Property, code: str, name: str, *, by: User) -> Pit:
    """Return a new pit of `house`. Raises Refused, ValidationError naming the field."""
    roles.require(by, "lay_out_floor")
    pit = Pit(property=house, code=code, name=name)
    pit.full_clean()
    pit.save(force_insert=True)
    return pit


@in_transaction
def make_dealer(house: Property, code: str, name: str, *, by: User) -> Dealer:
    """Return a new dealer of `house`, by staff number. Raises Refused, ValidationError naming the field."""
    roles.require(by, "lay_out_floor")
    dealer = Dealer(property=house, code=code, name=name)
    dealer.full_clean()
    dealer.save(force_insert=True)
    return dealer


def as_slip(error: ValidationError) -> InvalidSlip:
    """Return what the fields of a model refused as every door says it: `taken` where a code is somebody else's, `bad_type` else, at the field."""
    fields = error.error_dict if hasattr(error, "error_dict") else {"__all__": error.error_list}
    faults = [
        Fault("taken" if one.code in ("unique", "unique_together") else "bad_type", " ".join(one.messages), "code" if name == "__all__" else name)
        for name, errors in fields.items()
        for one in errors
    ]
    return InvalidSlip.of(faults)
