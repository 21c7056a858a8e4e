"""Jobs are cancelled and taken up again: events of their own, added only."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped


class Migration(migrations.Migration):
    dependencies = [
        ("casino", "0002_guards"),
    ]

    operations = [
        migrations.CreateModel(
            name="JobEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                ("action", models.CharField(choices=[("cancel", "cancelled"), ("resume", "taken up again")], max_length=6)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("job", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="casino.job")),
            ],
            options={
                "ordering": ["job", "sequence"],
                "constraints": [models.UniqueConstraint(fields=("job", "sequence"), name="casino_jobevent_in_order")],
            },
        ),
        AppendOnly("casino_jobevent"),
        Stamped("casino_jobevent"),
    ]
