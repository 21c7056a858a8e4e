"""Rounds by the file: the same rows as one by one, whole or not at all, every error by line and field."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction

from casino.errors import Refused, Unavailable
from ledger.guards import problems
from ledger.models import Account, Entry, Transfer
from ledger.selectors import balances
from tables.models import ImportedRound, Round, RoundImport, Wager
from tables.services.bulk_rounds import ImportResult, import_rounds
from tables.slips import read_round_slip
from tests.builders import House, end_night, play, slip

pytestmark = pytest.mark.django_db


def hand_in(house: House, *slips: dict[str, Any] | bytes, who: str = "PB-1", **more: Any) -> ImportResult:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in slips]
    return import_rounds(lines, by=house.people[who], at=house.clock, name="night.ndjson", **more)


def rows() -> dict[str, list[dict[str, Any]]]:
    """Return every column of every row that rounds leave, but keys, clocks, and UUIDs that are made at random."""
    own = {"id", "recorded_at", "made_in", "round_id", "entry_id", "uuid", "reverses_id"}
    kept: dict[str, list[dict[str, Any]]] = {}
    for model, order in ((Round, "id"), (Wager, "id"), (Entry, "id"), (Transfer, "id")):
        found = model.objects.filter(kind="round") if model is Entry else model.objects.all()
        found = found.filter(entry__kind="round") if model is Transfer else found
        kept[model.__name__] = [
            {name: bytes(value) if isinstance(value, memoryview) else value for name, value in row.items() if name not in own}
            for row in found.order_by(order).values()
        ]
    return kept


def test_what_is_imported_is_what_is_recorded_one_by_one_column_for_column(house: House) -> None:
    reason = {"reason": "blind\tis \\ not\nthe ante"}
    odd = {"seats": [{"seat": 1, "ante": 1000, "blind": 500, "folded": True}]}
    slips = [
        slip(house, done={"1": {"trips": {"collected": 0, "paid": 2000}}}, patrons={"1": "P-20931"}),
        slip(house, "PAY-01"),
        slip(house, mispaid=[{"seat": 1, "wager": "trips", "status": "corrected", "first": {"collected": 0, "paid": 2500}, "note": "a\ttab"}]),
        slip(house, facts=odd, irregular=reason, done={"1": {"ante": {"collected": 1000, "paid": 0}, "blind": {"collected": 500, "paid": 0}}}),
        slip(house, number=40),
        slip(house),
    ]
    with pytest.raises(_Undone), transaction.atomic():
        result = hand_in(house, *slips)
        assert (result.errors, result.added, result.already) == ([], 6, [])
        imported = rows()
        uuids = set(Round.objects.values_list("uuid", flat=True))
        raise _Undone
    assert [row["number"] for row in imported["Round"]] == [1, 1, 2, 3, 40, 41]
    assert [len(found) for found in imported.values()] == [6, 32, 6, 11]
    for raw in slips:
        play(house, raw["table"], raw["round"], **{key: value for key, value in raw.items() if key not in ("round", "table")})
    assert rows() == imported
    assert set(Round.objects.values_list("uuid", flat=True)) == uuids


class _Undone(Exception):
    """Takes the import back, so that the same slips can be recorded one by one."""


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_bad_slip_keeps_all_others_out(house: House, place: int) -> None:
    """B056."""
    slips = [slip(house) for _ in range(3)]
    slips[place]["round"] = {**slips[place]["round"], "dealer": ["Kc", "As"]}
    before = rows()
    result = hand_in(house, *slips)
    assert [(one.line, one.fault.code, one.fault.where) for one in result.errors] == [(place + 1, "duplicate_card", "round.seats[0].cards[0]")]
    assert (result.added, rows(), RoundImport.objects.count()) == (0, before, 0)


def test_every_error_is_said_by_line_and_field(house: House) -> None:
    good = slip(house)
    result = hand_in(
        house,
        good,
        b"{nonsense",
        b"",
        {key: value for key, value in slip(house).items() if key != "dealer"},
        slip(house, dealer="D-9999"),
        {**slip(house), "table": "UTH-99"},
        slip(house, occurred_at="2026-03-14T01:00:00-07:00"),
        slip(house, number=7),
        slip(house, number=7),
        {**slip(house), "uuid": good["uuid"]},
        slip(house, done={"1": {"ante": {"paid": 2.215}}}),
    )
    assert [(one.line, one.fault.code, one.fault.where) for one in result.errors] == [
        (2, "bad_json", ""),
        (4, "missing_field", "dealer"),
        (5, "no_dealer", "dealer"),
        (6, "no_table", "table"),
        (7, "bad_time", "occurred_at"),
        (9, "number_taken", "number"),
        (10, "reference_reused", "uuid"),
        (11, "bad_amount", "done.1.ante.paid"),
    ]
    assert Round.objects.count() == 0


def test_what_is_in_already_is_said_and_another_body_is_an_error(house: House) -> None:
    first, second = slip(house), slip(house)
    hand_in(house, first)
    result = hand_in(house, first, second, second)
    assert (result.added, [(line, str(uuid)) for line, uuid in result.already]) == (1, [(3, second["uuid"]), (1, first["uuid"])])
    reused = hand_in(house, {**first, "number": 900})
    assert [(one.line, one.fault.code) for one in reused.errors] == [(1, "reference_reused")]
    assert Round.objects.count() == 2


def test_a_rehearsal_keeps_nothing(house: House) -> None:
    result = hand_in(house, slip(house), slip(house), dry_run=True)
    assert (result.errors, result.added, Round.objects.count(), Entry.objects.filter(kind="round").count()) == ([], 2, 0, 0)


def test_it_is_kept_who_imported_which_rounds(house: House) -> None:
    result = hand_in(house, slip(house), slip(house))
    kept = RoundImport.objects.get(uuid=result.uuid)
    assert (kept.by.username, kept.rounds, kept.already, kept.sha256) == ("PB-1", 2, 0, result.sha256)
    assert list(ImportedRound.objects.values_list("line", "source__name")) == [(1, "night.ndjson"), (2, "night.ndjson")]
    assert not hasattr(play(house), "imported")


@pytest.mark.parametrize(("who", "code"), [("CG-1", "not_allowed"), ("FS-1", "not_allowed"), ("AU-1", "not_allowed"), ("AD-1", "not_allowed")])
def test_who_may_not_import(house: House, who: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        hand_in(house, slip(house), who=who)
    assert (refused.value.code, Round.objects.count()) == (code, 0)


def test_a_pit_boss_imports_for_their_own_pit_and_a_shift_manager_for_all(house: House) -> None:
    result = hand_in(house, slip(house, "UTH-02"))
    assert [(one.fault.code, one.fault.where) for one in result.errors] == [("not_your_pit", "table")]
    assert hand_in(house, slip(house, "UTH-02"), slip(house, "UTH-01"), who="SM-1").added == 2
    odd = slip(house, facts={"seats": [{"seat": 1, "ante": 1000, "blind": 500, "folded": True}]}, irregular={"reason": "x"})
    irregular = {**odd, "done": {"1": {"ante": {"collected": 0, "paid": 0}, "blind": {"collected": 0, "paid": 0}}}}
    assert [one.fault.code for one in hand_in(house, irregular, who="SM-1").errors] == ["not_allowed"]
    assert hand_in(house, irregular).added == 1


def test_a_closed_table_takes_no_file(house: House) -> None:
    raw = slip(house)
    end_night(house)
    assert [(one.fault.code, one.fault.where) for one in hand_in(house, raw).errors] == [("session_closed", "table")]


@pytest.mark.django_db(databases=["default", "owner"], transaction=True)
def test_an_import_neither_makes_partitions_nor_waits_for_who_does(house: House) -> None:
    """They are made ahead, and never inside a posting: whoever makes one waits for all postings."""
    with connections["owner"].cursor() as cursor, transaction.atomic("owner"):
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('pitbook partitions', 0))")
        assert hand_in(house, slip(house)).added == 1
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE tables_wager DETACH PARTITION tables_wager_202603")
    with pytest.raises(Unavailable) as refused:
        hand_in(house, slip(house))
    assert (refused.value.code, Round.objects.count()) == ("no_partition", 1)


@pytest.mark.django_db(databases=["default", "owner"], transaction=True)
def test_a_floor_holds_within_the_file(house: House) -> None:
    tray = Account.objects.get(code="tray:UTH-01")
    held = balances([tray])[tray.pk]
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE ledger_account SET floor = %s WHERE id = %s", [held - 4_000, tray.pk])
    result = hand_in(house, slip(house), slip(house), slip(house))  # each loses 2,500 net
    assert [(one.line, one.fault.code, one.fault.facts) for one in result.errors] == [(2, "floor", {"account": "tray:UTH-01"})]
    assert (Round.objects.count(), balances([tray])[tray.pk]) == (0, held)
    assert hand_in(house, slip(house)).added == 1


def test_a_csv_file_has_decimals_of_the_currency_and_is_exact(house: House) -> None:
    """B042: 80.60 is 8060, not 8059."""
    at = house.tick().isoformat()
    header = "uuid,table,occurred_at,dealer,id,round.community,seat,cards,ante,blind,trips,play,street,folded"
    lines = [header]
    amounts = ["80.60", "80.9", "80.99", "1.15", "0.29"]
    for number, amount in enumerate(amounts, start=1):
        uuid = f"00000000-0000-4000-8000-00000000000{number}"
        lines.append(f"{uuid},UTH-01,{at},D-1187,L-{number},,1,,{amount},{amount},,,,yes")
        lines.append(f"{uuid},,,,,,2,,{amount},{amount},,,,yes")
    result = import_rounds([f"{line}\n".encode() for line in lines], by=house.people["PB-1"], at=house.clock, name="x.csv", csv=True)
    assert result.errors == []
    stakes = Wager.objects.filter(seat=2, kind="ante").order_by("round_id").values_list("stake", flat=True)
    assert list(stakes) == [8060, 8090, 8099, 115, 29]


def test_a_csv_line_that_is_wrong_says_its_column(house: House) -> None:
    at = house.tick().isoformat()
    lines = [
        "uuid,table,occurred_at,dealer,id,seat,ante,blind,folded,colour,done.ante",
        f"00000000-0000-4000-8000-000000000001,UTH-01,{at},D-1187,A,1,2.215,5,yes,,",
        f"00000000-0000-4000-8000-000000000002,UTH-01,{at},D-1187,B,1,5,5,yes,red,+",
        f"00000000-0000-4000-8000-000000000003,UTH-99,{at},D-1187,C,1,5,5,yes,,",
        "too,few",
    ]
    result = import_rounds([f"{line}\n".encode() for line in lines], by=house.people["PB-1"], at=house.clock, name="x.csv", csv=True)
    assert sorted((one.line, one.fault.code, one.fault.where) for one in result.errors) == [
        (2, "bad_amount", "ante"),
        (3, "bad_amount", "done.ante"),
        (3, "unknown_field", "colour"),
        (4, "no_table", "table"),
        (5, "bad_type", ""),
    ]


def test_the_command_says_what_came_of_it(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)
    file = tmp_path / "night.ndjson"
    first, second = slip(house), slip(house)
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    out = io.StringIO()
    call_command("import_rounds", str(file), by="PB-1", dry_run=True, stdout=out)
    assert out.getvalue().startswith("2 rounds would be added, 0 in already")
    call_command("import_rounds", str(file), by="PB-1", stdout=out)
    assert Round.objects.count() == 2
    file.write_text(json.dumps({**second, "number": 77}) + "\nrubbish\n")
    with pytest.raises(CommandError, match="2 errors: nothing was kept"):
        call_command("import_rounds", str(file), by="PB-1", stdout=out)
    assert "line 1: uuid: Another slip was handed in under this uuid. (reference_reused)" in out.getvalue()
    with pytest.raises(CommandError, match="staff number"):
        call_command("import_rounds", str(file), by="NOBODY")
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_rounds", str(tmp_path / "none"), by="PB-1")


def test_no_row_is_left_out_of_a_long_file(house: House) -> None:
    """B104: a file is not cut anywhere."""
    slips = [slip(house, facts={"seats": [{"seat": 1, "ante": 5, "blind": 5, "folded": True}]}) for _ in range(1203)]
    result = hand_in(house, *slips)
    assert (result.errors, result.added, Round.objects.count(), Wager.objects.count()) == ([], 1203, 1203, 2406)
    assert problems() == []


@pytest.mark.parametrize("text", ["plain", "é", "\x7f", '\t\\"/'])
def test_a_slips_fingerprint_is_of_its_keys_in_order_and_escaped(house: House, text: str) -> None:
    """Slips that were kept before are known again: the bytes are those of the standard library's JSON."""
    raw = slip(house, mispaid=[{"seat": 1, "wager": "trips", "status": "not_recovered", "note": text}])
    body = json.dumps(raw, sort_keys=True, separators=(",", ":")).encode()
    assert read_round_slip(raw).fingerprint == hashlib.sha256(body).digest()
