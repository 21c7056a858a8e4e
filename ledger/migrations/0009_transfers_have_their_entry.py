"""That a transfer's entry is there, on the transfer's gaming day, is looked at a statement at a time, as for wagers."""

from django.db import migrations

# As in tables.0014: the guard joins the two anyway, an entry stays as it is, and the guard fires always.
GUARD = """
ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_entry;

CREATE OR REPLACE FUNCTION ledger_transfer_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    found record;
BEGIN
    SELECT bool_or(e.id IS NULL) AS alone, bool_or(e.made_in IS DISTINCT FROM pg_current_xact_id()) AS older,
           bool_or(t.line > e.transfer_count) AS beyond
    INTO found FROM (SELECT a.entry_id, a.gaming_day, max(a.line) AS line FROM added a GROUP BY 1, 2) t
    LEFT JOIN public.ledger_entry e ON e.id = t.entry_id AND e.gaming_day = t.gaming_day;
    IF found.alone THEN
        RAISE EXCEPTION 'a transfer is of an entry that is there, of the same gaming day (ledger_transfer_entry)'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'ledger_transfer_entry', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.older THEN
        RAISE EXCEPTION 'a transfer is added to an entry of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_transfer_with_its_entry', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.beyond THEN
        RAISE EXCEPTION 'the entry does not have the transfers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_counts', TABLE = TG_TABLE_NAME;
    END IF;
    IF EXISTS (
        SELECT FROM (SELECT a.credit_account_id AS id FROM added a UNION SELECT a.debit_account_id FROM added a) t
        JOIN public.ledger_account a ON a.id = t.id
        WHERE a.closed_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'an account of this transfer is closed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_transfer_open_account', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
"""
GUARD_BACK = """
CREATE OR REPLACE FUNCTION ledger_transfer_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    found record;
BEGIN
    SELECT bool_or(e.made_in IS DISTINCT FROM pg_current_xact_id()) AS older, bool_or(t.line > e.transfer_count) AS beyond
    INTO found FROM added t JOIN public.ledger_entry e ON e.id = t.entry_id;
    IF found.older THEN
        RAISE EXCEPTION 'a transfer is added to an entry of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_transfer_with_its_entry', TABLE = TG_TABLE_NAME;
    END IF;
    IF found.beyond THEN
        RAISE EXCEPTION 'the entry does not have the transfers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_counts', TABLE = TG_TABLE_NAME;
    END IF;
    IF EXISTS (
        SELECT FROM added t JOIN public.ledger_account a ON a.id IN (t.credit_account_id, t.debit_account_id)
        WHERE a.closed_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'an account of this transfer is closed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_transfer_open_account', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
ALTER TABLE ledger_transfer ADD CONSTRAINT ledger_transfer_entry FOREIGN KEY (entry_id, gaming_day) REFERENCES ledger_entry (id, gaming_day);
"""


class Migration(migrations.Migration):
    """Source: spec/books.md, "What the database itself refuses"."""

    dependencies = [("ledger", "0008_counts_by_statement")]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
