"""Exact edges: of a draft at once, and by the full solve: `python -m bench edges`."""

from __future__ import annotations

import resource
import time
from fractions import Fraction

from bench.lines import Line, interleaved, most
from tables.engine import edge, edge_solve
from tables.engine.edge_boards import flops
from tables.engine.paytable import Paytable
from tables.paytable_files import published

PROVEN = Fraction(-50643648973, 2317817502000)
AT_ONCE_MS = 50.0


def measure(*, portions: int | None = None, times: int = 5) -> list[Line]:
    """Return the lines of edges; `portions`: so many parts of the solve only, its whole time reckoned from them."""
    paytable = published()["uth-seed@1"]
    at_once = interleaved({"draft": lambda: edge.edges(paytable)}, times=times)["draft"] * 1e3
    seconds, ending = _solve(paytable, portions)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return [
        most("the edge of a draft", at_once, "ms", AT_ONCE_MS, f"at once ({AT_ONCE_MS:.0f} ms)"),
        most(f"the full solve, two processes{ending}", seconds, "s", 180, "under 180 s", processes=2),
        Line("memory of a process of the solve", memory, "MB"),
    ]


def _solve(paytable: Paytable, portions: int | None) -> tuple[float, str]:
    """Return the seconds of the full solve, measured or reckoned, and how the line says so. The figure that comes out must be the proven one."""
    asked = portions

    def enough() -> bool:
        nonlocal asked
        asked = None if asked is None else asked - 1
        return asked is not None and asked <= 0

    begun = time.perf_counter()
    try:
        found = edge.solve(paytable, cancelled=enough)
    except edge_solve.SolveCancelled as stopped:
        seconds = (time.perf_counter() - begun) * len(flops()) / stopped.progress.done
        return seconds, f" (reckoned from {stopped.progress.done} flops)"
    if found.bets["main"].ev != PROVEN:
        raise SystemExit(f"The solve says {found.bets['main'].ev}, not {PROVEN}.")
    return time.perf_counter() - begun, ""
