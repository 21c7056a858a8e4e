"""The settlement engine's doors: a line of JSON, a round, a deal; in, what is due by the rules; out. Pure, and knows no game by name.

Source: spec/rounds.md, "The settle command" and "Errors".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from json import dumps, loads
from typing import Any

from casino.errors import InvalidSlip
from tables.engine.faults import Faults, PlacedFault, shown
from tables.engine.game import Deal, Game, Settlement, games
from tables.engine.json_line import parse_line, plain_object
from tables.engine.paytable import Paytable
from tables.engine.reading import Misread, label

ENGINE_VERSION = "1"
"""Kept with every settlement. A new one where the same round and paytable may come out otherwise."""

PaytableLoader = Callable[[str], Paytable | None]
"""Takes a reference, "uth-seed@1", and returns the published version, None where there is none."""


def read_round(raw: Mapping[str, Any], paytable: Paytable, irregular: bool = False) -> Deal:
    """Return the deal that the parsed JSON object says, by the rules of `paytable`; what `raw` says of a paytable is not looked at.

    Raises InvalidSlip with every fault of the first step that has any; `irregular` lets pass what may be recorded as irregular.
    """
    game = _game_of(raw)
    if game.code != paytable.game:
        raise InvalidSlip("bad_paytable", f"{paytable.reference} is of another game.", where="paytable")
    return game.read(raw, paytable, irregular=irregular)


def settle(deal: Deal, paytable: Paytable) -> Settlement:
    """Return what is due on each wager of `deal`. Raises InvalidSlip (`inexact_payout`, `bad_amount`) at stakes that cannot be paid."""
    return games()[paytable.game].settle(deal, paytable)


def settle_line(line: bytes | str, paytables: PaytableLoader, default: str | None = None) -> dict[str, Any]:
    """Return the answer to one line, or the object that says what is wrong with it.

    `default` is the reference of the paytable for rounds that name none; without it each game has its own. Never raises for what a line
    may hold.
    """
    answer: dict[str, Any] = loads(answer_line(line, paytables, default)[0])
    return answer


def answer_line(line: bytes | str, paytables: PaytableLoader, default: str | None = None) -> tuple[bytes, bool]:
    """Return the JSON text of `settle_line` in UTF-8, on one line, and whether the round was settled. The command's way: it makes no objects."""
    if (plain := plain_object(line)) is not None:
        try:
            return _settled_text(plain, paytables, default), True
        except InvalidSlip:
            pass  # the strict reader reads it again: what is wrong is named as it stands on the line
    raw: Mapping[str, Any] = {}
    try:
        raw = parse_line(line)
        return _settled_text(raw, paytables, default), True
    except InvalidSlip as error:
        return _error_text(raw, error), False


def _settled_text(raw: Mapping[str, Any], paytables: PaytableLoader, default: str | None) -> bytes:
    game = _game_of(raw)
    paytable = _paytable_of(raw, game, paytables, default)
    return game.settle(game.read(raw, paytable), paytable).json


def _error_text(raw: Mapping[str, Any], error: InvalidSlip) -> bytes:
    try:
        id = label(raw.get("id"))
    except Misread:
        id = None
    return dumps({"id": id, **error.as_json()}, ensure_ascii=False, separators=(",", ":")).encode()


def _game_of(raw: Mapping[str, Any]) -> Game:
    """Return the round's game. Raises InvalidSlip: without it nothing but the fields of all rounds can be looked at."""
    code = raw.get("game")
    if isinstance(code, str) and code in games():
        return games()[code]
    faults = Faults(raw)
    if "game" in raw:
        faults.add("unknown_game", ("game",), f"{shown(code)} is none of {', '.join(games())}.")
    for name in ("game", "id", "seats"):
        if name not in raw:
            faults.add("missing_field", (name,), f"{shown(name)} is missing.")
    faults.raise_any()
    raise AssertionError("a round without a known game has a fault")


# ---- the paytable of a line ----


def _paytable_of(raw: Mapping[str, Any], game: Game, paytables: PaytableLoader, default: str | None) -> Paytable:
    """Return the round's own paytable, else the `default`, else the game's.

    Raises InvalidSlip with all that is wrong with the round's shape, of which its paytable is a part.
    """
    named = raw.get("paytable", default or game.default_paytable)
    if isinstance(named, str) and (paytable := paytables(named)) is not None and paytable.game == game.code:
        return paytable
    faults = Faults(raw)
    written = _written_out(named, game, paytables, faults) if isinstance(named, Mapping) else None
    if written is None:
        if isinstance(named, str):
            _add_unpublished(named, paytables(named), faults)
        _add_shape(raw, game, faults)
        faults.raise_any()
        raise AssertionError("a paytable that cannot be read is a fault of the shape")
    return written


def _add_unpublished(reference: str, paytable: Paytable | None, faults: Faults) -> None:
    if paytable is None:
        faults.add("unknown_paytable", ("paytable",), f"{shown(reference)} is no published paytable.")
    else:
        faults.add("bad_paytable", ("paytable",), f"{reference} is a paytable of another game.")


def _written_out(version: Mapping[str, Any], game: Game, paytables: PaytableLoader, faults: Faults) -> Paytable | None:
    """Return the version that stands in the round; one with a published name and number must be that one."""
    try:
        paytable = _read_version(game.code, dumps(version))
    except InvalidSlip as error:
        for fault in _placed(error):
            faults.add(fault.code, ("paytable", *fault.path), fault.message, **fault.facts)
        return None
    except RecursionError:
        faults.add("bad_paytable", ("paytable",), "The version is nested too deeply.")
        return None
    published = paytables(paytable.reference)
    if published is not None and published.sha256 != paytable.sha256:
        faults.add("bad_paytable", ("paytable",), f"{paytable.reference} is published, with other content.")
        return None
    return paytable


@lru_cache(maxsize=64)
def _read_version(game: str, version: str) -> Paytable:
    """Return the version that a JSON text says; many rounds in a row come with the same one."""
    return games()[game].read_paytable(loads(version))


def _add_shape(raw: Mapping[str, Any], game: Game, faults: Faults) -> None:
    try:
        game.check_shape(raw)
    except InvalidSlip as error:
        faults.found += _placed(error)


def _placed(error: InvalidSlip) -> list[PlacedFault]:
    return [fault for fault in error.faults if isinstance(fault, PlacedFault)]
