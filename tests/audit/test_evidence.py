"""Whatever is kept of a shift is sealed, or left out for a reason: the list of evidence is complete, by model and by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import time

import pytest
from django.apps import apps
from django.db import connection, models

from audit.evidence import KINDS, LEFT_OUT
from audit.models import Finding
from ledger import recompute, sealing
from ledger.evidence import Kind
from ledger.models import Entry, Leaf, Segment, SignedCheckpoint
from tables.models import Round, Shift, TableSession
from tables.services import floor
from tables.services.correction_decisions import approve_proposal
from tables.services.corrections import propose_late_round
from tests.builders import House, end_night, play, slip
from tests.ledger.test_sealing import AT, facts_of, seal

pytestmark = pytest.mark.django_db
ABOUT = (Shift, TableSession, Round, Finding, Entry)
"""What evidence is about; what points at one of these, or at what points at one, is evidence too."""
NEVER = {
    "id": "the row's own key, which is the leaf's `row`",
}


def append_only() -> set[str]:
    """Return the tables that the database keeps as they are, as their triggers say."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname = c.relname || '_append_only'")
        return {name for (name,) in cursor.fetchall()}


def about_a_shift() -> Iterator[type[models.Model]]:
    """Yield every append-only model from which keys lead to a shift, session, round, finding or entry."""
    kept = append_only()
    found: set[type[models.Model]] = set(ABOUT)
    models_here = [model for model in apps.get_models() if model._meta.db_table in kept]
    while True:
        more = {
            model
            for model in models_here
            if (
                model not in found
                and any(field.is_relation and field.many_to_one and field.related_model in found for field in model._meta.get_fields())
            )
            or (
                model not in found
                and any(
                    field.is_relation and field.one_to_one and field.concrete and field.related_model in found for field in model._meta.get_fields()
                )
            )
        }
        if not more:
            break
        found |= more
    yield from sorted(found, key=lambda model: model._meta.label)


def test_every_append_only_row_about_a_shift_is_sealed_or_left_out_for_a_reason() -> None:
    sealed = {kind.model._meta.label for kind in KINDS}
    found = {model._meta.label for model in about_a_shift()}
    assert len(found) > 12
    missing = found - sealed - LEFT_OUT.keys()
    assert not missing, f"add a line to tables/evidence.py or audit/evidence.py for {sorted(missing)}"
    assert all(LEFT_OUT.values())
    assert not sealed & LEFT_OUT.keys()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_column_is_sealed_or_left_out_for_a_reason(kind: Kind) -> None:
    columns = {field.name for field in kind.model._meta.concrete_fields}
    sealed = {one.path.partition("__")[0] for one in kind.fields if one.path}
    missing = columns - sealed - kind.without.keys() - NEVER.keys()
    assert not missing, f"{kind.name}: seal {sorted(missing)}, or say in `without` why not"
    assert not sealed & kind.without.keys()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_path_is_one(kind: Kind, house: House) -> None:
    list(kind.columns(kind.of_shift(house.shift.uuid)))
    assert list(kind.model._default_manager.filter(**{kind.property: house.property.uuid})[:1]) is not None
    assert len({one.name for one in kind.fields}) == len(kind.fields)


def test_names_of_kinds_are_their_own() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert "head" not in {kind.name for kind in KINDS}


def test_a_column_that_is_added_later_changes_no_old_segment(house: House) -> None:
    """An old segment is read by the fields it was sealed with; the next one has the new field."""
    from audit import evidence

    play(house)
    end_night(house)
    older = tuple(_without(kind, "game") if kind.name == "session" else kind for kind in evidence.KINDS)
    segment = sealing.prepare(facts_of(house.shift), older, at=AT)
    assert ("game", "text") not in recompute.schema_of(segment)["session"]
    assert list(recompute.differences(segment, evidence.KINDS)) == []
    sealing.finish()
    assert SignedCheckpoint.objects.count() == 1


def _without(kind: Kind, name: str) -> Kind:
    return replace(kind, fields=tuple(one for one in kind.fields if one.name != name))


def test_a_late_round_is_sealed_with_its_entry(house: House) -> None:
    """It is of a session of the sealed shift, and a leaf of the shift in which it was posted."""
    [kind] = [kind for kind in KINDS if kind.name == "round"]
    played, session = play(house), house.sessions["UTH-01"]
    end_night(house)
    seal(house.shift)
    at = house.shift.ends_at
    tonight = floor.open_shift(house.property, house.shift.gaming_day, "grave", starts=time(4), ends=time(6), at=at, by=house.people["SM-1"])
    raw = slip(house, occurred_at=played.occurred_at.isoformat())
    proposal = propose_late_round(session, raw, reason="not_entered", by=house.people["PB-1"], at=at)
    late = approve_proposal(proposal, by=house.people["AU-1"], at=at).made
    assert list(kind.of_shift(house.shift.uuid)) == [played]
    assert list(kind.of_shift(tonight.uuid)) == [late]


def test_every_leaf_knows_its_row(house: House) -> None:
    play(house)
    end_night(house)
    segment = sealing.prepare(facts_of(house.shift), KINDS, at=AT)
    assert Leaf.objects.filter(segment=segment, row=None).count() == 1
    assert Segment.objects.get().marks.keys() == {kind.name for kind in KINDS}
