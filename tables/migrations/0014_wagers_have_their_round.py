"""That a wager's round is there, on the wager's gaming day, is looked at a statement at a time: a thousand rounds by one query."""

from django.db import migrations

# The foreign key looked at each wager by itself and locked its round for it, a quarter of what PostgreSQL takes for a wager. The guard joins the
# two anyway. A round stays as it is: nobody changes or deletes one, so nothing has to be held. The guard fires always, which a foreign key's
# own trigger does not.
# The plan is made once, by index, as it serves one round and a thousand alike.
GUARD = """
ALTER TABLE tables_wager DROP CONSTRAINT tables_wager_round;

CREATE OR REPLACE FUNCTION tables_wager_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    found record;
BEGIN
    SELECT bool_or(r.id IS NULL) AS alone, bool_or(r.made_in IS DISTINCT FROM pg_current_xact_id()) AS older,
           bool_or(w.line > r.wager_count) AS beyond
    INTO found FROM (SELECT a.round_id, a.gaming_day, max(a.line) AS line FROM added a GROUP BY 1, 2) w
    LEFT JOIN public.tables_round r ON r.id = w.round_id AND r.gaming_day = w.gaming_day;
    IF found.alone THEN
        RAISE EXCEPTION 'a wager is of a round that is there, of the same gaming day (tables_wager_round)'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'tables_wager_round', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.older THEN
        RAISE EXCEPTION 'a wager is added to a round of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_wager_with_its_round', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.beyond THEN
        RAISE EXCEPTION 'the round does not have the wagers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_round_counts', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
"""
GUARD_BACK = """
CREATE OR REPLACE FUNCTION tables_wager_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    found record;
BEGIN
    SELECT bool_or(r.made_in IS DISTINCT FROM pg_current_xact_id()) AS older, bool_or(w.line > r.wager_count) AS beyond
    INTO found FROM added w JOIN public.tables_round r ON r.id = w.round_id;
    IF found.older THEN
        RAISE EXCEPTION 'a wager is added to a round of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_wager_with_its_round', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.beyond THEN
        RAISE EXCEPTION 'the round does not have the wagers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_round_counts', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
ALTER TABLE tables_wager ADD CONSTRAINT tables_wager_round FOREIGN KEY (round_id, gaming_day) REFERENCES tables_round (id, gaming_day);
"""


class Migration(migrations.Migration):
    """Source: spec/books.md, "What the database itself refuses", and "Size": nothing references wagers, and they reference by no foreign key."""

    dependencies = [("tables", "0013_counts_by_statement")]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
