"""One round handed in many times at the same instant, through the API, in real threads: one entry, one 201, never a 500 (B049, B144)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from ledger.models import Entry
from tables.models import Round, RoundProposal, Wager
from tests.builders import House, slip
from tests.corrections import deal
from tests.ledger.test_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 32


@pytest.fixture
def post(house: House, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[int, dict[str, Any]]]]:
    """Return a function that posts each body at the same instant and returns status and answer of each."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)

    def all_together(bodies: list[dict[str, Any]], to: str = "/api/v1/rounds", by: str = "PB-1") -> list[Any]:
        ready = Barrier(len(bodies))

        def one(number: int) -> object:
            api = APIClient()
            api.force_authenticate(house.people[by])
            ready.wait(30)
            answer = api.post(to, bodies[number], format="json")
            return answer.status_code, answer.json()

        return at_once(one, len(bodies), threads=len(bodies))

    return all_together


def test_thirty_two_settlements_of_one_round_at_once_are_one_entry_and_one_answer(house: House, post: Callable) -> None:
    """B144: only one of them made it, and only that one says so."""
    raw = slip(house)
    came = post([raw] * MANY)
    assert Counter(status for status, _ in came) == {201: 1, 200: MANY - 1}
    assert all(answer == came[0][1] for _, answer in came)
    assert (Round.objects.count(), Wager.objects.count()) == (1, 6)
    assert Entry.objects.filter(reference=f"round:{raw['uuid']}").count() == Entry.objects.filter(kind="round").count() == 1


def test_other_amounts_under_the_same_key_at_once_leave_one_of_them_and_conflicts(house: House, post: Callable) -> None:
    """B049: the third time with another amount; here all at once, half of them with another payment."""
    raw = slip(house)
    other = {**raw, "done": {"1": {"ante": {"paid": 1_100}}}}
    came = post([raw, other] * (MANY // 2))
    assert Counter(status for status, _ in came) == {201: 1, 200: MANY // 2 - 1, 409: MANY // 2}
    assert {answer["error"]["code"] for status, answer in came if status == 409} == {"reference_reused"}
    [kept] = {answer["payout_variance"] for status, answer in came if status != 409}
    assert Round.objects.get().payout_variance == kept
    assert Entry.objects.filter(kind="round").count() == 1


def test_one_number_of_a_session_for_many_rounds_at_once_is_given_once(house: House, post: Callable) -> None:
    """B144: two with one session and number."""
    came = post([slip(house, number=7) for _ in range(8)])
    assert Counter(status for status, _ in came) == {201: 1, 409: 7}
    assert {answer["error"]["code"] for status, answer in came if status == 409} == {"number_taken"}
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (1, 1)


def test_the_same_proposal_at_once_is_one_and_one_answer_says_that_it_made_it(house: House, post: Callable) -> None:
    played = deal(house)
    body = {"uuid": str(uuid4()), "reason": "misdeal", "chips_returned": True}
    came = post([body] * 8, to=f"/api/v1/rounds/{played.uuid}/void", by="FS-2")
    assert Counter(status for status, _ in came) == {201: 1, 200: 7}, came
    assert RoundProposal.objects.count() == 1
