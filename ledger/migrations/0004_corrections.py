"""A reversal moves back exactly what was moved, to the unit; where it is late, from another account and yet the same amounts."""

from django.db import migrations

GUARD = """
CREATE FUNCTION ledger_entry_mirrors() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.ledger_entry e
        JOIN public.ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = e.gaming_day
        LEFT JOIN public.ledger_transfer b ON b.entry_id = NEW.id AND b.gaming_day = NEW.gaming_day AND b.line = t.line
        WHERE e.id = NEW.reverses_id
          AND ((b.amount, b.currency) IS DISTINCT FROM (t.amount, t.currency)
               OR (NOT NEW.late AND (b.credit_account_id, b.debit_account_id) IS DISTINCT FROM (t.debit_account_id, t.credit_account_id)))
    ) THEN
        RAISE EXCEPTION 'a reversal moves back exactly what was moved'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_mirrors', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_entry_mirrors AFTER INSERT ON ledger_entry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.reverses_id IS NOT NULL) EXECUTE FUNCTION ledger_entry_mirrors();
ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_mirrors;
"""
GUARD_BACK = "DROP TRIGGER ledger_entry_mirrors ON ledger_entry; DROP FUNCTION ledger_entry_mirrors();"


class Migration(migrations.Migration):
    dependencies = [("ledger", "0003_books")]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
