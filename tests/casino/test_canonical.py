"""Canonical JSON: the same bytes whichever way they are written."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.canonical import canonical_json

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | _TEXT,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(_TEXT, inner, max_size=6),
    max_leaves=20,
)


@given(st.dictionaries(_TEXT, _PLAIN, max_size=6))
def test_what_is_plain_is_written_as_what_is_not(value: dict[str, Any]) -> None:
    """A mapping that is no dict is written by the patient way."""
    assert canonical_json(value) == canonical_json(MappingProxyType(value))


def test_keys_are_ordered_by_utf_16_and_escapes_are_short() -> None:
    assert canonical_json({"\ufb33": 1, "\U0001f600": 2, "a": '\x00\x1f\x7f\b\t\n\f\r"\\/é'}) == (
        '{"a":"\\u0000\\u001f\x7f\\b\\t\\n\\f\\r\\"\\\\/é","\U0001f600":2,"\ufb33":1}'.encode()
    )


@pytest.mark.parametrize("value", [1.5, [0.0], {"a": float("nan")}, {1: 2}, 2**53, [-(2**53)], {"a": b""}, "\ud800", {"a": object()}])
def test_what_has_no_canonical_json_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical_json(value)
