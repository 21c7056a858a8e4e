"""The round console's keys and moves, worked out from a game's layout, so that no game has a console of its own. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tables.engine.game import Field, Layout

TAKEN = frozenset("IPR?-+")
"""Keys of the console's own: irregular, paid, reason sheet, help, seat off and on."""


def flag_keys(layout: Layout) -> dict[str, str]:
    """Return the letter that ticks each flag of a seat, by the field's name: the first of its label that is free."""
    keys: dict[str, str] = {}
    for field in layout.seat_fields:
        if field.kind != "flag":
            continue
        letters = [letter for letter in field.label.upper() if letter.isalpha() and letter not in TAKEN and letter not in keys.values()]
        keys[field.name] = letters[0] if letters else ""
    return keys


def console_layout(layout: Layout, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the console's scripts know of the game, as JSON: fields with their kinds and multiples, seats, keys, the pile, the button."""
    keys = flag_keys(layout)
    pile = layout.pile
    return {
        "round": [_field(field, rules, "") for field in layout.round_fields],
        "seat": [_field(field, rules, keys.get(field.name, "")) for field in layout.seat_fields],
        "first": layout.first_seat,
        "last": layout.last_seat,
        "oneDeck": layout.one_deck,
        "button": layout.button,
        "pile": {"fields": list(pile.fields), "base": pile.base, "plus": pile.plus} if pile else None,
    }


def _field(field: Field, rules: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {
        "name": field.name,
        "label": field.label,
        "kind": field.kind,
        "count": field.count,
        "required": field.required,
        "habit": field.habit,
        "times": list(field.multiples(rules)),
        "choices": list(field.choices),
        "key": key,
    }


def next_button(layout: Layout, facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the seat that has the button next, by the field's name: the next one of the round of `facts`. Nothing where there is no button."""
    seats = sorted(seat["seat"] for seat in facts["seats"])
    if not layout.button or not seats:
        return {}
    held = facts[layout.button]
    return {layout.button: str(next((seat for seat in seats if seat > held), seats[0]))}
