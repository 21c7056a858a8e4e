"""What a proposal changes, line by line, as a page shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from casino import shown
from tables.corrections import Change
from tables.models import Property


@dataclass(frozen=True)
class Side:
    """A value before or after: cards by name, or a text."""

    text: str = ""
    cards: Sequence[str] = ()


@dataclass(frozen=True)
class ChangeLine:
    """One field that changes, as it is shown."""

    label: str
    is_figure: bool
    before: Side
    after: Side


def lines(changes: Iterable[Change], house: Property) -> list[ChangeLine]:
    """Return the changes in the house's notation."""
    return [
        ChangeLine(
            change.label, change.kind in ("amount", "signed"), _side(change.before, change.kind, house), _side(change.after, change.kind, house)
        )
        for change in changes
    ]


def _side(value: Any, kind: str, house: Property) -> Side:
    if value is None:
        return Side(shown.NOTHING)
    if kind == "amount":
        return Side(shown.money(value, house))
    if kind == "signed":
        return Side(shown.signed(value, house))
    if kind == "moment":
        return Side(shown.stamp(datetime.fromisoformat(value), house))
    if kind == "cards" and not isinstance(value, int):
        return Side(cards=value if isinstance(value, list) else [value])
    if isinstance(value, dict):
        return Side(", ".join(f"{name.replace('_', ' ')} {shown.money(stake, house)}" for name, stake in value.items()))
    return Side("yes" if value is True else " ".join(map(str, value)) if isinstance(value, list) else str(value))
