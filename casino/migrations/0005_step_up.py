"""Wrong passwords at approvals are kept: added only."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped


class Migration(migrations.Migration):
    dependencies = [
        ("casino", "0004_alarms"),
    ]

    operations = [
        migrations.CreateModel(
            name="StepUpFailure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(help_text="by the door's clock, which counts for the lock")),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                (
                    "user",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="step_up_failures", to=settings.AUTH_USER_MODEL),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["user", "-at"], name="casino_stepupfailure_last")],
            },
        ),
        AppendOnly("casino_stepupfailure"),
        Stamped("casino_stepupfailure"),
    ]
