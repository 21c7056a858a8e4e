"""The checks of leaves are kept; leaves come in their segment's transaction alone; alarms of the file say of which kind they are."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

STAMP = "DROP TRIGGER ledger_segment_stamp ON ledger_segment;"
STAMP_BACK = """
CREATE TRIGGER ledger_segment_stamp BEFORE INSERT ON ledger_segment FOR EACH ROW EXECUTE FUNCTION pitbook_stamp();
ALTER TABLE ledger_segment ENABLE ALWAYS TRIGGER ledger_segment_stamp;
"""
GUARDS = """
-- Leaves come with their segment, in its transaction, on its day and no more than it says: also before it is signed nobody adds one.
CREATE OR REPLACE FUNCTION ledger_leaf_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    found record;
BEGIN
    SELECT bool_or(c.id IS NOT NULL) AS signed, bool_or(s.made_in IS DISTINCT FROM pg_current_xact_id()) AS older,
           bool_or(a.gaming_day <> s.gaming_day OR a.last >= s.leaf_count) AS beyond
    INTO found FROM (SELECT l.segment_id, l.gaming_day, max(l."index") AS last FROM added l GROUP BY 1, 2) a
    LEFT JOIN public.ledger_segment s ON s.number = a.segment_id
    LEFT JOIN public.ledger_signedcheckpoint c ON c.segment_id = a.segment_id;
    IF found.signed THEN
        RAISE EXCEPTION 'the segment of this leaf is signed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_leaf_not_signed', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.older THEN
        RAISE EXCEPTION 'a leaf is added to a segment of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_leaf_with_its_segment', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.beyond THEN
        RAISE EXCEPTION 'the segment does not have the leaves that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_leaf_as_many', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;

-- Checks come with their segment too, and are those that its checkpoint's text says.
CREATE FUNCTION ledger_segmentchecks_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.ledger_segment s WHERE s.number = NEW.segment_id AND s.made_in = pg_current_xact_id()) THEN
        RAISE EXCEPTION 'checks are added to a segment of their own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_segmentchecks_with_segment', TABLE = TG_TABLE_NAME;
    END IF;
    IF NOT EXISTS (
        SELECT FROM public.ledger_segment s WHERE s.number = NEW.segment_id
          AND position(E'\\nchecks ' || encode(sha256(NEW.content), 'base64') || E'\\n' IN s.checkpoint) > 0
    ) THEN
        RAISE EXCEPTION 'these checks are not the ones that the checkpoint says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_segmentchecks_as_said', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_segmentchecks_guard BEFORE INSERT ON ledger_segmentchecks
    FOR EACH ROW EXECUTE FUNCTION ledger_segmentchecks_guard();
ALTER TABLE ledger_segmentchecks ENABLE ALWAYS TRIGGER ledger_segmentchecks_guard;
"""
GUARDS_BACK = """
DROP TRIGGER ledger_segmentchecks_guard ON ledger_segmentchecks; DROP FUNCTION ledger_segmentchecks_guard();
CREATE OR REPLACE FUNCTION ledger_leaf_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT segment_id FROM added) a JOIN public.ledger_signedcheckpoint c ON c.segment_id = a.segment_id) THEN
        RAISE EXCEPTION 'the segment of this leaf is signed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_leaf_not_signed', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    """Source: spec/books.md, "Sealing a shift". Segments that are there already get this migration's transaction: nobody adds a leaf to them."""

    dependencies = [("ledger", "0009_transfers_have_their_entry")]

    operations = [
        migrations.CreateModel(
            name="SegmentChecks",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content", models.BinaryField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("segment", models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="checks", to="ledger.segment")),
            ],
            options={"ordering": ["segment"]},
        ),
        migrations.AddField(
            model_name="segment",
            name="made_in",
            field=casino.append_only.MadeIn(db_default=models.Func(function="pg_current_xact_id"), editable=False),
        ),
        migrations.AddField(
            model_name="checkpointalarm",
            name="kind",
            field=models.CharField(
                choices=[
                    ("ahead", "published, and not in the books"),
                    ("key", "a key that was announced, and is not in the books"),
                    ("lost", "in the books, and not in the file"),
                ],
                default="ahead",
                max_length=5,
            ),
        ),
        migrations.AlterField(model_name="checkpointalarm", name="note_sha256", field=models.CharField(max_length=64)),
        migrations.AlterField(
            model_name="checkpointalarm",
            name="number",
            field=models.PositiveBigIntegerField(help_text="the checkpoint's, or the key's"),
        ),
        migrations.AlterField(
            model_name="checkpointalarm",
            name="adopted",
            field=models.BooleanField(
                help_text="whether its segment was taken over without its leaves, or its key, so that the list goes on from it"
            ),
        ),
        migrations.AddConstraint(
            model_name="checkpointalarm",
            constraint=models.UniqueConstraint(fields=("kind", "note_sha256"), name="ledger_checkpointalarm_once"),
        ),
        migrations.AddConstraint(
            model_name="checkpointalarm",
            constraint=models.CheckConstraint(condition=models.Q(("kind__in", ["ahead", "key", "lost"])), name="ledger_checkpointalarm_known_kind"),
        ),
        migrations.RunSQL(STAMP, STAMP_BACK),
        Stamped("ledger_segment", made_in=True),
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        AppendOnly("ledger_segmentchecks"),
        Stamped("ledger_segmentchecks"),
    ]
