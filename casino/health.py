"""Whether the house can work: asked by load balancers and people, answered in a second or two."""

from __future__ import annotations

import redis
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.errors import Unavailable
from casino.jobs import broker_client
from ledger.published import require_current


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 where database and broker answer, else 503; says no more than which does not.

    `books` is "behind" while a published checkpoint is ahead of the database: a monitor's alarm. The web goes on serving, so that
    somebody can acknowledge it.
    """
    answers = {"database": _database(), "broker": _broker()}
    words = {name: "ok" if well else "down" for name, well in answers.items()}
    return JsonResponse({**words, "books": _books()}, status=200 if all(answers.values()) else 503)


def _books() -> str:
    try:
        require_current()
    except Unavailable:
        return "behind"
    except DatabaseError:
        return "down"
    return "ok"


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except DatabaseError:
        return False


def _broker() -> bool:
    try:
        return bool(broker_client().ping())
    except redis.RedisError:
        return False
