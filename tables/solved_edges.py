"""The edges of a paytable as far as the house knows them: at once, or from a full solve that was kept."""

from __future__ import annotations

from functools import lru_cache

from tables.edge_record import from_kept
from tables.engine.edge import Edges, edges
from tables.engine.paytable import Paytable
from tables.models import PaytableSolve

_at_once = lru_cache(maxsize=256)(edges)


def known_edges(paytable: Paytable) -> Edges:
    """Return the exact edges of `paytable`; `unsolved` names what only a solve can tell that nobody has finished. One query at most."""
    found = _at_once(paytable)
    if not found.unsolved:
        return found
    kept = PaytableSolve.objects.filter(sha256=paytable.sha256, edges__isnull=False).values_list("edges", flat=True).first()
    return found if kept is None else from_kept(paytable, kept)
