"""Texts that PostgreSQL reads as arrays: whatever is in them comes back as it was."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casino.bulk import array_text

KEPT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.none() | KEPT), numbers=st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)), flags=st.lists(st.none() | st.booleans()))
def test_arrays_come_back_as_they_were(texts: list[Any], numbers: list[Any], flags: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::text[], %s::bigint[], %s::boolean[]", [array_text(texts), array_text(numbers), array_text(flags)])
        assert cursor.fetchone() == (texts, numbers, flags)


@pytest.mark.django_db
def test_what_an_array_would_read_otherwise_is_a_text_like_any() -> None:
    hostile = ["", "NULL", "null", "{}", ",", '"', "\\", '\\"', " a ", "a,b", "{a}", "'; DROP TABLE x; --", "%s", "陈伟", "a\nb\tc"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::text[]", [array_text(hostile)])
        assert cursor.fetchone() == (hostile,)
