"""All measurements, or those of some sections: `python -m bench [--quick] [hands] [rounds] [edges] [night] [doors] [books] [sealing]`.

Each line stands beside its peer or the raw statement, measured in the same run, with its goal of design/performance.md and whether it is met.
Absolute figures drift with the machine; ratios in one run hold. So an absolute goal that is missed here is also reckoned at the pace of the
page's machine (`bench.pace`; for a recorded round, `bench.plain`), and the line says both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from bench import books, doors, edges, hands, night, rounds, sealing
from bench.lines import Line, page
from bench.pace import pace

Section = Callable[[], list[Line]]

WHOLE: dict[str, Section] = {
    "hands": hands.measure,
    "rounds": rounds.measure,
    "edges": edges.measure,
    "night": night.measure,
    "doors": doors.measure,
    "books": books.measure,
    "sealing": sealing.measure,
}
QUICK: dict[str, Section] = {
    "hands": partial(hands.measure, single=5000, many=500_000, times=3),
    "rounds": partial(rounds.measure, single=1000, many=50_000, lines=40_000, times=3),
    "edges": partial(edges.measure, portions=8, times=3),
    "night": partial(night.measure, recorded=60, kept=3000, tables=3, rounds=40),
    "doors": partial(doors.measure, posted=100, asked=100, nights=10),
    "books": partial(books.measure, rounds=500, transfers=40_000, shifts=20),
    "sealing": partial(sealing.measure, entries=2000, leaves=20_000),
}
TITLES = {
    "hands": "A hand of seven cards",
    "rounds": "Rounds settled",
    "edges": "Exact edges",
    "night": "A night in the database",
    "doors": "Through the API and on the pages",
    "books": "The books",
    "sealing": "Sealing, and the stranger's check",
}


def main(arguments: list[str] | None = None) -> None:
    """Run the sections that are asked for, and print a page of each as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measurements, each beside its peers in the same run.")
    parser.add_argument("sections", nargs="*", choices=[*WHOLE, []], metavar="SECTION", help=f"{', '.join(WHOLE)}; all of them without")
    parser.add_argument("--quick", action="store_true", help="smaller sizes: half a minute, rougher figures")
    asked = parser.parse_args(arguments)
    if slower := pace():
        sys.stdout.write(f"This machine takes {slower:.2f} times as long as the page's, by the median of the peers.\n\n")
    for name, measure in (QUICK if asked.quick else WHOLE).items():
        if not asked.sections or name in asked.sections:
            page(TITLES[name], measure())


if __name__ == "__main__":
    main()
