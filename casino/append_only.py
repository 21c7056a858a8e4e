"""What the database refuses, as migration operations: append-only tables, stamped rows, partitions by month.

Source: design/foundations.md, sections 2 to 4. Guards are triggers (ENABLE ALWAYS) *and* grants; the application owns nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db import connections, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.functions import Now

OWNER_ALIAS = "owner"


def app_role() -> str:
    """Return the application's log-in, quoted for SQL."""
    user = connections["default"].settings_dict["USER"]
    return connections["default"].ops.quote_name(user)


def grant_before_tables(using: str, **_: Any) -> None:
    """Give the application its default rights before any table exists (pre_migrate). Refuses to migrate as anyone but the owner."""
    if using != OWNER_ALIAS:
        raise SystemExit(f"Migrations run as the owner of the tables: manage.py migrate --database {OWNER_ALIAS}")
    with connections[using].cursor() as cursor:
        role = app_role()
        cursor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}")
        cursor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}")
        cursor.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
        cursor.execute(f"ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO {role}")
        cursor.execute(f"GRANT USAGE ON SCHEMA public TO {role}")


def make_partitions(using: str, months: Iterable[int], *, of: date | None = None) -> int:
    """Make the partitions of the months that lie `months` after `of`'s (today's, by the database's clock) and return how many were made.

    A month a transaction, with a lock timeout: an attach waits for open postings, and postings for it. Never inside a posting.
    """
    made = 0
    for ahead in months:
        with connections[using].cursor() as cursor:
            cursor.execute(
                "SELECT pitbook_make_partitions((date_trunc('month', coalesce(%s::date, current_date)) + make_interval(months => %s))::date)",
                [of, ahead],
            )
            made += cursor.fetchone()[0]
    return made


MONTHS_AHEAD = 2
"""So many months after the running one have their partitions made before they begin."""


def missing_partitions(using: str, *, of: date | None = None) -> list[str]:
    """Return the partitions that are not there, of the month of `of` (today's, by the database's clock) and the next two. One query."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            """
            SELECT p.name || to_char(m.month, '_YYYYMM') FROM casino_partitionedtable p CROSS JOIN (
                SELECT date_trunc('month', coalesce(%s::date, current_date)) + make_interval(months => n) AS month FROM generate_series(0, %s) n
            ) m WHERE to_regclass('public.' || p.name || to_char(m.month, '_YYYYMM')) IS NULL ORDER BY m.month, p.name
            """,
            [of, MONTHS_AHEAD],
        )
        return [name for (name,) in cursor.fetchall()]


class RecordedAt(models.DateTimeField):
    """The database's clock: a trigger sets it, whatever a client says."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"db_default": Now(), "editable": False, **kwargs})


class MadeIn(models.BigIntegerField):
    """The number of the top transaction that inserted the row (`pg_current_xact_id()`), set by a trigger.

    `xmin` would not do: under a savepoint it is the subtransaction's number (design/foundations.md, 3).
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"db_default": models.Func(function="pg_current_xact_id"), "editable": False, **kwargs})

    def db_type(self, connection: Any) -> str:
        """Return PostgreSQL's own type for it."""
        return "xid8"

    def from_db_value(self, value: Any, *_: Any) -> int | None:
        """Return it as a number; the driver hands out text."""
        return None if value is None else int(value)


class _SqlOperation(Operation):
    """An operation that changes the database and nothing that Django keeps in mind."""

    reversible = True
    reduces_to_sql = True

    def __init__(self, table: str) -> None:
        self.table = table

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing in Django's mind, so that `makemigrations --check` stays quiet."""

    def database_forwards(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any) -> None:
        """Put the guard on."""
        schema_editor.execute(self.forwards_sql(), params=None)

    def database_backwards(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any) -> None:
        """Take the guard off, which only the owner can."""
        schema_editor.execute(self.backwards_sql(), params=None)

    def forwards_sql(self) -> str:
        """Return the statements that put the guard on."""
        raise AttributeError("forwards_sql is the subclass's")

    def backwards_sql(self) -> str:
        """Return the statements that take the guard off."""
        return ""


class AppendOnly(_SqlOperation):
    """Rows of `table` are added, never changed, deleted or truncated, by the owner either."""

    def forwards_sql(self) -> str:
        """Return triggers that refuse, and the grants taken back."""
        t = self.table
        return f"""
            CREATE TRIGGER {t}_append_only BEFORE UPDATE OR DELETE ON {t} FOR EACH ROW EXECUTE FUNCTION pitbook_refuse();
            CREATE TRIGGER {t}_no_truncate BEFORE TRUNCATE ON {t} FOR EACH STATEMENT EXECUTE FUNCTION pitbook_refuse();
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_append_only;
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_no_truncate;
            REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON {t} FROM {app_role()}, PUBLIC;
        """

    def backwards_sql(self) -> str:
        """Return what drops the triggers and grants the rights again."""
        t = self.table
        return f"""
            DROP TRIGGER {t}_append_only ON {t};
            DROP TRIGGER {t}_no_truncate ON {t};
            GRANT UPDATE, DELETE ON {t} TO {app_role()};
        """

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return f"Refuse changes of rows of {self.table}"


class NoDelete(_SqlOperation):
    """Rows of `table` change, and stay: nobody deletes or truncates them."""

    def forwards_sql(self) -> str:
        """Return triggers that refuse, and the grants taken back."""
        t = self.table
        return f"""
            CREATE TRIGGER {t}_no_delete BEFORE DELETE ON {t} FOR EACH ROW EXECUTE FUNCTION pitbook_refuse();
            CREATE TRIGGER {t}_no_truncate BEFORE TRUNCATE ON {t} FOR EACH STATEMENT EXECUTE FUNCTION pitbook_refuse();
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_no_delete;
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_no_truncate;
            REVOKE DELETE, TRUNCATE, REFERENCES, TRIGGER ON {t} FROM {app_role()}, PUBLIC;
        """

    def backwards_sql(self) -> str:
        """Return what drops the triggers and grants the right again."""
        t = self.table
        return f"DROP TRIGGER {t}_no_delete ON {t}; DROP TRIGGER {t}_no_truncate ON {t}; GRANT DELETE ON {t} TO {app_role()};"

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return f"Refuse deletion of rows of {self.table}"


class OnlyTheOwner(_SqlOperation):
    """Rows of `table` are added by the owner's commands alone; the application reads them."""

    def forwards_sql(self) -> str:
        """Return the right taken back."""
        return f"REVOKE INSERT ON {self.table} FROM {app_role()};"

    def backwards_sql(self) -> str:
        """Return the right granted again."""
        return f"GRANT INSERT ON {self.table} TO {app_role()};"

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return f"Let only the owner add to {self.table}"


class Stamped(_SqlOperation):
    """`recorded_at` of `table` is the database's clock, and `made_in`, where it has one, the inserting transaction."""

    def __init__(self, table: str, made_in: bool = False) -> None:
        super().__init__(table)
        self.made_in = made_in

    def forwards_sql(self) -> str:
        """Return the trigger that stamps."""
        function = "pitbook_stamp_made_in" if self.made_in else "pitbook_stamp"
        t = self.table
        return f"""
            CREATE TRIGGER {t}_stamp BEFORE INSERT ON {t} FOR EACH ROW EXECUTE FUNCTION {function}();
            ALTER TABLE {t} ENABLE ALWAYS TRIGGER {t}_stamp;
        """

    def backwards_sql(self) -> str:
        """Return what drops the trigger."""
        return f"DROP TRIGGER {self.table}_stamp ON {self.table};"

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return f"Stamp rows of {self.table} with the database's clock"


class Partitioned(_SqlOperation):
    """`table` is partitioned by month of `gaming_day`: put it on the list that `pitbook_make_partitions` works through."""

    def forwards_sql(self) -> str:
        """Return the registration."""
        return f"INSERT INTO casino_partitionedtable (name) VALUES ('{self.table}');"

    def backwards_sql(self) -> str:
        """Return its undoing."""
        return f"DELETE FROM casino_partitionedtable WHERE name = '{self.table}';"

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return f"Partition {self.table} by month"


FUNCTIONS = """
CREATE FUNCTION pitbook_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: its rows are kept as they are', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE FUNCTION pitbook_stamp() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    NEW.recorded_at := clock_timestamp();
    RETURN NEW;
END $$;

CREATE FUNCTION pitbook_stamp_made_in() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    NEW.recorded_at := clock_timestamp();
    NEW.made_in := pg_current_xact_id();
    RETURN NEW;
END $$;

-- Makes the partitions of one month, of every table on the list, and says how many it made. Rows go through the parent only: nothing is
-- granted on a partition. Statement triggers are not cloned by PostgreSQL, so the one that refuses TRUNCATE is put on here.
CREATE FUNCTION pitbook_make_partitions(month date) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    first date := date_trunc('month', month)::date;
    parent text;
    child text;
    made integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('pitbook partitions', 0));
    FOR parent IN SELECT name FROM public.casino_partitionedtable ORDER BY name LOOP
        child := parent || to_char(first, '_YYYYMM');
        CONTINUE WHEN to_regclass('public.' || child) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', child, parent);
        EXECUTE format('REVOKE ALL ON public.%I FROM PUBLIC, __APP__', child);
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
                       parent, child, first, (first + interval '1 month')::date);
        EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON public.%I FOR EACH STATEMENT EXECUTE FUNCTION public.pitbook_refuse()',
                       child || '_no_truncate', child);
        EXECUTE format('ALTER TABLE public.%I ENABLE ALWAYS TRIGGER %I', child, child || '_no_truncate');
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
"""


class SharedFunctions(_SqlOperation):
    """The functions that the guards call, and the one that makes partitions (SECURITY DEFINER, a month as its only argument)."""

    def __init__(self) -> None:
        super().__init__("")

    def forwards_sql(self) -> str:
        """Return the functions; only the application may make partitions."""
        role = app_role()
        return (
            FUNCTIONS.replace("__APP__", role.replace("'", "''"))
            + f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON casino_partitionedtable FROM {role};"
            + "REVOKE EXECUTE ON FUNCTION pitbook_make_partitions(date) FROM PUBLIC;"
            + f"GRANT EXECUTE ON FUNCTION pitbook_make_partitions(date) TO {role};"
        )

    def backwards_sql(self) -> str:
        """Return what drops them."""
        return (
            "DROP FUNCTION pitbook_make_partitions(date); DROP FUNCTION pitbook_stamp_made_in();"
            " DROP FUNCTION pitbook_stamp(); DROP FUNCTION pitbook_refuse();"
        )

    def describe(self) -> str:
        """Return what the migration plan shows."""
        return "Make the functions that guards call"
