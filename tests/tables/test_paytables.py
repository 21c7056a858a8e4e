"""A paytable's life: typed, looked at, proposed by one person, approved by another, in force from a moment on, and then never changed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from fractions import Fraction
from threading import Event
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

import tables.tasks  # noqa: F401 - the handlers of jobs
from casino import jobs
from casino.errors import Conflict, InvalidSlip, NotFound, Refused, Stale
from casino.models import RoleEvent
from casino.people import grant_role
from tables.engine import edge
from tables.engine.edge_solve import SolveCancelled
from tables.models import (
    EdgeLimit,
    PaytableDraft,
    PaytableEvent,
    PaytablePlacement,
    PaytableProposal,
    PaytableSolve,
    PaytableVersion,
    TablePaytable,
)
from tables.paytable_files import published
from tables.selectors import version_in_force
from tables.services import paytables, placements, solves
from tables.short_code import is_code_of, short_code
from tables.solved_edges import known_edges
from tests.builders import House, play

pytestmark = pytest.mark.django_db
SEED = published()["uth-seed@1"]


def version(**changes: Any) -> dict[str, Any]:
    """The seed under another name; `flush`, `full_house` … change what the blind pays, the rest are rules."""
    content = json.loads(SEED.canonical)
    odds = {row: changes.pop(row) for row in list(changes) if row in content["odds"]["blind"]}
    content["odds"]["blind"] |= odds
    content["rules"] |= changes
    return {**content, "name": "house"}


ODD_RULES = {"play_multiples": {"preflop": [3], "flop": [2], "river": [1]}}
"""The best play is not known at once under these."""


def drafted(house: House, raw: dict[str, Any] | None = None, **more: Any) -> PaytableDraft:
    return paytables.draft_paytable(raw or version(flush="1:1"), by=house.people["GM-1"], **more)


def proposed(house: House, raw: dict[str, Any] | None = None) -> PaytableProposal:
    return paytables.propose(drafted(house, raw), by=house.people["GM-1"], note="a tighter flush")


def approved(house: House, raw: dict[str, Any] | None = None) -> PaytableVersion:
    return paytables.approve(proposed(house, raw), by=house.people["AU-1"], approval="GC-2026-17")


# ---- typing ----


def test_a_draft_shows_its_edges_as_soon_as_it_is_typed(house: House) -> None:
    look = paytables.look_at(paytables.read_paytable(version()))
    main, trips = look.as_json()["bets"]["main"], look.as_json()["bets"]["trips"]
    assert main["per_base_bet"] == {"of": "ante", "fraction": "50643648973/2317817502000", "percent": "2.18497138"}
    assert main["per_total_wagered"]["of"] == "all that is staked"
    assert main["per_total_wagered"]["percent"] == "0.52621363"
    assert trips["per_base_bet"]["fraction"] == trips["per_total_wagered"]["fraction"] == "48987/2572780"
    assert (round(main["mean_wager"], 5), round(main["sd"], 5), round(trips["hit_frequency"], 4)) == (4.15225, 4.93931, 0.1527)
    assert (look.warnings, look.needs_solve, look.short_code) == ((), False, short_code(look.paytable.sha256))
    assert PaytableDraft.objects.exclude(name="uth-seed").exclude(name="payroll-seed").count() == 0


def test_a_player_with_the_edge_is_warned_of() -> None:
    """design/performance.md: with full house at 4:1 the player has 0.073 %."""
    [warning] = paytables.look_at(paytables.read_paytable(version(full_house="4:1"))).warnings
    assert (warning.code, warning.bet) == ("player_edge", "main")
    assert "−0.0733 %" in warning.message


def test_an_edge_that_leaves_the_propertys_limits_is_warned_of(house: House) -> None:
    gm, auditor = house.people["GM-1"], house.people["AU-1"]

    def limit(bet: str, least: Fraction, most: Fraction) -> None:
        paytables.set_edge_limits(house.property, "uth", bet, least=least, most=most, by=gm, approved_by=auditor)

    def codes() -> list[tuple[str, str]]:
        found = paytables.look_at(paytables.read_paytable(version()), house.property).warnings
        return [(warning.code, warning.bet) for warning in found]

    assert codes() == []
    limit("", Fraction(2, 100), Fraction(5, 100))
    assert codes() == [("below_limit", "trips")]
    limit("trips", Fraction(1, 100), Fraction(18, 1000))
    assert codes() == [("above_limit", "trips")]
    limit("trips", Fraction(1, 100), Fraction(5, 100))
    assert codes() == []


@pytest.mark.parametrize(
    ("least", "most", "code", "where"),
    [
        (Fraction(1, 3), Fraction(1, 2), "bad_limit", "least"),
        (Fraction(0), Fraction(2), "bad_limit", "most"),
        (Fraction(2, 10), Fraction(1, 10), "bad_limit", "least"),
    ],
)
def test_limits_that_are_none(house: House, least: Fraction, most: Fraction, code: str, where: str) -> None:
    gm, auditor = house.people["GM-1"], house.people["AU-1"]
    with pytest.raises(InvalidSlip) as error:
        paytables.set_edge_limits(house.property, "uth", "", least=least, most=most, by=gm, approved_by=auditor)
    assert (error.value.code, error.value.where) == (code, where)
    assert paytables.limits_of(house.property, "uth") == []


@pytest.mark.parametrize(
    ("raw", "places"),
    [
        ({"game": "bingo"}, [("unknown_game", "game")]),
        ({"game": ["uth"]}, [("unknown_game", "game")]),
        (version(flush="3/2", payout_unit=0), [("bad_paytable", "odds.blind.flush"), ("bad_paytable", "rules.payout_unit")]),
    ],
)
def test_what_is_typed_wrong_names_its_field_and_is_not_kept(house: House, raw: dict[str, Any], places: list[tuple[str, str]]) -> None:
    before = PaytableDraft.objects.count()
    with pytest.raises(InvalidSlip) as error:
        drafted(house, raw)
    assert [(fault.code, fault.where) for fault in error.value.faults] == places
    assert PaytableDraft.objects.count() == before


def test_a_draft_changes_and_says_who_typed_in_it(house: House) -> None:
    grant_role(house.people["FS-1"], "games_manager", by=house.people["AD-1"])
    draft = drafted(house)
    again = paytables.draft_paytable(version(flush="2:1"), by=house.people["FS-1"], draft=draft, revision=1)
    assert (again.pk, again.revision) == (draft.pk, 2)
    assert again.typed_by == sorted([house.people["GM-1"].pk, house.people["FS-1"].pk])
    assert paytables.draft_paytable(version(flush="2:1"), by=house.people["GM-1"], draft=draft, revision=2).revision == 2


def test_the_second_of_two_who_change_a_draft_is_told_who_was_first(house: House) -> None:
    """B071."""
    draft = drafted(house)
    paytables.draft_paytable(version(flush="2:1"), by=house.people["GM-1"], draft=draft, revision=1)
    with pytest.raises(Stale) as error:
        paytables.draft_paytable(version(flush="5:1"), by=house.people["GM-1"], draft=draft, revision=1)
    assert (error.value.code, error.value.facts["by"], error.value.facts["revision"]) == ("draft_changed", "GM-1", 2)
    with pytest.raises(Stale):
        paytables.propose(draft, by=house.people["GM-1"], revision=1)


def test_a_published_number_is_taken(house: House) -> None:
    with pytest.raises(Conflict) as error:
        drafted(house, {**version(flush="1:1"), "name": "uth-seed"})
    assert (error.value.code, error.value.where) == ("version_exists", "version")
    with pytest.raises(Conflict) as error:
        drafted(house, json.loads(SEED.canonical))
    assert error.value.code == "published_already"


# ---- two people ----


def test_one_proposes_and_another_approves(house: House) -> None:
    proposal = proposed(house)
    assert paytables.state_of(proposal) == "proposed"
    kept = paytables.approve(proposal, by=house.people["AU-1"], approval=" GC-2026-17 ")
    kept.refresh_from_db()
    assert (str(kept), kept.proposed_by.username, kept.approved_by.username, kept.approval) == ("house@1", "GM-1", "AU-1", "GC-2026-17")
    assert paytables.paytable_of(kept).odds["blind"]["flush"] == 1
    assert (paytables.state_of(proposal), kept.proposal) == ("approved", proposal)
    assert is_code_of(kept.short_code.lower(), kept.sha256)


def test_what_is_approved_is_what_was_proposed(house: House) -> None:
    """A draft that changes afterwards does not reach the proposal."""
    proposal = proposed(house)
    paytables.draft_paytable(version(flush="9:1"), by=house.people["GM-1"], draft=proposal.draft)
    kept = paytables.approve(proposal, by=house.people["AU-1"], approval="GC-1")
    assert paytables.paytable_of(kept).odds["blind"]["flush"] == 1


@pytest.mark.parametrize("number", ["PB-1", "SM-1", "GM-1", "AD-1"])
def test_only_an_auditor_approves(house: House, number: str) -> None:
    proposal = proposed(house)
    with pytest.raises(Refused) as error:
        paytables.approve(proposal, by=house.people[number], approval="GC-1")
    assert error.value.code == "not_allowed"
    assert (paytables.state_of(proposal), PaytableVersion.objects.filter(name="house").count()) == ("proposed", 0)


@pytest.mark.parametrize("number", ["PB-1", "AU-1"])
def test_only_a_games_manager_drafts_and_proposes(house: House, number: str) -> None:
    with pytest.raises(Refused):
        paytables.draft_paytable(version(flush="1:1"), by=house.people[number])
    with pytest.raises(Refused):
        paytables.propose(drafted(house), by=house.people[number])


def test_nobody_approves_what_they_proposed(house: House) -> None:
    """The service and the database refuse it; and nobody proposes and approves by holding both roles, the database refuses that as well."""
    proposal = proposed(house)
    for verb in (
        lambda: paytables.approve(proposal, by=house.people["GM-1"], approval="GC-1"),
        lambda: paytables.refuse(proposal, by=house.people["GM-1"], note="no"),
    ):
        with pytest.raises(Refused):
            verb()
    for state in ("approved", "refused"):
        with pytest.raises(IntegrityError), transaction.atomic():
            PaytableEvent.objects.create(proposal=proposal, sequence=2, state=state, by=house.people["GM-1"], note="GC-1")
    with pytest.raises(IntegrityError), transaction.atomic():
        RoleEvent.objects.create(user=house.people["AU-1"], sequence=9, role="games_manager", action="grant", by=house.people["AD-1"])


@pytest.mark.parametrize(("approval", "code"), [("", "missing_field"), ("  ", "missing_field"), ("x" * 121, "bad_type"), ("x" * 5000, "bad_type")])
def test_an_approval_has_a_reference_that_is_not_too_long(house: House, approval: str, code: str) -> None:
    with pytest.raises(InvalidSlip) as error:
        paytables.approve(proposed(house), by=house.people["AU-1"], approval=approval)
    assert (error.value.code, error.value.where) == (code, "approval")
    assert (code == "bad_type") == ("120" in error.value.message)


def test_a_reference_of_as_many_characters_as_there_may_be_is_kept(house: House) -> None:
    assert paytables.approve(proposed(house), by=house.people["AU-1"], approval=" " + "x" * 120).approval == "x" * 120


def test_a_proposal_ends_once(house: House) -> None:
    gm, auditor = house.people["GM-1"], house.people["AU-1"]
    proposal = proposed(house)
    with pytest.raises(Conflict) as error:
        paytables.propose(proposal.draft, by=gm)
    assert error.value.code == "proposed_already"
    paytables.withdraw(proposal, by=gm, note="typed wrong")
    for verb in (
        lambda: paytables.approve(proposal, by=auditor, approval="GC-1"),
        lambda: paytables.refuse(proposal, by=auditor, note="no"),
        lambda: paytables.withdraw(proposal, by=gm),
    ):
        with pytest.raises(Conflict) as error:
            verb()
        assert (error.value.code, error.value.facts["state"]) == ("not_proposed", "withdrawn")
    again = paytables.propose(proposal.draft, by=gm)
    assert paytables.refuse(again, by=auditor, note="the flush").state == "refused"
    with pytest.raises(InvalidSlip):
        paytables.refuse(again, by=auditor, note=" ")


def test_two_proposals_of_one_number_end_in_one_version(house: House) -> None:
    first, second = proposed(house), proposed(house, version(flush="2:1"))
    paytables.approve(first, by=house.people["AU-1"], approval="GC-1")
    with pytest.raises(Conflict) as error:
        paytables.approve(second, by=house.people["AU-1"], approval="GC-2")
    assert error.value.code == "version_exists"


# ---- the database ----


def refused(statement: str, *params: object) -> str:
    with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params or None)
    return str(error.value)


@pytest.mark.parametrize(
    "table",
    [
        "tables_paytableproposal", "tables_paytableevent", "tables_paytableplacement", "tables_placementevent", "tables_edgelimit",
        "casino_jobevent",
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["UPDATE {0} SET id = id", "DELETE FROM {0}", "TRUNCATE {0}"])
def test_what_was_proposed_and_approved_stays(table: str, verb: str) -> None:
    assert "permission denied" in refused(verb.format(table))


@pytest.mark.parametrize("table", ["tables_paytabledraft", "tables_paytablesolve"])
def test_drafts_and_solves_are_not_deleted(table: str) -> None:
    assert "permission denied" in refused(f"DELETE FROM {table}")


def test_the_database_too_lets_nobody_approve_their_own(house: House) -> None:
    proposal = proposed(house)
    for state in ("approved", "refused"):
        said = refused(
            "INSERT INTO tables_paytableevent (proposal_id, sequence, state, by_id, note) VALUES (%s, 2, %s, %s, '')",
            proposal.pk, state, house.people["GM-1"].pk,
        )  # fmt: skip
        assert "nobody approves what they proposed or typed" in said


def test_the_database_lets_nobody_approve_the_edge_limit_that_they_proposed(house: House) -> None:
    columns = "INSERT INTO tables_edgelimit (property_id, game, bet, least_ppm, most_ppm, proposed_by_id, approved_by_id)"
    values = " VALUES (%s, 'uth', '', 0, 60000, %s, %s)"
    for who in ("GM-1", "AU-1"):
        person = house.people[who].pk
        assert "tables_edgelimit_two_people" in refused(columns + values, house.property.pk, person, person)
    assert not EdgeLimit.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute(columns + values, [house.property.pk, house.people["GM-1"].pk, house.people["AU-1"].pk])
    assert EdgeLimit.objects.count() == 1


def test_the_database_lets_no_version_in_that_nobody_approved(house: House) -> None:
    proposal = proposed(house)
    columns = {name: getattr(proposal, name) for name in ("game", "name", "version", "content", "sha256", "proposal_id") if hasattr(proposal, name)}
    people = {"proposed_by": house.people["GM-1"], "approved_by": house.people["AU-1"], "approval": "none"}
    for forged in ({**columns, "proposal": proposal}, columns):
        with pytest.raises(IntegrityError) as error, transaction.atomic():
            PaytableVersion.objects.create(**forged, **people)
        assert "a version is what one person proposed and another approved" in str(error.value)
    approved_one = paytables.approve(proposal, by=house.people["AU-1"], approval="GC-1")
    with pytest.raises(IntegrityError), transaction.atomic():
        PaytableVersion.objects.create(**{**columns, "version": 9}, proposal=approved_one.proposal, **people)


def test_the_database_works_the_identity_out_itself(house: House) -> None:
    draft = drafted(house)
    said = refused("UPDATE tables_paytabledraft SET content = 'x', revision = revision + 1 WHERE id = %s", draft.pk)
    assert "tables_paytabledraft_hash" in said


@pytest.mark.parametrize("change", ["typed_by = '{}'", "typed_by = ARRAY[changed_by_id], revision = revision", "revision = revision + 2"])
def test_the_database_forgets_nobody_who_typed(house: House, change: str) -> None:
    grant_role(house.people["FS-1"], "games_manager", by=house.people["AD-1"])
    draft = paytables.draft_paytable(version(flush="2:1"), by=house.people["FS-1"], draft=drafted(house))
    assert "typed" in refused(f"UPDATE tables_paytabledraft SET {change} WHERE id = %s", draft.pk)


def test_the_database_puts_nothing_in_force_that_nobody_approved(house: House) -> None:
    kept, table = approved(house), house.tables["UTH-01"]
    gm, auditor, at = house.people["GM-1"], house.people["AU-1"], house.tick()
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        TablePaytable.objects.create(table=table, version=kept, from_at=at, by=gm, approved_by=auditor)
    assert "put in force by one person and approved by another" in str(error.value)
    placement = placements.propose_in_force(table, kept, from_at=at, at=at, by=gm)
    said = refused(
        "INSERT INTO tables_placementevent (placement_id, sequence, state, by_id, note) VALUES (%s, 2, 'approved', %s, '')", placement.pk, gm.pk
    )
    assert "nobody approves what they proposed" in said


# ---- in force ----


def test_a_version_is_in_force_from_its_moment_until_the_next(house: House) -> None:
    table, seed = house.tables["UTH-01"], house.tables["UTH-01"].paytables.get().version
    kept, at = approved(house), house.tick()
    placement = placements.propose_in_force(table, kept, from_at=at + timedelta(minutes=5), at=at, by=house.people["GM-1"])
    assert version_in_force(table, at + timedelta(hours=1)) == seed
    row = placements.approve_in_force(placement, by=house.people["AU-1"], at=at)
    assert (row.by.username, row.approved_by.username) == ("GM-1", "AU-1")
    assert version_in_force(table, at + timedelta(minutes=5)) == kept
    assert version_in_force(table, at + timedelta(minutes=5) - timedelta(microseconds=1)) == seed


def test_nothing_is_put_in_force_backwards_or_over_rounds(house: House) -> None:
    table, kept = house.tables["UTH-01"], approved(house)
    gm, auditor = house.people["GM-1"], house.people["AU-1"]
    played = play(house)
    for from_at, at, code, kind in (
        (house.clock - timedelta(hours=1), house.clock, "bad_time", InvalidSlip),
        (played.occurred_at, played.occurred_at, "rounds_dealt", Conflict),
    ):
        placement = placements.propose_in_force(table, kept, from_at=from_at, at=from_at, by=gm)
        with pytest.raises(kind) as error:
            placements.approve_in_force(placement, by=auditor, at=at)
        assert (error.value.code, error.value.where) == (code, "from_at")
    assert table.paytables.count() == 1


def test_what_has_passed_is_not_even_proposed(house: House) -> None:
    table, kept, gm, at = house.tables["UTH-01"], approved(house), house.people["GM-1"], house.tick()
    for from_at in (at - timedelta(microseconds=1), at - timedelta(days=400)):
        with pytest.raises(InvalidSlip) as error:
            placements.propose_in_force(table, kept, from_at=from_at, at=at, by=gm)
        assert (error.value.code, error.value.where) == ("bad_time", "from_at")
    assert not PaytablePlacement.objects.filter(version=kept).exists()
    assert placements.propose_in_force(table, kept, from_at=at, at=at, by=gm).from_at == at


def test_what_cannot_be_put_in_force(house: House) -> None:
    kept, gm, auditor, at = approved(house), house.people["GM-1"], house.people["AU-1"], house.tick()
    with pytest.raises(Conflict) as error:
        placements.propose_in_force(house.tables["PAY-01"], kept, from_at=at, at=at, by=gm)
    assert error.value.code == "wrong_game"
    with pytest.raises(Refused):
        placements.put_in_force(house.tables["UTH-01"], kept, from_at=at, by=gm, approved_by=gm)
    placements.put_in_force(house.tables["UTH-01"], kept, from_at=at, by=gm, approved_by=auditor)
    with pytest.raises(Conflict) as error:
        placements.put_in_force(house.tables["UTH-01"], kept, from_at=at, by=gm, approved_by=auditor)
    assert error.value.code == "in_force_already"
    placement = placements.propose_in_force(house.tables["UTH-01"], kept, from_at=house.tick(), at=house.clock, by=gm)
    placements.withdraw_in_force(placement, by=gm)
    with pytest.raises(Conflict) as error:
        placements.approve_in_force(placement, by=auditor, at=house.clock)
    assert error.value.code == "not_proposed"
    assert TablePaytable.objects.filter(version=kept).count() == 1


# ---- files ----


def test_what_is_exported_is_imported_as_the_same(house: House) -> None:
    kept = approved(house)
    data = paytables.export_paytable(kept)
    with pytest.raises(Conflict) as error:
        paytables.import_paytable(data, by=house.people["GM-1"])
    assert error.value.code == "published_already"
    other = data.replace(b'"version": 1', b'"version": 2')
    draft = paytables.import_paytable(other, by=house.people["GM-1"], house=house.property)
    assert (str(draft), json.loads(bytes(draft.content))["odds"]) == ("house@2", json.loads(data)["odds"])
    assert paytables.version_named("house@1") == kept
    with pytest.raises(NotFound):
        paytables.version_named("house@²")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"game":"uth","game":"uth"}', b"\xff", b'{"game":NaN}'])
def test_a_file_that_is_no_json(house: House, data: bytes) -> None:
    with pytest.raises(InvalidSlip) as error:
        paytables.import_paytable(data, by=house.people["GM-1"])
    assert error.value.code == "bad_json"


def test_the_short_code_is_read_as_people_say_it() -> None:
    sha256 = "00110" + "0" * 59
    assert short_code(sha256) == "00" + "8G"
    assert is_code_of(" oO-8g", sha256)
    assert not is_code_of("0000", sha256)
    assert is_code_of("iL00", "08400" + "0" * 59)
    with pytest.raises(ValueError, match="no SHA-256"):
        short_code("abc")


# ---- the solve ----


class Flops:
    """A stand-in for the full solve: ten steps, each kept, the answer the seed's edges."""

    def __init__(self) -> None:
        self.began: list[int] = []
        self.after_step: Any = None

    def solve(self, paytable: Any, *, kept: Any, workers: int, report: Any, cancelled: Any) -> edge.Edges:
        done = kept["done"] if kept else 0
        self.began.append(done)
        while done < 10:
            done += 1
            step = Step(done)
            report(step)
            if self.after_step:
                self.after_step(done)
            if cancelled():
                raise SolveCancelled(step)
        return edge.Edges(paytable, edge.edges(SEED).bets)


class Step:
    def __init__(self, done: int) -> None:
        self.done, self.of = done, 10

    def as_json(self) -> dict[str, int]:
        return {"done": self.done}


@pytest.fixture
def flops(monkeypatch: pytest.MonkeyPatch) -> Flops:
    stand_in = Flops()
    monkeypatch.setattr(edge, "solve", stand_in.solve)
    monkeypatch.setattr(solves, "PART_SECONDS", 0.0)
    return stand_in


def test_other_rules_need_the_full_solve_before_approval(house: House, flops: Flops) -> None:
    raw = version(**ODD_RULES)
    proposal = proposed(house, raw)
    assert [warning["code"] for warning in proposal.warnings] == ["unsolved"]
    with pytest.raises(Conflict) as error:
        paytables.approve(proposal, by=house.people["AU-1"], approval="GC-1")
    assert (error.value.code, error.value.facts["bets"]) == ("solve_required", ["main"])
    assert paytables.state_of(proposal) == "proposed"
    solve = solves.ask_solve(paytables.paytable_of(proposal), by=house.people["GM-1"])
    assert [jobs.run(solve.job_id) for _ in range(11)] == [False] * 10 + [True]
    found = known_edges(paytables.paytable_of(proposal))
    assert (found.bets["main"].ev, found.unsolved) == (edge.edges(SEED).bets["main"].ev, ())
    assert str(paytables.approve(proposal, by=house.people["AU-1"], approval="GC-1")) == "house@1"


def test_a_solve_works_in_parts_and_keeps_each(house: House, flops: Flops) -> None:
    solve = solves.ask_solve(paytables.read_paytable(version(**ODD_RULES)), by=house.people["GM-1"])
    assert solves.ask_solve(paytables.read_paytable(version(**ODD_RULES)), by=house.people["GM-1"]).pk == solve.pk
    assert jobs.run(solve.job_id) is False
    solve.refresh_from_db()
    state = (solve.done, solve.of, solve.edges, solve.job.state, solve.job.attempts, solve.job.result)
    assert state == (1, 10, None, "queued", 0, {"done": 1, "of": 10})
    for _ in range(9):
        jobs.run(solve.job_id)
    solve = PaytableSolve.objects.get(pk=solve.pk)
    assert (solve.done, solve.kept is None, solve.job.state) == (10, False, "queued")
    assert jobs.run(solve.job_id) is True
    solve = PaytableSolve.objects.get(pk=solve.pk)
    assert (sorted(solve.edges), solve.job.state, flops.began) == (["main", "trips"], "done", list(range(11)))
    assert "its rows are kept as they are" in refused("UPDATE tables_paytablesolve SET edges = NULL WHERE id = %s", solve.pk)


def test_a_solve_is_cancelled_while_it_runs_and_goes_on_from_there(house: House, flops: Flops, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solves, "PART_SECONDS", 3600.0)
    gm = house.people["GM-1"]
    solve = solves.ask_solve(paytables.read_paytable(version(**ODD_RULES)), by=gm)
    flops.after_step = lambda done: done == 4 and solves.cancel_solve(PaytableSolve.objects.get(pk=solve.pk), by=gm)
    monkeypatch.setattr(jobs, "_close_cancelled", lambda job: None)  # in one connection the job's own lock would not keep it out
    assert jobs.run(solve.job_id) is False
    monkeypatch.undo()
    kept = PaytableSolve.objects.get(pk=solve.pk)
    assert (kept.done, kept.job.state, kept.edges) == (4, "cancelled", None)
    monkeypatch.setattr(edge, "solve", flops.solve)
    flops.after_step = None
    assert jobs.run(solve.job_id) is False
    solves.resume_solve(kept, by=gm)
    assert jobs.run(solve.job_id) is True
    assert (flops.began, PaytableSolve.objects.get(pk=solve.pk).edges is not None) == ([0, 4], True)


@pytest.mark.django_db(transaction=True)
def test_a_running_part_hears_of_its_cancellation_from_another_connection(house: House, flops: Flops, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker holds the job's row; whoever cancels it is not kept waiting for the part's end, and the part keeps what it has."""
    monkeypatch.setattr(solves, "PART_SECONDS", 3600.0)
    monkeypatch.setattr(jobs, "nudge", lambda job_id: None)
    gm = house.people["GM-1"]
    solve = solves.ask_solve(paytables.read_paytable(version(**ODD_RULES)), by=gm)
    running, told = Event(), Event()

    def wait_at_three(done: int) -> None:
        if done == 3:
            running.set()
            assert told.wait(20)

    flops.after_step = wait_at_three
    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(lambda: (jobs.run(solve.job_id), connection.close()))
        assert running.wait(20)
        assert solves.cancel_solve(solve, by=gm).state == "running"
        told.set()
        assert worker.result(20)[0] is False
    kept = PaytableSolve.objects.get(pk=solve.pk)
    assert (kept.done, kept.job.state) == (3, "cancelled")
    assert solves.resume_solve(kept, by=gm).state == "queued"
    with pytest.raises(Refused) as error:
        solves.cancel_solve(kept, by=house.people["SM-1"])
    assert error.value.code == "not_yours"
    assert solves.cancel_solve(kept, by=gm).state == "cancelled"
    with pytest.raises(Conflict) as over:
        solves.cancel_solve(kept, by=gm)
    assert over.value.code == "job_over"


def test_odds_beyond_exact_sums_end_the_solve_with_their_reason(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = version(**ODD_RULES, flush="3000001:2000003", royal_flush="500000007:1000003")
    solve = solves.ask_solve(paytables.read_paytable(raw), by=house.people["GM-1"])
    assert jobs.run(solve.job_id) is True
    assert "too fine" in PaytableSolve.objects.get(pk=solve.pk).fault


def test_two_parts_of_the_real_solve_count_on(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solves, "PART_SECONDS", 0.0)
    solve = solves.ask_solve(paytables.read_paytable(version(**ODD_RULES)), by=house.people["GM-1"])
    for done in (9, 18):
        jobs.run(solve.job_id)
        solve.refresh_from_db()
        assert (solve.done, solve.of) == (done, 1755)


# ---- old rounds ----


def test_a_new_version_changes_no_old_round(house: House) -> None:
    """The version in force when a round was dealt settles it, and it keeps it."""
    table = house.tables["UTH-01"]
    before = play(house)
    kept = approved(house)
    placements.put_in_force(table, kept, from_at=house.tick(), by=house.people["GM-1"], approved_by=house.people["AU-1"])
    after = play(house)
    before.refresh_from_db()
    assert (str(before.paytable), str(after.paytable)) == ("uth-seed@1", "house@1")
    assert json.loads(before.settlement)["paytable"] == "uth-seed@1"


def test_publishing_in_one_go_is_the_same_life(house: House) -> None:
    people = {"proposed_by": house.people["GM-1"], "approved_by": house.people["AU-1"]}
    kept = paytables.publish_paytable(version(flush="1:1"), **people, approval="GC-1")
    assert paytables.publish_paytable(version(flush="1:1"), **people, approval="GC-2").pk == kept.pk
    assert [event.state for event in PaytableEvent.objects.filter(proposal=kept.proposal)] == ["proposed", "approved"]
    with pytest.raises(Refused):
        paytables.publish_paytable(version(flush="2:1"), proposed_by=house.people["GM-1"], approved_by=house.people["GM-1"], approval="x")
    assert kept.recorded_at <= timezone.now()
