"""API tokens, their withdrawals, and what each changed: added only. Nobody makes or withdraws their own; none is for longer than a year."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

GUARDS = """
CREATE FUNCTION casino_apitoken_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.until < NEW.made_on OR NEW.until > NEW.made_on + 366 THEN
        RAISE EXCEPTION 'a token ends within a year of the day on which it is made'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'casino_apitoken_a_year_at_most', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER casino_apitoken_guard BEFORE INSERT ON casino_apitoken FOR EACH ROW EXECUTE FUNCTION casino_apitoken_guard();
ALTER TABLE casino_apitoken ENABLE ALWAYS TRIGGER casino_apitoken_guard;

CREATE FUNCTION casino_apitokenwithdrawal_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.casino_apitoken t WHERE t.id = NEW.token_id AND t.user_id = NEW.by_id) THEN
        RAISE EXCEPTION 'nobody withdraws their own token'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'casino_apitokenwithdrawal_not_ones_own', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER casino_apitokenwithdrawal_guard BEFORE INSERT ON casino_apitokenwithdrawal
    FOR EACH ROW EXECUTE FUNCTION casino_apitokenwithdrawal_guard();
ALTER TABLE casino_apitokenwithdrawal ENABLE ALWAYS TRIGGER casino_apitokenwithdrawal_guard;
"""
GUARDS_BACK = """
DROP TRIGGER casino_apitokenwithdrawal_guard ON casino_apitokenwithdrawal;
DROP FUNCTION casino_apitokenwithdrawal_guard();
DROP TRIGGER casino_apitoken_guard ON casino_apitoken;
DROP FUNCTION casino_apitoken_guard();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("casino", "0006_floor"),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("label", models.CharField(help_text="what it is for", max_length=80)),
                ("digest", models.CharField(help_text="SHA-256 of the secret, in hex", max_length=64, unique=True)),
                ("made_on", models.DateField(help_text="by the door's clock, UTC")),
                ("until", models.DateField(help_text="the last day on which it is good, UTC; at most a year ahead")),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("made_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="api_tokens", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("user", models.F("made_by")), _negated=True), name="casino_apitoken_not_ones_own"),
                    models.CheckConstraint(condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="casino_apitoken_digest"),
                    models.CheckConstraint(condition=models.Q(("label", ""), _negated=True), name="casino_apitoken_has_a_label"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiTokenWithdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=300)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "token",
                    models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="withdrawal", to="casino.apitoken"),
                ),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("reason", ""), _negated=True), name="casino_apitokenwithdrawal_says_why")],
            },
        ),
        migrations.CreateModel(
            name="TokenWrite",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("method", models.CharField(max_length=7)),
                ("address", models.CharField(max_length=200)),
                ("status", models.PositiveSmallIntegerField()),
                ("reference", models.UUIDField(db_index=True, help_text="of what the answer names", null=True)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("token", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="written", to="casino.apitoken")),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        AppendOnly("casino_apitoken"),
        Stamped("casino_apitoken"),
        AppendOnly("casino_apitokenwithdrawal"),
        Stamped("casino_apitokenwithdrawal"),
        AppendOnly("casino_tokenwrite"),
        Stamped("casino_tokenwrite"),
        migrations.RunSQL(GUARDS, GUARDS_BACK),
    ]
