"""The shapes of the floor's layout for the OpenAPI document. They describe; `tables.floor_bodies` and the services check."""

from __future__ import annotations

from rest_framework import serializers


class PropertyBody(serializers.Serializer):
    """A property: its clock and its currency, which stay."""

    code = serializers.CharField(max_length=20)
    name = serializers.CharField(max_length=120)
    zone = serializers.CharField(max_length=60)
    currency = serializers.CharField(max_length=3)
    exponent = serializers.IntegerField(min_value=0, max_value=4, help_text="decimals of the currency")
    writes = serializers.ChoiceField(
        ["point", "comma", "apostrophe"], required=False, help_text="how amounts are written: 1,000.50, 1.000,50 or 1’000.50"
    )
    rollover = serializers.TimeField(required=False, help_text="06:00 where it is left out")


class PropertyAnswer(PropertyBody):
    """A property."""

    uuid = serializers.UUIDField()


class NamedBody(serializers.Serializer):
    """Something with a code and a name: a pit, a dealer."""

    code = serializers.CharField(max_length=20)
    name = serializers.CharField(max_length=120, required=False)


class NamedAnswer(NamedBody):
    """A pit or a dealer of a property."""

    property = serializers.CharField()


class TableBody(serializers.Serializer):
    """A table of a pit."""

    pit = serializers.CharField(max_length=20)
    code = serializers.CharField(max_length=20)
    game = serializers.CharField(max_length=20)


class TableAnswer(TableBody):
    """A table."""

    uuid = serializers.UUIDField()


class AmountBody(serializers.Serializer):
    """An amount in minor units."""

    amount = serializers.IntegerField(min_value=1)


class IssueBody(AmountBody):
    """New chips."""

    uuid = serializers.UUIDField()


class EntryAnswer(serializers.Serializer):
    """What was posted."""

    entry = serializers.UUIDField()
    kind = serializers.CharField()
    gaming_day = serializers.DateField()
