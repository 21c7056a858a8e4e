"""Through the doors: rounds posted to the API at a steady pace, and pages of the admin over millions of wagers: `python -m bench doors`.

Server time: requests are handled in this process, with all middleware and without a socket. Works on a database of its own.
"""

from __future__ import annotations

import statistics
import time
from typing import Any
from uuid import uuid4

import numpy as np

from bench.earlier import add_nights
from bench.lines import Line, most
from bench.night import round_slip
from bench.pace import pace
from bench.scratch import database

A_SECOND = 50
"""Rounds that are posted."""
GOAL_ROUND, GOAL_DUE, GOAL_PAGE = 50, 100, 300
"""Milliseconds."""
SIX_SEATS = ("As Ad", "4c 3c", "8h 8d", "Tc 9h", "5s 5d", "Ah Ks")


def measure(*, posted: int = 1_000, asked: int = 300, nights: int = 400) -> list[Line]:
    """Return the lines of `posted` rounds through the API, of what is due on one as it is typed, and of every page with `nights` nights of them."""
    with database():
        from tests import builders

        house = builders.make_house("BENCH", {"UTH-01": ("uth", "P1")}, staff=builders.make_people())
        return [_post(house, posted), *_due(house, asked), *_pages(house, nights)]


def _post(house: Any, count: int) -> Line:
    """Post rounds, each at its own moment of a steady pace: one that is late makes the next one wait, and that counts too.

    On a slower machine they come slower by as much, since a queue grows otherwise than the time that one takes.
    """
    from rest_framework.test import APIClient

    from casino import wsgi

    assert wsgi.application  # its module is what a server begins with
    client = APIClient(SERVER_NAME="localhost")
    client.force_authenticate(house.people["PB-1"])
    slips = [round_slip(house, "UTH-01", seed=number) for number in range(count + 10)]
    taken, begun, a_second = [], 0.0, A_SECOND / (pace() or 1)
    for number, slip in enumerate(slips, start=-10):
        if number <= 0:
            begun = time.perf_counter()
        due = begun + max(0, number) / a_second
        time.sleep(max(0.0, due - time.perf_counter()))
        answer = client.post("/api/v1/rounds", slip, format="json")
        if answer.status_code != 201:
            raise SystemExit(f"the API answers {answer.status_code}: {answer.content[:300]!r}")
        if number >= 0:
            taken.append((time.perf_counter() - due) * 1e3)
    p99 = float(np.percentile(taken, 99))
    return most(f"a round through the API, {A_SECOND} a second there, {a_second:.0f} here, p99", p99, "ms", GOAL_ROUND, f"under {GOAL_ROUND} ms")


def _due(house: Any, count: int) -> list[Line]:
    """Ask what is due on a round of six seats, trips among them, as the console does after a key."""
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(house.people["PB-1"])
    typed = {"table": "UTH-01", "uuid": str(uuid4()), "who_dealt": "D-1187", "r_community": "2h 9s 9d Jc Qh", "r_dealer": "Kc 7d", "exact": "on"}
    typed["occurred_at"] = house.clock.replace(tzinfo=None).isoformat()
    for seat, cards in enumerate(SIX_SEATS, start=1):
        typed |= {f"s{seat}_cards": cards, f"s{seat}_ante": "10", f"s{seat}_trips": "5", f"s{seat}_play": "4x"}
    taken = []
    for number in range(count + 10):
        begun = time.perf_counter()
        answer = client.post("/admin/tables/round/preview/", typed)
        if answer.status_code != 200 or not answer.json()["settled"]:
            raise SystemExit(f"the console is told {answer.status_code}: {answer.content[:300]!r}")
        if number >= 10:
            taken.append((time.perf_counter() - begun) * 1e3)
    p99 = float(np.percentile(taken, 99))
    return [
        most("due while typing, six seats, p99", p99, "ms", GOAL_DUE, f"under {GOAL_DUE} ms"),
        Line("  the median of them", statistics.median(taken), "ms"),
    ]


def _pages(house: Any, nights: int) -> list[Line]:
    """Open every list of the admin, a round, the shift and the board, each as its usual reader, and return the slowest."""
    from django.db import connection, connections
    from django.test import Client

    from tables.models import Round

    like = Round.objects.select_related("session__shift", "session__table").order_by("-pk")[0]
    add_nights(like.session, nights)
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tables_wager")
        wagers = cursor.fetchone()[0]
    client = Client(SERVER_NAME="localhost")
    client.force_login(house.people["AU-1"])
    found: list[tuple[float, str]] = []
    for address in _addresses(house, like):
        if client.get(address).status_code != 200:
            continue
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            client.get(address)
            times.append((time.perf_counter() - begun) * 1e3)
        found.append((statistics.median(times), address))
    if not found:
        raise SystemExit("no page of the admin opened")
    found.sort(reverse=True)
    slowest, middle = found[0], statistics.median([taken for taken, _ in found])
    return [
        most(f"slowest page of {len(found)}, {wagers:,} wagers", slowest[0], "ms", GOAL_PAGE, f"under {GOAL_PAGE} ms"),
        Line(f"  which is {slowest[1]}", slowest[0], "ms"),
        *[Line(f"  then {address}", taken, "ms") for taken, address in found[1:4]],
        Line("the median page", middle, "ms"),
    ]


def _addresses(house: Any, like: Any) -> list[str]:
    from django.contrib import admin
    from django.urls import NoReverseMatch, reverse

    from audit.reports.catalogue import catalogue

    lists = [f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist" for model in admin.site._registry]
    found = []
    for name in ("admin:index", *lists):
        try:
            found.append(reverse(name))
        except NoReverseMatch:
            continue
    found += [
        reverse("admin:tables_round_change", args=[like.pk]),
        reverse("admin:tables_shift_change", args=[house.shift.pk]),
        f"{reverse('admin:tables_round_changelist')}?q={like.number}",
        "/admin/search/?q=B-77",
    ]
    return found + [reverse("report-page", args=[key]) for key in catalogue()]
