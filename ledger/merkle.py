"""Merkle trees as in RFC 9162, section 2.1: leaves and nodes are hashed apart, no leaf is ever doubled. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

EMPTY = sha256(b"").digest()


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of a leaf: SHA-256 of 0x00 and its bytes."""
    return sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node: SHA-256 of 0x01 and its children's."""
    return sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree that grows leaf by leaf and keeps what its root needs only: one hash for each set bit of its size."""

    def __init__(self) -> None:
        self.size = 0
        self._full: list[bytes] = []

    def add(self, hashed: bytes) -> None:
        """Put a leaf's hash at the end."""
        self._full.append(hashed)
        self.size += 1
        size = self.size
        while size % 2 == 0:
            right = self._full.pop()
            self._full.append(node_hash(self._full.pop(), right))
            size //= 2

    def root(self) -> bytes:
        """Return the root over the leaves so far; of no leaf, the SHA-256 of nothing."""
        if not self._full:
            return EMPTY
        root = self._full[-1]
        for left in reversed(self._full[:-1]):
            root = node_hash(left, root)
        return root


def root_of(hashes: Iterable[bytes]) -> bytes:
    """Return the root over leaves' hashes in their order."""
    tree = Tree()
    for hashed in hashes:
        tree.add(hashed)
    return tree.root()


def _split(size: int) -> int:
    """Return the largest power of two below `size` (at least 2)."""
    return 1 << ((size - 1).bit_length() - 1)


def inclusion(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the hashes that prove leaf `index` to be under the root, from the leaf upwards (RFC 9162, 2.1.3.1)."""
    if not 0 <= index < len(hashes):
        raise IndexError(f"no leaf {index} among {len(hashes)}")
    if len(hashes) == 1:
        return []
    cut = _split(len(hashes))
    if index < cut:
        return [*inclusion(hashes[:cut], index), root_of(hashes[cut:])]
    return [*inclusion(hashes[cut:], index - cut), root_of(hashes[:cut])]


def root_by_inclusion(hashed: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that `path` leads to from a leaf's hash, None where it is no path of such a tree (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return None
    at, last, root = index, size - 1, hashed
    for step in path:
        if last == 0:
            return None
        if at % 2 or at == last:
            root = node_hash(step, root)
            while at % 2 == 0 and at:
                at, last = at // 2, last // 2
        else:
            root = node_hash(root, step)
        at, last = at // 2, last // 2
    return root if last == 0 else None


def consistency(hashes: Sequence[bytes], old: int) -> list[bytes]:
    """Return the hashes that prove the tree of the first `old` leaves to be the beginning of this one (RFC 9162, 2.1.4.1)."""
    if not 0 < old <= len(hashes):
        raise IndexError(f"no tree of {old} leaves within {len(hashes)}")
    return _subproof(hashes, old, whole=True)


def _subproof(hashes: Sequence[bytes], old: int, *, whole: bool) -> list[bytes]:
    if old == len(hashes):
        return [] if whole else [root_of(hashes)]
    cut = _split(len(hashes))
    if old <= cut:
        return [*_subproof(hashes[:cut], old, whole=whole), root_of(hashes[cut:])]
    return [*_subproof(hashes[cut:], old - cut, whole=False), root_of(hashes[:cut])]


def is_consistent(old_root: bytes, old: int, new_root: bytes, new: int, path: Sequence[bytes]) -> bool:
    """Return whether `path` proves that the tree of `old` leaves is the beginning of the one of `new` (RFC 9162, 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    steps = list(path) if old & (old - 1) else [old_root, *path]
    if not steps:
        return False
    at, last = old - 1, new - 1
    while at % 2:
        at, last = at // 2, last // 2
    first = second = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if at % 2 or at == last:
            first, second = node_hash(step, first), node_hash(step, second)
            while at % 2 == 0 and at:
                at, last = at // 2, last // 2
        else:
            second = node_hash(second, step)
        at, last = at // 2, last // 2
    return first == old_root and second == new_root and last == 0
