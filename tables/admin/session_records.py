"""What is recorded of a session, as the lists in which it stands: from a figure down to rounds and entries."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from casino.models import User
from tables.models import TableSession

LISTS: tuple[tuple[Promise, str, str], ...] = (
    (_("Rounds"), "tables_round", "tables.view_round"),
    (_("Tray counts"), "tables_traycount", "tables.view_traycount"),
    (_("Drop counts"), "tables_dropcount", "tables.view_dropcount"),
    (_("Chip movements"), "tables_chipmovement", "tables.view_chipmovement"),
    (_("Entries"), "ledger_entry", "ledger.view_entry"),
)
"""Words, list, and the right to look at it."""


def recorded_of(session: TableSession, user: User) -> list[tuple[Promise, str]]:
    """Return the words and address of each list of this session's that `user` may open."""
    narrowed = urlencode({"shift": session.shift_id, "table": session.table.code})
    return [(words, f"{reverse(f'admin:{name}_changelist')}?{narrowed}") for words, name, right in LISTS if user.has_perm(right)]
