"""The alarm at start: `manage.py check`, the web and every worker say when a published checkpoint is ahead of the books, or was lost."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Info, Warning
from django.db import DatabaseError, connection

from ledger import published, seal_key

log = logging.getLogger(__name__)


def books_are_current(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Return what is to be said of checkpoints and key; nothing where the database does not answer, which others say.

    A warning and no error: an error would keep the web from starting, where somebody acknowledges it. Posting is refused anyway.
    """
    told: list[CheckMessage] = []
    if _may_have_books() and (raised := _alarm()) is not None:
        what, number = ("posted", 1) if raised.stops_posting else ("sealed", 2)
        hint = f"manage.py acknowledge_checkpoint --by STAFF --reason TEXT, or the page Sealed shifts. Nothing is {what} until then."
        told.append(Warning(raised.message, hint=hint, id=f"ledger.W00{number}"))
    if seal_key.is_readable():
        hint = "Let the sealing worker run as a user (or in a container) of its own that alone can read PITBOOK_SEAL_KEY."
        told.append(Info("The key that signs checkpoints can be read by this process.", hint=hint, id="ledger.I001"))
    if published.is_beside_the_books() and settings.CHECKPOINTS.exists():
        hint = "Set PITBOOK_CHECKPOINTS to a file on another machine, which the sealing worker alone writes and the web reads."
        told.append(Info("The file of published checkpoints lies on this machine, with the books.", hint=hint, id="ledger.I002"))
    return told


def tell_alarm(who: str) -> None:
    """Log the alarm, as `who` starts."""
    if (raised := _alarm()) is not None:
        log.critical("%s starts, and refuses to %s: %s", who, "post" if raised.stops_posting else "seal", raised.message)


def worker_starts(**_: Any) -> None:
    """Log the alarm where a worker starts."""
    tell_alarm("a worker")


def _may_have_books() -> bool:
    """Return whether there may be books to ask: an embedded database that was never started has none, and a check starts none."""
    return not settings.EMBEDDED or (settings.STATE / "ready.json").exists() or settings.CHECKPOINTS.exists()


def _alarm() -> published.Alarm | None:
    try:
        return published.alarm()
    except DatabaseError:
        return None
    finally:
        if not connection.in_atomic_block:
            connection.close()
