"""The shapes of corrections for the OpenAPI document. They describe; tables/correction_slips.py checks."""

from __future__ import annotations

from rest_framework import serializers

from tables.api.schema import MoneyDue, RoundSlipBody
from tables.models import RoundProposal, RoundProposalEvent


class RoundVoidBody(serializers.Serializer):
    """A proposal to void a round."""

    uuid = serializers.UUIDField(help_text="made by whoever proposes: the idempotency key")
    reason = serializers.ChoiceField(choices=RoundProposal.Reason.choices)
    note = serializers.CharField(max_length=300, required=False)
    chips_returned = serializers.BooleanField(help_text="all chips went back; where they did not, propose a correction that says what was kept")


class DeadHandBody(serializers.Serializer):
    """A proposal to take the hand of one seat for dead."""

    uuid = serializers.UUIDField()
    seat = serializers.IntegerField(min_value=1)
    reason = serializers.ChoiceField(choices=RoundProposal.Reason.choices)
    note = serializers.CharField(max_length=300, required=False)


class CorrectionBody(serializers.Serializer):
    """A proposal to put another round in the place of this one: its slip `replaces` it and keeps table and label."""

    slip = RoundSlipBody()
    reason = serializers.ChoiceField(choices=RoundProposal.Reason.choices)
    note = serializers.CharField(max_length=300, required=False)


class LateRoundBody(CorrectionBody):
    """A proposal to add a round that was never entered to a closed session."""

    session = serializers.UUIDField()


class DecisionBody(serializers.Serializer):
    """A decision; approving and rejecting ask for the password again."""

    password = serializers.CharField(required=False)
    note = serializers.CharField(max_length=300, required=False)


class RulingBody(serializers.Serializer):
    """An auditor's ruling on an irregular round: it stands as dealt, or what was due on every wager, by seat and wager."""

    password = serializers.CharField()
    reason = serializers.CharField(max_length=300)
    stands = serializers.BooleanField(required=False)
    due = serializers.DictField(child=serializers.DictField(child=MoneyDue()), required=False)
    after = serializers.IntegerField(min_value=0, required=False, help_text="how many rulings were seen")


class ChangeLine(serializers.Serializer):
    """One field that would change."""

    where = serializers.CharField()
    label = serializers.CharField()
    kind = serializers.ChoiceField(choices=["amount", "signed", "moment", "cards", "text"])
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class RoundProposalAnswer(serializers.Serializer):
    """A proposal: what it changes field by field and in the house's net (minor units), and what was decided."""

    uuid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=RoundProposal.Kind.choices)
    state = serializers.ChoiceField(choices=RoundProposalEvent.State.choices)
    table = serializers.CharField()
    session = serializers.UUIDField()
    round = serializers.UUIDField(allow_null=True)
    seat = serializers.IntegerField(allow_null=True)
    reason = serializers.ChoiceField(choices=RoundProposal.Reason.choices)
    note = serializers.CharField(allow_blank=True)
    slip = serializers.DictField(allow_null=True)
    changes = ChangeLine(many=True)
    before = serializers.IntegerField()
    after = serializers.IntegerField()
    effect = serializers.IntegerField()
    proposed_by = serializers.CharField()
    proposed_at = serializers.DateTimeField()
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_note = serializers.CharField(allow_blank=True)
    made = serializers.UUIDField(allow_null=True)


class ProposalLine(serializers.Serializer):
    """A proposal in a list."""

    uuid = serializers.UUIDField()
    kind = serializers.CharField()
    state = serializers.CharField()
    table = serializers.CharField(source="session.table.code")
    round = serializers.UUIDField(source="round.uuid", default=None, allow_null=True)
    reason = serializers.CharField()
    effect = serializers.IntegerField()
    proposed_by = serializers.CharField(source="proposed_by.username")
    proposed_at = serializers.DateTimeField(source="occurred_at")


class MomentLine(serializers.Serializer):
    """One moment of a round's story."""

    at = serializers.DateTimeField()
    what = serializers.CharField()
    words = serializers.CharField(allow_blank=True)
    by = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    round = serializers.UUIDField(allow_null=True)
    made = serializers.UUIDField(allow_null=True)
    proposal = serializers.UUIDField(allow_null=True)
    entries = serializers.ListField(child=serializers.CharField())


class RulingAnswer(serializers.Serializer):
    """A ruling as it is kept."""

    round = serializers.UUIDField()
    sequence = serializers.IntegerField()
    stands = serializers.BooleanField()
    due = serializers.ListField(child=serializers.DictField())
    effect = serializers.IntegerField()
    reason = serializers.CharField()
    by = serializers.CharField()
