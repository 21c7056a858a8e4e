"""Replays work in parts: how far each has come, and the wagers that differ. A sandbox beside the books."""

import django.db.models.deletion
from django.db import migrations, models

from casino.append_only import AppendOnly, NoDelete


class Migration(migrations.Migration):
    dependencies = [
        ("casino", "0003_job_events"),
        ("tables", "0004_round_indexes"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReplayRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("done", models.PositiveIntegerField(default=0)),
                ("of", models.PositiveIntegerField()),
                ("last", models.BigIntegerField(default=0)),
                ("kept", models.JSONField()),
                ("job", models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="casino.job")),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.CreateModel(
            name="ReplayDifference",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("table", models.CharField(max_length=20)),
                ("seat", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("bet", models.CharField(max_length=20)),
                ("stake", models.BigIntegerField()),
                ("kept_win", models.BigIntegerField()),
                ("replayed_win", models.BigIntegerField()),
                ("round", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.round")),
                ("run", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="differences", to="tables.replayrun")),
            ],
            options={
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(fields=("run", "round", "seat", "kind"), name="tables_replaydifference_once")],
            },
        ),
        NoDelete("tables_replayrun"),
        AppendOnly("tables_replaydifference"),
    ]
