"""The shapes of a table's life for the OpenAPI document. They describe; `tables.floor_bodies` reads."""

from __future__ import annotations

from rest_framework import serializers

from tables.models import SessionEvent, Shift, ShiftEvent


def _pieces() -> serializers.DictField:
    """Return the field of a count: how many pieces of each value."""
    return serializers.DictField(child=serializers.IntegerField(min_value=0), help_text="how many pieces of each value in minor units")


class SecondBody(serializers.Serializer):
    """A colleague who signs beside whoever is signed in."""

    number = serializers.CharField(help_text="staff number")
    password = serializers.CharField()


class DealerBody(serializers.Serializer):
    """A dealer who signs with a PIN."""

    number = serializers.CharField(help_text="staff number")
    pin = serializers.CharField()


class CountBody(serializers.Serializer):
    """A count by denomination."""

    denominations = _pieces()
    note = serializers.CharField(max_length=300, required=False)


class SignedCountBody(CountBody):
    """A count that a second person signs: a colleague or a dealer."""

    second = SecondBody(required=False)
    dealer = DealerBody(required=False)


class OpenBody(SignedCountBody):
    """A table opens with its counted opener and the code on its felt."""

    table = serializers.CharField(max_length=20)
    shift = serializers.UUIDField()
    felt_code = serializers.CharField(max_length=20)


class OpenShiftBody(serializers.Serializer):
    """A shift of a gaming day; hours by the property's clock, its schedule's where they are left out."""

    property = serializers.CharField(max_length=20)
    gaming_day = serializers.DateField()
    kind = serializers.ChoiceField(choices=Shift.Kind.values)
    starts = serializers.TimeField(required=False)
    ends = serializers.TimeField(required=False)


class ShiftAnswer(serializers.Serializer):
    """A shift."""

    uuid = serializers.UUIDField()
    property = serializers.CharField()
    gaming_day = serializers.DateField()
    kind = serializers.ChoiceField(choices=Shift.Kind.values)
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=ShiftEvent.State.choices)
    opened_by = serializers.CharField()


class SessionAnswer(serializers.Serializer):
    """One table open within one shift."""

    uuid = serializers.UUIDField()
    table = serializers.CharField()
    shift = serializers.UUIDField()
    gaming_day = serializers.DateField()
    sequence = serializers.IntegerField()
    state = serializers.ChoiceField(choices=SessionEvent.State.choices)
    paytable = serializers.CharField(allow_null=True)
    felt_code = serializers.CharField(allow_null=True)


class BlockerAnswer(serializers.Serializer):
    """One thing that blocks the close, or that is to be known (`blocks` false)."""

    code = serializers.CharField()
    message = serializers.CharField()
    where = serializers.CharField()
    blocks = serializers.BooleanField()


class BlockersAnswer(serializers.Serializer):
    """What blocks the close."""

    blocked = serializers.BooleanField()
    blockers = BlockerAnswer(many=True)


class TurnBody(serializers.Serializer):
    """Who deals, from when (now where it is left out); the PIN is that dealer's."""

    dealer = serializers.CharField(max_length=20)
    pin = serializers.CharField(required=False)
    from_at = serializers.DateTimeField(required=False)


class TurnAnswer(serializers.Serializer):
    """A dealer's turn."""

    dealer = serializers.CharField()
    from_at = serializers.DateTimeField()
    signed = serializers.BooleanField()
    by = serializers.CharField()


class SlipBody(CountBody):
    """Chips that the pit asks for, or gives back."""

    uuid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=["fill", "chip_credit"])


class TableSignatureBody(serializers.Serializer):
    """Nothing, or the dealer who signs at the table."""

    dealer = DealerBody(required=False)


class VoidBody(serializers.Serializer):
    """Why a slip is void, and the witness."""

    reason = serializers.CharField(max_length=300)
    second = SecondBody()


class SlipEventAnswer(serializers.Serializer):
    """One signature."""

    state = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField()
    dealer = serializers.CharField(allow_null=True)
    witness = serializers.CharField(allow_null=True)
    note = serializers.CharField()


class SlipAnswer(serializers.Serializer):
    """A fill or chip credit and everybody who signed it."""

    uuid = serializers.UUIDField()
    kind = serializers.CharField()
    number = serializers.IntegerField()
    table = serializers.CharField()
    session = serializers.UUIDField()
    amount = serializers.IntegerField()
    denominations = _pieces()
    state = serializers.CharField()
    events = SlipEventAnswer(many=True)


class SlipGapAnswer(serializers.Serializer):
    """A number that is missing, or a slip that moved nothing."""

    kind = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.CharField()


class SlipGapsAnswer(serializers.Serializer):
    """Missing numbers and unused slips."""

    missing = SlipGapAnswer(many=True)
    unused = SlipGapAnswer(many=True)


class BuyInBody(serializers.Serializer):
    """Cash for chips, or chips for cash."""

    uuid = serializers.UUIDField()
    amount = serializers.IntegerField(min_value=1)
    patron = serializers.CharField(max_length=40, required=False)
    declined = serializers.BooleanField(required=False, help_text="the patron was asked for and did not say")


class CashOutBody(BuyInBody):
    """Chips for cash at the cage of a property."""

    property = serializers.CharField(max_length=20)


class MarkerBody(serializers.Serializer):
    """A credit instrument for chips."""

    uuid = serializers.UUIDField()
    amount = serializers.IntegerField(min_value=1)
    patron = serializers.CharField(max_length=40)
    instrument = serializers.CharField(max_length=40)


class RedemptionBody(serializers.Serializer):
    """Chips for a marker, at a table."""

    uuid = serializers.UUIDField()
    session = serializers.UUIDField()
    amount = serializers.IntegerField(min_value=1)


class MovementAnswer(serializers.Serializer):
    """What moved."""

    uuid = serializers.UUIDField()
    kind = serializers.CharField()
    session = serializers.UUIDField()
    amount = serializers.IntegerField()
    patron = serializers.CharField(allow_null=True)
    declined = serializers.BooleanField()
    instrument = serializers.CharField(allow_null=True)
    number = serializers.IntegerField(allow_null=True)
    occurred_at = serializers.DateTimeField()


class CashOutAnswer(serializers.Serializer):
    """A cash-out."""

    uuid = serializers.UUIDField()
    amount = serializers.IntegerField()
    patron = serializers.CharField(allow_null=True)
    declined = serializers.BooleanField()
    gaming_day = serializers.DateField()
    occurred_at = serializers.DateTimeField()


class TrayCountAnswer(serializers.Serializer):
    """A count of a tray."""

    session = serializers.UUIDField()
    kind = serializers.CharField()
    sequence = serializers.IntegerField()
    total = serializers.IntegerField()
    denominations = _pieces()
    counted_by = serializers.CharField()
    witness = serializers.CharField(allow_null=True)
    dealer = serializers.CharField(allow_null=True)
    note = serializers.CharField()


class BoxBody(serializers.Serializer):
    """A box that is pulled, and the second carrier."""

    box = serializers.CharField(max_length=20)
    seal = serializers.CharField(max_length=20)
    second = SecondBody()


class BoxAnswer(serializers.Serializer):
    """A box that was pulled."""

    session = serializers.UUIDField()
    box = serializers.CharField()
    seal = serializers.CharField()
    gaming_day = serializers.DateField()
    per_day = serializers.BooleanField()
    carried_by = serializers.ListField(child=serializers.CharField())


class DropBody(CountBody):
    """What was found in a box, under which number and seal; the second counter signs."""

    box = serializers.CharField(max_length=20)
    seal = serializers.CharField(max_length=20)
    instruments = serializers.IntegerField(min_value=0, required=False)
    tickets = serializers.IntegerField(min_value=0, required=False)
    coupons = serializers.IntegerField(min_value=0, required=False)
    second = SecondBody()


class DropAnswer(serializers.Serializer):
    """What was found in a box."""

    session = serializers.UUIDField()
    sequence = serializers.IntegerField()
    box = serializers.CharField()
    seal = serializers.CharField()
    total = serializers.IntegerField()
    denominations = _pieces()
    instruments = serializers.IntegerField()
    tickets = serializers.IntegerField()
    coupons = serializers.IntegerField()
    counted_by = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField()


class ReopeningBody(serializers.Serializer):
    """A count that is to be taken once more."""

    uuid = serializers.UUIDField()
    count = serializers.ChoiceField(choices=["opener", "closer", "drop"])
    reason = serializers.CharField(max_length=300)


class RecountPasswordBody(serializers.Serializer):
    """An approval asks for the password again."""

    password = serializers.CharField()
    note = serializers.CharField(max_length=300, required=False)


class ReopeningEventAnswer(serializers.Serializer):
    """What became of it."""

    state = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField()
    note = serializers.CharField()


class ReopeningAnswer(serializers.Serializer):
    """A reopened count."""

    uuid = serializers.UUIDField()
    session = serializers.UUIDField()
    count = serializers.CharField()
    reason = serializers.CharField()
    state = serializers.CharField()
    events = ReopeningEventAnswer(many=True)


class PinBody(serializers.Serializer):
    """A dealer's new PIN."""

    property = serializers.CharField(max_length=20)
    pin = serializers.CharField()
