"""A signed shift takes no more notes, whoever adds them."""

from django.db import migrations

GUARD = """
CREATE TRIGGER audit_shiftnote_signed BEFORE INSERT ON audit_shiftnote FOR EACH ROW EXECUTE FUNCTION audit_signed_shift();
ALTER TABLE audit_shiftnote ENABLE ALWAYS TRIGGER audit_shiftnote_signed;
"""
BACK = "DROP TRIGGER audit_shiftnote_signed ON audit_shiftnote;"


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0007_shift_notes"),
    ]

    operations = [
        migrations.RunSQL(GUARD, BACK),
    ]
