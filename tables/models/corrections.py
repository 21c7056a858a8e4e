"""What becomes of a round that went wrong: proposals, what was decided of them, what they changed, and rulings on irregular rounds.

All of them are added to, never edited. Source: spec/night.md, "A round that went wrong"; spec/books.md, "Signing, late facts".
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class RoundProposal(models.Model):
    """Somebody proposes to void, correct or add a round. `slip` is the round that it would make, as JSON; that round gets the proposal's uuid."""

    known_before = False
    """Whether the service that gave this instance found the proposal instead of making it. No column."""

    class Kind(models.TextChoices):
        VOID = "void", _("void")
        DEAD_HAND = "dead_hand", _("dead hand")
        CORRECT = "correct", _("correction")
        LATE = "late", _("late round")

    class Reason(models.TextChoices):
        MISDEAL = "misdeal", _("misdeal")
        FOULED_HAND = "fouled_hand", _("fouled hand")
        EXPOSED_CARD = "exposed_card", _("exposed card")
        FOULED_DECK = "fouled_deck", _("fouled or short deck")
        ENTERED_TWICE = "entered_twice", _("entered twice")
        MISREAD_CARDS = "misread_cards", _("cards misread")
        WRONG_STAKE = "wrong_stake", _("stake entered wrong")
        WRONG_PAYMENT = "wrong_payment", _("payment entered wrong")
        WRONG_SEAT = "wrong_seat", _("seat or patron entered wrong")
        CHIPS_KEPT = "chips_kept", _("voided, and a patron kept chips")
        NOT_ENTERED = "not_entered", _("never entered")
        OTHER = "other", _("other: see the note")

    uuid = models.UUIDField(unique=True, help_text=_("made by whoever proposes: the idempotency key, and the uuid of the round that it makes"))
    kind = models.CharField(max_length=10, choices=Kind.choices)
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="proposals")
    round = models.ForeignKey("tables.Round", models.PROTECT, null=True, related_name="proposals")
    seat = models.PositiveSmallIntegerField(null=True, help_text=_("whose hand is dead"))
    reason = models.CharField(max_length=14, choices=Reason.choices)
    note = models.CharField(max_length=300, blank=True)
    chips_returned = models.BooleanField(null=True, help_text=_("a void: all chips went back to where they came from"))
    slip = models.TextField(blank=True, help_text=_("the round that it makes, as it was handed in"))
    fingerprint = models.BinaryField(max_length=32)
    effect = models.BigIntegerField(help_text=_("what it changes in the house's net, in minor units"))
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()

    class Meta:
        verbose_name = _("proposal")
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["void", "dead_hand", "correct", "late"]), name="tables_roundproposal_known_kind"),
            models.CheckConstraint(
                condition=(Q(kind="late") & Q(round__isnull=True)) | (~Q(kind="late") & Q(round__isnull=False)),
                name="tables_roundproposal_of_a_round",
            ),
            models.CheckConstraint(
                condition=(Q(kind="void") & Q(slip="")) | (~Q(kind="void") & ~Q(slip="")), name="tables_roundproposal_makes_a_round"
            ),
            models.CheckConstraint(
                condition=(Q(kind="void") & Q(chips_returned__isnull=False) & Q(chips_returned=True))
                | (~Q(kind="void") & Q(chips_returned__isnull=True)),
                name="tables_roundproposal_chips_went_back",
            ),
            models.CheckConstraint(
                condition=(Q(kind="dead_hand") & Q(seat__isnull=False)) | (~Q(kind="dead_hand") & Q(seat__isnull=True)),
                name="tables_roundproposal_dead_seat",
            ),
            models.CheckConstraint(condition=~Q(reason="other") | ~Q(note=""), name="tables_roundproposal_other_says_what"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.session}"


class RoundProposalEvent(models.Model):
    """`proposed`, then once: `approved`, `rejected` or `withdrawn`."""

    class State(models.TextChoices):
        PROPOSED = "proposed"
        APPROVED = "approved"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    proposal = models.ForeignKey(RoundProposal, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=9, choices=State.choices)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["proposal", "sequence"], name="tables_roundproposalevent_in_order"),
            models.CheckConstraint(
                condition=Q(sequence=1, state="proposed") | Q(sequence=2, state__in=["approved", "rejected", "withdrawn"]),
                name="tables_roundproposalevent_decided_once",
            ),
        ]
        ordering = ["proposal", "sequence"]

    def __str__(self) -> str:
        return f"{self.proposal} {self.state}"


class RoundChange(models.Model):
    """What an approved proposal did: the round that it reversed, the one that it made. A round is reversed once, and made once."""

    proposal = models.OneToOneField(RoundProposal, models.PROTECT, related_name="change")
    kind = models.CharField(max_length=10, choices=RoundProposal.Kind.choices)
    round = models.OneToOneField("tables.Round", models.PROTECT, null=True, related_name="reversal")
    made = models.OneToOneField("tables.Round", models.PROTECT, null=True, related_name="origin")
    late = models.BooleanField(help_text=_("its shift was sealed: posted in another shift, against the variance account"))
    posted_in = models.ForeignKey("tables.Shift", models.PROTECT, related_name="round_changes")
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+", help_text=_("who approved it: the witness of its entries"))
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.proposal} done"


class RoundRuling(models.Model):
    """What an auditor ruled on an irregular round: it stands as dealt, or what was due on each wager. The last one is in force."""

    round = models.ForeignKey("tables.Round", models.PROTECT, related_name="rulings")
    sequence = models.PositiveSmallIntegerField()
    stands = models.BooleanField(help_text=_("it stands as dealt: what was done was due"))
    due = models.JSONField(help_text=_("what was due on each wager as ruled: seat, wager, collect, pay; minor units"))
    effect = models.BigIntegerField(help_text=_("(collected - paid) - (collect - pay) as ruled, from the house's side"))
    reason = models.CharField(max_length=300)
    by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    occurred_at = models.DateTimeField()
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "sequence"], name="tables_roundruling_in_order"),
            models.CheckConstraint(condition=~Q(reason=""), name="tables_roundruling_says_why"),
            models.CheckConstraint(condition=Q(stands=False) | Q(effect=0), name="tables_roundruling_stands_is_no_difference"),
        ]
        ordering = ["round", "sequence"]

    def __str__(self) -> str:
        return f"ruling {self.sequence} on {self.round}"
