"""Who works here, what they may do, and what is to be done: users without superusers, role events, jobs."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.alarm_words import alarm_in_words
from casino.append_only import RecordedAt
from casino.errors import Refused
from casino.words import word


class UserManager(BaseUserManager["User"]):
    """Makes users; there is no way to make a superuser."""

    def create_user(self, username: str, password: str | None = None, **fields: Any) -> User:
        """Return a new user who can sign in with `password`, or cannot sign in where it is None."""
        user = self.model(username=username, **fields)
        user.set_password(password)
        user.save(using=self._db, force_insert=True)
        return user

    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> User:
        """Refuse: what a person may do comes from their roles."""
        raise Refused("no_superusers", gettext("There are no superusers here. The first administrator is made at set-up."))


class User(AbstractBaseUser):
    """A person on the staff who signs in. `username` is the staff number; what they may do comes from their roles alone."""

    username = models.CharField(_("staff number"), max_length=40, unique=True, validators=[ASCIIUsernameValidator()])
    name = models.CharField(max_length=120, blank=True)
    email = models.EmailField(blank=True)
    is_active = models.BooleanField(_("works here"), default=True)
    is_superuser = models.BooleanField(default=False, editable=False)
    date_joined = models.DateTimeField(db_default=models.functions.Now(), editable=False)

    objects = UserManager()
    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: list[str] = []

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(is_superuser=False), name="casino_user_no_superusers")]
        ordering = ["username"]

    def __str__(self) -> str:
        return self.username

    @property
    def is_staff(self) -> bool:
        """Return whether they may sign in to the admin: everyone who works here and has a role."""
        return self.is_active and bool(self.roles)

    @property
    def roles(self) -> dict[str, tuple[str, ...] | None]:
        """Return the roles in effect with the pits they are for (None: all), read once per object. One query."""
        if not hasattr(self, "_roles"):
            events = self.role_events.order_by("sequence").values_list("role", "action", "pits")
            self._roles = roles.in_effect((role, action, tuple(pits) if pits else None) for role, action, pits in events)
        return self._roles

    def forget_roles(self) -> None:
        """Read the roles again next time."""
        self.__dict__.pop("_roles", None)

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return whether one of their roles gives Django's permission `perm` ("tables.view_round")."""
        return self.is_active and roles.has_perm(self.roles, perm)

    def has_perms(self, perm_list: Iterable[str], obj: Any = None) -> bool:
        """Return whether they have all of `perm_list`."""
        return all(self.has_perm(perm, obj) for perm in perm_list)

    def has_module_perms(self, app_label: str) -> bool:
        """Return whether they have any permission of the app."""
        return self.is_active and roles.has_module_perms(self.roles, app_label)


class RoleEvent(models.Model):
    """A role was granted, reviewed or withdrawn. Append-only; a role is what its last event says."""

    user = models.ForeignKey(User, models.PROTECT, related_name="role_events")
    sequence = models.PositiveIntegerField()
    role = models.CharField(max_length=20, choices=roles.CHOICES)
    action = models.CharField(max_length=10, choices=[("grant", _("granted")), ("review", _("reviewed")), ("withdraw", _("withdrawn"))])
    pits = ArrayField(models.CharField(max_length=20), null=True, blank=True, help_text=_("codes of pits; empty for all"))
    by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", help_text=_("empty only at set-up"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "sequence"], name="casino_roleevent_in_order"),
            models.CheckConstraint(condition=~Q(by=models.F("user")), name="casino_roleevent_not_ones_own"),
            models.CheckConstraint(condition=Q(role__in=roles.ROLES), name="casino_roleevent_known_role"),
        ]
        ordering = ["user", "sequence"]

    def __str__(self) -> str:
        return f"{self.user} {self.role} {self.action}"


class StepUpFailure(models.Model):
    """Somebody who is signed in typed a wrong password where an approval asks for it again. Append-only; what was typed is not kept."""

    user = models.ForeignKey(User, models.PROTECT, related_name="step_up_failures")
    at = models.DateTimeField(help_text=_("by the door's clock, which counts for the lock"))
    recorded_at = RecordedAt()

    class Meta:
        indexes = [models.Index(fields=["user", "-at"], name="casino_stepupfailure_last")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} · {shown.utc(self.at)}"


class ApiToken(models.Model):
    """What a program signs in with: for one person, until a day. Append-only. The secret is not here: only its SHA-256."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.PROTECT, related_name="api_tokens")
    label = models.CharField(max_length=80, help_text=_("what it is for"))
    digest = models.CharField(max_length=64, unique=True, help_text=_("SHA-256 of the secret, in hex"))
    made_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    made_on = models.DateField(help_text=_("by the door's clock, UTC"))
    until = models.DateField(help_text=_("the last day on which it is good, UTC; at most a year ahead"))
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(user=models.F("made_by")), name="casino_apitoken_not_ones_own"),
            models.CheckConstraint(condition=Q(digest__regex="^[0-9a-f]{64}$"), name="casino_apitoken_digest"),
            models.CheckConstraint(condition=~Q(label=""), name="casino_apitoken_has_a_label"),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} {self.label}"


class ApiTokenWithdrawal(models.Model):
    """A token was withdrawn: by whom, when, why. Append-only; one a token."""

    token = models.OneToOneField(ApiToken, models.PROTECT, related_name="withdrawal")
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=300)
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="casino_apitokenwithdrawal_says_why")]

    def __str__(self) -> str:
        return f"{self.token} withdrawn by {self.by}"


class TokenWrite(models.Model):
    """A request that a token signed, and that changed something. Append-only. What it made is in the name of the token's person."""

    token = models.ForeignKey(ApiToken, models.PROTECT, related_name="written")
    method = models.CharField(max_length=7)
    address = models.CharField(max_length=200)
    status = models.PositiveSmallIntegerField()
    reference = models.UUIDField(null=True, db_index=True, help_text=_("of what the answer names"))
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.token} {self.method} {self.address}"


class Job(models.Model):
    """Something to be done by a worker: the outbox and the truth about it. A row is inserted where the need arises, in its transaction."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=200, unique=True, help_text=_("one job a key, whoever asks for it again"))
    args = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    asked_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    asked_at = models.DateTimeField(db_default=models.functions.Now(), editable=False)
    due_at = models.DateTimeField(db_default=models.functions.Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=120, blank=True)
    error = models.TextField(blank=True)
    result = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]), name="casino_job_known_state")
        ]
        indexes = [models.Index(fields=["due_at"], condition=Q(state__in=["queued", "running"]), name="casino_job_open")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return word(self.kind)


class JobEvent(models.Model):
    """A job was cancelled, or taken up again. Append-only, and apart from the job, whose row is locked by whoever works at it."""

    class Action(models.TextChoices):
        CANCEL = "cancel", _("cancelled")
        RESUME = "resume", _("taken up again")

    job = models.ForeignKey(Job, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    action = models.CharField(max_length=6, choices=Action.choices)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "sequence"], name="casino_jobevent_in_order")]
        ordering = ["job", "sequence"]

    def __str__(self) -> str:
        return f"{self.job} {self.get_action_display()}"


class Alarm(models.Model):
    """Something that somebody has to look at now. It stays until a person acknowledges it by name. Append-only; unique by its key."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.CharField(max_length=200, unique=True, help_text=_("one alarm a cause, however often it is noticed"))
    kind = models.CharField(max_length=40)
    message = models.CharField(max_length=500)
    pit = models.CharField(max_length=20, blank=True, help_text=_("the pit it is of; empty for the house"))
    facts = models.JSONField(default=dict)
    recorded_at = RecordedAt()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return alarm_in_words(self.message)


class AlarmAcknowledgement(models.Model):
    """Who took an alarm, and what they said. Append-only; one an alarm."""

    alarm = models.OneToOneField(Alarm, models.PROTECT, related_name="acknowledgement")
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)
    recorded_at = RecordedAt()

    def __str__(self) -> str:
        return f"{self.alarm} acknowledged by {self.by}"


class PartitionedTable(models.Model):
    """The list of tables that are partitioned by month; migrations write it, `pitbook_make_partitions` reads it."""

    name = models.CharField(max_length=60, primary_key=True)

    def __str__(self) -> str:
        return self.name
