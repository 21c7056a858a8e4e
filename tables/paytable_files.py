"""The paytable versions that ship with Pitbook: one JSON file each in tables/paytables, named for its reference."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from casino.errors import BrokenBooks, InvalidSlip
from casino.words import gettext
from tables.engine.faults import shown
from tables.engine.game import games
from tables.engine.json_line import parse_line
from tables.engine.paytable import Paytable

FOLDER = Path(__file__).parent / "paytables"


@cache
def published() -> Mapping[str, Paytable]:
    """Return every version in the folder by its reference, "uth-seed@1".

    Read once per process. Raises InvalidSlip for a file that is no version, BrokenBooks for one that is named for another.
    """
    versions = {path.stem: read_file(path) for path in sorted(FOLDER.glob("*.json"))}
    for stem, paytable in versions.items():
        if stem != paytable.reference:
            raise BrokenBooks("misnamed_paytable", f"{stem}.json holds {paytable.reference}.")
    return MappingProxyType(versions)


def read_file(path: Path) -> Paytable:
    """Return the version that the file at `path` says. Raises InvalidSlip (`bad_json`, `unknown_game`, `bad_paytable`), OSError."""
    raw = parse_line(path.read_bytes())
    code = raw.get("game")
    if not isinstance(code, str) or code not in games():
        raise InvalidSlip("unknown_game", gettext("%(path)s: %(code)s is no known game.") % {"path": path.name, "code": shown(code)}, where="game")
    return games()[code].read_paytable(raw)
