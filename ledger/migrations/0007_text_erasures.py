"""Records of erased texts: added by the owner's command alone, never changed."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, OnlyTheOwner, Stamped

TABLE = "ledger_texterasure"


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_posting_looks_anew"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TextErasure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("index", models.PositiveIntegerField()),
                ("field", models.CharField(max_length=40)),
                ("reason", models.CharField(max_length=300)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("segment", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="erasures", to="ledger.segment")),
            ],
            options={
                "ordering": ["segment", "index", "field"],
                "constraints": [
                    models.UniqueConstraint(fields=("segment", "index", "field"), name="ledger_texterasure_once"),
                    models.CheckConstraint(condition=models.Q(("reason", ""), _negated=True), name="ledger_texterasure_reason"),
                ],
            },
        ),
        AppendOnly(TABLE),
        Stamped(TABLE),
        OnlyTheOwner(TABLE),
    ]
