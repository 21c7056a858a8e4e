"""Whole rounds: settled one by one, by the million, and by the `settle` command: `python -m bench rounds`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench.cards import as_json, deal_uth
from bench.lines import Line, Work, interleaved, least
from tables.engine import batch_uth
from tables.engine.games.ultimate_texas_holdem import GAME
from tables.engine.settle import answer_line
from tables.paytable_files import published

ROOT = Path(__file__).resolve().parent.parent


def measure(*, single: int = 3000, many: int = 200_000, lines: int = 200_000, seats: int = 4, times: int = 5) -> list[Line]:
    """Return the lines of rounds: `single` one by one, `many` in the batch, `lines` through the command."""
    paytable, find = published()[GAME.default_paytable], published().get
    cards, stakes = deal_uth(many, 6)
    raws = [as_json(cards[:, number], stakes[..., number], "bench") for number in range(single)]
    texts = [json.dumps(raw, separators=(",", ":")).encode() for raw in raws]
    deals = [GAME.read(raw, paytable) for raw in raws]
    works: dict[str, Work] = {
        "settled, read before": lambda: [GAME.settle(deal, paytable) for deal in deals],
        "text to text": lambda: [answer_line(text, find) for text in texts],
        "many": partial(batch_uth.settle, cards, stakes, paytable),
    }
    taken = interleaved(works, times=times)
    return [
        Line("one by one, six seats, read before", single / taken["settled, read before"], "rounds/s"),
        Line("one by one, six seats, text to text, one process", single / taken["text to text"], "rounds/s"),
        Line("by the million, six seats", many / taken["many"] / 1e6, "M/s"),
        _command(lines, seats),
    ]


def _command(lines: int, seats: int) -> Line:
    """Measure the command itself, its start included, on a file of `lines` rounds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rounds.jsonl"
        with path.open("w") as file:
            for start in range(0, lines, 10_000):
                cards, stakes = deal_uth(min(10_000, lines - start), seats, seed=start)
                for number in range(cards.shape[1]):
                    raw = as_json(cards[:, number], stakes[..., number], f"R-{start + number}")
                    file.write(json.dumps(raw, separators=(",", ":")) + "\n")
        begun = time.perf_counter()
        subprocess.run([sys.executable, "manage.py", "settle", str(path)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own
        speed = lines / (time.perf_counter() - begun)
    return least(f"the settle command, {seats} seats, {lines:,} lines", speed, "rounds/s", 20_000, "at least 20,000/s", processes=2)
