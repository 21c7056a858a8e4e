"""The functions that guards call; role events are added to only; people are not deleted."""

from django.db import migrations

from casino.append_only import AppendOnly, NoDelete, SharedFunctions, Stamped


class Migration(migrations.Migration):
    dependencies = [("casino", "0001_initial")]

    operations = [
        SharedFunctions(),
        AppendOnly("casino_roleevent"),
        Stamped("casino_roleevent"),
        NoDelete("casino_user"),
        NoDelete("casino_job"),
    ]
