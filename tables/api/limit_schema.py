"""The shapes of limits and settings for the OpenAPI document. They describe; `tables.floor_bodies` and the services check."""

from __future__ import annotations

from rest_framework import serializers

from tables.api.floor_schema import SecondBody
from tables.models import PropertySetting


class _Limit(serializers.Serializer):
    bet = serializers.CharField(allow_blank=True, help_text="empty: every bet without its own")
    least = serializers.IntegerField(help_text="minor units")
    most = serializers.IntegerField(help_text="minor units")
    from_at = serializers.DateTimeField()


class TableLimitBody(_Limit):
    """What may be staked on one wager of a bet, and the auditor who approves it."""

    from_at = serializers.DateTimeField(required=False, help_text="now where it is left out")
    second = SecondBody()


class TableLimitAnswer(_Limit):
    """A table's limit from a moment on."""

    table = serializers.CharField()
    proposed_by = serializers.CharField()
    approved_by = serializers.CharField()


class _Edge(serializers.Serializer):
    game = serializers.CharField()
    bet = serializers.CharField(allow_blank=True, help_text="empty: every bet without its own")
    least_ppm = serializers.IntegerField(help_text="millionths of the base stake")
    most_ppm = serializers.IntegerField(help_text="millionths of the base stake")


class EdgeLimitBody(_Edge):
    """What the edge of a bet may be, and the auditor who approves it."""

    second = SecondBody()


class EdgeLimitAnswer(_Edge):
    """What a property allows as its edge."""

    property = serializers.CharField()
    recorded_at = serializers.DateTimeField()
    proposed_by = serializers.CharField()
    approved_by = serializers.CharField()


class _Setting(serializers.Serializer):
    name = serializers.ChoiceField(choices=PropertySetting.Name.values)
    value = serializers.JSONField(help_text="minor units, a word, a list of minor units, or hours by shift")
    from_day = serializers.DateField(help_text="the first gaming day of which it holds")
    note = serializers.CharField(max_length=300, required=False)


class SettingBody(_Setting):
    """A setting from a gaming day to come on, and the auditor who approves it."""

    second = SecondBody()


class SettingAnswer(_Setting):
    """A change of a setting."""

    uuid = serializers.UUIDField()
    proposed_by = serializers.CharField()
    approved_by = serializers.CharField()
    recorded_at = serializers.DateTimeField()


class SettingsAnswer(serializers.Serializer):
    """What holds on a gaming day, and every change."""

    property = serializers.CharField()
    gaming_day = serializers.DateField()
    settings = serializers.DictField(child=serializers.JSONField())
    changes = SettingAnswer(many=True)
