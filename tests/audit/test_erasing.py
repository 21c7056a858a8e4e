"""A text behind a sealed hash is erased, with its salt: every proof holds, and who did it and why stays. Source: spec/books.md, "Sealing a shift"."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from audit.books_check import check_books
from audit.bundles import export_bundle, segments_named
from audit.evidence import KINDS
from audit.models import Finding
from casino.errors import CasinoError
from ledger.erasing import ERASED, erase_text
from ledger.guards import problems
from ledger.models import Leaf, LeafSalt, TextErasure
from tables.models import Wager
from tests.audit.test_bundle import CLEAN, INCOMPLETE, TAMPERED, Handed, load
from tests.builders import House
from tests.ledger.test_sealing import next_shift, seal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
NOTE = "he left at once"


def place_of(kind: str, field: str) -> tuple[int, int, str]:
    """Return segment, index and field of the first leaf of a kind with such a text."""
    for salt in LeafSalt.objects.filter(field=field):
        if Leaf.objects.filter(segment=salt.segment_id, index=salt.index, kind=kind).exists():
            return salt.segment_id, salt.index, field
    raise AssertionError(f"no {kind} with a text {field}")


def bundle(folder: Path) -> Handed:
    export_bundle(segments_named([], everything=True), folder, with_names=True)
    return Handed(folder, "", load(folder / "verify.py"), [])


def test_the_text_is_gone_everywhere_and_every_proof_holds(sealed_nights: House, tmp_path: Path) -> None:
    segment, index, field = place_of("round", "wager_notes")
    leaf = bytes(Leaf.objects.get(segment=segment, index=index).content)
    before = bundle(tmp_path / "before")
    assert NOTE in (before.folder / "names.ndjson").read_text()

    out = io.StringIO()
    call_command("erase_text", str(segment), str(index), field, "--by", "AU-1", "--reason", "the patron asked for it", stdout=out)
    assert out.getvalue().startswith(f"Erased: wager_notes of leaf {index} in segment {segment}, by AU-1.")
    assert not LeafSalt.objects.filter(segment=segment, index=index, field=field).exists()
    assert list(Wager.objects.exclude(note="").values_list("note", flat=True)) == [ERASED]
    assert bytes(Leaf.objects.get(segment=segment, index=index).content) == leaf
    assert problems() == []

    other, facts = place_of("finding", "facts")[1:]
    assert f"The same words stand in segment {segment}, leaf {other}, facts." in out.getvalue()
    due = Finding.objects.exclude(facts={}).values_list("facts", flat=True)[0]["due"]
    call_command("erase_text", str(segment), str(other), facts, "--by", "AU-1", "--reason", "the patron asked for it", stdout=out)
    kept = Finding.objects.exclude(facts={}).values_list("facts", flat=True)[0]
    assert (kept["note"], kept["due"]) == (ERASED, due)

    after = bundle(tmp_path / "after")
    assert NOTE not in "".join(path.read_text(errors="replace") for path in after.folder.rglob("*") if path.is_file())
    code, words = after.check()
    record = TextErasure.objects.get(index=index)
    said = f"segment {segment}, shift {sealed_nights.shift.uuid} of 2026-03-14, leaf {index}: round, field wager_notes: said to be erased on"
    assert (code, f"{said} {record.recorded_at.date()} by AU-1; no leaf of this bundle shows it" in words) == (INCOMPLETE, True)
    assert before.check()[0] == CLEAN
    answer = check_books()
    assert (answer.problems, answer.waiting) == ((), 2)

    sealed_nights.shift.gaming_day = sealed_nights.shift.gaming_day.replace(day=15)
    sealed = seal(next_shift(sealed_nights)).segment
    assert Leaf.objects.filter(segment=sealed, kind="text_erasure").count() == 2
    assert (check_books().problems, check_books().waiting) == ((), 0)
    later = bundle(tmp_path / "later")
    code, words = later.check()
    assert (code, "3 texts compared, 2 erased: all as they were sealed" in words) == (CLEAN, True), words
    erased = f"segment {segment}, leaf {index}: round, field wager_notes: erased on {record.recorded_at.date()} by AU-1 (the patron asked for it)"
    assert erased in words.splitlines()
    names = later.folder / "names.ndjson"
    names.write_text(names.read_text().replace('"by":"AU-1"', '"by":"AU-2"', 1))
    code, words = later.check()
    assert (code, f"leaf {index}: round, field wager_notes: erased on {record.recorded_at.date()} by AU-1 as was sealed, not on" in words) == (
        TAMPERED,
        True,
    )


def test_a_text_that_another_claim_says_is_erased_is_one_that_was_sealed(sealed_nights: House, tmp_path: Path) -> None:
    """Whoever only says "erased" of a field that holds no text is told."""
    handed = bundle(tmp_path / "b")
    names = handed.folder / "names.ndjson"
    lines = [json.loads(line) for line in names.read_text().splitlines()]
    said = {"segment": lines[0]["segment"], "index": lines[0]["index"], "field": "no_such", "erased": {"on": "2026-03-16", "by": "AU-1", "why": "x"}}
    names.write_text("".join(json.dumps(line) + "\n" for line in [said, *lines]))
    code, words = handed.check()
    assert (code, f"leaf {lines[0]['index']}" in words, "field no_such" in words) == (TAMPERED, True, True)


def test_a_text_in_a_column_of_its_own_is_erased_as_well(sealed_nights: House, tmp_path: Path) -> None:
    segment, index, field = place_of("finding", "why")
    erase_text(segment, index, field, kinds=KINDS, by=sealed_nights.people["AU-1"], reason="it names a guest")
    assert (problems(), check_books().problems) == ([], ())
    assert bundle(tmp_path / "b").check()[0] == INCOMPLETE
    sealed_nights.shift.gaming_day = sealed_nights.shift.gaming_day.replace(day=15)
    seal(next_shift(sealed_nights))
    assert bundle(tmp_path / "later").check()[0] == CLEAN


def test_a_salt_that_went_without_a_record_leaves_the_bundle_incomplete(sealed_nights: House, tmp_path: Path) -> None:
    segment, index, field = place_of("round", "wager_notes")
    LeafSalt.objects.using("owner").filter(segment=segment, index=index, field=field).delete()
    code, words = bundle(tmp_path / "b").check()
    assert (code, f"leaf {index}: round, field {field}" in words) == (INCOMPLETE, True)


def refused(sealed_nights: House, segment: int, index: int, field: str, *, by: str = "AU-1", reason: str = "asked for") -> str:
    with pytest.raises(CasinoError) as error:
        erase_text(segment, index, field, kinds=KINDS, by=sealed_nights.people[by], reason=reason)
    return error.value.code


def test_what_is_no_text_or_nobodys_to_erase_is_refused_and_nothing_is_gone(sealed_nights: House) -> None:
    segment, index, field = place_of("round", "wager_notes")
    salts = LeafSalt.objects.count()
    assert refused(sealed_nights, segment, index, field, by="SM-1") == "not_allowed"
    assert refused(sealed_nights, segment, index, field, reason=" ") == "missing_field"
    assert refused(sealed_nights, 99, index, field) == "no_leaf"
    assert refused(sealed_nights, segment, 10_000, field) == "no_leaf"
    assert refused(sealed_nights, segment, index, "deal") == "no_text"
    with pytest.raises(CommandError, match="Nobody has the staff number"):
        call_command("erase_text", str(segment), str(index), field, "--by", "XX-9", "--reason", "x")
    assert (LeafSalt.objects.count(), TextErasure.objects.count(), Wager.objects.filter(note=NOTE).count()) == (salts, 0, 1)
    erase_text(segment, index, field, kinds=KINDS, by=sealed_nights.people["AU-1"], reason="asked for")
    assert refused(sealed_nights, segment, index, field) == "erased_already"


def test_the_application_records_no_erasure_and_erases_nothing(sealed_nights: House) -> None:
    segment, index, field = place_of("round", "wager_notes")
    record = {"segment_id": segment, "index": index, "field": field, "reason": "x", "by": sealed_nights.people["AU-1"]}
    for verb in (
        lambda: TextErasure.objects.create(**record),
        lambda: LeafSalt.objects.all().delete(),
        lambda: Wager.objects.filter(note=NOTE).update(note=""),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            verb()
    erase_text(segment, index, field, kinds=KINDS, by=sealed_nights.people["AU-1"], reason="asked for")
    for alias in ("default", "owner"):
        with pytest.raises(DatabaseError), transaction.atomic(using=alias):
            TextErasure.objects.using(alias).update(reason="another")
        with pytest.raises(DatabaseError), transaction.atomic(using=alias):
            TextErasure.objects.using(alias)._raw_delete(alias) if alias == "owner" else TextErasure.objects.all().delete()
