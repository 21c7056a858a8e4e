"""Roles that clash are refused by the database too: who enters does not count, who approves does not propose."""

from django.db import migrations

# (one role, those that nobody holds together with it): casino/roles.py, EXCLUSIVE, as it was when this was written.
CLASHES = {
    "administrator": ("supervisor", "pit_boss", "shift_manager", "cage", "count_team", "surveillance", "auditor", "games_manager"),
    "auditor": ("supervisor", "pit_boss", "shift_manager", "cage", "count_team", "games_manager"),
    "count_team": ("supervisor", "pit_boss", "shift_manager", "cage"),
    "cage": ("supervisor", "pit_boss", "shift_manager"),
}
PAIRS = ", ".join(f"('{one}', '{other}'), ('{other}', '{one}')" for one, others in CLASHES.items() for other in others)

GUARD = f"""
CREATE FUNCTION casino_roleevent_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.action IN ('grant', 'review') AND NEW.by_id IS DISTINCT FROM NEW.user_id AND EXISTS (
        SELECT FROM (
            SELECT DISTINCT ON (role) role, action FROM public.casino_roleevent WHERE user_id = NEW.user_id ORDER BY role, sequence DESC
        ) held
        WHERE held.action <> 'withdraw' AND (held.role, NEW.role) IN (VALUES {PAIRS})
    ) THEN
        RAISE EXCEPTION 'nobody holds these roles together'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'casino_roleevent_no_clash', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER casino_roleevent_guard BEFORE INSERT ON casino_roleevent FOR EACH ROW EXECUTE FUNCTION casino_roleevent_guard();
ALTER TABLE casino_roleevent ENABLE ALWAYS TRIGGER casino_roleevent_guard;
"""  # noqa: S608 - names of our own roles
GUARD_BACK = "DROP TRIGGER casino_roleevent_guard ON casino_roleevent; DROP FUNCTION casino_roleevent_guard();"


class Migration(migrations.Migration):
    dependencies = [("casino", "0005_step_up")]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
