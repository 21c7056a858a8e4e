"""Explanations and signatures, a finding's life, the committed draw, stored statistics; and what the database refuses of them."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

TABLES = (
    "audit_explanation",
    "audit_signature",
    "audit_evidence",
    "audit_drawcommitment",
    "audit_draw",
    "audit_drawnitem",
    "audit_drawoutcome",
    "audit_sessionmoments",
    "audit_statisticrun",
    "audit_statisticresult",
)

# What a person entered of a shift, in words; NULL where nothing. The service asks it before, the trigger asks it again: one truth.
ENTERED = """
CREATE FUNCTION audit_entered(the_shift bigint, person bigint) RETURNS text LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT CASE
        WHEN EXISTS (SELECT FROM tables_round r JOIN tables_tablesession s ON s.id = r.session_id
                     WHERE s.shift_id = the_shift AND r.recorded_by_id = person) THEN 'rounds'
        WHEN EXISTS (SELECT FROM tables_traycount c JOIN tables_tablesession s ON s.id = c.session_id
                     WHERE s.shift_id = the_shift AND person IN (c.counted_by_id, c.witness_id)) THEN 'a count of a tray'
        WHEN EXISTS (SELECT FROM tables_dropcount c JOIN tables_tablesession s ON s.id = c.session_id
                     WHERE s.shift_id = the_shift AND person IN (c.counted_by_id, c.witness_id)) THEN 'a count of a box'
        WHEN EXISTS (SELECT FROM tables_chipmovement m JOIN tables_tablesession s ON s.id = m.session_id
                     WHERE s.shift_id = the_shift AND person IN (m.requested_by_id, m.issued_by_id, m.received_by_id)) THEN 'movements of chips'
        WHEN EXISTS (SELECT FROM tables_chipslipevent v JOIN tables_chipslip c ON c.id = v.slip_id JOIN tables_tablesession s ON s.id = c.session_id
                     WHERE s.shift_id = the_shift AND v.by_id = person) THEN 'a signature on a slip'
        WHEN EXISTS (SELECT FROM tables_boxpull b JOIN tables_tablesession s ON s.id = b.session_id
                     WHERE s.shift_id = the_shift AND person IN (b.carried_by_id, b.carried_with_id)) THEN 'a box'
        WHEN EXISTS (SELECT FROM tables_roundproposal p JOIN tables_tablesession s ON s.id = p.session_id
                     WHERE s.shift_id = the_shift AND p.proposed_by_id = person) THEN 'a proposal about a round'
        WHEN EXISTS (SELECT FROM audit_explanation e JOIN tables_tablesession s ON s.id = e.session_id
                     WHERE s.shift_id = the_shift AND e.by_id = person) THEN 'an explanation'
    END
$$;
"""
ENTERED_BACK = "DROP FUNCTION audit_entered(bigint, bigint);"

SIGNING = """
CREATE FUNCTION audit_refuse(guard text, words text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '%', words USING ERRCODE = 'restrict_violation', CONSTRAINT = guard;
END $$;

CREATE FUNCTION audit_signature_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    kept record;
BEGIN
    SELECT r.shift_id, r.sequence, r.fingerprint, r.grade, s.uuid INTO kept
    FROM public.audit_shiftreconciliation r JOIN public.tables_shift s ON s.id = r.shift_id WHERE r.id = NEW.reconciliation_id;
    PERFORM pg_advisory_xact_lock(hashtextextended('signature:' || kept.uuid, 0));
    IF NEW.fingerprint <> kept.fingerprint OR NEW.shift_uuid <> kept.uuid OR EXISTS (
        SELECT FROM public.audit_shiftreconciliation r WHERE r.shift_id = kept.shift_id AND r.sequence > kept.sequence
    ) THEN
        PERFORM public.audit_refuse('audit_signature_newest', 'the newest figures are signed, and no others');
    END IF;
    IF kept.grade <> 'counted' THEN
        PERFORM public.audit_refuse('audit_signature_counted', 'what is not counted is not signed');
    END IF;
    IF public.audit_entered(kept.shift_id, NEW.by_id) IS NOT NULL THEN
        PERFORM public.audit_refuse('audit_signature_not_ones_own', 'nobody signs what they entered');
    END IF;
    IF NOT coalesce((
        SELECT max(e.sequence) FILTER (WHERE e.action = 'review') > coalesce(max(e.sequence) FILTER (WHERE e.action = 'withdraw'), 0)
        FROM public.casino_roleevent e WHERE e.user_id = NEW.by_id AND e.role = NEW.role
    ), false) THEN
        PERFORM public.audit_refuse('audit_signature_role', 'a shift manager and an auditor sign');
    END IF;
    IF NEW.is_final <> EXISTS (SELECT FROM public.audit_signature g WHERE g.reconciliation_id = NEW.reconciliation_id) THEN
        PERFORM public.audit_refuse('audit_signature_second_is_final', 'the second signature is the final one');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_signature_guard BEFORE INSERT ON audit_signature FOR EACH ROW EXECUTE FUNCTION audit_signature_guard();
ALTER TABLE audit_signature ENABLE ALWAYS TRIGGER audit_signature_guard;

CREATE FUNCTION audit_explanation_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.audit_sessionreconciliation l WHERE l.reconciliation_id = NEW.reconciliation_id AND l.session_id = NEW.session_id
          AND NEW.amount = CASE NEW.variance WHEN 'tray' THEN l.tray_variance WHEN 'drop' THEN l.drop_variance ELSE l.book_variance END
    ) THEN
        PERFORM public.audit_refuse('audit_explanation_of_its_variance', 'what is explained is a variance of the reconciliation');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_explanation_guard BEFORE INSERT ON audit_explanation FOR EACH ROW EXECUTE FUNCTION audit_explanation_guard();
ALTER TABLE audit_explanation ENABLE ALWAYS TRIGGER audit_explanation_guard;

-- What is signed stays as it was signed: between the second signature and the seal no entry, count, reconciliation or explanation gets in.
CREATE FUNCTION audit_signed_entry() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.shift IS NOT NULL AND EXISTS (SELECT FROM public.audit_signature g WHERE g.shift_uuid = NEW.shift AND g.is_final) THEN
        PERFORM public.audit_refuse('ledger_entry_not_sealed', 'the shift of this entry is signed');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_entry_signed BEFORE INSERT ON ledger_entry FOR EACH ROW EXECUTE FUNCTION audit_signed_entry();
ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_signed;

CREATE FUNCTION audit_signed_session() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.tables_tablesession s JOIN public.tables_shift h ON h.id = s.shift_id
        JOIN public.audit_signature g ON g.shift_uuid = h.uuid AND g.is_final WHERE s.id = NEW.session_id
    ) THEN
        PERFORM public.audit_refuse('audit_signed_shift', 'the shift is signed');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_traycount_signed BEFORE INSERT ON tables_traycount FOR EACH ROW EXECUTE FUNCTION audit_signed_session();
ALTER TABLE tables_traycount ENABLE ALWAYS TRIGGER tables_traycount_signed;
CREATE TRIGGER tables_dropcount_signed BEFORE INSERT ON tables_dropcount FOR EACH ROW EXECUTE FUNCTION audit_signed_session();
ALTER TABLE tables_dropcount ENABLE ALWAYS TRIGGER tables_dropcount_signed;
CREATE TRIGGER audit_explanation_signed BEFORE INSERT ON audit_explanation FOR EACH ROW EXECUTE FUNCTION audit_signed_session();
ALTER TABLE audit_explanation ENABLE ALWAYS TRIGGER audit_explanation_signed;

CREATE FUNCTION audit_signed_shift() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.tables_shift h JOIN public.audit_signature g ON g.shift_uuid = h.uuid AND g.is_final WHERE h.id = NEW.shift_id
    ) THEN
        PERFORM public.audit_refuse('audit_signed_shift', 'the shift is signed');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_shiftreconciliation_signed BEFORE INSERT ON audit_shiftreconciliation FOR EACH ROW EXECUTE FUNCTION audit_signed_shift();
ALTER TABLE audit_shiftreconciliation ENABLE ALWAYS TRIGGER audit_shiftreconciliation_signed;
"""
SIGNING_BACK = """
DROP TRIGGER audit_shiftreconciliation_signed ON audit_shiftreconciliation; DROP FUNCTION audit_signed_shift();
DROP TRIGGER audit_explanation_signed ON audit_explanation; DROP TRIGGER tables_dropcount_signed ON tables_dropcount;
DROP TRIGGER tables_traycount_signed ON tables_traycount; DROP FUNCTION audit_signed_session();
DROP TRIGGER ledger_entry_signed ON ledger_entry; DROP FUNCTION audit_signed_entry();
DROP TRIGGER audit_explanation_guard ON audit_explanation; DROP FUNCTION audit_explanation_guard();
DROP TRIGGER audit_signature_guard ON audit_signature; DROP FUNCTION audit_signature_guard();
DROP FUNCTION audit_refuse(text, text);
"""

# A finding's life: open, assigned, answered, reviewed, closed; an answer that does not do is assigned again, and the ruling on an irregular round
# answers it. An event of the state that it has already, without an owner, is a word added. The lock is taken for all but the first event, of which
# the unique sequence lets one in: a night may open more findings than there is room for locks.
CASES = """
CREATE FUNCTION audit_findingevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    last record;
    given record;
BEGIN
    IF NEW.state = 'open' AND NEW.sequence = 1 THEN
        RETURN NEW;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('finding:' || NEW.finding_id, 0));
    SELECT e.state, e.sequence INTO last FROM public.audit_findingevent e
    WHERE e.finding_id = NEW.finding_id ORDER BY e.sequence DESC LIMIT 1;
    SELECT e.owner_id, e.by_id INTO given FROM public.audit_findingevent e
    WHERE e.finding_id = NEW.finding_id AND e.owner_id IS NOT NULL ORDER BY e.sequence DESC LIMIT 1;
    IF NEW.sequence IS DISTINCT FROM last.sequence + 1 THEN
        PERFORM public.audit_refuse('audit_findingevent_order', 'events of a finding follow each other in this order, without a gap');
    END IF;
    IF NEW.state = last.state AND NEW.owner_id IS NULL THEN
        RETURN NEW;
    END IF;
    IF NEW.state = 'answered' AND last.state IN ('open', 'assigned') AND NEW.by_id IS NOT NULL AND EXISTS (
        SELECT FROM public.audit_finding f WHERE f.id = NEW.finding_id AND f.kind = 'irregular'
    ) THEN
        RETURN NEW;
    END IF;
    IF (last.state, NEW.state) NOT IN (
        ('open', 'assigned'), ('assigned', 'assigned'), ('assigned', 'answered'), ('answered', 'reviewed'), ('answered', 'assigned'),
        ('reviewed', 'closed')
    ) THEN
        PERFORM public.audit_refuse('audit_findingevent_order', 'a finding is assigned, answered, reviewed and closed, in this order');
    END IF;
    IF NEW.by_id IS NULL OR (NEW.state = 'assigned' AND (NEW.owner_id IS NULL OR NEW.owner_id = NEW.by_id)) THEN
        PERFORM public.audit_refuse('audit_findingevent_people', 'somebody assigns a finding, and nobody to themselves');
    END IF;
    IF NEW.state = 'answered' AND NEW.by_id <> given.owner_id THEN
        PERFORM public.audit_refuse('audit_findingevent_people', 'who owns a finding answers it');
    END IF;
    IF NEW.state IN ('reviewed', 'closed') AND EXISTS (
        SELECT FROM public.audit_findingevent e WHERE e.finding_id = NEW.finding_id
          AND (e.owner_id = NEW.by_id OR (e.state = 'answered' AND e.by_id = NEW.by_id))
    ) THEN
        PERFORM public.audit_refuse('audit_findingevent_people', 'nobody reviews or closes what they answered');
    END IF;
    IF (NEW.state = 'reviewed' AND NEW.by_id = given.by_id) OR (NEW.state = 'closed' AND EXISTS (
        SELECT FROM public.audit_findingevent e WHERE e.finding_id = NEW.finding_id AND e.state = 'reviewed' AND e.by_id = NEW.by_id
    )) THEN
        PERFORM public.audit_refuse('audit_findingevent_people', 'a second auditor reviews, and another than the reviewer closes');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_findingevent_guard BEFORE INSERT ON audit_findingevent FOR EACH ROW EXECUTE FUNCTION audit_findingevent_guard();
ALTER TABLE audit_findingevent ENABLE ALWAYS TRIGGER audit_findingevent_guard;
"""
CASES_BACK = "DROP TRIGGER audit_findingevent_guard ON audit_findingevent; DROP FUNCTION audit_findingevent_guard();"

# A seed that was not committed before its shift began draws nothing.
DRAWS = """
CREATE FUNCTION audit_draw_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.audit_drawcommitment c JOIN public.tables_shift s ON s.id = NEW.shift_id
        WHERE c.id = NEW.commitment_id AND c.seed_sha256 = encode(sha256(NEW.seed), 'hex')
          AND (c.property_id, c.gaming_day, c.kind) = (s.property_id, s.gaming_day, s.kind) AND c.recorded_at < s.starts_at
    ) THEN
        PERFORM public.audit_refuse('audit_draw_committed', 'a draw is made with the seed that was committed before the shift began');
    END IF;
    IF (SELECT e.state FROM public.tables_shiftevent e WHERE e.shift_id = NEW.shift_id ORDER BY e.sequence DESC LIMIT 1) IS DISTINCT FROM 'ended' THEN
        PERFORM public.audit_refuse('audit_draw_after_the_end', 'a seed is revealed when its shift has ended');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_draw_guard BEFORE INSERT ON audit_draw FOR EACH ROW EXECUTE FUNCTION audit_draw_guard();
ALTER TABLE audit_draw ENABLE ALWAYS TRIGGER audit_draw_guard;
"""
DRAWS_BACK = "DROP TRIGGER audit_draw_guard ON audit_draw; DROP FUNCTION audit_draw_guard();"


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0003_reports"),
        ("ledger", "0002_guards"),
        ("casino", "0002_guards"),
        ("tables", "0008_table_limits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="shiftreconciliation", name="audit_shiftreconciliation_once"),
        migrations.CreateModel(
            name="Draw",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("seed", models.BinaryField(max_length=32)),
                ("rounds", models.PositiveIntegerField(help_text="how many rounds were drawn from")),
                ("sessions", models.PositiveIntegerField()),
                ("population_sha256", models.CharField(max_length=64)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="DrawCommitment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("gaming_day", models.DateField()),
                ("kind", models.CharField(choices=[("day", "Day"), ("swing", "Swing"), ("grave", "Grave")], max_length=5)),
                ("seed_sha256", models.CharField(max_length=64)),
                ("sealed_seed", models.BinaryField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-gaming_day", "kind"],
            },
        ),
        migrations.CreateModel(
            name="DrawnItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("place", models.PositiveSmallIntegerField()),
                ("score", models.CharField(max_length=64)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["draw", "place"],
            },
        ),
        migrations.CreateModel(
            name="DrawOutcome",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "outcome",
                    models.CharField(choices=[("as_recorded", "as recorded"), ("differs", "Differs"), ("no_video", "no video")], max_length=11),
                ),
                ("camera", models.CharField(blank=True, max_length=40)),
                ("note", models.CharField(blank=True, max_length=1000)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Evidence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("note", "Note"), ("video", "Video"), ("slip", "Slip"), ("document", "Document"), ("statement", "Statement")],
                        max_length=9,
                    ),
                ),
                ("reference", models.CharField(blank=True, help_text="a slip's number, a document's name", max_length=120)),
                ("camera", models.CharField(blank=True, max_length=40)),
                ("from_at", models.DateTimeField(blank=True, null=True)),
                ("until_at", models.DateTimeField(blank=True, null=True)),
                ("text", models.CharField(blank=True, max_length=2000)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Explanation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("variance", models.CharField(choices=[("tray", "Tray"), ("drop", "Drop"), ("books", "Books")], max_length=5)),
                ("amount", models.BigIntegerField(help_text="the variance that is explained, minor units")),
                ("text", models.CharField(max_length=1000)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Signature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("shift_uuid", models.UUIDField()),
                ("role", models.CharField(choices=[("shift_manager", "shift manager"), ("auditor", "auditor")], max_length=13)),
                ("fingerprint", models.BinaryField(max_length=32)),
                ("is_final", models.BooleanField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="StatisticResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "rule",
                    models.CharField(
                        choices=[("win", "win against expectation"), ("errors", "error rate against the house"), ("pace", "rounds an hour")],
                        max_length=6,
                    ),
                ),
                ("scope", models.CharField(help_text="table, game, dealer, shift, house", max_length=7)),
                ("subject", models.CharField(max_length=60)),
                ("span", models.CharField(help_text="shift, day, 7d, 30d, mtd, ytd", max_length=5)),
                ("rounds", models.PositiveIntegerField()),
                ("value", models.BigIntegerField()),
                ("expected", models.BigIntegerField(null=True)),
                ("low", models.BigIntegerField(null=True)),
                ("high", models.BigIntegerField(null=True)),
                (
                    "taken_out",
                    models.BigIntegerField(default=0, help_text="of payouts beyond fifty to one: taken out of value and expectation, and listed"),
                ),
                ("p", models.PositiveIntegerField(null=True)),
                ("adjusted", models.PositiveIntegerField(null=True)),
                ("threshold", models.PositiveIntegerField(help_text="flagged where the adjusted p is below this, in millionths")),
                ("flagged", models.BooleanField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["run", "rule", "scope", "subject", "span"],
            },
        ),
        migrations.CreateModel(
            name="StatisticRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("gaming_day", models.DateField()),
                ("fingerprint", models.CharField(help_text="SHA-256 of the results: the same figures make no second run", max_length=64)),
                ("correction", models.CharField(help_text="how many comparisons were corrected: holm", max_length=20)),
                ("left_out", models.PositiveIntegerField(help_text="rounds left out: irregular, or of a game without odds to expect by")),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.AddField(
            model_name="findingevent",
            name="cause",
            field=models.CharField(blank=True, max_length=20),
        ),
        migrations.AddField(
            model_name="findingevent",
            name="lost",
            field=models.BigIntegerField(help_text="what stays lost, minor units", null=True),
        ),
        migrations.AddField(
            model_name="findingevent",
            name="owner",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="findingevent",
            name="saved",
            field=models.BigIntegerField(help_text="what was recovered or prevented, minor units", null=True),
        ),
        migrations.AddConstraint(
            model_name="findingevent",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "assigned", "answered", "reviewed", "closed"])), name="audit_findingevent_states"
            ),
        ),
        migrations.AddConstraint(
            model_name="findingevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("saved__isnull", True), ("saved__gte", 0), _connector="OR"),
                    models.Q(("lost__isnull", True), ("lost__gte", 0), _connector="OR"),
                ),
                name="audit_findingevent_sums",
            ),
        ),
        migrations.AddField(
            model_name="draw",
            name="by",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="draw",
            name="shift",
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="draw", to="tables.shift"),
        ),
        migrations.AddField(
            model_name="drawcommitment",
            name="property",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.property"),
        ),
        migrations.AddField(
            model_name="draw",
            name="commitment",
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="draw", to="audit.drawcommitment"),
        ),
        migrations.AddField(
            model_name="drawnitem",
            name="draw",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="items", to="audit.draw"),
        ),
        migrations.AddField(
            model_name="drawnitem",
            name="round",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.round"),
        ),
        migrations.AddField(
            model_name="drawnitem",
            name="session",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.tablesession"),
        ),
        migrations.AddField(
            model_name="drawoutcome",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="drawoutcome",
            name="item",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="outcomes", to="audit.drawnitem"),
        ),
        migrations.AddField(
            model_name="evidence",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="evidence",
            name="finding",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="evidence", to="audit.finding"),
        ),
        migrations.AddField(
            model_name="explanation",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="explanation",
            name="reconciliation",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="explanations", to="audit.shiftreconciliation"),
        ),
        migrations.AddField(
            model_name="explanation",
            name="session",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="explanations", to="tables.tablesession"),
        ),
        migrations.AddField(
            model_name="signature",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="signature",
            name="reconciliation",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="signatures", to="audit.shiftreconciliation"),
        ),
        migrations.AddField(
            model_name="statisticrun",
            name="property",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.property"),
        ),
        migrations.AddField(
            model_name="statisticresult",
            name="run",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="results", to="audit.statisticrun"),
        ),
        migrations.AddConstraint(
            model_name="drawcommitment",
            constraint=models.UniqueConstraint(fields=("property", "gaming_day", "kind"), name="audit_drawcommitment_once"),
        ),
        migrations.AddConstraint(
            model_name="drawnitem",
            constraint=models.UniqueConstraint(fields=("draw", "round"), name="audit_drawnitem_round_once"),
        ),
        migrations.AddConstraint(
            model_name="drawnitem",
            constraint=models.UniqueConstraint(fields=("draw", "session"), name="audit_drawnitem_session_once"),
        ),
        migrations.AddConstraint(
            model_name="drawnitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("round__isnull", False), ("session__isnull", True)),
                    models.Q(("round__isnull", True), ("session__isnull", False)),
                    _connector="OR",
                ),
                name="audit_drawnitem_one_thing",
            ),
        ),
        migrations.AddConstraint(
            model_name="drawoutcome",
            constraint=models.CheckConstraint(
                condition=models.Q(("outcome__in", ["as_recorded", "differs", "no_video"])), name="audit_drawoutcome_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="drawoutcome",
            constraint=models.CheckConstraint(
                condition=models.Q(("outcome", "as_recorded"), models.Q(("note", ""), _negated=True), _connector="OR"),
                name="audit_drawoutcome_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["note", "video", "slip", "document", "statement"])), name="audit_evidence_known_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "video"), models.Q(("camera", ""), _negated=True), ("from_at__isnull", False)),
                    models.Q(("kind__in", ["slip", "document"]), models.Q(("reference", ""), _negated=True)),
                    models.Q(("kind__in", ["note", "statement"]), models.Q(("text", ""), _negated=True)),
                    _connector="OR",
                ),
                name="audit_evidence_says_where",
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.CheckConstraint(
                condition=models.Q(("until_at__isnull", True), ("until_at__gte", models.F("from_at")), _connector="OR"),
                name="audit_evidence_takes_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="explanation",
            constraint=models.CheckConstraint(
                condition=models.Q(("variance__in", ["tray", "drop", "books"])), name="audit_explanation_known_variance"
            ),
        ),
        migrations.AddConstraint(
            model_name="explanation",
            constraint=models.CheckConstraint(condition=models.Q(("text", ""), _negated=True), name="audit_explanation_says_something"),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.UniqueConstraint(fields=("reconciliation", "role"), name="audit_signature_once_a_role"),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.UniqueConstraint(fields=("reconciliation", "by"), name="audit_signature_two_people"),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.UniqueConstraint(condition=models.Q(("is_final", True)), fields=("shift_uuid",), name="audit_signature_final_once"),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.CheckConstraint(condition=models.Q(("role__in", ["shift_manager", "auditor"])), name="audit_signature_known_role"),
        ),
        migrations.AddConstraint(
            model_name="statisticrun",
            constraint=models.UniqueConstraint(fields=("property", "gaming_day", "fingerprint"), name="audit_statisticrun_once"),
        ),
        migrations.AddConstraint(
            model_name="statisticresult",
            constraint=models.UniqueConstraint(fields=("run", "rule", "scope", "subject", "span"), name="audit_statisticresult_once"),
        ),
        migrations.CreateModel(
            name="SessionMoments",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("gaming_day", models.DateField()),
                ("rounds", models.PositiveIntegerField()),
                ("left_out", models.PositiveIntegerField()),
                ("win", models.BigIntegerField()),
                ("taken_out", models.BigIntegerField()),
                ("expected", models.DecimalField(decimal_places=6, max_digits=40)),
                ("variance", models.DecimalField(decimal_places=6, max_digits=60)),
                ("gaps", models.PositiveIntegerField()),
                ("seconds", models.PositiveIntegerField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("dealer", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.dealer")),
                (
                    "reconciliation",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="moments", to="audit.shiftreconciliation"),
                ),
                ("session", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.tablesession")),
            ],
            options={
                "ordering": ["reconciliation", "session", "dealer"],
                "indexes": [models.Index(fields=["gaming_day"], name="audit_sessionmoments_day")],
                "constraints": [models.UniqueConstraint(fields=("reconciliation", "session", "dealer"), name="audit_sessionmoments_once")],
            },
        ),
        *[AppendOnly(table) for table in TABLES],
        *[Stamped(table) for table in TABLES],
        migrations.RunSQL(ENTERED, ENTERED_BACK),
        migrations.RunSQL(SIGNING, SIGNING_BACK),
        migrations.RunSQL(CASES, CASES_BACK),
        migrations.RunSQL(DRAWS, DRAWS_BACK),
    ]
