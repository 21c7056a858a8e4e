"""A superuser changes what is sealed in the database, and a bundle is exported afterwards: a stranger is told which fact and which field."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.books_check import check_books
from audit.bundles import export_bundle, segments_named
from ledger import leaves, merkle, notes
from ledger.guards import problems
from ledger.models import Leaf, Segment, SegmentChecks
from tests.builders import House
from tests.superuser import spoil

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
TAMPERED = 2


def verified(folder: Path, *, with_names: bool = False) -> tuple[int, str]:
    """Return what a bundle's own verify.py says of the books as they are now."""
    export_bundle(segments_named([], everything=True), folder, with_names=with_names)
    done = subprocess.run([sys.executable, "-I", "-S", folder / "verify.py", folder, "--jobs", "1"], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


def change_leaf(kind: str, field: str, change: Callable[[bytes], bytes]) -> Leaf:
    """Change a field of the first leaf of a kind where it is stored, and return that leaf as it was."""
    leaf = Leaf.objects.filter(kind=kind, segment=1).order_by("index")[0]
    head = Leaf.objects.get(segment=1, index=0)
    schema = json.loads(leaves.read(bytes(head.content))[1][3] or b"")[kind]
    at = [name for name, _ in schema].index(field)
    name, parts = leaves.read(bytes(leaf.content))
    parts[at] = change(parts[at] or b"")
    met = spoil("ledger_leaf", "UPDATE ledger_leaf SET content = %s WHERE id = %s", leaves.leaf_of(name, parts), leaf.pk)
    assert met == 1
    return leaf


def put_back(leaf: Leaf) -> None:
    spoil("ledger_leaf", "UPDATE ledger_leaf SET content = %s WHERE id = %s", bytes(leaf.content), leaf.pk)


def a_microsecond_later(value: bytes) -> bytes:
    return (int.from_bytes(value, "big") + 1).to_bytes(8, "big")


def one_unit_more(value: bytes) -> bytes:
    transfers: list[list[Any]] = json.loads(value)
    transfers[0][4] += 1
    return json.dumps(transfers, separators=(",", ":")).encode()


def another_card(value: bytes) -> bytes:
    return value.replace(b'"As"', b'"Ks"')


def another_person(value: bytes) -> bytes:
    return b"SM-1"


CHANGES: tuple[tuple[str, str, Callable[[bytes], bytes]], ...] = (
    ("round", "occurred_at", a_microsecond_later),
    ("entry", "recorded_at", a_microsecond_later),
    ("entry", "transfers", one_unit_more),
    ("round", "deal", another_card),
    ("entry", "recorded_by", another_person),
)


def test_a_leaf_that_was_changed_before_the_export_is_named(sealed_nights: House, tmp_path: Path) -> None:
    assert verified(tmp_path / "before")[0] == 0
    for kind, field, change in CHANGES:
        leaf = change_leaf(kind, field, change)
        code, words = verified(tmp_path / f"{kind}-{field}")
        assert code == TAMPERED
        assert f"TAMPERED: segment 1, shift {sealed_nights.shift.uuid} of 2026-03-14, leaf {leaf.index}: {kind}" in words
        assert f"field {field}: " in words
        put_back(leaf)
    assert problems() == []
    assert verified(tmp_path / "after")[0] == 0


def test_what_is_kept_of_a_segments_leaves_is_what_was_signed(sealed_nights: House) -> None:
    for kept in SegmentChecks.objects.select_related("segment"):
        held = [bytes(leaf.content) for leaf in Leaf.objects.filter(segment=kept.segment).order_by("index")]
        assert bytes(kept.content) == b"".join(leaves.check_of(merkle.leaf_hash(one), leaves.read(one)[1]) for one in held)
    assert SegmentChecks.objects.count() == Segment.objects.count() == 2


RUBBISH = (b"", b"\x02", b"\x01", b"\x01\x00\x00\x00\xff\x00", b"\x01" + bytes(4) * 70_000, b"\x01\x00\x00\x00\x01\xff")


def test_bytes_that_are_no_leaf_are_exported_and_told(sealed_nights: House, tmp_path: Path) -> None:
    leaf = Leaf.objects.filter(kind="round", segment=1).order_by("index")[0]
    for place, content in enumerate(RUBBISH):
        spoil("ledger_leaf", "UPDATE ledger_leaf SET content = %s WHERE id = %s", content, leaf.pk)
        code, words = verified(tmp_path / f"kept-{place}", with_names=True)
        assert (code, f"leaf {leaf.index}: " in words) == (TAMPERED, True), content
    spoil("ledger_segmentchecks", "DELETE FROM ledger_segmentchecks")
    for place, content in enumerate(RUBBISH):
        spoil("ledger_leaf", "UPDATE ledger_leaf SET content = %s WHERE id = %s", content, leaf.pk)
        assert verified(tmp_path / f"gone-{place}")[0] == TAMPERED, content


def test_a_leaf_that_is_gone_or_another_kinds_does_not_keep_its_texts_from_being_exported(sealed_nights: House, tmp_path: Path) -> None:
    spoil("ledger_leaf", "UPDATE ledger_leaf SET kind = 'nothing' WHERE kind = 'finding'")
    assert verified(tmp_path / "kind", with_names=True)[0] == 3
    leaf = Leaf.objects.filter(kind="round", segment=1).order_by("index")[0]
    spoil("ledger_leaf", "DELETE FROM ledger_leaf WHERE id = %s", leaf.pk)
    code, words = verified(tmp_path / "gone", with_names=True)
    assert (code, f"leaf {leaf.index}: " in words) == (TAMPERED, True)


def test_a_checkpoint_that_cannot_be_read_is_exported_and_told(sealed_nights: House, tmp_path: Path) -> None:
    for place, text in enumerate(("", "x\ny\nz\n", "a\n1\n!!\nsegment 1\n")):
        spoil("ledger_segment", "UPDATE ledger_segment SET checkpoint = %s WHERE number = 1", text)
        assert verified(tmp_path / f"bundle-{place}")[0] == TAMPERED
        assert check_books().code == TAMPERED


def test_checks_that_were_changed_are_told_of_the_live_books_too(sealed_nights: House) -> None:
    spoil("ledger_segmentchecks", "UPDATE ledger_segmentchecks SET content = content || '\\x00' WHERE segment_id = 2")
    answer = check_books()
    assert (answer.code, [problem.words for problem in answer.problems]) == (
        TAMPERED,
        [f"segment 2, shift {Segment.objects.get(number=2).shift} of 2026-03-14: the kept checks of its leaves are not the signed ones"],
    )


def test_segments_of_before_have_no_checks_and_are_exported_as_they_were(sealed_nights: House, tmp_path: Path) -> None:
    spoil("ledger_segmentchecks", "DELETE FROM ledger_segmentchecks")
    assert verified(tmp_path / "before")[0] == 0
    assert check_books().code == 0
    segment = Segment.objects.get(number=1)
    change_leaf("entry", "recorded_by", another_person)
    assert verified(tmp_path / "after")[0] == TAMPERED
    assert notes.read_checkpoint(segment.checkpoint)[2].leaves == segment.leaf_count
