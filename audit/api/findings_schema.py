"""The shapes of findings for the OpenAPI document. They describe; the bodies' own reader checks."""

from __future__ import annotations

from rest_framework import serializers

from audit.causes import CAUSES
from audit.models import Evidence, Finding, FindingEvent


class CaseLine(serializers.Serializer):
    """A finding as the inbox shows it; amounts are minor units, `effect` from the house's side."""

    uuid = serializers.UUIDField()
    kind = serializers.CharField()
    severity = serializers.ChoiceField(choices=Finding.Severity.choices)
    flag = serializers.BooleanField(help_text="statistical: a reason to look, never proof")
    state = serializers.ChoiceField(choices=FindingEvent.State.choices)
    sequence = serializers.IntegerField()
    owner = serializers.CharField(allow_null=True)
    cause = serializers.CharField(allow_null=True)
    found_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    overdue = serializers.BooleanField()
    shift = serializers.UUIDField()
    table = serializers.CharField(allow_null=True)
    round = serializers.UUIDField(allow_null=True)
    seat = serializers.IntegerField(allow_null=True)
    wager = serializers.CharField()
    dealer = serializers.CharField(allow_null=True)
    effect = serializers.IntegerField()
    due = serializers.IntegerField(allow_null=True)
    done = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()


class Case(CaseLine):
    """A finding with what became of it."""

    facts = serializers.DictField()
    events = serializers.ListField(child=serializers.DictField())
    evidence = serializers.ListField(child=serializers.DictField())


class Step(serializers.Serializer):
    """What the steps take: assign owner, note · answer text, cause, saved, lost · review note, password · close note, cause, saved, lost, password ·
    evidence kind, text, reference, camera, from_at, until_at. `seen`: the sequence of the last event that was looked at."""

    seen = serializers.IntegerField(required=False)
    owner = serializers.CharField(required=False)
    text = serializers.CharField(required=False)
    note = serializers.CharField(required=False)
    cause = serializers.ChoiceField(choices=list(CAUSES.items()), required=False)
    saved = serializers.IntegerField(required=False)
    lost = serializers.IntegerField(required=False)
    password = serializers.CharField(required=False)
    kind = serializers.ChoiceField(choices=Evidence.Kind.choices, required=False)
    reference = serializers.CharField(required=False)
    camera = serializers.CharField(required=False)
    from_at = serializers.DateTimeField(required=False)
    until_at = serializers.DateTimeField(required=False)
