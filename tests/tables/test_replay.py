"""Rounds settled again under another version or rule: the difference, and nothing written; old rounds keep their version for ever."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

import tables.tasks  # noqa: F401 - the handlers of jobs
from audit.exports import render
from audit.reports import shift as shift_report
from audit.services import audit_payouts, reconcile_shift
from casino import jobs
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import Job
from ledger.models import Entry, Transfer
from ledger.selectors import entries_of_round
from ledger.services import reverse_entry
from tables.engine.game import games
from tables.models import PaytableVersion, Round, Wager
from tables.paytable_files import published
from tables.replay import KeptDue, KeptRound, replay, with_rules
from tables.services import paytables, placements
from tables.services.replay import ask_month, ask_replay, replay_shift, stakes_by_bet
from tests.builders import DAY, House, end_night, play

pytestmark = pytest.mark.django_db
SEED = published()["uth-seed@1"]
FLUSH = {
    "community": ["2h", "7h", "9h", "Kd", "4c"],
    "dealer": ["Ks", "8d"],
    "seats": [{"seat": 1, "cards": ["Ah", "3h"], "ante": 1000, "blind": 1000, "trips": 500, "play": 4000, "street": "preflop"}],
}
"""B036: a flush wins; the seed's blind pays 3:2, its trips 6:1."""


def with_flush(odds: str, name: str = "house", number: int = 2) -> dict[str, Any]:
    content = json.loads(SEED.canonical)
    content["odds"]["blind"]["flush"] = odds
    return {**content, "name": name, "version": number}


def publish(house: House, raw: dict[str, Any]) -> PaytableVersion:
    return paytables.publish_paytable(raw, proposed_by=house.people["GM-1"], approved_by=house.people["AU-1"], approval="GC-2")


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Round, Wager, Entry, Transfer))


def result(job: Job) -> dict[str, Any]:
    assert jobs.run(job.pk), Job.objects.get(pk=job.pk).error
    found: dict[str, Any] = Job.objects.get(pk=job.pk).result
    return found


# ---- pure ----


def kept(facts: dict[str, Any], paytable: Any = SEED, **more: Any) -> KeptRound:
    game = games()[paytable.game]
    facts = {"game": paytable.game, "id": "r", **facts}
    dues = game.settle(game.read(facts, paytable), paytable).dues
    return KeptRound("r", "T-1", facts, paytable, [KeptDue(d.seat, d.kind, d.stake, d.collect, d.pay) for d in dues], **more)


def test_under_its_own_version_the_difference_is_zero() -> None:
    found = replay([kept(FLUSH)], lambda own: own)
    assert (found.rounds, found.changed, found.total.difference) == (1, 0, 0)
    assert found.bets["T-1", "blind"].as_json() == {"wagers": 1, "stake": 1000, "kept_win": -1500, "replayed_win": -1500, "difference": 0}


def test_a_flush_at_even_money_is_worth_five_hundred() -> None:
    other = games()["uth"].read_paytable(with_flush("1:1"))
    found = replay([kept(FLUSH)], lambda own: other).as_json()
    assert [bet for bet in found["bets"] if bet["difference"]] == [
        {"table": "T-1", "bet": "blind", "wagers": 1, "stake": 1000, "kept_win": -1500, "replayed_win": -1000, "difference": 500}
    ]
    assert (found["changed"], found["tables"][0]["difference"], found["total"]["difference"]) == (1, 500, 500)


def test_what_the_other_version_does_not_settle_is_in_neither_sum() -> None:
    other = with_rules(SEED, {"play_multiples": {"preflop": [3], "flop": [2], "river": [1]}})
    found = replay([kept(FLUSH), kept({**FLUSH, "seats": [{**FLUSH["seats"][0], "play": 3000}]})], lambda own: other)
    assert (found.rounds, found.cannot_count, found.total.difference) == (1, 1, 0)
    [(uuid, fault)] = found.cannot
    assert (uuid, fault.code, fault.where) == ("r", "bad_play_multiple", "seats[0].play")


def test_irregular_rounds_and_other_games_are_left_out() -> None:
    found = replay([kept(FLUSH, irregular=True), kept(FLUSH)], lambda own: None)
    assert (found.rounds, found.irregular, found.left_out, found.bets) == (0, 1, 1, {})


# ---- a shift ----


def test_a_shift_is_replayed_as_a_job_and_the_ledger_is_untouched(house: House) -> None:
    play(house, facts=FLUSH)
    play(house, "UTH-02")
    play(house, "PAY-01")
    end_night(house)
    before, people = counts(), house.people
    other = paytables.read_paytable(with_flush("1:1"))
    job = ask_replay(house.shift, by=people["SM-1"], paytable=other)
    assert ask_replay(house.shift, by=people["SM-1"], paytable=other).pk == job.pk
    found = result(job)
    assert found["under"] == {"paytable": "house@2", "sha256": other.sha256}
    assert (found["rounds"], found["left_out"], found["changed"], found["total"]["difference"]) == (2, 1, 1, 500)
    assert {table["table"]: table["difference"] for table in found["tables"]} == {"UTH-01": 500, "UTH-02": 0}
    assert counts() == before
    own = result(ask_replay(house.shift, by=people["AU-1"]))
    assert (own["rounds"], own["changed"], own["total"]["difference"]) == (3, 0, 0)
    assert own["total"]["kept_win"] == sum(played.collect - played.pay for played in Round.objects.all())


def test_a_shift_is_replayed_under_another_rule(house: House) -> None:
    """The seat that lost with a pair of threes: nothing. A folded trips bet is forfeited: the stake."""
    folded = {"seat": 1, "cards": ["Ah", "3h"], "ante": 1000, "blind": 1000, "trips": 500, "folded": True}
    play(house, facts={**FLUSH, "seats": [folded]})
    end_night(house)
    found = result(ask_replay(house.shift, by=house.people["GM-1"], rules={"trips_on_fold": "forfeits"}))
    assert [(bet["bet"], bet["difference"]) for bet in found["bets"]] == [("ante", 0), ("blind", 0), ("trips", 3500)]
    assert found["under"] == {"rules": {"trips_on_fold": "forfeits"}}


def test_a_replay_reads_in_a_known_number_of_queries(house: House, django_assert_num_queries: Any) -> None:
    for _ in range(3):
        play(house)
    with django_assert_num_queries(3):
        replay_shift(house.shift, lambda own: own)


def test_who_may_replay_and_when(house: House) -> None:
    with pytest.raises(Conflict) as error:
        ask_replay(house.shift, by=house.people["SM-1"])
    assert error.value.code == "shift_open"
    for number in ("PB-1", "FS-1", "CG-1", "SV-1", "AD-1"):
        with pytest.raises(Refused):
            ask_replay(house.shift, by=house.people[number])
    assert Job.objects.filter(kind="replay_shift").count() == 0


@pytest.mark.parametrize("rules", [{"trips_on_fold": "maybe"}, {"surrender": True}, {"payout_unit": 0.5}])
def test_a_rule_that_no_version_takes_is_refused_at_once(house: House, rules: dict[str, Any]) -> None:
    play(house)
    end_night(house)
    with pytest.raises(InvalidSlip) as error:
        ask_replay(house.shift, by=house.people["GM-1"], rules=rules)
    assert (error.value.code, error.value.where.partition(".")[0]) == ("bad_paytable", "rules")
    with pytest.raises(InvalidSlip):
        ask_replay(house.shift, by=house.people["GM-1"], rules={}, paytable=SEED)


def test_a_month_is_replayed_and_its_stakes_are_known(house: House) -> None:
    play(house, facts=FLUSH)
    end_night(house)
    other = paytables.read_paytable(with_flush("2:1"))
    found = result(ask_month(house.property, DAY, other, by=house.people["GM-1"]))
    assert (found["rounds"], found["total"]["difference"]) == (1, -500)
    assert result(ask_month(house.property, DAY + timedelta(days=31), other, by=house.people["GM-1"]))["rounds"] == 0
    assert stakes_by_bet(Round.objects.all(), "uth") == {"ante": 1000, "blind": 1000, "play": 4000, "trips": 500}


# ---- B060 ----


def test_a_changed_rate_rewrites_no_old_document(house: House) -> None:
    """B060: settle on v1 (flush 3:2), publish v2 (flush 1:1), reopen, audit again, export again, reverse: all use v1."""
    first = publish(house, with_flush("3:2", number=1))
    table, people = house.tables["UTH-01"], house.people
    placements.put_in_force(table, first, from_at=house.tick(), by=people["GM-1"], approved_by=people["AU-1"])
    old = play(house, facts=FLUSH)
    content, drawn = bytes(first.content), entries_of_round(old.uuid).get()
    end_night(house)
    reconcile_shift(house.shift)
    before = documents(house)
    assert {name: data[:4] for name, data in before.items() if name in ("xlsx", "pdf")} == {"xlsx": b"PK\x03\x04", "pdf": b"%PDF"}

    second = publish(house, with_flush("1:1"))
    placements.put_in_force(table, second, from_at=house.tick(), by=people["GM-1"], approved_by=people["AU-1"])
    reopened = Round.objects.get(pk=old.pk)
    assert (str(reopened.paytable), json.loads(reopened.settlement)["paytable_sha256"]) == ("house@1", first.sha256)
    assert Wager.objects.get(round=old, kind="blind").pay == 1500
    assert audit_payouts(house.shift) == []
    reconcile_shift(house.shift)
    assert documents(house) == before
    assert bytes(PaytableVersion.objects.get(pk=first.pk).content) == content
    assert replay_shift(house.shift, lambda own: own).total.difference == 0
    assert replay_shift(house.shift, lambda own: paytables.paytable_of(second) if own.game == "uth" else None).total.difference == 500
    back = reverse_entry(drawn, occurred_at=house.tick(), reason="B060", by=people["PB-1"], witness=people["SM-1"])
    moved = [[(t.credit_account.code, t.debit_account.code, t.amount) for t in entry.transfers.order_by("line")] for entry in (drawn, back)]
    assert sorted(moved[1]) == sorted((debit, credit, amount) for credit, debit, amount in moved[0])
    assert {(entry.paytable, entry.paytable_sha256) for entry in (drawn, back)} == {("house@1", first.sha256)}


def documents(house: House) -> dict[str, bytes]:
    """Return the shift's report in every form, as bytes."""
    return {form: render(shift_report.build(house.shift), form) for form in ("csv", "xlsx", "pdf", "json")}
