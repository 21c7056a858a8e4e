"""Hand evaluators of others, each as what evaluates one hand of seven names; those that are installed (bench/requirements.txt)."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

Evaluate = Callable[[list[str]], Any]


def _phevaluator(package: Any) -> Evaluate:
    return lambda hand: package.evaluate_cards(*hand)


def _eval7(package: Any) -> Evaluate:
    return lambda hand: package.evaluate([package.Card(name) for name in hand])


def _treys(package: Any) -> Evaluate:
    evaluate, new = package.Evaluator().evaluate, package.Card.new
    return lambda hand: evaluate([new(name) for name in hand[:5]], [new(name) for name in hand[5:]])


def _pokerkit(package: Any) -> Evaluate:
    return lambda hand: package.StandardHighHand.from_game("".join(hand[:2]), "".join(hand[2:]))


PEERS: dict[str, Callable[[Any], Evaluate]] = {"phevaluator": _phevaluator, "eval7": _eval7, "treys": _treys, "pokerkit": _pokerkit}


def peers() -> dict[str, Evaluate | None]:
    """Return each peer's face, None where it is not installed."""
    found: dict[str, Evaluate | None] = {}
    for module, face in PEERS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what they themselves import
                found[module] = face(importlib.import_module(module))
        except ImportError:
            found[module] = None
    return found
