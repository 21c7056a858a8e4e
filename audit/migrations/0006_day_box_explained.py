"""The variance of a box that is pulled once a gaming day is explained like any other: the database knows it as its session's."""

from django.db import migrations, models

GUARD = """
CREATE OR REPLACE FUNCTION audit_explanation_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.audit_sessionreconciliation l WHERE l.reconciliation_id = NEW.reconciliation_id AND l.session_id = NEW.session_id
          AND NEW.amount = CASE NEW.variance WHEN 'tray' THEN l.tray_variance WHEN 'drop' THEN l.drop_variance ELSE l.book_variance END
    ) AND NOT EXISTS (
        SELECT FROM public.audit_tabledayreconciliation d WHERE d.reconciliation_id = NEW.reconciliation_id AND d.session_id = NEW.session_id
          AND NEW.variance = 'drop' AND NEW.amount = d.drop_variance
    ) THEN
        PERFORM public.audit_refuse('audit_explanation_of_its_variance', 'what is explained is a variance of the reconciliation');
    END IF;
    RETURN NEW;
END $$;
"""
BEFORE = """
CREATE OR REPLACE FUNCTION audit_explanation_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.audit_sessionreconciliation l WHERE l.reconciliation_id = NEW.reconciliation_id AND l.session_id = NEW.session_id
          AND NEW.amount = CASE NEW.variance WHEN 'tray' THEN l.tray_variance WHEN 'drop' THEN l.drop_variance ELSE l.book_variance END
    ) THEN
        PERFORM public.audit_refuse('audit_explanation_of_its_variance', 'what is explained is a variance of the reconciliation');
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0005_movements"),
    ]

    operations = [
        migrations.RunSQL(GUARD, BEFORE),
        migrations.AlterField(
            model_name="statisticresult",
            name="taken_out",
            field=models.BigIntegerField(default=0, help_text="of payouts beyond ten to one: taken out of value and expectation, and listed"),
        ),
    ]
