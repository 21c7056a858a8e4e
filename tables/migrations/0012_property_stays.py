"""What amounts, days and addresses hang on stays as it was when the property was made: a change would reread every row that is kept."""

from django.db import migrations

STAYS = ("uuid", "code", "zone", "currency", "exponent", "writes")
CHANGED = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in STAYS)

GUARD = f"""
CREATE TRIGGER tables_property_stays BEFORE UPDATE ON tables_property
    FOR EACH ROW WHEN ({CHANGED}) EXECUTE FUNCTION pitbook_refuse();
ALTER TABLE tables_property ENABLE ALWAYS TRIGGER tables_property_stays;
"""
GUARD_BACK = "DROP TRIGGER tables_property_stays ON tables_property;"


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0011_notation"),
    ]

    operations = [migrations.RunSQL(GUARD, GUARD_BACK)]
