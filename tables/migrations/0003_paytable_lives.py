"""Drafts, proposals and their ends, placements, limits, solves; and what the database refuses of them."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, NoDelete, Stamped

EVENTS = ("tables_paytableproposal", "tables_paytableevent", "tables_paytableplacement", "tables_placementevent", "tables_edgelimit")
HASHED = ("tables_paytabledraft", "tables_paytableproposal", "tables_paytableversion", "tables_paytablesolve")

# The identity of what was typed is worked out by the database too; who typed in a draft cannot be forgotten; nobody ends with an approval
# what they proposed or typed; a version, and a version in force, is what one person proposed and another approved.
GUARDS = """
CREATE FUNCTION tables_paytable_refuse(guard text, words text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '%', words USING ERRCODE = 'restrict_violation', CONSTRAINT = guard;
END $$;

CREATE FUNCTION tables_paytabledraft_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT NEW.typed_by @> ARRAY[NEW.changed_by_id] THEN
        PERFORM public.tables_paytable_refuse('tables_paytabledraft_typed_by', 'whoever changes a draft is among those who typed in it');
    END IF;
    IF TG_OP = 'UPDATE' AND NOT (NEW.typed_by @> OLD.typed_by AND NEW.revision = OLD.revision + 1 AND NEW.uuid = OLD.uuid) THEN
        PERFORM public.tables_paytable_refuse('tables_paytabledraft_typed_by', 'who typed in a draft is not forgotten, and changes are counted');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_paytabledraft_guard BEFORE INSERT OR UPDATE ON tables_paytabledraft
    FOR EACH ROW EXECUTE FUNCTION tables_paytabledraft_guard();
ALTER TABLE tables_paytabledraft ENABLE ALWAYS TRIGGER tables_paytabledraft_guard;

CREATE FUNCTION tables_paytableproposal_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.tables_paytabledraft d
        WHERE d.id = NEW.draft_id AND d.sha256 = NEW.sha256 AND NEW.typed_by @> d.typed_by
    ) THEN
        PERFORM public.tables_paytable_refuse('tables_paytableproposal_of_its_draft', 'what is proposed is what its draft says');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_paytableproposal_guard BEFORE INSERT ON tables_paytableproposal
    FOR EACH ROW EXECUTE FUNCTION tables_paytableproposal_guard();
ALTER TABLE tables_paytableproposal ENABLE ALWAYS TRIGGER tables_paytableproposal_guard;

CREATE FUNCTION tables_paytableevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    proposal record;
BEGIN
    SELECT p.proposed_by_id, p.typed_by INTO proposal FROM public.tables_paytableproposal p WHERE p.id = NEW.proposal_id;
    IF NEW.state IN ('approved', 'refused') AND (NEW.by_id = proposal.proposed_by_id OR NEW.by_id = ANY (proposal.typed_by)) THEN
        PERFORM public.tables_paytable_refuse('tables_paytableevent_not_ones_own', 'nobody approves what they proposed or typed');
    END IF;
    IF NEW.state = 'proposed' AND NEW.by_id <> proposal.proposed_by_id OR NEW.sequence > 1 AND NOT EXISTS (
        SELECT FROM public.tables_paytableevent e WHERE e.proposal_id = NEW.proposal_id AND e.sequence = 1
    ) THEN
        PERFORM public.tables_paytable_refuse('tables_paytableevent_after_its_proposal', 'first somebody proposes');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_paytableevent_guard BEFORE INSERT ON tables_paytableevent FOR EACH ROW EXECUTE FUNCTION tables_paytableevent_guard();
ALTER TABLE tables_paytableevent ENABLE ALWAYS TRIGGER tables_paytableevent_guard;

CREATE FUNCTION tables_paytableversion_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.tables_paytableproposal p
        JOIN public.tables_paytableevent e ON e.proposal_id = p.id AND e.state = 'approved'
        WHERE p.id = NEW.proposal_id AND e.by_id = NEW.approved_by_id AND p.proposed_by_id = NEW.proposed_by_id
          AND (p.game, p.name, p.version, p.sha256) = (NEW.game, NEW.name, NEW.version, NEW.sha256)
    ) THEN
        PERFORM public.tables_paytable_refuse('tables_paytableversion_approved', 'a version is what one person proposed and another approved');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_paytableversion_guard BEFORE INSERT ON tables_paytableversion FOR EACH ROW EXECUTE FUNCTION tables_paytableversion_guard();
ALTER TABLE tables_paytableversion ENABLE ALWAYS TRIGGER tables_paytableversion_guard;

CREATE FUNCTION tables_placementevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    proposer bigint;
BEGIN
    SELECT proposed_by_id INTO proposer FROM public.tables_paytableplacement WHERE id = NEW.placement_id;
    IF NEW.state IN ('approved', 'refused') AND NEW.by_id = proposer THEN
        PERFORM public.tables_paytable_refuse('tables_placementevent_not_ones_own', 'nobody approves what they proposed');
    END IF;
    IF NEW.state = 'proposed' AND NEW.by_id <> proposer OR NEW.sequence > 1 AND NOT EXISTS (
        SELECT FROM public.tables_placementevent e WHERE e.placement_id = NEW.placement_id AND e.sequence = 1
    ) THEN
        PERFORM public.tables_paytable_refuse('tables_placementevent_after_its_proposal', 'first somebody proposes');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_placementevent_guard BEFORE INSERT ON tables_placementevent FOR EACH ROW EXECUTE FUNCTION tables_placementevent_guard();
ALTER TABLE tables_placementevent ENABLE ALWAYS TRIGGER tables_placementevent_guard;

CREATE FUNCTION tables_tablepaytable_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.tables_paytableplacement p
        JOIN public.tables_placementevent e ON e.placement_id = p.id AND e.state = 'approved'
        JOIN public.tables_table t ON t.id = p.table_id
        JOIN public.tables_paytableversion v ON v.id = p.version_id AND v.game = t.game
        WHERE p.id = NEW.placement_id AND e.by_id = NEW.approved_by_id AND p.proposed_by_id = NEW.by_id
          AND (p.table_id, p.version_id, p.from_at) = (NEW.table_id, NEW.version_id, NEW.from_at)
    ) THEN
        PERFORM public.tables_paytable_refuse(
            'tables_tablepaytable_approved', 'a version of the table''s game is put in force by one person and approved by another'
        );
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_tablepaytable_guard BEFORE INSERT ON tables_tablepaytable FOR EACH ROW EXECUTE FUNCTION tables_tablepaytable_guard();
ALTER TABLE tables_tablepaytable ENABLE ALWAYS TRIGGER tables_tablepaytable_guard;

CREATE TRIGGER tables_paytablesolve_finished BEFORE UPDATE ON tables_paytablesolve
    FOR EACH ROW WHEN (OLD.edges IS NOT NULL OR OLD.sha256 <> NEW.sha256) EXECUTE FUNCTION pitbook_refuse();
ALTER TABLE tables_paytablesolve ENABLE ALWAYS TRIGGER tables_paytablesolve_finished;
"""
HASH_CHECKS = "".join(f"ALTER TABLE {t} ADD CONSTRAINT {t}_hash CHECK (sha256 = encode(sha256(content), 'hex'));\n" for t in HASHED)
HASH_CHECKS_BACK = "".join(f"ALTER TABLE {t} DROP CONSTRAINT {t}_hash;\n" for t in HASHED)

GUARDS_BACK = """
DROP TRIGGER tables_paytablesolve_finished ON tables_paytablesolve;
DROP TRIGGER tables_tablepaytable_guard ON tables_tablepaytable; DROP FUNCTION tables_tablepaytable_guard();
DROP TRIGGER tables_placementevent_guard ON tables_placementevent; DROP FUNCTION tables_placementevent_guard();
DROP TRIGGER tables_paytableversion_guard ON tables_paytableversion; DROP FUNCTION tables_paytableversion_guard();
DROP TRIGGER tables_paytableevent_guard ON tables_paytableevent; DROP FUNCTION tables_paytableevent_guard();
DROP TRIGGER tables_paytableproposal_guard ON tables_paytableproposal; DROP FUNCTION tables_paytableproposal_guard();
DROP TRIGGER tables_paytabledraft_guard ON tables_paytabledraft; DROP FUNCTION tables_paytabledraft_guard();
DROP FUNCTION tables_paytable_refuse(text, text);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("casino", "0003_job_events"),
        ("tables", "0002_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PaytableProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=64)),
                ("version", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("typed_by", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("note", models.CharField(blank=True, max_length=300)),
                ("edges", models.JSONField(help_text="as shown when it was proposed")),
                ("warnings", models.JSONField(help_text="as shown when it was proposed")),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="PaytableSolve",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=20)),
                ("content", models.BinaryField()),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("done", models.PositiveIntegerField(default=0)),
                ("of", models.PositiveIntegerField(default=0)),
                ("kept", models.BinaryField(null=True)),
                ("edges", models.JSONField(null=True)),
                ("fault", models.CharField(blank=True, help_text="why it cannot be solved exactly", max_length=300)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="PlacementEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("proposed", "Proposed"), ("approved", "Approved"), ("refused", "Refused"), ("withdrawn", "Withdrawn")],
                        max_length=10,
                    ),
                ),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("note", models.CharField(blank=True, help_text="the approval's reference, or the reason", max_length=300)),
            ],
            options={
                "ordering": ["placement", "sequence"],
            },
        ),
        migrations.AddField(
            model_name="tablepaytable",
            name="approved_by",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name="paytableversion",
            name="name",
            field=models.CharField(max_length=64),
        ),
        migrations.CreateModel(
            name="EdgeLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=20)),
                ("bet", models.CharField(blank=True, max_length=20)),
                ("least_ppm", models.IntegerField()),
                ("most_ppm", models.IntegerField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("approved_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("property", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="edge_limits", to="tables.property")),
                ("proposed_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="PaytableDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=64)),
                ("version", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("revision", models.PositiveIntegerField(default=1)),
                (
                    "typed_by",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), help_text="keys of all who typed in it: none of them approves it", size=None
                    ),
                ),
                ("changed_at", models.DateTimeField()),
                ("changed_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "property",
                    models.ForeignKey(
                        help_text="whose limits it is held against",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.property",
                    ),
                ),
            ],
            options={
                "ordering": ["-changed_at"],
            },
        ),
        migrations.CreateModel(
            name="PaytableEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("proposed", "Proposed"), ("approved", "Approved"), ("refused", "Refused"), ("withdrawn", "Withdrawn")],
                        max_length=10,
                    ),
                ),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("note", models.CharField(blank=True, help_text="the approval's reference, or the reason", max_length=300)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["proposal", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="PaytablePlacement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("from_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("note", models.CharField(blank=True, max_length=300)),
                ("proposed_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("table", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="placements", to="tables.table")),
                ("version", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="placements", to="tables.paytableversion")),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.AddField(
            model_name="tablepaytable",
            name="placement",
            field=models.OneToOneField(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="in_force", to="tables.paytableplacement"
            ),
        ),
        migrations.AddConstraint(
            model_name="tablepaytable",
            constraint=models.CheckConstraint(
                condition=models.Q(("by", models.F("approved_by")), _negated=True), name="tables_tablepaytable_two_people"
            ),
        ),
        migrations.AddField(
            model_name="paytableproposal",
            name="draft",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="tables.paytabledraft"),
        ),
        migrations.AddField(
            model_name="paytableproposal",
            name="property",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.property"),
        ),
        migrations.AddField(
            model_name="paytableproposal",
            name="proposed_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="paytableevent",
            name="proposal",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="tables.paytableproposal"),
        ),
        migrations.AddField(
            model_name="paytableversion",
            name="proposal",
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="approved", to="tables.paytableproposal"),
        ),
        migrations.AddField(
            model_name="paytablesolve",
            name="job",
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="casino.job"),
        ),
        migrations.AddField(
            model_name="placementevent",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="placementevent",
            name="placement",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="tables.paytableplacement"),
        ),
        migrations.AddConstraint(
            model_name="edgelimit",
            constraint=models.CheckConstraint(
                condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True), name="tables_edgelimit_two_people"
            ),
        ),
        migrations.AddConstraint(
            model_name="edgelimit",
            constraint=models.CheckConstraint(
                condition=models.Q(("least_ppm__gte", -1000000), ("least_ppm__lte", models.F("most_ppm")), ("most_ppm__lte", 1000000)),
                name="tables_edgelimit_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="paytableevent",
            constraint=models.UniqueConstraint(fields=("proposal", "sequence"), name="tables_paytableevent_in_order"),
        ),
        migrations.AddConstraint(
            model_name="paytableevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sequence", 1), ("state", "proposed")),
                    models.Q(("sequence", 2), ("state__in", ["approved", "refused", "withdrawn"])),
                    _connector="OR",
                ),
                name="tables_paytableevent_states",
            ),
        ),
        migrations.AddConstraint(
            model_name="placementevent",
            constraint=models.UniqueConstraint(fields=("placement", "sequence"), name="tables_placementevent_in_order"),
        ),
        migrations.AddConstraint(
            model_name="placementevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sequence", 1), ("state", "proposed")),
                    models.Q(("sequence", 2), ("state__in", ["approved", "refused", "withdrawn"])),
                    _connector="OR",
                ),
                name="tables_placementevent_states",
            ),
        ),
        *[AppendOnly(table) for table in EVENTS],
        *[Stamped(table) for table in EVENTS],
        NoDelete("tables_paytabledraft"),
        NoDelete("tables_paytablesolve"),
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        migrations.RunSQL(HASH_CHECKS, HASH_CHECKS_BACK),
    ]
