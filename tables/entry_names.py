"""What pages call an entry of the books: "UTH-01 · round 12", "fill · UTH-01". Its reference, which is for machines, stands on its own page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.text import capfirst
from django.utils.translation import gettext

from casino.words import word
from ledger.models import Entry
from tables.models import Round, TableSession


def with_names(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Return `entries` with what `entry_name` needs. No query of its own."""
    tables = TableSession.objects.filter(uuid=OuterRef("session")).values("table__code")[:1]
    rounds = Round.objects.filter(uuid=OuterRef("round")).values("number")[:1]
    return entries.annotate(table_code=Subquery(tables), round_number=Subquery(rounds))


def entry_name(entry: Entry) -> str:
    """Return the name of an entry of `with_names`: of a round's, the round's; what was done with it stands before."""
    table, number = getattr(entry, "table_code", None), getattr(entry, "round_number", None)
    kind = capfirst(word(entry.kind))
    if number is None:
        return f"{kind} · {table}" if table else kind
    name = gettext("%(table)s · round %(number)s") % {"table": table, "number": number}
    return name if entry.kind == "round" else f"{kind} · {name}"


def entry_names(keys: Iterable[int]) -> Mapping[int, str]:
    """Return the names of the entries of these keys. One query."""
    return {entry.pk: entry_name(entry) for entry in with_names(Entry.objects.filter(pk__in=set(keys)))}
