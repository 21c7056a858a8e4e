"""Markers, money plays, promotions and rake in a session's line; a table's gaming day."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0004_signing_and_findings"),
        ("tables", "0007_floor_life"),
    ]

    operations = [
        migrations.AddField(
            model_name="sessionreconciliation",
            name="cash_collected",
            field=models.BigIntegerField(default=0, help_text="money plays that were lost: cash into the box"),
        ),
        migrations.AddField(
            model_name="sessionreconciliation",
            name="coupons",
            field=models.BigIntegerField(default=0, help_text="promotional chips and coupons taken into the box, at their face"),
        ),
        migrations.AddField(
            model_name="sessionreconciliation",
            name="expected_drop",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="sessionreconciliation",
            name="markers_issued",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="sessionreconciliation",
            name="markers_redeemed",
            field=models.BigIntegerField(default=0, help_text="in chips, at the table"),
        ),
        migrations.AddField(
            model_name="sessionreconciliation",
            name="promo_paid",
            field=models.BigIntegerField(default=0, help_text="promotional cost: what promotional stakes were paid in chips; in `paid` too"),
        ),
        migrations.AddField(
            model_name="sessionreconciliation",
            name="rake_dropped",
            field=models.BigIntegerField(default=0),
        ),
        migrations.CreateModel(
            name="TableDayReconciliation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("gaming_day", models.DateField()),
                ("drop", models.BigIntegerField(null=True)),
                ("expected_drop", models.BigIntegerField()),
                ("drop_variance", models.BigIntegerField(null=True)),
                ("win_by_play", models.BigIntegerField()),
                ("win_by_count", models.BigIntegerField(null=True)),
                ("tray_variance", models.BigIntegerField(null=True)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                (
                    "reconciliation",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="days", to="audit.shiftreconciliation"),
                ),
                (
                    "session",
                    models.ForeignKey(
                        help_text="from which the box was pulled",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.tablesession",
                    ),
                ),
                ("table", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.table")),
            ],
            options={
                "ordering": ["reconciliation", "table"],
                "constraints": [models.UniqueConstraint(fields=("reconciliation", "table"), name="audit_tableday_once")],
            },
        ),
        AppendOnly("audit_tabledayreconciliation"),
        Stamped("audit_tabledayreconciliation"),
    ]
