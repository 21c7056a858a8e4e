"""A bundle for strangers: the sealed bytes, what was signed, and a checker of one file. Source: spec/books.md, "The stranger's check"."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from audit.checker import checker
from audit.evidence import KINDS
from casino import roles
from casino.errors import Conflict, InvalidSlip, NotFound
from casino.models import User
from ledger import leaves, merkle, notes, sealing
from ledger.archived import WAGERS, months_out
from ledger.evidence import Kind
from ledger.models import Account, Leaf, LeafSalt, SealKey, Segment, SegmentChecks, SignedCheckpoint, TextErasure
from tables.evidence import NOTES
from tables.models import PaytableVersion, Round

FORMAT = "pitbook-bundle/1"
PROOF = "pitbook-proof/1"
CHUNK = 5_000
Tell = Callable[[int, int, str], None]


def export_bundle(segments: Sequence[Segment], folder: Path, *, with_names: bool = False, tell: Tell = lambda *_: None) -> Path:
    """Return `folder`, written: a bundle of `segments`, which are signed.

    Raises Conflict (`not_empty`, `not_signed`; `archived`: with names, of texts that are in the file of an archived month).
    """
    if folder.exists() and any(folder.iterdir()):
        raise Conflict("not_empty", gettext("%(folder)s is not empty.") % {"folder": folder})
    newest = SignedCheckpoint.objects.order_by("-segment").first()
    if newest is None or SignedCheckpoint.objects.filter(segment__in=segments).count() != len(segments):
        raise Conflict("not_signed", gettext("A shift of these is not sealed and signed yet."))
    size = newest.segment_id
    if with_names:
        _refuse_texts_away(segments)
    for name in ("checks", "checkpoints", "keys", "paytables"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    numbers = sorted(segment.number for segment in segments)
    origin = SealKey.objects.get(number=1).origin
    manifest = {"format": FORMAT, "origin": origin, "size": size, "segments": numbers, "with_names": with_names}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    _write_leaves(folder, sorted(segments, key=lambda segment: segment.number), tell)
    _lines(folder / "segments.ndjson", ({"segment": n, "bytes": notes.b64(content)} for n, content in enumerate(_outer(size), start=1)))
    for signed in SignedCheckpoint.objects.filter(segment__in={*numbers, size}):
        (folder / "checkpoints" / f"{signed.segment_id:06d}.txt").write_text(signed.note, encoding="utf-8")
    _write_keys(folder)
    _write_reference(folder)
    if with_names:
        _lines(folder / "names.ndjson", texts_of(numbers))
        people = {user.username: user.name for user in User.objects.order_by("username")}
        (folder / "people.json").write_text(json.dumps(people, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return folder


def _refuse_texts_away(segments: Sequence[Segment]) -> None:
    """Refuse where the wagers whose notes stand behind sealed hashes are archived: without their texts the bundle would be incomplete."""
    noted = LeafSalt.objects.filter(segment=OuterRef("segment"), index=OuterRef("index"), field=NOTES.name)
    leaves_of = Leaf.objects.filter(Exists(noted), segment__in=segments, kind="round")
    months = Round.objects.filter(pk__in=leaves_of.order_by().values("row")).dates("gaming_day", "month")
    away = [f"{month:%Y-%m}" for month in sorted(set(months) & set(months_out(WAGERS)))]
    if away:
        raise Conflict(
            "archived",
            gettext("Notes of %(months)s are archived: the owner brings them back first, with restore_month; or leave the names out.")
            % {"months": ", ".join(away)},
            months=away,
        )


def _outer(size: int) -> list[bytes]:
    """Return the outer tree's leaves up to `size`, empty bytes for a shift whose checkpoint cannot be read. One query."""
    texts = Segment.objects.order_by("number").values_list("checkpoint", flat=True)[:size]
    return [_outer_leaf(text) for text in texts]


def _outer_leaf(text: str) -> bytes:
    try:
        return sealing.outer_leaf(notes.read_checkpoint(text)[2])
    except (ValueError, struct.error):
        return b""


def _lines(path: Path, objects: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for one in objects:
            file.write(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n")


def _write_leaves(folder: Path, segments: Sequence[Segment], tell: Tell) -> None:
    total = sum(segment.leaf_count for segment in segments)
    done = 0
    with (folder / "leaves.ndjson").open("wb") as file:
        for segment in segments:
            kept = kept_checks(segment)
            with (folder / "checks" / f"{segment.number:06d}.bin").open("wb") as checks:
                checks.write(kept or b"")
                for index, content in contents(segment):
                    file.write(b'{"segment":%d,"index":%d,"bytes":"%b"}\n' % (segment.number, index, base64.b64encode(content)))
                    if kept is None:
                        checks.write(_check_now(content))
                    done += 1
                    if done % CHUNK == 0:
                        tell(done, total, "leaves written")
    tell(done, total, "leaves written")


def kept_checks(segment: Segment) -> bytes | None:
    """Return the checks of a segment's leaves as they were sealed, None where they were not kept. One query."""
    kept = SegmentChecks.objects.filter(segment=segment).values_list("content", flat=True).first()
    return None if kept is None else bytes(kept)


def _check_now(content: bytes) -> bytes:
    """Return the check of a leaf as it stands; of bytes that are no leaf, one without fields."""
    hashed = merkle.leaf_hash(content)
    try:
        return leaves.check_of(hashed, leaves.read(content)[1])
    except (ValueError, struct.error):
        return leaves.check_of(hashed, [])


def contents(segment: Segment) -> Iterator[tuple[int, bytes]]:
    """Yield (index, bytes) of a segment's leaves in their order."""
    rows = Leaf.objects.filter(segment=segment, gaming_day=segment.gaming_day).order_by("index").values_list("index", "content")
    for index, content in rows.iterator(chunk_size=CHUNK):
        yield index, bytes(content)


def _write_keys(folder: Path) -> None:
    for key in SealKey.objects.order_by("number"):
        (folder / "keys" / f"{key.number}.pub").write_text(notes.verifier_key(key.origin, bytes(key.public)) + "\n")
        if key.note:
            (folder / "keys" / f"{key.number}.note").write_text(key.note, encoding="utf-8")


def _write_reference(folder: Path) -> None:
    """Write what facts refer to, the checker, and the page that explains it all."""
    accounts = [
        {"property": str(account.property), "code": account.code, "kind": account.kind, "currency": account.currency}
        for account in Account.objects.order_by("property", "code")
    ]
    (folder / "accounts.json").write_text(json.dumps(accounts, indent=1) + "\n")
    for version in PaytableVersion.objects.order_by("pk"):
        (folder / "paytables" / f"{version.sha256}.json").write_bytes(bytes(version.content))
    (folder / "verify.py").write_text(checker(), encoding="utf-8")
    readme = settings.BASE_DIR / "audit" / "bundle_readme.md"
    (folder / "README.md").write_text(readme.read_text(encoding="utf-8"), encoding="utf-8")


def texts_of(numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield the texts behind the salted hashes, in the leaves' order; of an erased one, who erased it, when and why."""
    by_name = {kind.name: kind for kind in KINDS}
    for number in numbers:
        salts = list(LeafSalt.objects.filter(segment_id=number).order_by("index", "field"))
        day = Segment.objects.values_list("gaming_day", flat=True).get(number=number)
        leaves_of = Leaf.objects.filter(segment_id=number, gaming_day=day, index__in={salt.index for salt in salts}, row__isnull=False)
        made_from = {index: (kind, int(row or 0)) for index, kind, row in leaves_of.values_list("index", "kind", "row") if kind in by_name}
        salts = [salt for salt in salts if salt.index in made_from]  # a leaf that is gone or spoilt is the checker's to tell
        texts = _texts(by_name, {(*made_from[salt.index], salt.field) for salt in salts})
        said = [*_kept(number, salts, texts, made_from), *_erased(number)]
        yield from sorted(said, key=lambda one: (one["index"], one["field"]))


def _kept(number: int, salts: list[LeafSalt], texts: dict[Any, str], made_from: dict[int, tuple[str, int]]) -> Iterator[dict[str, Any]]:
    for salt in salts:
        text = texts.get((*made_from[salt.index], salt.field))
        if text:
            yield {"segment": number, "index": salt.index, "field": salt.field, "salt": notes.b64(bytes(salt.salt)), "text": text}


def _erased(number: int) -> Iterator[dict[str, Any]]:
    for one in TextErasure.objects.filter(segment_id=number).select_related("by"):
        said = {"on": one.recorded_at.date().isoformat(), "by": one.by.username, "why": one.reason}
        yield {"segment": number, "index": one.index, "field": one.field, "erased": said}


def _texts(by_name: dict[str, Kind], wanted: set[tuple[str, int, str]]) -> dict[tuple[str, int, str], str]:
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for name, row, field in wanted:
        rows[name, field].append(row)
    found = {}
    for (name, field), keys in rows.items():
        kind = by_name[name]
        fields = [one for one in kind.fields if one.name == field]
        if not fields:
            continue
        for pk, text in kind.columns(kind.model._default_manager.filter(pk__in=keys), fields):
            found[name, pk, field] = text
    return found


def segments_named(shifts: Sequence[str], *, everything: bool) -> list[Segment]:
    """Return the signed segments of `shifts` (a shift's UUID, or its segment's number), or all of them. Raises NotFound, InvalidSlip."""
    signed = Segment.objects.exclude(signed=None).order_by("number")
    if everything:
        return [segment for segment in signed if segment.leaf_count]
    if not shifts:
        raise InvalidSlip("missing_field", gettext("Name a shift, or say --all."), where="shift")
    return [_segment_named(said) for said in shifts]


def _segment_named(said: str) -> Segment:
    signed = Segment.objects.exclude(signed=None)
    if re.fullmatch(r"[0-9]{1,9}", said):
        found = signed.filter(number=int(said)).first()
    else:
        try:
            found = signed.filter(shift=UUID(said)).first()
        except ValueError as error:
            raise InvalidSlip(
                "bad_type", gettext("“%(said)s” is neither a shift's UUID nor a segment's number.") % {"said": said}, where="shift"
            ) from error
    if found is None:
        raise NotFound("not_sealed", gettext("No sealed shift is %(said)s.") % {"said": said}, where="shift")
    return found


def proof_of(played: Round) -> dict[str, Any]:
    """Return the proof that a round is in the signed book: its leaf, some twenty hashes, the signed checkpoints. Raises NotFound (`not_sealed`)."""
    leaf = Leaf.objects.filter(kind="round", row=played.pk).select_related("segment__signed").first()
    if leaf is None or not hasattr(leaf.segment, "signed"):
        raise NotFound("not_sealed", gettext("The round's shift is not sealed yet."), where="round")
    segment = leaf.segment
    held = [content for _, content in contents(segment)]
    hashes = [merkle.leaf_hash(content) for content in held]
    newest = SignedCheckpoint.objects.order_by("-segment")[0]
    outer = _outer(newest.segment_id)
    outer_hashes = [merkle.leaf_hash(content) for content in outer]
    return {
        "format": PROOF,
        "round": str(played.uuid),
        "segment": segment.number,
        "index": leaf.index,
        "leaves": segment.leaf_count,
        "leaf": notes.b64(held[leaf.index]),
        "path": [notes.b64(step) for step in merkle.inclusion(hashes, leaf.index)],
        "head": notes.b64(held[0]),
        "head_path": [notes.b64(step) for step in merkle.inclusion(hashes, 0)],
        "outer_leaf": notes.b64(outer[segment.number - 1]),
        "outer_path": [notes.b64(step) for step in merkle.inclusion(outer_hashes, segment.number - 1)],
        "checkpoint": segment.signed.note,
        "newest": newest.note,
        "keys": [notes.verifier_key(key.origin, bytes(key.public)) for key in SealKey.objects.order_by("number")],
        "announcements": [key.note for key in SealKey.objects.exclude(note="").order_by("number")],
        "paytable": bytes(played.paytable.content).decode(),
    }


def may_export(user: User) -> None:
    """Raise Refused unless `user` may take bundles and proofs of the whole book out of the house."""
    roles.require(user, "read_ledger")


def bundle_sha256(folder: Path) -> str:
    """Return the SHA-256 over a bundle's files, by name: what the person who hands it over writes down."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()
