"""The shapes of paytables for the OpenAPI document. They describe; readers and services check."""

from __future__ import annotations

from rest_framework import serializers

STATES = ["proposed", "approved", "refused", "withdrawn"]


class _Identity(serializers.Serializer):
    paytable = serializers.CharField(help_text='reference, such as "uth-seed@1"')
    game = serializers.CharField()
    sha256 = serializers.CharField()
    short_code = serializers.CharField(help_text="four characters of the hash, to be compared at the table")


class WarningAnswer(serializers.Serializer):
    """What to be warned of before it goes live."""

    code = serializers.ChoiceField(choices=["player_edge", "below_limit", "above_limit", "unsolved"])
    bet = serializers.CharField()
    message = serializers.CharField()


class EdgesAnswer(serializers.Serializer):
    """Every bet's edge as in spec/rounds.md, per base bet and per total wagered, and the warnings."""

    paytable = serializers.CharField()
    sha256 = serializers.CharField()
    short_code = serializers.CharField()
    bets = serializers.DictField(child=serializers.DictField())
    needs_solve = serializers.BooleanField(help_text="not to be approved before the full solve is done")
    warnings = WarningAnswer(many=True)


class PlaceAnswer(serializers.Serializer):
    """Where a version is in force, from when."""

    table = serializers.CharField()
    from_at = serializers.DateTimeField()


class VersionAnswer(_Identity):
    """A published version."""

    proposed_by = serializers.CharField()
    approved_by = serializers.CharField()
    approval = serializers.CharField(help_text="the approval's reference")
    recorded_at = serializers.DateTimeField()


class VersionDetail(VersionAnswer):
    """A published version with what it says."""

    content = serializers.DictField()
    edges = serializers.DictField()
    in_force = PlaceAnswer(many=True)


class DraftBody(serializers.Serializer):
    """A paytable as it is typed."""

    paytable = serializers.DictField(help_text="a whole version object of spec/rounds.md")
    property = serializers.CharField(required=False, help_text="whose limits it is held against")


class DraftChangeBody(DraftBody):
    """A draft as it is typed anew."""

    revision = serializers.IntegerField(help_text="of the draft, as it was looked at")


class DraftAnswer(_Identity):
    """A draft."""

    uuid = serializers.UUIDField()
    revision = serializers.IntegerField()
    changed_by = serializers.CharField()
    changed_at = serializers.DateTimeField()
    property = serializers.CharField(allow_null=True)
    content = serializers.DictField(required=False)
    edges = serializers.DictField(required=False)
    warnings = WarningAnswer(many=True, required=False)
    needs_solve = serializers.BooleanField(required=False)


class DraftProposalBody(serializers.Serializer):
    """What is said when a draft is proposed."""

    note = serializers.CharField(max_length=300, required=False)
    revision = serializers.IntegerField(help_text="of the draft, as it was looked at")


class ProposalAnswer(_Identity):
    """A proposal."""

    uuid = serializers.UUIDField()
    state = serializers.ChoiceField(choices=STATES)
    proposed_by = serializers.CharField()
    recorded_at = serializers.DateTimeField()
    note = serializers.CharField(allow_blank=True)
    content = serializers.DictField()
    edges = serializers.DictField(help_text="as shown when it was proposed")
    warnings = WarningAnswer(many=True)


class PasswordBody(serializers.Serializer):
    """An approval: the password of whoever is signed in, again."""

    password = serializers.CharField(write_only=True)
    note = serializers.CharField(max_length=300, required=False)


class ApprovalBody(serializers.Serializer):
    """An approval of a version: its reference, and the password again."""

    approval = serializers.CharField(max_length=120)
    password = serializers.CharField(write_only=True)


class PaytableNoteBody(serializers.Serializer):
    """A reason."""

    note = serializers.CharField(max_length=300, required=False)


class PlaceBody(serializers.Serializer):
    """Where and from when a version is to be in force."""

    table = serializers.CharField(max_length=20)
    from_at = serializers.DateTimeField()
    note = serializers.CharField(max_length=300, required=False)


class PlacementAnswer(serializers.Serializer):
    """A proposed placement."""

    uuid = serializers.UUIDField()
    paytable = serializers.CharField()
    sha256 = serializers.CharField()
    short_code = serializers.CharField()
    table = serializers.CharField()
    from_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=STATES)
    proposed_by = serializers.CharField()
    recorded_at = serializers.DateTimeField()
    note = serializers.CharField(allow_blank=True)
