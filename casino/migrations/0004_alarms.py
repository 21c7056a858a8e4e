"""Alarms, and who acknowledged them: added only."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped


class Migration(migrations.Migration):
    dependencies = [
        ("casino", "0003_job_events"),
    ]

    operations = [
        migrations.CreateModel(
            name="Alarm",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("key", models.CharField(help_text="one alarm a cause, however often it is noticed", max_length=200, unique=True)),
                ("kind", models.CharField(max_length=40)),
                ("message", models.CharField(max_length=500)),
                ("pit", models.CharField(blank=True, help_text="the pit it is of; empty for the house", max_length=20)),
                ("facts", models.JSONField(default=dict)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="AlarmAcknowledgement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("note", models.CharField(blank=True, max_length=300)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("alarm", models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="acknowledgement", to="casino.alarm")),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        AppendOnly("casino_alarm"),
        Stamped("casino_alarm"),
        AppendOnly("casino_alarmacknowledgement"),
        Stamped("casino_alarmacknowledgement"),
    ]
