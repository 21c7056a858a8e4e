"""A filter by a code, which says its values as words: "reconcile shift", not "reconcile_shift"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import AllValuesFieldListFilter
from django.contrib.admin.views.main import ChangeList

from casino.words import word


class WordFilter(AllValuesFieldListFilter):
    """The values that there are, in the reader's language: `list_filter = (("kind", WordFilter),)`."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield Django's choices, each said as a word."""
        for choice in super().choices(changelist):
            yield {**choice, "display": word(str(choice["display"]))}
