"""What the database itself refuses of proposals, decisions and changes, tried with raw SQL as the application; and races in real threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from casino import people
from casino.errors import Conflict
from ledger.models import Entry
from ledger.selectors import round_entry
from ledger.services import reverse_entry
from tables.models import Round, RoundChange, RoundProposal, RoundProposalEvent, RoundRuling
from tables.services.correction_decisions import approve_proposal
from tables.services.rulings import rule_irregular
from tests.builders import House
from tests.corrections import correct, deal, mended, propose, propose_mended, seal, void

pytestmark = pytest.mark.django_db


def refused(statement: str, *params: object) -> str:
    """Run `statement` as the application, expect a refusal, and return the name of the guard or constraint, or its words."""
    with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params or None)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return getattr(error.value.__cause__.diag, "constraint_name", None) or str(error.value)


EVENT = "INSERT INTO tables_roundproposalevent (proposal_id, sequence, state, by_id, note, occurred_at) VALUES (%s, %s, %s, %s, '', now())"
CHANGE = """INSERT INTO tables_roundchange (proposal_id, kind, round_id, made_id, late, posted_in_id, by_id, occurred_at)
            VALUES (%s, %s, %s, %s, %s, %s, %s, now())"""
PROPOSAL = """INSERT INTO tables_roundproposal (uuid, kind, session_id, round_id, reason, note, chips_returned, slip, fingerprint, effect,
                  proposed_by_id, occurred_at) VALUES (%s, %s, %s, %s, 'misdeal', '', %s, %s, '\\x00', 0, %s, now())"""


def test_nobody_approves_or_rejects_what_they_proposed(house: House) -> None:
    proposal = propose(house, deal(house))
    for state in ("approved", "rejected"):
        assert refused(EVENT, proposal.pk, 2, state, proposal.proposed_by_id) == "tables_roundproposalevent_not_ones_own"
    assert refused(EVENT, proposal.pk, 2, "withdrawn", house.people["SM-1"].pk) == "tables_roundproposalevent_ones_own"


def test_nobody_approves_what_they_entered_or_are_named_on(house: House) -> None:
    played = deal(house, by="PB-1")
    made = correct(house, played, by="FS-1", done={"1": {"ante": {"paid": 1500}}})
    proposal = propose(house, made)
    for number in ("PB-1", "FS-1", "SM-1"):
        assert refused(EVENT, proposal.pk, 2, "approved", house.people[number].pk) == "tables_roundproposalevent_not_ones_own"


def test_nothing_is_decided_twice(house: House) -> None:
    proposal = propose(house, deal(house))
    approve_proposal(proposal, by=house.people["SM-1"], at=house.tick())
    boss = house.people["PB-1"].pk
    assert refused(EVENT, proposal.pk, 2, "rejected", boss) == "tables_roundproposalevent_in_order"
    assert refused(EVENT, proposal.pk, 3, "rejected", boss) == "tables_roundproposalevent_decided_once"
    assert refused(EVENT, proposal.pk, 1, "approved", boss) in ("tables_roundproposalevent_decided_once", "tables_roundproposal_still_stands")


def test_a_round_is_reversed_once_and_only_as_it_was_approved(house: House) -> None:
    played, other = deal(house), deal(house)
    change = void(house, played)
    boss, shift = house.people["PB-1"].pk, house.shift.pk
    open_one = propose(house, other)
    assert refused(CHANGE, open_one.pk, "void", other.pk, None, False, shift, boss) == "tables_roundchange_as_approved"
    assert refused(PROPOSAL, uuid4(), "void", played.session_id, played.pk, True, "", boss) == "tables_roundproposal_still_stands"
    assert refused(CHANGE, change.proposal_id, "void", other.pk, None, False, shift, change.by_id) == "tables_roundchange_as_approved"
    assert refused(CHANGE, change.proposal_id, "void", played.pk, None, True, shift, change.by_id) == "tables_roundchange_as_approved"
    again = refused(CHANGE, change.proposal_id, "void", played.pk, None, False, shift, change.by_id)
    assert again in ("tables_roundchange_round_id_key", "tables_roundchange_proposal_id_key")


def test_a_void_after_a_correction_is_refused(house: House) -> None:
    played = deal(house)
    correct(house, played, done={"1": {"ante": {"paid": 1500}}})
    supervisor = house.people["FS-1"].pk
    assert refused(PROPOSAL, uuid4(), "void", played.session_id, played.pk, True, "", supervisor) == "tables_roundproposal_still_stands"
    assert "reverses" in refused(
        """INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, reverses_id, property, shift, gaming_day, occurred_at, recorded_by_id, memo,
               late, paytable, paytable_sha256, engine_version, transfer_count)
           SELECT gen_random_uuid(), 'reversal', 'void:again', fingerprint, id, property, shift, gaming_day, now(), recorded_by_id, '', false, '', '',
               '', transfer_count FROM ledger_entry WHERE round = %s AND kind = 'round'""",
        played.uuid,
    )


def test_a_void_that_kept_chips_and_a_second_proposal_are_refused(house: House) -> None:
    played = deal(house)
    supervisor, session = house.people["FS-1"].pk, played.session_id
    for chips in (False, None):
        assert refused(PROPOSAL, uuid4(), "void", session, played.pk, chips, "", supervisor) == "tables_roundproposal_chips_went_back"
    other = house.sessions["UTH-02"].pk
    assert refused(PROPOSAL, uuid4(), "void", other, played.pk, True, "", supervisor) == "tables_roundproposal_in_its_session"
    propose(house, played)
    assert refused(PROPOSAL, uuid4(), "void", session, played.pk, True, "", supervisor) == "tables_roundproposal_one_at_a_time"


ROUND = """INSERT INTO tables_round (uuid, session_id, number, label, game, gaming_day, occurred_at, recorded_by_id, dealer_id, paytable_id,
               engine_version, deal, cards, settlement, fingerprint, irregular, late, replaces_id, wager_count, handle, collect, pay, rake,
               collected, paid)
           SELECT %s, session_id, 900, label, game, gaming_day, occurred_at, %s, dealer_id, paytable_id, engine_version, deal, cards, settlement,
               fingerprint, '', %s, %s, 0, 0, 0, 0, 0, 0, 0 FROM tables_round WHERE id = %s"""


def test_a_round_replaces_another_only_where_that_was_approved(house: House) -> None:
    played = deal(house)
    proposal = propose_mended(house, played)
    by = proposal.proposed_by_id
    assert refused(ROUND, proposal.uuid, by, False, played.pk, played.pk) == "tables_round_needs_approval"
    assert refused(ROUND, uuid4(), by, True, None, played.pk) == "tables_round_needs_approval"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(EVENT, [proposal.pk, 2, "approved", house.people["SM-1"].pk])
    assert refused(ROUND, proposal.uuid, by, True, played.pk, played.pk) == "tables_round_late_when_sealed"
    assert refused(ROUND, proposal.uuid, house.people["PB-1"].pk, False, played.pk, played.pk) == "tables_round_needs_approval"
    seal(house.shift)
    assert refused(ROUND, proposal.uuid, by, False, played.pk, played.pk) == "tables_round_late_when_sealed"


def test_B041_a_reversal_of_another_amount_is_refused(house: House) -> None:
    """In one transaction an entry of kind reversal, with the transfers of its entry but for one unit, or not turned round."""
    entry = round_entry(deal(house).uuid)
    lines = list(entry.transfers.order_by("line"))

    def reversal(change: Callable[[int, int, int], tuple[int, int, int]]) -> str:
        with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                """INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, reverses_id, property, shift, gaming_day, occurred_at,
                       recorded_by_id, memo, late, paytable, paytable_sha256, engine_version, transfer_count)
                   SELECT gen_random_uuid(), 'reversal', 'x', fingerprint, id, property, shift, gaming_day, now(), recorded_by_id, '', false, '',
                       '', '', transfer_count FROM ledger_entry WHERE id = %s RETURNING id""",
                [entry.pk],
            )
            (key,) = cursor.fetchone()
            for line in lines:
                credit, debit, amount = change(line.debit_account_id, line.credit_account_id, line.amount)
                cursor.execute(
                    """INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
                       VALUES (%s, %s, %s, %s, %s, 'USD', %s)""",
                    [entry.gaming_day, key, line.line, credit, debit, amount],
                )
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        return error.value.__cause__.diag.constraint_name

    assert reversal(lambda credit, debit, amount: (credit, debit, amount - 1)) == "ledger_entry_mirrors"
    assert reversal(lambda credit, debit, amount: (debit, credit, amount)) == "ledger_entry_mirrors"


def test_what_was_decided_stays(house: House) -> None:
    played = deal(
        house,
        irregular={"reason": "2x before the flop"},
        done={
            "1": {k: {"collected": 0, "paid": 0} for k in ("ante", "blind", "trips", "play")},
            "2": {k: {"collected": 0, "paid": 0} for k in ("ante", "blind")},
        },
    )
    rule_irregular(played, reason="dealt so", due=None, by=house.people["AU-1"], at=house.tick())
    void(house, played)
    for model in (RoundProposal, RoundProposalEvent, RoundChange, RoundRuling):
        table = model._meta.db_table
        assert model.objects.exists()
        assert "denied" in refused(f"UPDATE {table} SET occurred_at = now()") and "denied" in refused(f"DELETE FROM {table}")
        assert "denied" in refused(f"TRUNCATE {table} CASCADE")


def test_only_an_irregular_round_is_ruled_on_and_not_by_who_entered_it(house: House) -> None:
    played = deal(house)
    ruling = """INSERT INTO tables_roundruling (round_id, sequence, stands, due, effect, reason, by_id, occurred_at)
                VALUES (%s, 1, true, '[]', 0, 'so', %s, now())"""
    assert refused(ruling, played.pk, house.people["AU-1"].pk) == "tables_roundruling_irregular"
    done = {
        str(seat): {kind: {"collected": 0, "paid": 0} for kind in kinds}
        for seat, kinds in ((1, ("ante", "blind", "trips", "play")), (2, ("ante", "blind")))
    }
    odd = deal(house, irregular={"reason": "dealt twice"}, done=done)
    assert refused(ruling, odd.pk, odd.recorded_by_id) == "tables_roundruling_not_ones_own"


# ---- races ----


def at_once(*works: Callable[[], object]) -> list[object]:
    """Return what each of the works, run in a thread of its own, gave: a value or the code of its conflict."""

    def one(work: Callable[[], object]) -> object:
        try:
            return work()
        except Conflict as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, works))


@pytest.mark.django_db(transaction=True)
def test_B051_two_reversals_at_once_for_different_reasons_are_one_and_the_other_names_it(house: House) -> None:
    entry = round_entry(deal(house).uuid)
    got = at_once(*[lambda n=n: reverse_entry(entry, occurred_at=house.clock, reason=f"reason {n}", by=house.people["FS-1"]).pk for n in range(4)])
    assert sorted(map(str, got))[1:] == ["already_reversed"] * 3
    with pytest.raises(Conflict) as error:
        reverse_entry(entry, occurred_at=house.tick(), reason="once more", by=house.people["FS-1"])
    assert error.value.facts["reversal"] == f"reversal:{entry.uuid}"
    with pytest.raises(Conflict) as other:
        reverse_entry(entry, occurred_at=house.tick(), reason="as a void", by=house.people["FS-1"], reference="void:x")
    assert (other.value.code, other.value.facts["reversal"]) == ("already_reversed", f"reversal:{entry.uuid}")


@pytest.mark.django_db(transaction=True)
def test_two_proposals_at_once_are_one_and_the_other_names_it(house: House) -> None:
    played = deal(house)
    at = house.tick()
    got = at_once(
        lambda: propose(house, played, "FS-1").pk,
        lambda: propose_mended(house, played, "FS-2", done={}).pk,
    )
    assert got.count("already_proposed") == 1
    assert RoundProposal.objects.get().pk in got
    assert at


@pytest.mark.django_db(transaction=True)
def test_two_approvals_at_once_reverse_once(house: House) -> None:
    proposal = propose_mended(house, deal(house), "FS-2", done={"1": {"ante": {"paid": 1500}}})
    house.people["SM-2"] = people.hire("SM-2", "Second", None, by=house.people["AD-1"])
    people.grant_role(house.people["SM-2"], "shift_manager", by=house.people["AD-1"])
    people.review_role(house.people["SM-2"], "shift_manager", by=house.people["AU-1"])
    at = house.tick()
    got = at_once(*[lambda n=n: approve_proposal(proposal, by=house.people[n], at=at).pk for n in ("SM-1", "SM-2", "PB-1", "SM-1")])
    assert "already_decided" in got
    assert (Entry.objects.filter(kind="reversal").count(), RoundChange.objects.count(), Round.objects.count()) == (1, 1, 2)


@pytest.mark.django_db(transaction=True)
def test_B071_of_two_corrections_from_the_same_page_the_second_says_who_and_what(house: House) -> None:
    played = deal(house)
    first, second = mended(played, done={}), mended(played, done={"1": {"ante": {"paid": 1500}}})
    assert first["replaces"] == second["replaces"]
    approve_proposal(propose_mended(house, played, "FS-1"), by=house.people["PB-1"], at=house.tick())
    with pytest.raises(Conflict) as error:
        propose_mended(house, played, "FS-2", done=second["done"])
    assert (error.value.code, error.value.facts["round"]) == ("not_standing", str(Round.objects.get(replaces=played).uuid))
