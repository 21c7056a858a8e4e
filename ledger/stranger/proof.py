"""The proof of one round: that it is in the signed book."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from ledger.stranger.facts import check_round, columns_of
from ledger.stranger.leaves import HEAD, SEGMENT, fields_of, leaf_hash, named, root_by_path
from ledger.stranger.notes import Checkpoint, Key, key_words, parted, signed_by
from ledger.stranger.outcome import INCOMPLETE, TAMPERED, Broken, CouldNot


def check_proof(path: Path, trusted: Key | None, known: Checkpoint | None) -> str:
    """Return words that say what a round's proof shows. Raises Broken, CouldNot."""
    try:
        proof = json.loads(path.read_text(encoding="utf-8"))
        leaf, head = base64.b64decode(proof["leaf"]), base64.b64decode(proof["head"])
        paths = [[base64.b64decode(step) for step in proof[name]] for name in ("path", "head_path")]
        outer_path = [base64.b64decode(step) for step in proof["outer_path"]]
        own, newest = Checkpoint(proof["checkpoint"]), Checkpoint(proof["newest"])
        keys = [trusted or Key(proof["keys"][0])]
        notes = proof["announcements"]
        index, count, outer_bytes = int(proof["index"]), int(proof["leaves"]), base64.b64decode(proof["outer_leaf"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise CouldNot(f"{path} is no proof ({error})") from error
    for note in notes:
        if signed_by(note, keys) is not None:
            keys.append(Key(parted(note)[0].splitlines()[1].partition(" ")[2]))
    for name, checkpoint in (("checkpoint", own), ("newest", newest)):
        if signed_by(checkpoint.note, keys) is None:
            raise Broken(TAMPERED, f"{name}: its signature is not by the key {keys[0].fingerprint[:16]}…")
    outer = named(SEGMENT, fields_of(outer_bytes))
    if not own.is_of(outer) or outer["leaves"] != count:
        raise Broken(TAMPERED, "outer_leaf: it is not the shift that the checkpoint signs")
    for what, content, at, steps in (("leaf", leaf, index, paths[0]), ("head", head, 0, paths[1])):
        if root_by_path(leaf_hash(content), at, count, steps) != outer["root"]:
            raise Broken(TAMPERED, f"segment {outer['number']}, shift {outer['shift']}, leaf {at}: {what} is not under the signed root")
    if root_by_path(leaf_hash(outer_bytes), outer["number"] - 1, newest.size, outer_path) != newest.root:
        raise Broken(TAMPERED, f"segment {outer['number']}: the shift is not under the newest checkpoint's root")
    if known is not None and known.size > newest.size:
        raise Broken(INCOMPLETE, f"the known checkpoint counts {known.size} shifts, the proof's newest {newest.size}")
    if known is not None and known.size == newest.size and known.root != newest.root:
        raise Broken(TAMPERED, "the proof's newest checkpoint is not the known one")
    kinds = named(HEAD, fields_of(head))["kinds"]
    fields = fields_of(leaf)
    played = named(kinds[fields[0].decode()], fields)  # type: ignore[union-attr]
    paytable = {hashlib.sha256(proof["paytable"].encode()).hexdigest(): json.loads(proof["paytable"])}
    words = check_round(played, columns_of(kinds), paytable)
    if words:
        raise Broken(TAMPERED, f"segment {outer['number']}, shift {outer['shift']}, leaf {index}: round, field {words}")
    hashes = len(paths[0]) + len(outer_path)
    return (
        f"Round {played['label']} ({played['uuid']}) is leaf {index} of {count} in segment {outer['number']}, shift {outer['shift']} of"
        f" {outer['gaming_day']}; {hashes} hashes lead to the checkpoint of {newest.size} shifts.\nCards: {played['deal'].decode()}\n"
        f"Due by its cards, and kept: collected {played['collected']}, paid {played['paid']}.\n{key_words(keys, trusted)}"
    )
