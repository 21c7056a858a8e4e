"""Lines that no round could be, and lines that are one though they do not look like it."""

import json
import time

import pytest

from tables.engine.json_line import LONGEST_LINE
from tables.engine.settle import answer_line, settle_line
from tables.paytable_files import published
from tests.engine.sheets import PAYROLL_ROUND, UTH_ROUND, answer, copy, errors, version

LINE = json.dumps(UTH_ROUND)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[1,2]",
        "null",
        "7",
        '"uth"',
        LINE + LINE,
        LINE + "x",
        LINE.replace("{", "{,", 1),
        "{'game':'uth'}",
        LINE.replace('"uth"', '"uth","game":"uth"'),
        LINE.replace('"seat": 1', '"seat":1,"seat":1'),
        LINE.replace('"seat": 1', '"seat":1,"s\\u0065at":1'),
        LINE.replace('"seat": 1', '"seat":1,"tip":{"a":1,"a":1}'),
        LINE.replace("1000", "NaN", 1),
        LINE.replace("1000", "-Infinity", 1),
        LINE.replace("1000", "01000", 1),
        LINE.replace("1000", "+1000", 1),
        LINE.replace("1000", "1000.", 1),
        LINE.replace("1000", "１０００", 1),
        LINE.replace("1000", "1_000", 1),
        LINE.replace("T12", "T\t12"),
        LINE.replace("T12", "\\ud800"),
        LINE.replace("T12", "\\uDC00\\uD800"),
        LINE.replace('"seat": 1', '"\\ud83d":1,"seat":1'),
        LINE.encode().replace(b"T12", b"\xff"),
        LINE.encode().replace(b"T12", b"\xed\xa0\x80"),
        LINE.encode("utf-16"),
        LINE.encode("utf-32"),
        "\ud800",
        LINE.replace("T12", "\udcff"),
        b"\x00",
        b"\xef\xbb\xbf",
        "[" * 200_000,
        '{"a":' * 40_000,
        '{"game":"uth","id":"x","seats":' + "[" * 100_000 + "]" * 100_000 + "}",
        LINE.replace("T12", "x" * LONGEST_LINE),
    ],
)
def test_what_is_no_object_is_bad_json(line):
    found = answer(line)
    assert [(found["error"]["code"], found["error"]["where"]), found["id"]] == [("bad_json", ""), None]
    assert len(found["errors"]) == 1
    assert len(found["error"]["message"]) < 200


@pytest.mark.parametrize(
    "line",
    [
        LINE.encode(),
        "\ufeff" + LINE,
        b"\xef\xbb\xbf" + LINE.encode(),
        LINE + "\r\n",
        "  \t" + LINE + " \n",
        LINE.replace(": ", ":").replace(", ", ","),
        LINE.replace("game", "g\\u0061me"),
        LINE.replace('["2h", "9s", "9d", "Jc", "Qh"]', '"2h9s, 9d jc\\t Q\\u2665"'),
        LINE.replace('"Qh"', '"qH"'),
    ],
)
def test_a_round_may_be_written_in_many_ways(line):
    assert answer(line) == answer(LINE)


def test_seats_and_fields_may_stand_in_any_order():
    turned = {key: UTH_ROUND[key] for key in reversed(UTH_ROUND)}
    turned["seats"] = [dict(reversed(seat.items())) for seat in reversed(UTH_ROUND["seats"])]
    assert answer(turned) == answer(UTH_ROUND)
    assert [seat["seat"] for seat in answer(turned)["seats"]] == [1, 2]


@pytest.mark.parametrize("number", ["1000.0", "1e3", "1E3", "10e2", "1000.5", "-0", "-0.0", "-1", "1" + "0" * 5000, "-1" + "0" * 5000, "1e999"])
@pytest.mark.parametrize("field", ["ante", "trips"])
def test_numbers_that_are_no_whole_amount(number, field):
    facts = copy(UTH_ROUND)
    facts["seats"][0][field] = "HERE"
    assert errors(json.dumps(facts).replace('"HERE"', number)) == [("bad_amount", f"seats[0].{field}")]


@pytest.mark.parametrize(("number", "code"), [("1.0", "bad_type"), ("-0", "bad_type"), ("1" + "0" * 5000, "bad_seat"), ("-7", "bad_seat")])
def test_numbers_that_are_no_seat(number, code):
    assert errors(LINE.replace('"seat": 1', f'"seat": {number}')) == [(code, "seats[0].seat")]


def test_an_id_may_hold_what_looks_like_json():
    for id in ["-0,", 'a":1,"b', "::::", "T12-0", "\\ud800", "Zoë ♠ 🂡"]:
        found = answer(json.dumps(UTH_ROUND | {"id": id}))
        assert found["id"] == id
        assert found["seats"] == answer(LINE)["seats"]
        assert answer(json.dumps(UTH_ROUND | {"id": id}, ensure_ascii=False))["id"] == id


@pytest.mark.parametrize("field", ["paytable", "id", "community", "seats", "game", "x"])
def test_depths_that_python_can_just_read_or_just_not(field):
    for depth in range(300, 1010, 7):
        for deep in ('{"a":' * depth + "1" + "}" * depth, "[" * depth + "]" * depth):
            found = answer(json.dumps(UTH_ROUND | {field: "HERE"}).replace('"HERE"', deep))
            assert len(found["errors"]) >= 1


def test_a_long_line_of_faults_is_answered_in_time():
    began = time.process_time()
    many = answer('{"game":"uth","id":"x","seats":[],' + ",".join(f'"k{number}":0' for number in range(20_000)) + "}")
    assert len(many["errors"]) == 20_000
    cards = answer('{"game":"uth","id":"x","seats":[],"community":"' + "1O" * 60_000 + '"}')
    assert cards["error"]["where"] == "community[0]"
    assert time.process_time() - began < 10


def test_the_answer_is_one_line_of_json_and_the_same_by_both_doors():
    for facts in (UTH_ROUND, PAYROLL_ROUND, UTH_ROUND | {"id": "Zoë\u2028\u0085"}, UTH_ROUND | {"dealer": 7}):
        line = json.dumps(facts)
        text, settled = answer_line(line, published().get)
        assert b"\n" not in text
        assert json.loads(text) == settle_line(line, published().get)
        assert settled == ("error" not in json.loads(text))


# ---- which paytable ----


def test_the_rounds_own_paytable_goes_before_the_default_and_that_before_the_games():
    assert answer(UTH_ROUND)["paytable"] == answer(UTH_ROUND, default="uth-seed@1")["paytable"] == "uth-seed@1"
    own = version("uth", trips_on_fold="forfeits")
    assert answer(UTH_ROUND | {"paytable": own}, default="nobody@1")["paytable"] == "house@1"
    assert answer(UTH_ROUND | {"paytable": "uth-seed@1"}, default="nobody@1")["paytable"] == "uth-seed@1"


def test_a_default_that_is_not_published_or_not_for_the_game():
    assert answer(UTH_ROUND, default="nobody@1")["error"]["code"] == "unknown_paytable"
    assert answer(PAYROLL_ROUND, default="uth-seed@1")["error"]["code"] == "bad_paytable"


def test_a_written_out_version_is_known_by_its_content():
    seed = copy(dict(published()["uth-seed@1"].content))
    same = seed | {"odds": seed["odds"] | {"blind": dict(reversed(seed["odds"]["blind"].items()))}}
    assert answer(UTH_ROUND | {"paytable": same}) == answer(UTH_ROUND)
    other = copy(seed)
    other["odds"]["blind"]["flush"] = "2:1"
    assert errors(UTH_ROUND | {"paytable": other}) == [("bad_paytable", "paytable")]
    assert "error" not in answer(UTH_ROUND | {"paytable": other | {"version": 2}})


def test_every_round_with_the_same_version_has_the_same_hash():
    written = version("uth", caps={"seat": 5000})
    fuller = version("uth", caps={"seat": 5000, "wager": {}})
    hashes = {answer(UTH_ROUND | {"paytable": paytable})["paytable_sha256"] for paytable in (written, fuller)}
    assert len(hashes) == 1
    assert hashes != {answer(UTH_ROUND)["paytable_sha256"]}
