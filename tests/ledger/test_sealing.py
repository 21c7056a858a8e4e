"""A shift is sealed: leaves, tree, signature, file. Source: spec/books.md, "Sealing a shift"."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.db import IntegrityError, connection

from audit import sealing as audit_sealing
from audit.evidence import KINDS
from casino.errors import BrokenBooks, Conflict, Unavailable
from casino.models import Job
from ledger import leaves, merkle, published, seal_key, sealing
from ledger.models import Leaf, LeafSalt, Segment, SignedCheckpoint
from ledger.services import reverse_entry
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 15, 12, 30, tzinfo=UTC)


def facts_of(house: House) -> sealing.ShiftFacts:
    return sealing.ShiftFacts(house.property.uuid, house.shift.uuid, house.shift.gaming_day)


def seal(house: House) -> SignedCheckpoint:
    sealing.prepare(facts_of(house), KINDS, at=AT)
    sealing.finish()
    return SignedCheckpoint.objects.select_related("segment").get(segment__shift=house.shift.uuid)


def test_a_night_becomes_a_segment(house: House, tmp_path) -> None:
    play(house)
    play(house, "PAY-01")
    end_night(house)
    done = seal(house)
    segment = done.segment
    contents = [bytes(content) for content in Leaf.objects.filter(segment=segment).order_by("index").values_list("content", flat=True)]
    assert segment.number == 1
    assert len(contents) == segment.leaf_count
    assert merkle.root_of(map(merkle.leaf_hash, contents)) == bytes(segment.root)
    assert seal_key.is_signed(done.note, done.key)
    assert [line.note for line in published.read()] == [done.note]
    from audit.bundles import export_bundle
    from django.core.management import call_command
    import subprocess, sys
    play
    d=tmp_path/"b"
    export_bundle([segment], d, with_names=True)
    print(subprocess.run([sys.executable, d/"verify.py", d],capture_output=True,text=True))
    from audit.books_check import check_books
    print(check_books())
