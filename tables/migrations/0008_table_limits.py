"""Table limits: rows with a moment from which they hold, added to only."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0007_floor_life"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TableLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("bet", models.CharField(blank=True, max_length=20)),
                ("least", models.BigIntegerField()),
                ("most", models.BigIntegerField()),
                ("from_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("approved_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("proposed_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("table", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="limits", to="tables.table")),
            ],
            options={
                "ordering": ["table", "bet", "from_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("table", "bet", "from_at"), name="tables_tablelimit_once"),
                    models.CheckConstraint(
                        condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True), name="tables_tablelimit_two_people"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("least__gte", 0), ("most__gte", models.F("least")), ("most__lt", 1000000000000000)),
                        name="tables_tablelimit_range",
                    ),
                ],
            },
        ),
        AppendOnly("tables_tablelimit"),
        Stamped("tables_tablelimit"),
    ]
