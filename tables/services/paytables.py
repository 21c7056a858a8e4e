"""The life of a paytable: drafted, proposed by one person, approved by another, and then a version that never changes.

One door to its verbs, which live in `paytable_reading`, `edge_limits`, `paytable_drafts`, `paytable_approvals` and `placements`.
"""

from __future__ import annotations

from tables.services.edge_limits import Look, limits_of, look_at, set_edge_limits
from tables.services.paytable_approvals import approve, propose, publish_paytable, refuse, withdraw
from tables.services.paytable_drafts import draft_paytable, import_paytable
from tables.services.paytable_reading import export_paytable, paytable_of, read_paytable, sheet_of, state_of, version_named
from tables.services.placements import put_in_force

__all__ = [
    "Look",
    "approve",
    "draft_paytable",
    "export_paytable",
    "import_paytable",
    "limits_of",
    "look_at",
    "paytable_of",
    "propose",
    "publish_paytable",
    "put_in_force",
    "read_paytable",
    "refuse",
    "set_edge_limits",
    "sheet_of",
    "state_of",
    "version_named",
    "withdraw",
]
