"""Rounds that came in by a file: the file, who handed it in, which rounds it brought."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

TABLES = ("tables_roundimport", "tables_importedround", "tables_importfile")


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0008_table_limits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("content", models.BinaryField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="RoundImport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("sha256", models.CharField(help_text="of the slips, a line each, as they were handed in", max_length=64)),
                ("rounds", models.PositiveIntegerField(help_text="how many it brought")),
                ("already", models.PositiveIntegerField(help_text="how many were in before")),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "verbose_name": "import of rounds",
                "verbose_name_plural": "imports of rounds",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="ImportedRound",
            fields=[
                (
                    "round",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name="imported", serialize=False, to="tables.round"
                    ),
                ),
                ("line", models.PositiveIntegerField()),
                ("source", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="brought", to="tables.roundimport")),
            ],
            options={
                "ordering": ["source", "line"],
            },
        ),
        *[AppendOnly(table) for table in TABLES],
        Stamped("tables_roundimport"),
        Stamped("tables_importfile"),
    ]
