"""Whether the house can work: asked by load balancers and people, answered in a second or two."""

from __future__ import annotations

import redis
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.jobs import broker_client


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 where database and broker answer, else 503; says no more than which does not."""
    answers = {"database": _database(), "broker": _broker()}
    return JsonResponse({name: "ok" if well else "down" for name, well in answers.items()}, status=200 if all(answers.values()) else 503)


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
