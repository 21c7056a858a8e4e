"""Proposals to void, correct or add a round, what was decided and done; rulings; and what the database refuses of them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

EVENTS = ("tables_roundproposal", "tables_roundproposalevent", "tables_roundchange", "tables_roundruling")

# One open proposal a round; nobody approves what they proposed, entered or are named on, and nothing is decided twice; a round is reversed
# once, by what was approved; a round that replaces another, or is late, is one that was proposed and approved under its uuid.
GUARDS = """
CREATE FUNCTION tables_correction_refuse(guard text, words text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '%', words USING ERRCODE = 'restrict_violation', CONSTRAINT = guard;
END $$;

CREATE FUNCTION tables_session_sealed(session bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM public.tables_tablesession t
        JOIN public.tables_shift s ON s.id = t.shift_id
        JOIN public.ledger_segment g ON g.shift = s.uuid
        WHERE t.id = session
    )
$$;

CREATE FUNCTION tables_round_concerns(key bigint, person bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH RECURSIVE story AS (
        SELECT r.id, r.recorded_by_id, r.replaces_id FROM public.tables_round r WHERE r.id = key
        UNION ALL
        SELECT r.id, r.recorded_by_id, r.replaces_id FROM public.tables_round r JOIN story s ON r.id = s.replaces_id
    )
    SELECT EXISTS (SELECT FROM story WHERE recorded_by_id = person)
        OR EXISTS (SELECT FROM public.tables_roundchange c WHERE c.made_id = key AND c.by_id = person)
$$;

CREATE FUNCTION tables_roundproposal_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.round_id IS NULL THEN
        RETURN NEW;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('round:' || (SELECT r.uuid FROM public.tables_round r WHERE r.id = NEW.round_id), 0));
    IF NOT EXISTS (SELECT FROM public.tables_round r WHERE r.id = NEW.round_id AND r.session_id = NEW.session_id) THEN
        PERFORM public.tables_correction_refuse('tables_roundproposal_in_its_session', 'a proposal is of the session of its round');
    END IF;
    IF EXISTS (SELECT FROM public.tables_roundchange c WHERE c.round_id = NEW.round_id) THEN
        PERFORM public.tables_correction_refuse('tables_roundproposal_still_stands', 'this round was voided or replaced already');
    END IF;
    IF EXISTS (
        SELECT FROM public.tables_roundproposal p
        WHERE p.round_id = NEW.round_id
          AND NOT EXISTS (SELECT FROM public.tables_roundproposalevent e WHERE e.proposal_id = p.id AND e.sequence = 2)
    ) THEN
        PERFORM public.tables_correction_refuse('tables_roundproposal_one_at_a_time', 'something is proposed for this round already');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_roundproposal_guard BEFORE INSERT ON tables_roundproposal
    FOR EACH ROW EXECUTE FUNCTION tables_roundproposal_guard();
ALTER TABLE tables_roundproposal ENABLE ALWAYS TRIGGER tables_roundproposal_guard;

CREATE FUNCTION tables_roundproposalevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    proposal record;
BEGIN
    SELECT p.proposed_by_id, p.round_id INTO proposal FROM public.tables_roundproposal p WHERE p.id = NEW.proposal_id;
    IF NEW.state IN ('proposed', 'withdrawn') AND NEW.by_id <> proposal.proposed_by_id THEN
        PERFORM public.tables_correction_refuse('tables_roundproposalevent_ones_own', 'only who proposed it takes it back');
    END IF;
    IF NEW.state IN ('approved', 'rejected') AND NEW.by_id = proposal.proposed_by_id THEN
        PERFORM public.tables_correction_refuse('tables_roundproposalevent_not_ones_own', 'nobody decides what they proposed');
    END IF;
    IF NEW.state = 'approved' AND proposal.round_id IS NOT NULL AND public.tables_round_concerns(proposal.round_id, NEW.by_id) THEN
        PERFORM public.tables_correction_refuse('tables_roundproposalevent_not_ones_own', 'nobody approves what they entered or are named on');
    END IF;
    IF NEW.state = 'approved' AND EXISTS (SELECT FROM public.tables_roundchange c WHERE c.round_id = proposal.round_id) THEN
        PERFORM public.tables_correction_refuse('tables_roundproposal_still_stands', 'this round was voided or replaced already');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_roundproposalevent_guard BEFORE INSERT ON tables_roundproposalevent
    FOR EACH ROW EXECUTE FUNCTION tables_roundproposalevent_guard();
ALTER TABLE tables_roundproposalevent ENABLE ALWAYS TRIGGER tables_roundproposalevent_guard;

CREATE FUNCTION tables_round_replacing_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.tables_roundproposal p
        JOIN public.tables_roundproposalevent e ON e.proposal_id = p.id AND e.state = 'approved'
        WHERE p.uuid = NEW.uuid AND p.session_id = NEW.session_id AND p.kind <> 'void'
          AND p.round_id IS NOT DISTINCT FROM NEW.replaces_id AND p.proposed_by_id = NEW.recorded_by_id
    ) THEN
        PERFORM public.tables_correction_refuse('tables_round_needs_approval', 'a round that replaces another or is late was approved');
    END IF;
    IF NEW.late <> public.tables_session_sealed(NEW.session_id) THEN
        PERFORM public.tables_correction_refuse('tables_round_late_when_sealed', 'a round of a sealed shift is late, and no other');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_round_replacing_guard BEFORE INSERT ON tables_round
    FOR EACH ROW WHEN (NEW.replaces_id IS NOT NULL OR NEW.late) EXECUTE FUNCTION tables_round_replacing_guard();
ALTER TABLE tables_round ENABLE ALWAYS TRIGGER tables_round_replacing_guard;

CREATE FUNCTION tables_roundchange_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.tables_roundproposal p
        JOIN public.tables_roundproposalevent e ON e.proposal_id = p.id AND e.state = 'approved' AND e.by_id = NEW.by_id
        WHERE p.id = NEW.proposal_id AND p.kind = NEW.kind AND p.round_id IS NOT DISTINCT FROM NEW.round_id
          AND (SELECT r.uuid FROM public.tables_round r WHERE r.id = NEW.made_id)
              IS NOT DISTINCT FROM CASE WHEN p.kind = 'void' THEN NULL ELSE p.uuid END
          AND NEW.late = public.tables_session_sealed(p.session_id)
    ) THEN
        PERFORM public.tables_correction_refuse('tables_roundchange_as_approved', 'a round is changed as it was approved, and not otherwise');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_roundchange_guard BEFORE INSERT ON tables_roundchange
    FOR EACH ROW EXECUTE FUNCTION tables_roundchange_guard();
ALTER TABLE tables_roundchange ENABLE ALWAYS TRIGGER tables_roundchange_guard;

CREATE FUNCTION tables_roundruling_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.tables_round r WHERE r.id = NEW.round_id AND r.irregular <> '') THEN
        PERFORM public.tables_correction_refuse('tables_roundruling_irregular', 'only an irregular round is ruled on');
    END IF;
    IF public.tables_round_concerns(NEW.round_id, NEW.by_id) THEN
        PERFORM public.tables_correction_refuse('tables_roundruling_not_ones_own', 'nobody rules on what they entered or are named on');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_roundruling_guard BEFORE INSERT ON tables_roundruling
    FOR EACH ROW EXECUTE FUNCTION tables_roundruling_guard();
ALTER TABLE tables_roundruling ENABLE ALWAYS TRIGGER tables_roundruling_guard;
"""
GUARDS_BACK = """
DROP TRIGGER tables_roundruling_guard ON tables_roundruling; DROP FUNCTION tables_roundruling_guard();
DROP TRIGGER tables_roundchange_guard ON tables_roundchange; DROP FUNCTION tables_roundchange_guard();
DROP TRIGGER tables_round_replacing_guard ON tables_round; DROP FUNCTION tables_round_replacing_guard();
DROP TRIGGER tables_roundproposalevent_guard ON tables_roundproposalevent; DROP FUNCTION tables_roundproposalevent_guard();
DROP TRIGGER tables_roundproposal_guard ON tables_roundproposal; DROP FUNCTION tables_roundproposal_guard();
DROP FUNCTION tables_round_concerns(bigint, bigint); DROP FUNCTION tables_session_sealed(bigint); DROP FUNCTION tables_correction_refuse(text, text);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0005_paytable_workshop"),
        ("ledger", "0002_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RoundProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "uuid",
                    models.UUIDField(help_text="made by whoever proposes: the idempotency key, and the uuid of the round that it makes", unique=True),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("void", "void"), ("dead_hand", "dead hand"), ("correct", "correction"), ("late", "late round")], max_length=10
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField(help_text="whose hand is dead", null=True)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("misdeal", "misdeal"),
                            ("fouled_hand", "fouled hand"),
                            ("exposed_card", "exposed card"),
                            ("fouled_deck", "fouled or short deck"),
                            ("entered_twice", "entered twice"),
                            ("misread_cards", "cards misread"),
                            ("wrong_stake", "stake entered wrong"),
                            ("wrong_payment", "payment entered wrong"),
                            ("wrong_seat", "seat or patron entered wrong"),
                            ("chips_kept", "voided, and a patron kept chips"),
                            ("not_entered", "never entered"),
                            ("other", "other: see the note"),
                        ],
                        max_length=14,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("chips_returned", models.BooleanField(help_text="a void: all chips went back to where they came from", null=True)),
                ("slip", models.TextField(blank=True, help_text="the round that it makes, as it was handed in")),
                ("fingerprint", models.BinaryField(max_length=32)),
                ("effect", models.BigIntegerField(help_text="what it changes in the house's net, in minor units")),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("proposed_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("round", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="tables.round")),
                ("session", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="tables.tablesession")),
            ],
            options={
                "verbose_name": "proposal",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="RoundChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("void", "void"), ("dead_hand", "dead hand"), ("correct", "correction"), ("late", "late round")], max_length=10
                    ),
                ),
                ("late", models.BooleanField(help_text="its shift was sealed: posted in another shift, against the variance account")),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                (
                    "by",
                    models.ForeignKey(
                        help_text="who approved it: the witness of its entries",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("made", models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="origin", to="tables.round")),
                ("posted_in", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="round_changes", to="tables.shift")),
                ("round", models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="reversal", to="tables.round")),
                ("proposal", models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="change", to="tables.roundproposal")),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="RoundProposalEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("proposed", "Proposed"), ("approved", "Approved"), ("rejected", "Rejected"), ("withdrawn", "Withdrawn")],
                        max_length=9,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("proposal", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="tables.roundproposal")),
            ],
            options={
                "ordering": ["proposal", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="RoundRuling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                ("stands", models.BooleanField(help_text="it stands as dealt: what was done was due")),
                ("due", models.JSONField(help_text="what was due on each wager as ruled: seat, wager, collect, pay; minor units")),
                ("effect", models.BigIntegerField(help_text="(collected - paid) - (collect - pay) as ruled, from the house's side")),
                ("reason", models.CharField(max_length=300)),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("round", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="rulings", to="tables.round")),
            ],
            options={
                "ordering": ["round", "sequence"],
            },
        ),
        migrations.AddConstraint(
            model_name="roundproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["void", "dead_hand", "correct", "late"])), name="tables_roundproposal_known_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="roundproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "late"), ("round__isnull", True)),
                    models.Q(models.Q(("kind", "late"), _negated=True), ("round__isnull", False)),
                    _connector="OR",
                ),
                name="tables_roundproposal_of_a_round",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "void"), ("slip", "")),
                    models.Q(models.Q(("kind", "void"), _negated=True), models.Q(("slip", ""), _negated=True)),
                    _connector="OR",
                ),
                name="tables_roundproposal_makes_a_round",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "void"), ("chips_returned__isnull", False), ("chips_returned", True)),
                    models.Q(models.Q(("kind", "void"), _negated=True), ("chips_returned__isnull", True)),
                    _connector="OR",
                ),
                name="tables_roundproposal_chips_went_back",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "dead_hand"), ("seat__isnull", False)),
                    models.Q(models.Q(("kind", "dead_hand"), _negated=True), ("seat__isnull", True)),
                    _connector="OR",
                ),
                name="tables_roundproposal_dead_seat",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("reason", "other"), _negated=True), models.Q(("note", ""), _negated=True), _connector="OR"),
                name="tables_roundproposal_other_says_what",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundproposalevent",
            constraint=models.UniqueConstraint(fields=("proposal", "sequence"), name="tables_roundproposalevent_in_order"),
        ),
        migrations.AddConstraint(
            model_name="roundproposalevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sequence", 1), ("state", "proposed")),
                    models.Q(("sequence", 2), ("state__in", ["approved", "rejected", "withdrawn"])),
                    _connector="OR",
                ),
                name="tables_roundproposalevent_decided_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundruling",
            constraint=models.UniqueConstraint(fields=("round", "sequence"), name="tables_roundruling_in_order"),
        ),
        migrations.AddConstraint(
            model_name="roundruling",
            constraint=models.CheckConstraint(condition=models.Q(("reason", ""), _negated=True), name="tables_roundruling_says_why"),
        ),
        migrations.AddConstraint(
            model_name="roundruling",
            constraint=models.CheckConstraint(
                condition=models.Q(("stands", False), ("effect", 0), _connector="OR"), name="tables_roundruling_stands_is_no_difference"
            ),
        ),
        *[AppendOnly(table) for table in EVENTS],
        *[Stamped(table) for table in EVENTS],
        migrations.RunSQL(GUARDS, GUARDS_BACK),
    ]
