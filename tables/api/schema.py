"""The shapes of spec/rounds.md for the OpenAPI document. They describe; the slip's own reader checks, and the service owns uniqueness."""

from __future__ import annotations

from rest_framework import serializers

from tables.models import Round
from tables.round_history import state_of


class MoneyDone(serializers.Serializer):
    """What was done on a wager, in minor units."""

    collected = serializers.IntegerField(min_value=0, required=False, help_text="what the house took of the stake")
    paid = serializers.IntegerField(min_value=0, required=False, help_text="what it paid beyond the stake")


class MispaidSlip(serializers.Serializer):
    """A mistake that the dealer made and somebody saw."""

    seat = serializers.IntegerField(min_value=1)
    wager = serializers.CharField(max_length=20)
    status = serializers.ChoiceField(choices=["corrected", "not_recovered"])
    first = MoneyDone(required=False)
    note = serializers.CharField(max_length=300, required=False)


class IrregularSlip(serializers.Serializer):
    """Against the rules, and yet it happened."""

    reason = serializers.CharField(max_length=300)


class RoundSlipBody(serializers.Serializer):
    """A recorded round as it is handed in. `round` is the game's own facts: cards, seats, wagers."""

    uuid = serializers.UUIDField()
    table = serializers.CharField(max_length=20)
    occurred_at = serializers.DateTimeField()
    dealer = serializers.CharField(max_length=20)
    number = serializers.IntegerField(min_value=1, required=False, allow_null=True)
    round = serializers.DictField()
    done = serializers.DictField(child=serializers.DictField(child=MoneyDone()), required=False)
    mispaid = MispaidSlip(many=True, required=False)
    patrons = serializers.DictField(child=serializers.CharField(max_length=40), required=False)
    irregular = IrregularSlip(required=False, allow_null=True)
    replaces = serializers.UUIDField(required=False, allow_null=True)
    funds = serializers.DictField(
        child=serializers.DictField(child=serializers.ChoiceField(choices=["chips", "cash", "promo"])),
        required=False,
        help_text="what was put down, by seat and wager; chips where it is left out",
    )
    for_dealer = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(max_length=20)), required=False, help_text="wagers for the dealer, by seat"
    )


class MoneyDue(serializers.Serializer):
    """What was due on a wager, in minor units."""

    collect = serializers.IntegerField()
    pay = serializers.IntegerField()


class MispaidAnswer(serializers.Serializer):
    """A mistake as it is kept."""

    status = serializers.ChoiceField(choices=["corrected", "not_recovered"])
    note = serializers.CharField()
    first = MoneyDone(required=False)


class WagerAnswer(serializers.Serializer):
    """One wager of a recorded round."""

    seat = serializers.IntegerField()
    wager = serializers.CharField()
    stake = serializers.IntegerField()
    due = MoneyDue(allow_null=True, help_text="null where the round was irregular")
    done = MoneyDone()
    payout_variance = serializers.IntegerField(allow_null=True)
    mispaid = MispaidAnswer(required=False)
    patron = serializers.CharField(required=False)
    fund = serializers.ChoiceField(choices=["cash", "promo"], required=False, help_text="chips where it is left out")
    for_dealer = serializers.BooleanField(required=False)


class RoundAnswer(serializers.Serializer):
    """A recorded round: what was due, what was done, and the difference, in minor units."""

    uuid = serializers.UUIDField()
    table = serializers.CharField()
    session = serializers.UUIDField()
    shift = serializers.UUIDField()
    gaming_day = serializers.DateField()
    number = serializers.IntegerField()
    occurred_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()
    recorded_by = serializers.CharField()
    dealer = serializers.CharField()
    paytable = serializers.CharField()
    paytable_sha256 = serializers.CharField()
    state = serializers.ChoiceField(choices=["stands", "irregular", "late", "voided", "replaced"])
    late = serializers.BooleanField()
    replaces = serializers.UUIDField(allow_null=True)
    replaced_by = serializers.UUIDField(allow_null=True)
    irregular = IrregularSlip(allow_null=True)
    round = serializers.DictField()
    settlement = serializers.DictField(allow_null=True)
    wagers = WagerAnswer(many=True)
    payout_variance = serializers.IntegerField(allow_null=True)
    entry = serializers.UUIDField()


class RoundLine(serializers.Serializer):
    """A recorded round in a list."""

    uuid = serializers.UUIDField()
    table = serializers.CharField(source="session.table.code")
    number = serializers.IntegerField()
    label = serializers.CharField()
    gaming_day = serializers.DateField()
    occurred_at = serializers.DateTimeField()
    dealer = serializers.CharField(source="dealer.code")
    handle = serializers.IntegerField()
    collected = serializers.IntegerField()
    paid = serializers.IntegerField()
    payout_variance = serializers.IntegerField(allow_null=True)
    state = serializers.SerializerMethodField()

    def get_state(self, played: Round) -> str:
        """Return whether it stands, or what became of it."""
        return state_of(played)


class ErrorLine(serializers.Serializer):
    """One fault."""

    code = serializers.CharField()
    message = serializers.CharField()
    where = serializers.CharField(allow_blank=True)
    facts = serializers.DictField(required=False)


class ErrorAnswer(serializers.Serializer):
    """Every error: the first, and all that were found."""

    error = ErrorLine()
    errors = ErrorLine(many=True)
