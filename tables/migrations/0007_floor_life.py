"""A table's life: slips that three people sign, openers made from closers, recounts, boxes, dealers' PINs, markers, promotions, cash-outs."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
from casino.append_only import AppendOnly, Stamped

EVENTS = (
    "tables_boxpull",
    "tables_cashout",
    "tables_chipslip",
    "tables_chipslipevent",
    "tables_countreopening",
    "tables_countreopeningevent",
    "tables_dealerpin",
    "tables_dealerpinfailure",
)

# Slips have no gaps, each of three people signs once and in order, and the chips move with the last signature; an opener is made from the
# last closer; a count of a sealed shift stays, and another is taken only where one person proposed it and another approved; who entered
# rounds in a shift does not count its boxes; of a promotional wager only what it was paid is money.
GUARDS = """
CREATE FUNCTION tables_floor_refuse(guard text, words text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '%', words USING ERRCODE = 'restrict_violation', CONSTRAINT = guard;
END $$;

CREATE FUNCTION tables_chipslip_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    last integer;
BEGIN
    SELECT greatest(
        coalesce((SELECT max(number) FROM public.tables_chipslip WHERE property_id = NEW.property_id AND kind = NEW.kind), 0),
        coalesce((SELECT max(number) FROM public.tables_chipmovement WHERE property_id = NEW.property_id AND kind = NEW.kind), 0)
    ) INTO last;
    IF NEW.number <> last + 1 THEN
        PERFORM public.tables_floor_refuse('tables_chipslip_no_gaps', 'a slip has the number after the last one''s');
    END IF;
    IF NOT EXISTS (
        SELECT FROM public.tables_tablesession s JOIN public.tables_table t ON t.id = s.table_id
        WHERE s.id = NEW.session_id AND t.property_id = NEW.property_id
    ) THEN
        PERFORM public.tables_floor_refuse('tables_chipslip_of_its_house', 'a slip is of its table''s house');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_chipslip_guard BEFORE INSERT ON tables_chipslip FOR EACH ROW EXECUTE FUNCTION tables_chipslip_guard();
ALTER TABLE tables_chipslip ENABLE ALWAYS TRIGGER tables_chipslip_guard;

CREATE FUNCTION tables_chipslipevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    slip record;
    before text;
BEGIN
    SELECT kind, requested_by_id INTO slip FROM public.tables_chipslip WHERE id = NEW.slip_id;
    SELECT state INTO before FROM public.tables_chipslipevent WHERE slip_id = NEW.slip_id AND sequence = NEW.sequence - 1;
    IF NEW.sequence = 1 AND NEW.by_id <> slip.requested_by_id
       OR NEW.sequence > 1 AND (before IS NULL OR before IN ('void', 'received'))
       OR NEW.state = 'issued' AND slip.kind <> 'fill' OR NEW.state = 'sent' AND slip.kind <> 'chip_credit' THEN
        PERFORM public.tables_floor_refuse('tables_chipslipevent_order', 'a slip is requested, issued or sent, and received, in this order');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_chipslipevent_guard BEFORE INSERT ON tables_chipslipevent FOR EACH ROW EXECUTE FUNCTION tables_chipslipevent_guard();
ALTER TABLE tables_chipslipevent ENABLE ALWAYS TRIGGER tables_chipslipevent_guard;

CREATE FUNCTION tables_chipmovement_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.kind IN ('fill', 'chip_credit') AND NOT EXISTS (
        SELECT FROM public.tables_chipslip s JOIN public.tables_chipslipevent e ON e.slip_id = s.id AND e.state = 'received'
        WHERE s.id = NEW.slip_id AND (s.kind, s.number, s.amount, s.session_id, s.property_id, s.requested_by_id)
              = (NEW.kind, NEW.number, NEW.amount, NEW.session_id, NEW.property_id, NEW.requested_by_id)
    ) THEN
        PERFORM public.tables_floor_refuse('tables_chipmovement_of_its_slip', 'chips of a slip move when three people have signed it, as it says');
    END IF;
    IF NEW.kind = 'redemption' AND NOT EXISTS (
        SELECT FROM public.tables_chipmovement m
        WHERE m.id = NEW.redeems_id AND m.kind = 'marker' AND m.patron = NEW.patron AND m.property_id = NEW.property_id
              AND m.amount >= NEW.amount + (SELECT coalesce(sum(r.amount), 0) FROM public.tables_chipmovement r WHERE r.redeems_id = m.id)
    ) THEN
        PERFORM public.tables_floor_refuse('tables_chipmovement_redeems_no_more', 'a marker is redeemed by its patron, and for no more than it says');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_chipmovement_guard BEFORE INSERT ON tables_chipmovement FOR EACH ROW EXECUTE FUNCTION tables_chipmovement_guard();
ALTER TABLE tables_chipmovement ENABLE ALWAYS TRIGGER tables_chipmovement_guard;

CREATE FUNCTION tables_count_sealed(session bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM public.tables_tablesession s JOIN public.tables_shift h ON h.id = s.shift_id
        WHERE s.id = session AND (
            EXISTS (SELECT FROM public.ledger_segment g WHERE g.shift = h.uuid)
            OR EXISTS (SELECT FROM public.ledger_entry e WHERE e.shift = h.uuid AND e.kind = 'variance')
        )
    )
$$;

CREATE FUNCTION tables_count_reopened(reopening bigint, session bigint, what text) RETURNS boolean LANGUAGE sql STABLE
    SET search_path = public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM public.tables_countreopening r JOIN public.tables_countreopeningevent e ON e.reopening_id = r.id AND e.state = 'approved'
        WHERE r.id = reopening AND r.session_id = session AND r.count = what
    )
$$;

CREATE FUNCTION tables_traycount_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    last record;
BEGIN
    IF public.tables_count_sealed(NEW.session_id) THEN
        PERFORM public.tables_floor_refuse('tables_count_not_sealed', 'the shift of this count is signed');
    END IF;
    IF NEW.sequence > 1 THEN
        IF NOT public.tables_count_reopened(NEW.reopening_id, NEW.session_id, NEW.kind) THEN
            PERFORM public.tables_floor_refuse('tables_traycount_reopened', 'a count is taken once more where an auditor approved it');
        END IF;
    ELSIF NEW.kind = 'opener' THEN
        SELECT c.id, c.total, c.denominations INTO last
        FROM public.tables_traycount c JOIN public.tables_tablesession s ON s.id = c.session_id
        WHERE c.kind = 'closer' AND s.table_id = (SELECT table_id FROM public.tables_tablesession WHERE id = NEW.session_id)
        ORDER BY c.id DESC LIMIT 1;
        IF last.id IS DISTINCT FROM NEW.made_from_id THEN
            PERFORM public.tables_floor_refuse('tables_traycount_made_from_last', 'an opener is made from the table''s last closer');
        END IF;
        IF last.id IS NOT NULL AND (last.total, last.denominations) IS DISTINCT FROM (NEW.total, NEW.denominations) AND NEW.note = '' THEN
            PERFORM public.tables_floor_refuse('tables_traycount_says_why', 'an opener that is not the last closer says why');
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_traycount_guard BEFORE INSERT ON tables_traycount FOR EACH ROW EXECUTE FUNCTION tables_traycount_guard();
ALTER TABLE tables_traycount ENABLE ALWAYS TRIGGER tables_traycount_guard;

CREATE FUNCTION tables_dropcount_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    pull record;
BEGIN
    SELECT p.session_id, p.seal, p.box INTO pull FROM public.tables_boxpull p WHERE p.id = NEW.pull_id;
    IF pull.session_id IS DISTINCT FROM NEW.session_id THEN
        PERFORM public.tables_floor_refuse('tables_dropcount_of_its_box', 'the box that is counted was pulled from this table');
    END IF;
    IF (pull.seal, pull.box) IS DISTINCT FROM (NEW.seal, NEW.box) AND NEW.note = '' THEN
        PERFORM public.tables_floor_refuse('tables_dropcount_says_why', 'a box or seal that is not the one pulled is explained');
    END IF;
    IF public.tables_count_sealed(NEW.session_id) THEN
        PERFORM public.tables_floor_refuse('tables_count_not_sealed', 'the shift of this count is signed');
    END IF;
    IF NEW.sequence > 1 AND NOT public.tables_count_reopened(NEW.reopening_id, NEW.session_id, 'drop') THEN
        PERFORM public.tables_floor_refuse('tables_dropcount_reopened', 'a count is taken once more where an auditor approved it');
    END IF;
    IF EXISTS (
        SELECT FROM public.tables_tablesession mine
        JOIN public.tables_tablesession s ON s.shift_id = mine.shift_id
        JOIN public.tables_round r ON r.session_id = s.id AND r.recorded_by_id IN (NEW.counted_by_id, NEW.witness_id)
        WHERE mine.id = NEW.session_id
    ) THEN
        PERFORM public.tables_floor_refuse('tables_dropcount_not_who_entered', 'nobody counts the boxes of a shift in which they entered rounds');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_dropcount_guard BEFORE INSERT ON tables_dropcount FOR EACH ROW EXECUTE FUNCTION tables_dropcount_guard();
ALTER TABLE tables_dropcount ENABLE ALWAYS TRIGGER tables_dropcount_guard;

CREATE FUNCTION tables_countreopeningevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    proposer bigint;
    before text;
BEGIN
    SELECT proposed_by_id INTO proposer FROM public.tables_countreopening WHERE id = NEW.reopening_id;
    SELECT state INTO before FROM public.tables_countreopeningevent WHERE reopening_id = NEW.reopening_id AND sequence = NEW.sequence - 1;
    IF NEW.state IN ('approved', 'refused') AND NEW.by_id = proposer THEN
        PERFORM public.tables_floor_refuse('tables_countreopeningevent_not_ones_own', 'nobody approves what they proposed');
    END IF;
    IF NEW.state = 'proposed' AND NEW.by_id <> proposer OR NEW.sequence = 2 AND before IS DISTINCT FROM 'proposed'
       OR NEW.sequence = 3 AND before IS DISTINCT FROM 'approved' THEN
        PERFORM public.tables_floor_refuse('tables_countreopeningevent_order', 'a count is reopened, then approved, then taken once more');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_countreopeningevent_guard BEFORE INSERT ON tables_countreopeningevent
    FOR EACH ROW EXECUTE FUNCTION tables_countreopeningevent_guard();
ALTER TABLE tables_countreopeningevent ENABLE ALWAYS TRIGGER tables_countreopeningevent_guard;

CREATE FUNCTION tables_boxpull_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.tables_tablesession s JOIN public.tables_shift h ON h.id = s.shift_id
        WHERE s.id = NEW.session_id AND s.table_id = NEW.table_id AND h.gaming_day = NEW.gaming_day
    ) THEN
        PERFORM public.tables_floor_refuse('tables_boxpull_of_its_table', 'a box is pulled from its table on its gaming day');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tables_boxpull_guard BEFORE INSERT ON tables_boxpull FOR EACH ROW EXECUTE FUNCTION tables_boxpull_guard();
ALTER TABLE tables_boxpull ENABLE ALWAYS TRIGGER tables_boxpull_guard;
"""
GUARDS_BACK = """
DROP TRIGGER tables_boxpull_guard ON tables_boxpull; DROP FUNCTION tables_boxpull_guard();
DROP TRIGGER tables_countreopeningevent_guard ON tables_countreopeningevent; DROP FUNCTION tables_countreopeningevent_guard();
DROP TRIGGER tables_dropcount_guard ON tables_dropcount; DROP FUNCTION tables_dropcount_guard();
DROP TRIGGER tables_traycount_guard ON tables_traycount; DROP FUNCTION tables_traycount_guard();
DROP FUNCTION tables_count_reopened(bigint, bigint, text); DROP FUNCTION tables_count_sealed(bigint);
DROP TRIGGER tables_chipmovement_guard ON tables_chipmovement; DROP FUNCTION tables_chipmovement_guard();
DROP TRIGGER tables_chipslipevent_guard ON tables_chipslipevent; DROP FUNCTION tables_chipslipevent_guard();
DROP TRIGGER tables_chipslip_guard ON tables_chipslip; DROP FUNCTION tables_chipslip_guard();
DROP FUNCTION tables_floor_refuse(text, text);
"""

ROUND_COUNTS = """
CREATE OR REPLACE FUNCTION tables_round_counts() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    kept record;
BEGIN
    SELECT count(*) AS wagers, {sums}
           coalesce(sum(paid), 0) AS paid, sum(pay) AS pay
    INTO kept FROM public.tables_wager w WHERE w.round_id = NEW.id AND w.gaming_day = NEW.gaming_day;
    IF kept.wagers <> NEW.wager_count OR kept.handle <> NEW.handle OR kept.collected <> NEW.collected OR kept.paid <> NEW.paid
       OR (NEW.irregular = '' AND (kept.collect, kept.pay) IS DISTINCT FROM (NEW.collect::numeric, NEW.pay::numeric)) THEN
        RAISE EXCEPTION 'the round does not have the wagers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_round_counts', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
"""
_SUMS = "coalesce(sum(stake){f}, 0) AS handle, coalesce(sum(collected){f}, 0) AS collected, {due},"
WITH_PROMOTIONS = ROUND_COUNTS.format(
    sums=_SUMS.format(
        f=" FILTER (WHERE fund <> 'promo')",
        due="CASE WHEN count(*) = count(collect) THEN coalesce(sum(collect) FILTER (WHERE fund <> 'promo'), 0) END AS collect",
    )
)
WITHOUT = ROUND_COUNTS.format(sums=_SUMS.format(f="", due="sum(collect) AS collect"))


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0006_corrections"),
        ("ledger", "0002_guards"),
        ("casino", "0006_floor"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BoxPull",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("gaming_day", models.DateField()),
                ("per_day", models.BooleanField()),
                ("box", models.CharField(max_length=20)),
                ("seal", models.CharField(max_length=20)),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "verbose_name": "box",
                "verbose_name_plural": "boxes",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="CashOut",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(help_text="made by whoever hands it in: the idempotency key", unique=True)),
                ("amount", models.BigIntegerField()),
                ("patron", models.CharField(blank=True, max_length=40)),
                ("declined", models.BooleanField(default=False, help_text="the patron was asked for and did not say")),
                ("gaming_day", models.DateField()),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "verbose_name": "cash-out",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="ChipSlip",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(help_text="made by whoever requests: the idempotency key", unique=True)),
                ("kind", models.CharField(choices=[("fill", "Fill"), ("chip_credit", "chip credit")], max_length=12)),
                ("number", models.PositiveIntegerField()),
                ("amount", models.BigIntegerField()),
                ("denominations", models.JSONField(help_text="how many chips of each value")),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "verbose_name": "slip",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="ChipSlipEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("requested", "Requested"), ("issued", "Issued"), ("sent", "Sent"), ("received", "Received"), ("void", "Void")],
                        max_length=9,
                    ),
                ),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("note", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "ordering": ["slip", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="CountReopening",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(help_text="made by whoever proposes: the idempotency key", unique=True)),
                ("count", models.CharField(choices=[("opener", "Opener"), ("closer", "Closer"), ("drop", "Drop")], max_length=6)),
                ("reason", models.CharField(max_length=300)),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "verbose_name": "reopened count",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="CountReopeningEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "Proposed"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                            ("counted", "Counted"),
                        ],
                        max_length=9,
                    ),
                ),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("note", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "ordering": ["reopening", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="DealerPin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveSmallIntegerField()),
                ("hash", models.CharField(max_length=160)),
                ("set_at", models.DateTimeField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["dealer", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="DealerPinFailure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(help_text="by the door's clock, which counts for the lock")),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="chipmovement",
            name="tables_chipmovement_numbered",
        ),
        migrations.RemoveConstraint(
            model_name="chipmovement",
            name="tables_chipmovement_three_people",
        ),
        migrations.AddField(
            model_name="chipmovement",
            name="dealer",
            field=models.ForeignKey(
                help_text="who signed at the table with a PIN",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.dealer",
            ),
        ),
        migrations.AddField(
            model_name="chipmovement",
            name="declined",
            field=models.BooleanField(default=False, help_text="the patron was asked for and did not say"),
        ),
        migrations.AddField(
            model_name="chipmovement",
            name="instrument",
            field=models.CharField(blank=True, help_text="a marker's number", max_length=40),
        ),
        migrations.AddField(
            model_name="chipmovement",
            name="redeems",
            field=models.ForeignKey(
                help_text="the marker that was redeemed",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="redemptions",
                to="tables.chipmovement",
            ),
        ),
        migrations.AddField(
            model_name="dealerturn",
            name="signed",
            field=models.BooleanField(default=False, help_text="the dealer signed with a PIN"),
        ),
        migrations.AddField(
            model_name="dropcount",
            name="coupons",
            field=models.BigIntegerField(default=0, help_text="promotional chips and coupons at their face, in minor units"),
        ),
        migrations.AddField(
            model_name="dropcount",
            name="instruments",
            field=models.BigIntegerField(default=0, help_text="markers, in minor units"),
        ),
        migrations.AddField(
            model_name="dropcount",
            name="tickets",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="property",
            name="ask_patron_from",
            field=models.BigIntegerField(default=300000, help_text="from this many minor units on, a buy-in or cash-out asks who the patron is"),
        ),
        migrations.AddField(
            model_name="property",
            name="chip_values",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), blank=True, default=list, help_text="values of chips in minor units, larger first", size=None
            ),
        ),
        migrations.AddField(
            model_name="property",
            name="drop_per",
            field=models.CharField(
                choices=[("shift", "Shift"), ("gaming_day", "gaming day")], default="shift", help_text="how often boxes are pulled", max_length=10
            ),
        ),
        migrations.AddField(
            model_name="property",
            name="note_values",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), blank=True, default=list, help_text="values of notes in minor units, larger first", size=None
            ),
        ),
        migrations.AddField(
            model_name="property",
            name="rake_to",
            field=models.CharField(
                choices=[("tray", "Tray"), ("box", "Box")], default="tray", help_text="where a pot game's rake goes", max_length=4
            ),
        ),
        migrations.AddField(
            model_name="tablesession",
            name="felt",
            field=models.ForeignKey(
                help_text="confirmed by its code at the opening",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.paytableversion",
            ),
        ),
        migrations.AddField(
            model_name="traycount",
            name="dealer",
            field=models.ForeignKey(
                help_text="who signed with a PIN", null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.dealer"
            ),
        ),
        migrations.AddField(
            model_name="traycount",
            name="made_from",
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="opened", to="tables.traycount"),
        ),
        migrations.AddField(
            model_name="wager",
            name="for_dealer",
            field=models.BooleanField(db_default=False, default=False, help_text="a patron's wager for the dealer"),
        ),
        migrations.AddField(
            model_name="wager",
            name="fund",
            field=models.CharField(
                choices=[("chips", "Chips"), ("cash", "cash (money plays)"), ("promo", "promotional chips or coupon")],
                db_default="chips",
                default="chips",
                help_text="what was put down",
                max_length=5,
            ),
        ),
        migrations.AlterField(
            model_name="chipmovement",
            name="kind",
            field=models.CharField(
                choices=[
                    ("buy_in", "buy-in"),
                    ("fill", "Fill"),
                    ("chip_credit", "chip credit"),
                    ("marker", "Marker"),
                    ("redemption", "marker redeemed"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="dropcount",
            name="seal",
            field=models.CharField(help_text="as it was found on the box", max_length=20),
        ),
        migrations.AlterField(
            model_name="traycount",
            name="witness",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name="property",
            constraint=models.CheckConstraint(condition=models.Q(("drop_per__in", ["shift", "gaming_day"])), name="tables_property_drop_per"),
        ),
        migrations.AddConstraint(
            model_name="property",
            constraint=models.CheckConstraint(condition=models.Q(("rake_to__in", ["tray", "box"])), name="tables_property_rake_to"),
        ),
        migrations.AddConstraint(
            model_name="wager",
            constraint=models.CheckConstraint(condition=models.Q(("fund__in", ["chips", "cash", "promo"])), name="tables_wager_known_fund"),
        ),
        migrations.AddField(
            model_name="boxpull",
            name="carried_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="boxpull",
            name="carried_with",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="boxpull",
            name="session",
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="box", to="tables.tablesession"),
        ),
        migrations.AddField(
            model_name="boxpull",
            name="table",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="boxes", to="tables.table"),
        ),
        migrations.AddField(
            model_name="dropcount",
            name="pull",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="counts", to="tables.boxpull"),
        ),
        migrations.AddField(
            model_name="cashout",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="cashout",
            name="property",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="cash_outs", to="tables.property"),
        ),
        migrations.AddField(
            model_name="chipslip",
            name="property",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.property"),
        ),
        migrations.AddField(
            model_name="chipslip",
            name="requested_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="chipslip",
            name="session",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="chip_slips", to="tables.tablesession"),
        ),
        migrations.AddField(
            model_name="chipmovement",
            name="slip",
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="movement", to="tables.chipslip"),
        ),
        migrations.AddConstraint(
            model_name="chipmovement",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ("buy_in", "marker", "redemption", "fill", "chip_credit"))), name="tables_chipmovement_known_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="chipmovement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ("fill", "chip_credit")), ("number__isnull", False)),
                    models.Q(models.Q(("kind__in", ("fill", "chip_credit")), _negated=True), ("number__isnull", True)),
                    _connector="OR",
                ),
                name="tables_chipmovement_numbered",
            ),
        ),
        migrations.AddConstraint(
            model_name="chipmovement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ("fill", "chip_credit")), _negated=True),
                    models.Q(
                        models.Q(("requested_by", models.F("issued_by")), _negated=True),
                        models.Q(("issued_by", models.F("received_by")), _negated=True),
                        models.Q(("requested_by", models.F("received_by")), _negated=True),
                        models.Q(("issued_by__isnull", False), models.Q(("dealer__isnull", False), ("kind", "chip_credit")), _connector="OR"),
                        models.Q(("received_by__isnull", False), models.Q(("dealer__isnull", False), ("kind", "fill")), _connector="OR"),
                    ),
                    _connector="OR",
                ),
                name="tables_chipmovement_three_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="chipmovement",
            constraint=models.CheckConstraint(
                condition=models.Q(("declined", False), ("patron", ""), _connector="OR"), name="tables_chipmovement_declined_or_named"
            ),
        ),
        migrations.AddConstraint(
            model_name="chipmovement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "marker"), _negated=True),
                    models.Q(models.Q(("patron", ""), _negated=True), models.Q(("instrument", ""), _negated=True)),
                    _connector="OR",
                ),
                name="tables_chipmovement_marker_of_whom",
            ),
        ),
        migrations.AddConstraint(
            model_name="chipmovement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "redemption"), ("redeems__isnull", False)),
                    models.Q(models.Q(("kind", "redemption"), _negated=True), ("redeems__isnull", True)),
                    _connector="OR",
                ),
                name="tables_chipmovement_redeems_a_marker",
            ),
        ),
        migrations.AddField(
            model_name="chipslipevent",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="chipslipevent",
            name="dealer",
            field=models.ForeignKey(
                help_text="who signed with a PIN on the screen of `by`",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.dealer",
            ),
        ),
        migrations.AddField(
            model_name="chipslipevent",
            name="slip",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="tables.chipslip"),
        ),
        migrations.AddField(
            model_name="chipslipevent",
            name="witness",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="countreopening",
            name="proposed_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="countreopening",
            name="session",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="reopenings", to="tables.tablesession"),
        ),
        migrations.AddField(
            model_name="dropcount",
            name="reopening",
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="drop_count", to="tables.countreopening"),
        ),
        migrations.AddField(
            model_name="traycount",
            name="reopening",
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="tray_count", to="tables.countreopening"),
        ),
        migrations.AddConstraint(
            model_name="dropcount",
            constraint=models.CheckConstraint(
                condition=models.Q(("coupons__gte", 0), ("instruments__gte", 0), ("tickets__gte", 0)), name="tables_dropcount_no_negatives"
            ),
        ),
        migrations.AddConstraint(
            model_name="dropcount",
            constraint=models.CheckConstraint(
                condition=models.Q(("sequence", 1), ("reopening__isnull", False), _connector="OR"), name="tables_dropcount_again_if_reopened"
            ),
        ),
        migrations.AddConstraint(
            model_name="traycount",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "closer"), models.Q(("witness__isnull", False), ("dealer__isnull", False), _connector="OR")),
                    models.Q(("kind", "opener"), models.Q(("sequence", 1), ("witness__isnull", False), ("dealer__isnull", False), _connector="OR")),
                    _connector="OR",
                ),
                name="tables_traycount_signed_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="traycount",
            constraint=models.CheckConstraint(
                condition=models.Q(("made_from__isnull", True), ("kind", "opener"), _connector="OR"), name="tables_traycount_openers_are_made"
            ),
        ),
        migrations.AddConstraint(
            model_name="traycount",
            constraint=models.CheckConstraint(
                condition=models.Q(("sequence", 1), ("reopening__isnull", False), _connector="OR"), name="tables_traycount_again_if_reopened"
            ),
        ),
        migrations.AddField(
            model_name="countreopeningevent",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="countreopeningevent",
            name="reopening",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="tables.countreopening"),
        ),
        migrations.AddField(
            model_name="dealerpin",
            name="dealer",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="pins", to="tables.dealer"),
        ),
        migrations.AddField(
            model_name="dealerpin",
            name="set_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="dealerpinfailure",
            name="by",
            field=models.ForeignKey(
                help_text="on whose screen", on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="dealerpinfailure",
            name="dealer",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="pin_failures", to="tables.dealer"),
        ),
        migrations.AddConstraint(
            model_name="boxpull",
            constraint=models.UniqueConstraint(
                condition=models.Q(("per_day", True)), fields=("table", "gaming_day"), name="tables_boxpull_once_a_day"
            ),
        ),
        migrations.AddConstraint(
            model_name="boxpull",
            constraint=models.CheckConstraint(
                condition=models.Q(("carried_by", models.F("carried_with")), _negated=True), name="tables_boxpull_two_carriers"
            ),
        ),
        migrations.AddConstraint(
            model_name="boxpull",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("box", ""), _negated=True), models.Q(("seal", ""), _negated=True)), name="tables_boxpull_says_which"
            ),
        ),
        migrations.AddIndex(
            model_name="cashout",
            index=models.Index(fields=["property", "gaming_day"], name="tables_cashout_day"),
        ),
        migrations.AddConstraint(
            model_name="cashout",
            constraint=models.CheckConstraint(condition=models.Q(("amount__gt", 0), ("amount__lt", 1000000000000000)), name="tables_cashout_amount"),
        ),
        migrations.AddConstraint(
            model_name="cashout",
            constraint=models.CheckConstraint(
                condition=models.Q(("declined", False), ("patron", ""), _connector="OR"), name="tables_cashout_declined_or_named"
            ),
        ),
        migrations.AddConstraint(
            model_name="chipslip",
            constraint=models.UniqueConstraint(fields=("property", "kind", "number"), name="tables_chipslip_number_once"),
        ),
        migrations.AddConstraint(
            model_name="chipslip",
            constraint=models.CheckConstraint(condition=models.Q(("kind__in", ("fill", "chip_credit"))), name="tables_chipslip_known_kind"),
        ),
        migrations.AddConstraint(
            model_name="chipslip",
            constraint=models.CheckConstraint(condition=models.Q(("amount__gt", 0), ("amount__lt", 1000000000000000)), name="tables_chipslip_amount"),
        ),
        migrations.AddConstraint(
            model_name="chipslipevent",
            constraint=models.UniqueConstraint(fields=("slip", "sequence"), name="tables_chipslipevent_in_order"),
        ),
        migrations.AddConstraint(
            model_name="chipslipevent",
            constraint=models.UniqueConstraint(
                condition=models.Q(("dealer__isnull", True), models.Q(("state", "void"), _negated=True)),
                fields=("slip", "by"),
                name="tables_chipslipevent_three_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="chipslipevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sequence", 1), ("state", "requested")),
                    models.Q(("sequence", 2), ("state__in", ["issued", "sent", "void"])),
                    models.Q(("sequence", 3), ("state__in", ["received", "void"])),
                    _connector="OR",
                ),
                name="tables_chipslipevent_states",
            ),
        ),
        migrations.AddConstraint(
            model_name="chipslipevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("state", "void"),
                        ("witness__isnull", False),
                        models.Q(("witness", models.F("by")), _negated=True),
                        models.Q(("note", ""), _negated=True),
                    ),
                    models.Q(models.Q(("state", "void"), _negated=True), ("witness__isnull", True)),
                    _connector="OR",
                ),
                name="tables_chipslipevent_void_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="chipslipevent",
            constraint=models.CheckConstraint(
                condition=models.Q(("dealer__isnull", True), ("state__in", ["sent", "received"]), _connector="OR"),
                name="tables_chipslipevent_dealer_at_table",
            ),
        ),
        migrations.AddConstraint(
            model_name="countreopening",
            constraint=models.CheckConstraint(condition=models.Q(("reason", ""), _negated=True), name="tables_countreopening_says_why"),
        ),
        migrations.AddConstraint(
            model_name="countreopening",
            constraint=models.CheckConstraint(
                condition=models.Q(("count__in", ["opener", "closer", "drop"])), name="tables_countreopening_known_count"
            ),
        ),
        migrations.AddConstraint(
            model_name="countreopeningevent",
            constraint=models.UniqueConstraint(fields=("reopening", "sequence"), name="tables_countreopeningevent_in_order"),
        ),
        migrations.AddConstraint(
            model_name="countreopeningevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sequence", 1), ("state", "proposed")),
                    models.Q(("sequence", 2), ("state__in", ["approved", "refused", "withdrawn"])),
                    models.Q(("sequence", 3), ("state", "counted")),
                    _connector="OR",
                ),
                name="tables_countreopeningevent_states",
            ),
        ),
        migrations.AddConstraint(
            model_name="dealerpin",
            constraint=models.UniqueConstraint(fields=("dealer", "sequence"), name="tables_dealerpin_in_order"),
        ),
        migrations.AddIndex(
            model_name="dealerpinfailure",
            index=models.Index(fields=["dealer", "-at"], name="tables_dealerpinfailure_last"),
        ),
        *[AppendOnly(table) for table in EVENTS],
        *[Stamped(table) for table in EVENTS],
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        migrations.RunSQL(WITH_PROMOTIONS, WITHOUT),
    ]
