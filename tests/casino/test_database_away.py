"""The database is away: no connection left, a session ended in the middle. 503 with Retry-After, nothing half done, the same slip again is one."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.test import Client
from rest_framework.test import APIClient

from ledger.models import Entry
from tables.models import Round
from tests.builders import House, slip

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture(autouse=True)
def _tonight(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)


def connections_allowed(how_many: int) -> None:
    """Have this test's database take so many connections; -1 is as many as the server does."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {connection.settings_dict['NAME']} CONNECTION LIMIT {how_many}")


@pytest.fixture
def few() -> Iterator[None]:
    """Leave the connections that are open, and none for anybody else; afterwards as many as there are."""
    connection.ensure_connection()
    connections_allowed(0)
    yield
    connections_allowed(-1)


def answers(house: House, slips: list[dict[str, Any]], *, patience: float = 0, threads: int = 16) -> list[Any]:
    """Post each slip in a thread of its own; a client with patience comes again when it was told to."""

    def post(raw: dict[str, Any]) -> Any:
        api, until = APIClient(), time.monotonic() + patience
        api.force_authenticate(house.people["PB-1"])
        while True:
            try:
                answer = api.post("/api/v1/rounds", raw, format="json")
            finally:
                connections.close_all()
            if answer.status_code != 503 or time.monotonic() > until:
                return answer
            time.sleep(float(answer["Retry-After"]) / 10)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(post, slips))


def test_without_a_connection_it_is_a_503_that_says_when_to_come_again(house: House, few: None) -> None:
    came = answers(house, [slip(house) for _ in range(4)])
    assert [(one.status_code, one["Retry-After"], one.json()["error"]["code"]) for one in came] == [(503, "1", "database_away")] * 4
    assert not Round.objects.exists()


def test_a_page_says_so_too_and_health_is_down(few: None) -> None:
    def look(path: str) -> Any:
        try:
            client = Client(raise_request_exception=False)
            client.cookies["sessionid"] = "somebodys"
            return client.get(path)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        page, health = pool.map(look, ["/admin/", "/healthz"])
    assert (page.status_code, page["Retry-After"]) == (503, "1")
    assert "Try again in a moment" in page.content.decode()
    assert (health.status_code, health.json()["database"]) == (503, "down")


def test_more_clients_than_connections_lose_nothing_and_are_all_served(house: House, few: None) -> None:
    connections_allowed(3)
    slips = [slip(house) for _ in range(16)]
    came = answers(house, slips, patience=60)
    assert Counter(one.status_code for one in came) == {201: 16}
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (16, 16)
    connections_allowed(-1)
    assert Counter(one.status_code for one in answers(house, slips)) == {200: 16}


def test_a_connection_that_is_lost_in_the_middle_loses_nothing_and_keeps_nothing_half(house: House) -> None:
    """A lock stops the round after it was settled; its session is ended there, as by a restart; the same slip again is recorded, once."""
    raw, came = slip(house), []
    params = connections["owner"].get_connection_params()
    keys = {key: params[key] for key in ("host", "port", "dbname", "user", "password") if params.get(key)}
    with psycopg.connect(**keys) as blocker:
        blocker.execute("LOCK TABLE ledger_transfer IN SHARE MODE")
        thread = threading.Thread(target=lambda: came.extend(answers(house, [raw])))
        thread.start()
        waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'ledger_transfer'::regclass"
        until = time.monotonic() + 30
        while not (found := blocker.execute(waiting).fetchall()):
            assert time.monotonic() < until
            time.sleep(0.02)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", found[0])
        thread.join(30)
    assert (came[0].status_code, came[0]["Retry-After"]) == (503, "1")
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (0, 0)
    assert Counter(one.status_code for one in answers(house, [raw, raw])) == {201: 1, 200: 1}
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (1, 1)
