"""A service's transaction: retried whole where the database asks for it, bounded, with jitter."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils.translation import gettext

from casino.errors import Unavailable

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")

MOST_TRIES = 6
CHECK_NOW = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
"""Has the database check what it would check at the commit, and wait for the commit again with what comes after."""
_RETRY = {"40001", "40P01", "55P03"}
"""serialization_failure, deadlock_detected, lock_not_available."""


def in_transaction(service: Callable[P, R]) -> Callable[P, R]:
    """Return `service` run in one transaction; deadlocks and serialization failures run it again from the start.

    Inside another transaction it runs once, as part of it: only the outermost can be retried whole. Raises Unavailable when the tries
    are used up: what was asked is not lost by being called something else. Source: spec/books.md, "Posting".
    """

    @wraps(service)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if connection.in_atomic_block:
            return service(*args, **kwargs)
        for tried in range(MOST_TRIES):
            try:
                with transaction.atomic():
                    return service(*args, **kwargs)
            except OperationalError as error:
                if _sqlstate(error) not in _RETRY:
                    raise
                time.sleep(random.uniform(0, 0.01 * 2**tried))  # noqa: S311 - jitter, not a secret
        raise Unavailable("busy", gettext("The books are busy. Nothing was written; try again."))

    return run


def _sqlstate(error: Exception) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)


def away(error: BaseException | None) -> Unavailable | None:
    """Return what a door says of a database that is gone, full, or has no connection left; None where `error` is something else.

    Whether what was under way was still kept, nobody knows where the connection broke at the commit: so the words are to send it again,
    and the reference makes it one.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    log.error("the database is away: %s", str(error).partition("\n")[0])
    return Unavailable("database_away", gettext("The books cannot be reached at the moment. Send the same again: it is kept once."))


def without_partition(error: Exception) -> Unavailable | None:
    """Return what a door says where the month of a gaming day has no partition; None where `error` is something else.

    Partitions are made ahead, by a job and never inside a posting: it waits for open postings, and they for it.
    """
    if "no partition of relation" not in str(error):
        return None
    return Unavailable("no_partition", gettext("This month's books are not opened yet."))


def wait_turn(name: str) -> None:
    """Wait until nobody else is at what `name` says, and hold it until the transaction ends: an advisory lock, never session-level."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def broken_constraint(error: Exception) -> str:
    """Return the name of the constraint or guard that an IntegrityError met, "" where it names none."""
    diag = getattr(error.__cause__, "diag", None)
    return (diag.constraint_name if diag is not None else None) or ""
