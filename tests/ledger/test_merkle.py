"""Merkle trees and leaves' bytes: the shape of RFC 9162, and the exact encoding. No database."""

from __future__ import annotations

import contextlib
import itertools
import random
import uuid
from datetime import UTC, date, datetime, timedelta

import pytest

from ledger import leaves, merkle
from ledger.stranger import ed25519
from ledger.stranger import leaves as strangers

LEAVES = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The trees of Certificate Transparency's own tests, with 0 to 8 leaves."""


def hashes(count: int) -> list[bytes]:
    return [merkle.leaf_hash(str(number).encode()) for number in range(count)]


@pytest.mark.parametrize("size", range(9))
def test_b163_roots_are_those_of_certificate_transparency(size: int) -> None:
    held = [merkle.leaf_hash(leaf) for leaf in LEAVES[:size]]
    assert merkle.root_of(held).hex() == ROOTS[size]
    tree = strangers.Tree()
    for hashed in held:
        tree.add(hashed)
    assert tree.root().hex() == ROOTS[size]


def test_b163_a_last_leaf_twice_is_another_tree() -> None:
    three = hashes(3)
    assert merkle.root_of(three) != merkle.root_of([*three, three[-1]])
    assert len({merkle.root_of(hashes(size)) for size in (0, 1, 2, 3, 5, 6)}) == 6


def test_b163_a_node_is_no_leaf() -> None:
    left, right = hashes(2)
    assert merkle.leaf_hash(left + right) != merkle.node_hash(left, right)


def test_every_leaf_of_every_small_tree_is_proved_and_no_other() -> None:
    for size in range(1, 34):
        held = hashes(size)
        root = merkle.root_of(held)
        for index in range(size):
            path = merkle.inclusion(held, index)
            assert merkle.root_by_inclusion(held[index], index, size, path) == root
            assert strangers.root_by_path(held[index], index, size, path) == root
            assert merkle.root_by_inclusion(held[index - 1], index, size, path) != root or size == 1
            assert merkle.root_by_inclusion(held[index], index, size, [*path, b"x" * 32]) != root
    assert merkle.root_by_inclusion(hashes(1)[0], 1, 1, []) is None
    assert len(merkle.inclusion(hashes(1000), 7)) == 10


def test_consistency_of_every_pair_of_small_trees() -> None:
    held = hashes(20)
    roots = [merkle.root_of(held[:size]) for size in range(21)]
    for old, new in itertools.combinations_with_replacement(range(1, 21), 2):
        path = merkle.consistency(held[:new], old)
        assert merkle.is_consistent(roots[old], old, roots[new], new, path)
        assert not merkle.is_consistent(roots[old - 1], old, roots[new], new, path)
        if old != new:
            assert not merkle.is_consistent(roots[old], old, roots[new - 1], new, path)


def test_a_leaf_that_grows_is_the_tree_of_its_leaves() -> None:
    held, tree = hashes(100), merkle.Tree()
    for size, hashed in enumerate(held, start=1):
        tree.add(hashed)
        assert tree.root() == merkle.root_of(held[:size])


KINDS = ["int", "time", "date", "bool", "uuid", "text", "json", "bytes", "secret"]
VALUES = [-7, datetime(2026, 3, 14, 20, 0, 0, 123456, tzinfo=UTC), date(2026, 3, 14), True, uuid.UUID(int=7), "é", "[1]", b"\x00\xff", b""]


def test_a_leaf_is_exactly_these_bytes() -> None:
    content = leaves.leaf_of("thing", [*leaves.parts_of(["int", "date", "text"], [1, date(1970, 1, 2), ""]), None])
    assert content.hex() == "01000000057468696e67000000080000000000000001000000040000000100000000ffffffff"


def test_a_leaf_read_back_is_what_was_written() -> None:
    parts = leaves.parts_of(KINDS, VALUES)
    assert leaves.read(leaves.leaf_of("thing", parts)) == ("thing", parts)
    fields = strangers.fields_of(leaves.leaf_of("thing", parts))
    shown = [strangers.value_of(kind, field) for kind, field in zip(KINDS, fields[1:], strict=True)]
    assert shown == [-7, 1773518400123456, "2026-03-14", True, str(uuid.UUID(int=7)), "é", [1], b"\x00\xff", b""]


def test_null_is_not_empty_and_fields_do_not_run_into_each_other() -> None:
    different = [[None, b"a"], [b"", b"a"], [b"a", b""], [b"a", None], [b"a"], [b"", b"", b"a"]]
    assert len({leaves.leaf_of("k", parts) for parts in different}) == len(different)


def test_b154_times_are_whole_microseconds_before_and_after_1970() -> None:
    assert leaves.micros(datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == -1
    assert leaves.micros(datetime(2026, 3, 14, 13, 0, 0, 999999, tzinfo=UTC)) - leaves.micros(datetime(2026, 3, 14, 13, tzinfo=UTC)) == 999999
    elsewhere = datetime(2026, 3, 14, 20, tzinfo=UTC).astimezone(datetime.now().astimezone().tzinfo) + timedelta(0)
    assert leaves.micros(elsewhere) == leaves.micros(datetime(2026, 3, 14, 20, tzinfo=UTC))


def test_any_bit_turned_over_is_another_leaf_or_none() -> None:
    parts = [None, b"", b"ab", b"\x00" * 8]
    content = leaves.leaf_of("kind", parts)
    for bit in range(8 * len(content)):
        turned = bytearray(content)
        turned[bit // 8] ^= 1 << bit % 8
        assert merkle.leaf_hash(bytes(turned)) != merkle.leaf_hash(content)
        with contextlib.suppress(ValueError):
            assert leaves.read(bytes(turned)) != ("kind", parts)


def test_what_is_no_leaf_is_refused() -> None:
    for content in (b"", b"\x02", b"\x01", b"\x01\x00\x00\x00\x09abc", b"\x01\x00\x00", b"\x01\xff\xff\xff\xff"):
        with pytest.raises(ValueError):
            leaves.read(content)
        with pytest.raises(ValueError):
            strangers.fields_of(content)


def test_a_checkers_signatures_are_those_of_the_library() -> None:
    """The checker's own Ed25519 says what OpenSSL says, of good signatures and of spoilt ones."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    rng = random.Random(5)
    for length in (0, 1, 200):
        private = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))
        public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        message = rng.randbytes(length)
        signature = private.sign(message)
        assert ed25519.ed_verify(public, message, signature)
        assert not ed25519.ed_verify(public, message + b"x", signature)
        spoilt = bytearray(signature)
        spoilt[rng.randrange(64)] ^= 1 << rng.randrange(8)
        assert not ed25519.ed_verify(public, message, bytes(spoilt))
    assert not ed25519.ed_verify(public, b"", signature[:32] + (int.from_bytes(signature[32:], "little") + ed25519.ED_L).to_bytes(32, "little"))


def test_the_published_vector_of_ed25519() -> None:
    """RFC 8032, 7.1, test 2."""
    public = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert ed25519.ed_verify(public, b"\x72", signature)
