"""Amounts as people type and read them; the gaming day; canonical JSON; odds."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.canonical import canonical_json
from casino.gaming_day import gaming_day, local_moment
from casino.money import Notation, format_amount, parse_amount
from casino.odds import format_odds, parse_odds


@pytest.mark.parametrize(
    ("text", "exponent", "expected"),
    [
        ("80.60", 2, 8060),  # B042
        ("80.9", 2, 8090),
        ("80.99", 2, 8099),
        ("1.15", 2, 115),
        ("0.29", 2, 29),
        ("1,234.50", 2, 123450),
        ("1 234.50", 2, 123450),
        ("12", 2, 1200),
        ("1000", 0, 1000),  # B043
        ("1.234", 3, 1234),
    ],
)
def test_an_amount_is_read_exactly(text: str, exponent: int, expected: int) -> None:
    assert parse_amount(text, Notation(exponent)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5.",
        "-1",
        "+1",
        "1e3",
        "1.000",
        "2.215",
        ".5",
        "9,,999.99",
        "1,00",
        "12,34",
        "1,2345",
        "٣",
        "1.2.3",
        "NaN",
        "1" * 16,
        "1" * 5000,
        "0x1",
        "1.٣",
    ],
)
def test_what_is_no_amount_or_could_be_two_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="“"):
        parse_amount(text, Notation(2))


def test_yen_have_no_decimals() -> None:
    with pytest.raises(ValueError, match="more than 0 decimals"):
        parse_amount("25.75", Notation(0))


def test_a_comma_may_be_the_decimal_sign() -> None:
    comma = Notation(2, ",", ".")
    assert parse_amount("1.000,50", comma) == 100050
    assert parse_amount("1.000", comma) == 100000
    with pytest.raises(ValueError, match="grouped in threes"):
        parse_amount("1.00", comma)


@given(st.integers(0, 10**15 - 1), st.integers(0, 4), st.sampled_from([(".", ","), (",", "."), (".", "’")]))
def test_what_is_shown_reads_back(amount: int, exponent: int, signs: tuple[str, str]) -> None:
    notation = Notation(exponent, *signs)
    assert parse_amount(format_amount(amount, notation), notation) == amount


def test_minus_signs_are_real() -> None:
    assert format_amount(-4250, Notation(2)) == "\u221242.50"


@pytest.mark.parametrize(
    ("moment", "zone", "expected"),
    [
        (datetime(2026, 11, 30, 22, 46, tzinfo=UTC), "Asia/Hong_Kong", date(2026, 12, 1)),  # B081: 06:46 local
        (datetime(2026, 11, 30, 21, 46, tzinfo=UTC), "Asia/Hong_Kong", date(2026, 11, 30)),  # 05:46 local
        (datetime(2024, 4, 25, 22, 30, tzinfo=UTC), "Africa/Cairo", date(2024, 4, 25)),  # midnight does not exist there
        (datetime(2016, 10, 16, 15, 0, tzinfo=UTC), "America/Sao_Paulo", date(2016, 10, 16)),  # B078
        (datetime(2026, 4, 4, 15, 10, tzinfo=UTC), "Australia/Lord_Howe", date(2026, 4, 4)),
    ],
)
def test_the_gaming_day_is_the_propertys(moment: datetime, zone: str, expected: date) -> None:
    assert gaming_day(moment, zone, time(6)) == expected


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("America/New_York", date(2026, 3, 7), 7.0),
        ("America/New_York", date(2026, 10, 31), 9.0),
        ("Australia/Lord_Howe", date(2026, 4, 4), 8.5),
        ("Australia/Lord_Howe", date(2026, 10, 3), 7.5),
    ],
)
def test_a_shift_over_a_clock_change_has_the_hours_that_pass(zone: str, day: date, hours: float) -> None:
    starts, ends = (local_moment(day, at, zone, time(6)) for at in (time(22), time(5, 59)))
    passed = ends.astimezone(UTC) - starts.astimezone(UTC)
    assert round((passed.total_seconds() + 60) / 3600, 1) == hours


@pytest.mark.parametrize(("text", "basis", "expected"), [("3:2", "to", Fraction(3, 2)), ("5:1", "for", Fraction(4)), ("0:1", "to", Fraction(0))])
def test_odds_are_exact(text: str, basis: str, expected: Fraction) -> None:
    assert parse_odds(text, basis=basis) == expected
    assert parse_odds(format_odds(expected)) == expected


@pytest.mark.parametrize("text", ["3", "3:0", "-3:2", "3:-2", "3.5:1", "03:2", "", "3:2 ", "٣:2", "1:2:3"])
def test_what_is_no_odds_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="odds"):
        parse_odds(text)


def test_for_cannot_return_less_than_the_stake() -> None:
    with pytest.raises(ValueError, match="less than the stake"):
        parse_odds("1:2", basis="for")


def test_canonical_json_is_rfc_8785() -> None:
    value = {"\u20ac": 1, "\r": 2, "1": 3, "\U0001f600": 4, "\u0080": 5, "\u00f6": 6, "\ufb33": 7}
    ordered = ["\\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]  # RFC 8785, 3.2.3
    text = canonical_json(value).decode()
    assert [text.index(f'"{key}"') for key in ordered] == sorted(text.index(f'"{key}"') for key in ordered)
    assert canonical_json({"a": [True, None, '\x0f\n"\\'], "A": -5}) == b'{"A":-5,"a":[true,null,"\\u000f\\n\\"\\\\"]}'


@pytest.mark.parametrize("value", [1.0, 2**53, {1: 2}, b"x", float("nan"), {"a": 0.5}])
def test_what_has_no_canonical_json_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="canonical JSON"):
        canonical_json(value)
