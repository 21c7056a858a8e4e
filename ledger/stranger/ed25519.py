"""Ed25519 (RFC 8032), verifying only."""

from __future__ import annotations

import hashlib

ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_D = -121665 * pow(121666, ED_P - 2, ED_P) % ED_P
ED_I = pow(2, (ED_P - 1) // 4, ED_P)


def ed_x(y: int, sign: int) -> int:
    """Return x of a point by its y. Raises ValueError where there is none."""
    if y >= ED_P:
        raise ValueError("no point")
    square = (y * y - 1) * pow(ED_D * y * y + 1, ED_P - 2, ED_P) % ED_P
    x = pow(square, (ED_P + 3) // 8, ED_P)
    if (x * x - square) % ED_P:
        x = x * ED_I % ED_P
    if (x * x - square) % ED_P or (x == 0 and sign):
        raise ValueError("no point")
    return ED_P - x if x & 1 != sign else x


def ed_point(content: bytes) -> tuple[int, int, int, int]:
    """Return the point of 32 bytes in extended coordinates."""
    number = int.from_bytes(content, "little")
    y = number & ((1 << 255) - 1)
    x = ed_x(y, number >> 255)
    return (x, y, 1, x * y % ED_P)


def ed_add(p: tuple[int, int, int, int], q: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return p + q."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % ED_P
    b = (p[1] + p[0]) * (q[1] + q[0]) % ED_P
    c = 2 * p[3] * q[3] * ED_D % ED_P
    d = 2 * p[2] * q[2] % ED_P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % ED_P, g * h % ED_P, f * g % ED_P, e * h % ED_P)


def ed_times(n: int, p: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return n times p."""
    q = (0, 1, 1, 0)
    while n:
        if n & 1:
            q = ed_add(q, p)
        p = ed_add(p, p)
        n >>= 1
    return q


ED_BASE_Y = 4 * pow(5, ED_P - 2, ED_P) % ED_P
ED_BASE = (ed_x(ED_BASE_Y, 0), ED_BASE_Y, 1, ed_x(ED_BASE_Y, 0) * ED_BASE_Y % ED_P)


def ed_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether `signature` (64 bytes) is `public`'s (32 bytes) of `message`."""
    if len(public) != 32 or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= ED_L:
        return False
    try:
        r, a = ed_point(signature[:32]), ed_point(public)
    except ValueError:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ED_L
    left, right = ed_times(s, ED_BASE), ed_add(r, ed_times(k, a))
    return (left[0] * right[2] - right[0] * left[2]) % ED_P == 0 and (left[1] * right[2] - right[1] * left[2]) % ED_P == 0
