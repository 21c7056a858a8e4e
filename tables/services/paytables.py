"""Paytable versions: published by two people, put in force at tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import User
from casino.transactions import in_transaction
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import PaytableVersion, Table, TablePaytable


@lru_cache(maxsize=256)
def _read(game: str, content: bytes) -> Paytable:
    return games()[game].read_paytable(json.loads(content))


def paytable_of(version: PaytableVersion) -> Paytable:
    """Return the value of an approved version, read once per process."""
    return _read(version.game, bytes(version.content))


@in_transaction
def publish_paytable(raw: Mapping[str, Any], *, proposed_by: User, approved_by: User, approval: str) -> PaytableVersion:
    """Return the immutable version of `raw`; the same content again is the same version.

    Raises InvalidSlip (`bad_paytable`, …), Refused (`own_approval`, `not_allowed`), Conflict (`version_exists` with other content).
    """
    roles.require(proposed_by, "propose_paytable")
    roles.require(approved_by, "approve_paytable")
    if proposed_by == approved_by:
        raise Refused("own_approval", "Nobody approves what they proposed.")
    if raw.get("game") not in games():
        raise InvalidSlip("unknown_game", f"“{raw.get('game')}” is no known game.", where="game")
    paytable = games()[raw["game"]].read_paytable(raw)
    if (kept := PaytableVersion.objects.filter(name=paytable.name, version=paytable.version).first()) is not None:
        if kept.sha256 != paytable.sha256:
            raise Conflict("version_exists", f"{paytable.reference} is published with other content.", where="version")
        return kept
    return PaytableVersion.objects.create(
        game=paytable.game,
        name=paytable.name,
        version=paytable.version,
        content=paytable.canonical,
        sha256=paytable.sha256,
        proposed_by=proposed_by,
        approved_by=approved_by,
        approval=approval,
    )


@in_transaction
def put_in_force(table: Table, version: PaytableVersion, *, from_at: datetime, by: User) -> TablePaytable:
    """Return the row that puts `version` in force at `table` from `from_at` until the next row's. Raises Conflict (`wrong_game`)."""
    roles.require(by, "propose_paytable")
    if version.game != table.game:
        raise Conflict("wrong_game", f"{version} is not a paytable of {table}'s game.")
    return TablePaytable.objects.create(table=table, version=version, from_at=from_at, by=by)
