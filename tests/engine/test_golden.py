"""The golden rounds: in `expect`, objects hold the keys to compare, lists are compared whole and in order."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.sheets import answer

GOLDEN = Path(__file__).parent.parent / "golden"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def matches(expected: Any, found: Any) -> bool:
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(key in found and matches(value, found[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(matches, expected, found))
    return type(expected) is type(found) and expected == found


@pytest.mark.parametrize("name", ["uth", "uth_house", "payroll", "payroll_house"])
def test_rounds_settle_as_expected(name):
    cases = lines(name)
    assert len(cases) == 150
    for case in cases:
        found = answer(case["round"])
        assert matches(case["expect"], found), (case["round"], found)


def test_broken_lines_get_their_first_error():
    cases = lines("errors")
    assert len(cases) == 42
    for case in cases:
        assert matches(case["expect"], answer(case["line"]).get("error")), case["line"]
