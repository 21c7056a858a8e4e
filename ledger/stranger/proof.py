"""The proof of one round: that it is in the signed book."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from ledger.stranger.facts import check_round, columns_of
from ledger.stranger.leaves import HEAD, SEGMENT, fields_of, leaf_hash, named, root_by_path
from ledger.stranger.notes import Checkpoint, Key, announced_key, key_words, signed_by
from ledger.stranger.outcome import INCOMPLETE, TAMPERED, Broken, CouldNot, parsed


def check_proof(path: Path, trusted: Key | str | None, known: Checkpoint | None) -> list[str]:
    """Return what a round's proof shows, a line each. Raises Broken, CouldNot."""
    try:
        proof = parsed(path.read_bytes())
        leaf, head = base64.b64decode(proof["leaf"]), base64.b64decode(proof["head"])
        paths = [[base64.b64decode(step) for step in proof[name]] for name in ("path", "head_path")]
        outer_path = [base64.b64decode(step) for step in proof["outer_path"]]
        own, newest = Checkpoint(proof["checkpoint"]), Checkpoint(proof["newest"])
        keys = [trusted if isinstance(trusted, Key) else Key(proof["keys"][0])]
        notes = proof["announcements"]
        index, count, outer_bytes = int(proof["index"]), int(proof["leaves"]), base64.b64decode(proof["outer_leaf"])
        for note in notes:
            if signed_by(note, keys) is not None:
                keys.append(announced_key(note))
        paytable = {hashlib.sha256(proof["paytable"].encode()).hexdigest(): parsed(proof["paytable"])}
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
        raise CouldNot(f"{path} is no proof of a round ({error})") from error
    if isinstance(trusted, str) and keys[0].fingerprint != trusted:
        raise Broken(TAMPERED, f"keys: not the key that you gave: its SHA-256 is {keys[0].fingerprint}")
    for name, checkpoint in (("checkpoint", own), ("newest", newest)):
        if signed_by(checkpoint.note, keys) is None:
            raise Broken(TAMPERED, f"{name}: its signature is not by the key {keys[0].fingerprint[:16]}…")
    try:
        outer = named(SEGMENT, fields_of(outer_bytes))
    except (ValueError, OverflowError) as error:
        raise Broken(TAMPERED, f"outer_leaf: no shift can be read ({error})") from error
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
    kinds, fields = named(HEAD, fields_of(head))["kinds"], fields_of(leaf)
    if fields[0] != b"round":
        raise CouldNot(f"{path} is no proof of a round: its leaf is of another kind")
    played = named(kinds["round"], fields)
    words = check_round(played, columns_of(kinds), paytable)
    if words:
        raise Broken(TAMPERED, f"segment {outer['number']}, shift {outer['shift']}, leaf {index}: round, field {words}")
    hashes = len(paths[0]) + len(outer_path)
    older = [] if known is None or known.size == newest.size else [f"That this continues the checkpoint of {known.size} shifts only a bundle shows."]
    return [
        f"Round {played['label']} ({played['uuid']}) is leaf {index} of {count} in segment {outer['number']}, shift {outer['shift']} of"
        f" {outer['gaming_day']}; {hashes} hashes lead to the checkpoint of {newest.size} shifts.",
        f"Cards: {played['deal'].decode()}",
        f"Due by its cards, and kept: collected {played['collected']}, paid {played['paid']}.",
        *older,
        key_words(keys, trusted),
    ]
