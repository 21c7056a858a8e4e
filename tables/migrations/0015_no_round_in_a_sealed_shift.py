"""A round that is not late comes into no shift that is signed or sealed: looked at a statement at a time, as the application may write SQL too."""

from django.db import migrations

# Entries are refused there already (ledger.0002, audit.0004); a round by itself was not, unless it replaced another or said that it was late.
# The lock is the one that sealing takes (ledger.services.lock_shift): a round waits for a seal that is being made, and then sees it, and a
# seal waits for the round. Each shift once, however many rounds come. audit_signature is looked up when the guard fires.
GUARD = """
CREATE FUNCTION tables_round_sealed_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT s.uuid FROM public.tables_shift s JOIN public.tables_tablesession t ON t.shift_id = s.id
        WHERE t.id IN (SELECT a.session_id FROM added a WHERE NOT a.late) GROUP BY s.uuid ORDER BY s.uuid
    LOOP
        IF current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE EXCEPTION 'rounds are kept under READ COMMITTED, so that the guards see what was sealed meanwhile'
                USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_round_looks_anew', TABLE = TG_TABLE_NAME;
        END IF;
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('shift:' || one.uuid, 0));
        IF EXISTS (SELECT FROM public.ledger_segment g WHERE g.shift = one.uuid)
           OR EXISTS (SELECT FROM public.audit_signature g WHERE g.shift_uuid = one.uuid AND g.is_final) THEN
            RAISE EXCEPTION 'the shift of this round is signed or sealed'
                USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tables_round_not_sealed', TABLE = TG_TABLE_NAME;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER tables_round_sealed_guard AFTER INSERT ON tables_round REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION tables_round_sealed_guard();
ALTER TABLE tables_round ENABLE ALWAYS TRIGGER tables_round_sealed_guard;
"""
GUARD_BACK = "DROP TRIGGER tables_round_sealed_guard ON tables_round; DROP FUNCTION tables_round_sealed_guard();"


class Migration(migrations.Migration):
    """Source: spec/books.md, "What the database itself refuses", and "Signing, late facts": sealed shifts never reopen."""

    dependencies = [("tables", "0014_wagers_have_their_round"), ("ledger", "0005_sealing")]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
