"""The stranger's check of a Pitbook bundle: one file, Python 3.9 or later, nothing but the standard library.

    python verify.py BUNDLE [--checkpoint KNOWN] [--key KEY] [--jobs N]      check a whole bundle
    python verify.py --proof FILE [--checkpoint KNOWN] [--key KEY]           check that one round is in the signed book

KEY is a public key as Pitbook prints it ("pitbook/…+hash+base64"), or a file with one. KNOWN is a file with a checkpoint that you were given
earlier, or its first three lines. Without KEY the bundle's own first key is believed: compare its fingerprint with the one you were given.

Exit code: 0 clean · 2 tampered (the first bad leaf, its shift and field are named) · 3 incomplete, or older than the known checkpoint ·
1 could not run. It shares no code with the program that made the bundle; README.md beside it says what each file is.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ledger.stranger.bundle import Bundle
from ledger.stranger.check import Check
from ledger.stranger.notes import Checkpoint, Key, key_words
from ledger.stranger.outcome import CLEAN, COULD_NOT, INCOMPLETE, TAMPERED, Broken, CouldNot
from ledger.stranger.proof import check_proof


def read_key(said: str | None) -> Key | None:
    """Return the key of the command line: text, or a file with it."""
    if said is None:
        return None
    path = Path(said)
    try:
        return Key(path.read_text() if "+" not in said or path.exists() else said)
    except (OSError, ValueError) as error:
        raise CouldNot(f"--key: {error}") from error


def read_known(said: str | None) -> Checkpoint | None:
    """Return the known checkpoint of the command line."""
    if said is None:
        return None
    try:
        return Checkpoint(Path(said).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CouldNot(f"--checkpoint: {said} cannot be read ({error})") from error


def check_bundle(folder: Path, trusted: Key | None, known: Checkpoint | None, jobs: int) -> tuple[int, str]:
    """Return the exit code and words for a bundle."""
    bundle = Bundle(folder)
    keys = bundle.keys(trusted)
    check = Check(bundle, keys, known, jobs)
    check.run()
    code, words = check.told()
    if code:
        return code, words
    missing, erased = bundle.size - len(bundle.segments), check.texts.erased
    part = f" of {bundle.size}; the others are not in this bundle" if missing else ""
    gone = f", {len(erased)} erased" if erased else ""
    return CLEAN, "\n".join(
        [
            f"{len(bundle.segments)} shifts{part}, {check.leaves} leaves, {check.rounds} rounds settled again,"
            f" {check.texts.compared} texts compared{gone}: all as they were sealed.",
            *erased,
            key_words(keys, trusted),
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    """Check what the command line names, say what came of it, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check a Pitbook bundle, or the proof of one round.")
    parser.add_argument("bundle", nargs="?", help="the bundle's folder")
    parser.add_argument("--checkpoint", metavar="KNOWN", help="a checkpoint that you were given earlier")
    parser.add_argument("--key", help="the public key, or a file with it")
    parser.add_argument("--proof", metavar="FILE", help="check the proof of one round instead")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="processes (2)")
    try:
        said = parser.parse_args(arguments)
    except SystemExit as end:
        return COULD_NOT if end.code else CLEAN
    try:
        trusted, known = read_key(said.key), read_known(said.checkpoint)
        if said.proof:
            code, words = CLEAN, check_proof(Path(said.proof), trusted, known)
        elif said.bundle:
            code, words = check_bundle(Path(said.bundle), trusted, known, said.jobs)
        else:
            raise CouldNot("name a bundle, or --proof FILE")
    except Broken as broken:
        code, words = broken.code, str(broken)
    except (CouldNot, OSError, MemoryError) as error:
        code, words = COULD_NOT, str(error)
    print({CLEAN: "CLEAN", COULD_NOT: "COULD NOT RUN", TAMPERED: "TAMPERED", INCOMPLETE: "INCOMPLETE"}[code] + ": " + words)
    return code
