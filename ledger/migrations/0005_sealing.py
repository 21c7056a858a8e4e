"""What sealing keeps: of each leaf what it was made from, salts, keys, signatures, acknowledged alarms. Source: spec/books.md, "Sealing a shift"."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped, _SqlOperation, app_role

GUARDS = """
ALTER TABLE ledger_segment ALTER COLUMN marks SET DEFAULT '{}';
ALTER TABLE ledger_leaf ALTER COLUMN kind SET DEFAULT '';

-- Segments are numbered without gaps.
CREATE FUNCTION ledger_segment_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM public.ledger_segment) THEN
        RAISE EXCEPTION 'segments are numbered without gaps'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_segment_no_gaps', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_segment_guard BEFORE INSERT ON ledger_segment FOR EACH ROW EXECUTE FUNCTION ledger_segment_guard();
ALTER TABLE ledger_segment ENABLE ALWAYS TRIGGER ledger_segment_guard;

-- Leaves come with their segment, in its transaction: nobody adds one to a sealed shift afterwards.
CREATE FUNCTION ledger_leaf_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT segment_id FROM added) a JOIN public.ledger_signedcheckpoint c ON c.segment_id = a.segment_id) THEN
        RAISE EXCEPTION 'the segment of this leaf is signed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_leaf_not_signed', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_leaf_guard AFTER INSERT ON ledger_leaf REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_leaf_guard();
ALTER TABLE ledger_leaf ENABLE ALWAYS TRIGGER ledger_leaf_guard;
"""
GUARDS_BACK = """
DROP TRIGGER ledger_leaf_guard ON ledger_leaf; DROP FUNCTION ledger_leaf_guard();
DROP TRIGGER ledger_segment_guard ON ledger_segment; DROP FUNCTION ledger_segment_guard();
"""
ADDED_TO = ("ledger_sealkey", "ledger_signedcheckpoint", "ledger_checkpointalarm")


class Erasable(_SqlOperation):
    """Rows of `table` are added and never change; the owner alone may delete them."""

    def forwards_sql(self) -> str:
        """Return triggers that refuse, and the grants taken back."""
        t = self.table
        return f"""
            CREATE TRIGGER {t}_no_update BEFORE UPDATE ON {t} FOR EACH ROW EXECUTE FUNCTION pitbook_refuse();
            CREATE TRIGGER {t}_no_truncate BEFORE TRUNCATE ON {t} FOR EACH STATEMENT EXECUTE FUNCTION pitbook_refuse();
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_no_update;
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_no_truncate;
            REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON {t} FROM {app_role()}, PUBLIC;
        """

    def backwards_sql(self) -> str:
        """Return what drops the triggers and grants the rights again."""
        t = self.table
        return f"DROP TRIGGER {t}_no_update ON {t}; DROP TRIGGER {t}_no_truncate ON {t}; GRANT UPDATE, DELETE ON {t} TO {app_role()};"

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return f"Refuse changes of rows of {self.table}; its owner may erase them"


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0004_corrections"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CheckpointAlarm",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("note", models.TextField()),
                ("note_sha256", models.CharField(max_length=64, unique=True)),
                ("number", models.PositiveBigIntegerField()),
                ("adopted", models.BooleanField(help_text="whether its segment was taken over without its leaves, so that the list goes on from it")),
                ("reason", models.CharField(max_length=300)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="LeafSalt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("index", models.PositiveIntegerField()),
                ("field", models.CharField(max_length=40)),
                ("salt", models.BinaryField(max_length=16)),
            ],
            options={
                "ordering": ["segment", "index", "field"],
            },
        ),
        migrations.CreateModel(
            name="SealKey",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("origin", models.CharField(help_text="the log's name, the first line of every checkpoint", max_length=60)),
                ("public", models.BinaryField(max_length=32)),
                ("note", models.TextField(blank=True, help_text="the signed announcement; the first key has none")),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="SignedCheckpoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("note", models.TextField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["segment"],
            },
        ),
        migrations.AlterModelOptions(
            name="segment",
            options={"ordering": ["number"], "verbose_name": "sealed shift"},
        ),
        migrations.AddField(
            model_name="leaf",
            name="kind",
            field=models.CharField(default="", help_text="what it is of: a kind of evidence", max_length=40),
        ),
        migrations.AddField(
            model_name="leaf",
            name="row",
            field=models.BigIntegerField(help_text="the key of the row that it was made from", null=True),
        ),
        migrations.AddField(
            model_name="segment",
            name="marks",
            field=models.JSONField(default=dict),
        ),
        migrations.AddIndex(
            model_name="leaf",
            index=models.Index(fields=["kind", "row"], name="ledger_leaf_of_row"),
        ),
        migrations.AddField(
            model_name="checkpointalarm",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="leafsalt",
            name="segment",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="salts", to="ledger.segment"),
        ),
        migrations.AddField(
            model_name="sealkey",
            name="by",
            field=models.ForeignKey(
                help_text="empty where it was made at set-up",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="signedcheckpoint",
            name="key",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.sealkey"),
        ),
        migrations.AddField(
            model_name="signedcheckpoint",
            name="segment",
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="signed", to="ledger.segment"),
        ),
        migrations.AddConstraint(
            model_name="checkpointalarm",
            constraint=models.CheckConstraint(condition=models.Q(("reason", ""), _negated=True), name="ledger_checkpointalarm_reason"),
        ),
        migrations.AddConstraint(
            model_name="leafsalt",
            constraint=models.UniqueConstraint(fields=("segment", "index", "field"), name="ledger_leafsalt_once"),
        ),
        migrations.AddConstraint(
            model_name="sealkey",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("note", ""), ("number", 1)), models.Q(("number__gt", 1), models.Q(("note", ""), _negated=True)), _connector="OR"
                ),
                name="ledger_sealkey_announced",
            ),
        ),
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        Erasable("ledger_leafsalt"),
        *[AppendOnly(table) for table in ADDED_TO],
        *[Stamped(table) for table in ADDED_TO],
    ]
