"""What the floor's rows refuse: what was recorded stays as it was."""

from django.db import migrations

from casino.append_only import AppendOnly, NoDelete, Partitioned, Stamped

EVENTS = (
    "tables_shift",
    "tables_shiftevent",
    "tables_tablesession",
    "tables_sessionevent",
    "tables_dealerturn",
    "tables_paytableversion",
    "tables_tablepaytable",
    "tables_round",
    "tables_chipmovement",
    "tables_traycount",
    "tables_dropcount",
)
PLACES = ("tables_property", "tables_pit", "tables_table", "tables_dealer", "tables_slipcounter")

# A wager is added in the transaction of its round only, and a round has as many as it says.
GUARDS = """
CREATE FUNCTION tables_round_counts() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    kept record;
BEGIN
    SELECT count(*) AS wagers, coalesce(sum(stake), 0) AS handle, coalesce(sum(collected), 0) AS collected, coalesce(sum(paid), 0) AS paid,
           sum(collect) AS collect, sum(pay) AS pay
    INTO kept FROM public.tables_wager w WHERE w.round_id = NEW.id AND w.gaming_day = NEW.gaming_day;
    IF kept.wagers <> NEW.wager_count OR kept.handle <> NEW.handle OR kept.collected <> NEW.collected OR kept.paid <> NEW.paid
       OR (NEW.irregular = '' AND (kept.collect, kept.pay) IS DISTINCT FROM (NEW.collect::numeric, NEW.pay::numeric)) THEN
        RAISE EXCEPTION 'the round does not have the wagers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_round_counts', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER tables_round_counts AFTER INSERT ON tables_round DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION tables_round_counts();
ALTER TABLE tables_round ENABLE ALWAYS TRIGGER tables_round_counts;

CREATE FUNCTION tables_wager_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM added w JOIN public.tables_round r ON r.id = w.round_id
        WHERE r.made_in IS DISTINCT FROM pg_current_xact_id()
    ) THEN
        RAISE EXCEPTION 'a wager is added to a round of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_wager_with_its_round', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tables_wager_guard AFTER INSERT ON tables_wager REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION tables_wager_guard();
ALTER TABLE tables_wager ENABLE ALWAYS TRIGGER tables_wager_guard;
"""
GUARDS_BACK = """
DROP TRIGGER tables_wager_guard ON tables_wager; DROP FUNCTION tables_wager_guard();
DROP TRIGGER tables_round_counts ON tables_round; DROP FUNCTION tables_round_counts();
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_initial"), ("casino", "0002_guards")]

    operations = [
        *[AppendOnly(table) for table in EVENTS],
        *[Stamped(table, made_in=table == "tables_round") for table in EVENTS],
        *[NoDelete(table) for table in PLACES],
        AppendOnly("tables_wager"),
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        Partitioned("tables_wager"),
    ]
