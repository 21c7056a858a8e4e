"""What a forger would try around the sealed bytes: a manifest, a line, a text or a file that two readers could read in two ways.

Each of these must be told, and none may come out clean, show a traceback or write to the screen what it likes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.bundles import export_bundle, segments_named
from audit.checker import checker
from tests.audit.test_bundle import CLEAN, COULD_NOT, INCOMPLETE, TAMPERED, Handed, forget_segment_2, load
from tests.audit.test_bundle import handed as handed
from tests.audit.test_bundle import made as made
from tests.audit.test_bundle import two_shifts as two_shifts
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import seal

pytestmark = pytest.mark.django_db


def manifest(handed: Handed, **change: Any) -> None:
    path = handed.folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))


def first_line(handed: Handed, change: Callable[[str], str], name: str = "leaves.ndjson", at: int = 0) -> None:
    path = handed.folder / name
    lines = path.read_text().splitlines(keepends=True)
    lines[at] = change(lines[at])
    path.write_text("".join(lines))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"segments": [2, 2]}, TAMPERED),
        ({"segments": [1, 1]}, TAMPERED),
        ({"segments": [1, 1, 2]}, TAMPERED),
        ({"segments": [2, 1]}, TAMPERED),
        ({"segments": [1, 2, 3]}, TAMPERED),
        ({"segments": [0, 1, 2]}, TAMPERED),
        ({"segments": [True, 2]}, TAMPERED),
        ({"segments": ["1", "2"]}, TAMPERED),
        ({"segments": []}, INCOMPLETE),
        ({"segments": 2}, COULD_NOT),
        ({"size": "2"}, COULD_NOT),
        ({"size": 1, "segments": [1]}, TAMPERED),
        ({"with_names": "no"}, COULD_NOT),
        ({"format": "another/1"}, COULD_NOT),
        ({"origin": "pitbook/another"}, TAMPERED),
    ],
)
def test_a_manifest_is_held_against_what_is(handed: Handed, change: dict[str, Any], code: int) -> None:
    manifest(handed, **change)
    assert handed.check("--key", handed.key)[0] == code


def test_a_shift_named_twice_hides_no_other(handed: Handed) -> None:
    forget_segment_2(handed.folder)
    manifest(handed, size=2, segments=[1, 1])
    assert handed.check()[0] == TAMPERED


def test_leaves_of_no_segment_are_no_leaves(handed: Handed) -> None:
    lines = handed.raw
    for number in (0, 3, 999_999_999):
        handed.write([{**lines[0], "segment": number}, *lines])
        code, words = handed.check()
        assert (code, "line 1 of leaves.ndjson" in words) == (TAMPERED, True)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace('"index":0', '"index":0,"segment":1'),
        lambda line: line.replace('{"segment":1', '{"segment":0,"index":9,"segment":1'),
        lambda line: line.replace('"bytes":', '"bytes":"AAAA","bytes":'),
        lambda line: line.replace("}", ',"fact":"another"}'),
        lambda line: line.replace('"segment":1', '"segment": 1'),
        lambda line: line.replace('"segment":1', '"segment":01'),
        lambda line: line.replace("}", "} "),
        lambda line: "\n" + line,
        lambda line: "[" * 100_000 + "\n" + line,
    ],
)
def test_a_line_that_could_be_read_in_two_ways_is_no_leaf(handed: Handed, change: Callable[[str], str]) -> None:
    first_line(handed, change)
    assert handed.check("--key", handed.key)[0] == TAMPERED


def test_a_line_without_its_end_is_a_cut(handed: Handed) -> None:
    path = handed.folder / "leaves.ndjson"
    whole, last = path.read_text(), handed.raw[-1]
    for text in (whole[:-1], whole[:-40]):
        path.write_text(text)
        code, words = handed.check()
        assert (code, f"leaf {last['index']}: is missing, and all after it" in words) == (INCOMPLETE, True)
    path.write_text(f'{whole}{{"segment":2,"index":{last["index"] + 1},"fact":"made up"}}')
    code, words = handed.check()
    assert (code, "cut off within this leaf" in words) == (INCOMPLETE, True)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda line: line + line, TAMPERED),
        (lambda line: line.replace('"text":', '"text":"FAKE","text":'), TAMPERED),
        (lambda line: line.replace("}", ',"note":"more"}'), TAMPERED),
        (lambda line: line.replace('"index":', '"index":"x","was":'), TAMPERED),
        (lambda line: line.replace('"segment":1', '"segment":1e999'), TAMPERED),
        (lambda line: line[:-9], TAMPERED),
        (lambda line: "", INCOMPLETE),
        (lambda line: json.dumps({**strip(line), "erased": {"on": "2026-03-15", "by": "AU-1", "why": "asked"}}) + "\n", INCOMPLETE),
        (lambda line: line + json.dumps({**strip(line), "erased": {"on": "2026-03-15", "by": "AU-1", "why": "asked"}}) + "\n", TAMPERED),
        (lambda line: json.dumps({**strip(line), "erased": 5}) + "\n", TAMPERED),
        (lambda line: "[" * 100_000 + "\n", TAMPERED),
    ],
)
def test_a_text_is_there_once_and_as_it_was_written(handed: Handed, change: Callable[[str], str], code: int) -> None:
    first_line(handed, change, "names.ndjson")
    assert handed.check()[0] == code


def strip(line: str) -> dict[str, Any]:
    """Return a text's place alone."""
    return {name: value for name, value in json.loads(line).items() if name in ("segment", "index", "field")}


def test_texts_that_were_cut_off_or_hidden_are_missed(handed: Handed) -> None:
    path = handed.folder / "names.ndjson"
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2])
    assert handed.check()[0] == INCOMPLETE
    manifest(handed, with_names=False)
    assert handed.check()[0] == INCOMPLETE
    path.unlink()
    code, words = handed.check()
    assert (code, "texts not handed out" in words) == (CLEAN, True)


def test_leaves_that_are_gone_are_a_gap_though_their_texts_are_here(handed: Handed) -> None:
    handed.write([line for line in handed.raw if line["segment"] == 2])
    code, words = handed.check()
    assert (code, f"segment 1, shift {handed.shifts[0]} of 2026-03-14, leaf 0: the whole shift is missing" in words) == (INCOMPLETE, True)


def test_what_a_leaf_needs_and_is_not_here_is_a_gap(handed: Handed) -> None:
    table = next((handed.folder / "paytables").glob("*.json"))
    content = table.read_bytes()
    table.unlink()
    code, words = handed.check()
    assert (code, f"paytable_sha256: paytables/{table.name} is missing" in words) == (INCOMPLETE, True)
    table.write_bytes(content)
    (handed.folder / "checks" / "000002.bin").unlink()
    code, words = handed.check()
    assert (code, "checks/000002.bin is missing" in words) == (INCOMPLETE, True)


def test_an_account_that_accounts_json_says_otherwise_is_told_as_such(handed: Handed) -> None:
    path = handed.folder / "accounts.json"
    path.write_text(path.read_text().replace('"USD"', '"EUR"'))
    code, words = handed.check()
    assert (code, "by accounts.json" in words, "is in EUR" in words) == (TAMPERED, True, True)


RUBBISH = (b"", b"5", b"{", b"[[[", b"[" * 100_000, b"\xff\xfe\x00", b'{"a":1,"a":2}', b"[1e999]", b"[NaN]", b'"\\ud800"', b"\0" * 4096)


@pytest.mark.parametrize(
    "name",
    ["manifest.json", "accounts.json", "segments.ndjson", "names.ndjson", "leaves.ndjson", "keys/1.pub", "keys/2.note", "checkpoints/000002.txt"],
)
def test_rubbish_in_any_file_is_told_without_a_traceback(handed: Handed, name: str) -> None:
    for content in RUBBISH:
        (handed.folder / name).write_bytes(content)
        code, words = handed.check("--key", handed.key) if name != "keys/1.pub" else handed.check()
        assert code in (COULD_NOT, TAMPERED, INCOMPLETE), content
        assert "something here that cannot be read" not in words, content


def test_no_text_acts_on_the_screen(handed: Handed) -> None:
    key = (handed.folder / "keys" / "1.pub").read_text()
    name = key.partition("+")[0]
    (handed.folder / "keys" / "1.pub").write_text(key.replace(name, f"{name},\u00a0SHA-256\u00a0\x1b[8m"))
    code, words = handed.check()
    assert (code, "\x1b" in words, "\u00a0" in words) == (COULD_NOT, False, False)
    (handed.folder / "keys" / "1.pub").write_text(key)
    manifest(handed, origin="\x1b[2J\nCLEAN: all as they were sealed.")
    code, words = handed.check()
    assert (code, "\x1b" in words, len(words.splitlines())) == (TAMPERED, False, 1)


def test_the_key_may_be_given_by_its_sha256(handed: Handed) -> None:
    fingerprint = handed.check()[1].partition("SHA-256 ")[2][:64]
    assert handed.check("--key", fingerprint.upper())[0] == CLEAN
    code, words = handed.check("--key", "0" * 64)
    assert (code, f"its SHA-256 is {fingerprint}" in words) == (TAMPERED, True)


def test_a_known_checkpoint_may_come_from_an_editor_but_not_from_another(handed: Handed) -> None:
    known = handed.folder.parent / "known.txt"
    text = (handed.folder / "checkpoints" / "000002.txt").read_text()
    known.write_text("\ufeff" + "\r\n".join(line + " " for line in text.splitlines()[:3]) + "\r\n")
    assert handed.check("--checkpoint", str(known))[0] == CLEAN
    signature = text.rstrip("\n").rpartition(" ")[2]
    known.write_text(text.replace(signature, signature[:12] + ("A" if signature[12] != "A" else "B") + signature[13:]))
    code, words = handed.check("--checkpoint", str(known))
    assert (code, "its signature is not by the key" in words) == (COULD_NOT, True)


def test_a_file_that_is_none_does_not_hold_the_check_up(handed: Handed) -> None:
    (handed.folder / "names.ndjson").unlink()
    os.mkfifo(handed.folder / "names.ndjson")
    assert handed.check()[0] == COULD_NOT


def test_nothing_in_the_folder_stands_in_for_the_standard_library(handed: Handed) -> None:
    (handed.folder / "argparse.py").write_text("print('CLEAN: of course.')\nraise SystemExit(0)\n")
    done = subprocess.run([sys.executable, str(handed.folder / "verify.py"), str(handed.folder)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (CLEAN, "")
    assert "No part of the bundle, and not looked at: argparse.py." in done.stdout.splitlines()


def test_words_that_a_screen_cannot_show_change_no_answer(handed: Handed, tmp_path: Path) -> None:
    (handed.folder / "paytables" / next((handed.folder / "paytables").glob("*.json")).name).unlink()
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, str(handed.folder / "verify.py"), str(handed.folder)], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (INCOMPLETE, "")


def test_promotional_stakes_are_no_handle_for_a_stranger_either(house: House, tmp_path: Path) -> None:
    play(house, funds={"1": {"ante": "promo", "play": "promo"}, "2": {"ante": "promo"}})
    end_night(house)
    seal(house.shift)
    folder = export_bundle(segments_named([], everything=True), tmp_path / "b")
    assert Handed(folder, "", load(folder / "verify.py"), []).check()[0] == CLEAN
    assert "promo" in checker()
