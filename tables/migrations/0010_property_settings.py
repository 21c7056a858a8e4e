"""Settings of a property that change from a gaming day on: rows that are added to only."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

NAMES = [
    ("explain_over", "a variance is explained from"),
    ("report_over", "a variance stands in a signed report from"),
    ("notify_over", "a variance goes to the regulator from"),
    ("ask_patron_from", "a patron is asked for from"),
    ("form_above", "cash of a gaming day needs the form above"),
    ("drop_per", "boxes are pulled every"),
    ("rake_to", "a pot game's rake goes to the"),
    ("chip_values", "values of chips"),
    ("note_values", "values of notes"),
    ("shift_hours", "hours of the shifts"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0009_import"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PropertySetting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(choices=NAMES, max_length=20)),
                ("value", models.JSONField(help_text="minor units, a word, a list of minor units, or hours by shift")),
                ("from_day", models.DateField()),
                ("note", models.CharField(blank=True, max_length=300)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("approved_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("property", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="settings", to="tables.property")),
                ("proposed_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["property", "name", "from_day"],
                "constraints": [
                    models.UniqueConstraint(fields=("property", "name", "from_day"), name="tables_propertysetting_once"),
                    models.CheckConstraint(
                        condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True), name="tables_propertysetting_two_people"
                    ),
                    models.CheckConstraint(condition=models.Q(("name__in", [name for name, _ in NAMES])), name="tables_propertysetting_known"),
                ],
            },
        ),
        AppendOnly("tables_propertysetting"),
        Stamped("tables_propertysetting"),
    ]
