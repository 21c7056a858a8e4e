"""Fills and chip credits: three people, three acts, in one order; numbers without gaps; void by two. Source: spec/night.md, "Life of a table"."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from casino.errors import CasinoError, InvalidSlip, Refused
from ledger.models import Entry
from tables.models import ChipMovement, ChipSlip, ChipSlipEvent
from tables.selectors import SlipGap, slip_gaps, unused_slips
from tables.services import chip_slips, floor
from tables.services.dealer_pins import Signature
from tables.slips import CountSlip
from tests.builders import House, uuid

pytestmark = pytest.mark.django_db
CHIPS = CountSlip({2500: 8})


def request(house: House, kind: str = "fill") -> ChipSlip:
    service = chip_slips.request_fill if kind == "fill" else chip_slips.request_chip_credit
    return service(house.sessions["UTH-01"], CHIPS, at=house.tick(), by=house.people["FS-1"], uuid=uuid4())


VERBS: dict[str, Callable[[House, ChipSlip], object]] = {
    "issue": lambda h, s: chip_slips.issue_fill(s, at=h.tick(), by=h.people["CG-1"]),
    "send": lambda h, s: chip_slips.send_chip_credit(s, at=h.tick(), by=h.people["PB-1"]),
    "receive": lambda h, s: chip_slips.receive_slip(s, at=h.tick(), by=h.people["PB-1" if s.kind == "fill" else "CG-1"]),
    "void": lambda h, s: chip_slips.void_slip(s, reason="not needed", at=h.tick(), by=h.people["CG-1"], witness=h.people["SM-1"]),
}
WAYS = {  # the verbs that lead to a state, by kind
    "fill": {"requested": (), "issued": ("issue",), "received": ("issue", "receive"), "void": ("void",), "void late": ("issue", "void")},
    "chip_credit": {"requested": (), "sent": ("send",), "received": ("send", "receive"), "void": ("void",), "void late": ("send", "void")},
}
LEGAL = {
    ("fill", "requested"): {"issue", "void"},
    ("fill", "issued"): {"receive", "void", "issue"},  # the same person's signature again is the same signature
    ("fill", "received"): {"issue", "receive"},
    ("fill", "void late"): {"issue"},
    ("chip_credit", "requested"): {"send", "void"},
    ("chip_credit", "sent"): {"receive", "void", "send"},
    ("chip_credit", "received"): {"send", "receive"},
    ("chip_credit", "void late"): {"send"},
}
CASES = [(kind, state, verb) for kind, states in WAYS.items() for state in states for verb in VERBS]


@pytest.mark.parametrize(("kind", "state", "verb"), CASES)
def test_every_verb_in_every_state(house: House, kind: str, state: str, verb: str) -> None:
    slip = request(house, kind)
    for step in WAYS[kind][state]:
        VERBS[step](house, slip)
    before = (slip.events.count(), ChipMovement.objects.count(), Entry.objects.count())
    if verb in LEGAL.get((kind, state), set()):
        VERBS[verb](house, slip)
        new = verb not in WAYS[kind][state]
        assert slip.events.count() - before[0] == int(new)
        assert ChipMovement.objects.count() - before[1] == int(new and verb == "receive")
    else:
        with pytest.raises(CasinoError) as error:
            VERBS[verb](house, slip)
        assert error.value.code in ("slip_order", "slip_done", "three_people")
        assert (slip.events.count(), ChipMovement.objects.count(), Entry.objects.count()) == before


def test_the_chips_move_with_the_last_signature(house: House) -> None:
    slip = request(house)
    VERBS["issue"](house, slip)
    assert not Entry.objects.filter(kind="fill").exists()
    moved = chip_slips.receive_slip(slip, at=house.tick(), by=house.people["PB-1"])
    entry = Entry.objects.get(reference=f"fill:CASINO:{slip.number}")
    assert [(t.credit_account.code, t.debit_account.code, t.amount) for t in entry.transfers.all()] == [("cage:chips", "tray:UTH-01", 20_000)]
    assert (moved.requested_by.username, moved.issued_by.username, moved.received_by.username) == ("FS-1", "CG-1", "PB-1")
    again = chip_slips.receive_slip(slip, at=house.tick(), by=house.people["PB-1"])
    assert (again.pk, Entry.objects.filter(kind="fill").count()) == (moved.pk, 1)


def test_nobody_signs_twice(house: House) -> None:
    slip = request(house)
    VERBS["issue"](house, slip)
    with pytest.raises(Refused) as error:
        chip_slips.receive_slip(slip, at=house.tick(), by=house.people["FS-1"])
    assert error.value.code == "three_people"
    assert slip.events.count() == 2


def test_the_dealer_signs_for_the_table_on_the_supervisors_screen(house: House) -> None:
    slip = request(house, "chip_credit")
    signature = Signature(house.dealers["D-1187"], house.clock)
    chip_slips.send_chip_credit(slip, at=house.tick(), by=house.people["FS-1"], dealer=signature)
    moved = chip_slips.receive_slip(slip, at=house.tick(), by=house.people["CG-1"])
    assert (moved.dealer.code, moved.issued_by, moved.received_by.username) == ("D-1187", None, "CG-1")


@pytest.mark.parametrize(
    ("verb", "who", "code"),
    [("issue", "PB-1", "not_allowed"), ("issue", "SM-1", "not_allowed"), ("receive", "CG-1", "not_allowed"), ("receive", "PB-2", "not_your_pit")],
)
def test_only_ones_own_act(house: House, verb: str, who: str, code: str) -> None:
    slip = request(house)
    if verb == "receive":
        VERBS["issue"](house, slip)
    service = chip_slips.issue_fill if verb == "issue" else chip_slips.receive_slip
    with pytest.raises(Refused) as error:
        service(slip, at=house.tick(), by=house.people[who])
    assert error.value.code == code


def test_a_void_keeps_its_number_and_needs_two_and_a_reason(house: House) -> None:
    slip, people = request(house), house.people
    for reason, witness, code in (("", "SM-1", "missing_field"), ("spilled", "CG-1", "needs_witness")):
        with pytest.raises(CasinoError) as error:
            chip_slips.void_slip(slip, reason=reason, at=house.tick(), by=people["CG-1"], witness=people[witness])
        assert error.value.code == code
    VERBS["void"](house, slip)
    after = request(house)
    assert (slip.number, after.number) == (1, 2)
    assert slip_gaps(house.property) == []
    assert unused_slips(house.property) == [SlipGap("fill", 1, "void"), SlipGap("fill", 2, "requested")]


def test_the_same_request_twice_is_one_slip(house: House) -> None:
    uth, by = house.sessions["UTH-01"], house.people["FS-1"]
    first, again = (chip_slips.request_fill(uth, CHIPS, at=house.tick(), by=by, uuid=uuid(5)) for _ in range(2))
    assert (first.pk, ChipSlip.objects.count()) == (again.pk, 1)
    with pytest.raises(CasinoError) as error:
        chip_slips.request_fill(uth, CountSlip({100: 1}), at=house.tick(), by=by, uuid=uuid(5))
    assert error.value.code == "reference_reused"


def test_a_slip_of_no_chips_is_refused(house: House) -> None:
    with pytest.raises(InvalidSlip) as error:
        chip_slips.request_fill(house.sessions["UTH-01"], CountSlip({}), at=house.tick(), by=house.people["FS-1"], uuid=uuid4())
    assert (error.value.code, error.value.where, ChipSlip.objects.count()) == ("bad_amount", "denominations", 0)


def test_an_open_slip_blocks_the_close(house: House) -> None:
    request(house)
    with pytest.raises(CasinoError) as error:
        floor.close_session(house.sessions["UTH-01"], CountSlip({1: 1}), at=house.tick(), by=house.people["PB-1"], witness=house.people["FS-1"])
    assert error.value.code == "blocked"
    assert [one["code"] for one in error.value.facts["blockers"]] == ["open_slip"]


# ---- what the database refuses ----


def refused(statement: str, *params: object) -> str:
    with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params)
    return str(error.value)


SLIP = (
    "INSERT INTO tables_chipslip (uuid, property_id, session_id, kind, number, amount, denominations, occurred_at, requested_by_id)"
    " VALUES (%s, %s, %s, 'fill', %s, 5, '{}', now(), %s)"
)
EVENT = "INSERT INTO tables_chipslipevent (slip_id, sequence, state, occurred_at, by_id, witness_id, note) VALUES (%s, %s, %s, now(), %s, %s, %s)"


def test_the_database_refuses_a_gap(house: House) -> None:
    request(house)
    for number in (1, 3, 7):
        words = refused(SLIP, uuid4(), house.property.pk, house.sessions["UTH-01"].pk, number, house.people["FS-1"].pk)
        assert "number" in words


def test_the_database_refuses_signatures_out_of_order_or_of_the_same_person(house: House) -> None:
    slip, people = request(house), {name: person.pk for name, person in house.people.items()}
    assert "in this order" in refused(EVENT, slip.pk, 3, "received", people["PB-1"], None, "")
    assert "in this order" in refused(EVENT, slip.pk, 2, "sent", people["PB-1"], None, "")
    assert "three_people" in refused(EVENT, slip.pk, 2, "issued", people["FS-1"], None, "")
    assert "void_by_two" in refused(EVENT, slip.pk, 2, "void", people["CG-1"], people["CG-1"], "why")
    assert "void_by_two" in refused(EVENT, slip.pk, 2, "void", people["CG-1"], people["SM-1"], "")
    VERBS["void"](house, slip)
    assert "in this order" in refused(EVENT, slip.pk, 3, "received", people["PB-1"], None, "")
    assert ChipSlipEvent.objects.filter(slip=slip).count() == 2


def test_the_database_refuses_chips_without_a_signed_slip(house: House) -> None:
    slip = request(house)
    people = [house.people[name].pk for name in ("FS-1", "CG-1", "PB-1")]
    statement = (
        "INSERT INTO tables_chipmovement (uuid, property_id, session_id, kind, number, amount, patron, declined, instrument, gaming_day,"
        " occurred_at, slip_id, requested_by_id, issued_by_id, received_by_id)"
        " VALUES (%s, %s, %s, 'fill', 1, 20000, '', false, '', %s, now(), %s, %s, %s, %s)"
    )
    words = refused(statement, uuid4(), house.property.pk, slip.session_id, house.shift.gaming_day, slip.pk, *people)
    assert "three people have signed" in words
