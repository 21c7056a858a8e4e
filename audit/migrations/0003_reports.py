"""Reports as files of any span, prints, mailings."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, NoDelete, Stamped


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_guards"),
        ("tables", "0004_round_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="reportfile",
            name="filters",
            field=models.JSONField(default=dict),
        ),
        migrations.AlterField(
            model_name="reportfile",
            name="shift",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="report_files", to="tables.shift"),
        ),
        migrations.CreateModel(
            name="Mailing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("report", models.CharField(max_length=40)),
                ("filters", models.JSONField(default=dict, help_text="pit, table, game, dealer; the days follow from the time it is sent")),
                ("format", models.CharField(max_length=4)),
                (
                    "every",
                    models.CharField(
                        choices=[("day", "every day"), ("week", "every Monday"), ("month", "on the first of every month")], max_length=5
                    ),
                ),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("ended_at", models.DateTimeField(null=True)),
                ("property", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.property")),
                (
                    "user",
                    models.ForeignKey(
                        help_text="whose rights count when it is sent, and who gets it",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="mailings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("every__in", ["day", "week", "month"])), name="audit_mailing_known_rhythm")
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportPrint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identity", models.CharField(max_length=200)),
                ("content_sha256", models.CharField(max_length=64)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["content_sha256"], name="audit_reportprint_content")],
            },
        ),
        AppendOnly("audit_reportprint"),
        Stamped("audit_reportprint"),
        NoDelete("audit_mailing"),
        Stamped("audit_mailing"),
    ]
