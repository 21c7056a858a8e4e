"""A column is added to tables with sealed rows by a real migration: what was sealed before verifies as before, and what comes after has it.

Source: spec/books.md, "Sealing a shift"; docs/decisions/018.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest
from django.db import connections, migrations, models, transaction
from django.db.migrations.loader import MigrationLoader

from audit import books_check, evidence
from audit.books_check import check_books
from audit.bundles import export_bundle, segments_named
from ledger import leaves, sealing
from ledger.evidence import Field, Kind
from ledger.guards import problems
from ledger.models import Leaf
from tables.services import floor
from tests.audit.test_bundle import CLEAN, Handed, load
from tests.builders import House, end_night, open_table, play
from tests.ledger.test_sealing import AT, facts_of, seal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
ADDED = {"round": ("tables", "round"), "entry": ("ledger", "entry")}
"""Kind of evidence: app and model that get a column."""


def migrate(*, forwards: bool) -> None:
    """Add the columns by Django's own operations, as the owner; or take them away."""
    for app, model in ADDED.values():
        migration = migrations.Migration("9999_mood", app)
        migration.operations = [migrations.AddField(model, "mood", models.CharField(max_length=20, default="calm", db_default="calm"))]
        state = MigrationLoader(connections["owner"]).project_state()
        with connections["owner"].schema_editor() as editor:
            (migration.apply if forwards else migration.unapply)(state, editor)


def with_mood(kind: Kind) -> Kind:
    """Return the kind with the new column among its fields, as the evidence's list would have it from then on."""
    if kind.name not in ADDED:
        return kind
    mood = Field("mood", "text", "mood", sql=f"{kind.model._meta.db_table}.mood")
    return replace(kind, fields=(*kind.fields, mood))


@pytest.fixture
def sealed(house: House) -> Iterator[House]:
    """A night that was sealed before the columns were there."""
    play(house)
    play(house, "PAY-01")
    end_night(house)
    seal(house.shift)
    try:
        yield house
    finally:
        migrate(forwards=False)


def bundle(folder: Path) -> Handed:
    export_bundle(segments_named([], everything=True), folder, with_names=True)
    return Handed(folder, "", load(folder / "verify.py"), [])


def test_a_column_added_by_a_migration_changes_nothing_that_was_sealed(sealed: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bundle(tmp_path / "before")
    leaves_before = (before.folder / "leaves.ndjson").read_bytes()
    migrate(forwards=True)
    assert problems() == []
    assert check_books().problems == ()
    assert before.check()[0] == CLEAN
    assert (bundle(tmp_path / "after").folder / "leaves.ndjson").read_bytes() == leaves_before

    kinds = tuple(with_mood(kind) for kind in evidence.KINDS)
    monkeypatch.setattr(books_check, "KINDS", kinds)
    assert check_books().problems == ()

    sealed.shift = floor.open_shift(
        sealed.property, sealed.shift.gaming_day, "grave", starts=time(4), ends=time(6), at=sealed.tick(), by=sealed.people["SM-1"]
    )
    sealed.clock = sealed.shift.starts_at
    sealed.sessions = {"UTH-01": open_table(sealed.shift, sealed.tables["UTH-01"], sealed.people)}
    played = play(sealed)
    end_night(sealed)
    with transaction.atomic():
        sealing.prepare(facts_of(sealed.shift), kinds, at=AT)
    with transaction.atomic():
        sealing.finish()
    assert check_books().problems == ()
    handed = bundle(tmp_path / "both")
    code, words = handed.check()
    assert (code, words.splitlines()[0].startswith("CLEAN: 2 shifts,")) == (CLEAN, True)

    leaf = Leaf.objects.get(kind="round", row=played.pk)
    head = Leaf.objects.get(segment=leaf.segment, index=0)
    schema = json.loads(leaves.read(bytes(head.content))[1][-1] or b"")["round"]
    assert (schema[-1], leaves.read(bytes(leaf.content))[1][-1]) == (["mood", "text"], b"calm")
