"""The key that signs checkpoints: made at set-up, kept outside the database, changed by an announcement that the old one signs.

Source: spec/books.md, "Sealing a shift". The private key is a PEM file that only its owner can read; its public half is a row.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from datetime import datetime
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat, load_pem_private_key
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from casino import roles
from casino.errors import BrokenBooks, Unavailable
from casino.models import User
from casino.transactions import in_transaction, wait_turn
from ledger import notes, published
from ledger.models import SealKey


def is_readable() -> bool:
    """Return whether this process can read the private key: only the sealing worker should."""
    return os.access(settings.SEAL_KEY, os.R_OK)


def newest_key() -> SealKey | None:
    """Return the key that signs now, None before set-up. One query."""
    return SealKey.objects.order_by("-number").first()


@in_transaction
def make_key() -> SealKey:
    """Return the house's key, made now where there is none. Raises as `signer` where there is one and its file is another's."""
    wait_turn("seal key")
    if newest_key() is None:
        if not settings.SEAL_KEY.exists():
            _write(settings.SEAL_KEY, Ed25519PrivateKey.generate())
        public = _public(_load(settings.SEAL_KEY))
        return SealKey.objects.create(number=1, origin=_published_origin(public) or f"pitbook/{secrets.token_hex(6)}", public=public)
    return signer()[0]


def _published_origin(public: bytes) -> str:
    """Return the log's name under which this key signed checkpoints already, "" where it signed none: the books were restored to before it."""
    for line in published.read():
        known = SealKey(origin=line.text.partition("\n")[0], public=public)
        if is_signed(line.note, known):
            return known.origin
    return ""


def adopt_key(number: int, note: str, *, by: User) -> SealKey | None:
    """Return the key that `note` announces, taken over as key `number`; None where it is not the next, or our newest did not sign that."""
    newest = newest_key()
    if newest is None or number != newest.number + 1 or not is_signed(note, newest):
        return None
    try:
        origin, public = notes.read_rotation(note)
    except ValueError:
        return None
    return SealKey.objects.create(number=number, origin=origin, public=public, note=note, by=by) if origin == newest.origin else None


def signer() -> tuple[SealKey, Ed25519PrivateKey]:
    """Return the newest key's row and its private key.

    Raises Unavailable (`no_seal_key`) where this process has no key to sign with, BrokenBooks (`other_seal_key`) where the file is another key's.
    """
    key = newest_key()
    if key is None or not is_readable():
        raise Unavailable(
            "no_seal_key", gettext("The key that signs checkpoints is not to be read at %(seal_key)s.") % {"seal_key": settings.SEAL_KEY}
        )
    following = _following()
    if following.exists() and _public(_load(following)) == bytes(key.public):  # a rotation ended between its row and its file
        following.replace(settings.SEAL_KEY)
    private = _load(settings.SEAL_KEY)
    if _public(private) != bytes(key.public):
        raise BrokenBooks("other_seal_key", f"{settings.SEAL_KEY} is not the key that the books know as {key}.")
    return key, private


@in_transaction
def rotate_key(*, by: User, at: datetime) -> SealKey:
    """Return the new key, announced in a note that the old one signed, published and kept. Raises Refused, and as `signer`.

    The new private key lies beside the old one until the row is there; a crash before leaves the old one in force, and after it the new.
    """
    roles.require(by, "rotate_seal_key")
    wait_turn("seal key")
    old, private = signer()
    following = _following()
    following.unlink(missing_ok=True)
    _write(following, Ed25519PrivateKey.generate())
    public = _public(_load(following))
    note = sign(notes.rotation(old.origin, public, at), old, private)
    key = SealKey.objects.create(number=old.number + 1, origin=old.origin, public=public, note=note, by=by)
    transaction.on_commit(publish_keys)
    return key


def publish_keys() -> None:
    """Put the announcements of keys that are not in the file yet at its end: also what a crash kept from it. One query."""
    out = published.keys()
    for key in SealKey.objects.filter(number__gt=1).order_by("number"):
        if key.number not in out:
            published.append({"key": key.number, "note": key.note})


def sign(text: str, key: SealKey, private: Ed25519PrivateKey) -> str:
    """Return the signed note of `text`. Ed25519 signs the same text the same way each time."""
    return notes.signed(text, [(key.origin, bytes(key.public), private.sign(text.encode()))])


def is_signed(note: str, key: SealKey) -> bool:
    """Return whether `note` carries a good signature by `key`."""
    text = note.partition("\n\n")[0] + "\n"
    signature = notes.signature_of(note, key.origin, bytes(key.public))
    if signature is None:
        return False
    with contextlib.suppress(InvalidSignature):
        Ed25519PublicKey.from_public_bytes(bytes(key.public)).verify(signature, text.encode())
        return True
    return False


def signed_by(note: str) -> SealKey | None:
    """Return the key of ours that signed `note`, None where none did. One query."""
    return next((key for key in SealKey.objects.order_by("-number") if is_signed(note, key)), None)


def _following() -> Path:
    return settings.SEAL_KEY.with_name(f"{settings.SEAL_KEY.name}.next")


def _public(private: Ed25519PrivateKey) -> bytes:
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def _load(path: Path) -> Ed25519PrivateKey:
    key = load_pem_private_key(path.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise BrokenBooks("other_seal_key", f"{path} is no Ed25519 key.")
    return key


def _write(path: Path, private: Ed25519PrivateKey) -> None:
    """Write the key where only its owner can read it, whole or not at all, on the disk when this returns."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        os.fsync(file)
    finally:
        os.close(file)
    beside.replace(path)
