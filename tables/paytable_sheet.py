"""The sheet of a version, to be laid at the table: odds and rules in words, the short code, the hash and its QR, as PDF (A5). No Django.

The same version is the same bytes on every machine: our own typefaces, and no date.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import segno

from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.paytable_words import in_words, odds_lines, rule_lines
from tables.short_code import short_code

TEMPLATE = Path(__file__).with_name("paytable_sheet.typ")
FONTS = Path(__file__).resolve().parent.parent / "audit" / "reports" / "fonts"


def sheet(paytable: Paytable, facts: Mapping[str, str] | None = None) -> bytes:
    """Return the PDF of `paytable`; `facts` are lines below the rules, label and text ("Approval": "GC-2026-17")."""
    import typst

    words = json.dumps(words_of(paytable, facts or {}), ensure_ascii=False)
    document: bytes = typst.compile(
        str(TEMPLATE), root=str(TEMPLATE.parent), font_paths=[str(FONTS)], ignore_system_fonts=True, sys_inputs={"data": words}, pdf_tags=False
    )
    return document


def words_of(paytable: Paytable, facts: Mapping[str, str]) -> dict[str, Any]:
    """Return what stands on the sheet, as the template reads it."""
    return {
        "title": paytable.reference,
        "game": games()[paytable.game].name,
        "code": short_code(paytable.sha256),
        "code_note": "Read this code out when the table is opened.",
        "qr": qr_of(paytable.sha256),
        "wagers": [in_words(wager) for wager in paytable.odds],
        "odds_head": "Odds, to one",
        "odds": odds_lines(paytable),
        "rules": list(rule_lines(paytable.rules)),
        "facts": list(facts.items()),
        "foot": f"SHA-256 {paytable.sha256}",
    }


def qr_of(sha256: str) -> str:
    """Return the hash as a QR code, SVG text: what a phone reads is the 64 hex digits."""
    out = io.BytesIO()
    segno.make(sha256, error="m", micro=False).save(out, kind="svg", border=2, xmldecl=False, svgns=True)
    return out.getvalue().decode()
