"""Posting looks anew at each statement: a transaction with an older snapshot would not see the seal that it waited for."""

from django.db import migrations

GUARD = """
-- ledger_entry_guard and ledger_entry_in_book read what is sealed and closed. Under REPEATABLE READ and SERIALIZABLE they would read it as it
-- was when the transaction began, and an entry could slip into a shift that was sealed since.
CREATE FUNCTION ledger_entry_looks_anew() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'entries are posted under READ COMMITTED, so that the guards see what was sealed meanwhile'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_looks_anew', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_looks_anew BEFORE INSERT ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_looks_anew();
ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_looks_anew;
"""
GUARD_BACK = "DROP TRIGGER ledger_entry_looks_anew ON ledger_entry; DROP FUNCTION ledger_entry_looks_anew();"


class Migration(migrations.Migration):
    """One guard more on entries. Source: spec/books.md, "Posting": READ COMMITTED."""

    dependencies = [("ledger", "0005_sealing")]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
