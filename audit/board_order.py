"""In which order the board shows its tables: a column's name in the address, "-" before it for the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.board import Tile


@dataclass(frozen=True)
class Head:
    """A column head: its words, the address's `sort` that it leads to, and how it is sorted now ("ascending", "descending" or "none")."""

    key: str
    label: str | Promise
    leads_to: str
    sorted: str
    is_figure: bool


_COLUMNS: Sequence[tuple[str, str | Promise, bool, Callable[[Tile], Any]]] = (
    ("table", _("Table"), False, lambda tile: tile.table.code),
    ("state", _("State"), False, lambda tile: tile.state),
    ("game", _("Game"), False, lambda tile: tile.game.name),
    ("limits", _("Limits"), True, lambda tile: tile.limits[0][1].most if tile.limits else None),
    ("dealer", _("Dealer"), False, lambda tile: tile.dealer or None),
    ("rounds", _("Rounds"), True, lambda tile: tile.rounds),
    ("pace", _("An hour"), True, lambda tile: tile.per_hour),
    ("last", _("Last round"), True, lambda tile: tile.last),
    ("handle", _("Handle"), True, lambda tile: tile.handle),
    ("expected", _("Tray, expected"), True, lambda tile: tile.expected),
    ("win", _("Win by play"), True, lambda tile: tile.win),
    ("slips", _("Open slips"), True, lambda tile: tile.slips),
    ("findings", _("Findings"), True, lambda tile: tile.findings),
    ("proposals", _("To approve"), True, lambda tile: tile.proposals),
)
STATES = (_("open"), _("closed"), _("not open"))
"""What a table's state is called, so that the catalogues have the words."""
_ONLY_FOR_WHO_SEES = {"expected", "win"}


def heads(order: str, *, sees_expected: bool) -> list[Head]:
    """Return the column heads of a board in `order`; those of expected trays and wins for who may see them."""
    order = _known(order, sees_expected)
    made = []
    for key, label, is_figure, _value in _COLUMNS:
        if key in _ONLY_FOR_WHO_SEES and not sees_expected:
            continue
        now = {key: "ascending", f"-{key}": "descending"}.get(order, "none")
        made.append(Head(key, label, f"-{key}" if now == "ascending" else key, now, is_figure))
    return made


def in_order(tiles: Iterable[Tile], order: str, *, sees_expected: bool) -> list[Tile]:
    """Return `tiles` by the column that `order` names; tables that have nothing there come last, whichever way; equal ones by their code."""
    order = _known(order, sees_expected)
    value = next(value for key, _label, _is_figure, value in _COLUMNS if key == order.lstrip("-"))
    by_code = sorted(tiles, key=lambda tile: tile.table.code)
    there = [tile for tile in by_code if value(tile) is not None]
    return sorted(there, key=value, reverse=order.startswith("-")) + [tile for tile in by_code if value(tile) is None]


def _known(order: str, sees_expected: bool) -> str:
    """Return `order` where it names a column that is shown, else the order of the tables' codes."""
    shown = {key for key, *_rest in _COLUMNS if sees_expected or key not in _ONLY_FOR_WHO_SEES}
    return order if order.removeprefix("-") in shown else "table"
