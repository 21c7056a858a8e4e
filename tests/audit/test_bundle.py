"""A stranger with a bundle and nothing else: clean, tampered, incomplete, or could not run. Source: spec/books.md, "The stranger's check"."""

from __future__ import annotations

import ast
import base64
import io
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from audit.bundles import checker, export_bundle, proof_of, segments_named
from casino.errors import CasinoError
from ledger import leaves, merkle, notes, seal_key
from ledger.models import Segment
from tables.models import Round
from tests.audit.sealed_nights import deal_and_seal
from tests.builders import House, play
from tests.ledger.test_sealing import next_shift, seal

pytestmark = pytest.mark.django_db
CLEAN, COULD_NOT, TAMPERED, INCOMPLETE = 0, 1, 2, 3


@dataclass
class Line:
    """A leaf as it stands in a bundle, taken apart."""

    segment: int
    index: int
    kind: str
    schema: list[list[str]]
    parts: list[bytes | None]

    def at(self, name: str) -> int:
        return [field for field, _ in self.schema].index(name)

    def json(self, name: str) -> Any:
        return json.loads(self.parts[self.at(name)] or b"")

    def put(self, name: str, value: bytes | None) -> None:
        self.parts[self.at(name)] = value


@dataclass
class Handed:
    """A bundle of two shifts that a test may spoil, with what a careful reader holds besides."""

    folder: Path
    key: str
    checker: ModuleType
    shifts: list[str]

    def check(self, *more: str) -> tuple[int, str]:
        out = io.StringIO()
        with redirect_stdout(out):
            code = self.checker.main([str(self.folder), "--jobs", "1", *more])
        return code, out.getvalue()

    @property
    def raw(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "leaves.ndjson").read_text().splitlines()]

    def write(self, lines: list[dict[str, Any]], *, renumber: bool = False) -> None:
        if renumber:
            count: dict[int, int] = {}
            for line in lines:
                line["index"] = count.get(line["segment"], 0)
                count[line["segment"]] = line["index"] + 1
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        (self.folder / "leaves.ndjson").write_text(text)

    def spoil(self, kind: str, change: Callable[[Line], None]) -> int:
        """Change the first leaf of a kind, and return its index."""
        lines = self.raw
        kinds = json.loads(leaves.read(base64.b64decode(lines[0]["bytes"]))[1][3] or b"")
        for line in lines:
            name, parts = leaves.read(base64.b64decode(line["bytes"]))
            if name == kind:
                taken = Line(line["segment"], line["index"], name, kinds[name], list(parts))
                change(taken)
                line["bytes"] = base64.b64encode(leaves.leaf_of(name, taken.parts)).decode()
                self.write(lines)
                return taken.index
        raise AssertionError(f"no {kind}")


def load(path: Path) -> ModuleType:
    spec = spec_from_file_location("handed_verify", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def two_shifts(house: House) -> House:
    """The house with two shifts sealed."""
    deal_and_seal(house)
    return house


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder where the first test that asks for a bundle leaves it for the others."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def handed(made: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Handed:
    """Return a bundle of the test's own: made once, copied for each, so that spoiling one spoils no other."""
    if not (made / "bundle").exists():
        house = request.getfixturevalue("two_shifts")
        export_bundle(segments_named([], everything=True), made / "bundle", with_names=True)
        (made / "shifts").write_text("\n".join(str(segment.shift) for segment in Segment.objects.order_by("number")))
        assert str(house.shift.uuid) in (made / "shifts").read_text()
    folder = Path(shutil.copytree(made / "bundle", tmp_path / "bundle"))
    key = (folder / "keys" / "1.pub").read_text().strip()
    return Handed(folder, key, load(folder / "verify.py"), (made / "shifts").read_text().splitlines())


def test_a_clean_bundle_is_clean(handed: Handed) -> None:
    code, words = handed.check("--key", handed.key)
    assert (code, words.splitlines()[0]) == (
        CLEAN,
        f"CLEAN: 2 shifts, {len(handed.raw)} leaves, 3 rounds settled again, 3 texts compared: all as they were sealed.",
    )


def test_it_runs_with_nothing_but_the_standard_library(handed: Handed, tmp_path: Path) -> None:
    """In an interpreter without site packages, from another folder, in two processes."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(handed.folder / "verify.py"), str(handed.folder), "--jobs", "2"],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (CLEAN, "")
    assert done.stdout.startswith("CLEAN: 2 shifts")
    text = (handed.folder / "verify.py").read_text()
    imported = {line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names)


def test_the_parts_and_the_settlers_share_no_name_and_are_python_of_long_ago() -> None:
    """They stand in one file: a name that two of them had would be the later one's."""
    tree = ast.parse(checker(), feature_version=(3, 9))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names += [target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)]
    twice = {name for name in names if names.count(name) > 1}
    assert twice == {"GAME_CODE", "settle_reference", "rake_reference"}
    assert "ledger.stranger" not in checker()


def one_unit_more(line: Line) -> None:
    transfers = line.json("transfers")
    transfers[0][4] += 1
    line.put("transfers", json.dumps(transfers).encode())


def accounts_swapped(line: Line) -> None:
    transfers = line.json("transfers")
    transfers[0][1], transfers[0][2] = transfers[0][2], transfers[0][1]
    line.put("transfers", json.dumps(transfers).encode())


def another_card(line: Line) -> None:
    line.put("deal", (line.parts[line.at("deal")] or b"").replace(b'"As"', b'"Ks"'))


def a_losing_hand(line: Line) -> None:
    line.put("deal", (line.parts[line.at("deal")] or b"").replace(b'"As","Ad"', b'"3s","4c"'))


def a_microsecond_later(line: Line) -> None:
    at = line.parts[line.at("occurred_at")] or b""
    line.put("occurred_at", (int.from_bytes(at, "big") + 1).to_bytes(8, "big"))


def another_note(line: Line) -> None:
    line.put("wager_notes", bytes(32))


def null_for_empty(line: Line) -> None:
    line.put("irregular", None)


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        ("entry", one_unit_more, "transfers"),
        ("entry", accounts_swapped, "transfers"),
        ("round", another_card, "deal"),
        ("round", a_microsecond_later, "occurred_at"),
        ("tray_count", a_microsecond_later, "occurred_at"),
        ("round", another_note, "wager_notes"),
        ("round", null_for_empty, "irregular"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_b162_a_changed_field_is_named(handed: Handed, kind: str, change: Callable[[Line], None], field: str) -> None:
    index = handed.spoil(kind, change)
    code, words = handed.check()
    assert code == TAMPERED
    assert f"segment 1, shift {handed.shifts[0]} of 2026-03-14, leaf {index}: {kind}" in words
    assert f"field {field}:" in words


def test_a_changed_text_is_named(handed: Handed) -> None:
    names = handed.folder / "names.ndjson"
    names.write_text(names.read_text().replace("he left at once", "he paid it back"))
    code, words = handed.check()
    [said] = [json.loads(line) for line in names.read_text().splitlines() if "he paid it back" in line and "wager_notes" in line]
    assert code == TAMPERED
    assert f"segment 1, shift {handed.shifts[0]}" in words
    assert ", field " in words
    assert said["field"] == "wager_notes"
    assert "the text is not the one that was sealed" in words


def test_a_text_left_off_without_a_word_is_named(handed: Handed) -> None:
    names = handed.folder / "names.ndjson"
    lines = names.read_text().splitlines(keepends=True)
    [left_off] = [line for line in lines if "he left at once" in line and "wager_notes" in line]
    names.write_text("".join(line for line in lines if line != left_off))
    code, words = handed.check()
    index = json.loads(left_off)["index"]
    assert code == INCOMPLETE
    assert f"segment 1, shift {handed.shifts[0]} of 2026-03-14, leaf {index}: round, field wager_notes: names.ndjson has neither the text" in words
    names.write_text("")
    code, words = handed.check()
    assert (code, f"({len(lines) - 1} more found)" in words) == (INCOMPLETE, True)


def test_a_row_deleted_is_named(handed: Handed) -> None:
    handed.write([line for line in handed.raw if (line["segment"], line["index"]) != (1, 7)])
    code, words = handed.check()
    assert code == TAMPERED
    assert f"segment 1, shift {handed.shifts[0]} of 2026-03-14, leaf 7: is missing" in words


def test_a_row_deleted_and_the_rest_renumbered_is_named(handed: Handed) -> None:
    handed.write([line for line in handed.raw if (line["segment"], line["index"]) != (1, 7)], renumber=True)
    code, words = handed.check()
    assert (code, "leaf 7: is not here; leaf 8 stands in its place" in words) == (TAMPERED, True)


def test_leaves_reordered_are_named(handed: Handed) -> None:
    lines = handed.raw
    lines[5], lines[9] = lines[9], lines[5]
    handed.write(lines)
    assert "segment 1" in handed.check()[1]
    handed.write(lines, renumber=True)
    code, words = handed.check()
    assert (code, "leaf 5: is not here; leaf 9 stands in its place" in words) == (TAMPERED, True)


def test_an_entry_twice_is_named(handed: Handed) -> None:
    lines = handed.raw
    lines.insert(6, dict(lines[5]))
    handed.write(lines)
    code, words = handed.check()
    assert (code, "leaf 5: stands twice" in words) == (TAMPERED, True)
    handed.write(lines, renumber=True)
    code, words = handed.check()
    assert (code, "leaf 6: leaf 5 stands a second time" in words) == (TAMPERED, True)


def test_a_leaf_added_at_the_end_is_named(handed: Handed) -> None:
    lines = handed.raw
    lines.append({**lines[-1], "index": lines[-1]["index"] + 1, "bytes": base64.b64encode(leaves.leaf_of("shift", [None] * 7)).decode()})
    handed.write(lines)
    code, words = handed.check()
    assert (code, "was added: the shift was sealed without it" in words) == (TAMPERED, True)


def test_b162_a_file_cut_off_is_incomplete_and_says_from_where(handed: Handed) -> None:
    content = (handed.folder / "leaves.ndjson").read_bytes()
    whole = handed.raw
    (handed.folder / "leaves.ndjson").write_bytes(content[:-100])
    code, words = handed.check()
    assert (code, f"segment 2, shift {handed.shifts[1]}" in words) == (INCOMPLETE, True)
    assert f"leaf {whole[-1]['index']}: is missing, and all after it" in words


def test_the_last_shift_deleted_is_incomplete(handed: Handed) -> None:
    known = handed.folder.parent / "known.txt"
    known.write_text(notes.short((handed.folder / "checkpoints" / "000002.txt").read_text()))
    handed.write([line for line in handed.raw if line["segment"] == 1])
    code, words = handed.check()
    assert (code, "segment 2, shift" in words, "leaf 0: the whole shift is missing" in words) == (INCOMPLETE, True, True)
    forget_segment_2(handed.folder)
    assert handed.check()[0] == CLEAN
    code, words = handed.check("--checkpoint", str(known))
    assert (code, "counts 2 shifts, the bundle 1" in words) == (INCOMPLETE, True)


def forget_segment_2(folder: Path) -> None:
    """Take every trace of the second shift out of a bundle, as somebody would who wants to hide it."""
    (folder / "checkpoints" / "000002.txt").unlink()
    (folder / "checks" / "000002.bin").unlink()
    listed = (folder / "segments.ndjson").read_text().splitlines(keepends=True)
    (folder / "segments.ndjson").write_text(listed[0])
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "size": 1, "segments": [1]}))


def test_the_first_shift_deleted_is_incomplete(handed: Handed) -> None:
    (handed.folder / "names.ndjson").write_text("")
    handed.write([line for line in handed.raw if line["segment"] == 2])
    code, words = handed.check()
    assert (code, "segment 1, shift" in words, "leaf 0: the whole shift is missing" in words) == (INCOMPLETE, True, True)
    listed = (handed.folder / "segments.ndjson").read_text().splitlines(keepends=True)
    (handed.folder / "segments.ndjson").write_text(listed[1])
    assert handed.check()[0] == INCOMPLETE


def test_another_known_checkpoint_of_the_same_size_is_a_fork(handed: Handed) -> None:
    known = handed.folder.parent / "known.txt"
    lines = (handed.folder / "checkpoints" / "000002.txt").read_text().splitlines()
    known.write_text(f"{lines[0]}\n2\n{base64.b64encode(bytes(32)).decode()}\n")
    assert handed.check("--checkpoint", str(known))[0] == TAMPERED
    known.write_text(f"{lines[0]}\n1\n{(handed.folder / 'checkpoints' / '000001.txt').read_text().splitlines()[2]}\n")
    assert handed.check("--checkpoint", str(known))[0] == CLEAN


def another_key(folder: Path) -> str:
    """Sign a bundle's checkpoints anew with another key, and return its own."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = seal_key._public(private)
    for path in (folder / "checkpoints").iterdir():
        text = path.read_text().partition("\n\n")[0] + "\n"
        origin = text.splitlines()[0]
        path.write_text(notes.signed(text, [(origin, public, private.sign(text.encode()))]))
    return notes.verifier_key(origin, public)


def test_another_key_is_not_the_one_that_was_given(handed: Handed) -> None:
    other = another_key(handed.folder)
    code, words = handed.check("--key", handed.key)
    assert (code, "its signature is not by the key" in words) == (TAMPERED, True)
    assert handed.check()[0] == TAMPERED
    (handed.folder / "keys" / "1.pub").write_text(other)
    assert handed.check("--key", handed.key)[0] == TAMPERED
    assert "the bundle's own: compare it" in handed.check()[1]


def test_where_the_checks_are_changed_as_well_the_shift_is_named(handed: Handed) -> None:
    handed.spoil("tray_count", a_microsecond_later)
    path = handed.folder / "checks" / "000001.bin"
    held = path.read_bytes()
    path.write_bytes(held[:-1] + bytes([held[-1] ^ 1]))
    code, words = handed.check()
    assert (code, "segment 1, shift" in words, "the leaf cannot be named" in words) == (TAMPERED, True, True)


def test_where_the_checks_are_changed_as_well_the_cards_still_tell(handed: Handed) -> None:
    index = handed.spoil("round", a_losing_hand)
    (handed.folder / "checks" / "000001.bin").unlink()
    code, words = handed.check()
    assert (code, f"leaf {index}: round, field wagers: seat 1" in words) == (TAMPERED, True)


@pytest.mark.parametrize("name", ["segments.ndjson", "leaves.ndjson", "accounts.json", "names.ndjson", "checkpoints/000001.txt"])
def test_a_missing_file_is_incomplete(handed: Handed, name: str) -> None:
    (handed.folder / name).unlink()
    assert handed.check()[0] == INCOMPLETE


@pytest.mark.parametrize("name", ["segments.ndjson", "checkpoints/000001.txt", "checkpoints/000002.txt"])
def test_any_byte_of_what_is_signed_counts(handed: Handed, name: str) -> None:
    path, rng = handed.folder / name, random.Random(11)
    content = path.read_bytes()
    signed_part = content.find(b"\n\n") if name.startswith("checkpoints") else len(content)
    for _ in range(15):
        at = rng.randrange(signed_part)
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert handed.check()[0] in (TAMPERED, INCOMPLETE, COULD_NOT), at


def test_a_paytable_that_is_another_is_told(handed: Handed) -> None:
    path = next((handed.folder / "paytables").glob("*.json"))
    path.write_text(path.read_text().replace("1", "2", 1))
    assert handed.check()[0] == TAMPERED


def test_any_bit_turned_over_in_the_leaves_is_found(handed: Handed) -> None:
    path, rng = handed.folder / "leaves.ndjson", random.Random(3)
    content = path.read_bytes()
    for _ in range(60):
        bit = rng.randrange(8 * len(content))
        turned = bytearray(content)
        turned[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bytes(turned))
        code, words = handed.check()
        assert code in (TAMPERED, INCOMPLETE), (bit, words)


def test_b162_what_cannot_be_run_says_so(handed: Handed, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments in ([str(tmp_path / "empty")], [str(tmp_path / "nowhere")], [], [str(handed.folder), "--key", "nonsense"], ["--nonsense"]):
        with redirect_stdout(io.StringIO()):
            assert handed.checker.main(arguments) == COULD_NOT


def test_a_bundle_of_one_shift_says_that_it_is_not_all(two_shifts: House, tmp_path: Path) -> None:
    folder = export_bundle(segments_named([str(two_shifts.shift.uuid)], everything=False), tmp_path / "one")
    handed = Handed(folder, "", load(folder / "verify.py"), [])
    code, words = handed.check()
    away = Segment.objects.get(number=2)
    assert (code, words.startswith("CLEAN: 1 shifts of 2, "), "texts not handed out" in words) == (CLEAN, True, True)
    assert f"Not in this folder: segment 2, shift {away.shift} of {away.gaming_day}." in words.splitlines()
    assert not (folder / "names.ndjson").exists()
    assert "he left" not in "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())


def test_what_is_asked_for_and_is_not_sealed(house: House, tmp_path: Path) -> None:
    for shifts, code in (([str(house.shift.uuid)], "not_sealed"), (["7"], "not_sealed"), (["x"], "bad_type"), ([], "missing_field")):
        with pytest.raises(CasinoError) as error:
            segments_named(shifts, everything=False)
        assert error.value.code == code
    with pytest.raises(CommandError, match="No shift is sealed yet"):
        call_command("export_bundle", "--all", "--out", str(tmp_path / "b"))


def test_the_command_writes_and_refuses_to_write_over(two_shifts: House, tmp_path: Path) -> None:
    out = io.StringIO()
    call_command("export_bundle", "1", "--out", str(tmp_path / "b"), stdout=out)
    assert "Check it anywhere" in out.getvalue()
    with pytest.raises(CommandError, match="is not empty"):
        call_command("export_bundle", "1", "--out", str(tmp_path / "b"), stdout=out)


def test_a_rounds_proof_is_twenty_hashes_or_fewer(two_shifts: House, tmp_path: Path) -> None:
    played = Round.objects.select_related("paytable").order_by("pk")[0]
    path = tmp_path / "proof.json"
    call_command("export_proof", str(played.uuid), "--out", str(path), stdout=io.StringIO())
    proof = json.loads(path.read_text())
    (tmp_path / "verify.py").write_text(checker())
    checking, key = load(tmp_path / "verify.py"), proof["keys"][0]
    assert len(proof["path"]) + len(proof["outer_path"]) <= 20
    code, words = prove(checking, path, "--key", key)
    assert (code, f"Round {played.label} ({played.uuid}) is leaf" in words) == (CLEAN, True)
    for name in ("leaf", "head", "outer_leaf", "checkpoint", "newest"):
        path.write_text(json.dumps({**proof, name: spoilt(proof[name])}))
        assert prove(checking, path)[0] == TAMPERED, name
    path.write_text(json.dumps({**proof, "path": proof["path"][1:]}))
    assert prove(checking, path)[0] == TAMPERED
    path.write_text("{}")
    assert prove(checking, path)[0] == COULD_NOT


def prove(checker: ModuleType, path: Path, *more: str) -> tuple[int, str]:
    out = io.StringIO()
    with redirect_stdout(out):
        code = checker.main(["--proof", str(path), *more])
    return code, out.getvalue()


def spoilt(text: str) -> str:
    """Return base64 with another last byte, or a note with another time."""
    if "\n" in text:
        return text.replace("time 2026", "time 2027")
    content = base64.b64decode(text)
    return base64.b64encode(content[:-1] + bytes([content[-1] ^ 1])).decode()


def test_an_unsealed_round_has_no_proof(house: House) -> None:
    played = Round.objects.select_related("paytable").get(pk=play(house).pk)
    with pytest.raises(CasinoError, match="not sealed yet"):
        proof_of(played)
    for said in (str(played.uuid), "x", str(house.shift.uuid)):
        with pytest.raises(CommandError):
            call_command("export_proof", said)


def test_a_key_changed_between_shifts_is_followed(two_shifts: House, tmp_path: Path) -> None:
    from ledger.services import lock_shift

    lock_shift(two_shifts.shift.uuid)
    seal_key.rotate_key(by=two_shifts.people["AU-1"], at=two_shifts.clock)
    seal_key.publish_keys()
    from datetime import timedelta

    two_shifts.shift.gaming_day += timedelta(days=1)
    seal(next_shift(two_shifts))
    folder = export_bundle(segments_named([], everything=True), tmp_path / "b")
    handed = Handed(folder, (folder / "keys" / "1.pub").read_text().strip(), load(folder / "verify.py"), [])
    assert handed.check("--key", handed.key)[0] == CLEAN
    note = folder / "keys" / "2.note"
    note.write_text(note.read_text().replace("time 2026", "time 2025"))
    assert handed.check("--key", handed.key)[0] == TAMPERED
    assert handed.check()[0] == TAMPERED


def test_the_readme_names_every_file_and_every_code(handed: Handed) -> None:
    text = (handed.folder / "README.md").read_text()
    for path in handed.folder.iterdir():
        assert path.name in text or path.name == "README.md", path.name
    for word in ("clean", "tampered", "incomplete", "could not be run"):
        assert word in text


def test_the_root_can_be_worked_out_from_the_readme_alone(handed: Handed) -> None:
    """What README.md says of hashes is enough to find the signed root without verify.py."""
    held = [merkle.leaf_hash(base64.b64decode(line["bytes"])) for line in handed.raw if line["segment"] == 1]
    signed = dict(line.split(" ", 1) for line in (handed.folder / "checkpoints" / "000001.txt").read_text().splitlines()[3:] if " " in line)
    assert base64.b64encode(merkle.root_of(held)).decode() == signed["root"]


def test_a_copy_of_the_folder_is_as_good(handed: Handed, tmp_path: Path) -> None:
    shutil.copytree(handed.folder, tmp_path / "copy")
    assert Handed(tmp_path / "copy", handed.key, handed.checker, []).check()[0] == CLEAN
    assert "PRIVATE KEY" not in "".join(path.read_text(errors="replace") for path in handed.folder.rglob("*") if path.is_file())
