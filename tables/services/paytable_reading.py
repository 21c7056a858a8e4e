"""Paytables as values: of a row that keeps one, of JSON that was handed in, by their reference, out again as a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext

from casino.errors import InvalidSlip, NotFound
from tables.engine.faults import shown
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import PaytableDraft, PaytableEvent, PaytableProposal, PaytableVersion
from tables.paytable_sheet import sheet


@lru_cache(maxsize=256)
def _read(game: str, content: bytes) -> Paytable:
    return games()[game].read_paytable(json.loads(content))


def paytable_of(kept: PaytableVersion | PaytableDraft | PaytableProposal) -> Paytable:
    """Return the value of a version, draft or proposal, read once per process."""
    return _read(kept.game, bytes(kept.content))


def read_paytable(raw: Mapping[str, Any]) -> Paytable:
    """Return the paytable that the parsed JSON object says. Raises InvalidSlip (`unknown_game`, `bad_paytable`), every fault with its place."""
    code = raw.get("game")
    if not isinstance(code, str) or code not in games():
        raise InvalidSlip("unknown_game", gettext("%(code)s is no known game.") % {"code": shown(code)}, where="game")
    return games()[code].read_paytable(raw)


def state_of(proposal: PaytableProposal) -> str:
    """Return the state of `proposal`: that of its last event. One query."""
    return PaytableEvent.objects.filter(proposal=proposal).order_by("-sequence").values_list("state", flat=True).first() or ""


def version_named(reference: str) -> PaytableVersion:
    """Return the version of a reference, "uth-seed@1". One query. Raises NotFound (`no_paytable`)."""
    name, _, number = reference.rpartition("@")
    readable = number.isascii() and number.isdigit() and len(number) <= 10 and "\x00" not in name
    found = PaytableVersion.objects.filter(name=name, version=int(number)).first() if readable else None
    if found is None:
        raise NotFound("no_paytable", gettext("There is no paytable version %(reference)s.") % {"reference": shown(reference)}, where="paytable")
    return found


def export_paytable(version: PaytableVersion | PaytableDraft | PaytableProposal) -> bytes:
    """Return the JSON file of a version, for people to read; its canonical form, of which the hash is taken, is the same object."""
    return f"{json.dumps(json.loads(bytes(version.content)), indent=2, ensure_ascii=False)}\n".encode()


def sheet_of(version: PaytableVersion) -> bytes:
    """Return the sheet of a version to be laid at the table, as PDF: the same version is the same bytes, whoever prints it."""
    people = f"{version.proposed_by}, {version.approved_by}"
    return sheet(paytable_of(version), {"Approval": version.approval, "Proposed by, approved by": people})
