"""The shapes of replays and full solves for the OpenAPI document. They describe; readers and services check."""

from __future__ import annotations

from rest_framework import serializers

from casino.models import Job


class ReplayBody(serializers.Serializer):
    """A shift, or a property and its month; another version, or rules replaced in each round's own; neither is each round's own version."""

    shift = serializers.UUIDField(required=False)
    property = serializers.CharField(required=False)
    month = serializers.CharField(required=False, help_text="as 2026-11")
    paytable = serializers.CharField(required=False, help_text='a published version, such as "uth-seed@1"')
    rules = serializers.DictField(required=False, help_text="what each rule is to be")


class StepAnswer(serializers.Serializer):
    """How far a running job is."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()
    what = serializers.CharField()


class ReplayAnswer(serializers.Serializer):
    """A replay's job, and when it is done its result; nothing of it is in the books."""

    uuid = serializers.UUIDField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    asked_at = serializers.DateTimeField()
    progress = StepAnswer(allow_null=True)
    result = serializers.JSONField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class ReplayDifferenceAnswer(serializers.Serializer):
    """A wager that is settled otherwise; minor units from the house's side."""

    round = serializers.UUIDField()
    table = serializers.CharField()
    bet = serializers.CharField()
    seat = serializers.IntegerField()
    wager = serializers.CharField()
    stake = serializers.IntegerField()
    kept_win = serializers.IntegerField()
    replayed_win = serializers.IntegerField()
    difference = serializers.IntegerField()


class SolveAnswer(serializers.Serializer):
    """The full solve of a paytable's content."""

    sha256 = serializers.CharField()
    game = serializers.CharField()
    done = serializers.IntegerField()
    of = serializers.IntegerField()
    edges = serializers.JSONField(allow_null=True)
    fault = serializers.CharField(allow_blank=True)
    job = ReplayAnswer()
