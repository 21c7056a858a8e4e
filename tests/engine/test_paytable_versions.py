"""Paytable versions: defaults written out, odds reduced and to one, an identity, and what is refused."""

import hashlib
import json
from typing import Any

import pytest

from casino.errors import BrokenBooks, InvalidSlip
from tables import paytable_files
from tables.engine.game import games
from tables.paytable_files import FOLDER, published, read_file
from tests.engine.sheets import UTH_ROUND, errors, version

UTH, PAYROLL = games()["uth"], games()["payroll"]
UTH_SEED_SHA256 = "e1966dee3faf27ed42041de9a94429ed12b0702803526e1ff4b3edf6bc6e62fb"
PAYROLL_SEED_SHA256 = "b50888b47f6f656f0f4780b4c2603a10164f763dd0561f3374be5b6f09acfec7"
MINIMAL = {"game": "uth", "name": "m", "version": 1, "odds": {"blind": {}, "trips": {}}}


def faults(game: Any, raw: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidSlip) as refused:
        game.read_paytable(raw)
    return [(fault.code, fault.where) for fault in refused.value.faults]


def test_the_seeds_are_published_and_never_change():
    assert {"payroll-seed@1", "uth-seed@1"} <= set(published())
    assert published()["uth-seed@1"].sha256 == UTH_SEED_SHA256
    assert published()["payroll-seed@1"].sha256 == PAYROLL_SEED_SHA256
    assert published() is published()


def test_the_identity_is_the_hash_of_the_canonical_object():
    seed = published()["payroll-seed@1"]
    written = b'{"game":"payroll","name":"payroll-seed","rules":{"ante":100,"max_seats":8,"payout_unit":1,"rake_bps":0,"rake_cap":null},"version":1}'
    assert seed.canonical == written
    assert seed.sha256 == hashlib.sha256(written).hexdigest()
    assert seed.reference == "payroll-seed@1"
    assert {seed: "kept by version"}[PAYROLL.read_paytable(seed.content)] == "kept by version"
    assert seed != PAYROLL.read_paytable(seed.content | {"version": 2})
    assert seed != seed.sha256


def test_a_file_holds_what_its_name_says(tmp_path, monkeypatch):
    monkeypatch.setattr(paytable_files, "FOLDER", tmp_path)
    (tmp_path / "uth-seed@2.json").write_bytes((FOLDER / "uth-seed@1.json").read_bytes())
    with pytest.raises(BrokenBooks):
        published.__wrapped__()


@pytest.mark.parametrize(
    ("content", "code"),
    [("{", "bad_json"), ('{"game":"bingo"}', "unknown_game"), ('{"game":["uth"]}', "unknown_game"), ('{"game":"uth"}', "bad_paytable")],
)
def test_a_file_that_is_no_version(content, code, tmp_path):
    (tmp_path / "x@1.json").write_text(content)
    with pytest.raises(InvalidSlip) as refused:
        read_file(tmp_path / "x@1.json")
    assert refused.value.code == code


# ---- what is written out ----


def test_defaults_are_written_out():
    assert UTH.read_paytable(MINIMAL).content == {
        "game": "uth", "name": "m", "version": 1, "basis": "to", "odds": {"blind": {}, "trips": {}},
        "rules": {"dealer_qualifies": "pair", "play_multiples": {"preflop": [3, 4], "flop": [2], "river": [1]}, "trips_on_fold": "stays",
                  "trips_when_beaten": "pays", "payout_unit": 1, "rounding": "down", "caps": None},
    }  # fmt: skip
    assert PAYROLL.read_paytable({"game": "payroll", "name": "m", "version": 1, "rules": {"ante": 5}}).content["rules"] == {
        "ante": 5, "rake_bps": 0, "rake_cap": None, "max_seats": 8, "payout_unit": 1,
    }  # fmt: skip


def test_odds_are_reduced_and_to_one():
    on_to = MINIMAL | {"odds": {"blind": {"flush": "3:2"}, "trips": {"straight": "5:1", "pair": "0:1"}}}
    on_for = MINIMAL | {"basis": "for", "odds": {"blind": {"flush": "10:4"}, "trips": {"straight": "6:1", "pair": "1:1"}}}
    assert UTH.read_paytable(on_for).content == UTH.read_paytable(on_to).content
    assert UTH.read_paytable(on_for).sha256 == UTH.read_paytable(on_to).sha256


@pytest.mark.parametrize(
    ("caps", "written"),
    [
        (None, None),
        ({}, None),
        ({"wager": {}, "seat": None}, None),
        ({"seat": 0}, {"wager": {}, "seat": 0}),
        ({"wager": {"blind": 5}}, {"wager": {"blind": 5}, "seat": None}),
    ],
)
def test_caps_that_bound_nothing_are_null(caps, written):
    assert UTH.read_paytable(MINIMAL | {"rules": {"caps": caps}}).content["rules"]["caps"] == written


def test_what_was_written_out_reads_back_as_the_same():
    for raw in (MINIMAL, version("uth", caps={"seat": 5}), version("uth", rounding="up", payout_unit=50)):
        once = UTH.read_paytable(raw)
        assert UTH.read_paytable(json.loads(once.canonical)).sha256 == once.sha256


# ---- what is refused ----


def odds(text: Any) -> dict[str, Any]:
    return {"odds": {"blind": {"flush": text}, "trips": {}}}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"game": "payroll"}, ["game"]),
        ({"name": ""}, ["name"]),
        ({"name": "a@1"}, ["name"]),
        ({"name": 'a"b'}, ["name"]),
        ({"name": "x" * 65}, ["name"]),
        ({"version": 0}, ["version"]),
        ({"version": 1.0}, ["version"]),
        ({"version": True}, ["version"]),
        ({"version": 10**30}, ["version"]),
        ({"basis": "at"}, ["basis"]),
        ({"comment": "x"}, ["comment"]),
        ({"odds": None}, ["odds"]),
        ({"odds": {"blind": {}}}, ["odds.trips"]),
        ({"odds": {"blind": {}, "trips": {}, "ante": {}}}, ["odds.ante"]),
        ({"odds": {"blind": {"five_of_a_kind": "1:1"}, "trips": {}}}, ["odds.blind.five_of_a_kind"]),
        (odds("3/2"), ["odds.blind.flush"]),
        (odds("3"), ["odds.blind.flush"]),
        (odds("3:0"), ["odds.blind.flush"]),
        (odds("-3:2"), ["odds.blind.flush"]),
        (odds("3 : 2"), ["odds.blind.flush"]),
        (odds("03:2"), ["odds.blind.flush"]),
        (odds("٣:٢"), ["odds.blind.flush"]),
        (odds("9999999999:1"), ["odds.blind.flush"]),
        (odds(1.5), ["odds.blind.flush"]),
        (odds({}), ["odds.blind.flush"]),
        (odds("1:2") | {"basis": "for"}, ["odds.blind.flush"]),
        ({"rules": []}, ["rules"]),
        ({"rules": {"surrender": True}}, ["rules.surrender"]),
        ({"rules": {"dealer_qualifies": "ace"}}, ["rules.dealer_qualifies"]),
        ({"rules": {"trips_on_fold": True}}, ["rules.trips_on_fold"]),
        ({"rules": {"rounding": "half_even"}}, ["rules.rounding"]),
        ({"rules": {"payout_unit": 0}}, ["rules.payout_unit"]),
        ({"rules": {"payout_unit": 0.5, "rounding": None}}, ["rules.payout_unit", "rules.rounding"]),
        ({"rules": {"play_multiples": {"preflop": [4]}}}, ["rules.play_multiples.flop", "rules.play_multiples.river"]),
        ({"rules": {"play_multiples": {"preflop": [4], "flop": [0], "river": [1]}}}, ["rules.play_multiples.flop"]),
        ({"rules": {"play_multiples": {"preflop": [4], "flop": [2, 2], "river": [1, "1"]}}},
         ["rules.play_multiples.flop", "rules.play_multiples.river[1]"]),
        ({"rules": {"caps": 5}}, ["rules.caps"]),
        ({"rules": {"caps": {"seat": -5}}}, ["rules.caps.seat"]),
        ({"rules": {"caps": {"wager": {"bonus": 5}}}}, ["rules.caps.wager.bonus"]),
        ({"rules": {"caps": {"wager": {"blind": None}, "table": 1}}}, ["rules.caps.table", "rules.caps.wager.blind"]),
    ],
)  # fmt: skip
def test_versions_that_are_refused(change, where):
    expected = [("bad_paytable", place) for place in where]
    assert sorted(faults(UTH, MINIMAL | change)) == sorted(expected)
    if change != {"game": "payroll"}:
        assert sorted(errors(UTH_ROUND | {"paytable": MINIMAL | change})) == sorted((code, f"paytable.{place}") for code, place in expected)


@pytest.mark.parametrize("raw", [{}, {"game": "uth"}])
def test_what_is_missing_is_named(raw):
    missing = [name for name in ("game", "name", "version", "odds") if name not in raw]
    assert faults(UTH, raw) == [("bad_paytable", name) for name in missing]


def test_payroll_versions_that_are_refused():
    raw = {"game": "payroll", "name": "m", "version": 1, "basis": "to", "rules": {"rake_bps": 10_001, "max_seats": 9, "rake_cap": "x"}}
    assert sorted(faults(PAYROLL, raw)) == [
        ("bad_paytable", place) for place in ("basis", "rules.ante", "rules.max_seats", "rules.rake_bps", "rules.rake_cap")
    ]
    assert faults(PAYROLL, {"game": "payroll", "name": "m", "version": 1}) == [("bad_paytable", "rules")]


def test_a_bad_version_is_listed_with_the_rounds_other_faults():
    found = errors(UTH_ROUND | {"id": 7, "paytable": MINIMAL | {"version": 0, "name": 5}})
    assert found == [("bad_paytable", "paytable.name"), ("bad_paytable", "paytable.version"), ("bad_type", "id")]
