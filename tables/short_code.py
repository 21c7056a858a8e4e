"""The short code of a paytable version: four characters of its hash that people can read out and type. Pure.

Twenty bits tell apart the versions of a house; the whole hash stands beside the code, and in the QR. Source: spec/night.md, "Life of a table".
"""

from __future__ import annotations

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""
LENGTH = 4
_HEARD = str.maketrans("OIL", "011", " -")


def short_code(sha256: str) -> str:
    """Return the code of a hash given as hex digits: its first twenty bits, "W5KP". Raises ValueError for what is no hash."""
    if len(sha256) != 64:
        raise ValueError(f"“{sha256[:70]}” is no SHA-256 in hex digits")
    bits = int(sha256, 16) >> (256 - 5 * LENGTH)
    return "".join(DIGITS[bits >> shift & 31] for shift in range(5 * (LENGTH - 1), -1, -5))


def is_code_of(typed: str, sha256: str) -> bool:
    """Return whether `typed` is the code of the hash, whatever its case, with O for 0 and I or L for 1."""
    return typed.upper().translate(_HEARD) == short_code(sha256)
