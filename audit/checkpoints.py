"""What a report prints of a sealed shift: its checkpoint in three lines, and those as a QR code."""

from __future__ import annotations

import io

import segno

from ledger import notes
from ledger.models import Segment
from tables.models import Shift


def checkpoint_words(shift: Shift) -> str:
    """Return the shift's published checkpoint in three lines (log, shifts, root), "" where it is not sealed yet: what a report prints."""
    segment = Segment.objects.filter(shift=shift.uuid).exclude(signed=None).select_related("signed").first()
    return notes.short(segment.signed.note) if segment else ""


def qr_svg(text: str) -> str:
    """Return `text` as a QR code, an SVG document: black on white whatever the page's colours, so that a phone can read it."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(out, kind="svg", border=2, light="#fff", dark="#000", xmldecl=False)
    return out.getvalue().decode()


def qr_address(text: str) -> str:
    """Return the QR code of `text` as the address of an image."""
    return str(segno.make(text, error="m", micro=False).svg_data_uri(border=2, light="#fff", dark="#000"))
