"""What the books refuse. Source: spec/books.md, "What the database itself refuses"."""

from django.db import migrations

from casino.append_only import AppendOnly, NoDelete, Partitioned, Stamped, app_role

GUARDS = """
-- An entry of a sealed shift is refused; VOLATILE, so that it looks again after the lock was waited for.
CREATE FUNCTION ledger_entry_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.shift IS NOT NULL AND EXISTS (SELECT FROM public.ledger_segment WHERE shift = NEW.shift) THEN
        RAISE EXCEPTION 'the shift of this entry is sealed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_not_sealed', TABLE = TG_TABLE_NAME;
    END IF;
    IF NEW.reverses_id IS NOT NULL AND EXISTS (
        SELECT FROM public.ledger_entry e WHERE e.id = NEW.reverses_id AND (e.kind = 'reversal' OR e.transfer_count <> NEW.transfer_count)
    ) THEN
        RAISE EXCEPTION 'a reversal is not reversed, and a reversal moves back as many transfers as were made'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_reverses_once', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_entry_guard BEFORE INSERT ON ledger_entry FOR EACH ROW EXECUTE FUNCTION ledger_entry_guard();
ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_guard;

-- Transfers belong to an entry of this very transaction, and to open accounts.
CREATE FUNCTION ledger_transfer_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM added t JOIN public.ledger_entry e ON e.id = t.entry_id
        WHERE e.made_in IS DISTINCT FROM pg_current_xact_id()
    ) THEN
        RAISE EXCEPTION 'a transfer is added to an entry of its own transaction only'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_transfer_with_its_entry', TABLE = TG_TABLE_NAME;
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
CREATE TRIGGER ledger_transfer_guard AFTER INSERT ON ledger_transfer REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_transfer_guard();
ALTER TABLE ledger_transfer ENABLE ALWAYS TRIGGER ledger_transfer_guard;

-- At commit an entry has as many transfers as it says.
CREATE FUNCTION ledger_entry_counts() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF (SELECT count(*) FROM public.ledger_transfer t WHERE t.entry_id = NEW.id AND t.gaming_day = NEW.gaming_day) <> NEW.transfer_count THEN
        RAISE EXCEPTION 'the entry does not have the transfers that it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_counts', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_entry_counts AFTER INSERT ON ledger_entry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION ledger_entry_counts();
ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_counts;
"""
GUARDS_BACK = """
DROP TRIGGER ledger_entry_counts ON ledger_entry; DROP FUNCTION ledger_entry_counts();
DROP TRIGGER ledger_transfer_guard ON ledger_transfer; DROP FUNCTION ledger_transfer_guard();
DROP TRIGGER ledger_entry_guard ON ledger_entry; DROP FUNCTION ledger_entry_guard();
"""


def accounts_close_only(apps, schema_editor):
    """Of an account only its closing may be written: name, kind and currency stay. Row locks need some right to UPDATE."""
    role = app_role()
    schema_editor.execute(f"REVOKE UPDATE ON ledger_account FROM {role}")
    schema_editor.execute(f"GRANT UPDATE (closed_at) ON ledger_account TO {role}")


def accounts_free(apps, schema_editor):
    """Give the right back."""
    schema_editor.execute(f"GRANT UPDATE ON ledger_account TO {app_role()}")


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial"), ("casino", "0002_guards")]

    operations = [
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        AppendOnly("ledger_entry"),
        Stamped("ledger_entry", made_in=True),
        AppendOnly("ledger_transfer"),
        AppendOnly("ledger_segment"),
        Stamped("ledger_segment"),
        AppendOnly("ledger_leaf"),
        NoDelete("ledger_account"),
        migrations.RunPython(accounts_close_only, accounts_free),
        Partitioned("ledger_transfer"),
        Partitioned("ledger_leaf"),
    ]
