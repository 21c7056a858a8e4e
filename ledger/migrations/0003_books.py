"""Books and their totals, so that balances do not add up what was added up; months that were taken out; what guards both."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import casino.append_only
import ledger.models_books
from casino.append_only import AppendOnly, OnlyTheOwner, Stamped

TABLES = ("ledger_book", "ledger_bookclosing", "ledger_booktotal", "ledger_archive")

# Every entry is in a book: opened with its first entry, closed for ever once its totals are kept. The lock is taken here too, and the
# check is a statement of its own after it, so that an entry that was written without the service does not slip into a closed book either.
GUARDS = """
CREATE FUNCTION ledger_entry_in_book() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(of.book, 0)) FROM (
        SELECT DISTINCT CASE WHEN a.shift IS NULL THEN 'book:' || a.property || ':' || a.gaming_day ELSE 'shift:' || a.shift END AS book
        FROM added a ORDER BY 1
    ) of;
    INSERT INTO public.ledger_book (property, shift, gaming_day)
    SELECT DISTINCT a.property, a.shift, a.gaming_day FROM added a
    WHERE NOT EXISTS (
        SELECT FROM public.ledger_book b
        WHERE b.property = a.property AND b.gaming_day = a.gaming_day AND b.shift IS NOT DISTINCT FROM a.shift
    )
    ORDER BY 1, 3, 2
    ON CONFLICT DO NOTHING;
    IF EXISTS (
        SELECT FROM added a
        JOIN public.ledger_book b ON b.property = a.property AND b.gaming_day = a.gaming_day AND b.shift IS NOT DISTINCT FROM a.shift
        JOIN public.ledger_bookclosing c ON c.book_id = b.id
    ) THEN
        RAISE EXCEPTION 'the book of this entry is closed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_entry_open_book', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_in_book AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_in_book();
ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_in_book;

-- Closings are numbered without gaps, and say of their book how many entries and transfers it has.
CREATE FUNCTION ledger_bookclosing_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
    closed public.ledger_book;
    kept record;
BEGIN
    SELECT * INTO closed FROM public.ledger_book b WHERE b.id = NEW.book_id;
    PERFORM pg_advisory_xact_lock(hashtextextended(CASE WHEN closed.shift IS NULL
        THEN 'book:' || closed.property || ':' || closed.gaming_day ELSE 'shift:' || closed.shift END, 0));
    SELECT count(*) AS entries, coalesce(sum(e.transfer_count), 0) AS transfers INTO kept FROM public.ledger_entry e
    WHERE e.gaming_day = closed.gaming_day
      AND (e.shift = closed.shift OR closed.shift IS NULL AND e.shift IS NULL AND e.property = closed.property);
    IF (kept.entries, kept.transfers) IS DISTINCT FROM (NEW.entries, NEW.transfers) THEN
        RAISE EXCEPTION 'the book does not have the entries that its closing says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_bookclosing_counts', TABLE = TG_TABLE_NAME;
    END IF;
    IF NEW.sequence <> (SELECT coalesce(max(c.sequence), 0) + 1 FROM public.ledger_bookclosing c) THEN
        RAISE EXCEPTION 'books are closed one after the other, without gaps'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_bookclosing_in_order', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_bookclosing_guard BEFORE INSERT ON ledger_bookclosing FOR EACH ROW EXECUTE FUNCTION ledger_bookclosing_guard();
ALTER TABLE ledger_bookclosing ENABLE ALWAYS TRIGGER ledger_bookclosing_guard;

-- What an account holds after a closing is what it held after the last one before, and what was moved.
CREATE FUNCTION ledger_booktotal_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.ledger_bookclosing c WHERE c.id = NEW.closing_id AND c.sequence = NEW.sequence)
       OR NEW.held <> NEW.arrived - NEW."left" + coalesce(
           (SELECT t.held FROM public.ledger_booktotal t WHERE t.account_id = NEW.account_id AND t.sequence < NEW.sequence
            ORDER BY t.sequence DESC LIMIT 1), 0)
       OR EXISTS (SELECT FROM public.ledger_booktotal t WHERE t.account_id = NEW.account_id AND t.sequence > NEW.sequence) THEN
        RAISE EXCEPTION 'a total goes on from the one before'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_booktotal_goes_on', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_booktotal_guard BEFORE INSERT ON ledger_booktotal FOR EACH ROW EXECUTE FUNCTION ledger_booktotal_guard();
ALTER TABLE ledger_booktotal ENABLE ALWAYS TRIGGER ledger_booktotal_guard;

INSERT INTO ledger_book (property, shift, gaming_day) SELECT DISTINCT property, shift, gaming_day FROM ledger_entry ORDER BY 3;
"""
GUARDS_BACK = """
DROP TRIGGER ledger_booktotal_guard ON ledger_booktotal; DROP FUNCTION ledger_booktotal_guard();
DROP TRIGGER ledger_bookclosing_guard ON ledger_bookclosing; DROP FUNCTION ledger_bookclosing_guard();
DROP TRIGGER ledger_entry_in_book ON ledger_entry; DROP FUNCTION ledger_entry_in_book();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0002_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Archive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("table", models.CharField(max_length=60)),
                ("month", models.DateField(help_text="its first day")),
                ("sequence", models.PositiveSmallIntegerField(help_text="1 when it was first taken out, 2 when it was brought back, …")),
                ("action", models.CharField(choices=[("archive", "taken out"), ("restore", "brought back")], max_length=7)),
                ("rows", models.PositiveBigIntegerField()),
                ("file", models.CharField(max_length=200)),
                ("file_sha256", models.CharField(max_length=64)),
                ("rows_sha256", models.CharField(help_text="of the rows themselves, as COPY writes them in the order of their keys", max_length=64)),
                ("by", models.CharField(help_text="who ran the command", max_length=120)),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["month", "table", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="Book",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("property", models.UUIDField()),
                ("shift", models.UUIDField(null=True)),
                ("gaming_day", models.DateField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="BookClosing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveBigIntegerField(unique=True)),
                ("entries", models.PositiveBigIntegerField()),
                ("transfers", models.PositiveBigIntegerField()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["sequence"],
            },
        ),
        migrations.CreateModel(
            name="BookTotal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveBigIntegerField()),
                ("gaming_day", models.DateField()),
                ("arrived", ledger.models_books.WholeSum()),
                ("left", ledger.models_books.WholeSum()),
                ("held", ledger.models_books.WholeSum()),
                ("recorded_at", casino.append_only.RecordedAt(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["sequence", "account"],
            },
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(condition=models.Q(("shift__isnull", True)), fields=["property", "gaming_day"], name="ledger_entry_no_shift"),
        ),
        migrations.AddConstraint(
            model_name="archive",
            constraint=models.UniqueConstraint(fields=("table", "month", "sequence"), name="ledger_archive_in_order"),
        ),
        migrations.AddConstraint(
            model_name="archive",
            constraint=models.CheckConstraint(condition=models.Q(("action__in", ["archive", "restore"])), name="ledger_archive_known_action"),
        ),
        migrations.AddConstraint(
            model_name="archive",
            constraint=models.CheckConstraint(
                condition=models.Q(("file_sha256__regex", "^[0-9a-f]{64}$"), ("rows_sha256__regex", "^[0-9a-f]{64}$")), name="ledger_archive_hashes"
            ),
        ),
        migrations.AddIndex(
            model_name="book",
            index=models.Index(fields=["shift"], name="ledger_book_shift"),
        ),
        migrations.AddConstraint(
            model_name="book",
            constraint=models.UniqueConstraint(fields=("property", "gaming_day", "shift"), name="ledger_book_once", nulls_distinct=False),
        ),
        migrations.AddField(
            model_name="bookclosing",
            name="book",
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="closing", to="ledger.book"),
        ),
        migrations.AddField(
            model_name="booktotal",
            name="account",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="totals", to="ledger.account"),
        ),
        migrations.AddField(
            model_name="booktotal",
            name="closing",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="totals", to="ledger.bookclosing"),
        ),
        migrations.AddIndex(
            model_name="booktotal",
            index=models.Index(fields=["account", "gaming_day"], name="ledger_booktotal_day"),
        ),
        migrations.AddConstraint(
            model_name="booktotal",
            constraint=models.UniqueConstraint(fields=("account", "sequence"), name="ledger_booktotal_once"),
        ),
        migrations.AddConstraint(
            model_name="booktotal",
            constraint=models.CheckConstraint(condition=models.Q(("arrived__gte", 0), ("left__gte", 0)), name="ledger_booktotal_no_negatives"),
        ),
        # a statement reads an account's lines in the books' order, a page at a time
        migrations.RemoveIndex(model_name="transfer", name="ledger_transfer_credit"),
        migrations.RemoveIndex(model_name="transfer", name="ledger_transfer_debit"),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["credit_account", "gaming_day", "entry"], name="ledger_transfer_credit"),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["debit_account", "gaming_day", "entry"], name="ledger_transfer_debit"),
        ),
        *[AppendOnly(table) for table in TABLES],
        *[Stamped(table) for table in TABLES],
        migrations.RunSQL(GUARDS, GUARDS_BACK),
        OnlyTheOwner("ledger_archive"),
    ]
