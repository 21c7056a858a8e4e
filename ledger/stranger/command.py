"""The stranger's check of a Pitbook bundle: one file, Python 3.9 or later, nothing but the standard library.

    python verify.py BUNDLE [--checkpoint KNOWN] [--key KEY] [--jobs N]      check a whole bundle
    python verify.py --proof FILE [--checkpoint KNOWN] [--key KEY]           check that one round is in the signed book

KEY is a public key as Pitbook prints it ("pitbook/…+hash+base64"), a file with one, or the SHA-256 of one. KNOWN is a file with a checkpoint that
you were given earlier, or its first three lines. Without KEY the bundle's own first key is believed: compare its SHA-256 with the one you were given.
Best take this file too from whoever gave you the key, and not from the folder that it checks: python -I verify.py BUNDLE --key KEY.

Exit code: 0 clean · 2 tampered (the first bad leaf, its shift and field are named) · 3 incomplete, or older than the known checkpoint ·
1 could not run. It shares no code with the program that made the bundle; README.md beside it says what each file is.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from ledger.stranger.bundle import Bundle
from ledger.stranger.check import Check
from ledger.stranger.notes import Checkpoint, Key, key_words
from ledger.stranger.outcome import CLEAN, COULD_NOT, INCOMPLETE, TAMPERED, Broken, CouldNot, plain
from ledger.stranger.proof import check_proof

FILES = ("README.md", "accounts.json", "leaves.ndjson", "manifest.json", "names.ndjson", "people.json", "segments.ndjson", "verify.py")
FOLDERS = ("checkpoints", "checks", "keys", "paytables")
"""What export_bundle writes."""


def read_key(said: str | None) -> Key | str | None:
    """Return the key of the command line: text, a file with it, or the SHA-256 that it must have."""
    if said is None or re.fullmatch("[0-9a-fA-F]{64}", said):
        return said and said.lower()
    path = Path(said)
    try:
        return Key(path.read_text(encoding="utf-8") if "+" not in said or path.exists() else said)
    except (OSError, ValueError) as error:
        raise CouldNot(f"--key: {error}") from error


def read_known(said: str | None) -> Checkpoint | None:
    """Return the known checkpoint of the command line; blanks at the ends of its lines are an editor's."""
    if said is None:
        return None
    try:
        text = Path(said).read_text(encoding="utf-8-sig")
        return Checkpoint("\n".join(line.rstrip() for line in text.split("\n")))
    except (OSError, ValueError, KeyError) as error:
        raise CouldNot(f"--checkpoint: {said} cannot be read ({error})") from error


def check_bundle(folder: Path, trusted: Key | str | None, known: Checkpoint | None, jobs: int) -> tuple[int, list[str]]:
    """Return the exit code, and what came of a bundle, a line each."""
    bundle = Bundle(folder)
    keys = bundle.keys(trusted)
    check = Check(bundle, keys, known, jobs)
    check.run()
    code, lines = check.told()
    if code:
        return code, lines
    texts = f"{check.texts.compared} texts compared" if bundle.has_names else "texts not handed out"
    gone = f", {len(check.texts.erased)} erased" if check.texts.erased else ""
    away = sorted(set(check.outer) - set(bundle.segments))
    part = f" of {bundle.size}" if away else ""
    return CLEAN, [
        f"{len(bundle.segments)} shifts{part}, {check.leaves} leaves, {check.rounds} rounds settled again, {texts}{gone}: all as they were sealed.",
        *[f"Not in this folder: {check.shift_words(number)}." for number in away[:20]],
        *([f"Nor are {len(away) - 20} more."] if len(away) > 20 else []),
        *check.texts.erased,
        *others(folder),
        key_words(keys, trusted),
    ]


def others(folder: Path) -> list[str]:
    """Return a line about what lies in the folder and is no part of a bundle: nobody vouches for it."""
    found = sorted({path.name for path in folder.iterdir()} - {*FILES, *FOLDERS, "__pycache__"})
    return [f"No part of the bundle, and not looked at: {', '.join(found[:10])}{' and more' if len(found) > 10 else ''}."] if found else []


def main(arguments: list[str] | None = None) -> int:
    """Check what the command line names, say what came of it, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check a Pitbook bundle, or the proof of one round.")
    parser.add_argument("bundle", nargs="?", help="the bundle's folder")
    parser.add_argument("--checkpoint", metavar="KNOWN", help="a checkpoint that you were given earlier")
    parser.add_argument("--key", help="the public key, a file with it, or its SHA-256")
    parser.add_argument("--proof", metavar="FILE", help="check the proof of one round instead")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="processes (2)")
    try:
        said = parser.parse_args(arguments)
    except SystemExit as end:
        return COULD_NOT if end.code else CLEAN
    try:
        trusted, known = read_key(said.key), read_known(said.checkpoint)
        if said.proof:
            code, lines = CLEAN, check_proof(Path(said.proof), trusted, known)
        elif said.bundle:
            code, lines = check_bundle(Path(said.bundle), trusted, known, said.jobs)
        else:
            raise CouldNot("name a bundle, or --proof FILE")
    except Broken as broken:
        code, lines = broken.code, [str(broken)]
    except (CouldNot, OSError, MemoryError) as error:
        code, lines = COULD_NOT, [str(error)]
    except Exception as error:  # whatever a forger thought of
        code, lines = COULD_NOT, [f"there is something here that cannot be read ({type(error).__name__}: {error})"]
    lines[0] = {CLEAN: "CLEAN", COULD_NOT: "COULD NOT RUN", TAMPERED: "TAMPERED", INCOMPLETE: "INCOMPLETE"}[code] + ": " + lines[0]
    print("\n".join(map(plain, lines)))
    return code
