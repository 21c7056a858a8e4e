"""The quick reader of a line and the strict one give the same answer to every line, byte for byte, whatever stands on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.engine import settle
from tables.engine.json_line import LONGEST_LINE, parse_line, plain_nested, plain_object
from tables.engine.settle import answer_line
from tables.paytable_files import published

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]


ROUNDS = [line["round"] for name in ("uth", "payroll", "uth_house", "payroll_house") for line in golden(name)]
ERRORS = [line["line"] for line in golden("errors")]
ODD_NUMBERS = [
    "-0",
    "0",
    "1.0",
    "1e3",
    "1E400",
    "-1",
    "-0.0",
    "18446744073709551615",
    "18446744073709551616",
    "9" * 400,
    "1" + "0" * 5000,
    "01",
    "NaN",
]
ODD_TEXTS = ['"\\ud800"', '"\\ud83c\\udca1"', '"\\u0000"', '"a:b"', '"-0,"', '"\\u002d0"', "null", "true", "[]", "{}", '{"a":1,"a":2}', "[[1],{}]"]


def both(line: bytes) -> tuple[Any, Any]:
    """The answers of the quick way and of the strict one."""
    find = published().get
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settle, "plain_object", lambda _: None)
        strict = answer_line(line, find)
    return answer_line(line, find), strict


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside `value`, its own first."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *[found for key, one in inside for found in paths(one, (*path, key))]]


def written(value: Any, swaps: dict[int, str], doubles: dict[int, str]) -> str:
    """JSON text in which the values of some identities are replaced, and some objects say a key again at their end or beginning."""
    if id(value) in swaps:
        return swaps[id(value)]
    if isinstance(value, dict):
        members = [f"{json.dumps(key)}:{written(inside, swaps, doubles)}" for key, inside in value.items()]
        if id(value) in doubles and value:
            key = next(iter(value))
            again = f"{doubles[id(value)].replace('KEY', key)}:{json.dumps(value[key])}"
            members.append(again)
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(inside, swaps, doubles) for inside in value) + "]"
    return json.dumps(value, ensure_ascii=False)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A round's line with something odd in it: other numbers and values, keys twice at any depth, bytes changed anywhere."""
    facts = json.loads(json.dumps(draw(st.sampled_from(ROUNDS))))
    objects = [facts, *facts["seats"], *[one for one in [facts.get("paytable")] if isinstance(one, dict)]]
    objects += [part for part in objects[-1].values() if isinstance(part, dict)]
    doubles = {id(one): draw(st.sampled_from(['"KEY"', '"\\u0073eat"', '"x"'])) for one in draw(st.lists(st.sampled_from(objects), max_size=2))}
    swaps: dict[int, str] = {}
    if draw(st.booleans()):
        *steps, last = draw(st.sampled_from(paths(facts)[1:]))
        holder = facts
        for step in steps:
            holder = holder[step]
        holder[last] = ["odd"]
        swaps[id(holder[last])] = draw(st.sampled_from(ODD_NUMBERS + ODD_TEXTS))
    text = written(facts, swaps, doubles).encode("utf-8", "surrogatepass")
    for place, byte in draw(st.lists(st.tuples(st.integers(0, len(text) - 1), st.binary(max_size=1)), max_size=2)):
        text = text[:place] + byte + text[place + 1 :]
    return text.replace(b"\n", b" ")


@settings(max_examples=400, deadline=None)
@given(lines())
def test_both_ways_answer_alike(line):
    quick, strict = both(line)
    assert quick == strict


def test_golden_rounds_and_errors_are_answered_alike():
    for line in [json.dumps(facts, ensure_ascii=False) for facts in ROUNDS] + ERRORS:
        quick, strict = both(line.encode("utf-8", "surrogatepass"))
        assert quick == strict


def test_most_golden_rounds_that_settle_take_the_quick_way():
    plain = [facts for facts in ROUNDS if not isinstance(facts.get("paytable"), dict)]
    taken = [plain_object(json.dumps(facts).encode()) for facts in plain]
    assert len(plain) > 100
    assert [found for found in taken if found is not None] == plain


@pytest.mark.parametrize(
    "line",
    [
        b'{"game":"uth","game":"uth"}',
        b'{"seats":[{"seat":1,"seat":1}]}',
        b'{"seats":[{"seat":1,"s\\u0065at":1}]}',
        b'{"seats":[1,{"seat":1,"seat":1}]}',
        b'{"a":{"b":1,"b":1}}',
        b'{"a":[[{"b":1,"b":1}]]}',
        b'{"a":-0}',
        b'{"a":[1,-0 ]}',
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b'\xef\xbb\xbf{"a":1}',
        b"[1]",
        b"1",
        b"",
        b'{"a":"' + b"x" * LONGEST_LINE + b'"}',
    ],
)
def test_what_needs_a_second_look_is_left_to_the_strict_reader(line):
    assert plain_object(line) is None


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.integers(-(2**63), 2**64 - 1), st.booleans(), st.none(), st.text(max_size=5)), max_size=4))
def test_what_it_reads_is_what_the_strict_reader_reads(facts):
    line = json.dumps(facts).encode()
    found = plain_object(line)
    assert found is None or found == parse_line(line) == facts


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1,"a":2}',
        b'{"a" :1,"a":2}',
        b'{"a":{"b":1,"b":2}}',
        b'{"a":[{"b":1,"b":1}]}',
        b'{"a":[[{"b":1,"b":1}]]}',
        b'{"a":1.0}',
        b'{"a":[1e2]}',
        b'{"a":-0}',
        b'{"a":18446744073709551616}',
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\":"}',
        b"[1]",
        b"{",
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\xff"}',
        b'{"a":"' + b"x" * 2**18 + b'"}',
    ],
)
def test_a_nested_line_that_is_odd_is_looked_at(line: bytes) -> None:
    assert plain_nested(line) is None


def test_a_nested_line_is_read_as_the_strict_reader_does() -> None:
    slip = {
        "uuid": "6f96",
        "at": "2026-03-04T21:14:05+00:00",
        "round": {"seats": [{"seat": 1, "why": "é ü"}], "n": -7, "big": 2**62},
        "x": [],
        "y": None,
    }
    for line in (json.dumps(slip), json.dumps(slip, ensure_ascii=False, separators=(",", ":"))):
        assert plain_nested(line.encode()) == parse_line(line) == slip
