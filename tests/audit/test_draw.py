"""The committed draw: a hash before the shift, the seed after it, the same things for everybody; and what the risk list weighs."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import date, time, timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from audit.draw import WEIGHTS, Traits, draw, population_hash, risk_of, riskiest, seed_hash
from audit.draws import commit_seed, commit_seeds, keep_outcome, open_seed, population, reveal, risky_rounds, verify
from audit.models import Draw, DrawCommitment, DrawnItem, DrawOutcome
from casino.errors import BrokenBooks, Conflict, InvalidSlip, Refused
from casino.gaming_day import local_moment
from tables.services import floor
from tests.audit.test_payout_audit import LOSING_FLUSH
from tests.builders import ZONE, House, end_night, open_table, play

SHIFT = UUID(int=5)
SEED = bytes(range(32))
FAR = date(2099, 3, 14)
"""A gaming day that has not come: the database's clock is before its shifts."""


# ---- pure ----


def test_a_draw_can_be_done_with_nothing_but_the_standard_library() -> None:
    things = [UUID(int=number) for number in range(100)]
    by_hand = sorted((hmac.new(SEED, SHIFT.bytes + thing.bytes, hashlib.sha256).hexdigest(), thing) for thing in things)[:7]
    assert [(one.score, one.thing) for one in draw(SEED, SHIFT, things, 7)] == by_hand


@given(st.sets(st.integers(0, 2**128 - 1), max_size=40), st.integers(0, 50))
def test_order_and_repetition_change_nothing(numbers: set[int], n: int) -> None:
    things = [UUID(int=number) for number in numbers]
    drawn = draw(SEED, SHIFT, things, n)
    assert drawn == draw(SEED, SHIFT, [*reversed(things), *things], n)
    assert len(drawn) == min(n, len(things))
    assert [one.place for one in drawn] == list(range(1, len(drawn) + 1))


def test_everything_is_drawn_as_often_as_everything_else() -> None:
    """A thousand seeds, ten of fifty things each: 200 times each, as far off as chance allows (chi-square, 49 degrees, 99.9 %)."""
    things = [UUID(int=number) for number in range(50)]
    counts = dict.fromkeys(things, 0)
    for seed in range(1000):
        for one in draw(hashlib.sha256(seed.to_bytes(4)).digest(), SHIFT, things, 10):
            counts[one.thing] += 1
    assert sum((count - 200) ** 2 / (200 * 0.8) for count in counts.values()) < 86


def traits(thing: int = 1, **changes: object) -> Traits:
    plain = {"best_paid": 1, "irregular": False, "mispaid": False, "rows": frozenset(), "dealer_rounds": 5000, "largest_stake": 100}
    return Traits(**{"thing": UUID(int=thing), "usual_stake": 100, "rounded": False, **plain, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({}, []),
        ({"best_paid": 50}, ["paid_50"]),
        ({"best_paid": 49}, ["paid_10"]),
        ({"best_paid": 9}, []),
        ({"irregular": True, "mispaid": True}, ["irregular", "mispaid"]),
        ({"rows": frozenset({"four_of_a_kind"})}, ["rare_hand"]),
        ({"dealer_rounds": 999}, ["new_dealer"]),
        ({"largest_stake": 10_000}, ["big_stake"]),
        ({"largest_stake": 9_999, "rounded": True}, ["odd_rounding"]),
    ],
)
def test_each_reason_has_its_stated_weight(changes: dict, reasons: list[str]) -> None:
    found = risk_of(traits(**changes))
    assert found.reasons == reasons
    assert found.weight == sum(WEIGHTS[code][0] for code in reasons)


def test_the_riskiest_come_first_and_a_plain_round_not_at_all() -> None:
    every = [traits(1), traits(2, rounded=True), traits(4, best_paid=500), traits(3, best_paid=500)]
    assert [risk.thing.int for risk in riskiest(every, 9)] == [3, 4, 2]
    assert len(riskiest(every, 1)) == 1


# ---- kept ----


@pytest.fixture
def far(house: House) -> House:
    """The house on a day to come: seeds committed, the swing shift open, all tables open."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pitbook_make_partitions(%s)", [FAR])
    before = local_moment(FAR, time(12), ZONE, time(6)) - timedelta(days=1)
    commit_seeds(house.property, at=before)
    end_night(house)
    opened = local_moment(FAR, time(20), ZONE, time(6))
    house.shift = floor.open_shift(house.property, FAR, "swing", starts=time(20), ends=time(4), at=opened, by=house.people["SM-1"])
    house.clock = opened
    house.sessions = {code: open_table(house.shift, table, house.people) for code, table in house.tables.items()}
    return house


@pytest.mark.django_db
def test_seeds_are_committed_days_before_and_once(house: House) -> None:
    made = commit_seeds(house.property, at=house.clock)
    assert sorted({(one.gaming_day.day, one.kind) for one in made}) == [(day, kind) for day in (15, 16) for kind in ("day", "grave", "swing")]
    assert commit_seeds(house.property, at=house.clock) == []
    assert len(commit_seeds(house.property, at=house.clock + timedelta(days=1))) == 3
    assert len({one.seed_sha256 for one in DrawCommitment.objects.all()}) == 9


@pytest.mark.django_db
def test_the_seed_is_sealed_and_is_what_was_committed(house: House) -> None:
    made = commit_seed(house.property, FAR, "day")
    seed = open_seed(made)
    assert (len(seed), seed_hash(seed)) == (32, made.seed_sha256)
    assert seed not in bytes(made.sealed_seed)


@pytest.mark.django_db
def test_another_secret_opens_no_seed(house: House, settings: object) -> None:
    made = commit_seed(house.property, FAR, "day")
    settings.SECRET_KEY = "another secret of the house"  # type: ignore[attr-defined]
    with pytest.raises(BrokenBooks):
        open_seed(made)


@pytest.mark.django_db
def test_a_shift_is_drawn_from_after_its_end(far: House) -> None:
    played = [play(far) for _ in range(24)]
    with pytest.raises(Conflict) as error:
        reveal(far.shift, by=far.people["AU-1"])
    assert error.value.code == "shift_open"
    end_night(far, seal="S-2")
    kept = reveal(far.shift, by=far.people["AU-1"])
    assert reveal(far.shift) == kept
    assert (kept.rounds, kept.sessions, kept.items.count(), verify(kept)) == (24, 3, 22, [])
    chosen = draw(bytes(kept.seed), far.shift.uuid, [one.uuid for one in played], 20)
    assert [item.round.uuid for item in kept.items.filter(round__isnull=False)] == [one.thing for one in chosen]
    rounds, sessions = population(far.shift)
    assert kept.population_sha256 == population_hash([*rounds, *sessions])


@pytest.mark.django_db
def test_the_command_draws_the_same(far: House) -> None:
    play(far)
    end_night(far, seal="S-2")
    with pytest.raises(CommandError, match="not revealed"):
        call_command("draw_sample", str(far.shift.uuid))
    kept = reveal(far.shift)
    out = StringIO()
    call_command("draw_sample", str(far.shift.uuid), stdout=out)
    answer = json.loads(out.getvalue())
    assert (answer["seed"], answer["seed_sha256"], answer["wrong"]) == (bytes(kept.seed).hex(), kept.commitment.seed_sha256, [])
    assert [one["uuid"] for one in answer["rounds"]] == [str(item.round.uuid) for item in kept.items.filter(round__isnull=False)]
    for seed in ("zz", "00"):
        with pytest.raises(CommandError, match="64 hex digits"):
            call_command("draw_sample", str(far.shift.uuid), seed=seed)


@pytest.mark.django_db
def test_what_was_slipped_in_is_seen(far: House) -> None:
    played = [play(far) for _ in range(24)]
    end_night(far, seal="S-2")
    kept = reveal(far.shift)
    left_out = next(one for one in played if not kept.items.filter(round=one).exists())
    DrawnItem.objects.create(draw=kept, place=21, round=left_out, score="0" * 64)
    assert verify(kept) == ["The rounds that are kept are not those that the seed draws."]


@pytest.mark.django_db
def test_a_seed_that_came_after_the_beginning_draws_nothing(house: House) -> None:
    """The standing night lies in the past: whatever is committed now came too late, says the service, and the database."""
    made = commit_seed(house.property, house.shift.gaming_day, "swing")
    end_night(house)
    with pytest.raises(Conflict) as error:
        reveal(house.shift, by=house.people["AU-1"])
    assert error.value.code == "not_committed"
    with pytest.raises(IntegrityError, match="before the shift began"), transaction.atomic():
        Draw.objects.create(commitment=made, shift=house.shift, seed=open_seed(made), rounds=0, sessions=0, population_sha256="")


@pytest.mark.django_db
def test_the_database_takes_no_other_seed_and_none_too_early(far: House) -> None:
    made = DrawCommitment.objects.get(gaming_day=FAR, kind="swing")
    with pytest.raises(IntegrityError, match="before the shift began"), transaction.atomic():
        Draw.objects.create(commitment=made, shift=far.shift, seed=b"x" * 32, rounds=0, sessions=0, population_sha256="")
    with pytest.raises(IntegrityError, match="has ended"), transaction.atomic():
        Draw.objects.create(commitment=made, shift=far.shift, seed=open_seed(made), rounds=0, sessions=0, population_sha256="")


@pytest.mark.django_db
def test_outcomes_are_kept_by_who_looks(far: House) -> None:
    play(far)
    end_night(far, seal="S-2")
    item = reveal(far.shift).items.filter(round__isnull=False).get()
    keep_outcome(item, "as_recorded", by=far.people["SV-1"], camera="C-14")
    keep_outcome(item, "differs", by=far.people["AU-1"], note="Seat 1 had a queen.")
    assert [one.outcome for one in item.outcomes.all()] == ["as_recorded", "differs"]
    for outcome, note, where in (("seen", "", "outcome"), ("differs", " ", "note"), ("no_video", "", "note"), ("as_recorded", "x" * 1001, "note")):
        with pytest.raises(InvalidSlip) as error:
            keep_outcome(item, outcome, by=far.people["SV-1"], note=note)
        assert error.value.where == where
    with pytest.raises(Refused):
        keep_outcome(item, "as_recorded", by=far.people["PB-1"])
    assert DrawOutcome.objects.count() == 2


@pytest.mark.django_db
def test_the_risk_list_of_a_night(house: House) -> None:
    play(house)
    odd = {**LOSING_FLUSH, "dealer": ["Ks", "8d"], "seats": [{**LOSING_FLUSH["seats"][0], "ante": 501, "blind": 501, "play": 501}]}
    rounded = play(house, facts=odd)
    [first, *_] = risky_rounds(house.shift)
    assert (first[0], first[1].reasons) == (rounded, ["new_dealer", "odd_rounding"])


@pytest.mark.django_db
def test_the_page_keeps_an_outcome_and_says_what_is_wrong_at_its_field(far: House, client: Client) -> None:
    play(far)
    end_night(far, seal="S-2")
    item = reveal(far.shift).items.filter(round__isnull=False).get()
    at = reverse("admin:tables_shift_draw", args=[far.shift.pk])
    client.force_login(far.people["SV-1"])
    wrong = client.post(at, {"item": item.pk, "outcome": "differs"})
    assert (wrong.status_code, DrawOutcome.objects.count()) == (400, 0)
    assert "Say what differs" in wrong.content.decode()
    assert client.post(at, {"item": item.pk, "outcome": "differs", "note": "A queen."}).status_code == 302
    assert "A queen." in client.get(at).content.decode()
    assert client.post(at, {"item": 0, "outcome": "differs", "note": "x"}).status_code == 404


@pytest.mark.django_db
def test_an_auditor_reveals_the_seed_on_the_page_once_the_shift_has_ended(far: House, client: Client) -> None:
    play(far)
    at = reverse("admin:tables_shift_draw", args=[far.shift.pk])
    client.force_login(far.people["AU-1"])
    assert "Reveal the seed" not in client.get(at).content.decode()
    assert (client.post(at, {"reveal": "1"}).status_code, Draw.objects.count()) == (409, 0)
    end_night(far, seal="S-2")
    client.force_login(far.people["SV-1"])
    assert "Reveal the seed" not in client.get(at).content.decode()
    assert (client.post(at, {"reveal": "1"}).status_code, Draw.objects.count()) == (403, 0)
    client.force_login(far.people["AU-1"])
    assert "Reveal the seed" in client.get(at).content.decode()
    assert client.post(at, {"reveal": "1"}).status_code == 302
    kept = Draw.objects.get()
    assert (kept.by, bytes(kept.seed).hex() in client.get(at).content.decode()) == (far.people["AU-1"], True)


@pytest.mark.django_db
def test_machines_reveal_and_keep_outcomes_too(far: House, client: Client) -> None:
    played = play(far)
    end_night(far, seal="S-2")
    base = f"/api/v1/shifts/{far.shift.uuid}/draw"
    client.force_login(far.people["AU-1"])
    first, again = (client.post(f"{base}/reveal", {}, content_type="application/json") for _ in range(2))
    assert (first.status_code, first.json()["seed"], first.json()["wrong"]) == (200, again.json()["seed"], [])
    assert [item["round"] for item in first.json()["items"] if item["round"]] == [str(played.uuid)]
    client.force_login(far.people["SV-1"])
    said = {"of": "round", "place": 1, "outcome": "differs", "note": "Seat 1 had a queen.", "camera": "C-14"}
    kept = client.post(f"{base}/outcomes", said, content_type="application/json")
    [item] = [one for one in kept.json()["items"] if one["round"]]
    assert (kept.status_code, [one["outcome"] for one in item["outcomes"]], DrawOutcome.objects.count()) == (201, ["differs"], 1)
    for field, wrong, where in (("outcome", "seen", "outcome"), ("note", "", "note"), ("place", "1", "place"), ("place", 99, "place")):
        refused = client.post(f"{base}/outcomes", {**said, field: wrong}, content_type="application/json")
        assert (refused.status_code in (400, 404), refused.json()["error"]["where"]) == (True, where)
