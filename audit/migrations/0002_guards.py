"""Findings, their events, reconciliations and reports are added to only."""

from django.db import migrations

from casino.append_only import AppendOnly, Stamped

TABLES = ("audit_finding", "audit_findingevent", "audit_shiftreconciliation", "audit_sessionreconciliation", "audit_reportfile")


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("casino", "0002_guards")]

    operations = [*[AppendOnly(table) for table in TABLES], *[Stamped(table) for table in TABLES]]
